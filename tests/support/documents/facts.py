"""Compares what two schemas of one tool tell, whichever way they tell it."""

import re
from collections import Counter
from collections.abc import Iterator

from toolserver.json_types import JsonObject, JsonValue
from toolserver.schema.hints import describe_constraints

_STEPS = {"items": "[]", "additionalProperties": ".*", "propertyNames": ".(key)"}
_AS = re.compile(r"As `(.*)`\.", re.DOTALL)


def lost_facts(whole: JsonObject, short: JsonObject) -> list[str]:
    """What `whole` tells and `short` does not: keywords, or words of descriptions.

    A word counts as told in `short` where it stands in the description, in that of the place to which it
    refers, or in the sentences that say what the keywords of the node mean. Titles are left out.
    """
    nodes = dict(_nodes(short, ""))
    return [
        lost for place, node in _nodes(whole, "") for lost in _lost(place, node, nodes.get(place, {}), nodes)
    ]


def _lost(place: str, node: JsonObject, other: JsonObject, others: dict[str, JsonObject]) -> Iterator[str]:
    for key in node.keys() - {"description", "title", "properties", "anyOf"}:
        if _plain(node[key]) != _plain(other.get(key)):
            yield f"{place}: {key}"
    words = Counter(_words(node.get("description")))
    told = Counter(_words(_resolved(other.get("description"), others)))
    told += Counter(_words(f"{describe_constraints(other)} May be null."))
    if missing := words - told:
        yield f"{place}: {' '.join(missing)}"


def _plain(value: JsonValue) -> JsonValue:
    """The value; of a schema below, only that there is one, as its facts are its own."""
    return {} if isinstance(value, dict) and ("type" in value or "anyOf" in value) else value


def _resolved(description: JsonValue, others: dict[str, JsonObject]) -> JsonValue:
    found = _AS.fullmatch(description) if isinstance(description, str) else None
    return others[found[1]].get("description") if found and found[1] in others else description


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
