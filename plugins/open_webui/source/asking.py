"""The user on whose behalf the bridge is asked, and Open WebUI's status messages."""

import logging
import os
import time
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import quote

import jwt
from pydantic import BaseModel, Field, JsonValue

from plugins.open_webui.source.json_values import Json

Emitter = Callable[[Json], Awaitable[Any]]

STATUS_END: Json = {"type": "status", "data": {"description": "", "done": True, "hidden": True}}
SECRET_NAME = "FORWARD_USER_INFO_HEADER_JWT_SECRET"
"""Environment variable of Open WebUI. It is not the default of a valve: many people may read those."""

TOKEN_S = 300
"""Seconds for which a token that names the user is valid."""

PASSWORD: dict[str, JsonValue] = {"input": {"type": "password"}}

log = logging.getLogger(__name__)


class BridgeValves(BaseModel):
    """The address of the bridge, and how the user is identified."""

    BRIDGE_URL: str = Field(
        default="http://127.0.0.1:8765",
        description="Address at which Open WebUI's server reaches the bridge.",
    )
    BRIDGE_KEY: str = Field(
        default="",
        description="A key of the bridge; for several users, a forwarder's key.",
        json_schema_extra=PASSWORD,
    )
    USER_JWT_SECRET: str = Field(
        default="",
        description="Secret that signs the user's identity, for a forwarder's key; empty: Open WebUI's own.",
        json_schema_extra=PASSWORD,
    )


def who_asks(user: Json, key: str, jwt_secret: str) -> Json:
    """Return the headers that identify the user: the user's own key, or a name beside a forwarder's key."""
    if own_key := getattr(user.get("valves"), "BRIDGE_KEY", ""):
        return {"Authorization": f"Bearer {own_key}"}
    named = {"Authorization": f"Bearer {key}"}
    if not user.get("id"):
        return named
    about = {name: str(user.get(name) or "") for name in ("name", "email", "role")}
    secret = jwt_secret or os.environ.get(SECRET_NAME, "").strip()
    if not secret:
        named_user = {"Id": str(user["id"]), "Name": about["name"], "Email": about["email"]}
        return {
            **named,
            **{f"X-OpenWebUI-User-{name}": quote(value, safe=" @") for name, value in named_user.items()},
        }
    now = int(time.time())
    claims = {"sub": str(user["id"]), "iss": "open-webui", "iat": now, "exp": now + TOKEN_S, **about}
    return {**named, "X-OpenWebUI-User-Jwt": jwt.encode(claims, secret, "HS256")}


class QuietEmitter:
    """An emitter that never fails: an event that Open WebUI refuses does not end the answer."""

    def __init__(self, emitter: Emitter | None) -> None:
        self._emitter = emitter
        self._is_status_open = True

    async def __call__(self, event: Json) -> None:
        """Emit an event."""
        if event.get("type") == "status":
            self._is_status_open = not event["data"].get("done")
        if self._emitter is None:
            return
        try:
            await self._emitter(event)
        except Exception as error:
            log.warning("Open WebUI did not accept an event: %s", error)

    async def end_status(self) -> None:
        """Hide the statuses, unless the last one is done: the bridge has ended them, and one may stay."""
        if self._is_status_open:
            await self(STATUS_END)


def notification(level: str, text: str) -> Json:
    """A toast. `level`: `info`, `success`, `warning` or `error`."""
    return {"type": "notification", "data": {"type": level, "content": text}}


def status(description: str) -> Json:
    """A status line for what is happening."""
    return {"type": "status", "data": {"description": description, "done": False}}
