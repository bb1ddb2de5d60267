"""Says what of a parameter or media type is written in a form that is guessed at, or read as "any value".

Receives parameter and media type objects; gives a sentence for whoever adds the document, "" where all of it
is read as it stands. An empty schema (`{}`) is its author's own "any value", and nothing odd.
"""

from toolserver.errors import quote_text
from toolserver.json_types import JsonObject, JsonValue, object_at, text_at
from toolserver.openapi.swagger_parameters import BODY_PLACES, KEYWORDS_OF_SCHEMAS, is_swagger_form

_ANY = "any value is accepted"
_OF_MEDIA = KEYWORDS_OF_SCHEMAS.union(
    ("properties", "allOf", "anyOf", "oneOf", "additionalProperties", "required")
) - {"title", "collectionFormat"}
"""Keywords of a schema, none of which a media type has."""


def describe_odd_parameter(node: JsonObject, *, is_swagger: bool) -> str:
    """The sentence about a parameter."""
    schema = node.get("schema")
    if is_swagger:
        return "" if schema is None and "type" in node else _in_swagger(node, schema)
    if not isinstance(schema, (dict, bool)):
        return _without_schema(node)
    if KEYWORDS_OF_SCHEMAS.isdisjoint(node):
        return ""
    beside = _list_keywords(node, KEYWORDS_OF_SCHEMAS)
    return f"Left out, because it stands beside the schema of the {_name(node)}: {beside}."


def describe_odd_media(media: JsonObject, named: str) -> str:
    """The sentence about a media type object; `named`: what it is of, such as "request body"."""
    schema = media.get("schema")
    if isinstance(schema, (dict, bool)) or "itemSchema" in media:
        return ""
    if "schema" in media:
        return f"The schema of the {named} is no object; {_ANY}."
    if _OF_MEDIA.isdisjoint(media):
        return ""
    beside = _list_keywords(media, _OF_MEDIA)
    return f"Left out, because it stands in no `schema` of the {named}: {beside}. So {_ANY}."


def _without_schema(node: JsonObject) -> str:
    named = _name(node)
    if "schema" in node:
        return f"The schema of the {named} is no object; {_ANY}."
    if is_swagger_form(node):
        return f"The {named} is written as in Swagger 2.0, and read so."
    contents = [*object_at(node, "content").values()]
    if not contents:
        return f"The {named} has no schema; {_ANY}."
    return describe_odd_media(contents[0], named) if isinstance(contents[0], dict) else ""


def _in_swagger(node: JsonObject, schema: JsonValue) -> str:
    named = _name(node)
    if node.get("in") == BODY_PLACES[0]:
        return "" if isinstance(schema, (dict, bool)) else f"The {named} has no schema; {_ANY}."
    if isinstance(schema, dict):
        return f"The {named} is written as in OpenAPI 3, and read so."
    return f"The {named} has no type; {_ANY}." if KEYWORDS_OF_SCHEMAS.isdisjoint(node) else ""


def _name(node: JsonObject) -> str:
    return f"parameter {quote_text(text_at(node, 'name'))}"


def _list_keywords(node: JsonObject, keywords: frozenset[str]) -> str:
    return ", ".join(f"`{key}`" for key in node if key in keywords)
