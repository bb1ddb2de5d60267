"""Transcript of a run: turns the turn's events into messages to store and news for listeners.

    loop -> Transcript.read_event -> messages that are final, and news for listeners

A round becomes one message once it is settled, before its calls run; each output becomes one when all of the
round have ended. Knows no store and no socket.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bridge.models.agent.items import Item, ModelCall, answered_call_id, model_call
from bridge.models.agent.loop.rounds import ModelCallIds, RoundReader
from bridge.models.agent.memory.interrupted_calls import open_calls
from bridge.models.agent.turn import (
    CallEnded,
    CallStarted,
    ModelOutput,
    Notice,
    Settled,
    TurnEvent,
    TurnRequest,
    TurnResult,
)
from bridge.models.conversations.conversation import Message, Role, new_message_id
from bridge.models.conversations.message_schema import output_text, text_of
from bridge.models.stored_items.items import NOTICE_TYPE
from toolserver.json_types import JsonObject, text_at

_TEXT = ("response.output_text.delta", "response.refusal.delta")
_REASONING = ("response.reasoning_summary_text.delta", "response.reasoning_text.delta")


@dataclass(frozen=True, slots=True)
class ConversationNews:
    """An event for the listeners of the conversation."""

    type: str
    data: JsonObject


@dataclass(frozen=True, slots=True)
class TranscriptChange:
    """The result of one event."""

    messages: tuple[Message, ...] = ()
    """New messages, and known ones that grew; to be stored before the news is sent."""
    news: tuple[ConversationNews, ...] = ()
    """News for listeners, apart from the messages themselves."""


@dataclass(frozen=True, slots=True)
class _Ended:
    has_failed: bool = False
    duration_ms: float | None = None
    call_id: str | None = None
    call_state: str | None = None


@dataclass(frozen=True, slots=True)
class _Over:
    """The end of a call, as the engine reported it."""

    at: float
    call_id: str | None = None
    state: str | None = None


class Transcript:
    """Collects the messages of one run."""

    def __init__(
        self,
        head: Message,
        run: TurnRequest,
        next_seq: int,
        now: Callable[[], float],
        *,
        head_id: str | None = None,
    ) -> None:
        """`head`: the message that the turn continues; `now`: seconds since 1970.

        `head_id`: the last message of the conversation while the run has added none.
        """
        self._run_id = run.turn_id
        self._model = run.model
        self._conversation_id = head.conversation_id
        self._now = now
        self._parent_id = head.id
        self._head_id = head_id or head.id
        self._seq = next_seq
        self._settled: list[Item] = []
        self._messages: dict[str, Message] = {}
        self._reader: RoundReader | None = None
        self._round = -1
        self._names: dict[str, str] = {}
        self._started: dict[str, float] = {}
        self._running: set[str] = set()
        self._over: dict[str, _Over] = {}
        self._ended: dict[str, _Ended] = {}
        self._text_index: int | None = None

    @property
    def head_id(self) -> str:
        """Id of the last message so far."""
        return self._head_id

    @property
    def messages(self) -> Sequence[Message]:
        """All messages of the run so far."""
        return tuple(self._messages.values())

    @property
    def answer(self) -> Message | None:
        """The model's last message in the run; None while there is none."""
        said = [message for message in self.messages if message.role == "assistant"]
        return said[-1] if said else None

    @property
    def is_between_rounds(self) -> bool:
        """Whether all calls of the last round have been answered, and the model has said nothing since."""
        last = self._settled[-1] if self._settled else {}
        return self._reader is None and answered_call_id(last) != "" and not self.open_calls()

    def read_event(self, event: TurnEvent) -> TranscriptChange:
        """Process an event of the turn."""
        match event:
            case ModelOutput():
                return TranscriptChange(news=tuple(self._said(event)))
            case Settled():
                return self._settle(event.items)
            case CallStarted():
                return TranscriptChange(news=(self._call_started(event),))
            case CallEnded():
                return TranscriptChange(news=(self._call_ended(event),))
            case Notice():
                return self._noticed(event)
            case _:
                return TranscriptChange()

    def finish_turn(self, result: TurnResult) -> TranscriptChange:
        """Settle the rest of a turn that has come to its end."""
        return self._settle(result.output[len(self._settled) :])

    def break_off(self) -> TranscriptChange:
        """Settle what came of an unfinished round: complete items, and texts as far as they went."""
        if self._reader is None:
            return TranscriptChange()
        items = list(self._reader.finish_round().items)
        self._reader = None
        while items and items[-1].get("type") == "reasoning":  # nobody accepts reasoning that led to nothing
            items.pop()
        return self._settle(items)

    def answer_again(self, outputs: Sequence[Message], ended: CallEnded) -> TranscriptChange:
        """Repeat the outputs of a round in a branch of their own: one is new, the others are copies."""
        news = self._call_ended(ended)
        call_id = ended.call.call_id
        again = self._ended[call_id]
        messages: list[Message] = []
        for old in outputs:
            message = self._add("tool", old.items)
            is_new = any(answered_call_id(item) == call_id for item in old.items)
            changed = replace(old, id=message.id, parent_id=message.parent_id, seq=message.seq)
            if is_new:
                changed = replace(
                    changed,
                    items=(ended.output,),
                    created_at=message.created_at,
                    run_id=self._run_id,
                    has_failed=again.has_failed,
                    duration_ms=again.duration_ms,
                    call_id=again.call_id,
                    call_state=again.call_state,
                )
            messages.append(self._keep(changed))
        return TranscriptChange(tuple(messages), (news,))

    def note_wait(self, tool_call_id: str) -> None:
        """Record that a call waits for its user: that time is not the call's, and it may come again."""
        self._started.pop(tool_call_id, None)
        self._running.discard(tool_call_id)

    def note_start(self, tool_call_id: str) -> None:
        """Record that a call's request begins, once it has its slot and its user's word."""
        if tool_call_id not in self._running:
            self._running.add(tool_call_id)
            self._started[tool_call_id] = self._now()

    def note_end(self, tool_call_id: str, call_id: str, state: str) -> None:
        """Record that a call has just ended, before the others of its round."""
        self._over[tool_call_id] = _Over(self._now(), call_id, state)

    def open_calls(self) -> list[ModelCall]:
        """Return the calls of the run without an output."""
        return open_calls(self._settled)

    def close_calls(self, ended: Sequence[CallEnded]) -> TranscriptChange:
        """Settle outputs for calls that had none when the turn broke off."""
        news = [self._call_ended(each) for each in ended]
        taken = self._settle([each.output for each in ended])
        return replace(taken, news=(*news, *taken.news))

    def _said(self, said: ModelOutput) -> list[ConversationNews]:
        if self._reader is None or said.round != self._round:
            self._round = said.round
            self._text_index = None
            self._reader = RoundReader(said.round, lambda _: False, ModelCallIds(()))
        event = said.event
        self._reader.read_event(event)
        delta = text_at(event.body, "delta")
        if not delta:
            return []
        if event.type in _REASONING:
            return [self._news("reasoning_delta", {"delta": delta})]
        if event.type not in _TEXT:
            return []
        return [self._news("text_delta", {"delta": self._joint(event.body) + delta})]

    def _joint(self, body: JsonObject) -> str:
        """Return the separator between two texts of one round, as in the message that they become."""
        index = body.get("output_index")
        before, self._text_index = self._text_index, index if isinstance(index, int) else 0
        return "\n\n" if before is not None and before != self._text_index else ""

    def _settle(self, items: Sequence[Item]) -> TranscriptChange:
        said = [item for item in items if not answered_call_id(item)]
        outputs = [item for item in items if answered_call_id(item)]
        self._settled += items
        self._reader = None
        messages: list[Message] = []
        if said:
            self._names |= {call.call_id: call.name for item in said if (call := model_call(item))}
            messages.append(self._add("assistant", said))
        for output in outputs:
            ended = self._ended.get(answered_call_id(output), _Ended())
            message = self._add("tool", [output])
            messages.append(
                self._keep(
                    replace(
                        message,
                        tool_name=self._names.get(answered_call_id(output)),
                        has_failed=ended.has_failed,
                        duration_ms=ended.duration_ms,
                        call_id=ended.call_id,
                        call_state=ended.call_state,
                    )
                )
            )
        return TranscriptChange(tuple(messages))

    def _add(self, role: Role, items: Sequence[Item]) -> Message:
        message = Message(
            id=new_message_id(),
            conversation_id=self._conversation_id,
            parent_id=self._parent_id,
            seq=self._seq,
            role=role,
            created_at=self._now(),
            items=tuple(items),
            run_id=self._run_id,
            model=self._model,
        )
        self._seq += 1
        self._parent_id = self._head_id = message.id
        return self._keep(message)

    def _keep(self, message: Message) -> Message:
        self._messages[message.id] = message
        return message

    def _call_started(self, event: CallStarted) -> ConversationNews:
        call = event.call
        self._started[call.call_id] = self._now()
        answer = self.answer
        data: JsonObject = {
            "tool_call_id": call.call_id,
            "tool_name": call.name,
            "title": event.tool_title,
            "arguments": call.arguments_text or "{}",
            "assistant_content": text_of(answer.items) if answer else "",
        }
        return self._news("tool_call", data)

    def _call_ended(self, event: CallEnded) -> ConversationNews:
        call_id, has_failed = event.call.call_id, not event.has_succeeded
        started = self._started.get(call_id)
        over = self._over.get(call_id, _Over(self._now()))
        duration_ms = None if started is None else round((over.at - started) * 1000, 1)
        self._ended[call_id] = _Ended(has_failed, duration_ms, over.call_id, over.state)
        result = output_text(event.output, has_failed=has_failed)
        data: JsonObject = {
            "tool_call_id": call_id,
            "tool_name": event.call.name,
            "result": result,
            "duration_ms": duration_ms,
        }
        if has_failed:
            return self._news("tool_error", {**data, "error": result})
        files: JsonObject = {"files": [file.link() for file in event.files]} if event.files else {}
        return self._news("tool_response", {**data, **files})

    def _noticed(self, event: Notice) -> TranscriptChange:
        news = self._news("notice", {"level": event.level, "text": event.text})
        answer = self.answer
        if not event.in_answer or answer is None:
            return TranscriptChange(news=(news,))
        notice: Item = {"type": NOTICE_TYPE, "text": event.text}
        return TranscriptChange((self._keep(replace(answer, items=(*answer.items, notice))),), (news,))

    def _news(self, kind: str, data: JsonObject) -> ConversationNews:
        return ConversationNews(kind, {"run_id": self._run_id, **data})
