"""Parses requests to `/v1/chat/completions` into Responses form: items for messages, renamed options.

The last system message becomes the instructions; earlier ones stay where they are. Options that only Chat
Completions has are stored separately, for a provider that speaks it. Unknown members are passed on.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridge.models.agent.chat_completions.messages_to_items import items_of_messages
from bridge.models.agent.chat_completions.options import CHAT_OPTIONS, chat_options, refuse_choices
from bridge.models.agent.items import TOOL_SEARCH
from bridge.models.agent.request_fields import (
    MAX_ROUNDS_MEMBER,
    InvalidRequest,
    ParsedRequest,
    as_object,
    optional_object,
    optional_text,
    read_flag,
    refuse_too_many,
    requested_rounds,
    required_text,
)
from bridge.models.agent.request_tools import (
    EXTRA_TOOLS,
    TOOL_SERVERS,
    caller_tools,
    chosen_servers,
    responses_tool_choice,
    wants_tools,
)
from toolserver.json_types import JsonObject

_DROPPED = ("functions", "function_call", "prompt", "suffix")
"""Members of older protocols, which are not passed on."""

_TRANSLATED = frozenset(
    {
        "model",
        "messages",
        "tools",
        EXTRA_TOOLS,
        TOOL_SERVERS,
        "tool_choice",
        "stream",
        "stream_options",
        "max_tokens",
        "max_completion_tokens",
        "reasoning_effort",
        "response_format",
        "verbosity",
        MAX_ROUNDS_MEMBER,
        "n",
        *CHAT_OPTIONS,
        *_DROPPED,
    }
)


def parse_chat_request(body: JsonObject) -> ParsedRequest:
    """Parse the body of a request.

    Raises:
        InvalidRequest: a member is missing, has a wrong type, or asks for what a chat cannot express: several
            answers, a search that its caller runs.
    """
    refuse_too_many(body)
    refuse_choices(body)
    model = required_text(body, "model")
    items, instructions = items_of_messages(body.get("messages"))
    tools = caller_tools(body)
    _refuse_own_search(tools)
    return ParsedRequest(
        model=model,
        input=items,
        instructions=instructions,
        caller_tools=tools,
        options=_options(body),
        chat_options=chat_options(body),
        with_tools=wants_tools(body),
        tool_servers=chosen_servers(body),
        max_rounds=requested_rounds(body),
        streams=read_flag(body, "stream"),
        wants_usage_chunk=read_flag(optional_object(body, "stream_options"), "include_usage"),
        dropped=tuple(name for name in body if name in _DROPPED and body[name]),
    )


def _refuse_own_search(tools: Iterable[JsonObject]) -> None:
    """Refuse a search that the caller runs: no message could be its output."""
    if any(tool.get("type") == TOOL_SEARCH and tool.get("execution") == "client" for tool in tools):
        message = (
            "Chat Completions has no output for a 'tool_search' that its caller runs. "
            "Send the request to /v1/responses."
        )
        raise InvalidRequest(message, param="tools", code="unsupported_value")


def _options(body: JsonObject) -> JsonObject:
    options: JsonObject = {
        name: value for name, value in body.items() if name not in _TRANSLATED and value is not None
    }
    for name in ("max_tokens", "max_completion_tokens"):  # the newer name wins
        if body.get(name) is not None:
            options["max_output_tokens"] = body[name]
    if (choice := body.get("tool_choice")) is not None:
        options["tool_choice"] = responses_tool_choice(choice)
    if (effort := optional_text(body, "reasoning_effort")) is not None:
        options["reasoning"] = {**optional_object(body, "reasoning"), "effort": effort}
    if text := _text_options(body):
        options["text"] = {**optional_object(body, "text"), **text}
    return options


def _text_options(body: JsonObject) -> JsonObject:
    text: JsonObject = {}
    if body.get("response_format") is not None:
        text["format"] = _text_format(as_object(body["response_format"], "response_format"))
    if (verbosity := optional_text(body, "verbosity")) is not None:
        text["verbosity"] = verbosity
    return text


def _text_format(value: JsonObject) -> JsonObject:
    """Convert a response format: only Chat Completions nests the schema under the type's name."""
    if value.get("type") != "json_schema":
        return value
    inner = optional_object(value, "json_schema", "response_format.")
    return {"type": "json_schema", **inner} if inner else value
