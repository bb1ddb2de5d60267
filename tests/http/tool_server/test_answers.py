"""Answers on their way through upload, rendering and files, over real HTTP and a real socket."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from bridge.browser_protocol import RESULT_BYTES
from bridge.http.answer_files import plain_mime
from bridge.settings.network import origin_of
from tests.support.cluster.bridge_pairs import home_url
from tests.support.running_bridge import Answer, FakePage, json_answer, page_of
from tests.support.waiting import eventually
from toolserver.answer.result import CUT_BY_TIME

pytestmark = pytest.mark.asyncio

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


class Scene:
    """One page whose next outcome the test sets; uploads go ahead of it."""

    def __init__(self, bridge: Bridge, page: FakePage) -> None:
        self.bridge = bridge
        self.page = page
        self.outcome: dict[str, Any] = json_answer({})
        self.upload: tuple[bytes, str, str] | None = None
        self.statuses: list[int] = []
        self.answer: Answer = self._upload_and_answer

    async def _upload_and_answer(self, call: dict[str, Any]) -> dict[str, Any]:
        if self.upload is not None:
            for token in ("wrong", call["bridge"]["result_token"], call["bridge"]["result_token"]):
                self.statuses.append(await self.put(call["id"], token))
        return self.outcome

    async def put(self, call_id: str, token: str) -> int:
        assert self.upload is not None
        content, mime, kind = self.upload
        headers = {"X-Result-Token": token, "X-Result-Kind": kind, "Content-Type": mime}
        url = f"{home_url(self.bridge.base_url)}/api/calls/{call_id}/result"

        async def stream() -> AsyncIterator[bytes]:
            for start in range(0, len(content), 1 << 20):
                yield content[start : start + (1 << 20)]

        async with self.page.http.put(url, data=stream(), headers=headers) as response:
            return response.status

    async def call(self, more: Mapping[str, str] | None = None) -> tuple[int, str, bytes]:
        headers = {"Authorization": f"Bearer {self.bridge.key}", **(more or {})}
        url = self.bridge.base_url + "/tools/listProducts"
        async with self.page.http.post(url, json={}, headers=headers) as response:
            return response.status, response.content_type, await response.read()


@pytest_asyncio.fixture
async def scene(bridge: Bridge) -> AsyncIterator[Scene]:
    scenes: list[Scene] = []

    async def answer(call: dict[str, Any]) -> dict[str, Any] | None:
        return await scenes[0].answer(call)

    async with page_of(bridge, bridge.local_user.id, answer) as page:
        scenes.append(Scene(bridge, page))
        yield scenes[0]


def uploaded(content_type: str, **facts: Any) -> dict[str, Any]:
    return {
        "status": "answered",
        "http_status": 200,
        "content_type": content_type,
        "body": {"kind": "uploaded"},
        **facts,
    }


def text(content_type: str, body: str, status: int = 200, **facts: Any) -> dict[str, Any]:
    return {
        "status": "answered",
        "http_status": status,
        "content_type": content_type,
        "body": {"kind": "text", "text": body},
        **facts,
    }


@pytest.mark.parametrize(
    ("outcome", "body"),
    [
        (text("application/json", '{"n": 9007199254740993}'), b'{"n": 9007199254740993}'),
        (text("application/json", "[1, 2]"), b'{"result":[1, 2]}'),
        (text("application/json", "null"), b'{"result":null}'),
        (text("application/json", "no JSON"), b'{"text":"no JSON","content_type":"application/json"}'),
        (text("text/plain", "hello"), b'{"text":"hello","content_type":"text/plain"}'),
        (
            {"status": "answered", "http_status": 204, "body": {"kind": "empty"}},
            b'{"status":204}',
        ),
    ],
)
async def test_answers_take_the_documented_shapes(scene: Scene, outcome: dict[str, Any], body: bytes) -> None:
    """Ruling 10: never a bare array, never null, never 204, and JSON as the API wrote it."""
    scene.outcome = outcome
    assert await scene.call() == (200, "application/json", body)


async def test_text_that_the_page_cut_says_so_and_names_the_call(scene: Scene) -> None:
    """W-05: a model that reads half an answer must know that it is half, and why."""
    scene.outcome = text("text/plain", "the beginning", truncated=True, total_bytes=5_000_000, cut_by="time")
    _, _, body = await scene.call()
    assert json.loads(body) == {
        "text": "the beginning",
        "content_type": "text/plain",
        "truncated": {"bytes_shown": 13, "bytes_kept": 13, "bytes_total": 5_000_000},
        "call_id": scene.page.calls[0]["id"],
        "hint": CUT_BY_TIME,
    }


async def test_a_large_text_goes_by_upload_with_its_token(scene: Scene) -> None:
    """Results above 256 KiB must not block the socket; only the page that has the call may bring them."""
    content = json.dumps({"filler": "x" * 200_000}).encode()
    scene.upload = (content, "application/json; charset=utf-8", "text")
    scene.outcome = uploaded("application/json")
    assert await scene.call() == (200, "application/json", content)
    assert scene.statuses == [401, 200, 200]


async def test_an_upload_sent_again_changes_nothing_and_succeeds(scene: Scene) -> None:
    """The page repeats what it had no answer to; a refusal would make a finished call `outcome_unknown`."""
    scene.outcome = uploaded("text/plain")

    async def twice(call: dict[str, Any]) -> dict[str, Any]:
        for content in (b"first", b"second"):
            scene.upload = (content, "text/plain", "text")
            scene.statuses.append(await scene.put(call["id"], call["bridge"]["result_token"]))
        return scene.outcome

    scene.answer = twice
    assert json.loads((await scene.call())[2])["text"] == "first"
    assert scene.statuses == [200, 200]


async def test_an_image_is_returned_as_an_image(scene: Scene) -> None:
    """Open WebUI shows raw `image/*` bodies (ruling 10)."""
    scene.upload = (PNG, "image/png", "file")
    scene.outcome = uploaded("image/png")
    assert await scene.call() == (200, "image/png", PNG)


async def test_a_binary_answer_becomes_a_signed_link_for_a_day(scene: Scene, bridge: Bridge) -> None:
    """The link alone opens this one file, as a download that no browser runs."""
    scene.upload = (b"%PDF-1.7 x", "application/pdf", "file")
    named = {"content-disposition": "attachment; filename*=UTF-8''na%C3%AFve.pdf"}
    scene.outcome = uploaded("application/pdf", headers=named)
    _, _, body = await scene.call()
    file = json.loads(body)["file"]
    assert (file["mime"], file["bytes"], file["filename"]) == ("application/pdf", 10, "naïve.pdf")
    async with scene.page.http.get(file["url"]) as response:
        assert (response.status, await response.read()) == (200, b"%PDF-1.7 x")
        assert response.headers["Content-Disposition"] == "attachment; filename*=UTF-8''na%C3%AFve.pdf"
        policy = response.headers["Content-Security-Policy"]
        assert policy == "default-src 'none'; frame-ancestors 'none'; sandbox"
    async with scene.page.http.get(file["url"] + "x") as response:
        assert response.status == 401


async def test_an_upload_over_its_limit_is_refused(scene: Scene) -> None:
    """The page counts bytes too; the bridge does not rely on it."""
    scene.upload = (b"x" * (RESULT_BYTES + 1), "text/plain", "text")
    scene.outcome = uploaded("text/plain")
    status, _, body = await scene.call()
    assert (status, json.loads(body)["error"]["code"]) == (500, "internal")
    assert scene.statuses == [401, 413, 413]
    assert list(scene.bridge.data_dir.glob("files/*/*")) == []


async def test_html_is_text_unless_the_server_may_show_it(scene: Scene, bridge: Bridge) -> None:
    """Foreign HTML is shown inline only if the user of that server allowed it and the API asked for it."""
    inline = {"content-disposition": "inline", "content-type": "text/html"}
    scene.outcome = text("text/html", "<h1>Hi</h1>", headers=inline)
    assert (await scene.call())[1] == "application/json"
    await bridge.components.registry.change_server(bridge.local_user.id, "shop", inline_html=True)
    assert await scene.call() == (200, "text/html", b"<h1>Hi</h1>")
    scene.outcome = text("text/html", "<h1>Hi</h1>")
    assert (await scene.call())[1] == "application/json"


@pytest.mark.timings(silence_s=0.05, space_s=0.02)
async def test_a_slow_call_is_kept_alive_and_its_failure_is_a_200_with_an_error(
    scene: Scene, bridge: Bridge
) -> None:
    """Proxies cut silent connections (ruling 9); the two waits are shortened, their order is the point."""
    release = asyncio.Event()
    outcomes = [json_answer({"ok": 1}), json_answer({"title": "no"}, status=500)]

    async def slowly(_call: dict[str, Any]) -> dict[str, Any]:
        await release.wait()
        release.clear()
        return outcomes.pop(0)

    scene.answer = slowly
    headers = {"Authorization": f"Bearer {bridge.key}"}
    url = bridge.base_url + "/tools/listProducts"
    for expected in ("ok", "error"):
        async with scene.page.http.post(url, json={}, headers=headers) as response:
            assert (response.status, response.content_type) == (200, "application/json")
            assert await response.content.readexactly(3) == b"   "
            release.set()
            assert expected in json.loads(await response.content.read())


@pytest.mark.timings(silence_s=0.02)
async def test_a_caller_of_a_slow_call_that_goes_away_cancels_it(scene: Scene, bridge: Bridge) -> None:
    """Also after the first white space has been sent."""
    arrived = asyncio.Event()

    async def never(_call: dict[str, Any]) -> dict[str, Any]:
        arrived.set()
        await asyncio.Event().wait()
        return {}

    scene.answer = never
    headers = {"Authorization": f"Bearer {bridge.key}"}
    async with aiohttp.ClientSession() as http:
        response = await http.post(bridge.base_url + "/tools/listProducts", json={}, headers=headers)
        await response.content.read(1)
        await eventually(arrived.is_set)  # a busy machine sends that white space before the call
        response.close()
    await eventually(lambda: [c["reason"] for c in scene.page.cancelled] == ["caller_gone"])


@pytest.mark.parametrize(
    ("content_type", "mime"),
    [
        ("Image/PNG; q=1", "image/png"),
        ("", "application/octet-stream"),
        ("x\r\nSet-Cookie: a=b", "application/octet-stream"),
        ("text/html\r\nX: y", "text/html"),
    ],
)
async def test_a_foreign_content_type_cannot_write_headers(content_type: str, mime: str) -> None:
    """The API chooses this text; it ends up in a header of ours."""
    assert plain_mime(content_type) == mime


@pytest.mark.parametrize(
    "headers",
    [
        {"X-OpenWebUI-Chat-Id": "c1"},
        {"X-OpenWebUI-Chat-Id": ""},
        {"X-OpenWebUI-User-Id": "u1"},
        {"X-Session-Id": "c1", "Origin": "http://127.0.0.1"},
    ],
)
async def test_open_webui_reads_a_failure_as_it_is(scene: Scene, headers: dict[str, str]) -> None:
    """It wraps an error status in words of its own, so that a model read of a 502 that no API had sent."""
    scene.outcome = json_answer({"detail": "name: field required"}, status=422)
    if "Origin" in headers:
        headers = {**headers, "Origin": scene.bridge.base_url}
    status, content_type, body = await scene.call(headers)
    assert (status, content_type) == (200, "application/json")
    error = json.loads(body)["error"]
    assert error["code"] == "http_status"
    assert error["message"].startswith("The API answered 422")


@pytest.mark.parametrize("headers", [{}, {"X-Session-Id": "c1"}])
async def test_other_clients_get_the_status_of_a_failure(scene: Scene, headers: dict[str, str]) -> None:
    """They decide by it."""
    scene.outcome = json_answer({"detail": "name: field required"}, status=422)
    assert (await scene.call(headers))[0] == 502


LINK = '<https://api.example/products?page=2>; rel="next"'
TELLING = {"link": LINK, "x-total-count": "57", "etag": '"7"', "content-type": "application/json"}
TOLD = {name: TELLING[name] for name in ("link", "x-total-count", "etag")}
ANSWER_HEADERS = "X-Tool-Bridge-Answer-Headers"


async def answer_of(scene: Scene, origin: str) -> aiohttp.ClientResponse:
    headers = {"Authorization": f"Bearer {scene.bridge.key}", "Origin": origin}
    response = await scene.page.http.post(
        scene.bridge.base_url + "/tools/listProducts", json={}, headers=headers
    )
    await response.read()
    return response


async def test_an_object_comes_with_what_its_headers_tell_in_a_header(scene: Scene) -> None:
    """Finding O-8, W-27: the object itself stays as it is, and pages of other origins may read the header."""
    scene.outcome = text("application/json", '{"n": 9007199254740993}', headers=TELLING)
    response = await answer_of(scene, origin_of(scene.bridge.base_url))
    assert await response.read() == b'{"n": 9007199254740993}'
    assert json.loads(response.headers[ANSWER_HEADERS]) == TOLD
    assert ANSWER_HEADERS.lower() in response.headers["Access-Control-Expose-Headers"]


async def test_a_list_comes_with_its_next_page_and_total_beside_it(scene: Scene) -> None:
    """Finding O-8, W-27: a model cannot know that there is a second page."""
    scene.outcome = text("application/json", "[1, 2]", headers=TELLING)
    response = await answer_of(scene, origin_of(scene.bridge.base_url))
    assert await response.json() == {"result": [1, 2], "headers": TOLD}
    assert ANSWER_HEADERS not in response.headers


async def test_an_image_comes_with_what_its_headers_tell(scene: Scene) -> None:
    """Finding O-8: its body is bytes, so only a header is left."""
    scene.upload = (PNG, "image/png", "file")
    scene.outcome = uploaded("image/png", headers={"etag": '"7"'})
    response = await answer_of(scene, origin_of(scene.bridge.base_url))
    assert (response.content_type, await response.read()) == ("image/png", PNG)
    assert json.loads(response.headers[ANSWER_HEADERS]) == {"etag": '"7"'}


@pytest.mark.parametrize("status", [201, 202])
async def test_what_was_made_or_begun_says_where_it_is(scene: Scene, status: int) -> None:
    """Finding O-8: the id to ask for is often in `Location` alone, and how long to wait in `Retry-After`."""
    headers = {"location": "/jobs/9", "retry-after": "30"}
    scene.outcome = text("application/json", '{"state": "queued"}', status, headers=headers)
    response = await answer_of(scene, origin_of(scene.bridge.base_url))
    assert json.loads(response.headers[ANSWER_HEADERS]) == headers


async def test_no_header_of_an_api_becomes_a_header_of_ours(scene: Scene) -> None:
    """Finding W-27: an API that writes line breaks, other alphabets or cookies into what it tells."""
    evil = "/x\r\nSet-Cookie: sid=1\r\n\r\n<script>\x00é漢\u202e"
    headers = {"location": evil, "link": "l" * 9000, "set-cookie": "sid=2", "x-page": "é" * 900}
    scene.outcome = text("application/json", "{}", headers=headers)
    response = await answer_of(scene, origin_of(scene.bridge.base_url))
    assert "Set-Cookie" not in response.headers
    line = response.headers[ANSWER_HEADERS]
    assert line.isascii()
    assert line.isprintable()
    assert len(line) <= 4096
    assert json.loads(line) == {
        "location": "/xSet-Cookie: sid=1<script>é漢",
        "x-tool-bridge-dropped": "link, x-page",
    }


@pytest.mark.timings(silence_s=0.02)
async def test_a_late_answer_tells_its_headers_where_it_is_wrapped(scene: Scene, bridge: Bridge) -> None:
    """Finding O-8: our own headers have left by then, so a late object tells nothing (docs: answers)."""
    release = asyncio.Event()
    outcomes = [text("application/json", body, headers=TELLING) for body in ("[1]", '{"a": 1}')]
    outcomes.append(uploaded("image/png", headers=TELLING))

    async def slowly(call: dict[str, Any]) -> dict[str, Any]:
        await release.wait()
        release.clear()
        if len(outcomes) == 1:
            scene.upload = (PNG, "image/png", "file")
            await scene.put(call["id"], call["bridge"]["result_token"])
        return outcomes.pop(0)

    scene.answer = slowly
    seen: list[Any] = []
    for _ in range(3):
        headers = {"Authorization": f"Bearer {bridge.key}"}
        url = bridge.base_url + "/tools/listProducts"
        async with scene.page.http.post(url, json={}, headers=headers) as response:
            assert await response.content.readexactly(1) == b" "
            release.set()
            seen.append(json.loads(await response.content.read()))
    assert seen[0] == {"result": [1], "headers": TOLD}
    assert seen[1] == {"a": 1}
    assert (seen[2]["headers"], seen[2]["file"]["mime"]) == (TOLD, "image/png")


async def test_a_text_that_is_the_json_of_a_value_is_sent_as_that_value(scene: Scene) -> None:
    """Finding W-8: the page's card and request are made of what it is sent."""
    headers = {"Authorization": f"Bearer {scene.bridge.key}"}
    url = scene.bridge.base_url + "/tools/listProducts"
    for body in ('{"limit": "3"}', json.dumps('{"limit":3}')):
        async with scene.page.http.post(url, data=body, headers=headers) as response:
            assert response.status == 200
    assert [call["params"] for call in scene.page.calls] == ['{"limit":3}', '{"limit":3}']
