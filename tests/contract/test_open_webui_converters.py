"""What we advertise arrives whole through both of Open WebUI's readers, rebuilt in `tests/support`.

Two invariants (measured against 0.12.4 itself on 5,797 operations): the backend's tool has exactly the
schema that was sent, and the browser's tool has that schema's projection to the few keywords it keeps at
all.
"""

from pathlib import Path
from typing import cast

import jsonschema_rs
import orjson
import pytest

from tests.real_documents.corpus import Corpus
from tests.support.documents.open_webui_converters import read_as_backend, read_as_browser, seen_by_browser
from tests.support.documents.openapi import document_with
from toolserver.json_types import JsonObject, JsonValue
from toolserver.openapi.document import parse_document
from toolserver.tool.advertised_document import advertise_tools
from toolserver.tool.catalog import Tool
from toolserver.tool.compile import DocumentTools
from toolserver.tool.meta_tools import META_NAMES, META_TOOLS

EXAMPLES = Path(__file__).parents[2] / "examples" / "documents"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
ANY_ITEM: JsonValue = ["string", "number", "boolean", "object"]
FORBIDDEN = {"$ref", "allOf", "oneOf", "not", "if", "const", "nullable", "prefixItems", "discriminator"}

HARD_SCHEMAS: JsonObject = {
    "nullable text": {"type": "string", "nullable": True, "enum": ["a", "b"]},
    "anything": {},
    "true": True,
    "described only": {"description": "whatever"},
    "map": {"type": "object", "additionalProperties": {"type": "integer"}},
    "nullable object": {"type": ["object", "null"], "properties": {"x": {"type": "string"}}},
    "one of two": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "null"}}]},
    "optional": {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}]},
    "tuple": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "items": False},
    "list": {"type": "array"},
    "untyped": {"properties": {"inner": {"items": {"pattern": "^a"}}}},
    "tree": {"$ref": "#/components/schemas/Tree"},
    "merged": {"allOf": [{"$ref": "#/components/schemas/Tree"}, {"required": ["label"]}]},
    "either": {
        "type": "object",
        "properties": {"a": {}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    },
    "several": {"type": ["string", "object", "array", "null"], "maxLength": 3},
    "nothing": {"type": "null"},
    "keyed": {
        "type": "object",
        "patternProperties": {"^x-": {"oneOf": [{"type": "integer"}, {"$ref": "#/components/schemas/Tree"}]}},
        "propertyNames": {"maxLength": 9},
        "dependentRequired": {"x-a": ["x-b"]},
        "if": {"required": ["x-a"]},
        "then": {"maxProperties": 3},
        "not": {"const": {}},
    },
    "lost": {"$ref": "#/components/schemas/Nowhere"},
    "$ref": {"type": "string"},
    "__proto__": {"type": "string"},
}
TREE: JsonObject = {
    "Tree": {
        "type": "object",
        "properties": {
            "label": {"type": "string", "readOnly": False},
            "id": {"type": "integer", "readOnly": True},
            "children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}},
        },
    }
}


def advertised(document: DocumentTools) -> JsonObject:
    tools = [
        Tool(operation.suggested_name, "server", operation) for operation in document.compiled.operations
    ]
    return orjson.loads(
        advertise_tools(
            tools,
            lambda tool: document.schema_of(tool.operation.key).schema_json,
            title="T",
            description="",
            version="1",
        )
    )


def hard_document() -> DocumentTools:
    body: JsonObject = {
        "required": True,
        "content": {"application/json": {"schema": {"type": "object", "properties": HARD_SCHEMAS}}},
    }
    operation: JsonObject = {"operationId": "hard", "requestBody": body}
    document = document_with({"/hard": {"post": operation}}, components={"schemas": TREE})
    return DocumentTools(document, source_url=None)


def unchanged(schema: JsonValue) -> JsonValue:
    return schema


def schema_of(document: DocumentTools, key: str) -> JsonObject:
    return cast(JsonObject, orjson.loads(document.schema_of(key).schema_json))


def check(tools: DocumentTools) -> None:
    document, compiled = advertised(tools), tools.compiled
    for reader, expected in ((read_as_backend, unchanged), (read_as_browser, seen_by_browser)):
        read = {tool.name: tool for tool in reader(document)}
        assert len(read) == len(compiled.operations)
        for operation in compiled.operations:
            tool = read[operation.suggested_name]
            sent = schema_of(tools, operation.key)
            assert tool.parameters == expected(sent), operation.key
            assert tool.description == operation.description


def nodes_of(schema: JsonValue) -> list[JsonObject]:
    """Every schema node of an argument schema, its root included."""
    if not isinstance(schema, dict):
        return []
    inner: list[JsonValue] = list(cast(JsonObject, schema.get("properties", {})).values())
    inner += list(cast(JsonObject, schema.get("patternProperties", {})).values())
    inner += [schema[key] for key in ("items", "additionalProperties", "propertyNames") if key in schema]
    inner += cast("list[JsonValue]", schema.get("anyOf", []))
    return [schema, *(node for value in inner for node in nodes_of(value))]


def check_form(schema: JsonObject) -> None:
    assert jsonschema_rs.meta.is_valid({**schema, "$schema": DIALECT})
    assert list(schema) == ["type", "properties", "required"]
    for node in nodes_of(schema):
        assert node, "an empty schema"
        assert not FORBIDDEN & node.keys()
        assert ("type" in node) != ("anyOf" in node)
        types = node.get("type")
        assert not (
            isinstance(types, list) and {"array", "object"} & set(map(str, types)) and types != ANY_ITEM
        )
        assert types != "array" or isinstance(node["items"], dict)


@pytest.mark.parametrize("name", ["library.yaml", "shop.json", "thermostat.yaml"])
def test_our_own_documents_arrive_whole(name: str) -> None:
    """They are what a new user tries first."""
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    check(DocumentTools(parse_document(text), source_url="http://127.0.0.1:9/openapi.json"))


def test_the_bridges_own_tools_arrive_whole() -> None:
    """They stand beside the others in the same document."""
    body = advertise_tools(
        [], lambda _: b"{}", meta_tools=META_TOOLS, title="Tools", description="", version="1"
    )
    document = cast(JsonObject, orjson.loads(body))
    for reader, expected in ((read_as_backend, unchanged), (read_as_browser, seen_by_browser)):
        read = {tool.name: tool for tool in reader(document)}
        assert read.keys() == META_NAMES
        for meta in META_TOOLS:
            sent = cast(JsonObject, orjson.loads(meta.schema_json))
            check_form(sent)
            assert read[meta.name].parameters == expected(sent)


def test_schemas_that_neither_reader_survives_as_written_arrive_whole() -> None:
    """Each of these loses or breaks something when passed on as the document has it."""
    document = hard_document()
    check(document)
    check_form(schema_of(document, "POST /hard"))


def test_the_backend_stand_in_breaks_what_the_real_one_breaks() -> None:
    """An invariant proves nothing against a reader that loses nothing."""
    sent: JsonObject = {
        "chosen": {"oneOf": [{"type": "integer"}, {"type": "string"}]},
        "free": {"description": "any"},
        "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    }
    tool = read_as_backend(written({"type": "object", "properties": sent}))[0]
    assert tool.parameters["properties"] == {
        "chosen": {"oneOf": [{"type": "integer"}, {"type": "string"}], "type": "string"},
        "free": {"description": "any", "type": "string"},
        "maybe": {"type": "integer"},
    }
    with pytest.raises(TypeError):
        read_as_backend(written({"type": "object", "properties": {"any": True}}))


def test_the_browser_stand_in_breaks_what_the_real_one_breaks() -> None:
    """It forgets constraints, and a schema that contains itself ends all of the user's tool servers."""
    sent: JsonObject = {
        "kind": {"type": "string", "enum": ["a"], "default": "a"},
        "maybe": {"type": ["object", "null"], "properties": {"lost": {"type": "string"}}},
        "free": {"description": "any"},
    }
    tool = read_as_browser(written({"type": "object", "properties": sent}))[0]
    assert tool.parameters["properties"] == {
        "kind": {"type": "string"},
        "maybe": {"type": ["object", "null"]},
        "free": {},
    }
    with pytest.raises(RecursionError):
        read_as_browser(written({"$ref": "#/components/schemas/Tree"}))


def written(schema: JsonValue) -> JsonObject:
    """A document as its author wrote it."""
    body: JsonObject = {"content": {"application/json": {"schema": schema}}}
    return {
        "paths": {"/x": {"post": {"operationId": "x", "requestBody": body}}},
        "components": {"schemas": TREE},
    }


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_every_real_document_arrives_whole(corpus: Corpus) -> None:
    """The measured form has to hold for what people really add, thousands of operations of it."""
    files, operations = corpus.find(), 0
    for path in files.values():
        parsed = parse_document(path.read_text(encoding="utf-8"))
        document = DocumentTools(parsed, source_url="https://api.example/openapi.json")
        check(document)
        for operation in document.compiled.operations:
            check_form(schema_of(document, operation.key))
        operations += len(document.compiled.operations)
    assert operations > 0.99 * sum(document.operations for document in files)
