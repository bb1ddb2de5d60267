"""A call, open or ended, as the journal reads it and the API answers it."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from bridge.calls.state_machine import CallState
from bridge.errors import WireError


class CallFacts(BaseModel):
    """A call, open or ended. Times are UTC seconds since 1970; None while it is open."""

    model_config = ConfigDict(defer_build=True, frozen=True)

    call_id: str
    tool: str
    server: str
    operation: str
    state: CallState
    safe: bool
    arguments: str | None
    """JSON text, with `[secret]` for values with a secret name; None: too long to store."""
    http_status: int | None
    content_type: str | None
    error: WireError | None
    opened_at: float
    ended_at: float | None
    late: dict[str, Any] | None
    """The page's report after the call had already ended: what really happened, for a person to read."""
    decision: dict[str, Any] | None
    """The user's decision: `decision`, `reason`, `device_id`, `at`; None without one."""
    asked_by: str | None
    """Who asked for it, for people: `key <label>`, `forwarder <label>`, `client <address>` or `bridge page`,
    with the model that made the call, if one did; None: not recorded."""
    chat_id: str | None
    """The chat, as its client names it, or a conversation of the bridge; None: the client named none."""
    device_id: str | None
    """The browser that performs or performed it; None: it has reached none."""
    transport: str | None
    """What sent the request, or refused to: `page`, or `companion` for the browser's companion extension;
    None: not known, as of a call that was never sent, or of one from before this was noted."""
    login: bool | None
    """Whether the user's cookies for the API went along; None with `transport`."""
