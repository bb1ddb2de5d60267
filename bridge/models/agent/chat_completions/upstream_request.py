"""Builds the Chat Completions request of one round from a Responses request.

Items become messages, and options get their chat names. What the older protocol cannot express is left out;
`find_unsupported_paths` names it, so that a caller can be told. Unknown members are passed on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from bridge.models.agent.chat_completions.items_to_messages import messages_of, unsayable_in
from bridge.models.agent.chat_completions.options import PROBABILITIES
from bridge.models.agent.model import ModelRequest
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at

LimitName: TypeAlias = Literal["max_completion_tokens", "max_tokens"]


@dataclass(frozen=True, slots=True)
class ChatDialect:
    """Differences of one provider's Chat Completions from OpenAI's."""

    limit_name: LimitName = "max_completion_tokens"
    """Name of the limit of tokens in an answer; many imitators know only the older one."""
    streams_usage: bool = True
    """Whether it accepts `stream_options`, and sends the usage at the end."""
    wants_reasoning: bool = False
    """Whether it wants the reasoning since the user's last message back, as `reasoning_content`."""


OPENAI_DIALECT = ChatDialect()


_UNSAYABLE = frozenset(
    {
        "background",
        "background_options",
        "context_management",
        "conversation",
        "include",
        "max_tool_calls",
        "previous_response_id",
        "prompt",
        "truncation",
    }
)
"""Responses options without a counterpart."""

_OWN = frozenset(
    {"max_output_tokens", "text", "reasoning", "tool_choice", "parallel_tool_calls", "stream_options"}
)
"""Options that are expressed in another way."""

_TEXT = ("format", "verbosity")
"""Members of `text` that can be expressed."""


def chat_request(request: ModelRequest, dialect: ChatDialect = OPENAI_DIALECT) -> JsonObject:
    """Return the body of a streaming chat request."""
    messages = messages_of(request.instructions, request.input, with_reasoning=dialect.wants_reasoning)
    body: JsonObject = {"model": request.model, "messages": [*messages], "stream": True}
    if dialect.streams_usage:
        body["stream_options"] = {"include_usage": True}
    for name, value in request.options.items():
        if name not in _UNSAYABLE | _OWN:
            body[name] = value
    body |= request.chat_options
    _say_limits(body, request.options, dialect)
    _say_probabilities(body, request.options)
    _say_text(body, object_at(request.options, "text"))
    if (effort := object_at(request.options, "reasoning").get("effort")) is not None:
        body["reasoning_effort"] = effort
    _say_tools(body, request)
    return body


def find_unsupported_paths(request: ModelRequest) -> Iterator[str]:
    """Yield paths of a request that `chat_request` leaves out, such as `truncation` or `tools[0]`."""
    options = request.options
    yield from unsayable_in(request.input)
    for name, value in options.items():
        if name in _UNSAYABLE and value not in (None, [PROBABILITIES]):
            yield name
    for name in object_at(options, "text"):
        if name not in _TEXT:
            yield f"text.{name}"
    for name, value in object_at(options, "reasoning").items():
        if name != "effort" and value is not None:
            yield f"reasoning.{name}"
    has_tools = False
    for index, tool in enumerate(request.tools):
        if _chat_tool(tool) is not None:
            has_tools = True
        else:
            yield f"tools[{index}]"
    choice = options.get("tool_choice")
    if has_tools and choice is not None and _chat_choice(choice) is None:
        yield "tool_choice"


def _say_limits(body: JsonObject, options: JsonObject, dialect: ChatDialect) -> None:
    if (limit := options.get("max_output_tokens")) is not None:
        body[dialect.limit_name] = limit


def _say_probabilities(body: JsonObject, options: JsonObject) -> None:
    """Ask for the probabilities of tokens: `top_logprobs` is refused here without `logprobs`."""
    if options.get("top_logprobs") or PROBABILITIES in array_at(options, "include"):
        body.setdefault("logprobs", True)
    elif not body.get("top_logprobs") and "logprobs" not in body:
        body.pop("top_logprobs", None)


def _say_text(body: JsonObject, text: JsonObject) -> None:
    if (form := text.get("format")) is not None:
        body["response_format"] = _response_format(form)
    if (verbosity := text.get("verbosity")) is not None:
        body["verbosity"] = verbosity


def _response_format(form: JsonValue) -> JsonValue:
    """Convert a text format: only Chat Completions nests the schema under the type's name."""
    if not isinstance(form, dict) or form.get("type") != "json_schema":
        return form
    return {"type": "json_schema", "json_schema": _without(form, "type")}


def _say_tools(body: JsonObject, request: ModelRequest) -> None:
    """Add tools, and the options that providers refuse without any."""
    tools: list[JsonValue] = [said for tool in request.tools if (said := _chat_tool(tool)) is not None]
    if not tools:
        return
    body["tools"] = tools
    if (parallel := request.options.get("parallel_tool_calls")) is not None:
        body["parallel_tool_calls"] = parallel
    if (choice := request.options.get("tool_choice")) is not None:
        said = _chat_choice(choice)
        if said is not None:
            body["tool_choice"] = said


def _chat_tool(tool: JsonObject) -> JsonObject | None:
    """Return a function nested under its type; a gateway's own tool, such as `openrouter:web_search`, as is.

    None for any other: a provider of Responses runs it itself.
    """
    kind = text_at(tool, "type")
    if kind == "function":
        return {"type": "function", "function": _without(tool, "type")}
    return tool if ":" in kind else None


def _chat_choice(choice: JsonValue) -> JsonValue:
    if isinstance(choice, str):
        return choice
    if not isinstance(choice, dict):
        return None
    match text_at(choice, "type"):
        case "function":
            return _named(choice)
        case "allowed_tools":
            allowed = [_named(tool) for tool in array_at(choice, "tools") if isinstance(tool, dict)]
            return {
                "type": "allowed_tools",
                "allowed_tools": {"mode": choice.get("mode", "auto"), "tools": [*allowed]},
            }
        case _:
            return None


def _named(choice: JsonObject) -> JsonObject:
    return {"type": "function", "function": {"name": text_at(choice, "name")}}


def _without(container: JsonObject, name: str) -> JsonObject:
    """Return a copy without one member, and without nulls, which have no meaning."""
    return {key: value for key, value in container.items() if key != name and value is not None}
