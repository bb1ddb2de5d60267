"""A chat as its client has it: role and content of each message, and nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bridge.models.agent.chat_completions.request_parser import parse_chat_request
from bridge.models.agent.chat_completions.writer import ChatShell, ChatWriter
from bridge.models.agent.items import Item
from bridge.models.agent.turn import TurnEvent, TurnResult
from bridge.settings.answer_format import CallDisplay, MarkerForm
from tests.support.models.memory_harness import MemoryHarness
from tests.support.models.turn_harness import Step
from toolserver.json_types import JsonObject, dump_json, object_at, text_at


@dataclass
class ChatClient:
    """A chat with a bridge that remembers."""

    bridge: MemoryHarness
    markers: MarkerForm = "link"
    display: CallDisplay = "hidden"
    messages: list[JsonObject] = field(default_factory=list[JsonObject])
    sent: list[bytes] = field(default_factory=list[bytes])
    """Each turn: what the model had been given when it began its last round, and what it said in it."""
    answers: int = 0

    async def say(self, words: str, *rounds: Sequence[Step], **request: Any) -> TurnResult:
        """The user says something, and the model answers in these rounds."""
        self.messages.append({"role": "user", "content": words})
        return await self.answer(*rounds, **request)

    async def answer(self, *rounds: Sequence[Step], **request: Any) -> TurnResult:
        """The model answers what the chat has."""
        self.answers += 1
        turn_id = f"turn {self.answers}"
        writer = ChatWriter(ChatShell(turn_id, 0, "gpt", self.display, markers=self.markers))

        async def take(event: TurnEvent) -> None:
            writer.write_event(event)

        parsed = parse_chat_request({"model": "gpt", "messages": [*self.messages]})
        try:
            result = await self.bridge.run(*rounds, input=parsed.input, emit=take, turn_id=turn_id, **request)
            writer.write_end(result)
        finally:  # a user who presses Stop keeps what has come
            message = object_at(_first_choice(writer.completion), "message")
            self.messages.append({"role": "assistant", "content": text_at(message, "content")})
        self.sent.append(self.seen)
        return result

    @property
    def given(self) -> bytes:
        """What the model was given in the first round of the last answer."""
        return input_bytes(self.bridge.model.requests[0].input)

    @property
    def seen(self) -> bytes:
        """What it was given in the last round."""
        return input_bytes(self.bridge.model.requests[-1].input)

    @property
    def last(self) -> str:
        """The last message."""
        return text_at(self.messages[-1], "content")


def input_bytes(items: Sequence[Item]) -> bytes:
    """Items as bytes, without the bracket that ends them: what begins with them begins with these."""
    return dump_json([*items])[:-1]


def _first_choice(completion: JsonObject) -> JsonObject:
    choices = completion["choices"]
    assert isinstance(choices, list)
    assert isinstance(choices[0], dict)
    return choices[0]
