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
    """The calls of one turn whose page shows an approval card, sub-queries' included."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._waiting: dict[str, str] = {}
        """Names of the tools, by call id."""
        self._changed = asyncio.Event()

    def note_call(self, call: OpenCall) -> None:
        """Take note of a call that has changed."""
        if call.phase is CallPhase.AWAITING_APPROVAL:
            self._waiting[call.call_id] = call.request.tool_name
        elif self._waiting.pop(call.call_id, None) is None:
            return
        self._changed.set()

    async def report_changes(self) -> None:
        """Emit `ApprovalAwaited` at each change, until cancelled."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            await self._emit(ApprovalAwaited(tuple(map(format_title, self._waiting.values()))))


@asynccontextmanager
async def report_approval_waits(watch: CallWatch, turn_id: str, emit: Emit) -> AsyncGenerator[None]:
    """Emit `ApprovalAwaited` whenever other calls of a turn wait for approval, while this is entered.

    `emit` is called beside the turn's own events. If it raises, the turn ends with that exception.
    """
    waits = ApprovalWaits(emit)
    try:
        with watch.watch_calls(turn_id, waits.note_call):
            async with asyncio.TaskGroup() as group:
                reporting = group.create_task(waits.report_changes(), name="report approval waits")
                yield
                reporting.cancel()
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
