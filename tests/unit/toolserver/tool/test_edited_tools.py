"""Tools of a document that overlays edit."""

import json

from tests.support.documents.compiled import compiled, document_text, operation, overlay_text, tools_of
from toolserver.json_types import JsonObject


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
