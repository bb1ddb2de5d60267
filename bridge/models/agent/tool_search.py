"""Native tool search: who runs it, whose the loaded functions are, and histories that providers accept. Pure.

A model searches by an item of its own (`tool_search_call`), and what is found is loaded by its output, at the
end of the context, so that the beginning of the prompt stays the same. A loaded function stands in a
namespace, which each of its calls has to name from then on, in every later request.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from bridge.models.agent.items import (
    SEARCH_OUTPUT,
    TOOL_SEARCH,
    Item,
    is_of_own_search,
    loaded_functions,
)
from bridge.models.agent.model import ModelRequest
from bridge.models.agent.turn import TurnRequest, TurnSettings
from toolserver.json_types import JsonObject, JsonValue, array_at, text_at
from toolserver.tool.naming import sanitize_name

FunctionKey: TypeAlias = tuple[str, str]
"""Namespace and name of a function; the namespace is "" for one that is in none."""

NAMESPACE = "namespace"
"""Type of a group of functions, and the member by which a call names it."""


def namespace_of(server_id: str) -> str:
    """Return the namespace of a server's tools."""
    return sanitize_name(server_id)


def brings_search(tools: Iterable[JsonValue]) -> bool:
    """Return whether a caller searches among tools itself: with `tool_search`, or tools that load later."""
    brought = (tool for tool in tools if isinstance(tool, dict))
    return any(tool.get("type") == TOOL_SEARCH or _is_deferred(tool) for tool in brought)


def searches_natively(request: TurnRequest, settings: TurnSettings) -> bool:
    """Return whether the bridge offers a model its own search: a caller who brings one has the word."""
    return settings.tool_search and not brings_search(request.caller_tools)


def _is_deferred(tool: JsonObject) -> bool:
    inner = [each for each in array_at(tool, "tools") if isinstance(each, dict)]
    return tool.get("defer_loading") is True or any(map(_is_deferred, inner))


def grouped_functions(tools: Sequence[JsonObject]) -> frozenset[FunctionKey]:
    """Return the functions in the namespaces that a caller brings."""
    return frozenset(_functions_in({"tools": [tool for tool in tools if tool.get("type") == NAMESPACE]}))


def functions_loaded_by_others(items: Iterable[Item]) -> frozenset[FunctionKey]:
    """Return the functions that searches of a history have loaded, without those that the bridge ran."""
    outputs = (item for item in items if item.get("type") == SEARCH_OUTPUT and not is_of_own_search(item))
    return frozenset(key for item in outputs for key in _functions_in(item))


def _functions_in(item: Item) -> dict[FunctionKey, JsonObject]:
    return {(space, text_at(tool, "name")): tool for space, tool in loaded_functions(item)}


def mend_namespaces(request: ModelRequest) -> ModelRequest:
    """Return the request with a function for each call in its history; the same if there is one for each.

    OpenAI refuses a call without namespace of a function that a search has loaded into one, "Missing
    namespace for function_call" (copilot-cli #4519, dust #31323). It was listed when it was called, so that
    it is listed again, after the other tools. A call of what nothing before it has loaded names no namespace:
    its search is gone, since the history was cut.
    """
    if not any(item.get("type") == SEARCH_OUTPUT or NAMESPACE in item for item in request.input):
        return request
    known = set(grouped_functions(request.tools))
    loaded: dict[FunctionKey, JsonObject] = {}
    items: list[Item] = []
    for item in request.input:
        if item.get("type") == SEARCH_OUTPUT:
            loaded |= _functions_in(item)
            known.update(loaded)
        items.append(_without_unknown(item, known))
    listed = {text_at(tool, "name") for tool in request.tools} | {name for space, name in known if not space}
    calls = [item for item in items if item.get("type") == "function_call" and NAMESPACE not in item]
    bare = {text_at(call, "name") for call in calls} - listed
    missing = {name: _listed(tool) for (_, name), tool in loaded.items() if name in bare}
    return replace(request, tools=(*request.tools, *missing.values()), input=tuple(items))


def _without_unknown(item: Item, known: Container[FunctionKey]) -> Item:
    if item.get("type") != "function_call" or NAMESPACE not in item:
        return item
    space = text_at(item, NAMESPACE)
    name = text_at(item, "name")
    if (space, name) in known or (space == name and ("", name) in known):
        return item
    return {key: value for key, value in item.items() if key != NAMESPACE}


def _listed(tool: JsonObject) -> JsonObject:
    return {key: value for key, value in tool.items() if key != "defer_loading"}
