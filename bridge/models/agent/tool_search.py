"""Native tool search: who runs it, whose the loaded functions are, and histories that providers accept. Pure.

A model searches by an item of its own (`tool_search_call`), and what is found is loaded by its output, at the
end of the context, so that the beginning of the prompt stays the same. A loaded function stands in a
namespace, which each of its calls has to name from then on, in every later request.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from bridge.models.agent.items import (
    SEARCH_OUTPUT,
    TOOL_SEARCH,
    Item,
    loaded_functions,
)
from bridge.models.agent.model import ModelRequest
from bridge.models.agent.turn import TurnRequest, TurnSettings
from toolserver.json_types import JsonObject, array_at, text_at
from toolserver.tool.naming import sanitize_name

FunctionKey: TypeAlias = tuple[str, str]
"""Namespace and name of a function; the namespace is "" for one that is in none."""

NAMESPACE = "namespace"
"""Type of a group of functions, and the member by which a call names it."""


def namespace_of(server_id: str) -> str:
    """Return the namespace of a server's tools."""
    return sanitize_name(server_id)


def brings_search(tools: Iterable[JsonObject]) -> bool:
    """Return whether a caller searches among tools itself: with `tool_search`, or tools that load later."""
    return any(tool.get("type") == TOOL_SEARCH or _is_deferred(tool) for tool in tools)


def searches_natively(request: TurnRequest, settings: TurnSettings) -> bool:
    """Return whether the bridge offers a model its own search: a caller who brings one has the word."""
    brought = [tool for tool in request.caller_tools if isinstance(tool, dict)]
    return settings.tool_search and not brings_search(brought)


def _is_deferred(tool: JsonObject) -> bool:
    inner = [each for each in array_at(tool, "tools") if isinstance(each, dict)]
    return tool.get("defer_loading") is True or any(map(_is_deferred, inner))


def grouped_functions(tools: Sequence[JsonObject]) -> frozenset[FunctionKey]:
    """Return the functions in the namespaces that a caller brings."""
    groups: JsonObject = {"tools": [tool for tool in tools if tool.get("type") == NAMESPACE]}
    return frozenset((space, text_at(tool, "name")) for space, tool in loaded_functions(groups))


def functions_loaded_in(items: Iterable[Item]) -> frozenset[FunctionKey]:
    """Return the functions that the searches of a history have loaded."""
    outputs = (item for item in items if item.get("type") == SEARCH_OUTPUT)
    return frozenset(
        (space, text_at(tool, "name")) for item in outputs for space, tool in loaded_functions(item)
    )


def mend_namespaces(request: ModelRequest) -> ModelRequest:
    """Return the request with calls in the namespaces that hold their functions; the same if they are.

    OpenAI refuses a call without its namespace, "Missing namespace for function_call" (copilot-cli #4519,
    dust #31323), as of a function that was listed when it was called and has been loaded since. A namespace
    of which nothing in the request tells is left out: of what was loaded before the history was cut.
    """
    if not any(item.get("type") == SEARCH_OUTPUT or NAMESPACE in item for item in request.input):
        return request
    known = grouped_functions(request.tools) | functions_loaded_in(request.input)
    listed = {text_at(tool, "name") for tool in request.tools} | {name for space, name in known if not space}
    spaces = {name: space for space, name in sorted(known, reverse=True) if space and name not in listed}
    named = {space for space, _ in known}
    items = tuple(_mended(item, spaces, named) for item in request.input)
    return replace(request, input=items) if items != request.input else request


def _mended(item: Item, spaces: dict[str, str], named: set[str]) -> Item:
    if item.get("type") != "function_call":
        return item
    name, space = text_at(item, "name"), text_at(item, NAMESPACE)
    if space in named or (space and space == name):
        return item
    bare: Item = {key: value for key, value in item.items() if key != NAMESPACE}
    return {**bare, NAMESPACE: spaces[name]} if name in spaces else bare


def list_functions(tool: JsonObject) -> Iterator[JsonObject]:
    """Yield a function itself, or those of a namespace."""
    if tool.get("type") == NAMESPACE:
        yield from (each for each in array_at(tool, "tools") if isinstance(each, dict))
    elif tool.get("type") == "function":
        yield tool
