"""Recorder of a running turn: final messages are stored and then sent, everything else is only sent."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import replace

from bridge.agent.turn import TurnEvent
from bridge.calls.open_call import OpenCall
from bridge.calls.state_machine import TERMINAL
from bridge.conversation_runs.event_feed import EventFeed
from bridge.conversations.branches import Branches
from bridge.conversations.conversation import Conversation, Message, Run, RunState
from bridge.conversations.message_schema import message_json
from bridge.conversations.transcript import ConversationNews, Transcript, TranscriptChange
from bridge.errors import BridgeError
from bridge.storage.conversations import ConversationTables
from bridge.tasks import BREATH_S, run_within, sleep_safely, yield_to_loop
from toolserver.json_types import JsonObject

PATIENCE_S = 5.0
"""How long the store may take to accept a round, in seconds; the answer continues without."""

END_TRIES = 3
"""Maximum number of attempts to store the end of a run."""

_UNKEPT = (
    "⚠️ The bridge cannot write to its database: this answer goes on, and what came of it is kept later, or "
    "lost if the database stays away."
)

_log = logging.getLogger(__name__)


class RunRecorder:
    """Stores and sends what comes of one run."""

    def __init__(
        self,
        tables: ConversationTables,
        feed: EventFeed,
        transcript: Transcript,
        conversation: Conversation,
        known: Sequence[Message],
    ) -> None:
        """`known`: all messages of the conversation before the run."""
        self._tables = tables
        self._feed = feed
        self._transcript = transcript
        self._conversation = conversation
        self._known = known
        self._unkept: dict[str, Message] = {}
        self._untold: dict[str, Message] = {}
        """Messages to send; kept apart because a stop can come while they are being stored."""
        self._has_warned = False
        self._breathed_at = 0.0

    async def record_event(self, event: TurnEvent) -> None:
        """Record an event, as `Emit`; a store that fails does not end the answer."""
        await self.add_messages(self._transcript.read_event(event))
        if time.monotonic() - self._breathed_at > BREATH_S:
            await yield_to_loop()
            self._breathed_at = time.monotonic()

    async def add_messages(self, taken: TranscriptChange) -> None:
        """Store messages, then send them and the news."""
        if taken.messages:
            fresh = {message.id: message for message in taken.messages}
            self._unkept |= fresh
            self._untold |= fresh
            if not await self._save("running") and not self._has_warned:
                self._has_warned = True
                self._tell(ConversationNews("notice", {"level": "warning", "text": _UNKEPT}))
            self._tell_messages()
        for news in taken.news:
            self._tell(news)

    def call_moved(self, call: OpenCall) -> None:
        """Send the new state of a call of the run."""
        tool_call_id = call.request.context.turn_call_id
        if tool_call_id is None:  # made by another call of the run
            return
        if call.phase in TERMINAL:
            self._transcript.note_end(tool_call_id, call.call_id, call.state.value)
        moved: JsonObject = {
            "run_id": self._run_id,
            "tool_call_id": tool_call_id,
            "call_id": call.call_id,
            "state": call.state.value,
        }
        self._tell(ConversationNews("tool_state", moved))

    async def record_end(self, state: RunState) -> bool:
        """Store the end of the run; returns whether all of the run is stored now."""
        for attempt in range(END_TRIES):
            if attempt:
                await sleep_safely(1.0)
            if await self._save(state):
                self._tell_messages()
                return True
        _log.error("What came of run %s is lost: the store did not take it.", self._run_id)
        return False

    @property
    def _run_id(self) -> str:
        return self._conversation.run.id if self._conversation.run else ""

    async def _save(self, state: RunState) -> bool:
        present = replace(
            self._conversation,
            head_id=self._transcript.head_id,
            updated_at=time.time(),
            run=Run(self._run_id, state),
        )
        try:
            await run_within(PATIENCE_S, self._tables.advance_run(present, list(self._unkept.values())))
        except (BridgeError, TimeoutError) as failure:
            _log.warning("Run %s cannot be kept now: %s", self._run_id, failure or "no answer")
            return False
        self._unkept.clear()
        return True

    def _tell_messages(self) -> None:
        branches = Branches([*self._known, *self._transcript.messages])
        for message in self._untold.values():
            self._tell(ConversationNews("message", {"message": message_json(message, branches)}))
        self._untold.clear()

    def _tell(self, news: ConversationNews) -> None:
        self._feed.emit_event(news.type, news.data)
