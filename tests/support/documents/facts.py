"""Compares what two schemas of one tool tell, whichever way they tell it."""

import re
from collections import Counter
from collections.abc import Iterator

from toolserver.json_types import JsonObject, JsonValue
from toolserver.schema.hints import describe_constraints

_STEPS = {"items": "[]", "additionalProperties": ".*", "propertyNames": ".(key)"}
_AS = re.compile(r"As `(.*)`\.", re.DOTALL)
_PARTS = re.compile(r"(?:^|\s)Parts: as in `([^`]*)`\.\Z")
_STEP_BEGINS = (".", "[", "(")


def lost_facts(whole: JsonObject, short: JsonObject) -> list[str]:
    """What `whole` tells and `short` does not: keywords, or words of descriptions.

    A word counts as told in `short` where it stands in the description, or in that of the place to which it
    or a node around it refers. So it does in the sentences that say what the node's keywords mean. Titles are
    left out.
    """
    nodes = dict(_nodes(short, ""))
    return [
        lost for place, node in _nodes(whole, "") for lost in _lost(place, node, nodes.get(place, {}), nodes)
    ]


def descriptions_of(short: JsonObject) -> dict[str, str]:
    """The descriptions of a schema by their places, wherever they stand."""
    nodes = dict(_nodes(short, ""))
    return {place: told for place in nodes if (told := _told_at(place, nodes))}


def _lost(place: str, node: JsonObject, other: JsonObject, others: dict[str, JsonObject]) -> Iterator[str]:
    for key in node.keys() - {"description", "title", "properties", "anyOf"}:
        if _plain(node[key]) != _plain(other.get(key)) and (key != "required" or node[key]):
            yield f"{place}: {key}"
    words = Counter(_words(node.get("description")))
    told = Counter(_words(_told_at(place, others)))
    told += Counter(_words(f"{describe_constraints(other)} May be null."))
    if missing := words - told:
        yield f"{place}: {' '.join(missing)}"


def _plain(value: JsonValue) -> JsonValue:
    """The value; of a schema below, only that there is one, as its facts are its own."""
    return {} if isinstance(value, dict) and ("type" in value or "anyOf" in value) else value


def _told_at(place: str, nodes: dict[str, JsonObject]) -> str:
    """The description of a node, wherever it stands; "" if it has none."""
    description = nodes.get(place, {}).get("description")
    if isinstance(description, str):
        own = _PARTS.sub("", description)
        found = _AS.fullmatch(own)
        return _told_at(found[1], nodes) if found and found[1] in nodes else own
    for end in range(len(place) - 1, 0, -1):
        around = nodes.get(place[:end], {}).get("description")
        parts = _PARTS.search(around) if isinstance(around, str) and place[end] in _STEP_BEGINS else None
        if parts:
            return _told_at(parts[1] + place[end:], nodes)
    return ""


def _words(text: JsonValue) -> list[str]:
    """The words, without the point that ends a sentence before another."""
    return [word.rstrip(".") for word in text.split()] if isinstance(text, str) else []


def _nodes(node: JsonValue, place: str) -> Iterator[tuple[str, JsonObject]]:
    if not isinstance(node, dict):
        return
    yield place, node
    for key, value in node.items():
        if key in ("properties", "patternProperties") and isinstance(value, dict):
            for name, schema in value.items():
                yield from _nodes(schema, f"{place}.{name}" if place else name)
        elif key == "anyOf" and isinstance(value, list):
            for count, schema in enumerate(value, start=1):
                yield from _nodes(schema, f"{place}({count})")
        elif key in _STEPS:
            yield from _nodes(value, f"{place}{_STEPS[key]}")
