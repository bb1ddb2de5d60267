"""Who asks the bridge, and whom Open WebUI tells what happens."""

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
"""Where Open WebUI's environment has it. It is no valve's default: those may be read by many."""

TOKEN_S = 300
"""For which a token is good, that says who asks."""

PASSWORD: dict[str, JsonValue] = {"input": {"type": "password"}}

log = logging.getLogger(__name__)


class BridgeValves(BaseModel):
    """Where the bridge is, and by what it knows who asks."""

    BRIDGE_URL: str = Field(
        default="http://127.0.0.1:8765", description="Where Open WebUI's server reaches the bridge."
    )
    BRIDGE_KEY: str = Field(
        default="",
        description="A key of the bridge; for many users, a forwarder's key.",
        json_schema_extra=PASSWORD,
    )
    USER_JWT_SECRET: str = Field(
        default="",
        description="Signs who asks, for a forwarder's key; empty: as Open WebUI's environment says.",
        json_schema_extra=PASSWORD,
    )


def who_asks(user: Json, key: str, jwt_secret: str) -> Json:
    """The headers that say who asks: by a key of his own, or named to a forwarder's key."""
    if own_key := getattr(user.get("valves"), "BRIDGE_KEY", ""):
        return {"Authorization": f"Bearer {own_key}"}
    named = {"Authorization": f"Bearer {key}"}
    if not user.get("id"):
        return named
    about = {name: str(user.get(name) or "") for name in ("name", "email", "role")}
    secret = jwt_secret or os.environ.get(SECRET_NAME, "").strip()
    if not secret:
        told = {"Id": str(user["id"]), "Name": about["name"], "Email": about["email"]}
        return {
            **named,
            **{f"X-OpenWebUI-User-{name}": quote(value, safe=" @") for name, value in told.items()},
        }
    now = int(time.time())
    claims = {"sub": str(user["id"]), "iss": "open-webui", "iat": now, "exp": now + TOKEN_S, **about}
    return {**named, "X-OpenWebUI-User-Jwt": jwt.encode(claims, secret, "HS256")}


def quiet(emitter: Emitter | None) -> Emitter:
    """The emitter, or none: what it cannot tell, the user does not learn, and the answer goes on."""

    async def emit(event: Json) -> None:
        if emitter is None:
            return
        try:
            await emitter(event)
        except Exception as error:
            log.warning("Open WebUI did not take an event: %s", error)

    return emit


def notification(level: str, text: str) -> Json:
    """A toast. `level`: `info`, `success`, `warning` or `error`."""
    return {"type": "notification", "data": {"type": level, "content": text}}


def status(description: str) -> Json:
    """What goes on."""
    return {"type": "status", "data": {"description": description, "done": False}}
