"""A turn with everything around it played: a model that says what a script has, tools, and a caller."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from bridge.models.agent.items import Item, ModelCall
from bridge.models.agent.loop.loop import run_rounds
from bridge.models.agent.loop.pending_turns import PendingRounds
from bridge.models.agent.model import ModelError, ModelEvent, ModelRequest
from bridge.models.agent.toolbox import BridgeTool, CallOutput, Toolbox
from bridge.models.agent.turn import (
    ModelOutput,
    Notice,
    Turn,
    TurnEvent,
    TurnRequest,
    TurnResult,
    TurnSettings,
)
from tests.support.models.history_check import refused_items
from toolserver.json_types import JsonObject, text_at

Step: TypeAlias = JsonObject | ModelError | Callable[[], Awaitable[None]]
"""An event of a round, a failure in its place, or something that happens before the next event."""

Kind = TypeVar("Kind")

SETTINGS = TurnSettings(model="some-model")


def text(words: str, *, item_id: str = "msg_1") -> Item:
    part: JsonObject = {"type": "output_text", "text": words, "annotations": []}
    return {"type": "message", "id": item_id, "role": "assistant", "status": "completed", "content": [part]}


def call(name: str | None, arguments: str | None = "{}", call_id: str | None = "c1") -> Item:
    written: dict[str, str | None] = {"name": name, "arguments": arguments, "call_id": call_id}
    item: Item = {"type": "function_call", "id": f"fc_{call_id}", "status": "completed"}
    return {**item, **{key: value for key, value in written.items() if value is not None}}


def function(name: str) -> JsonObject:
    return {"type": "function", "name": name, "parameters": {"type": "object", "properties": {}}}


def ending(*items: Item, status: str = "completed", **response: Any) -> JsonObject:
    told: JsonObject = {"id": "resp_1", "status": status, "output": [*items], **response}
    return {"type": f"response.{status}", "response": told}


def round_of(*items: Item, status: str = "completed", **response: Any) -> list[Step]:
    """A whole round as a provider streams it."""
    return [*(event for place, item in enumerate(items) for event in item_events(item, place)),
            ending(*items, status=status, **response)]  # fmt: skip


def item_events(item: Item, place: int) -> Iterable[JsonObject]:
    begun: Item = {**item, "status": "in_progress"}
    if item.get("type") == "message":
        begun["content"] = []
    yield {"type": "response.output_item.added", "output_index": place, "item": begun}
    for part in _parts(item):
        words = text_at(part, "text")
        yield {"type": "response.output_text.delta", "output_index": place, "delta": words}
    if item.get("type") == "function_call":
        delta = text_at(item, "arguments")
        yield {"type": "response.function_call_arguments.delta", "output_index": place, "delta": delta}
    yield {"type": "response.output_item.done", "output_index": place, "item": item}


def _parts(item: Item) -> list[JsonObject]:
    content = item.get("content")
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


@dataclass
class ScriptedModel:
    """Plays one script after another; refuses a history that OpenAI would refuse, as its models do."""

    rounds: Sequence[Sequence[Step]]
    requests: list[ModelRequest] = field(default_factory=list[ModelRequest])
    open: int = 0
    """Rounds that are heard right now."""

    async def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        self.requests.append(request)
        if (refusal := refused_items(request.input)) is not None:
            raise ModelError(refusal, code="invalid_request_error", status=400)
        self.open += 1
        try:
            for step in self.rounds[len(self.requests) - 1]:
                if isinstance(step, ModelError):
                    raise step
                if callable(step):
                    await step()
                else:
                    yield ModelEvent(step)
        finally:
            self.open -= 1


@dataclass
class FakeToolbox:
    """Tools of the bridge and of the caller, by name; each of the bridge's says its arguments."""

    own_names: Sequence[str] = ()
    callers: Sequence[str] = ()
    notices: tuple[Notice, ...] = ()
    during: Callable[[], Awaitable[None]] | None = None
    answers: dict[str, CallOutput] = field(default_factory=dict[str, CallOutput])
    runs: list[list[str]] = field(default_factory=list[list[str]])
    """Call ids, group by group."""

    @property
    def definitions(self) -> tuple[JsonObject, ...]:
        return tuple(function(name) for name in (*self.own_names, *self.callers))

    def find_own_tool(self, name: str) -> BridgeTool | None:
        if name not in self.own_names:
            return None
        return BridgeTool(name, name, f"Title of {name}", function(name), {"type": "object"})

    def find_tool_of(self, call: ModelCall) -> BridgeTool | None:
        return None if self.is_callers(call) else self.find_own_tool(call.name)

    def is_offered(self, name: str) -> bool:
        return name in self.callers or self.find_own_tool(name) is not None

    def is_callers(self, call: ModelCall) -> bool:
        return call.name in self.callers

    async def run_calls(self, calls: Sequence[ModelCall], input: Sequence[Item]) -> list[CallOutput]:
        self.runs.append([each.call_id for each in calls])
        if self.during is not None:
            await self.during()
        return [self.answers.get(each.name, CallOutput(each.arguments_text, True)) for each in calls]


@dataclass
class TurnHarness:
    """A turn that was run, and what its caller was told."""

    model: ScriptedModel
    toolbox: Toolbox = field(default_factory=FakeToolbox)
    settings: TurnSettings = SETTINGS
    pending: PendingRounds | None = None
    events: list[TurnEvent] = field(default_factory=list[TurnEvent])

    async def run(self, *input: Item, rounds_before: int = 0, **request: Any) -> TurnResult:
        items = input or (user("Hello"),)
        if self.pending is not None:
            items = self.pending.restore_input("ann", items)
        asked = TurnRequest("ann", "turn 1", "gpt", items, **request)
        turn = Turn(asked, self.model, self.settings, rounds_before=rounds_before)
        return await run_rounds(turn, self.toolbox, self._take, pending=self.pending)

    async def _take(self, event: TurnEvent) -> None:
        self.events.append(event)
        await asyncio.sleep(0)

    @property
    def tools(self) -> FakeToolbox:
        assert isinstance(self.toolbox, FakeToolbox)
        return self.toolbox

    def of_kind(self, kind: type[Kind]) -> list[Kind]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def words(self) -> str:
        return "".join(
            text_at(said.event.body, "delta") for said in self.of_kind(ModelOutput) if not said.is_own_call
        )

    @property
    def notes(self) -> list[str]:
        return [notice.text for notice in self.of_kind(Notice)]


def user(words: str) -> Item:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": words}]}


def turn_of(*rounds: Sequence[Step], own: Sequence[str] = (), callers: Sequence[str] = ()) -> TurnHarness:
    """A turn that hears these rounds, with these tools."""
    return TurnHarness(ScriptedModel(rounds), FakeToolbox(own, callers))
