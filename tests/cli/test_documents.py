"""`tool-bridge check`, `plan` and `tools --spec`: documents without a running bridge."""

import argparse
import json
from pathlib import Path

import pytest

from bridge.__main__ import main
from bridge.cli.serve.options import NamedSpec, add_serve, list_specs
from tests.support.documents.compiled import document_text, operation, overlay_text, paths_with_odd_tool
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


def test_check_says_which_tools_change_for_a_provider_and_how(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Issue 42: `tool-bridge check --for gemini` names the tools, and what of each."""
    wordy: JsonObject = {"operationId": "getC", "description": "Word. " * 400, "responses": {}}
    paths: JsonObject = {**paths_with_odd_tool(), "/c": {"get": wordy}}
    path = tmp_path / "spec.json"
    path.write_text(document_text(paths=paths), encoding="utf-8")
    assert main(["check", str(path), "--for", "gemini"]) == 0
    told = capsys.readouterr().out
    assert "1 of 3 tools change for gemini" in told
    assert "2fa: its name becomes `_2fa`; several types become forms of `anyOf`; " in told
    assert "words say what these keywords said: `exclusiveMinimum`" in told
    assert main(["check", str(path), "--for", "openai-legacy", "--json"]) == 0
    changes = json.loads(capsys.readouterr().out)["dialect_changes"]
    assert list(changes) == ["getC"]
    assert changes["getC"][0].startswith("its description is cut from ")
    assert main(["check", str(path), "--json"]) == 0
    assert "dialect_changes" not in json.loads(capsys.readouterr().out)


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


def test_check_plan_and_tools_take_overlays_in_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Issue 41: an edit that is kept in git is tried before a bridge gets it."""
    spec, first, second = (tmp_path / name for name in ("spec.json", "first.yaml", "second.json"))
    spec.write_text(document_text(paths={"/a": operation("getA"), "/b": operation("getB")}), encoding="utf-8")
    first.write_text(
        "overlay: 1.0.0\ninfo: {title: First, version: '1'}\n"
        "actions: [{target: \"$.paths['/a'].get\", update: {operationId: readA}}]",
        encoding="utf-8",
    )
    gone = "$.paths['/gone']"
    second.write_text(
        overlay_text(
            {"target": "$.paths.*[?@.operationId == 'getB']", "remove": True},
            {"target": gone, "remove": True},
        ),
        encoding="utf-8",
    )
    edits = ["--overlay", str(first), "--overlay", str(second)]
    assert main(["check", str(spec), "--json", *edits]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [tool["name"] for tool in report["tools"]] == ["readA"]
    assert any(f'nothing is at "{gone}"' in warning for warning in report["document_warnings"])
    for command in (["plan", str(spec), *edits], ["tools", "--spec", str(spec), *edits]):
        assert main(command) == 0
        assert "getB" not in capsys.readouterr().out
    assert main(["tools", *edits]) == 2
    assert "--overlay needs --spec" in capsys.readouterr().err
    first.write_text(overlay_text({"target": "paths"}), encoding="utf-8")
    assert main(["check", str(spec), *edits]) == 2
    assert "Action 1 of the overlay 'Edits' is not valid" in capsys.readouterr().err


def test_an_overlay_belongs_to_the_document_named_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One command line serves several documents, each with its own edits."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.json", "b.json", "a1", "a2", "b1"):
        Path(name).touch()
    command = argparse.ArgumentParser()
    add_serve(command)
    line = ["--spec", "a.json", "--overlay", "a1", "--overlay", "a2", "--spec", "b.json"]
    assert list_specs(command.parse_args([*line, "--overlay", "b1"])) == [
        NamedSpec("a.json", "a.json", (Path("a1"), Path("a2"))),
        NamedSpec("b.json", "b.json", (Path("b1"),)),
    ]
    assert list_specs(command.parse_args(line))[1].overlays == ()
    for wrong, told in (
        (["--overlay", "a1", "--spec", "a.json"], "--overlay belongs behind the --spec"),
        (["--spec", "a.json", "--overlay", "none"], "there is no file 'none'"),
    ):
        with pytest.raises(SystemExit):
            command.parse_args(wrong)
        assert told in capsys.readouterr().err
