"""Fits a schema of arguments to a provider that takes no forms at its root, only an object. Pure.

Our own tools are such objects; those of callers may be anything. The properties of all forms become one list,
and words at the end of the description say what belongs together.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from bridge.models.agent.schema_dialect import form_in_words, join_all_of, with_words
from toolserver.json_types import JsonObject, JsonValue, array_at, dump_json, object_at, text_at
from toolserver.schema.hints import join_sentences

_FORMS = ("anyOf", "oneOf")


def with_plain_root(schema: JsonObject, refused: Set[str]) -> JsonObject:
    """Return the schema without the `refused` keywords at its root; itself where it has none of them."""
    if refused.isdisjoint(schema):
        return schema
    root = join_all_of(schema)
    forms = [each for key in _FORMS for each in array_at(root, key) if isinstance(each, dict)]
    plain: JsonObject = {"type": "object", **{key: root[key] for key in root if key not in refused}}
    plain["type"] = "object"
    description = with_words(text_at(root, "description"), _lost_values(root, refused))
    if forms:
        forms = [join_all_of(form) for form in forms]
        plain["properties"] = _all_properties([root, *forms])
        shared = set[str].intersection(*({*_required(form)} for form in forms))
        if required := [*dict.fromkeys([*_required(root), *sorted(shared)])]:
            plain["required"] = [*required]
        said = "; ".join(_in_words(form, shared) for form in forms)
        description = join_sentences(description, f"One of these forms: {said}.")
    if "not" in root and "not" in refused:
        description = join_sentences(description, f"Nothing that fits {dump_json(root['not']).decode()}.")
    return {**plain, "description": description} if description else plain


def _lost_values(root: JsonObject, refused: Set[str]) -> JsonObject:
    return {"enum": root["enum"]} if "enum" in root and "enum" in refused else {}


def _all_properties(nodes: Sequence[JsonObject]) -> JsonObject:
    """Return the properties of all nodes; one that they describe in several ways is any of these."""
    found: dict[str, list[JsonValue]] = {}
    for node in nodes:
        for name, schema in object_at(node, "properties").items():
            told = found.setdefault(name, [])
            if schema not in told:
                told.append(schema)
    return {name: told[0] if len(told) == 1 else {"anyOf": told} for name, told in found.items()}


def _required(node: JsonObject) -> list[str]:
    return [name for name in array_at(node, "required") if isinstance(name, str)]


def _in_words(form: JsonObject, shared: Set[str]) -> str:
    """Return a form in a few words, with the properties that it needs and not every form does."""
    needed = ", ".join(f"`{name}`" for name in _required(form) if name not in shared)
    said = form_in_words({"type": "object", **form})
    return f"{said}, which needs {needed}" if needed else said
