"""One response in the background: its turn, its events for listeners, and what is kept of it on the way."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from bridge.endpoints.openai.frames import encode_events
from bridge.endpoints.openai.responses_api.event_log import EventLog
from bridge.endpoints.openai.responses_api.running import Cancelled, RunningResponse, RunningResponses
from bridge.errors import BUG, BridgeError
from bridge.models.agent.errors import error_of_failure, of_failed
from bridge.models.agent.items import add_usage
from bridge.models.agent.memory.response_record import Progress, ResponseRecord, count_settled
from bridge.models.agent.model import ModelError
from bridge.models.agent.request_fields import InvalidRequest
from bridge.models.agent.responses.writer import ResponsesWriter
from bridge.models.agent.turn import Emit, Settled, TurnEvent, TurnResult
from bridge.openai_errors import ApiError, log_error, of_wire
from bridge.tasks import YIELD_EVERY_S, log_failures, sleep_safely, yield_to_loop
from toolserver.json_types import JsonObject

FLUSH_S = 2.0
"""Seconds for the store to take the events of a round."""

END_RETRY_S = 5.0
END_TRIES = 120
"""Maximum attempts to store the end of a response, which is read from memory until then."""

TurnOf = Callable[[Emit], Coroutine[Any, Any, TurnResult]]
TurnFailure = (ModelError, BridgeError, InvalidRequest)
"""What ends a turn that did nothing wrong itself."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ResponseInProgress:
    """A response on its way."""

    answer: ResponsesWriter
    record: ResponseRecord
    error_id: str
    log_end: Callable[[TurnResult], None]
    interrupted: Callable[[], Awaitable[None]]
    """Gives outputs to the calls that had none when the answer was cancelled."""

    def encode_failure(self, error: ModelError | BridgeError | InvalidRequest | None) -> bytes:
        """The last frames, and a line of the log. None: a bug."""
        failure = of_wire(BUG) if error is None else error_of_failure(error)
        return encode_events(self.answer.write_failure(self._logged(failure)))

    def encode_end(self, result: TurnResult) -> bytes:
        """The last frames, and a line or two of the log."""
        self.log_end(result)
        failure = of_failed(result)
        error = None if failure is None else self._logged(failure)
        return encode_events(self.answer.write_end(result, error))

    def _logged(self, error: ApiError) -> JsonObject:
        log_error(error, self.error_id)
        return error.build_body(self.error_id)


class BackgroundTurn:
    """Lives in a task of its own; see `run`."""

    def __init__(
        self,
        making: ResponseInProgress,
        log: EventLog,
        running: tuple[RunningResponses, RunningResponse],
        progress: Progress,
    ) -> None:
        """`progress`: of the processes before this one."""
        self._making = making
        self._log = log
        self._all, self._running = running
        self._before = self._progress = progress
        self._settled = progress.settled
        self._yielded_at = 0.0

    async def run_in_background(self, turn: TurnOf) -> None:
        """Do the turn to its end, and keep that. When the bridge stops before, it stays as it is."""
        try:
            async with asyncio.TaskGroup() as group:
                writing = group.create_task(self._write_events(), name="events")
                last = await self._answer(turn)
                self._log.end_events(last)
                if last:
                    await self._store_end()
                else:
                    await self._flush()
                    await self._making.record.save_progress(replace(self._progress, attempts=0))
                writing.cancel()
        finally:
            self._log.hide_end()

    async def _write_events(self) -> None:
        """Write the events beside the turn, which goes on without if they cannot be written at all."""
        await log_failures(self._log.write_frames(), f"Events of response {self._running.response_id}")
        self._log.give_up_writing()

    async def take_event(self, event: TurnEvent) -> None:
        """As `Emit`. At the end of a round, and of its calls, all that was told is kept."""
        self._log.add_frames(encode_events(self._making.answer.write_event(event)))
        if isinstance(event, Settled):
            usage = add_usage(self._before.usage, event.usage)
            answer = self._making.answer
            self._settled += count_settled(event.items)
            self._progress = replace(
                self._before,
                items=answer.next_index,
                left_out=answer.left_out,
                settled=self._settled,
                usage=usage,
            )
            await self._flush()
            await self._making.record.save_progress(self._progress)
        elif time.monotonic() - self._yielded_at > YIELD_EVERY_S:
            await yield_to_loop()
            self._yielded_at = time.monotonic()

    async def _answer(self, turn: TurnOf) -> bytes:
        """The turn, and its last frames; empty: it has not come to an end."""
        try:
            with self._all.run_cancellable(self._running):
                frames = await log_failures(self._frames(turn), "A response in the background")
        except Cancelled as cancelled:
            if not cancelled.frames:
                return b""
            frames = cancelled.frames
            await self._making.interrupted()
        return frames if frames is not None else self._making.encode_failure(None)

    async def _frames(self, turn: TurnOf) -> bytes:
        """The last frames of the answer."""
        try:
            result = await turn(self.take_event)
        except TurnFailure as error:
            return self._making.encode_failure(error)
        usage = add_usage(self._before.usage, result.usage)
        return self._making.encode_end(replace(result, usage=usage))

    async def _store_end(self) -> None:
        """Store the end, and then tell it.

        While the database is away it is told before, unless another replica might take the user meanwhile
        and end the response otherwise; one that has the user does.
        """
        record = self._making.record
        for _ in range(END_TRIES):
            await self._flush()
            is_stored = await log_failures(record.save_end(self._making.answer.response), self._name_of_end)
            if is_stored is None:
                await self._fail_end()
                return
            if record.is_elsewhere:
                self._log.hide_end()
                return
            if is_stored or not record.is_shared:
                self._log.tell_end()
            if is_stored:
                return
            await sleep_safely(END_RETRY_S)
        _log.error("The end of response %s is lost: the store did not accept it.", self._running.response_id)

    async def _fail_end(self) -> None:
        """By a bug the end cannot be stored: whoever listens hears no end, and whoever reads, a failure."""
        self._log.hide_end()
        self._making.encode_failure(None)
        record = self._making.record
        await log_failures(record.save_end(self._making.answer.response), self._name_of_end)

    @property
    def _name_of_end(self) -> str:
        return f"End of response {self._running.response_id}"

    async def _flush(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(FLUSH_S):
                await self._log.flush_frames()
