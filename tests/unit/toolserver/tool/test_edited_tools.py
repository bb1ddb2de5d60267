"""Tools of a document that overlays edit."""

import json
from pathlib import Path

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.documents.compiled import compiled, document_text, operation, overlay_text, tools_of
from toolserver.json_types import JsonObject, JsonValue
from toolserver.openapi.overlay import parse_edited_document
from toolserver.operation.tool_edit import read_edit
from toolserver.tool.compile import CompiledOperation
from toolserver.tool.originals import Original, read_originals


def test_an_edit_without_a_target_is_part_of_what_its_operations_are_accepted_by() -> None:
    """Ruling 52: once its target is gone, its operations count as changed, and no others."""
    text = document_text(paths={"/a": operation("getA"), "/b": operation("getB")})
    plain = compiled(text)
    idle = compiled(text, overlays=[overlay_text({"target": "$.paths['/a'].get.x", "update": 1})])
    same = [
        mine.digest == other.digest for mine, other in zip(plain.operations, idle.operations, strict=True)
    ]
    assert same == [False, True]
    (warning,) = idle.operations[0].warnings
    assert warning.startswith("Action 1 of the overlay 'Edits' changes nothing")
    assert idle.operations[1].warnings == ()


def test_an_edited_mcp_tool_is_still_held_against_what_its_server_defines() -> None:
    """Issue 41: the page compares the definition in the plan with the server's, which knows of no edit."""
    query: JsonObject = {"type": "string"}
    schema: JsonObject = {"type": "object", "properties": {"query": query, "debug": {"type": "boolean"}}}
    search: JsonObject = {"name": "search", "description": "Finds", "inputSchema": schema}
    text = json.dumps({"mcp": "2025-06-18", "endpoint": "http://a.test/mcp", "tools": [search]})
    tool = "$.tools[?@.name == 'search']"
    overlay = overlay_text(
        {"target": tool, "update": {"description": "Finds orders"}},
        {"target": f"{tool}.inputSchema.properties.debug", "remove": True},
    )
    tools = tools_of(text, overlays=[overlay])
    (edited,) = tools.compiled.operations
    plan = json.loads(edited.plan_json)
    assert (edited.description, plan["tool"]) == ("Finds orders", search)
    assert [each["name"] for each in plan["body"]["properties"]] == ["query"]
    assert list(json.loads(tools.schema_of(edited.key).schema_json)["properties"]) == ["query"]
    assert edited.digest != compiled(text).operations[0].digest
    renamed = compiled(text, overlays=[overlay_text({"target": f"{tool}.name", "update": "find"})])
    assert (renamed.operations, len(renamed.skipped)) == ((), 1)


def extended(**said: JsonValue) -> JsonObject:
    """An update of an operation."""
    return {"x-tool-bridge": said}


def test_what_is_said_of_a_tool_beyond_openapi_counts_in_documents_and_overlays() -> None:
    """Issue 41: its description, its place, whether it is a tool, and whether it asks each time."""
    paths: JsonObject = {f"/{name}": operation(f"get{name.upper()}") for name in "abc"}
    overlay = overlay_text(
        {"target": "$.paths['/a'].get", "update": extended(order=1, description="Reads all of A.")},
        {"target": "$.paths['/b'].get", "update": extended(hidden=True)},
        {"target": "$.paths['/c'].get", "update": extended(approval="ask")},
    )
    edited = compiled(document_text(paths=paths), overlays=[overlay])
    assert [each.key for each in edited.operations] == ["GET /c", "GET /a"]
    asking, described = edited.operations
    assert described.description == "Reads all of A."
    assert [(each.path, each.reason) for each in edited.skipped] == [("/b", "`x-tool-bridge` hides it.")]
    assert (json.loads(asking.plan_json)["approval"], asking.always_asks) == ("ask", True)
    assert "approval" not in json.loads(described.plan_json)
    written = json.loads(document_text(paths=paths))
    written["paths"]["/c"]["get"]["x-tool-bridge"] = {"approval": "ask"}
    assert compiled(json.dumps(written)).operations[2] == asking


def test_an_mcp_tool_can_ask_each_time() -> None:
    """Issue 41: MCP tools are edited the same way."""
    tool: JsonObject = {"name": "drop", "inputSchema": {"type": "object"}}
    text = json.dumps({"mcp": "2025-06-18", "endpoint": "http://a.test/mcp", "tools": [tool]})
    overlay = overlay_text({"target": "$.tools[0]", "update": extended(approval="ask", order="first")})
    (edited,) = compiled(text, overlays=[overlay]).operations
    plan = json.loads(edited.plan_json)
    assert (plan["approval"], plan["tool"]) == ("ask", tool)
    assert edited.warnings == ("`order` of `x-tool-bridge` has a value that it cannot have.",)


VALUES: list[JsonValue] = [
    True,
    False,
    0,
    1,
    -5,
    2_000_000,
    1.5,
    "",
    "ask",
    "allow",
    "a b",
    None,
    [],
    {},
    [{}],
    [1],
    [{}, {}],
]
NAMES = ["name", "description", "hidden", "order", "approval", "result_select", "examples", "other"]
SAID = st.dictionaries(st.sampled_from(NAMES), st.sampled_from(VALUES), max_size=4)


@given(SAID)
def test_what_the_schema_of_the_reference_allows_is_read_and_nothing_else(said: dict[str, JsonValue]) -> None:
    """An editor that checks by the schema must not pass what the bridge leaves out, nor the other way."""
    page = (Path(__file__).parents[4] / "docs/reference/x-tool-bridge.md").read_text(encoding="utf-8")
    schema = json.loads(page.partition("```json\n")[2].partition("```")[0])
    edit = read_edit(extended(**said))
    assert jsonschema_rs.is_valid(schema, said) is (edit.problems == ())
    assert edit.approval == ("ask" if said.get("approval", "allow") != "allow" else "")


def test_what_is_no_object_is_left_out() -> None:
    """Its author reads why."""
    assert read_edit({"x-tool-bridge": "ask"}).problems == (
        "`x-tool-bridge` is not an object; it is left out.",
    )


def test_what_an_overlay_changes_stands_beside_what_was_there() -> None:
    """Issue 41: the review marks what an edit changes beside the original."""
    name: JsonValue = extended(name="everything", description="All that we sell.")
    overlay = overlay_text({"target": "$.paths['/products'].get", "update": name})
    edited, other = compiled(document_text(), overlays=[overlay]).operations
    assert edited.suggested_name == "everything"
    assert edited.original == Original("listProducts", "GET /products")
    assert other.original is None
    plain = overlay_text({"target": "$.info", "update": {"title": "Our shop"}})
    assert {each.original for each in compiled(document_text(), overlays=[plain]).operations} == {None}
    assert {each.original for each in compiled(document_text()).operations} == {None}


def test_an_edited_mcp_tool_stands_beside_what_its_server_said() -> None:
    """Issue 41: MCP tools are edited the same way."""
    tool: JsonObject = {"name": "drop", "description": "Drops.", "inputSchema": {"type": "object"}}
    text = json.dumps({"mcp": "2025-06-18", "endpoint": "http://a.test/mcp", "tools": [tool]})
    overlay = overlay_text({"target": "$.tools[0]", "update": {"description": "Drops a table for good."}})
    (edited,) = compiled(text, overlays=[overlay]).operations
    assert edited.original == Original("drop", "Drops.")


def one(edit: JsonObject, *, overlay: JsonValue = None) -> CompiledOperation:
    """The operation of a document that says this of it, as an overlay leaves it."""
    node: JsonObject = {"operationId": "a", "responses": {"200": {"description": "ok"}}, **edit}
    overlays = [] if overlay is None else [overlay_text({"target": "$.paths['/a'].get", "update": overlay})]
    (operation,) = compiled(document_text(paths={"/a": {"get": node}}), overlays=overlays).operations
    return operation


CONSEQUENTIAL: JsonObject = {"x-openai-isConsequential": True}
LOOSE: JsonObject = {"x-openai-isConsequential": False}

APPROVALS: list[tuple[JsonObject, JsonValue, bool]] = [
    (extended(approval="ask"), None, True),
    (extended(approval="ask"), extended(approval="allow"), False),
    (CONSEQUENTIAL, None, True),
    (CONSEQUENTIAL, extended(approval="allow"), False),
    (CONSEQUENTIAL | extended(approval="allow"), None, True),
    (CONSEQUENTIAL | extended(approval="allow"), extended(order=1), True),
    (LOOSE, None, False),
    (LOOSE | extended(approval="ask"), None, True),
    ({"x-openai-isConsequential": "no"}, None, True),
    ({}, extended(approval="ask"), True),
]


@pytest.mark.parametrize(("said", "overlay", "asks"), APPROVALS)
def test_a_document_only_tightens_what_an_overlay_may_loosen(
    said: JsonObject, overlay: JsonValue, *, asks: bool
) -> None:
    """Ruling 53: the author of a document must not decide that its calls go unasked."""
    assert one(said, overlay=overlay).always_asks is asks


def test_what_speakeasy_calls_a_tool_is_read() -> None:
    """Issue 41: documents that were written for other servers say how their tools are called."""
    said: JsonObject = {"name": "list-all", "description": "Lists.", "disabled": False, "scopes": ["read"]}
    operation = one({"x-speakeasy-mcp": said})
    assert (operation.suggested_name, operation.description, operation.warnings) == ("list-all", "Lists.", ())
    both = one({"x-speakeasy-mcp": said, **extended(name="all")})
    assert (both.suggested_name, both.description) == ("all", "Lists.")
    hidden: JsonObject = {"get": {"operationId": "a", "x-speakeasy-mcp": {"disabled": True}}}
    assert compiled(document_text(paths={"/a": hidden})).operations == ()
    (warning,) = one({"x-speakeasy-mcp": {"name": "list all"}}).warnings
    assert warning == "`name` of `x-speakeasy-mcp` has a value that it cannot have."


def test_a_query_of_answers_is_checked_and_accepted() -> None:
    """Issue 41: an edit may fix a query; another one makes another tool of it."""
    queried, other = one(extended(result_select="items[].id")), one(extended(result_select="items[].name"))
    assert queried.result_select == "items[].id"
    assert len({queried.digest, other.digest, one({}).digest}) == 3
    broken = one(extended(result_select="items[?"))
    assert (broken.result_select, broken.digest) == ("", one({}).digest)
    (warning,) = broken.warnings
    assert warning.startswith("`result_select` of `x-tool-bridge` is left out: ")


def test_examples_are_part_of_a_tool_and_of_no_digest() -> None:
    """Issue 41: they go to a provider that takes them; what a user accepts is the request."""
    operation = one(extended(examples=[{"limit": 1}, {"limit": 2}]))
    assert operation.examples == (b'{"limit":1}', b'{"limit":2}')
    assert operation.digest == one({}).digest


def test_an_overlay_shows_a_tool_that_its_document_hides() -> None:
    """The owner of a server decides, not who wrote the document."""
    said = extended(hidden=True, order=3)
    assert one(said, overlay=extended(hidden=False)).key == "GET /a"
    text = document_text(paths={"/a": {"get": {"operationId": "a", **said}}})
    overlay = overlay_text({"target": "$.info", "update": {"title": "Ours"}})
    assert compiled(text, overlays=[overlay]).operations == ()


PATHS: JsonObject = {
    "/c": {"get": {"operationId": "same", "summary": "One of C"}, "post": {"summary": "Make C"}},
    "/a": {"post": {"operationId": "same", "requestBody": {"$ref": "#/components/requestBodies/B"}}},
    "/b": operation("getB"),
}
BODIES: JsonObject = {"B": {"content": {"text/plain": {"schema": {"type": "string"}}}}}
READ_AGAIN: list[tuple[JsonObject, list[str]]] = [
    ({"target": "$.info", "update": {"title": "Other"}}, []),
    ({"target": "$.paths['/c'].get", "update": {"summary": "Edited"}}, ["GET /c", "POST /c"]),
    ({"target": "$.paths['/c'].get", "update": {"operationId": "other"}}, ["GET /c", "POST /c"]),
    ({"target": "$.paths['/a']", "remove": True}, ["POST /a"]),
    ({"target": "$.paths", "update": {"/new": {"get": {"operationId": "same"}}}}, []),
    (
        {"target": "$.components.requestBodies.B.content", "update": {"text/html": {}}},
        ["GET /c", "POST /c", "POST /a", "GET /b"],
    ),
]


@pytest.mark.parametrize(("action", "read_again"), READ_AGAIN)
def test_originals_are_read_again_only_where_edits_change_something(
    action: JsonObject, read_again: list[str]
) -> None:
    """Issue 41: the review shows them; reading all of a document twice for one name takes twice as long."""
    text = json.dumps({**json.loads(document_text(paths=PATHS)), "components": {"requestBodies": BODIES}})
    document = parse_edited_document(text.encode(), [overlay_text(action).encode()])
    assert list(read_originals(document, ()).names) == read_again
    originals = {each.key: each for each in compiled(text).operations}
    for each in compiled(text, overlays=[overlay_text(action)]).operations:
        was = originals.get(each.key)
        given = None if was is None else Original(was.suggested_name, was.description)
        assert each.original == (None if given == Original(each.suggested_name, each.description) else given)


def test_a_path_that_takes_something_of_another_one_is_read_again_with_it() -> None:
    """Its nodes are the same with and without edits, and its operation is not."""
    paths: JsonObject = {"/a": operation("getA"), "/b": {"$ref": "#/paths/~1a"}}
    text = document_text(paths=paths)
    action: JsonObject = {"target": "$.paths['/a'].get", "update": {"summary": "Edited"}}
    edited = compiled(text, overlays=[overlay_text(action)])
    before = [Original(each.suggested_name, each.description) for each in compiled(text).operations]
    assert [each.original for each in edited.operations] == before


def test_paths_that_stand_elsewhere_are_read_again() -> None:
    """Their operations are not below `paths`, whatever edits leave there."""
    elsewhere: JsonObject = {"x-old": {"/a": operation("getA")}, "x-new": {"/a": operation("getB")}}
    paths: JsonObject = {"$ref": "#/x-old", "/b": {}}
    text = json.dumps({**json.loads(document_text(paths=paths)), **elsewhere})
    action: JsonObject = {"target": "$.paths['$ref']", "update": "#/x-new"}
    (edited,) = compiled(text, overlays=[overlay_text(action)]).operations
    assert (edited.suggested_name, edited.original) == ("getB", Original("getA", "GET /a"))
