"""`tool-bridge run`: saved requests as a test of APIs, through a page."""

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from tests.support.commands import Ended, run_command
from tests.support.documents.compiled import document_text
from tests.support.running_bridge import accept_everything, json_answer, page_of, running_bridge

pytestmark = pytest.mark.asyncio

MANY = 999
"""A limit beyond what the shop has."""

TEA = {"id": 9007199254740993, "name": "tea", "price": 4.0, "stock": [{"place": "A", "left": 3}]}


@pytest_asyncio.fixture
async def bridge(tmp_path: Path) -> AsyncGenerator[Bridge]:
    async with running_bridge(tmp_path) as running:
        await running.components.registry.share_document("shop.json", document_text(), source_url=None)
        yield running


async def run_requests(bridge: Bridge, requests: list[dict[str, Any]], *words: str) -> Ended:
    path = bridge.data_dir / "requests.json"
    path.write_text(json.dumps({"format": "tool-bridge requests 1", "requests": requests}))
    return await asyncio.to_thread(run_command, "run", str(path), "--data", str(bridge.data_dir), *words)


async def answer_shop(call: dict[str, Any]) -> dict[str, Any]:
    """What the shop answers: a new tea, a list, or none behind the last page."""
    if call["bridge"]["tool"] == "addProduct":
        return json_answer(TEA, 201)
    if json.loads(call["params"]).get("limit") == MANY:
        return json_answer({"detail": "There are not so many.", "code": 7}, 404)
    return json_answer({"products": [TEA]})


def request_for(
    name: str, tool: str, arguments: dict[str, Any] | None = None, **expect: Any
) -> dict[str, Any]:
    return {"name": name, "tool": tool, "arguments": arguments or {}, "expect": expect}


async def test_answers_as_expected_pass_and_end_with_status_0(bridge: Bridge) -> None:
    """Issue 44: assertions are a status, JMESPath equals, and a time; an error status may be expected."""
    requests = [
        request_for("all", "listProducts", values={"products[0].name": "tea", "length(products)": 1}),
        request_for(
            "one", "addProduct", {"name": "tea"}, status=201, within_ms=60_000, values={"id": TEA["id"]}
        ),
        request_for("none", "listProducts", {"limit": MANY}, status=404, values={"code": 7, "price": None}),
    ]
    async with page_of(bridge, bridge.local_user.id, answer_shop):
        ended = await run_requests(bridge, requests)
    assert ended.status == 0, ended.output + ended.errors
    lines = ended.output.splitlines()
    assert lines[:3] == ["TAP version 14", "1..3", "ok 1 - all"]
    assert [line for line in lines if line.startswith(("ok", "not ok"))] == [
        "ok 1 - all",
        "ok 2 - one",
        "ok 3 - none",
    ]


async def test_what_is_not_as_expected_is_told_with_both_values(bridge: Bridge, tmp_path: Path) -> None:
    """A report that says only `failed` sends its reader to the API to find out why."""
    requests = [
        request_for("price", "addProduct", {"name": "tea"}, values={"price": 5, "stock[0]": {"place": "A"}}),
        request_for("missing", "listProducts", {"limit": MANY}),
        request_for("wrong query", "listProducts", values={"length(products[0].price)": 1}),
    ]
    report = tmp_path / "report.xml"
    async with page_of(bridge, bridge.local_user.id, answer_shop):
        ended = await run_requests(bridge, requests, "--json", "--junit", str(report))
    assert ended.status == 1
    results = json.loads(ended.output)
    assert [(each["name"], each["passed"], each["status"]) for each in results] == [
        ("price", False, 201),
        ("missing", False, 404),
        ("wrong query", False, 200),
    ]
    assert results[0]["complaints"] == [
        "price: expected 5, found 4.0",
        'stock[0]: expected {"place":"A"}, found {"place":"A","left":3}',
    ]
    assert results[1]["complaints"][0].startswith("status: expected below 400, found 404: ")
    assert "There are not so many." in results[1]["complaints"][0]
    assert "length() takes" in results[2]["complaints"][0]
    suite = ElementTree.fromstring(report.read_bytes())[0]
    assert suite.attrib.items() >= {"tests": "3", "failures": "3", "errors": "0"}.items()
    assert [case.get("classname") for case in suite] == ["addProduct", "listProducts", "listProducts"]


async def test_a_call_without_an_answer_is_an_error_and_the_next_one_still_runs(
    bridge: Bridge, tmp_path: Path
) -> None:
    """No tool of that name, wrong arguments: the bridge says each in its own words."""
    requests = [
        request_for("unknown", "noSuchTool"),
        request_for("wrong", "listProducts", {"limit": "x"}),
        request_for("all", "listProducts"),
    ]
    report = tmp_path / "report.xml"
    async with page_of(bridge, bridge.local_user.id, answer_shop):
        ended = await run_requests(bridge, requests, "--junit", str(report))
    assert ended.status == 1
    assert "[unknown_tool]" in ended.output
    assert "[invalid_arguments]" in ended.output
    assert "ok 3 - all" in ended.output.splitlines()
    suite = ElementTree.fromstring(report.read_bytes())[0]
    assert suite.attrib.items() >= {"tests": "3", "failures": "0", "errors": "2"}.items()


async def test_without_a_page_each_request_says_how_to_open_one(bridge: Bridge) -> None:
    """In CI the page is one without a person; a run that began before it says so."""
    await accept_everything(bridge, bridge.local_user.id)
    ended = await run_requests(bridge, [request_for("all", "listProducts")])
    assert ended.status == 1
    assert "not ok 1 - all" in ended.output.splitlines()
    assert "[no_browser]" in ended.output


async def test_an_answer_longer_than_a_report_is_judged_whole(bridge: Bridge) -> None:
    """Of a long answer `/api/calls` has the beginning; the values asked for stand at its end."""
    rows = [{"id": number, "text": "x" * 200} for number in range(4000)]

    async def answer(_call: dict[str, Any]) -> dict[str, Any]:
        return json_answer({"products": rows})

    requests = [
        request_for("last", "listProducts", values={"products[-1].id": 3999, "length(products)": 4000})
    ]
    async with page_of(bridge, bridge.local_user.id, answer):
        ended = await run_requests(bridge, requests)
    assert ended.status == 0, ended.output


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "it is not JSON"),
        ('{"requests": []}', "format: Field required"),
        ('{"format": "tool-bridge requests 2", "requests": []}', "format: Input should be"),
        (
            '{"format": "tool-bridge requests 1", "requests": [{"name": "a", "tool": "b",'
            ' "expect": {"state": 1}}]}',
            "requests.0.expect.state: Extra inputs are not permitted",
        ),
        (
            '{"format": "tool-bridge requests 1", "requests": [{"name": "a", "tool": "b",'
            ' "expect": {"values": {"a[": 1}}}]}',
            "This is not JMESPath",
        ),
    ],
)
async def test_a_file_that_cannot_be_read_says_where_it_is_wrong(
    tmp_path: Path, text: str, said: str
) -> None:
    """A misspelt expectation that is left out would pass for ever."""
    path = tmp_path / "requests.json"
    path.write_text(text)
    ended = await asyncio.to_thread(run_command, "run", str(path), "--data", str(tmp_path))
    assert ended.status == 2
    assert str(path) in ended.errors
    assert said in ended.errors


async def test_a_bridge_that_does_not_run_ends_the_command(tmp_path: Path) -> None:
    """Status 2, as of each command that talks to a bridge; nothing is reported as a failed request."""
    path = tmp_path / "requests.json"
    one = [request_for("all", "listProducts")]
    path.write_text(json.dumps({"format": "tool-bridge requests 1", "requests": one}))
    address = "http://127.0.0.1:9"
    ended = await asyncio.to_thread(run_command, "run", str(path), "--url", address, "--key", "k")
    assert ended.status == 2
    assert "no bridge answers" in ended.errors
