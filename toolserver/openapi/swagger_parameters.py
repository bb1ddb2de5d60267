"""Converts parameters of Swagger 2.0 to parameters and form fields of OpenAPI 3.

Receives parameter objects; gives their OpenAPI 3 forms. Where OpenAPI 3 cannot express how an array is joined
(tabs; spaces or pipes outside of queries and forms; arrays of arrays), the array becomes a string that its
description explains.
"""

from toolserver.json_types import JsonObject, JsonValue, object_at, text_at, with_texts_of
from toolserver.openapi.edits import EXTENSION

_COPIED_KEYS = frozenset(("name", "in", "required", "description", "allowEmptyValue"))
_SCHEMA_KEYS = frozenset(
    (
        *("type", "format", "items", "enum", "default", "pattern", "title", "example"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "x-nullable"),
    )
)
KEYWORDS_OF_SCHEMAS = _SCHEMA_KEYS.union(("collectionFormat",)) - {"example", "x-nullable"}
"""Keywords that Swagger 2.0 has in a parameter, and OpenAPI 3 in its schema alone."""

_KEYS_OF_MOST = frozenset(("name", "in", "required", "description", "type"))
"""Keys that most parameters have and no others; only `type` is one of `_SCHEMA_KEYS`."""

_SAYS_NO_MORE = frozenset(("type", "title", "description", "default", "example", "examples"))
"""Keys that do not keep a text from being empty."""

_SEPARATORS = {"csv": "commas", "ssv": "spaces", "tsv": "tab characters", "pipes": "the character |"}
_STYLES = {
    "csv": ("form", False),
    "multi": ("form", True),
    "ssv": ("spaceDelimited", False),
    "pipes": ("pipeDelimited", False),
}
"""Style and explode by `collectionFormat`."""

_LISTED = ("query", "formData")
"""Places where several styles exist."""

BODY_PLACES = ("body", "formData")
"""Places of parameters that belong to the request body."""


def is_body_part(node: JsonValue) -> bool:
    """Whether a parameter belongs to the request body."""
    return isinstance(node, dict) and node.get("in") in BODY_PLACES


def is_swagger_form(node: JsonObject) -> bool:
    """Whether a parameter of OpenAPI 3 is written as in Swagger 2.0: keywords in place of a schema."""
    return not KEYWORDS_OF_SCHEMAS.isdisjoint(node) and "schema" not in node and "content" not in node


def media_types_at(holder: JsonObject, key: str) -> list[str]:
    """The strings in `consumes` or `produces`."""
    listed = holder.get(key)
    return [each for each in listed if isinstance(each, str) and each] if isinstance(listed, list) else []


def parameter_of(node: JsonObject) -> JsonObject:
    """The OpenAPI 3 form of a parameter outside the body."""
    converted: JsonObject = {key: value for key, value in node.items() if key in _COPIED_KEYS}
    if node.get("x-deprecated") is True or node.get("deprecated") is True:
        converted["deprecated"] = True
    converted["schema"] = schema_of(node)
    if note := _separator_note(node):
        converted["description"] = f"{text_at(node, 'description')} {note}".strip()
    style, explode = style_of(node)
    if style is not None:
        converted |= {"style": style, "explode": explode}
    return converted


def or_empty(schema: JsonValue) -> JsonValue:
    """The schema of a value that may also be left empty (`allowEmptyValue`)."""
    if isinstance(schema, dict) and schema.get("type") == "string" and _SAYS_NO_MORE.issuperset(schema):
        return schema
    return {"anyOf": [schema, {"type": "string", "enum": [""]}]}


def style_of(node: JsonObject) -> tuple[str | None, bool | None]:
    """Style and explode of a parameter outside the body; None for both where the defaults apply."""
    if node.get("type") != "array" or node.get("in") != "query" or _separator_note(node):
        return None, None
    return _STYLES[_format(node)]


def schema_of(node: JsonObject) -> JsonValue:
    """The schema: the one under `schema`, or one made of the parameter's own keywords.

    Form fields keep their description in it; nothing else in OpenAPI 3 could carry it.
    """
    schema = node.get("schema")
    if isinstance(schema, dict):
        return {"type": "string", "format": "binary"} if schema.get("type") == "file" else schema
    kind, note = node.get("type"), ""
    own: JsonObject = (
        {"type": kind}
        if kind is not None and _KEYS_OF_MOST.issuperset(node)
        else with_texts_of(node, {key: value for key, value in node.items() if key in _SCHEMA_KEYS})
    )
    if kind == "file":
        own |= {"type": "string", "format": "binary"}
    elif kind == "array":
        note = _separator_note(node)
        items = object_at(node, "items")
        if note:
            own = {"type": "string"}
        elif _is_array(items):  # only for "multi", which repeats the parameter for each of them
            own["items"] = {"type": "string", "description": f"Several values, {_separated(items)}."}
    if "x-nullable" in own and own.pop("x-nullable") is True:
        own["nullable"] = True
    if node.get("in") == "formData":
        about = text_at(node, "description")
        if description := (f"{about} {note}" if note else about).strip():
            own["description"] = description
        if EXTENSION in node:
            own[EXTENSION] = node[EXTENSION]
    return own


def encoding_of(node: JsonObject) -> JsonObject:
    """The encoding of a form field that is an array; {} for the default."""
    if _separator_note(node) or text_at(object_at(node, "items"), "type") == "file":
        return {}
    style, explode = _STYLES[_format(node)]
    return {"style": style, "explode": explode}


def _is_array(node: JsonObject) -> bool:
    return node.get("type") == "array"


def _format(node: JsonObject) -> str:
    """How the items are joined; "multi" exists only in queries and forms (Swagger 2.0, Parameter Object)."""
    collection_format = text_at(node, "collectionFormat")
    if collection_format == "multi":
        return "multi" if node.get("in") in _LISTED else "csv"
    return collection_format if collection_format in _SEPARATORS else "csv"


def _separator_note(node: JsonObject) -> str:
    if not _is_array(node):
        return ""
    collection_format = _format(node)
    if collection_format == "multi":
        return ""
    expressible = ("csv", "ssv", "pipes") if node.get("in") in _LISTED else ("csv",)
    if collection_format in expressible and not _is_array(object_at(node, "items")):
        return ""
    return f"Several values, {_separated(node)}."


def _separated(node: JsonObject) -> str:
    """How an array is joined, and in turn the arrays in it, in words, since OpenAPI 3 cannot express it."""
    separator = _SEPARATORS.get(_format(node), _SEPARATORS["csv"])  # only a parameter itself can be repeated
    text = f"separated by {separator}"
    items = object_at(node, "items")
    return f"{text}, each of them several values, {_separated(items)}" if _is_array(items) else text
