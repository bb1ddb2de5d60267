"""Finds how a tool changes for a provider that does not take it as it is. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from bridge.models.agent.fitted_request import fit_request
from bridge.models.agent.model import ModelRequest
from bridge.settings.chat.provider_rules import ProviderRules
from toolserver.json_types import JsonObject, JsonValue, text_at


@dataclass(frozen=True, slots=True)
class ToolChange:
    """One thing that is otherwise in what a provider is sent of a tool."""

    kind: Literal["name", "description", "types", "keywords"]
    """Another name; a description that is cut; several types, which become forms of `anyOf`; keywords that
    words stand for."""
    name: str = ""
    """Of `name`: the other one."""
    before: int = 0
    after: int = 0
    """Of `description`: its characters."""
    keywords: tuple[str, ...] = ()


def find_changes(tool: JsonObject, rules: ProviderRules) -> list[ToolChange]:
    """Return how a function changes; nothing for one that is taken as it is."""
    [fitted] = fit_request(ModelRequest("", (), tools=(tool,)), rules).tools
    return [*_changes(tool, fitted)]


def describe_change(change: ToolChange) -> str:
    """Return a change in words, for a terminal."""
    match change.kind:
        case "name":
            return f"its name becomes `{change.name}`"
        case "description":
            return f"its description is cut from {change.before:,} to {change.after:,} characters"
        case "types":
            return "several types become forms of `anyOf`"
        case "keywords":
            return f"words say what these keywords said: {', '.join(f'`{key}`' for key in change.keywords)}"


def _changes(before: JsonObject, after: JsonObject) -> Iterator[ToolChange]:
    if (name := text_at(after, "name")) != text_at(before, "name"):
        yield ToolChange("name", name=name)
    description = text_at(before, "description")
    cut = text_at(after, "description")
    if cut != description:
        yield ToolChange("description", before=len(description), after=len(cut))
    had, has = (_count_keywords(each.get("parameters")) for each in (before, after))
    lost = sorted(key for key, count in had.items() if has.get(key, 0) < count)
    if _TYPES in lost:
        yield ToolChange("types")
    if keywords := tuple(key for key in lost if key != _TYPES):
        yield ToolChange("keywords", keywords=keywords)


_TYPES = "type"
"""Counted where it is a list."""


def _count_keywords(schema: JsonValue, found: dict[str, int] | None = None) -> Mapping[str, int]:
    """Return how often each keyword stands in a schema and all in it."""
    found = {} if found is None else found
    if isinstance(schema, list):
        for each in schema:
            _count_keywords(each, found)
    if not isinstance(schema, dict):
        return found
    for key, value in schema.items():
        if key != "description" and (key != _TYPES or isinstance(value, list)):
            found[key] = found.get(key, 0) + 1
        if key in ("properties", "$defs") and isinstance(value, dict):
            _count_keywords([*value.values()], found)
        elif key in ("items", "anyOf", "oneOf", "allOf", "additionalProperties"):
            _count_keywords(value, found)
    return found
