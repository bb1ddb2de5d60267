"""Writes a tool's schema for a reader of keywords: what stands there already is not said once more.

Receives a schema as `write` made it, perhaps strict since; gives the same schema without what it repeats.
Left out are sentences that a keyword of their node repeats, and titles that repeat a name or description.
A long description that stood in the tool before becomes a reference. A sentence whose keyword has gone stays.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from toolserver.json_types import JsonObject, JsonValue, dump_json, load_json
from toolserver.schema.hints import MAY_BE_NULL, constraint_sentences, find_sentence

_OF_SCHEMAS = ("properties", "patternProperties")
_ONE_SCHEMA = {"items": "[]", "additionalProperties": ".*", "propertyNames": ".(key)"}
_NO_LETTER = re.compile(r"[\W_]+")
_WORTH_CHARS = 8
"""What a reference must save at least."""

_CACHED = 4_096


@lru_cache(maxsize=_CACHED)
def compact_schema(schema_json: bytes) -> bytes:
    """The schema, in which each fact stands once. Pure, and cached."""
    schema = load_json(schema_json.decode())
    return dump_json(_Compacting().write_node(schema, "", "")) if isinstance(schema, dict) else schema_json


class _Compacting:
    """Writes one tool's schema."""

    def __init__(self) -> None:
        self._told: dict[str, str] = {}
        """Descriptions, each with the place where it stands first."""

    def write_node(self, node: JsonValue, place: str, name: str) -> JsonValue:
        """The node without what it repeats; `place` leads to it, such as "items[].name"."""
        if not isinstance(node, dict):
            return node
        description = node.get("description")
        text = self._tell(description, node, place) if isinstance(description, str) else ""
        written: JsonObject = {}
        for key, value in node.items():
            if key == "description":
                if text or not isinstance(value, str):
                    written[key] = text or value
            elif key != "title" or not _repeats(value, name, text):
                written[key] = self._inner(key, value, place)
        return written

    def _inner(self, key: str, value: JsonValue, place: str) -> JsonValue:
        if key in _OF_SCHEMAS and isinstance(value, dict):
            start = f"{place}." if place else ""
            return {name: self.write_node(schema, f"{start}{name}", name) for name, schema in value.items()}
        if key == "anyOf" and isinstance(value, list):
            return [
                self.write_node(each, f"{place}({count})", "") for count, each in enumerate(value, start=1)
            ]
        return self.write_node(value, place + _ONE_SCHEMA[key], "") if key in _ONE_SCHEMA else value

    def _tell(self, description: str, node: JsonObject, place: str) -> str:
        text = _without(description, _said_by_keywords(node))
        first = self._told.setdefault(text, place)
        reference = f"As `{first}`."
        return reference if first != place and len(text) >= len(reference) + _WORTH_CHARS else text


def _repeats(title: JsonValue, name: str, description: str) -> bool:
    if not isinstance(title, str):
        return False
    return _letters(title) == _letters(name) or _letters(title) in _letters(description)


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", text).lower()


def _said_by_keywords(node: JsonObject) -> Iterator[str]:
    yield from constraint_sentences(node)
    types = node.get("type")
    if isinstance(types, list) and "null" in types:
        yield MAY_BE_NULL


def _without(description: str, sentences: Iterable[str]) -> str:
    """The description without the last occurrence of each sentence that stands for itself."""
    for sentence in filter(None, sentences):
        start = find_sentence(description, sentence)
        if start >= 0:
            kept = description[:start].rstrip()
            rest = description[start + len(sentence) :].strip()
            between = "\n" if "\n" in kept else " "
            description = f"{kept}{between}{rest}" if kept and rest else kept or rest
    return description
