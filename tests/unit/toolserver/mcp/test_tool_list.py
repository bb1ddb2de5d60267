"""Tools of MCP servers, out of the list that a page read from one."""

import json
from typing import Any

import orjson
import pytest

from toolserver.errors import DocumentError
from toolserver.json_types import JsonObject, JsonValue
from toolserver.openapi.bundle import bundle_document
from toolserver.openapi.document import parse_document
from toolserver.tool.compile import CompiledDocument, CompiledOperation, DocumentTools

ENDPOINT = "http://127.0.0.1:8767/mcp"

ECHO: JsonObject = {
    "name": "echo",
    "title": "Echo",
    "description": "Gives a text back.",
    "inputSchema": {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
        "additionalProperties": False,
    },
}


def list_of(*tools: JsonValue, **more: JsonValue) -> str:
    """A tool list as a page posts it."""
    about: JsonObject = {
        "mcp": "2026-07-28",
        "endpoint": ENDPOINT,
        "server": {"name": "notes", "title": "Notes", "version": "2"},
    }
    return json.dumps({**about, "tools": list(tools), **more})


def tools_of(*tools: JsonValue, **more: JsonValue) -> DocumentTools:
    """The compiled tool list."""
    return DocumentTools(parse_document(list_of(*tools, **more)), source_url=ENDPOINT)


def compiled_of(*tools: JsonValue, **more: JsonValue) -> CompiledDocument:
    """The same, without schemas."""
    return tools_of(*tools, **more).compiled


def only_one(*tools: JsonValue, **more: JsonValue) -> CompiledOperation:
    """The only tool of a list."""
    (operation,) = compiled_of(*tools, **more).operations
    return operation


def plan_of(operation: CompiledOperation) -> dict[str, Any]:
    """Its plan."""
    return orjson.loads(operation.plan_json)


def schema_of(tools: DocumentTools, name: str) -> dict[str, Any]:
    """The argument schema of a tool."""
    return orjson.loads(tools.schema_of(f"CALL {name}").schema_json)


def test_a_tool_list_is_a_document_of_its_own_kind() -> None:
    """What reads documents reads it too; what shows them can say what it is."""
    compiled = compiled_of(ECHO, instructions="Ask before you delete.")
    assert (compiled.kind, compiled.openapi) == ("mcp", "2026-07-28")
    assert (compiled.title, compiled.version_text) == ("Notes", "2")
    assert compiled.description == "Ask before you delete."
    assert (compiled.base_url, compiled.origins) == (ENDPOINT, ("http://127.0.0.1:8767",))
    assert compiled.warnings == ()


def test_a_plan_pins_endpoint_tool_and_the_whole_definition() -> None:
    """Ruling 41: this is all that a page may ever send for it."""
    operation = only_one(ECHO)
    assert (operation.key, operation.method, operation.path) == ("CALL echo", "CALL", "echo")
    assert plan_of(operation) == {
        "version": 1,
        "kind": "mcp",
        "method": "POST",
        "base_url": ENDPOINT,
        "path": "",
        "tool": ECHO,
        "parameters": [],
        "body": {
            "content_type": "application/json",
            "required": True,
            "properties": [{"argument": "text", "name": "text"}],
            "additional": False,
        },
        "accept": "application/json, text/event-stream",
        "security": [],
        "safe": False,
        "idempotent": False,
        "unsendable": [],
    }


def test_annotations_never_make_an_mcp_tool_safe() -> None:
    """A server says of itself what it likes; only the user loosens the policy (ruling 40)."""
    claims: JsonObject = {"readOnlyHint": True, "idempotentHint": True, "destructiveHint": False}
    operation = only_one({**ECHO, "annotations": claims})
    assert (operation.safe, operation.idempotent) == (False, False)
    assert plan_of(operation)["safe"] is False


@pytest.mark.parametrize(
    "change",
    [
        {"description": "Gives a text back, and sends it to us."},
        {"title": "Say"},
        {"annotations": {"readOnlyHint": True}},
        {"inputSchema": {"type": "object", "properties": {"text": {"type": "string", "maxLength": 9}}}},
        {"outputSchema": {"type": "object"}},
        {"_meta": {"x": 1}},
    ],
)
def test_whatever_changes_in_a_definition_changes_its_digest(change: JsonObject) -> None:
    """A server whose tools change after acceptance is paused, whichever part it changes."""
    assert only_one(ECHO).digest != only_one({**ECHO, **change}).digest


def test_what_a_tool_says_of_its_answer_becomes_a_line() -> None:
    """A model chooses by what comes back, and asks for parts of it, whatever kind of server answers."""
    answer: JsonObject = {
        "type": "object",
        "properties": {"notes": {"type": "array", "items": {"$ref": "#/$defs/Note"}}, "next": {}},
        "$defs": {"Note": {"properties": {"id": {}, "text": {}, "parent": {"$ref": "#/$defs/Note"}}}},
    }
    assert only_one({**ECHO, "outputSchema": answer}).answer == "{notes: [{id, text, parent: {…}}], next}"
    nowhere: JsonObject = {"properties": {"text": {"$ref": "#/components/schemas/Elsewhere"}}}
    assert only_one({**ECHO, "outputSchema": nowhere}).answer == "{text}"
    nothing: list[JsonValue] = [None, "text", []]
    for none in nothing:
        assert only_one({**ECHO, "outputSchema": none}).answer == ""
    assert only_one(ECHO).answer == ""


def test_answers_of_equal_references_are_each_tools_own() -> None:
    """Two tools may call different things by one name."""

    def tool(name: str, field: str) -> JsonObject:
        return {
            **ECHO,
            "name": name,
            "outputSchema": {"$ref": "#/$defs/It", "$defs": {"It": {"properties": {field: {}}}}},
        }

    listed = compiled_of(tool("a", "one"), tool("b", "two")).operations
    assert [operation.answer for operation in listed] == ["{one}", "{two}"]


def test_a_tool_that_did_not_change_keeps_its_digest_beside_one_that_did() -> None:
    """Only what changed pauses (ruling 19)."""
    other: JsonObject = {"name": "other", "inputSchema": {"type": "object"}}
    before = {operation.key: operation.digest for operation in compiled_of(ECHO, other).operations}
    changed = compiled_of({**ECHO, "description": "New."}, other, mcp="2025-11-25")
    after = {operation.key: operation.digest for operation in changed.operations}
    assert before["CALL other"] == after["CALL other"]
    assert before["CALL echo"] != after["CALL echo"]


def test_references_stay_inside_the_schema_of_their_tool() -> None:
    """Two tools may both define `#/$defs/Place`, and mean different things."""

    def tool(name: str, kind: str) -> JsonObject:
        return {
            "name": name,
            "inputSchema": {
                "type": "object",
                "properties": {"place": {"$ref": "#/$defs/Place"}},
                "$defs": {"Place": {"type": kind}},
            },
        }

    tools = tools_of(tool("one", "string"), tool("two", "integer"))
    assert schema_of(tools, "one")["properties"]["place"]["type"] == "string"
    assert schema_of(tools, "two")["properties"]["place"]["type"] == "integer"


def test_a_reference_to_the_network_is_never_followed_and_costs_no_tool() -> None:
    """The specification forbids it; the argument becomes free-form, with a warning."""
    away: JsonObject = {
        "name": "away",
        "inputSchema": {
            "type": "object",
            "properties": {"x": {"$ref": "https://evil.example/schema.json"}, "y": {"type": "string"}},
        },
    }
    tools = tools_of(away)
    assert schema_of(tools, "away")["properties"]["y"]["type"] == "string"
    assert "evil.example" in " ".join(tools.schema_of("CALL away").warnings)
    bundle = bundle_document(list_of(away), source_url=ENDPOINT, texts={})
    assert (bundle.text, bundle.missing) == (list_of(away), ())


@pytest.mark.parametrize(
    ("tool", "reason"),
    [
        ({"description": "Nameless."}, "has no name"),
        ("no object", "is not an object"),
        ({"name": "bare"}, "no inputSchema"),
        ({"name": "list", "inputSchema": {"type": "array"}}, "not an object"),
        ({"name": "x" * 600, "inputSchema": {"type": "object"}}, "longer than"),
        ({**ECHO, "description": "Again."}, "an earlier tool"),
        ({**ECHO, "name": "echo\u202eohce"}, "nobody sees"),
    ],
)
def test_a_broken_tool_never_hides_the_others(tool: JsonValue, reason: str) -> None:
    """It is listed with the reason."""
    compiled = compiled_of(ECHO, tool)
    assert [operation.key for operation in compiled.operations] == ["CALL echo"]
    (skipped,) = compiled.skipped
    assert (skipped.method, reason in skipped.reason) == ("CALL", True), skipped.reason


@pytest.mark.parametrize("schema", [{"type": "object"}, {"type": "object", "properties": {}}, {}])
def test_a_tool_without_arguments_takes_none(schema: JsonObject) -> None:
    """An empty object schema is how MCP servers say so; models must not be asked for a body."""
    tools = tools_of({"name": "now", "inputSchema": schema})
    assert schema_of(tools, "now") == {"type": "object", "properties": {}, "required": []}
    assert plan_of(tools.compiled.operations[0])["body"] is None


def test_arguments_that_are_alternatives_become_one_argument() -> None:
    """Their schema has no properties of its own."""
    either: JsonObject = {
        "type": "object",
        "oneOf": [
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
            {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]},
        ],
    }
    operation = only_one({"name": "either", "inputSchema": either})
    assert plan_of(operation)["body"]["argument"] == "body"


def test_names_that_providers_refuse_are_mapped_and_the_plan_keeps_the_servers_own() -> None:
    """MCP allows dots in the names of tools and anything in those of properties."""
    schema: JsonObject = {"type": "object", "properties": {"page[size]": {"type": "integer"}}}
    operation = only_one({"name": "files.list", "inputSchema": schema})
    assert operation.suggested_name == "files_list"
    plan = plan_of(operation)
    assert plan["tool"]["name"] == "files.list"
    assert plan["body"]["properties"] == [{"argument": "page_size", "name": "page[size]"}]


@pytest.mark.parametrize(
    ("endpoint", "base_url", "path"),
    [
        ("https://h.example/mcp/", "https://h.example/mcp", "/"),
        ("https://h.example/", "https://h.example", "/"),
        ("https://h.example/mcp?team={a}", "https://h.example/mcp", "?team=%7Ba%7D"),
        ("https://h.example:443/mcp#x", "https://h.example/mcp", ""),
    ],
)
def test_requests_go_to_the_endpoint_as_it_is_written(endpoint: str, base_url: str, path: str) -> None:
    """A slash at the end is another address, and its redirect would be refused."""
    plan = plan_of(only_one(ECHO, endpoint=endpoint))
    assert (plan["base_url"], plan["path"]) == (base_url, path)


def test_an_address_that_the_user_sets_replaces_the_endpoint() -> None:
    """As for any server."""
    document = parse_document(list_of(ECHO))
    compiled = DocumentTools(document, source_url=ENDPOINT, base_url="https://other.example/mcp").compiled
    assert compiled.origins == ("https://other.example",)
    assert plan_of(compiled.operations[0])["base_url"] == "https://other.example/mcp"


def test_title_and_description_are_what_a_model_reads() -> None:
    """The title first, as the summary of an operation."""
    assert only_one(ECHO).description == "Echo\n\nGives a text back."
    titled = only_one({"name": "t", "annotations": {"title": "Old style"}, "inputSchema": {}})
    assert titled.summary == "Old style"
    assert only_one({"name": "bare", "inputSchema": {}}).description == "CALL bare"


def test_a_list_that_is_none_is_refused() -> None:
    """It cannot be used at all."""
    with pytest.raises(DocumentError, match="tools"):
        parse_document('{"mcp": "2026-07-28", "endpoint": "http://x/mcp"}')
