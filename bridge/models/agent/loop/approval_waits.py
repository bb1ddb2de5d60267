"""Tells a turn's caller while calls wait for their user, who may be looking at another tab."""

from __future__ import annotations

from types import TracebackType

from bridge.calls.call_watch import CallWatch
from bridge.calls.open_call import OpenCall
from bridge.calls.state_machine import CallPhase
from bridge.models.agent.tools.catalog_tools import format_title
from bridge.models.agent.turn import ApprovalAwaited, Emit
from bridge.tasks import SideTask


class ApprovalWaits:
    """The calls of one turn whose page shows an approval card, sub-queries' included.

    While the context is open, `ApprovalAwaited` is emitted whenever other calls wait. `emit` is called beside
    the turn's own events; if it raises, the turn ends with that exception. Most turns have no such call, and
    no task that tells of one.
    """

    __slots__ = ("_emit", "_has_changed", "_reporting", "_waiting", "_watched")

    def __init__(self, watch: CallWatch, turn_id: str, emit: Emit) -> None:
        self._watched = watch.watch_calls(turn_id, self._note_call)
        self._emit = emit
        self._waiting: dict[str, str] = {}
        """Names of the tools, by call id."""
        self._has_changed = False
        self._reporting = SideTask()

    async def __aenter__(self) -> None:
        """Begin to watch the calls."""
        await self._reporting.__aenter__()
        self._watched.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave what is not reported yet: the turn has ended.

        Raises:
            Exception: what `emit` raised.
        """
        self._watched.__exit__()
        self._reporting.cancel()
        await self._reporting.__aexit__(kind, error, trace)

    def _note_call(self, call: OpenCall) -> None:
        """Take note of a call that has changed."""
        if call.phase is CallPhase.AWAITING_APPROVAL:
            self._waiting[call.call_id] = call.request.tool_name
        elif self._waiting.pop(call.call_id, None) is None:
            return
        self._has_changed = True
        if not self._reporting.is_running:
            self._reporting.start(self._report_changes())

    async def _report_changes(self) -> None:
        """Emit `ApprovalAwaited` for what has changed. If it fails, the turn does, and nothing follows."""
        while self._has_changed:
            self._has_changed = False
            await self._emit(ApprovalAwaited(tuple(map(format_title, self._waiting.values()))))
