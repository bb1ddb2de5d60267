"""Recorder of a running turn: final messages are stored and then sent, everything else is only sent."""

from __future__ import annotations

import logging
import time
from dataclasses import replace

from bridge.calls.open_call import OpenCall
from bridge.calls.state_machine import TERMINAL, CallState
from bridge.errors import BridgeError, ErrorCode
from bridge.models.agent.turn import TurnEvent
from bridge.models.conversation_runs.context import RunContext
from bridge.models.conversation_runs.event_feed import EventFeed
from bridge.models.conversations.branches import Branches
from bridge.models.conversations.conversation import Message, Run, RunState
from bridge.models.conversations.message_schema import message_json
from bridge.models.conversations.ports import ConversationStore
from bridge.models.conversations.transcript import ConversationNews, Transcript, TranscriptChange
from bridge.tasks import YIELD_EVERY_S, run_within, sleep_safely, yield_to_loop
from toolserver.json_types import JsonObject

PATIENCE_S = 5.0
"""How long the store may take to accept a round, in seconds; the answer continues without."""

END_TRIES = 3
"""Maximum number of attempts to store the end of a run."""

_UNSTORED = (
    "⚠️ The bridge cannot write to its database. This answer continues and is stored later; it is lost "
    "if the database stays unavailable."
)

_log = logging.getLogger(__name__)


class RunRecorder:
    """Stores and sends what comes of one run."""

    def __init__(
        self,
        context: RunContext,
        transcript: Transcript,
        store: ConversationStore,
        feed: EventFeed,
    ) -> None:
        self._context = context
        self._transcript = transcript
        self._store = store
        self._feed = feed
        self._unstored: dict[str, Message] = {}
        self._unsent: dict[str, Message] = {}
        """Messages to send; kept apart because a stop can come while they are being stored."""
        self._has_warned = False
        self._yielded_at = 0.0
        self.is_elsewhere = False
        """Whether another replica has the user, and ends the run."""

    async def record_event(self, event: TurnEvent) -> None:
        """Record an event, as `Emit`; a store that fails does not end the answer."""
        await self.add_messages(self._transcript.read_event(event))
        if time.monotonic() - self._yielded_at > YIELD_EVERY_S:
            await yield_to_loop()
            self._yielded_at = time.monotonic()

    async def add_messages(self, change: TranscriptChange) -> None:
        """Store messages, then send them and the news."""
        if change.messages:
            fresh = {message.id: message for message in change.messages}
            self._unstored |= fresh
            self._unsent |= fresh
            if not await self._save("running") and not self._has_warned:
                self._has_warned = True
                self._send(ConversationNews("notice", {"level": "warning", "text": _UNSTORED}))
            self._send_messages()
        for news in change.news:
            self._send(news)

    def send_call_state(self, call: OpenCall) -> None:
        """Send the new state of a call of the run."""
        tool_call_id = call.request.context.turn_call_id
        if tool_call_id is None:  # made by another call of the run
            return
        if call.phase in TERMINAL:
            self._transcript.note_end(tool_call_id, call.call_id, call.state.value)
        elif call.state is CallState.AWAITING_APPROVAL:
            self._transcript.note_wait(tool_call_id)
        elif call.state is CallState.RUNNING:
            self._transcript.note_start(tool_call_id)
        moved: JsonObject = {
            "run_id": self._context.run_id,
            "tool_call_id": tool_call_id,
            "call_id": call.call_id,
            "state": call.state.value,
        }
        self._send(ConversationNews("tool_state", moved))

    async def record_end(self, state: RunState) -> bool:
        """Store the end of the run; returns whether all of the run is stored now.

        Elsewhere it is stored by the replica that has the user, and not tried again here.
        """
        for attempt in range(END_TRIES):
            if attempt:
                await sleep_safely(1.0)
            if await self._save(state):
                self._send_messages()
                return True
            if self.is_elsewhere:
                return False
        _log.error("The result of run %s is lost: the store did not accept it.", self._context.run_id)
        return False

    async def record_move(self) -> bool:
        """Store that the next home of the user is to go on with the run; returns whether it is stored."""
        return await self._save("running", is_moving=True)

    async def _save(self, state: RunState, *, is_moving: bool = False) -> bool:
        present = replace(
            self._context.conversation,
            head_id=self._transcript.head_id,
            updated_at=time.time(),
            run=Run(self._context.run_id, state, is_moving),
        )
        try:
            await run_within(PATIENCE_S, self._store.advance_run(present, list(self._unstored.values())))
        except (BridgeError, TimeoutError) as failure:
            lost = isinstance(failure, BridgeError) and failure.error.code is ErrorCode.REPLICA_LOST
            self.is_elsewhere = self.is_elsewhere or lost
            _log.warning("Run %s cannot be stored now: %s", self._context.run_id, failure or "no answer")
            return False
        self._unstored.clear()
        return True

    def _send_messages(self) -> None:
        branches = Branches([*self._context.known, *self._transcript.messages])
        for message in self._unsent.values():
            self._send(ConversationNews("message", {"message": message_json(message, branches)}))
        self._unsent.clear()

    def _send(self, news: ConversationNews) -> None:
        self._feed.emit_event(news.type, news.data)
