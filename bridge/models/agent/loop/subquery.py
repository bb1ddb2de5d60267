"""`subquery`: a tool by which a model gives a task to itself, in a nested turn.

The nested turn has the same model, options and tools, but not this tool: its toolbox was built without it, so
that no name and no renaming leads to a third level. It reads the instructions of the outer turn, its prompt,
and as many of the latest messages as the model asks for; the outer conversation gets nothing but its answer.
Its tokens are part of the usage, and its calls count towards the turn's limits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Protocol

from bridge.browser_protocol import ARGUMENT_BYTES
from bridge.models.agent.items import Item, ModelCall, answered_call_id, message_item, message_text
from bridge.models.agent.loop.loop import run_rounds
from bridge.models.agent.model import ModelError
from bridge.models.agent.toolbox import BridgeTool, CallOutput, LocalTool, Toolbox
from bridge.models.agent.tools.arguments import engine_arguments
from bridge.models.agent.tools.catalog_tools import define_function
from bridge.models.agent.turn import (
    CallEnded,
    CallFile,
    CallStarted,
    Emit,
    Notice,
    Turn,
    TurnEvent,
    TurnResult,
)
from toolserver.arguments.arguments import parse_arguments
from toolserver.errors import ArgumentError
from toolserver.json_types import JsonObject, array_at, dump_json, object_at, text_at

NAME = "subquery"
MAX_ROUNDS = 8
"""Maximum number of rounds of one sub-query."""
MAX_RECENT = 1000
"""Maximum number of messages that a sub-query may include."""

_ROLES = ("user", "assistant", "system", "developer")
_NOT_INHERITED = frozenset(
    {
        *("tool_choice", "max_tool_calls", "text", "prompt", "conversation", "background"),
        *("stop", "logprobs", "top_logprobs", "audio", "modalities", "prediction"),
    }
)
"""Options that concern only the outer answer: its form, and what it must call."""

_DESCRIPTION = (
    "Give a focused task to a copy of yourself that has the same tools. It works on its own, in up to "
    f"{MAX_ROUNDS} rounds of tool calls, and you get only its final answer. Use it for steps whose details "
    "would fill this conversation, and call it several times at once for tasks that do not depend on each "
    "other. It knows nothing of this conversation but the prompt and the messages you include."
)
_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "prompt": {
            "type": "string",
            "description": "The task, complete in itself: what to find or do, and what to answer.",
        },
        "include_recent_messages": {
            "type": "integer",
            "description": "How many of the latest messages of this conversation it reads first. Default 0.",
        },
    },
    "required": ["prompt"],
}


@dataclass(frozen=True, slots=True)
class Subquery:
    """The tool of one turn, a `LocalTool`. Any number of calls may run concurrently."""

    turn: Turn
    """The outer turn."""
    toolbox: Toolbox
    """Tools of the nested turn, without this one and without tools that only the caller can run."""
    emit: Emit
    """Of the outer turn; several sub-queries call it at once."""
    max_rounds: int = MAX_ROUNDS

    @property
    def tool(self) -> BridgeTool:
        """The tool's definition."""
        strictness = self.turn.settings.strictness
        definition = define_function(NAME, _DESCRIPTION, dump_json(_SCHEMA), strictness)
        return BridgeTool(NAME, NAME, "Sub-query", definition, _SCHEMA)

    async def run_call(self, call: ModelCall, input: Sequence[Item]) -> CallOutput:
        """Run one sub-query. Cancelling ends its round and its calls."""
        try:
            prompt, recent = _read(engine_arguments(self.tool, call.arguments_text))
        except ArgumentError as error:
            return _failed("invalid_arguments", f"Invalid arguments: {error.message}")
        persona, messages = split_persona(input)
        items = (*persona, *recent_messages(messages, recent), message_item("user", prompt))
        progress = _Progress(self.emit)
        try:
            result = await run_rounds(self._nested_turn(items), self.toolbox, progress.report_event)
        except ModelError as error:
            return _failed(error.code, f"The sub-query failed: {error.message}")
        return _output(result, tuple(progress.files))

    def _nested_turn(self, input: tuple[Item, ...]) -> Turn:
        outer = self.turn.request
        request = replace(
            outer,
            input=input,
            caller_tools=(),
            options=_inherited(outer.options),
            chat_options=_inherited(outer.chat_options),
            max_rounds=self.max_rounds,
        )
        return replace(self.turn, request=request)


def _inherited(options: JsonObject) -> JsonObject:
    return {name: value for name, value in options.items() if name not in _NOT_INHERITED}


class NestingToolbox(Toolbox, Protocol):
    """A toolbox from which variants can be derived."""

    def for_nested(self) -> Toolbox:
        """Return a copy without tools that only the caller can run."""
        ...

    def with_local(self, *locals: LocalTool) -> Toolbox:
        """Return a copy with more tools of the bridge."""
        ...


def with_subquery(toolbox: NestingToolbox, turn: Turn, emit: Emit) -> Toolbox:
    """Add `subquery` to the tools of a turn, if the settings say so and there is a tool for it to use."""
    names = (text_at(definition, "name") for definition in toolbox.definitions)
    if not turn.settings.subquery or not any(toolbox.find_own_tool(name) for name in names):
        return toolbox
    return toolbox.with_local(Subquery(turn, toolbox.for_nested(), emit))


def split_persona(items: Sequence[Item]) -> tuple[list[Item], Sequence[Item]]:
    """Return the system messages at the beginning, which say who answers, and the items after them."""
    persona = list(takewhile(lambda item: item.get("role") in ("system", "developer"), items))
    return persona, items[len(persona) :]


def recent_messages(items: Sequence[Item], count: int) -> list[Item]:
    """Return the last `count` messages with text, in order, reduced to role and content.

    Calls, outputs and reasoning do not count. Messages of a turn that is still running do.
    """
    messages = [item for item in items if item.get("role") in _ROLES and message_text(item).strip()]
    return [
        {"type": "message", "role": item["role"], "content": item["content"]}
        for item in messages[len(messages) - min(count, len(messages)) :]
    ]


class _Progress:
    """Progress of a sub-query as notices to the user, and the files from its calls."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._running: dict[str, str] = {}
        self.files: list[CallFile] = []

    async def report_event(self, event: TurnEvent) -> None:
        """Report an event of the nested turn to the outer one's caller. As `Emit`."""
        match event:
            case CallStarted():
                self._running[event.call.call_id] = event.tool_title
                titles = ", ".join(self._running.values())
                many = f"{len(self._running)} tools: " if len(self._running) > 1 else ""
                await self._send(Notice("info", f"Sub-query: running {many}{titles}…", in_answer=False))
            case CallEnded():
                self._running.pop(event.call.call_id, None)
                self.files.extend(event.files)
            case Notice(in_answer=False, level="warning" | "error"):
                await self._send(replace(event, text=f"Sub-query: {event.text}"))
            case _:
                pass

    async def _send(self, notice: Notice) -> None:
        await self._emit(notice)


def _read(text: str) -> tuple[str, int]:
    """Read the prompt and the number of messages.

    Raises:
        ArgumentError: one of them is missing, of a wrong type or out of range.
    """
    arguments = parse_arguments(text, max_bytes=ARGUMENT_BYTES)
    if unknown := sorted(set(arguments) - {"prompt", "include_recent_messages"}):
        raise ArgumentError(f"There is no argument `{unknown[0]}`.", argument=unknown[0])
    prompt = arguments.get("prompt")
    recent = arguments.get("include_recent_messages", 0)
    if not isinstance(prompt, str) or not prompt.strip():
        raise ArgumentError("`prompt` must be a text that says what to do.", argument="prompt")
    if isinstance(recent, bool) or not isinstance(recent, int) or not 0 <= recent <= MAX_RECENT:
        message = f"`include_recent_messages` must be a whole number from 0 to {MAX_RECENT}."
        raise ArgumentError(message, argument="include_recent_messages")
    return prompt, recent


def _output(result: TurnResult, files: tuple[CallFile, ...]) -> CallOutput:
    text = _answer(result)
    if result.status == "failed":
        error = object_at(result.response, "error")
        message = f"The sub-query failed: {text_at(error, 'message')}"
        failed = _failed(text_at(error, "code") or "upstream_error", message, text)
        return replace(failed, usage=result.usage, files=files)
    if result.status == "incomplete":
        reason = text_at(object_at(result.response, "incomplete_details"), "reason") or "unknown"
        text = f"{text}\n\n[The answer of the sub-query is cut off: {reason}.]".strip()
    elif result.limit_reached:
        text = f"{text}\n\n[The sub-query reached its limit of rounds; this is what it had by then.]".strip()
    return CallOutput(text, has_succeeded=result.status == "completed", files=files, usage=result.usage)


def _answer(result: TurnResult) -> str:
    """Return the model's text after its last call."""
    said: list[str] = []
    for item in result.output:
        if answered_call_id(item):
            said.clear()
        said.append(message_text(item) or _refusal(item))
    return "\n\n".join(text.strip() for text in said if text.strip())


def _refusal(item: Item) -> str:
    parts = [part for part in array_at(item, "content") if isinstance(part, dict)]
    return "".join(text_at(part, "refusal") for part in parts)


def _failed(code: str, message: str, partial: str = "") -> CallOutput:
    error: JsonObject = {"code": code, "message": message}
    if partial:
        error["partial_answer"] = partial
    return CallOutput(dump_json({"error": error}).decode(), has_succeeded=False)
