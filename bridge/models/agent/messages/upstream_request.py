"""Builds the request of one round to Anthropic's Messages API from a Responses request. Pure.

The provider refuses members that it does not know. What it has no word for is left out, and
`find_unsupported_paths` names it, so that a caller can read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bridge.models.agent.chat_completions.options import unsayable_in_responses
from bridge.models.agent.messages.items_to_messages import Exchange, exchange_of, unsayable_in
from bridge.models.agent.messages.thinking import thinking_options, without_thinking
from bridge.models.agent.model import ModelRequest
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at

DEFAULT_MAX_TOKENS = 32_000
"""Maximum tokens of an answer where no caller and no setting says it; the provider demands one. Chosen: the
least of what its models since Claude 4 can write."""

_PASSED_ON = (
    *("cache_control", "container", "diagnostics", "inference_geo", "metadata", "output_config", "speed"),
    *("thinking", "user_profile_id"),
)
"""Members in the provider's own words, such as a model's `options` have."""

_SAID_OTHERWISE = frozenset(
    {"max_output_tokens", "parallel_tool_calls", "reasoning", "service_tier", "text", "tool_choice"}
)
_WITHOUT_EFFECT = frozenset(
    {
        *("include", "prompt_cache_key", "prompt_cache_retention", "safety_identifier", "store"),
        *("stream_options", "user"),
    }
)
"""Options that concern another provider's accounts, caches or streams: no caller misses them."""

_TIERS = {"auto": "auto", "default": "standard_only", "standard_only": "standard_only"}

_OF_TOOLS = (
    *("allowed_callers", "cache_control", "defer_loading", "eager_input_streaming", "input_examples"),
    "strict",
)
"""Members of a function that the provider knows under the same names."""

_OWN_TOOL = re.compile(r"\w+_20\d{6}")
"""Types of the provider's own tools end with a date."""

_CHOICES = {"auto": "auto", "required": "any", "none": "none"}


def messages_request(request: ModelRequest) -> JsonObject:
    """Return the body of a streaming request."""
    options, said = request.options, exchange_of(request.instructions, request.input)
    limit = options.get("max_output_tokens")
    max_tokens = limit if isinstance(limit, int) and not isinstance(limit, bool) else DEFAULT_MAX_TOKENS
    body: JsonObject = {"model": request.model, "max_tokens": max_tokens, "messages": [*said.messages]}
    if said.system.strip():
        body["system"] = said.system
    body |= {name: options[name] for name in _PASSED_ON if options.get(name) is not None}
    if "user_id" not in object_at(body, "metadata"):
        body.pop("metadata", None)
    if tier := _TIERS.get(text_at(options, "service_tier")):
        body["service_tier"] = tier
    if stop := _stop_sequences(request.chat_options.get("stop")):
        body["stop_sequences"] = stop
    body |= _tool_members(request, said)
    asked = thinking_options(request.model, options, max_tokens)
    is_forced = text_at(object_at(body, "tool_choice"), "type") in ("any", "tool")
    body |= without_thinking(asked) if is_forced or said.lacks_thinking else asked
    if (form := _output_format(options)) is not None:
        body["output_config"] = {**object_at(body, "output_config"), "format": form}
    body["stream"] = True
    return body


def find_unsupported_paths(request: ModelRequest) -> Iterator[str]:
    """Yield paths of a request that `messages_request` leaves out, such as `temperature` or `tools[0]`."""
    options = request.options
    yield from unsayable_in(request.input)
    known = {*_PASSED_ON, *_SAID_OTHERWISE, *_WITHOUT_EFFECT}
    yield from (name for name, value in options.items() if name not in known and value is not None)
    yield from (name for name in unsayable_in_responses(request.chat_options) if name != "stop")
    for name, value in object_at(options, "text").items():
        if value is not None and not (name == "format" and _is_sayable_format(value)):
            yield f"text.{name}"
    for index, tool in enumerate(request.tools):
        if _messages_tool(tool) is None:
            yield f"tools[{index}]"


def _stop_sequences(stop: JsonValue) -> list[JsonValue]:
    stops = stop if isinstance(stop, list) else [stop]
    return [each for each in stops if isinstance(each, str) and each.strip()]


def _output_format(options: JsonObject) -> JsonObject | None:
    form = object_at(object_at(options, "text"), "format")
    if form.get("type") != "json_schema":
        return None
    return {"type": "json_schema", "schema": object_at(form, "schema")}


def _is_sayable_format(form: JsonValue) -> bool:
    return isinstance(form, dict) and form.get("type") in ("json_schema", "text")


def _tool_members(request: ModelRequest, said: Exchange) -> JsonObject:
    tools = [made for tool in request.tools if (made := _messages_tool(tool)) is not None]
    choice = request.options.get("tool_choice")
    if isinstance(choice, dict) and choice.get("type") == "allowed_tools":
        names = {text_at(each, "name") for each in array_at(choice, "tools") if isinstance(each, dict)}
        tools = [tool for tool in tools if text_at(tool, "name") in names]
        choice = choice.get("mode")
    if not tools:
        return _forbidden_tools(said.called_names)
    members: JsonObject = {"tools": [*tools]}
    told = _messages_choice(choice)
    if request.options.get("parallel_tool_calls") is False and text_at(told, "type") != "none":
        told = {"type": "auto", **told, "disable_parallel_tool_use": True}
    return {**members, "tool_choice": told} if told else members


def _forbidden_tools(names: Sequence[str]) -> JsonObject:
    """Return tools that are not to be called: gateways refuse calls without their tools in a history."""
    tools: list[JsonValue] = [{"name": name, "input_schema": {"type": "object"}} for name in names]
    return {"tools": tools, "tool_choice": {"type": "none"}} if tools else {}


def _messages_tool(tool: JsonObject) -> JsonObject | None:
    """Return a function in the provider's form, one of its own tools as it is; None for any other."""
    kind = text_at(tool, "type")
    if kind != "function":
        return tool if _OWN_TOOL.fullmatch(kind) else None
    made: JsonObject = {"name": text_at(tool, "name")}
    if description := text_at(tool, "description"):
        made["description"] = description
    made["input_schema"] = {"type": "object", **object_at(tool, "parameters")}
    return made | {name: tool[name] for name in _OF_TOOLS if tool.get(name) is not None}


def _messages_choice(choice: JsonValue) -> JsonObject:
    if isinstance(choice, dict) and choice.get("type") == "function":
        return {"type": "tool", "name": text_at(choice, "name")}
    told = _CHOICES.get(choice) if isinstance(choice, str) else None
    return {"type": told} if told else {}
