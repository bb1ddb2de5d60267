"""Tells a turn's caller while calls wait for their user, who may be looking at another tab."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from bridge.agent.tools.catalog_tools import format_title
from bridge.agent.turn import ApprovalAwaited, Emit
from bridge.calls.call_watch import CallWatch
from bridge.calls.open_call import OpenCall
from bridge.calls.state_machine import CallPhase


class ApprovalWaits:
    """The calls of one turn whose page shows an approval card, sub-queries' included.

    Most turns have none, and no task that waits for one.
    """

    def __init__(self, emit: Emit, group: asyncio.TaskGroup) -> None:
        """`group`: where changes are reported from."""
        self._emit = emit
        self._group = group
        self._waiting: dict[str, str] = {}
        """Names of the tools, by call id."""
        self._has_changed = False
        self._reporting: asyncio.Task[None] | None = None

    def note_call(self, call: OpenCall) -> None:
        """Take note of a call that has changed."""
        if call.phase is CallPhase.AWAITING_APPROVAL:
            self._waiting[call.call_id] = call.request.tool_name
        elif self._waiting.pop(call.call_id, None) is None:
            return
        self._has_changed = True
        if self._reporting is None:
            self._reporting = self._group.create_task(self._report_changes(), name="report approval waits")

    def stop_reports(self) -> None:
        """Leave what is not reported yet: the turn has ended."""
        if self._reporting is not None:
            self._reporting.cancel()

    async def _report_changes(self) -> None:
        """Emit `ApprovalAwaited` for what has changed. If it fails, the turn does, and nothing follows."""
        while self._has_changed:
            self._has_changed = False
            await self._emit(ApprovalAwaited(tuple(map(format_title, self._waiting.values()))))
        self._reporting = None


@asynccontextmanager
async def report_approval_waits(watch: CallWatch, turn_id: str, emit: Emit) -> AsyncGenerator[None]:
    """Emit `ApprovalAwaited` whenever other calls of a turn wait for approval, while this is entered.

    `emit` is called beside the turn's own events. If it raises, the turn ends with that exception.
    """
    try:
        async with asyncio.TaskGroup() as group:
            waits = ApprovalWaits(emit, group)
            with watch.watch_calls(turn_id, waits.note_call):
                yield
            waits.stop_reports()
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
