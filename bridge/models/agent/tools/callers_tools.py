"""Tools that a caller brings: which there are, and which calls are for the caller to run. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bridge.models.agent.items import Item, ModelCall
from bridge.models.agent.tool_search import (
    FunctionKey,
    brings_search,
    functions_loaded_by_others,
    grouped_functions,
)
from toolserver.json_types import JsonObject, JsonValue, text_at

RUN_BY_CALLER = ("function", "custom")
"""Types of tools that the caller runs, and that only a model with function calling understands."""


def distinct_tools(tools: Iterable[JsonValue]) -> tuple[JsonObject, ...]:
    """Return the objects with a `type`, without duplicates: the last one counts, at the first one's place.

    Identity is the name for functions and custom tools, the label for servers, and the type for anything
    else.
    """
    found: dict[tuple[str, str | None], JsonObject] = {}
    for tool in tools:
        if isinstance(tool, dict) and (kind := text_at(tool, "type")):
            found[kind, text_at(tool, "name") or text_at(tool, "server_label") or None] = tool
    return tuple(found.values())


_NO_NAMES: frozenset[str] = frozenset()
"""One for all turns: an empty set takes 216 bytes."""


def function_names(tools: Iterable[JsonObject]) -> frozenset[str]:
    """Return the names of the caller's functions and custom tools."""
    names = (text_at(tool, "name") for tool in tools if tool.get("type") in RUN_BY_CALLER)
    return frozenset(name for name in names if name) or _NO_NAMES


@dataclass(frozen=True, slots=True)
class CallersFunctions:
    """The functions that a caller runs in one turn, and whether it searches for more."""

    names: frozenset[str] = _NO_NAMES
    """Of functions that are in no namespace."""
    grouped: frozenset[FunctionKey] = frozenset()
    """Of functions that are in one."""
    searches: bool = False

    def runs_call(self, call: ModelCall) -> bool:
        """Return whether the caller runs a function call or a tool search."""
        if call.is_search:
            return self.searches
        if not call.namespace:
            return call.name in self.names
        return (call.namespace, call.name) in self.grouped


_NONE = CallersFunctions()


def callers_functions(tools: Sequence[JsonObject], history: Iterable[Item]) -> CallersFunctions:
    """Return what the caller of a turn runs: what it brings, and what its own searches have loaded before."""
    if not tools:
        return _NONE
    names = function_names(tools)
    grouped = grouped_functions(tools)
    if not brings_search(tools):
        return CallersFunctions(names, grouped)
    loaded = functions_loaded_by_others(history)
    names |= {name for space, name in loaded if not space}
    return CallersFunctions(names, grouped | {key for key in loaded if key[0]}, searches=True)
