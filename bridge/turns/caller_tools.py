"""Tools that a caller brings along: which of them a model is offered. Pure.

Nothing in them is fatal here; what a provider does not take, it refuses in its own words.
"""

from __future__ import annotations

from collections.abc import Iterable

from toolserver.json_types import JsonObject, JsonValue, text_at

RUN_BY_CALLER = ("function", "custom")
"""Types that only a model with function calling understands."""


def distinct_tools(tools: Iterable[JsonValue]) -> tuple[JsonObject, ...]:
    """The tools that are objects with a `type`, each once: the last one counts, at the place of the first.

    Functions and custom tools are the same by name, servers by label, and anything else by type.
    """
    found: dict[tuple[str, str | None], JsonObject] = {}
    for tool in tools:
        if isinstance(tool, dict) and (kind := text_at(tool, "type")):
            found[kind, text_at(tool, "name") or text_at(tool, "server_label") or None] = tool
    return tuple(found.values())


def function_names(tools: Iterable[JsonObject]) -> frozenset[str]:
    """Names that the caller's functions have."""
    return frozenset(text_at(tool, "name") for tool in tools if tool.get("type") in RUN_BY_CALLER) - {""}
