"""`tool-bridge check`, `plan` and `tools --spec`: documents without a running bridge."""

import json
from pathlib import Path

import pytest

from bridge.__main__ import main
from tests.support.documents.compiled import document_text, operation
from toolserver.json_types import JsonObject

SHOP = Path(__file__).parents[2] / "examples" / "documents" / "shop.json"


def test_check_reports_what_becomes_a_tool_and_what_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    """As JSON and as text, without a running bridge."""
    assert main(["check", str(SHOP), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert set(report) == {"title", "version", "tools", "skipped", "document_warnings"}
    assert set(report["tools"][0]) == {"name", "operation_id", "method", "path", "warnings"}
    assert main(["check", str(SHOP)]) == 0
    assert "listProducts  GET /products" in capsys.readouterr().out


def test_a_strict_check_fails_where_an_operation_is_skipped_or_has_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """D16: a document of which half was skipped passed in a pipeline."""
    path = tmp_path / "spec.json"
    skipped: JsonObject = {"get": {"operationId": "b", "requestBody": {"$ref": "#/nowhere"}}}
    warned: JsonObject = {"get": {"operationId": "b", "parameters": [{"name": "q", "in": "querz"}]}}
    for flawed, told in ((skipped, "1 tool\n"), (warned, "2 tools\n")):
        path.write_text(document_text(paths={"/a": operation("a"), "/b": flawed}), encoding="utf-8")
        assert main(["check", str(path)]) == 0
        assert told in capsys.readouterr().out
        assert main(["check", "--strict", str(path)]) == 1
        assert main(["check", "--strict", "--json", str(path)]) == 1
    assert main(["check", "--strict", str(SHOP)]) == 0


def test_check_of_a_document_without_any_tool_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A script must notice."""
    path = tmp_path / "spec.json"
    path.write_text(document_text(paths={}), encoding="utf-8")
    assert main(["check", str(path)]) == 1
    path.write_text("{", encoding="utf-8")
    assert main(["check", str(path)]) == 2
    assert main(["check", str(tmp_path / "none.json")]) == 2
    errors = capsys.readouterr().err
    assert errors.endswith("none.json cannot be read: No such file or directory.\n")
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("shop.json", '{"info": {"name": "Shop"}, "item": []}', "a Postman collection"),
        ("shop.har", '{"log": {"entries": []}}', "a HAR file"),
        ("shop.sh", "curl -s https://shop.example/products | jq .", "a curl command"),
        ("shop.raml", "#%RAML 1.0\ntitle: Shop", "RAML"),
    ],
)
def test_what_is_no_document_is_named_by_every_command_that_takes_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, words: str
) -> None:
    """Finding O-14: the page takes a collection, so somebody gives one to `check` as well."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    for command in (["check", str(path)], ["plan", str(path)], ["tools", "--spec", str(path)]):
        assert main(command) == 2
        assert f"This is {words}, not an OpenAPI document." in capsys.readouterr().err


def test_plan_and_tools_print_what_the_page_and_the_model_get(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Anyone can hold them to a table of vectors."""
    path = tmp_path / "spec.json"
    path.write_text(document_text(paths={"/a": operation("getA")}), encoding="utf-8")
    assert main(["plan", str(path), "--json"]) == 0
    plans = json.loads(capsys.readouterr().out)["plans"]
    assert (plans["getA"]["method"], plans["getA"]["path"]) == ("GET", "/a")
    assert main(["tools", "--spec", str(path), "--json"]) == 0
    tools = json.loads(capsys.readouterr().out)["tools"]
    assert [tool["name"] for tool in tools] == ["getA"]
    assert tools[0]["parameters"]["type"] == "object"


def test_tools_name_the_property_whose_null_is_ambiguous(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Finding W-42: whoever wonders why a tool is not strict reads which property it is, however deep."""
    home: JsonObject = {"type": "object", "properties": {"city": {"type": "string", "nullable": True}}}
    user: JsonObject = {"type": "object", "properties": {"homes": {"type": "array", "items": home}}}
    content: JsonObject = {"application/merge-patch+json": {"schema": user}}
    patch: JsonObject = {"operationId": "patchUser", "requestBody": {"content": content}, "responses": {}}
    path = tmp_path / "spec.json"
    path.write_text(document_text(paths={"/users": {"patch": patch}}), encoding="utf-8")
    assert main(["tools", "--spec", str(path), "--json"]) == 0
    [tool] = json.loads(capsys.readouterr().out)["tools"]
    told = "`homes[].city` may be left out and may be null; strict mode has null for both."
    assert (tool["strict"], tool["strict_reason"]) == (False, told)


def test_tools_say_whether_they_can_be_strict_and_why_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --strict, what is printed can be pasted into a request to OpenAI."""
    free: JsonObject = {"requestBody": {"content": {"application/json": {"schema": {}}}}, "responses": {}}
    limit: JsonObject = {"name": "limit", "in": "query", "schema": {"type": "integer"}}
    paths: JsonObject = {
        "/a": {"get": {"operationId": "getA", "parameters": [limit], "responses": {}}},
        "/b": {"post": {"operationId": "postB", **free}},
    }
    path = tmp_path / "spec.json"
    path.write_text(document_text(paths=paths), encoding="utf-8")
    assert main(["tools", "--spec", str(path), "--json"]) == 0
    plain = json.loads(capsys.readouterr().out)["tools"]
    assert [list(tool) for tool in plain] == [
        ["name", "description", "parameters", "strict"],
        ["name", "description", "parameters", "strict", "strict_reason"],
    ]
    assert plain[0]["parameters"] == {
        "type": "object",
        "properties": {"limit": {"type": "integer"}},
        "required": [],
    }
    assert "`body` takes any value" in plain[1]["strict_reason"]
    assert main(["tools", "--spec", str(path), "--json", "--strict"]) == 0
    strict, loose = json.loads(capsys.readouterr().out)["tools"]
    assert strict == {
        "type": "function",
        "name": "getA",
        "description": plain[0]["description"],
        "parameters": {
            "type": "object",
            "properties": {"limit": {"type": ["integer", "null"]}},
            "required": ["limit"],
            "additionalProperties": False,
        },
        "strict": True,
    }
    assert loose == {"type": "function", **plain[1]}
    assert main(["tools", "--strict"]) == 2
    assert "--spec" in capsys.readouterr().err
