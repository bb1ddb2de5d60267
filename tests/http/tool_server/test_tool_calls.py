"""Tool calls over real HTTP and a real socket: statuses, shapes and isolation of users."""

import asyncio
import io
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from bridge.app.start import start_bridge
from bridge.storage.database import open_database
from tests.support.documents.compiled import document_text
from tests.support.running_bridge import TEST_LIMITS, Answer, json_answer, page_of, running_bridge
from tests.support.settings import bridge_settings
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def bridge(tmp_path: Path) -> AsyncIterator[Bridge]:
    async with running_bridge(tmp_path, max_open_calls_per_user=3) as running:
        await running.components.registry.share_document("shop.json", document_text(), source_url=None)
        yield running


async def call(
    bridge: Bridge,
    http: aiohttp.ClientSession,
    tool: str,
    arguments: str | bytes | io.BytesIO = "{}",
    *,
    key: str | None = None,
    **headers: str,
) -> tuple[int, Any]:
    headers["Authorization"] = f"Bearer {key or bridge.key}"
    async with http.post(f"{bridge.base_url}/tools/{tool}", data=arguments, headers=headers) as response:
        return response.status, await response.json()


def always(outcome: dict[str, Any] | None) -> Answer:
    async def answer(_call: dict[str, Any]) -> dict[str, Any] | None:
        return outcome

    return answer


async def test_a_call_is_performed_by_the_page_and_its_answer_returned(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """W-25: the product in one line; the message names server, operation and digest, and carries no URL."""
    async with page_of(bridge, bridge.local_user.id, always(json_answer({"products": []}))) as page:
        assert await call(bridge, http, "listProducts", '{"limit": 12345678901234567890}') == (
            200,
            {"products": []},
        )
        sent = page.calls[0]
        assert sent["name"] == "GET /products"
        assert sent["params"] == '{"limit": 12345678901234567890}'
        assert set(sent["server"]) == {"id", "digest"}
        assert "http" not in str(sent)
        await eventually(lambda: page.receipts == [sent["id"]])


@pytest.mark.parametrize("body", ["null", " null\n", "\ufeffnull", ""])
async def test_null_is_no_arguments(bridge: Bridge, http: aiohttp.ClientSession, body: str) -> None:
    """Finding W-16: `/mcp` takes it; a client that has no arguments writes what its language has for that."""
    async with page_of(bridge, bridge.local_user.id, always(json_answer({"ok": True}))) as page:
        assert await call(bridge, http, "listProducts", body) == (200, {"ok": True})
        assert page.calls[0]["params"] == "{}"
        assert (await call(bridge, http, "addProduct", body))[0] == 400


async def test_a_tool_can_be_called_through_its_server_only(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """`/servers/{id}` is a tool server of its own, with its own tools."""
    async with page_of(bridge, bridge.local_user.id, always(json_answer({"ok": True}))):
        headers = {"Authorization": f"Bearer {bridge.key}"}
        for server, status in (("shop", 200), ("other", 404)):
            url = f"{bridge.base_url}/servers/{server}/tools/listProducts"
            async with http.post(url, json={}, headers=headers) as response:
                assert response.status == status


async def test_what_a_caller_can_do_wrong_has_its_own_status_and_code(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """S0-111 differs: the caller must be able to tell what to change (ruling 9)."""
    async with page_of(bridge, bridge.local_user.id, always(json_answer({"ok": True}))) as page:
        seen = {
            name: (status, body["error"]["code"])
            for name, (status, body) in {
                "unknown": await call(bridge, http, "nothing"),
                "type": await call(bridge, http, "listProducts", '{"limit": "many"}'),
                "missing": await call(bridge, http, "addProduct", "{}"),
                "undeclared": await call(bridge, http, "listProducts", '{"limit": 2, "zz": 1}'),
                "no JSON": await call(bridge, http, "addProduct", "{"),
                "no object": await call(bridge, http, "addProduct", "[]"),
                "not UTF-8": await call(bridge, http, "addProduct", b"\xff{}"),
                "wrong key": await call(bridge, http, "addProduct", key="tbk_wrong"),
                "too large": await call(
                    bridge, http, "addProduct", io.BytesIO(b'{"name": "' + b"x" * 1_100_000 + b'"}')
                ),
            }.items()
        }
        assert seen == {
            "unknown": (404, "unknown_tool"),
            "type": (400, "invalid_arguments"),
            "missing": (400, "invalid_arguments"),
            "undeclared": (400, "invalid_arguments"),
            "no JSON": (400, "invalid_arguments"),
            "no object": (400, "invalid_arguments"),
            "not UTF-8": (400, "invalid_arguments"),
            "wrong key": (401, "unauthorized"),
            "too large": (413, "too_large"),
        }
        assert page.calls == []


async def test_without_a_key_nothing_is_told(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """Documents and tools are for key holders; the two public routes say nothing about anybody."""
    for path in ("/openapi.json", "/servers/shop/openapi.json"):
        async with http.get(bridge.base_url + path) as response:
            assert response.status == 401
    async with http.get(bridge.base_url + "/api/config") as response:
        assert await response.json() == {"features": {"system": True}}
    async with http.get(bridge.base_url + "/servers/shop/system") as response:
        assert "no_browser" in (await response.json())["prompt"]


async def test_what_is_not_accepted_is_refused_before_any_page_sees_it(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """The server is the first gate, the page the last."""
    status, body = await call(bridge, http, "listProducts")
    assert (status, body["error"]["code"]) == (403, "not_accepted")


async def test_with_no_page_open_the_answer_comes_at_once_and_says_what_to_do(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """The most frequent failure must be the clearest."""
    async with page_of(bridge, bridge.local_user.id, always(None)):
        pass
    await eventually(lambda: bridge.components.gateway.pages.count_pages(bridge.local_user.id) == 0)
    status, body = await call(bridge, http, "listProducts")
    assert (status, body["error"]["code"], body["error"]["retryable"]) == (503, "no_browser", True)
    assert f"Open {bridge.base_url}/" in body["error"]["message"]


async def test_a_page_that_closes_in_mid_call_ends_the_call_at_once(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Long before their deadline, and honestly: the unsafe request may have been performed."""
    async with page_of(bridge, bridge.local_user.id, always(None)) as page:
        running = [
            asyncio.create_task(call(bridge, http, "listProducts")),
            asyncio.create_task(call(bridge, http, "addProduct", '{"name": "tea"}')),
        ]
        await eventually(lambda: len(page.calls) == 2)
        began = asyncio.get_running_loop().time()
        await page.close()
        ended = [await task for task in running]
        assert asyncio.get_running_loop().time() - began < 20
        assert [(status, body["error"]["code"]) for status, body in ended] == [
            (503, "no_browser"),
            (409, "outcome_unknown"),
        ]


async def test_a_bridge_that_stops_tells_its_callers_so(tmp_path: Path) -> None:
    """Not the page was lost: the bridge is; and stopping does not wait for the API."""
    settings = bridge_settings(tmp_path, limits=TEST_LIMITS, approve="safe")
    bridge = await start_bridge(settings, open_database(tmp_path / "bridge.sqlite3"))
    await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
    async with (
        aiohttp.ClientSession() as http,
        page_of(bridge, bridge.local_user.id, always(None)) as page,
    ):
        running = asyncio.create_task(call(bridge, http, "listProducts"))
        await eventually(lambda: page.calls)
        await bridge.close()
        status, body = await running
        assert (status, body["error"]["code"]) == (503, "no_browser")
        assert "The bridge was stopped" in body["error"]["message"]


async def test_a_page_that_never_answers_meets_the_deadline_and_is_told_to_stop(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """The server owns the deadline; the page aborts the request."""
    async with page_of(bridge, bridge.local_user.id, always(None)) as page:
        status, body = await call(bridge, http, "listProducts", **{"X-Tool-Deadline": "2"})
        assert (status, body["error"]["code"]) == (504, "timeout")
        await eventually(lambda: [c["reason"] for c in page.cancelled] == ["deadline"])


async def test_a_caller_that_hangs_up_cancels_the_call_in_the_page(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """A chat that was stopped must not leave requests running."""
    async with page_of(bridge, bridge.local_user.id, always(None)) as page:
        running = asyncio.create_task(call(bridge, http, "listProducts"))
        await eventually(lambda: page.calls)
        running.cancel()
        await eventually(lambda: [c["call_id"] for c in page.cancelled] == [page.calls[0]["id"]])


async def test_calls_reach_only_the_pages_of_their_own_user(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Two users on one bridge, both calling at once."""
    bob = await bridge.components.users.ensure_user("bob")
    _, bobs_key = await bridge.components.users.add_key(bob.id, "test")
    async with (
        page_of(bridge, bridge.local_user.id, always(json_answer({"page": "local"}))) as mine,
        page_of(bridge, bob.id, always(json_answer({"page": "bob"}))) as bobs,
    ):
        answers = [
            (await call(bridge, http, "listProducts", key=key))[1]["page"]
            for key in [bridge.key, bobs_key] * 5
        ]
        assert answers == ["local", "bob"] * 5
        assert len(mine.calls) == len(bobs.calls) == 5
        await bobs.close()
        await eventually(lambda: bridge.components.gateway.pages.count_pages(bob.id) == 0)
        status, body = await call(bridge, http, "listProducts", key=bobs_key)
        assert (status, body["error"]["code"]) == (503, "no_browser")
        assert len(mine.calls) == 5


async def test_a_page_cannot_settle_or_upload_for_another_users_call(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Bob's page knows Ann's call id by accident; it must be worth nothing."""
    bob = await bridge.components.users.ensure_user("bob")
    async with (
        page_of(bridge, bridge.local_user.id, always(None)) as mine,
        page_of(bridge, bob.id, always(None)) as bobs,
    ):
        running = asyncio.create_task(call(bridge, http, "listProducts"))
        await eventually(lambda: mine.calls)
        call_id = mine.calls[0]["id"]
        await bobs.socket.emit("bridge:result", {"call_id": call_id, "outcome": json_answer({"forged": 1})})
        status, _ = await bobs.request("PUT", f"/api/calls/{call_id}/result", {"forged": 1})
        assert status == 401
        outcome = json_answer({"true": 1})
        await mine.socket.emit("bridge:result", {"call_id": call_id, "outcome": outcome})
        assert await running == (200, {"true": 1})


async def test_the_newest_page_of_a_user_gets_the_calls_and_the_older_takes_over(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Two devices of one user: no call is performed twice, none is lost when one goes."""
    local = bridge.local_user.id
    async with page_of(bridge, local, always(json_answer({"page": "old"}))):
        async with page_of(bridge, local, always(json_answer({"page": "new"}))):
            assert (await call(bridge, http, "listProducts"))[1] == {"page": "new"}
        await eventually(lambda: bridge.components.gateway.pages.count_pages(local) == 1)
        assert (await call(bridge, http, "listProducts"))[1] == {"page": "old"}


async def test_a_call_waits_for_the_page_that_may_reach_its_origin(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """After an acceptance the page starts a worker with a wider policy; the old one could only fail."""
    local = bridge.local_user.id
    narrow: dict[str, Any] = {"protocol": 2, "page_id": "narrow", "origins": []}
    wide = {"protocol": 2, "page_id": "wide", "origins": ["http://api.example"]}
    async with page_of(bridge, local, always(json_answer({"page": "narrow"})), hello=narrow) as old:
        running = asyncio.create_task(call(bridge, http, "listProducts"))
        async with page_of(bridge, local, always(json_answer({"page": "wide"})), hello=wide):
            assert await running == (200, {"page": "wide"})
        await eventually(lambda: bridge.components.gateway.pages.count_pages(local) == 1)
        assert old.calls == []


async def test_a_call_is_not_kept_from_a_page_for_ever(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """If no better page comes, the one that is open says what is wrong."""
    narrow: dict[str, Any] = {"protocol": 2, "page_id": "narrow", "origins": []}
    outcome = json_answer({"page": "narrow"})
    async with page_of(bridge, bridge.local_user.id, always(outcome), hello=narrow):
        assert await call(bridge, http, "listProducts") == (200, {"page": "narrow"})


async def test_a_user_with_too_many_open_calls_is_told_so(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Bounded: the fourth call of this bridge's three is refused, and the page never sees it."""
    release = asyncio.Event()

    async def answer(_call: dict[str, Any]) -> dict[str, Any]:
        await release.wait()
        return json_answer({})

    async with page_of(bridge, bridge.local_user.id, answer) as page:
        running = [asyncio.create_task(call(bridge, http, "listProducts")) for _ in range(3)]
        await eventually(lambda: len(page.calls) == 3)
        status, body = await call(bridge, http, "listProducts")
        assert (status, body["error"]["code"]) == (429, "queue_full")
        release.set()
        assert {(await task)[0] for task in running} == {200}
        assert len(page.calls) == 3


@pytest.mark.parametrize(
    "junk",
    [None, 7, "text", [], {}, {"outcome": {}}, {"call_id": 5, "outcome": {"status": "answered"}}],
)
async def test_junk_from_a_page_disturbs_nobody(
    bridge: Bridge, http: aiohttp.ClientSession, junk: object
) -> None:
    """S0-114: the gateway answers whatever a page sends with patience."""
    async with page_of(bridge, bridge.local_user.id, always(json_answer({"ok": 1}))) as page:
        await page.socket.emit("bridge:result", junk)
        refusal = await page.socket.call("bridge:hello", junk, timeout=20)
        assert refusal["error"]["code"] == "invalid_request"
        assert await call(bridge, http, "listProducts") == (200, {"ok": 1})


async def test_an_unreadable_report_still_ends_its_call(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """S0-114: a page of another version may report in a form we do not know: say so at once."""
    async with page_of(bridge, bridge.local_user.id, always({"status": "surprise"})):
        status, body = await call(bridge, http, "listProducts")
        assert (status, body["error"]["code"]) == (500, "internal")
        assert "cannot read" in body["error"]["message"]
