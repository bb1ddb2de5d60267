"""The canary of `/readyz`: an ordinary call, made in the page of a user whom the operator names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bridge.app.part import Part
from bridge.calls.request import CallContext, CallOptions, ToolCall
from bridge.errors import BridgeError
from bridge.readiness.readiness import Check, NotReady
from bridge.settings.canary import CanarySettings

if TYPE_CHECKING:
    from bridge.app.composition import Components  # which makes this part

CANARY_S = 5.0
"""Deadline of the call, and how long `/readyz` waits for it, in seconds."""

CANARY_FRESH_S = 10.0
"""Seconds for which its result is used again: a call leaves a row in the history."""

ASKED_BY = "canary"
"""Who asks for the call, as the history shows it."""


class CanaryPart(Part):
    """Makes the call, in the page of the user whom the settings name; without one, none.

    Of several replicas only the user's home makes it, so that a page that fails takes one of them out.
    What it says names neither user nor tool, because anybody may ask.
    """

    def __init__(self, made: Components) -> None:
        self._made = made
        self._settings = made.ground.settings.find_section(CanarySettings)

    def list_checks(self) -> Sequence[Check]:
        """Return the canary, where its user is named."""
        if not self._settings.canary_user:
            return []
        tasks = self._made.ground.tasks
        return [Check("canary", self._call_canary, tasks, check_s=CANARY_S, fresh_s=CANARY_FRESH_S)]

    async def _call_canary(self) -> str:
        user = await self._made.users.ensure_user(self._settings.canary_user)
        try:
            if await self._made.gateway.route_to(user.id) is not None:
                return "The canary's user is at home in another replica, which makes the call."
        except BridgeError as error:
            return (
                f"No canary call was made: nobody can say now where its user is at home ({error.error.code})."
            )
        tool = (await self._made.registry.view_of_user(user.id)).catalog.by_name(self._settings.canary_tool)
        if tool is None:
            raise NotReady("The canary call failed: its user has no such tool.")
        if not tool.operation.safe:
            raise NotReady("The canary call is not made: its tool may change something.")
        context = CallContext(user.id, asked_by=ASKED_BY)
        call = ToolCall(context, tool.name, "{}", tool.server_id, CallOptions(deadline_s=CANARY_S))
        try:
            outcome = await self._made.engine.call_tool(call)
        except BridgeError as error:
            raise NotReady(f"The canary call was refused: {error.error.code}.") from None
        if outcome.error is not None:
            raise NotReady(f"The canary call failed: {outcome.error.code}.")
        return "The canary call was answered."
