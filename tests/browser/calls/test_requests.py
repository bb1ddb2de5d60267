"""What reaches the API, character by character: the mirror shows the request that arrived."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.browser.browser_harness import BrowserHarness, open_harness

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def mirror(
    chromium: Browser, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[BrowserHarness]:
    """One open page for all: calls leave nothing behind in it."""
    async with open_harness(
        chromium, tmp_path_factory.mktemp("mirror"), ["mirror.yaml"], deadline_s=10
    ) as scene:
        await scene.open_page()
        yield scene


async def arrived(mirror: BrowserHarness, tool: str, arguments: dict[str, Any] | str) -> dict[str, Any]:
    reply = await mirror.caller.call(tool, arguments)
    assert reply.status == 200, reply.body
    return reply.json()


@pytest.mark.parametrize(
    ("arguments", "query"),
    [
        ({"text": "a b&c=d/ü?#+%"}, "text=a%20b%26c%3Dd%2F%C3%BC%3F%23%2B%25"),
        ({"text": ""}, "text="),
        ({"text": "漢字 🐟"}, "text=%E6%BC%A2%E5%AD%97%20%F0%9F%90%9F"),
        ({"repeated": ["a", "b c", ""]}, "repeated=a&repeated=b%20c&repeated="),
        ({"joined": ["a,b", "c"]}, "joined=a%2Cb,c"),
        ({"spaced": [1, 2, 3]}, "spaced=1%202%203"),
        ({"piped": [1, 2]}, "piped=1%7C2"),
        ({"deep": {"red": 1, "green": 2}}, "deep%5Bred%5D=1&deep%5Bgreen%5D=2"),
        ({"spread": {"width": 3, "height": 4}}, "width=3&height=4"),
        ({"page_size": 7}, "page%5Bsize%5D=7"),
        ({"reserved": "/a/b?c"}, "reserved=/a/b?c"),
        (
            {"json": {"from": 1, "to": 9007199254740993}},
            "json=%7B%22from%22%3A1%2C%22to%22%3A9007199254740993%7D",
        ),
        ({}, ""),
    ],
)
async def test_query_parameters_arrive_in_their_style(
    mirror: BrowserHarness, arguments: dict[str, Any], query: str
) -> None:
    """S0-115, W-27: an API that reads `a,b` where two values were meant answers about something else."""
    assert (await arrived(mirror, "mirrorQuery", arguments))["query"] == query


async def test_path_parameters_with_special_characters_stay_one_segment(mirror: BrowserHarness) -> None:
    """S0-115, W-27: a slash in a value must not lead to another operation of the API."""
    arguments = {"plain": "a/b ü?#%2F", "list": ["x", "y,z"], "label": [1, 2], "matrix": {"x": 1, "y": 2}}
    path = (await arrived(mirror, "mirrorPath", arguments))["path"]
    assert path == "/echo/path/a%2Fb%20%C3%BC%3F%23%252F/x,y%2Cz/.1.2/;x=1;y=2"


@pytest.mark.parametrize("segment", ["..", "."])
async def test_a_path_value_cannot_climb_out_of_its_place(mirror: BrowserHarness, segment: str) -> None:
    """Browsers take `..` as one step up, even percent-encoded: another operation would be performed."""
    arguments = {"plain": segment, "list": ["x"], "label": [1], "matrix": {"x": 1}}
    reply = await mirror.caller.call("mirrorPath", arguments)
    assert reply.status == 400
    assert reply.code in {"invalid_arguments", "unsendable"}


async def test_header_parameters_arrive_and_cookies_are_left_out(mirror: BrowserHarness) -> None:
    """S0-115, W-27: non-ASCII travels as UTF-8; what a page cannot send is never pretended to be sent."""
    arguments = {
        "X-Text": "Möwe am Meer",
        "X-Count": 3,
        "X-List": ["a", "b"],
        "X-Object": {"k": "v", "l": "w"},
    }
    headers = (await arrived(mirror, "mirrorHeaders", arguments))["headers"]
    assert (headers["x-text"], headers["x-count"]) == ("Möwe am Meer", "3")
    assert (headers["x-list"], headers["x-object"]) == ("a,b", "k=v,l=w")
    assert "cookie" not in headers
    assert "referer" not in headers


async def test_four_things_of_one_name_arrive_in_their_own_places(mirror: BrowserHarness) -> None:
    """Names clash in real documents; each value still has one place."""
    arguments = {"name__path": "in path", "name__query": "in query", "Name": "in header", "name": "in body"}
    seen = await arrived(mirror, "mirrorClash", arguments)
    assert seen["path"] == "/echo/clash/in%20path"
    assert seen["query"] == "name=in%20query"
    assert seen["headers"]["name"] == "in header"
    assert json.loads(seen["body"]) == {"name": "in body"}


async def test_a_json_body_keeps_levels_large_integers_and_characters(mirror: BrowserHarness) -> None:
    """Arguments travel as text from caller to API, so no digit can be lost on the way."""
    text = (
        '{"title":"“Möwe” \\u0000 🐟","count":123456789012345678901234567890,'
        '"tags":["a","b"],"shape":{"width":0.1,"height":1e3}}'
    )
    seen = await arrived(mirror, "mirrorJson", text)
    assert (seen["method"], seen["headers"]["content-type"]) == ("POST", "application/json")
    assert json.loads(seen["body"]) == json.loads(text)
    assert "123456789012345678901234567890" in seen["body"]


@pytest.mark.parametrize(
    "value", [[1, [2, {"a": None}]], "text", 42, True, {"free": {"form": [9007199254740993]}}]
)
async def test_any_json_value_may_be_the_whole_body(mirror: BrowserHarness, value: Any) -> None:
    """S0-21: documents with `schema: {}` take anything; so must the tool."""
    seen = await arrived(mirror, "mirrorAnything", {"body": value})
    assert (seen["method"], json.loads(seen["body"])) == ("PUT", value)


@pytest.mark.parametrize(
    ("tool", "arguments", "method", "body"),
    [
        ("mirrorMergePatch", {"title": None}, "PATCH", '{"title":null}'),
        ("mirrorDelete", {}, "DELETE", ""),
        ("mirrorOptions", {}, "OPTIONS", ""),
    ],
)
async def test_every_method_of_a_page_arrives(
    mirror: BrowserHarness, tool: str, arguments: dict[str, Any], method: str, body: str
) -> None:
    """S0-115, W-27: PATCH, DELETE and OPTIONS are operations, and null in a merge patch is deletion."""
    seen = await arrived(mirror, tool, arguments)
    assert (seen["method"], seen["body"]) == (method, body)


async def test_a_head_request_answers_with_its_status(mirror: BrowserHarness) -> None:
    """A HEAD answer has headers only, so they are what the caller reads."""
    read = await arrived(mirror, "mirrorHead", {"text": "x"})
    assert read["status"] == 200
    assert read["headers"]["content-type"] == "application/json; charset=utf-8"


async def test_a_method_that_no_page_can_send_is_no_tool(mirror: BrowserHarness) -> None:
    """A tool that can only fail must not be offered."""
    reply = await mirror.caller.call("mirrorTrace")
    assert (reply.status, reply.code) == (404, "unknown_tool")


async def test_a_page_sends_no_cookies_and_asks_no_cache(mirror: BrowserHarness) -> None:
    """The user's own logins elsewhere are not lent to a model, and each call is performed anew."""
    first = await arrived(mirror, "mirrorQuery", {"text": "same"})
    assert "cookie" not in first["headers"]
    assert first["headers"]["cache-control"] == "no-cache"
    assert "authorization" not in first["headers"]
