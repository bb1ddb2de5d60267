"""What `check` says of overlays: everything that they change, and nothing else."""

import json
from pathlib import Path

import pytest

from bridge.__main__ import main
from bridge.cli.documents import build_schemas, find_changed_tools
from bridge.cli.overlay_changes import list_changes
from tests.support.documents.compiled import document_text, operation, overlay_text
from toolserver.json_types import JsonObject
from toolserver.openapi.document import DocumentLimits, parse_document
from toolserver.openapi.overlay import parse_overlays
from toolserver.tool.compile import DocumentTools

LIST = "$.paths['/products'].get"


def said(**members: object) -> JsonObject:
    return {"x-tool-bridge": members}  # pyright: ignore[reportReturnType] - JSON, written by hand


def test_check_says_what_overlays_change(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Issue 41: who keeps edits in git sees what one does before a bridge gets it."""
    document = json.loads(document_text())
    document["paths"] |= {"/gone": operation("gone"), "/same": operation("same")}
    parameters = document["paths"]["/products"]["get"]["parameters"]
    parameters += [{"name": name, "in": "query", "schema": {"type": "string"}} for name in ("env", "debug")]
    spec, overlay = tmp_path / "spec.json", tmp_path / "edits.json"
    spec.write_text(json.dumps(document), encoding="utf-8")
    actions: list[JsonObject] = [
        {"target": LIST, "update": said(name="seeAll", description="All that we sell.", approval="ask")},
        {"target": LIST, "update": said(result_select="items[].id", examples=[{"most": 3}])},
        {"target": f"{LIST}.parameters[0]", "update": said(name="most", description="How many.")},
        {"target": f"{LIST}.parameters[1]", "update": said(fixed="prod")},
        {"target": f"{LIST}.parameters[2]", "update": said(hidden=True)},
        {"target": "$.paths['/gone'].get", "update": said(hidden=True)},
    ]
    overlay.write_text(overlay_text(*actions), encoding="utf-8")
    changes = [
        "name: seeAll, was listProducts",
        'description: "All that we sell.", was "GET /products"',
        "each call asks",
        "answers are queried by items[].id",
        "examples of calls: 1",
        "argument env: gone",
        "argument debug: gone",
        "argument most: was limit",
        'argument most: optional, {"type": "integer", "description": "How many. Value >= 1.", "minimum": 1}',
        'always sent in the query: env = "prod"',
    ]
    assert main(["check", str(spec), "--overlay", str(overlay), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["changes"].pop("GET /products") == changes
    assert report["changes"] == {"GET /gone": ["it is no longer a tool"]}
    assert main(["check", str(spec), "--overlay", str(overlay)]) == 0
    printed = capsys.readouterr().out
    assert all(f"      ~ {change}\n" in printed for change in changes)
    assert "~ GET /gone: it is no longer a tool" in printed
    assert main(["check", str(spec), "--json"]) == 0
    assert "changes" not in json.loads(capsys.readouterr().out)


def test_changes_of_overlays_and_of_a_provider_come_from_schemas_that_are_built_once() -> None:
    """Issue 42: the schemas of a document have one limit together; past it they say types alone."""
    odd: JsonObject = {"type": ["integer", "string"], "description": "Word. " * 2000, "exclusiveMinimum": 0}
    number: JsonObject = {"name": "n", "in": "query", "schema": odd}
    found: JsonObject = {"operationId": "list", "parameters": [number], "responses": {}}
    text = document_text(paths={"/a": {"get": found}})
    edits = parse_overlays([overlay_text({"target": "$.paths['/a'].get", "update": said(name="listAll")})])
    document = parse_document(text, limits=DocumentLimits(max_compiled_bytes=1200), edits=edits)
    tools = DocumentTools(document, source_url=None)
    before = tools.before_edits(source_url=None)
    assert before is not None
    schemas = build_schemas(tools)
    assert list_changes(before, tools.compiled, schemas) == {"GET /a": ["name: listAll, was list"]}
    [changes] = find_changed_tools(tools.compiled, schemas, "gemini").values()
    assert "`exclusiveMinimum`" in "".join(changes)
    assert tools.schema_of("GET /a").warnings, "a second building tells types alone"
