"""What a caller of the tool server reads for each kind of answer, with the page open."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.browser.browser_harness import BrowserHarness, open_harness

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def answers(
    chromium: Browser, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[BrowserHarness]:
    """One open page for all: calls leave nothing behind in it."""
    folder = tmp_path_factory.mktemp("answers")
    async with open_harness(chromium, folder, ["answers.yaml"], deadline_s=10) as scene:
        await scene.open_page()
        yield scene


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("object", b'{"id": 1, "name": "an object"}'),
        ("array", b'{"result":[{"id": 1}, {"id": 2}]}'),
        ("number", b'{"result":42.5}'),
        ("text", b'{"result":"just a text"}'),
        ("null", b'{"result":null}'),
    ],
)
async def test_json_comes_back_as_an_object_byte_for_byte(
    answers: BrowserHarness, kind: str, expected: bytes
) -> None:
    """Callers lose bare arrays and null; everything else must stay as the API wrote it."""
    reply = await answers.caller.call("getJson", {"kind": kind})
    assert (reply.status, reply.body) == (200, expected)
    assert reply.headers["Content-Type"].startswith("application/json")


async def test_integers_beyond_what_scripts_can_count_stay_intact(answers: BrowserHarness) -> None:
    """Order numbers and snowflake ids are larger than 2^53; a rounded one is another order."""
    reply = await answers.caller.call("getBigIntegers")
    assert reply.json() == {
        "beyond_double": 9007199254740993,
        "beyond_64_bits": 123456789012345678901234567890,
        "negative": -9007199254740995,
    }


async def test_an_answer_without_a_body_says_its_status(answers: BrowserHarness) -> None:
    """An empty tool result reads like a failure to a model."""
    assert (await answers.caller.call("getNothing")).json() == {"status": 204}
    assert (await answers.caller.call("getEmpty")).json() == {"status": 200}


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1"])
async def test_text_comes_decoded_by_its_charset(answers: BrowserHarness, charset: str) -> None:
    """The API says how its text is encoded; a model must not see mojibake."""
    reply = (await answers.caller.call("getText", {"charset": charset})).json()
    assert reply["text"] == "The café closes at five; the façade stays lit.\n"
    assert reply["content_type"].startswith("text/plain")


async def test_html_is_text_for_the_caller(answers: BrowserHarness) -> None:
    """Foreign HTML never becomes a page in the caller's program, even when the API marks it as inline."""
    for tool in ("getPage", "getWidget"):
        reply = await answers.caller.call(tool)
        assert reply.headers["Content-Type"].startswith("application/json")
        assert reply.json()["content_type"].startswith("text/html")
        assert reply.json()["text"].startswith("<!DOCTYPE html>")
        assert "Content-Disposition" not in reply.headers


async def test_text_that_claims_to_be_json_is_text(answers: BrowserHarness) -> None:
    """Proxies answer with HTML under any content type; the caller still gets valid JSON."""
    reply = await answers.caller.call("getNotJson")
    assert reply.json()["text"] == "<html>Our JSON is on holiday.</html>"


async def test_compressed_and_trickling_answers_arrive_whole(answers: BrowserHarness) -> None:
    """The browser decodes and collects; the size on the wire is not the size of the text."""
    compressed = (await answers.caller.call("getCompressed")).json()
    assert compressed == {"compressed": "again and " * 100 + "again"}
    trickled = (await answers.caller.call("getTrickle", {"lines": 3, "pause": 0.05})).json()
    assert len(trickled["items"]) == 3


async def test_an_image_is_passed_on_as_its_own_bytes(answers: BrowserHarness) -> None:
    """Callers show images; one changed byte is a broken image."""
    reply = await answers.caller.call("getPicture")
    async with answers.http.get(f"{answers.samples_url}/answers/picture") as direct:
        assert reply.body == await direct.read()
    assert reply.headers["Content-Type"] == "image/png"


@pytest.mark.parametrize(
    ("tool", "path", "mime"),
    [("getDownload", "download", "application/octet-stream"), ("getRecording", "recording", "audio/wav")],
)
async def test_another_file_comes_as_a_signed_address(
    answers: BrowserHarness, tool: str, path: str, mime: str
) -> None:
    """Bytes do not fit into a chat; whoever has the address may read this file and no other."""
    file = (await answers.caller.call(tool)).json()["file"]
    async with answers.http.get(f"{answers.samples_url}/answers/{path}") as direct:
        content = await direct.read()
    assert (file["mime"], file["bytes"]) == (mime, len(content))
    async with answers.http.get(file["url"]) as kept:
        assert await kept.read() == content
        assert kept.headers["Content-Disposition"].startswith("attachment")
    async with answers.http.get(file["url"][:-3] + "abc") as forged:
        assert forged.status == 401


async def test_text_over_the_cap_is_cut_and_says_so(answers: BrowserHarness) -> None:
    """A model that is not told believes it has read everything."""
    reply = (await answers.caller.call("getLarge", {"bytes": 3_000_000, "kind": "text"})).json()
    sizes = {"bytes_shown": 256 * 1024, "bytes_kept": 3_000_000, "bytes_total": 3_000_000}
    assert reply["truncated"] == sizes
    assert len(reply["text"]) == reply["next_offset"] == 256 * 1024
    assert reply["call_id"].startswith("call_")


async def test_large_text_below_the_cap_arrives_whole(answers: BrowserHarness) -> None:
    """What fits is never touched, up to the last byte."""
    reply = await answers.caller.call("getLarge", {"bytes": 256 * 1024, "kind": "json"})
    assert len(reply.body) == 256 * 1024
    assert set(reply.json()) == {"filler"}


async def test_a_file_over_the_cap_is_too_large(answers: BrowserHarness) -> None:
    """Half a file is worth nothing, so there is none."""
    reply = await answers.caller.call("getLarge", {"bytes": 17 * 2**20, "kind": "binary"})
    assert (reply.status, reply.code) == (413, "too_large")
    assert reply.detail["limit_bytes"] == 16 * 2**20


@pytest.mark.parametrize(("tool", "status"), [("getMissing", 404), ("getFailure", 500)])
async def test_a_failure_of_the_api_is_told_with_its_status_and_words(
    answers: BrowserHarness, tool: str, status: int
) -> None:
    """S0-115: the model corrects itself by what the API said; our own status is another thing."""
    reply = await answers.caller.call(tool)
    assert (reply.status, reply.code) == (502, "http_status")
    assert reply.detail["status"] == status
    assert reply.detail["content_type"].startswith("application/problem+json")
    problem = reply.detail["body"]
    assert problem["status"] == status
    assert problem["detail"] in {"Shelf 7 was taken down last year.", "You asked for a 500."}


async def test_an_api_that_asks_for_patience_is_quoted(answers: BrowserHarness) -> None:
    """Callers that may repeat must learn when."""
    reply = await answers.caller.call("getFailure", {"status": 429})
    assert reply.json()["error"]["retryable"] is True
    assert (reply.detail["status"], reply.detail["retry_after"]) == (429, "1")


async def test_answers_of_calls_at_the_same_time_are_not_mixed_up(answers: BrowserHarness) -> None:
    """Thirty calls share one socket and one limit of the browser; each gets its own answer."""
    sizes = [32 + number * 8_000 for number in range(30)]
    async with asyncio.TaskGroup() as group:
        calls = [group.create_task(answers.caller.call("getLarge", {"bytes": size})) for size in sizes]
    assert [len(call.result().body) for call in calls] == sizes
