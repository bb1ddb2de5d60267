"""Documents broken at random places, in the ways that people and programs break them."""

import copy
import json
import random
from typing import cast

from toolserver.json_types import JsonObject, JsonValue

MAX_PLACES = 100_000
"""Copies may double a document; beyond this size it is left as it is."""

JUNK: tuple[JsonValue, ...] = (
    *(None, True, 0, -1, 1e308, 10**30, "", "x", "\ud800", "{", "#", "/", "..", "\u0000"),
    *([], [None], [[]], {}, {"": ""}, {"$ref": 5}, {"$ref": "#"}, {"$ref": "#/"}, {"$ref": "other.yaml#/x"}),
)


MARKS = (
    *("{", "}", "[", "]", ",", ":", '"', "'", "- ", "? ", "| ", "> ", "%", "#", "\t", "\n", "\n  ", "\r"),
    *("\0", "\ufeff", "é", "~", "&a ", "*a", "&a [*a]", "<<: *a", "!!binary ", "!!set ", "---\n", "...\n"),
    *("1e999999", "9" * 5_000, "0o777", "2026-02-30", "NaN", "[" * 2_000, '{"a":' * 2_000, "- " * 2_000),
)
"""What means something to a reader of JSON or YAML, numbers and depths that are too large among it."""


def places_in(root: JsonValue) -> list[tuple[JsonObject | list[JsonValue], str | int, str]]:
    """Every value but the root: its container, its key there, and its JSON pointer."""
    found: list[tuple[JsonObject | list[JsonValue], str | int, str]] = []
    waiting: list[tuple[JsonValue, str]] = [(root, "#")]
    while waiting:
        container, pointer = waiting.pop()
        if isinstance(container, dict):
            entries: list[tuple[str | int, JsonValue]] = list(container.items())
        elif isinstance(container, list):
            entries = list(enumerate(container))
        else:
            continue
        for key, value in entries:
            below = f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}"
            found.append((container, key, below))
            waiting.append((value, below))
    return found


def mutated(text: str, source: random.Random, *, count: int) -> str:
    """The JSON document `text` with `count` random changes, as JSON text.

    A value becomes junk, a copy of another value, or a reference to any place (often in a circle); a key
    disappears or takes another name.
    """
    root = cast(JsonValue, json.loads(text))
    for _ in range(count):
        places = places_in(root)
        if not places or len(places) > MAX_PLACES:
            break
        container, key, _ = source.choice(places)
        kind = source.randrange(5)
        if kind == 0:
            _put(container, key, copy.deepcopy(source.choice(JUNK)))
        elif kind == 1:
            other, other_key, _ = source.choice(places)
            _put(container, key, copy.deepcopy(_get(other, other_key)))
        elif kind == 2:
            _put(container, key, {"$ref": source.choice(places)[2]})
        elif kind == 3:
            _drop(container, key)
        elif isinstance(container, dict) and isinstance(key, str):
            container[str(source.choice(places)[1])] = container.pop(key)
    return json.dumps(root)


def _get(container: JsonObject | list[JsonValue], key: str | int) -> JsonValue:
    return container[cast(str, key)] if isinstance(container, dict) else container[cast(int, key)]


def _put(container: JsonObject | list[JsonValue], key: str | int, value: JsonValue) -> None:
    if isinstance(container, dict):
        container[cast(str, key)] = value
    else:
        container[cast(int, key)] = value


def _drop(container: JsonObject | list[JsonValue], key: str | int) -> None:
    if isinstance(container, dict):
        del container[cast(str, key)]
    else:
        del container[cast(int, key)]


def scrambled(text: str, source: random.Random, *, count: int) -> str:
    """`text` with `count` random slips of a keyboard or an editor; often no JSON or YAML any more."""
    for _ in range(count):
        start = source.randrange(len(text) + 1)
        end = min(start + source.choice([1, 2, 10, 200, 5_000]), len(text))
        piece, mark = text[start:end], source.choice(MARKS)
        piece = source.choice(["", piece * 2, mark, mark + piece])
        text = text[:start] + piece + text[end:]
    return text
