"""Says in words how a tool changes for a provider that does not take it as it is. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bridge.models.agent.fitted_request import fit_request
from bridge.models.agent.model import ModelRequest
from bridge.settings.chat.provider_rules import ProviderRules
from toolserver.json_types import JsonObject, JsonValue, text_at


def describe_changes(tool: JsonObject, rules: ProviderRules) -> list[str]:
    """Return how a function changes; nothing for one that is taken as it is."""
    [fitted] = fit_request(ModelRequest("", (), tools=(tool,)), rules).tools
    return [*_changes(tool, fitted)]


def _changes(before: JsonObject, after: JsonObject) -> Iterator[str]:
    name, description = text_at(before, "name"), text_at(before, "description")
    if text_at(after, "name") != name:
        yield f"its name becomes `{text_at(after, 'name')}`"
    if (cut := text_at(after, "description")) != description:
        yield f"its description is cut from {len(description):,} to {len(cut):,} characters"
    had, has = (_count_keywords(each.get("parameters")) for each in (before, after))
    if has.get(_TYPES, 0) < had.get(_TYPES, 0):
        yield "several types become forms of `anyOf`"
    lost = sorted(key for key, count in had.items() if key != _TYPES and has.get(key, 0) < count)
    if lost:
        yield f"words say what these keywords said: {', '.join(f'`{key}`' for key in lost)}"


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
