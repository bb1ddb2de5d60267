"""What a schema states, place by place, and which of it the tool's schema neither has nor tells.

Walks both side by side: the schema as its author wrote it, every scalar as text, and the tool's. A tool may
be tighter where several parts of a schema say something; it may describe nothing below a place where it says
so. Knows nothing of how tools are made.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from tests.support.documents.stated import Stated, is_nothing, is_true, plain_number, text_of_value
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at

LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
TEXTS = ("format", "pattern", "contentEncoding", "contentMediaType")
ENDS = (
    *("Same form as", "Not described further here", "any value is accepted there", "are left out (size)"),
    *("are shortened (size)", "only the keys that it needs", "A file: exactly one of"),
    *(
        "contradict",
        "no value in common",
        "sets of alternatives",
        "schemas extend it",
        "beside its reference",
    ),
    *("leads nowhere", "leads to another file", "Several values, separated by"),
)
"""What a tool or a warning says of a place of which, or below which, not all is told."""

_ANY_VALUE: list[JsonValue] = [{"type": name} for name in ("string", "number", "boolean", "object")]
"""The first alternatives of a value of which nothing is said; they have no fact of an author."""

_PARTS = ("allOf", "anyOf", "oneOf")
_IN_WORDS = ("enum", "default", *TEXTS)
_FOR = {
    **dict.fromkeys(("minLength", "maxLength", "pattern", "contentEncoding", "contentMediaType"), "string"),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), "number"),
    **dict.fromkeys(("minItems", "maxItems", "uniqueItems"), "array"),
    **dict.fromkeys(("minProperties", "maxProperties"), "object"),
}
"""The type whose values a keyword is about; at others it says nothing (JSON Schema Validation §6)."""


class Lost(NamedTuple):
    """One thing that an author states and nobody is told."""

    place: str
    """Of the schema within the tool, such as `filter.names[]`."""
    keyword: str
    value: str

    def __str__(self) -> str:
        return f"{self.place}: {self.keyword} {self.value}"


@dataclass(slots=True)
class SchemaComparer:
    """Compares the schemas of one tool."""

    stated: Stated
    told: tuple[str, ...]
    """The warnings about the tool."""
    about: str = ""
    """Its description, which speaks of the body as a whole."""
    _met: dict[tuple[int, str], JsonObject] = field(default_factory=dict[tuple[int, str], JsonObject])
    """Schemas that were compared, by identity and place."""

    def compare(self, schema: JsonValue, nodes: Iterable[JsonValue], place: str) -> Iterator[Lost]:
        """What of `schema` is in none of `nodes`, which the tool has at `place`, and in no words."""
        found = [*_with_branches(nodes)]
        if not isinstance(schema, dict) or (id(schema), place) in self._met:
            return
        self._met[id(schema), place] = schema
        if not self._ends(found, place):
            yield from self._compare_node(schema, found, place)

    def _compare_node(self, schema: JsonObject, nodes: list[JsonObject], place: str) -> Iterator[Lost]:
        if text_at(schema, "$ref"):
            target = self.stated.resolve(schema)
            yield from self.compare(target, nodes, place)
            if self.stated.is_alone() or target is None:
                return
        if is_true(schema.get("readOnly")):
            return
        for keyword, value in self._facts(schema):
            if not self._is_there(keyword, value, nodes, place):
                yield Lost(place, keyword, value)
        for name, inner in object_at(schema, "properties").items():
            yield from self._compare_property(schema, name, inner, nodes, place)
        if "items" in schema:
            yield from self._compare_inner(schema["items"], "items", nodes, f"{place}[]")
        if isinstance(schema.get("additionalProperties"), dict):
            yield from self._compare_inner(
                schema["additionalProperties"], "additionalProperties", nodes, f"{place}.*"
            )
        for part in self._parts_of(schema):
            yield from self.compare(part, nodes, place)

    def _parts_of(self, schema: JsonObject) -> Iterator[JsonValue]:
        """Those that say something: of alternatives none does where one of them is any value."""
        yield from array_at(schema, "allOf")
        for key in ("anyOf", "oneOf"):
            parts = array_at(schema, key)
            if all(self._says_something(part) for part in parts):
                yield from parts

    def _compare_property(
        self, schema: JsonObject, name: str, inner: JsonValue, nodes: list[JsonObject], place: str
    ) -> Iterator[Lost]:
        there = f"{place}.{name}" if place else name
        below = [each for node in nodes if (each := object_at(node, "properties").get(name)) is not None]
        if not below and not self.is_never_sent(inner) and not self._is_told(name, nodes, there):
            yield Lost(there, "property", "")
        if name in array_at(schema, "required") and not self.is_never_sent(inner):
            needed = [name for node in nodes for name in array_at(node, "required")]
            if name not in needed and not self._is_told(f"`{name}`", nodes, place):
                yield Lost(there, "required", "")
        if below:
            yield from self.compare(inner, below, there)

    def _compare_inner(
        self, schema: JsonValue, key: str, nodes: list[JsonObject], place: str
    ) -> Iterator[Lost]:
        if place == ".*":
            yield from self._compare_further(schema)
            return
        below = [each for node in nodes if isinstance(each := node.get(key), dict)]
        if below:
            yield from self.compare(schema, below, place)
        elif self._says_something(schema) and self._may_have(key, nodes):
            yield Lost(place, key, "")

    def _compare_further(self, schema: JsonValue) -> Iterator[Lost]:
        """Keys without an argument: their types are told in words, and that no more is."""
        form = self.stated.resolve(schema)
        types = [*_names_of(form.get("type"))] if isinstance(form, dict) else []
        told = self.about.partition("Each value: ")[2]
        if not all(name in told for name in types):
            yield Lost(".*", "additionalProperties", " or ".join(types))
        elif not any("only the types are told" in each for each in self.told):
            yield from self.compare(schema, [{"type": name} for name in types], ".*")

    def _may_have(self, key: str, nodes: list[JsonObject]) -> bool:
        """Whether some node may be an array, or an object."""
        return any(("array" if key == "items" else "object") in _families(node.get("type")) for node in nodes)

    def _says_something(self, schema: JsonValue) -> bool:
        node = self.stated.resolve(schema)
        return isinstance(node, dict) and bool(
            node.keys() & {"type", "properties", "required", "items", "enum", "const", *_PARTS, *_FOR}
        )

    def is_never_sent(self, schema: JsonValue) -> bool:
        """Whether a property is read-only, or allows no value."""
        node = self.stated.resolve(schema)
        if not isinstance(node, dict):
            return text_of_value(node) == "false"
        own = schema if isinstance(schema, dict) else {}
        return any(is_true(each.get("readOnly")) for each in (own, node)) or any(
            self.is_never_sent(part) for part in array_at(node, "allOf")
        )

    def _facts(self, schema: JsonObject) -> Iterator[tuple[str, str]]:
        """Keywords of one node with their values as text; a list is one fact for each value."""
        listed = [schema["const"]] if "const" in schema else array_at(schema, "enum")
        is_null = bool(listed) and all(is_nothing(value) for value in listed)
        yield from (("type", name) for name in _names_of(schema.get("type")) if name == "null" or not is_null)
        if is_true(schema.get("nullable")) and self.stated.knows_nullable():
            yield "type", "null"
        for keyword in (*LOWER, *UPPER, "multipleOf", *TEXTS, "uniqueItems"):
            value = text_of_value(schema.get(keyword))
            if value is None:
                continue
            if keyword in ("exclusiveMinimum", "exclusiveMaximum") and value in ("true", "false"):
                continue
            if keyword == "uniqueItems" and value != "true":
                continue
            yield keyword, value
        yield from (("enum", text) for value in listed if (text := text_of_value(value)) is not None)
        if (default := text_of_value(schema.get("default"))) is not None:
            yield "default", default

    def _is_there(self, keyword: str, value: str, nodes: list[JsonObject], place: str) -> bool:
        family = _FOR.get(keyword)
        if not place:
            return _says_of_body(self.about, nodes, keyword, value)
        if family and not any(family in _families(node.get("type")) for node in nodes):
            return True  # what the types are is compared by itself
        if any(_holds(node, keyword, value) for node in nodes):
            return True
        return self._is_told(value, nodes if keyword in _IN_WORDS else [], place)

    def _is_told(self, value: str, nodes: Iterable[JsonObject], place: str) -> bool:
        """Whether words about the place say it: a warning, or the description of one of `nodes`."""
        words = [text_at(node, "description") for node in nodes]
        words += [each for each in self.told if _is_about(each, place)]
        if "." not in place:
            words.append(self.about)
        return _names("\n".join(words), value)

    def _ends(self, nodes: list[JsonObject], place: str) -> bool:
        """Whether the tool or a warning says that not all is told there, or at a place above."""
        words = [text_at(node, "description") for node in nodes]
        words += [each for each in self.told if _is_about(each, place)]
        return any(end in each for end in ENDS for each in words)


def _with_branches(nodes: Iterable[JsonValue]) -> Iterator[JsonObject]:
    for node in nodes:
        if isinstance(node, dict):
            yield node
            branches = array_at(node, "anyOf")
            if branches[:4] != _ANY_VALUE:
                yield from _with_branches(branches)


def _says_of_body(about: str, nodes: list[JsonObject], keyword: str, value: str) -> bool:
    """Of a body whose properties are arguments; one that may be null is an object, or is not sent."""
    if keyword in ("minProperties", "maxProperties"):
        return "Number of keys" in about and _names(about, value)
    return value == "null" or any(_holds(node, keyword, value) for node in nodes) or _names(about, value)


def _families(types: JsonValue) -> set[str]:
    return {"number" if name == "integer" else name for name in _names_of(types)}


def _names_of(types: JsonValue) -> Iterator[str]:
    for name in types if isinstance(types, list) else [types]:
        if isinstance(name, str) and name:
            yield name


def _holds(node: JsonObject, keyword: str, value: str) -> bool:
    """Whether the keyword of a tool's node says as much, or more."""
    if keyword == "type":
        types = {*_names_of(node.get("type"))}
        is_null = value == "null" and (
            None in array_at(node, "enum") or "May be null" in text_at(node, "description")
        )
        return value in types or is_null or (value == "integer" and "number" in types)
    if keyword == "enum":
        listed = [*array_at(node, "enum"), *array_at(object_at(node, "items"), "enum")]
        return any(plain_number(each) == plain_number(value) for each in listed)
    if keyword in LOWER or keyword in UPPER:
        return _is_as_tight(node, keyword, value)
    if keyword == "uniqueItems":
        return node.get(keyword) is True
    if keyword == "pattern":
        return _unescaped(node.get(keyword)) == _unescaped(value)
    own = node.get(keyword)
    return own is not None and plain_number(own) == plain_number(value)


def _unescaped(pattern: JsonValue) -> str:
    """Without backslashes before what needs none; both forms find the same."""
    return re.sub(r"\\([^\w\s])", r"\1", str(pattern))


def _is_as_tight(node: JsonObject, keyword: str, value: str) -> bool:
    keys = [
        key for key in (*LOWER, *UPPER) if key.lower().endswith(keyword.removeprefix("exclusive").lower())
    ]
    bound = _number(value)
    if bound is None:
        return True  # nothing that a bound may be
    if abs(bound) >= 2**63 and value in text_at(node, "description"):
        return True  # beyond what integers can be; only described
    others = [number for key in keys if (number := _number(node.get(key))) is not None]
    return any(other >= bound if keyword in LOWER else other <= bound for other in others)


def _number(value: JsonValue) -> float | None:
    try:
        number = float(cast("str | float", value))
    except (TypeError, ValueError, OverflowError):
        return None
    return None if math.isnan(number) else number


def _is_about(warning: str, place: str) -> bool:
    subject = re.sub(r"\(\d+\)", "", warning.partition(": ")[0])
    return place == subject or place.startswith((f"{subject}.", f"{subject}["))


def _names(words: str, value: str) -> bool:
    escaped = json.dumps(value, ensure_ascii=False)[1:-1]
    return any(re.search(rf"(?<!\w){re.escape(each)}(?!\w)", words) for each in (value, escaped))
