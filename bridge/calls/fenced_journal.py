"""The journal of a replica: what it writes of unsafe calls counts only while their user is at home here.

An opening is committed under the user's claim before its call is sent, and an ending before anybody hears of
it. If the user has been claimed by another replica since, nothing is written, and the ending is the one that
the new home keeps. Safe calls go to the journal that every bridge has: performing them twice does no harm.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from bridge.browser_protocol import Result
from bridge.calls import endings
from bridge.calls.open_call import Confirmation, KeptEnding, OpenCall
from bridge.calls.outcome import CallOutcome, doubtful_error, read_report
from bridge.calls.ports import HomeLost, JournalUnavailable
from bridge.calls.state_machine import STATE_OF, CallPhase, CallState, next_phase
from bridge.errors import BridgeError
from bridge.homes import HomeOf
from bridge.tasks import Tasks, run_while_awake, run_within, sleep_safely

COMMIT_S = 3.0
"""Seconds that a caller waits for the commit of an ending while the database does not answer; then the ending
is told as in one process, and written as soon as it can be. A pause of this process does not count."""

COMMIT_TRIES = 12
"""Times that an ending is committed by a replica that slept, before it is told without."""

STOP_COMMIT_S = 5.0
"""Seconds for endings that are on their way to the database when their user is moved, or the bridge stops."""

KEPT_S = 12.0
"""Seconds for which the ending is awaited that a user's new home keeps: it waits for a page first."""

LOOK_S = 0.2
"""Seconds between two looks into the table of calls while something is awaited."""

GREETING_S = 1.5
"""Seconds for which the calls of a lost home wait for their user's page, which may know how they ended."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LeftCall:
    """An unsafe call that an older claim left open."""

    call_id: str
    may_begin: bool
    """Whether its page had been allowed to begin it."""


@dataclass(frozen=True, slots=True)
class KnownCall:
    """What the table of calls knows of a call."""

    call_id: str
    tool: str
    outcome: CallOutcome | None
    """How it ended, without the answer's body; None: not yet."""


class FencedRows(Protocol):
    """The table of calls, written under claims; each method is one statement that commits by itself.

    Raises, in every coroutine:
        BridgeError: `database_unavailable`.
    """

    async def write_call(self, call: OpenCall, epoch: int, *, may_begin: bool) -> bool:
        """Write a call as it is now; False, and nothing is written: it has ended, or `epoch` is over."""
        ...

    async def end_left(self, user_id: str, epoch: int, outcome: CallOutcome) -> bool:
        """End a call that a claim before `epoch` left open; returns whether it was, and `epoch` holds."""
        ...

    async def list_left(self, user_id: str, epoch: int) -> Sequence[LeftCall]:
        """Return the calls of a user that claims before `epoch` left open."""
        ...

    async def find_known(self, call_id: str) -> KnownCall | None:
        """Return what is known of a call."""
        ...


class PlainJournal(Protocol):
    """The journal that every bridge has, as far as replicas use it."""

    def record_ended(self, call: OpenCall, *, may_begin: bool, epoch: int | None = None) -> None:
        """Queue the end of a call, under a claim; never fails."""
        ...

    def record_late(self, user_id: str, result: Result) -> None:
        """Queue a page's report of a call that has ended already; never fails."""
        ...


class FencedJournal:
    """Implements `Journal`. All methods run on one event loop."""

    def __init__(self, rows: FencedRows, plain: PlainJournal, homes: HomeOf, tasks: Tasks) -> None:
        self._rows = rows
        self._plain = plain
        self._homes = homes
        self._tasks = tasks
        self._under_way: dict[str, int] = {}
        """Epochs under which calls are opened that have not ended, also while that is not committed yet."""
        self._committing: set[Confirmation] = set()

    async def record_opened(self, call: OpenCall, within_s: float, *, may_begin: bool) -> None:
        """Commit an unsafe call before it is sent.

        Raises:
            HomeLost: its user is not at home here, or not any more.
            JournalUnavailable: the database does not answer, or not within `within_s` seconds.
        """
        is_first = call.call_id not in self._under_way
        epoch = self._homes.epoch_of(call.user_id) if is_first else self._under_way[call.call_id]
        if epoch is None:
            raise HomeLost
        self._under_way[call.call_id] = epoch  # it may end, or be committed, while no answer comes
        try:
            is_written = await run_within(within_s, self._rows.write_call(call, epoch, may_begin=may_begin))
        except (BridgeError, TimeoutError):
            raise JournalUnavailable from None
        if not is_written:
            if is_first:
                self._under_way.pop(call.call_id, None)
            raise HomeLost

    def hold_opening(self, call: OpenCall) -> bool:
        """Return False: each call is committed by itself, under the claim of its user."""
        return False

    def acts_for(self, user_id: str) -> bool:
        """Return whether a user is at home here, as far as can be known without a question."""
        return self._homes.epoch_of(user_id) is not None

    def record_ended(self, call: OpenCall, *, may_begin: bool) -> Confirmation | None:
        """Commit the ending of a call that was opened here; it counts once the confirmation is there."""
        epoch = self._under_way.pop(call.call_id, None)
        if epoch is None:
            if (held := self._homes.held_epoch(call.user_id)) is not None:
                self._plain.record_ended(call, may_begin=may_begin, epoch=held)
            return None
        committing = self._commit_ending(call, epoch, may_begin=may_begin)
        return self._start(committing, f"ending of {call.call_id}")

    def record_late(self, user_id: str, result: Result) -> Confirmation | None:
        """Take a report as the ending of a call that a lost home left open; else note it."""
        epoch = self._homes.held_epoch(user_id)
        if epoch is None:
            return None
        return self._start(self._take_late(user_id, epoch, result), f"report of {result.call_id}")

    async def wait_until_committed(self, within_s: float) -> None:
        """Wait for the endings on their way to the database, at most `within_s` seconds."""
        if self._committing:
            await asyncio.wait(self._committing, timeout=within_s)

    def _start(self, committing: Coroutine[Any, Any, KeptEnding], name: str) -> Confirmation:
        task = self._tasks.start_task(committing, name)
        self._committing.add(task)
        task.add_done_callback(self._committing.discard)
        return task

    async def settle_user(self, user_id: str, epoch: int) -> int:
        """End what older claims of a user left open; returns how many were in doubt.

        A page that comes within `GREETING_S` may still report how they ended.

        Raises:
            BridgeError: `database_unavailable`.
        """
        left = await self._rows.list_left(user_id, epoch)
        until = asyncio.get_running_loop().time() + GREETING_S
        while any(call.may_begin for call in left) and asyncio.get_running_loop().time() < until:
            await sleep_safely(LOOK_S)
            left = await self._rows.list_left(user_id, epoch)
        for call in left:
            await self._rows.end_left(user_id, epoch, _doubt(call))
        return sum(call.may_begin for call in left)

    async def _commit_ending(self, call: OpenCall, epoch: int, *, may_begin: bool) -> KeptEnding:
        outcome = call.outcome
        if outcome is None:
            raise ValueError("Only the ending of a call that has ended is recorded.")
        for _ in range(COMMIT_TRIES):
            writing = self._rows.write_call(call, epoch, may_begin=may_begin)
            try:
                is_written = await run_while_awake(COMMIT_S, writing)
            except (BridgeError, TimeoutError):
                if self._homes.epoch_of(call.user_id) == epoch:
                    break
                await sleep_safely(LOOK_S)  # it slept, so another replica may have ended the call
                continue
            kept = outcome if is_written else await self._find_kept(outcome)
            return KeptEnding(kept, is_stored=is_written)
        self._plain.record_ended(call, may_begin=may_begin, epoch=epoch)
        return KeptEnding(outcome, is_stored=False)

    async def _find_kept(self, own: CallOutcome) -> CallOutcome:
        """Return the ending that the new home keeps; with the answer, if it is the one that came here.

        A call of which nothing is kept was never opened, and was not sent.
        """
        _log.warning("Call %s ended here after its user was at home elsewhere.", own.call_id)
        for _ in range(int(KEPT_S / LOOK_S)):
            with suppress(BridgeError):
                known = await self._rows.find_known(own.call_id)
                if known is None:
                    return own
                if known.outcome is not None:
                    return own if known.outcome.state is own.state else told_outcome(known.outcome)
            await sleep_safely(LOOK_S)
        error = doubtful_error(endings.replica_lost(is_unsent=False))
        return CallOutcome(own.call_id, CallState.OUTCOME_UNKNOWN, None, error, own.server_id)

    async def _take_late(self, user_id: str, epoch: int, result: Result) -> KeptEnding:
        outcome = ending_of_report(result)
        try:
            was_open = await run_while_awake(COMMIT_S, self._rows.end_left(user_id, epoch, outcome))
        except (BridgeError, TimeoutError):
            return KeptEnding(outcome, is_stored=False)
        if not was_open:
            self._plain.record_late(user_id, result)
        return KeptEnding(outcome, is_stored=True)


def ending_of_report(result: Result) -> CallOutcome:
    """Return how an unsafe call ends that a lost home left open, by what its page reports."""
    reading = read_report(result.outcome, None, safe=False)
    phase = next_phase(CallPhase.RUNNING, reading.event, safe=False)
    error = reading.error
    if error is not None and phase is CallPhase.OUTCOME_UNKNOWN:
        error = doubtful_error(error)
    return CallOutcome(result.call_id, STATE_OF[phase], reading.answered, error)


def told_outcome(kept: CallOutcome) -> CallOutcome:
    """Return an ending that is known without its answer, as its caller is told."""
    if kept.state is not CallState.SUCCEEDED:
        return kept
    return CallOutcome(kept.call_id, kept.state, None, endings.answer_lost(), kept.server_id)


def _doubt(left: LeftCall) -> CallOutcome:
    error = endings.replica_lost(is_unsent=not left.may_begin)
    if not left.may_begin:
        return CallOutcome(left.call_id, CallState.FAILED, None, error)
    return CallOutcome(left.call_id, CallState.OUTCOME_UNKNOWN, None, doubtful_error(error))
