"""Edited operations, from document and overlay to request, by the page's own code and by `toolserver`."""

import json
from typing import cast

import pytest

from tests.support.documents.compiled import compiled, overlay_text
from tests.support.documents.vectors import NODE, Job, Json, Row, build_all, read_rows
from toolserver.errors import ArgumentError, RequestError
from toolserver.json_types import JsonObject, JsonValue
from toolserver.request.argument_check import withheld_check
from toolserver.request.build import build_request

pytestmark = pytest.mark.skipif(not NODE.exists(), reason="needs Node, which `make test` installs")

ROWS = {str(row["id"]): row for row in read_rows("edit_vectors.json")}


def plan_of(row: Row) -> bytes:
    text = json.dumps(
        {
            "openapi": "3.1.0",
            "info": {"title": "Edited", "version": "1"},
            "servers": [{"url": "https://api.example"}],
            "components": {"schemas": row.get("schemas", {})},
            "paths": {"/x": {"post": row["operation"]}},
        }
    )
    actions = cast("list[JsonValue]", row["edits"])
    (operation,) = compiled(text, overlays=[overlay_text(*actions)] if actions else []).operations
    return operation.plan_json


def expected(row: Row) -> Json:
    asked = cast("Json", row["expected"])
    return asked if "refused" in asked else {"headers": {}, "body": None, **asked}


def ours(plan_json: bytes, row: Row) -> Json:
    try:
        request = build_request(plan_json, cast(JsonObject, row["arguments"]))
    except RequestError as error:
        return {"refused": error.code}
    headers = {name: text for name, text in request.headers.items() if name != "content-type"}
    return {"url": request.url, "headers": headers, "body": request.body and request.body.decode()}


@pytest.mark.parametrize("name", ROWS)
def test_an_edited_operation_gives_the_request_of_its_row(name: str) -> None:
    """Ruling 54: what an edit withholds is refused at its place, and what it fixes is in the request."""
    row = ROWS[name]
    assert ours(plan_of(row), row) == expected(row), row["why"]


def test_the_page_builds_the_same_request_of_the_same_plan() -> None:
    """Ruling 54: the page builds from its pinned plan only, whatever a bridge has checked before."""
    plans = [plan_of(row) for row in ROWS.values()]
    jobs = [
        Job(json.loads(plan_json), cast("Json", row["arguments"]), {"credentials": {}})
        for plan_json, row in zip(plans, ROWS.values(), strict=True)
    ]
    found = {
        name: {"refused": built.refused.partition(":")[0]}
        if built.refused
        else {
            "url": built.url,
            "headers": {name: text for name, text in built.headers if name != "content-type"},
            "body": built.body,
        }
        for name, built in zip(ROWS, build_all(jobs), strict=True)
    }
    assert found == {name: expected(row) for name, row in ROWS.items()}


@pytest.mark.parametrize("name", ROWS)
def test_the_bridge_refuses_what_no_request_can_be_built_of(name: str) -> None:
    """A model reads why at once, and no page is asked for its approval in vain."""
    row = ROWS[name]
    check = withheld_check(plan_of(row))
    if "refused" not in cast("Json", row["expected"]):
        if check is not None:
            check(cast(JsonObject, row["arguments"]))
        return
    assert check is not None
    with pytest.raises(ArgumentError):
        check(cast(JsonObject, row["arguments"]))
