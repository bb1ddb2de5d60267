"""Usage of several rounds, summed as providers count it: whatever they count. Pure."""

from __future__ import annotations

from toolserver.json_types import JsonObject, JsonValue


def summed(usage: JsonObject, more: JsonObject) -> JsonObject:
    """Both added, member by member: numbers add up, objects are summed, of anything else the later one stays.

    A member that is null, or of another kind than before, changes nothing that is known.
    """
    total = dict(usage)
    for name, value in more.items():
        total[name] = _sum(total.get(name), value)
    return total


def _sum(known: JsonValue, value: JsonValue) -> JsonValue:
    if known is None or value is None:
        return value if known is None else known
    if isinstance(known, dict):
        return summed(known, value) if isinstance(value, dict) else known
    if _is_number(known):
        return _added(known, value) if _is_number(value) else known
    return value


def _added(known: JsonValue, value: JsonValue) -> JsonValue:
    assert isinstance(known, int | float)
    assert isinstance(value, int | float)
    return known + value


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
