"""What becomes of each kind of answer in a real browser: the rows of docs/reference/answers.md."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web
from playwright.async_api import Browser, Page, expect

from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.support.chromium import go_to
from tests.support.documents.compiled import document_text
from tests.support.web_servers import for_every_page, serving
from toolserver.json_types import JsonObject

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

ROWS = 60_000
TABLE = "".join(f"{number},café {number}\r\n" for number in range(ROWS))
LIST = json.dumps({"total": ROWS, "rows": [{"id": 2**60 + number} for number in range(ROWS)], "next": "p2"})
PARTS = b"--b\r\nContent-Type: application/json\r\n\r\n{}\r\n--b--"
SOUND = b"RIFF\x24\x00\x00\x00WAVEfmt " + bytes(28)


def typed(content_type: str, body: bytes | str, status: int = 200, **headers: str) -> web.Response:
    encoded = body.encode() if isinstance(body, str) else body
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return web.Response(status=status, body=encoded, headers={"Content-Type": content_type, **names})


def typed_twice(content_type: str, body: str) -> web.Response:
    """Two lines, as a proxy makes them that adds a type of its own."""
    response = typed(content_type, body)
    response.headers.add("Content-Type", content_type)
    return response


RANGE = "bytes 0-3/9"
ANSWERS = {
    "shiftJis": lambda: typed("text/csv; charset=Shift_JIS", "日本".encode("shift_jis")),
    "latin": lambda: typed("text/plain; charset=iso-8859-1", "café".encode("latin-1")),
    "silentLatin": lambda: typed("text/csv", "Name;Größe".encode("latin-1")),
    "twice": lambda: typed_twice("application/json", '{"a": 1}'),
    "noNumber": lambda: typed("application/json", '{"a": NaN, "b": 1E400, "c": 1.10}'),
    "events": lambda: typed("text/event-stream", 'event: sold\nid: 7\ndata: {"n": 1}\n\n'),
    "wide": lambda: typed("application/json", '{"a": "é"}'.encode("utf-16")),
    "marked": lambda: typed("application/json", b"\xef\xbb\xbf[1]"),
    "atom": lambda: typed("application/atom+xml", "<feed/>"),
    "problemXml": lambda: typed("application/problem+xml", "<problem/>", 409),
    "plainJson": lambda: typed("text/plain", '{"n": 12345678901234567890}'),
    "octetJson": lambda: typed("application/octet-stream", "[1]"),
    "savedJson": lambda: typed(
        "application/octet-stream", "[1]", Content_Disposition='attachment; filename="a.json"'
    ),
    "export": lambda: typed("text/csv", "a,b", Content_Disposition='attachment; filename="a.csv"'),
    "parts": lambda: typed("multipart/mixed; boundary=b", PARTS),
    "binaryParts": lambda: typed("multipart/mixed; boundary=b", PARTS + b"\x00\xff"),
    "sound": lambda: typed("audio/wav", SOUND),
    "created": lambda: web.Response(status=201, headers={"Location": "/pets/7"}),
    "partial": lambda: typed("text/plain", "part", 206, Content_Range=RANGE),
    "choices": lambda: typed("application/json", '["a", "b"]', 300),
    "head": lambda: typed("text/csv", "a,b", X_Total_Count="3"),
    "table": lambda: typed("text/csv; charset=utf-8", TABLE),
    "list": lambda: typed("application/json", LIST),
    "endlessText": lambda: typed("text/plain", "x" * (17 * 2**20)),
    "page": lambda: typed("text/html", "<h1>Hi</h1><script>document.title = 'run'</script>"),
    "invalid": lambda: typed("application/json", '{"errors": {"name": ["is too short"]}}', 422),
}


@asynccontextmanager
async def answering_api() -> AsyncGenerator[str]:
    """Answers each path as `ANSWERS` says; every page may read all of it."""

    async def answer(request: web.Request) -> web.Response:
        return ANSWERS[request.path.strip("/")]()

    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", answer)
    async with serving(for_every_page(app)) as url:
        yield url


def document_of(url: str) -> str:
    paths: JsonObject = {
        f"/{name}": {
            "head" if name == "head" else "get": {
                "operationId": name,
                "responses": {"200": {"description": ""}},
            }
        }
        for name in ANSWERS
    }
    return document_text("Kinds", paths=paths, server=url)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def kinds(
    chromium: Browser, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[BrowserHarness, Page]]:
    """One open page for all: calls leave nothing behind in it."""
    async with (
        answering_api() as url,
        open_harness(chromium, tmp_path_factory.mktemp("kinds"), [], deadline_s=20) as scene,
    ):
        await scene.bridge.components.registry.share_document("kinds", document_of(url), source_url=None)
        yield scene, await scene.open_page()


@pytest.mark.parametrize(
    ("tool", "read"),
    [
        ("shiftJis", {"text": "日本", "content_type": "text/csv; charset=Shift_JIS"}),
        ("latin", {"text": "café", "content_type": "text/plain; charset=iso-8859-1"}),
        ("wide", {"a": "é"}),
        ("marked", {"result": [1]}),
        ("atom", {"text": "<feed/>", "content_type": "application/atom+xml"}),
        ("plainJson", {"n": 12345678901234567890}),
        ("octetJson", {"result": [1]}),
        ("export", {"text": "a,b", "content_type": "text/csv", "filename": "a.csv"}),
        ("parts", {"text": PARTS.decode(), "content_type": "multipart/mixed; boundary=b"}),
        ("created", {"status": 201, "headers": {"location": "/pets/7"}}),
        ("partial", {"text": "part", "content_type": "text/plain", "headers": {"content-range": RANGE}}),
        ("choices", {"result": ["a", "b"]}),
    ],
)
async def test_each_kind_of_text_reaches_the_caller_decoded(
    kinds: tuple[BrowserHarness, Page], tool: str, read: dict[str, Any]
) -> None:
    """The page decodes by what the API declares, and takes for JSON only what is one."""
    scene, _ = kinds
    assert (await scene.caller.call(tool)).json() == read


@pytest.mark.parametrize(
    ("tool", "read"),
    [
        ("twice", {"a": 1}),
        ("silentLatin", {"text": "Name;Größe", "content_type": "text/csv; charset=windows-1252"}),
        ("noNumber", {"a": "NaN", "b": "1E400", "c": 1.10}),
        ("events", {"items": [{"event": "sold", "id": "7", "data": {"n": 1}}]}),
    ],
)
async def test_what_apis_send_a_little_wrongly_reaches_the_caller_whole(
    kinds: tuple[BrowserHarness, Page], tool: str, read: dict[str, Any]
) -> None:
    """Finding W-36, W-37, O-16: browsers and people read such answers, so a caller gets them."""
    assert (await kinds[0].caller.call(tool)).json() == read


@pytest.mark.parametrize(
    ("tool", "mime", "filename"),
    [
        ("sound", "audio/wav", None),
        ("savedJson", "application/octet-stream", "a.json"),
        ("binaryParts", "multipart/mixed", None),
    ],
)
async def test_what_is_no_text_comes_as_a_link_with_its_name(
    kinds: tuple[BrowserHarness, Page], tool: str, mime: str, filename: str | None
) -> None:
    """Base64 would flood the model; a file without its name is hard to find again."""
    file = (await kinds[0].caller.call(tool)).json()["file"]
    assert (file["mime"], file.get("filename")) == (mime, filename)
    async with kinds[0].http.get(file["url"]) as kept:
        assert len(await kept.read()) == file["bytes"]


async def test_the_headers_of_head_are_its_answer(kinds: tuple[BrowserHarness, Page]) -> None:
    """It has nothing else to say."""
    read = (await kinds[0].caller.call("head")).json()
    assert read["headers"]["x-total-count"] == "3"
    assert read["headers"]["content-type"] == "text/csv"


@pytest.mark.parametrize(
    ("tool", "ending"),
    [("problemXml", "409 Conflict."), ("invalid", "422 Unprocessable Entity: name: is too short")],
)
async def test_a_problem_is_told_with_its_fields(
    kinds: tuple[BrowserHarness, Page], tool: str, ending: str
) -> None:
    """A model corrects what it is told; problems in XML are passed on unread."""
    reply = await kinds[0].caller.call(tool)
    assert (reply.status, reply.code) == (502, "http_status")
    assert reply.json()["error"]["message"] == f"The API answered {ending}"
    assert reply.detail["body"]


async def test_a_long_text_is_read_on_to_its_end(kinds: tuple[BrowserHarness, Page]) -> None:
    """The caller gets 256 KiB, the bridge has the rest: no character is missing between them."""
    scene, _ = kinds
    read = (await scene.caller.call("table")).json()
    assert (
        read["truncated"]["bytes_shown"]
        <= 256 * 1024
        < read["truncated"]["bytes_total"]
        == len(TABLE.encode())
    )
    text, offset = read["text"], read["next_offset"]
    while offset is not None:
        part = (await scene.caller.call("read_result", {"call_id": read["call_id"], "offset": offset})).json()
        text, offset = text + part["text"], part.get("next_offset")
    assert text == TABLE


async def test_long_json_is_an_outline_from_which_all_digits_can_be_selected(
    kinds: tuple[BrowserHarness, Page],
) -> None:
    """Ruling 55: what a caller cannot read whole it asks for; integers keep all their digits on the way."""
    caller = kinds[0].caller
    outline = (await caller.call("list")).json()
    assert outline["outline"]["first"]["rows[0]"] == {"id": 2**60}
    assert outline["truncated"]["bytes_total"] > 256 * 1024
    query = {"call_id": outline["call_id"], "select": "[length(rows), rows[-1].id]"}
    count, last = (await caller.call("read_result", query)).json()["selected"]
    assert last == 2**60 + count - 1


async def test_text_beyond_what_the_page_reads_says_so(kinds: tuple[BrowserHarness, Page]) -> None:
    """16 MiB are kept; the model learns that there was more."""
    read = (await kinds[0].caller.call("endlessText")).json()
    assert read["truncated"]["bytes_kept"] == 16 * 2**20
    assert "longer than the page reads" in read["hint"]


async def test_the_log_plays_shows_and_saves_but_never_runs_an_answer(
    kinds: tuple[BrowserHarness, Page],
) -> None:
    """The user sees what the model was given, and can have the whole; markup stays characters."""
    scene, page = kinds
    await go_to(page, "calls")
    for tool, shown in (
        ("sound", page.get_by_label("The audio the API answered with")),
        ("page", page.get_by_text("<h1>Hi</h1>")),
        ("table", page.get_by_text("Only the beginning of")),
    ):
        await scene.caller.call(tool)
        await page.get_by_role("row").filter(has_text=tool).get_by_role("button", name=tool).first.click()
        await expect(shown).to_be_visible()
    assert await page.title() != "run"
    async with page.expect_download() as download:
        await page.get_by_role("button", name="Download the answer").first.click()
    assert (await (await download.value).path()).read_bytes() == TABLE.encode()


async def test_a_tried_tool_says_what_is_cut_and_saves_the_whole(kinds: tuple[BrowserHarness, Page]) -> None:
    """Who tries a tool sees what a model would read."""
    _, page = kinds
    await go_to(page, "tools", "table")
    await page.get_by_test_id("run").click()
    await expect(page.get_by_test_id("cut")).to_contain_text("the caller gets the first 256.0 KiB of")
    async with page.expect_download() as download:
        await page.get_by_role("link", name="Download the answer").click()
    assert (await (await download.value).path()).read_bytes() == TABLE.encode()
