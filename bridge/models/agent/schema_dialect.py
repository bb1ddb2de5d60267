"""Fits schemas of arguments to a provider that takes few of JSON Schema's keywords. Pure.

What a keyword can no longer say stands in words, at the end of the description, as `toolserver.schema.hints`
words it: nothing that a model needs is lost. A sentence that stands there already is not repeated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from bridge.settings.chat.provider_rules import SchemaRules
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at
from toolserver.schema.hints import describe_constraints, find_sentence, join_sentences

MAX_LEVELS = 100
"""Maximum levels of a schema that are looked into; ours have fewer, a caller's any number. Chosen."""

_ANY_ITEM: JsonObject = {"type": "string", "description": "Of any kind."}
"""Items of an array that says nothing of them, which the providers of this dialect refuse."""

_ALTERNATIVES = ("anyOf", "oneOf")


def fit_schema(schema: JsonObject, rules: SchemaRules) -> JsonObject:
    """Return the schema as the provider takes it; it says the same of values, in keywords or in words."""
    return _Fitting(rules).fit_node(schema, 0)


class _Fitting:
    """One schema on its way into a dialect."""

    def __init__(self, rules: SchemaRules) -> None:
        self._rules = rules

    def fit_node(self, node: JsonObject, level: int) -> JsonObject:
        if level > MAX_LEVELS:
            return {"type": "object"}
        node = join_all_of(node)
        for key in _ALTERNATIVES:
            if branches := [each for each in array_at(node, key) if isinstance(each, dict)]:
                rest = {name: value for name, value in node.items() if name not in _ALTERNATIVES}
                return self._fit_alternatives(rest, branches, level)
        types = _types_of(node)
        if len(types) > 1:
            branches = [cast("JsonObject", {"type": name}) for name in types]
            return self._fit_alternatives(node, branches, level, nullable=_takes_null(node))
        return self._fit_plain(node, types, level)

    def _fit_alternatives(
        self, rest: JsonObject, branches: Sequence[JsonObject], level: int, *, nullable: bool = False
    ) -> JsonObject:
        """Return forms that stand alone: each has what stood beside them, the first the description, too."""
        real = [branch for branch in branches if _types_of(branch) or not _takes_null(branch)]
        beside = {key: value for key, value in rest.items() if key not in ("description", "title")}
        forms: list[JsonValue] = []
        for branch in real or [{}]:
            own = {**_fitting_parts(beside, branch), **branch}
            if not forms and (description := text_at(rest, "description")):
                own["description"] = join_sentences(description, text_at(branch, "description"))
            form = self.fit_node(own, level + 1)
            forms += array_at(form, "anyOf") or [form]
        if nullable or len(real) < len(branches):
            forms[0] = {**cast("JsonObject", forms[0]), "nullable": True}
        return cast("JsonObject", forms[0]) if len(forms) == 1 else {"anyOf": forms}

    def _fit_plain(self, node: JsonObject, types: Sequence[str], level: int) -> JsonObject:
        rules, lost = self._rules, dict[str, JsonValue]()
        kind = types[0] if types else ""
        fitted: JsonObject = {"type": kind} if kind else {}
        for key, value in node.items():
            if key in ("type", "description") or self._fit_children(fitted, key, value, level):
                continue
            if key in ("enum", "const"):
                values = value if isinstance(value, list) else [value]
                self._fit_values(fitted, lost, [each for each in values if each is not None], kind)
            elif key not in rules.keywords or (key == "format" and value not in rules.formats.get(kind, ())):
                lost[key] = value
            else:
                fitted[key] = value
        if _takes_null(node):
            fitted["nullable"] = True
        if kind == "array":
            fitted.setdefault("items", _ANY_ITEM)
        told = with_words(text_at(node, "description"), lost)
        return {**fitted, "description": told} if told else fitted

    def _fit_children(self, fitted: JsonObject, key: str, value: JsonValue, level: int) -> bool:
        """Fit what holds schemas; whether it was that."""
        if key in ("properties", "$defs") and isinstance(value, dict):
            fitted[key] = {
                name: self.fit_node(each, level + 1) if isinstance(each, dict) else {}
                for name, each in value.items()
            }
        elif key == "items" and isinstance(value, dict):
            fitted[key] = self.fit_node(value, level + 1) or _ANY_ITEM
        else:
            return False
        return True

    def _fit_values(
        self, fitted: JsonObject, lost: dict[str, JsonValue], values: list[JsonValue], kind: str
    ) -> None:
        """Keep values that are texts; if one is empty, the others would forbid it: words say all."""
        if kind in ("", "string") and values and all(isinstance(each, str) and each for each in values):
            fitted["enum"] = values
        else:
            lost["enum"] = values


def _fitting_parts(beside: JsonObject, branch: JsonObject) -> JsonObject:
    """Return what stood beside forms that belongs to one of them: nothing that is about another type."""
    types = _types_of(branch)
    return {
        key: value
        for key, value in beside.items()
        if not types or key not in _OF_TYPES or _OF_TYPES[key] & set(types)
    }


_TEXTS = frozenset({"string"})
_NUMBERS = frozenset({"number", "integer"})
_ARRAYS = frozenset({"array"})
_OBJECTS = frozenset({"object"})

_OF_TYPES: Mapping[str, frozenset[str]] = {
    key: types
    for types, keys in (
        (_TEXTS, ("minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType")),
        (_NUMBERS, ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")),
        (_ARRAYS, ("items", "prefixItems", "minItems", "maxItems", "uniqueItems")),
        (_OBJECTS, ("properties", "required", "additionalProperties", "minProperties", "maxProperties")),
    )
    for key in keys
}
"""Keywords that are about values of one type."""


def _types_of(node: JsonObject) -> list[str]:
    """Return the types of a node without null; empty: it does not say."""
    said = node.get("type")
    names = said if isinstance(said, list) else [said]
    return [name for name in names if isinstance(name, str) and name != "null"]


def _takes_null(node: JsonObject) -> bool:
    said = node.get("type")
    return said == "null" or (isinstance(said, list) and "null" in said) or node.get("nullable") is True


def join_all_of(node: JsonObject) -> JsonObject:
    """Return a node with the members of its `allOf`; of the tools of callers, ours have none."""
    parts = [part for part in array_at(node, "allOf") if isinstance(part, dict)]
    if not parts:
        return node
    joined: JsonObject = {}
    for part in (*parts, {key: value for key, value in node.items() if key != "allOf"}):
        properties = {**object_at(joined, "properties"), **object_at(part, "properties")}
        required = [*dict.fromkeys([*array_at(joined, "required"), *array_at(part, "required")])]
        joined = {**joined, **part}
        if properties:
            joined["properties"] = properties
        if required:
            joined["required"] = required
    return joined


def with_words(description: str, lost: Mapping[str, JsonValue]) -> str:
    """Return a description that says what its keywords said."""
    for key, value in lost.items():
        said = _in_words(key, value)
        if said and find_sentence(description, said) < 0:
            description = join_sentences(description, said)
    return description


def _in_words(key: str, value: JsonValue) -> str:
    if key == "additionalProperties" and isinstance(value, dict) and value:
        return f"Further keys are allowed; their values: {form_in_words(value)}."
    if key == "prefixItems" and isinstance(value, list):
        forms = [form_in_words(each) if isinstance(each, dict) else "anything" for each in value]
        return f"Items in this order: {'; '.join(forms)}."
    return describe_constraints({key: value})


def form_in_words(schema: JsonObject) -> str:
    """Return a schema in a few words, without a final stop; its parts by their names."""
    kind = " or ".join(_types_of(schema)) or "anything"
    names = ", ".join(f"`{name}`" for name in object_at(schema, "properties"))
    parts = [kind, f"with {names}" if names else "", text_at(schema, "description").rstrip(".")]
    constraints = describe_constraints({k: v for k, v in schema.items() if k != "description"}).rstrip(".")
    return ", ".join(part for part in (*parts, constraints) if part)
