"""Writes a tool's schema for a reader of keywords: what stands there already is not said once more.

Receives a schema as `write` made it, perhaps strict since; gives the same schema without what it repeats.
Left out are sentences that a keyword of their node repeats, and titles that repeat a name or description.
A long description that stood in the tool before becomes a reference, and one reference stands for all
descriptions within an object or array whose like stood before. A sentence whose keyword has gone stays.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from toolserver.json_types import JsonObject, JsonValue, dump_json, load_json
from toolserver.schema.hints import MAY_BE_NULL, constraint_sentences, find_sentence

_OF_SCHEMAS = ("properties", "patternProperties")
_ONE_SCHEMA = {"items": "[]", "additionalProperties": ".*", "propertyNames": ".(key)"}
_OF_PARTS = (*_OF_SCHEMAS, "anyOf", *_ONE_SCHEMA)
_PROSE = ("title", "description")
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
        self._parts: dict[bytes, str] = {}
        """What stands in objects and arrays, each with the place of the first that has it."""

    def write_node(self, node: JsonValue, place: str, name: str) -> JsonValue:
        """The node without what it repeats; `place` leads to it, such as "items[].name"."""
        if not isinstance(node, dict):
            return node
        text = self._tell(node, place)
        parts = self._place_of_parts(node, place)
        if parts:
            text = f"{text} {parts}" if text else parts
        written: JsonObject = {"description": text} if text else {}
        for key, value in node.items():
            if key == "description" and isinstance(value, str):
                continue
            if key == "required" and not value and node.get("additionalProperties") is not False:
                continue  # a strict schema has the list, even if it is empty
            if key != "title" or not _repeats(value, name, text):
                written[key] = _undescribed(key, value) if parts else self._inner(key, value, place)
        return written

    def _place_of_parts(self, node: JsonObject, place: str) -> str:
        """The sentence that stands for the descriptions within, if another place has the same parts."""
        parts = {key: node[key] for key in _OF_PARTS if key in node}
        if not parts:
            return ""
        first = self._parts.setdefault(dump_json(parts), place)
        if first == place:
            return ""
        sentence = f"Parts: as in `{first}`."
        described = sum(len(text) for text in _descriptions(parts))
        return sentence if described >= len(sentence) + _WORTH_CHARS else ""

    def _inner(self, key: str, value: JsonValue, place: str) -> JsonValue:
        if key in _OF_SCHEMAS and isinstance(value, dict):
            start = f"{place}." if place else ""
            return {name: self.write_node(schema, f"{start}{name}", name) for name, schema in value.items()}
        if key == "anyOf" and isinstance(value, list):
            return [
                self.write_node(each, f"{place}({count})", "") for count, each in enumerate(value, start=1)
            ]
        return self.write_node(value, place + _ONE_SCHEMA[key], "") if key in _ONE_SCHEMA else value

    def _tell(self, node: JsonObject, place: str) -> str:
        description = node.get("description")
        if not isinstance(description, str):
            return ""
        text = _without(description, _said_by_keywords(node))
        first = self._told.setdefault(text, place)
        reference = f"As `{first}`."
        return reference if first != place and len(text) >= len(reference) + _WORTH_CHARS else text


def _parts_of(key: str, value: JsonValue) -> Iterator[JsonValue]:
    """The schemas below a keyword."""
    if key in _OF_SCHEMAS and isinstance(value, dict):
        yield from value.values()
    elif key == "anyOf" and isinstance(value, list):
        yield from value
    elif key in _ONE_SCHEMA:
        yield value


def _descriptions(node: JsonValue) -> Iterator[str]:
    """All descriptions within schemas."""
    if isinstance(node, dict):
        for key, value in node.items():
            for part in _parts_of(key, value):
                if isinstance(part, dict):
                    text = part.get("description")
                    yield text if isinstance(text, str) else ""
                    yield from _descriptions(part)


def _undescribed(key: str, value: JsonValue) -> JsonValue:
    """What stands below a keyword, without descriptions and titles."""
    if key in _OF_SCHEMAS and isinstance(value, dict):
        return {name: _bare(schema) for name, schema in value.items()}
    if key == "anyOf" and isinstance(value, list):
        return [_bare(each) for each in value]
    return _bare(value) if key in _ONE_SCHEMA else value


def _bare(node: JsonValue) -> JsonValue:
    if not isinstance(node, dict):
        return node
    return {key: _undescribed(key, value) for key, value in node.items() if key not in _PROSE}


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
