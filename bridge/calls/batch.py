"""Batches: the calls of one request run together; each has exactly one output, in the order of the calls.

Takes calls, gives outputs; nothing that happens to one call affects another, unless that depends on it. Knows
the engine only as a port, so that a model's round and a caller's batch work the same way.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from bridge.browser_protocol import ARGUMENT_BYTES
from bridge.calls.admission import batch_is_over
from bridge.calls.batch_order import (
    ORDERING,
    CallOrder,
    Prerequisites,
    read_wish,
    resolve_waits,
    without_members,
)
from bridge.calls.outcome import CallOutcome
from bridge.calls.request import ToolCall, unquote_call
from bridge.calls.state_machine import CallState
from bridge.errors import BridgeError, ErrorCode, WireError
from bridge.settings.limits import Limits
from toolserver.arguments.arguments import parse_arguments
from toolserver.errors import ArgumentError

_log = logging.getLogger(__name__)

MAX_BATCH_CALLS = 200
"""Maximum number of calls in one batch. Chosen."""


@dataclass(frozen=True, slots=True)
class BatchCall:
    """One call of a batch. `call.options.group` and `latest_end` are those of the batch."""

    id: str
    """The caller's id for the call, unique in the batch."""
    call: ToolCall


@dataclass(frozen=True, slots=True)
class BatchOutput:
    """How one call of a batch ended. Exactly one of `outcome` and `refusal` is set."""

    id: str
    outcome: CallOutcome | None
    refusal: WireError | None
    """Why nothing was sent."""
    seconds: float
    """Time from the start of the batch to the end of the call."""

    @property
    def has_succeeded(self) -> bool:
        """Whether the call succeeded, so that calls that depend on it may run."""
        return self.outcome is not None and self.outcome.state is CallState.SUCCEEDED


class BatchEngine(Protocol):
    """The engine that runs the calls."""

    async def call_tool(self, call: ToolCall) -> CallOutcome:
        """Run one call to its end.

        Raises:
            BridgeError: it was refused; nothing was sent.
        """
        ...

    async def own_arguments(self, call: ToolCall, names: Collection[str]) -> Collection[str]:
        """Return which of `names` are arguments of the tool itself."""
        ...

    def note_refusal(self, call: ToolCall, error: WireError) -> None:
        """Note a call that was refused before it came to the engine."""
        ...


async def run_batch(engine: BatchEngine, calls: Sequence[BatchCall], limits: Limits) -> list[BatchOutput]:
    """Run calls in parallel, as far as limits and their own order allow; returns outputs in call order.

    Calls that have not ended after `tool_batch_timeout_seconds`, or the longest deadline of a call if that is
    more, end with `timeout`; the outputs of the others stay. Cancelling cancels every call that has not
    ended.

    Raises:
        BridgeError: `invalid_request`: no call, more than `MAX_BATCH_CALLS`, or a duplicate id.
    """
    check_batch(calls)
    read = [await _read(engine, each) for each in calls]
    wishes = [each.wish for each in read]
    batch = _Batch(engine, _latest_end(calls, limits))
    placed = resolve_waits([each.id for each in calls], wishes)
    async with asyncio.TaskGroup() as group:
        for number, (each, place) in enumerate(zip(read, placed, strict=True)):
            group.create_task(batch.run(number, each, place), name=f"batch: {each.batch_call.id}")
    return [batch.outputs[number] for number in range(len(calls))]


@dataclass(frozen=True, slots=True)
class _Read:
    """A call whose ordering arguments were read and removed."""

    batch_call: BatchCall
    wish: CallOrder
    problem: ArgumentError | None = None


class _Batch:
    """A batch that is running."""

    def __init__(self, engine: BatchEngine, latest_end: float) -> None:
        self._engine = engine
        self._latest_end = latest_end
        self._began = asyncio.get_running_loop().time()
        self._progress = asyncio.Condition()
        self.outputs: dict[int, BatchOutput] = {}

    async def run(self, number: int, read: _Read, place: Prerequisites) -> None:
        """Run one call once its prerequisites are met, and record its output."""
        outcome, refusal = None, None
        try:  # a task group of its own: an error of one call must not reach the others
            async with asyncio.TaskGroup() as alone:
                running = alone.create_task(self._outcome(read, place))
            outcome = running.result()
        except ExceptionGroup as failures:
            refusal = _refusal(failures.exceptions[0])
        seconds = asyncio.get_running_loop().time() - self._began
        async with self._progress:
            self.outputs[number] = BatchOutput(read.batch_call.id, outcome, refusal, seconds)
            self._progress.notify_all()

    async def _outcome(self, read: _Read, place: Prerequisites) -> CallOutcome:
        call = read.batch_call.call
        problem = read.problem.message if read.problem else place.problem
        if problem is not None:
            detail = {"argument": read.problem.argument if read.problem else "depends_on", "pointer": ""}
            raise self._refused(call, BridgeError(ErrorCode.INVALID_ARGUMENTS, problem, detail=detail))
        await self._wait_for(place.needs | place.after)
        failed = [
            self.outputs[other].id for other in sorted(place.needs) if not self.outputs[other].has_succeeded
        ]
        if failed:
            message = f"It depends on {', '.join(failed)}, which did not succeed. The call was not made."
            detail = {"depends_on": failed}
            raise self._refused(call, BridgeError(ErrorCode.DEPENDENCY_FAILED, message, detail=detail))
        return await self._engine.call_tool(
            replace(call, options=replace(call.options, latest_end=self._latest_end))
        )

    def _refused(self, call: ToolCall, refusal: BridgeError) -> BridgeError:
        self._engine.note_refusal(call, refusal.error)
        return refusal

    async def _wait_for(self, others: Collection[int]) -> None:
        if not others:
            return
        try:
            async with asyncio.timeout_at(self._latest_end), self._progress:
                await self._progress.wait_for(lambda: all(other in self.outputs for other in others))
        except TimeoutError:
            raise batch_is_over("What it waits for had not ended.") from None


def _refusal(error: Exception) -> WireError:
    if isinstance(error, BridgeError):
        return error.error
    _log.error("A call of a batch failed.", exc_info=error)
    message = "The bridge has a bug; see its log. It is not known whether the call was made."
    return WireError(code=ErrorCode.INTERNAL, message=message)


async def _read(engine: BatchEngine, each: BatchCall) -> _Read:
    """Remove the ordering arguments; unreadable arguments are left for the engine to refuse."""
    call = unquote_call(each.call)
    if not any(f'"{name}"' in call.arguments_text for name in ORDERING):
        return _Read(each, CallOrder())
    try:
        arguments = parse_arguments(call.arguments_text, max_bytes=ARGUMENT_BYTES)
    except ArgumentError:
        return _Read(each, CallOrder())
    named = [name for name in ORDERING if name in arguments]
    own = await engine.own_arguments(call, named) if named else ()
    try:
        wish = read_wish(arguments, own)
    except ArgumentError as error:
        return _Read(each, CallOrder(), error)
    taken_off = [name for name in named if name not in own]
    text = without_members(call.arguments_text, taken_off) if taken_off else call.arguments_text
    return _Read(replace(each, call=replace(call, arguments_text=text)), wish)


def check_batch(calls: Sequence[BatchCall]) -> None:
    """Check a batch as a whole.

    Raises:
        BridgeError: `invalid_request`: no call, more than `MAX_BATCH_CALLS`, or a duplicate id.
    """
    if not 1 <= len(calls) <= MAX_BATCH_CALLS:
        message = f"A batch has 1 to {MAX_BATCH_CALLS} calls, not {len(calls):,}."
        raise BridgeError(ErrorCode.INVALID_REQUEST, message, detail={"limit": MAX_BATCH_CALLS})
    seen: set[str] = set()
    for each in calls:
        if each.id in seen:
            raise BridgeError(
                ErrorCode.INVALID_REQUEST, f"Two calls of the batch have the id {each.id[:100]!r}."
            )
        seen.add(each.id)


def _latest_end(calls: Sequence[BatchCall], limits: Limits) -> float:
    deadlines = [each.call.options.deadline_s or 0.0 for each in calls]
    seconds = max(limits.tool_batch_timeout_seconds, limits.tool_timeout_seconds, *deadlines)
    return asyncio.get_running_loop().time() + seconds
