"""The comparer of documents and tools: whatever is lost, it must find."""

import json

import pytest

from tests.support.documents.stated import Stated, read_stated
from tests.support.documents.stated_operation import OperationComparer
from toolserver.json_types import JsonObject, JsonValue, array_at
from toolserver.openapi.document import parse_document
from toolserver.tool.compile import DocumentTools

JSON = "application/json"
NAME: JsonObject = {"type": ["string", "null"], "pattern": "^x", "minLength": 2, "format": "hostname"}
EVEN: JsonObject = {"type": "array", "items": {"type": "integer", "multipleOf": 2}}


def document(**changes: JsonValue) -> JsonObject:
    """A document in which everything occurs that the comparer knows; `changes` replace its parts."""
    parts: JsonObject = {
        "openapi": "3.1.0",
        "q": {"type": "string", "enum": ["a", "b"]},
        "required": True,
        "style": "form",
        "explode": False,
        "header": {"type": "integer", "minimum": 1, "maximum": 9},
        "name": NAME,
        "names": ["name"],
        "tags": {**EVEN, "uniqueItems": True},
        "map": {"type": "object", "additionalProperties": {"type": "number"}},
        "content": [JSON],
        "security": [{"key": [], "login": ["read"]}],
        "url": "https://a.example/v1",
        **changes,
    }
    schema: JsonObject = {
        "type": "object",
        "required": parts["names"],
        "properties": {
            "name": parts["name"],
            "tags": parts["tags"],
            "map": parts["map"],
            "size": {"type": "integer", "default": 3},
        },
    }
    parameters: JsonValue = [
        {
            "name": "q",
            "in": "query",
            "required": parts["required"],
            "style": parts["style"],
            "explode": parts["explode"],
            "schema": parts["q"],
        },
        {"name": "X-H", "in": "header", "schema": parts["header"]},
    ]
    content: JsonObject = {str(each): {"schema": schema} for each in array_at(parts, "content")}
    body: JsonObject = {"required": True, "content": content}
    node: JsonObject = {
        "parameters": parameters,
        "security": parts["security"],
        "servers": [{"url": parts["url"]}],
        **({"requestBody": body} if content else {}),
    }
    login: JsonObject = {"type": "oauth2", "flows": {}}
    key: JsonObject = {"type": "apiKey", "in": "header", "name": "K"}
    return {
        "openapi": parts["openapi"],
        "components": {"securitySchemes": {"key": key, "login": login}},
        "paths": {"/x": {"post": node}},
    }


def lost_by(stated: JsonObject, made_of: JsonObject) -> set[str]:
    """What the comparer finds when the tool of another document is taken for that of the first."""
    tools = DocumentTools(parse_document(json.dumps(made_of)), source_url=None)
    (operation,) = tools.compiled.operations
    reader = Stated(read_stated(json.dumps(stated)))
    return {str(lost) for lost in OperationComparer(reader, tools, operation).list_lost()}


def test_nothing_is_found_where_nothing_is_lost() -> None:
    """Else each of its findings would have to be doubted."""
    assert lost_by(document(), document()) == set()


LOSSES: list[tuple[JsonObject, str]] = [
    ({"q": {"type": "string", "enum": ["a"]}}, "q: enum b"),
    ({"required": False}, "q: required "),
    ({"style": "spaceDelimited"}, "q: style form"),
    ({"explode": True}, "q: explode false"),
    ({"header": {"type": "integer", "maximum": 9}}, "X-H: minimum 1"),
    ({"header": {"type": "integer", "minimum": 0, "maximum": 9}}, "X-H: minimum 1"),
    ({"header": {"type": "integer", "minimum": 1, "maximum": 10}}, "X-H: maximum 9"),
    ({"header": {"type": "string"}}, "X-H: type integer"),
    ({"name": {**NAME, "type": "string"}}, "name: type null"),
    ({"name": {**NAME, "pattern": "x$"}}, "name: pattern ^x"),
    ({"name": {**NAME, "minLength": 1}}, "name: minLength 2"),
    ({"name": {**NAME, "format": "uri"}}, "name: format hostname"),
    ({"names": []}, "name: required "),
    ({"tags": {"type": "array", "items": {}, "uniqueItems": True}}, "tags[]: type integer"),
    ({"tags": EVEN}, "tags: uniqueItems true"),
    ({"map": {"type": "object"}}, "map.*: additionalProperties "),
    ({"content": []}, "body: body "),
    ({"content": ["application/xml"]}, "body: content type application/json"),
    ({"security": [{"key": []}]}, "security: alternative key and login"),
    ({"security": [{"key": [], "login": []}]}, "security: scope of login read"),
    ({"url": "https://b.example/v1"}, "servers: address https://a.example/v1"),
]


@pytest.mark.parametrize(("changes", "found"), LOSSES)
def test_whatever_is_lost_is_found(changes: JsonObject, found: str) -> None:
    """A comparer that overlooks a kind of loss proves nothing about it."""
    lost = lost_by(document(), document(**changes))
    assert found in lost
