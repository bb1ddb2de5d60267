"""Limits, breakers and deadlines as callers and users meet them: over HTTP, with a page that a test plays."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from bridge.app.start import start_bridge
from bridge.storage.database import open_database
from tests.support.documents.compiled import document_text
from tests.support.running_bridge import FakePage, json_answer, page_of, running_bridge
from tests.support.settings import bridge_settings
from tests.support.stores.databases import Where
from tests.support.waiting import eventually

pytestmark = [pytest.mark.asyncio, pytest.mark.both_databases]

SHOP = "GET /products"


NO_CONNECTION = {
    "status": "failed",
    "error": {"code": "network", "message": "Nobody answers."},
    "delivered": "no",
}


class Api:
    """What the page finds behind it: counts what runs at once, and answers when told to."""

    def __init__(self) -> None:
        self.running: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.ended = 0
        self.status = 200
        self.breaks = False
        self.go_on = asyncio.Event()
        self.go_on.set()

    async def answer(self, call: dict[str, Any]) -> dict[str, Any] | None:
        key = call["name"]
        self.running[key] += 1
        self.most[key] = max(self.most[key], self.running[key])
        await self.go_on.wait()
        await asyncio.sleep(0.01)
        self.running[key] -= 1
        self.ended += 1
        return NO_CONNECTION if self.breaks else json_answer({"ok": 1}, self.status)


@pytest.fixture
def api() -> Api:
    return Api()


@pytest_asyncio.fixture
async def page(bridge: Bridge, api: Api) -> AsyncIterator[FakePage]:
    async with page_of(bridge, bridge.local_user.id, api.answer) as page:
        yield page


async def call(
    bridge: Bridge, tool: str = "listProducts", *, headers: Mapping[str, str] | None = None, key: str = ""
) -> tuple[int, Any]:
    sent = {"Authorization": f"Bearer {key or bridge.key}", **(headers or {})}
    body = {"name": "x"} if tool == "addProduct" else {}
    async with (
        aiohttp.ClientSession() as http,
        http.post(f"{bridge.base_url}/tools/{tool}", json=body, headers=sent) as response,
    ):
        return response.status, await response.json()


async def change(page: FakePage, **limits: float | None) -> None:
    status, told = await page.request("PATCH", "/api/limits", {"limits": limits})
    assert status == 200, told


async def test_calls_of_one_message_run_five_at_a_time(bridge: Bridge, page: FakePage, api: Api) -> None:
    """S0-71: Open WebUI names the message whose tool calls these are; another message is not held up."""
    api.go_on.clear()
    message = {"X-OpenWebUI-Message-Id": "m1"}
    calls = [asyncio.create_task(call(bridge, headers=message)) for _ in range(20)]
    await eventually(lambda: api.running[SHOP] == 5)
    other = asyncio.create_task(call(bridge, headers={"X-OpenWebUI-Message-Id": "m2"}))
    await eventually(lambda: api.running[SHOP] == 6)
    api.go_on.set()
    answers = await asyncio.gather(*calls, other)
    assert [status for status, _ in answers] == [200] * 21


async def test_another_key_that_names_the_message_takes_no_place_of_it(
    bridge: Bridge, page: FakePage, api: Api
) -> None:
    """Finding S-M2: its sibling: the id of a message is a header, too, and joins the calls of one key."""
    api.go_on.clear()
    message = {"X-OpenWebUI-Message-Id": "m1"}
    key = (await page.post("/api/keys", {"label": "low"}))["key"]
    calls = [asyncio.create_task(call(bridge, headers=message, key=key)) for _ in range(6)]
    await eventually(lambda: api.running[SHOP] == 5)
    other = asyncio.create_task(call(bridge, headers=message))
    await eventually(lambda: api.running[SHOP] == 6)
    api.go_on.set()
    answers = await asyncio.gather(*calls, other)
    assert [status for status, _ in answers] == [200] * 7


async def test_the_global_limit_changes_while_calls_run(bridge: Bridge, page: FakePage, api: Api) -> None:
    """S0-72: two at once; raised, the waiting ones start at once; lowered, without a restart, too."""
    await change(page, MAX_PARALLEL_TOOLS_GLOBAL=2)
    api.go_on.clear()
    calls = [asyncio.create_task(call(bridge)) for _ in range(5)]
    await eventually(lambda: api.running[SHOP] == 2)
    shown = (await page.get("/api/limits"))["calls"]
    assert shown["running"] == 2
    await change(page, MAX_PARALLEL_TOOLS_GLOBAL=4)
    await eventually(lambda: api.running[SHOP] == 4)
    await change(page, MAX_PARALLEL_TOOLS_GLOBAL=1)
    api.go_on.set()
    await asyncio.gather(*calls)
    api.most.clear()
    await asyncio.gather(*(call(bridge) for _ in range(4)))
    assert api.most[SHOP] == 1


async def test_a_call_that_waits_in_vain_is_refused_and_was_never_sent(
    bridge: Bridge, page: FakePage, api: Api
) -> None:
    """W-16: waiting is bounded; the refusal names the limit that left no room."""
    await change(page, MAX_PARALLEL_TOOLS_GLOBAL=1, TOOL_QUEUE_WAIT_SECONDS=0)
    api.go_on.clear()
    running = asyncio.create_task(call(bridge))
    await eventually(lambda: api.running[SHOP] == 1)
    status, body = await call(bridge)
    assert (status, body["error"]["detail"]["full"]) == (429, "MAX_PARALLEL_TOOLS_GLOBAL")
    api.go_on.set()
    assert (await running)[0] == 200
    assert len(page.calls) == 1


async def test_a_call_that_waits_is_listed_told_to_pages_and_cancelled_by_its_id(
    bridge: Bridge, page: FakePage, api: Api
) -> None:
    """No page has it yet, and still its user sees it and can stop it; who hangs up gives his place up."""
    news: list[object] = []
    page.socket.on("bridge:calls", news.append)
    await change(page, MAX_PARALLEL_TOOLS_GLOBAL=1)
    api.go_on.clear()
    running = asyncio.create_task(call(bridge))
    await eventually(lambda: page.calls)
    waiting, leaving = (asyncio.create_task(call(bridge)) for _ in range(2))
    await eventually(lambda: bridge.components.controls.queue.waiting == 2)
    leaving.cancel()
    await eventually(lambda: bridge.components.controls.queue.waiting == 1)
    await eventually(lambda: len(news) >= 1)
    listed = (await page.get("/api/calls?open=true"))["calls"]
    assert sorted(each["state"] for each in listed) == ["queued", "running"]
    queued = next(each["call_id"] for each in listed if each["state"] == "queued")
    assert (await page.get(f"/api/calls/{queued}"))["state"] == "queued"
    assert await page.post(f"/api/calls/{queued}/cancel", {}) == {"ok": True}
    status, body = await waiting
    assert (status, body["error"]["code"]) == (409, "cancelled")
    api.go_on.set()
    assert (await running)[0] == 200
    assert len(page.calls) == 1
    states = [each["state"] for each in (await page.get("/api/calls"))["calls"]]
    assert states == ["cancelled", "cancelled", "succeeded"]
    assert (await page.get("/api/calls?open=true"))["calls"] == []
    assert (await page.request("GET", "/api/calls?open=perhaps"))[0] == 400
    of_operation = f"/api/calls?server={listed[0]['server']}&operation="
    assert len((await page.get(of_operation + quote(listed[0]["operation"])))["calls"]) == 3
    assert (await page.get(of_operation + "GET%20/other"))["calls"] == []
    assert (await page.request("GET", "/api/calls?operation=GET%20/other"))[0] == 400


async def test_who_may_change_limits_and_what_is_told_of_a_bad_value(
    bridge: Bridge, page: FakePage, api: Api
) -> None:
    """The operator's page only; an error names the range, and an unknown name is refused."""
    status, told = await page.request("PATCH", "/api/limits", {"limits": {"TOOL_TIMEOUT_SECONDS": 601}})
    assert (status, told["error"]["detail"]["maximum"]) == (400, 600)
    status, told = await page.request("PATCH", "/api/limits", {"limits": {"TOOL_IDLE_TIMEOUT_SECONDS": 1}})
    assert (status, told["error"]["code"]) == (400, "invalid_request")
    bob = await bridge.components.users.ensure_user("bob")
    async with page_of(bridge, bob.id, api.answer) as other:
        status, told = await other.request("PATCH", "/api/limits", {"limits": {}})
        assert (status, told["error"]["code"]) == (403, "operator_only")
        assert (await other.get("/api/limits"))["may_change"] is False


async def test_a_page_of_the_version_before_can_read_what_a_change_of_limits_answers(page: FakePage) -> None:
    """It spreads the warnings, which no limit has now."""
    status, told = await page.request("PATCH", "/api/limits", {"limits": {}})
    assert (status, told["warnings"]) == (200, [])


async def test_limits_and_settings_survive_a_restart(tmp_path: Path, database: Where, api: Api) -> None:
    """What was set in the page is kept in the database."""
    setting = {"server_id": "shop", "operation": SHOP, "deadline_s": 7, "max_parallel": 3, "in_order": None}
    for is_restarted in (False, True):
        async with running_bridge(tmp_path, database=database) as bridge:
            await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
            async with page_of(bridge, bridge.local_user.id, api.answer) as page:
                if not is_restarted:
                    await change(page, BREAKER_MAX_FAILURES=9)
                    await page.request("PUT", "/api/call-settings", setting)
                limits = {each["name"]: each for each in (await page.get("/api/limits"))["limits"]}
                assert (
                    limits["BREAKER_MAX_FAILURES"]["value"],
                    limits["BREAKER_MAX_FAILURES"]["source"],
                ) == (
                    9,
                    "kept",
                )
                assert (await page.get("/api/call-settings"))["settings"] == [setting]


async def test_a_removed_server_leaves_no_settings_to_one_that_gets_its_name(
    bridge: Bridge, page: FakePage
) -> None:
    """Server ids are given again; what was set for the old one must not hold for the new one."""
    added = await page.post("/api/servers", {"text": document_text("Depot")})
    await page.request("PUT", "/api/call-settings", {"server_id": added["id"], "deadline_s": 2})
    await page.request("DELETE", f"/api/servers/{added['id']}")
    again = await page.post("/api/servers", {"text": document_text("Depot")})
    assert again["id"] == added["id"]
    assert (await page.get("/api/call-settings"))["settings"] == []


async def test_the_closest_deadline_wins_and_the_error_names_it(
    bridge: Bridge, page: FakePage, api: Api
) -> None:
    """S0-75, S3-F5, W-11: call over tool over server over user over the bridge."""
    api.go_on.clear()
    await change(page, TOOL_TIMEOUT_SECONDS=1)
    begun: list[asyncio.Task[tuple[int, Any]]] = []
    for setting in (
        None,
        {"deadline_s": 1.1},
        {"server_id": "shop", "deadline_s": 1.2},
        {"server_id": "shop", "operation": SHOP, "deadline_s": 1.3},
    ):
        if setting is not None:
            status, told = await page.request("PUT", "/api/call-settings", setting)
            assert status == 200, told
        begun.append(asyncio.create_task(call(bridge)))
        await eventually(lambda: len(page.calls) == len(begun))
    begun.append(asyncio.create_task(call(bridge, headers={"X-Tool-Deadline": "1.4"})))
    report = await page.post("/api/calls", {"tool": "listProducts", "deadline_s": 1.5})
    assert report["outcome"]["error"]["detail"]["deadline_s"] == 1.5
    ended = [await task for task in begun]
    assert {(status, body["error"]["code"]) for status, body in ended} == {(504, "timeout")}
    setters = [body["error"]["detail"]["set_by"] for _, body in ended]
    assert setters == ["TOOL_TIMEOUT_SECONDS", "user", "server", "tool", "call"]
    *_, last = ended
    assert last[1]["error"]["detail"] == {"deadline_s": 1.4, "set_by": "call"}
    assert "No answer within 1.4 s" in last[1]["error"]["message"]


async def test_a_call_may_ask_for_more_time_than_its_tool_has(
    bridge: Bridge, page: FakePage, api: Api
) -> None:
    """S3-F5: longer is allowed as well as shorter, up to 600 s."""
    await page.request("PUT", "/api/call-settings", {"server_id": "shop", "deadline_s": 1})
    await call(bridge, headers={"X-Tool-Deadline": "600"})
    assert 500_000 < page.calls[-1]["bridge"]["deadline_ms"] <= 600_000


async def test_the_history_says_whose_deadline_was_too_short(
    bridge: Bridge, page: FakePage, api: Api
) -> None:
    """For the user who looks later, and would change it."""
    api.go_on.clear()
    await page.request("PUT", "/api/call-settings", {"server_id": "shop", "deadline_s": 1})
    await call(bridge)

    async def ended() -> list[Any]:
        return [each for each in (await page.get("/api/calls"))["calls"] if each["state"] == "expired"]

    (kept,) = await eventually(ended)
    assert kept["error"]["detail"]["set_by"] == "server"


@pytest.mark.parametrize("asked", ["0.5", "601", "soon", "nan", ""])
async def test_a_deadline_out_of_range_is_refused(bridge: Bridge, page: FakePage, asked: str) -> None:
    """Nothing is sent on terms that nobody asked for."""
    status, body = await call(bridge, headers={"X-Tool-Deadline": asked})
    assert (status, body["error"]["code"]) == (400, "invalid_request")
    assert page.calls == []


async def test_a_tool_that_fails_five_times_is_paused_and_the_others_are_not(
    bridge: Bridge, page: FakePage, api: Api
) -> None:
    """S0-90, S0-92, S0-93, S0-95, W-06, W-07: counted once per call; the sixth is refused, never sent."""
    changes: list[object] = []
    page.socket.on("bridge:breakers", changes.append)
    api.status = 503
    for _ in range(5):
        assert (await call(bridge))[0] == 502
    status, body = await call(bridge)
    assert (status, body["error"]["code"]) == (503, "breaker_open")
    assert body["error"]["detail"]["last_error"]["detail"]["status"] == 503
    assert len(page.calls) == 5
    await eventually(lambda: len(changes) == 1)
    api.status = 200
    assert (await call(bridge, "addProduct"))[0] == 200
    (shown,) = (await page.get("/api/breakers"))["breakers"]
    assert (shown["tool"], shown["state"], shown["operation"]) == ("listProducts", "open", SHOP)
    assert 0 < shown["retry_after_s"] <= 60
    assert await page.post("/api/breakers/reset", {"server_id": "shop", "operation": SHOP}) == {"reset": 1}
    assert (await call(bridge))[0] == 200


async def test_no_other_setting_keeps_a_breaker_from_opening(
    bridge: Bridge, page: FakePage, api: Api
) -> None:
    """W-09: a history of one failure once meant that five were never counted."""
    limits = {"limits": {"BREAKER_HISTORY_SIZE": 1}}
    status, told = await page.request("PATCH", "/api/limits", limits)
    assert (status, told["error"]["code"]) == (400, "invalid_request")
    api.status = 503
    codes = [(await call(bridge))[1]["error"]["code"] for _ in range(6)]
    assert codes == ["http_status"] * 5 + ["breaker_open"]


async def test_what_a_breaker_has_counted_ends_with_its_process(
    tmp_path: Path, database: Where, api: Api
) -> None:
    """W-35: it is in memory, as docs/explanation/limits-and-flaws.md says; a restart lets calls pass."""
    api.status = 503
    for _ in range(2):
        async with running_bridge(tmp_path, database=database) as bridge:
            await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
            async with page_of(bridge, bridge.local_user.id, api.answer):
                statuses = [(await call(bridge))[0] for _ in range(6)]
                assert statuses == [502] * 5 + [503]


async def test_a_host_that_does_not_answer_is_paused_for_all_its_tools(
    bridge: Bridge, page: FakePage, api: Api
) -> None:
    """W-08: five failures without an answer, of two tools; a third one need not find out for itself."""
    api.breaks = True
    for tool in ("listProducts", "listProducts", "addProduct", "listProducts", "addProduct"):
        await call(bridge, tool)
    status, body = await call(bridge, "addProduct")
    assert (status, body["error"]["code"]) == (503, "breaker_open")
    host = body["error"]["detail"]["host"]
    shown = [each for each in (await page.get("/api/breakers"))["breakers"] if each["kind"] == "host"]
    assert [(each["host"], each["tool"], each["state"]) for each in shown] == [(host, host, "open")]
    assert await page.post("/api/breakers/reset", {"host": host}) == {"reset": 1}
    api.breaks = False
    assert (await call(bridge, "addProduct"))[0] == 200


async def test_an_open_breaker_is_one_users_alone(bridge: Bridge, page: FakePage, api: Api) -> None:
    """S0-91, W-08: another user's calls of the same shared tool go on."""
    api.status = 500
    assert [(await call(bridge))[0] for _ in range(6)] == [502] * 5 + [503]
    bob = await bridge.components.users.ensure_user("bob")
    _, key = await bridge.components.users.add_key(bob.id, "test")
    async with page_of(bridge, bob.id, api.answer):
        assert (await call(bridge, key=key))[0] == 502


async def test_mistakes_of_the_caller_and_refusals_of_the_api_never_open_it(
    bridge: Bridge, page: FakePage, api: Api
) -> None:
    """S0-95: wrong arguments, unknown tools and answers of the 400s say nothing about the API."""
    api.status = 404
    for _ in range(6):
        assert (await call(bridge))[0] == 502
        assert (await call(bridge, "noSuchTool"))[0] == 404
    api.status = 200
    assert (await call(bridge))[0] == 200
    assert (await page.get("/api/breakers"))["breakers"] == []


async def test_a_removed_server_is_an_unknown_tool_and_its_breaker_stays_as_it_was(
    bridge: Bridge, page: FakePage
) -> None:
    """S0-81: what is no longer there is said so, and nobody is blamed for it."""
    added = await page.post("/api/servers", {"text": document_text("Depot")})
    await page.accept_everything()
    tool = next(t["name"] for t in (await page.get("/api/tools"))["tools"] if t["server_id"] == added["id"])
    assert (await call(bridge, tool))[0] == 200
    await page.request("DELETE", f"/api/servers/{added['id']}")
    for _ in range(6):
        assert (await call(bridge, tool))[0] == 404
    assert (await page.get("/api/breakers"))["breakers"] == []


async def test_a_server_takes_as_many_calls_at_once_as_its_user_says(
    bridge: Bridge, page: FakePage, api: Api
) -> None:
    """W-12: a small API is not overrun; and what changes something can be made to run in order."""
    await page.request(
        "PUT", "/api/call-settings", {"server_id": "shop", "max_parallel": 3, "in_order": True}
    )
    await asyncio.gather(*(call(bridge) for _ in range(9)), *(call(bridge, "addProduct") for _ in range(4)))
    assert api.most[SHOP] <= 3
    assert api.most["POST /products"] == 1
    assert api.ended == 13


@pytest.mark.parametrize(
    "setting",
    [
        {"max_parallel": 1},
        {"in_order": True},
        {"operation": SHOP, "deadline_s": 5},
        {"server_id": "shop", "operation": SHOP, "in_order": True},
        {"server_id": "shop", "max_parallel": 0},
    ],
)
async def test_a_setting_that_means_nothing_is_refused(page: FakePage, setting: dict[str, object]) -> None:
    """What is accepted has an effect."""
    assert (await page.request("PUT", "/api/call-settings", setting))[0] == 400


async def test_a_bridge_that_stops_lets_a_running_call_end(tmp_path: Path, database: Where, api: Api) -> None:
    """S0-80: within the grace it gets its answer; what waits is sent away at once."""
    bridge = await start_bridge(bridge_settings(tmp_path, approve="safe"), open_database(database))
    await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
    async with page_of(bridge, bridge.local_user.id, api.answer) as page:
        await change(page, MAX_PARALLEL_TOOLS_GLOBAL=1)
        api.go_on.clear()
        running = asyncio.create_task(call(bridge))
        await eventually(lambda: api.running[SHOP] == 1)
        waiting = asyncio.create_task(call(bridge))
        await eventually(lambda: bridge.components.controls.queue.waiting == 1)
        closing = asyncio.create_task(bridge.close())
        status, body = await waiting
        assert (status, body["error"]["code"]) == (503, "no_browser")
        api.go_on.set()
        assert (await running)[0] == 200
        await closing
