"""The canary of `/readyz`: an ordinary call, made in the page of a user whom the operator names."""

from __future__ import annotations

from bridge.browsers.gateway import FindRoute
from bridge.calls.engine import Engine
from bridge.calls.request import CallContext, CallOptions, ToolCall
from bridge.catalog.registry import Registry
from bridge.errors import BridgeError
from bridge.readiness.readiness import NotReady, Probe
from bridge.settings.canary import CanarySettings
from bridge.storage.users import UserTables

CANARY_S = 5.0
"""Deadline of the call, and how long `/readyz` waits for it, in seconds."""

CANARY_FRESH_S = 10.0
"""Seconds for which its result is used again: a call leaves a row in the history."""

ASKED_BY = "canary"
"""Who asks for the call, as the history shows it."""


def build_canary(
    settings: CanarySettings, users: UserTables, registry: Registry, engine: Engine, find_route: FindRoute
) -> Probe | None:
    """Return the probe that makes the call; None where no user is named.

    Of several replicas only the user's home makes it, so that a page that fails takes one of them out.
    What it says names neither user nor tool, because anybody may ask.
    """
    if not settings.canary_user:
        return None

    async def call_canary() -> str:
        user = await users.ensure_user(settings.canary_user)
        try:
            if await find_route(user.id) is not None:
                return "The canary's user is at home in another replica, which makes the call."
        except BridgeError as error:
            return (
                f"No canary call was made: nobody can say now where its user is at home ({error.error.code})."
            )
        tool = (await registry.view_of_user(user.id)).catalog.by_name(settings.canary_tool)
        if tool is None:
            raise NotReady("The canary call failed: its user has no such tool.")
        if not tool.operation.safe:
            raise NotReady("The canary call is not made: its tool may change something.")
        context = CallContext(user.id, asked_by=ASKED_BY)
        call = ToolCall(context, tool.name, "{}", tool.server_id, CallOptions(deadline_s=CANARY_S))
        try:
            outcome = await engine.call_tool(call)
        except BridgeError as error:
            raise NotReady(f"The canary call was refused: {error.error.code}.") from None
        if outcome.error is not None:
            raise NotReady(f"The canary call failed: {outcome.error.code}.")
        return "The canary call was answered."

    return call_canary
