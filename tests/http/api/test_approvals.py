"""Approval over HTTP and the socket, with a page that a test plays: modes, grants, and what callers read."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from bridge.storage.preferences import ApprovalTables
from tests.support.audit_entries import told_in
from tests.support.documents.compiled import document_text
from tests.support.running_bridge import FakePage, json_answer, page_of, running_bridge
from tests.support.stores.databases import Where
from tests.support.waiting import eventually

pytestmark = [pytest.mark.asyncio, pytest.mark.both_databases]

SHOP = "POST /products"


@asynccontextmanager
async def asking_bridge(folder: Path, **settings: Any) -> AsyncGenerator[Bridge]:
    async with running_bridge(folder, approve="safe", **settings) as running:
        await running.components.registry.share_document("shop", document_text(), source_url=None)
        yield running


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, database: Where) -> AsyncIterator[Bridge]:
    async with asking_bridge(tmp_path, database=database) as running:
        yield running


async def answering(_call: object) -> dict[str, Any]:
    return json_answer({"ok": True})


@asynccontextmanager
async def page_that_asks(bridge: Bridge) -> AsyncGenerator[FakePage]:
    """A page of the local user that asks where the bridge wants it."""
    async with page_of(bridge, bridge.local_user.id, answering) as connected:

        async def received(envelope: dict[str, Any]) -> dict[str, Any]:
            call = envelope["data"]["data"]
            connected.calls.append(call)
            if call["bridge"]["approval"] == "needed":
                return {"call_id": call["id"], "awaiting_approval": True}
            result = {"call_id": call["id"], "outcome": json_answer({"ok": True})}
            connected.socket.start_background_task(connected.socket.emit, "bridge:result", result)
            return {"call_id": call["id"]}

        connected.socket.on("events", received)
        yield connected


@pytest_asyncio.fixture
async def page(bridge: Bridge) -> AsyncIterator[FakePage]:
    async with page_that_asks(bridge) as connected:
        yield connected


@asynccontextmanager
async def asking_page(folder: Path, **settings: Any) -> AsyncGenerator[tuple[Bridge, FakePage]]:
    """Both, where a test needs other settings."""
    async with asking_bridge(folder, **settings) as running, page_that_asks(running) as connected:
        yield running, connected


async def call(bridge: Bridge, tool: str = "addProduct", **headers: str) -> tuple[int, Any]:
    """What a caller with the key reads."""
    sent = {"Authorization": f"Bearer {bridge.key}", **headers}
    url, body = f"{bridge.base_url}/tools/{tool}", json.dumps({"name": "tea"} if tool == "addProduct" else {})
    async with aiohttp.ClientSession() as http, http.post(url, data=body, headers=sent) as response:
        return response.status, await response.json()


async def decide(page: FakePage, decision: str, nth: int = 0) -> dict[str, Any]:
    """What the user of the page says of the nth call that came; allowed, it runs."""
    await eventually(lambda: len(page.calls) > nth)
    call_id = page.calls[nth]["id"]
    said = {"call_id": call_id, "decision": decision}
    reply = await page.socket.call("bridge:decision", said, timeout=20)
    if reply["may_begin"]:
        await page.socket.emit("bridge:result", {"call_id": call_id, "outcome": json_answer({"ok": True})})
    return reply


async def grants(page: FakePage) -> list[dict[str, Any]]:
    return (await page.get("/api/approval"))["grants"]


async def decisions(page: FakePage) -> list[tuple[str, str, dict[str, Any]]]:
    """Call, who and facts of every decision in the audit log, oldest first."""

    async def noted() -> list[dict[str, Any]]:
        return (await page.get("/api/audit?kind=decision"))["entries"]

    entries: list[dict[str, Any]] = await eventually(noted)
    return [(each["call_id"], each["actor"], told_in(each)) for each in reversed(entries)]


async def test_what_only_reads_runs_and_what_changes_waits(bridge: Bridge, page: FakePage) -> None:
    """W-36: the handshake tells the page the mode, each call what the bridge thinks of it."""
    assert page.handshake["approval_mode"] == "safe"
    assert (await call(bridge, "listProducts"))[0] == 200
    running = asyncio.create_task(call(bridge))
    assert (await decide(page, "once", 1))["may_begin"] is True
    assert (await running)[0] == 200
    assert [each["bridge"]["approval"] for each in page.calls] == ["granted", "needed"]
    assert page.calls[1]["bridge"]["approval_ms"] == 120_000


async def test_a_denial_is_a_403_that_says_so(bridge: Bridge, page: FakePage) -> None:
    """Nothing was sent, and the model is told not to try again by itself."""
    running = asyncio.create_task(call(bridge))
    assert (await decide(page, "denied"))["may_begin"] is False
    status, answer = await running
    assert (status, answer["error"]["code"], answer["error"]["retryable"]) == (403, "denied", False)
    assert "nothing was sent" in answer["error"]["message"]


async def test_a_decision_stands_at_its_call_and_in_the_audit_log(bridge: Bridge, page: FakePage) -> None:
    """W-36: who allowed it, and how far, is asked afterwards."""
    running = asyncio.create_task(call(bridge))
    await decide(page, "always")
    await running
    call_id = page.calls[0]["id"]

    async def decision() -> Any:
        return (await page.get(f"/api/calls/{call_id}"))["decision"]

    kept = await eventually(decision)
    assert (kept["decision"], kept["reason"], kept["device_id"]) == ("always", "user", page.device_id)

    async def noted() -> list[str]:
        entries = (await page.get("/api/audit"))["entries"]
        kinds = sorted(
            each["kind"] for each in entries if each["call_id"] == call_id and each["kind"] != "call"
        )
        return kinds if len(kinds) > 1 else []

    assert await eventually(noted) == ["decision", "grant"]


async def test_who_asks_stands_on_the_card_at_the_call_and_in_the_audit_log(
    bridge: Bridge, page: FakePage
) -> None:
    """A user who does not know for whom a call is cannot decide; the label of a key is its user's own."""
    new_key = await page.post("/api/keys", {"label": "laptop <b>"})
    url, headers = f"{bridge.base_url}/tools/addProduct", {"Authorization": f"Bearer {new_key['key']}"}
    asked = page.http.post(url, json={"name": "tea"}, headers=headers | {"X-OpenWebUI-Chat-Id": "c1"})
    running = asyncio.create_task(asked)
    await eventually(lambda: bool(page.calls))
    (sent,) = page.calls
    (open_call,) = (await page.get("/api/calls?open=true"))["calls"]
    await decide(page, "once")
    (await running).close()
    stored = await page.get(f"/api/calls/{sent['id']}")
    audited = {each["kind"]: each for each in (await page.get("/api/audit"))["entries"] if each["call_id"]}
    asked_by = [
        sent["bridge"]["asked_by"],
        open_call["asked_by"],
        stored["asked_by"],
        audited["decision"]["detail"]["asked_by"],
        audited["call"]["detail"]["asked_by"],
    ]
    assert asked_by == ["key laptop <b>"] * 5
    assert [(call["chat_id"], call["device_id"]) for call in (open_call, stored)] == [
        ("c1", page.device_id)
    ] * 2
    assert [audited[kind]["detail"]["chat"] for kind in ("call", "decision")] == ["c1", "c1"]


async def test_a_call_that_the_page_asks_for_says_so(page: FakePage) -> None:
    """The page allows its user's own run by that; no key can have the name."""
    running = asyncio.create_task(page.post("/api/calls", {"tool": "addProduct", "arguments": {"name": "x"}}))
    await decide(page, "once")
    await running
    assert page.calls[0]["bridge"]["asked_by"] == "bridge page"


async def test_a_call_for_an_agent_of_the_browser_asks_and_says_so(page: FakePage) -> None:
    """The page must not take it for its user's own run, and its user is to see who asks."""
    wanted = {"tool": "addProduct", "arguments": {"name": "x"}, "for_agent": True}
    running = asyncio.create_task(page.post("/api/calls", wanted))
    await decide(page, "denied")
    assert (await running)["outcome"]["state"] == "denied"
    assert page.calls[0]["bridge"]["asked_by"] == "bridge page, agent of the browser"


async def test_an_approval_that_waits_for_a_slot_is_noted_once_as_one(
    tmp_path: Path, database: Where
) -> None:
    """Nobody refused it; and saying it again when its turn has come is no second decision."""
    async with asking_page(tmp_path, database=database, limits={"MAX_PARALLEL_TOOLS_GLOBAL": 1}) as (
        bridge,
        page,
    ):
        running = [asyncio.create_task(call(bridge)) for _ in range(2)]
        await eventually(lambda: len(page.calls) == 2)
        first, second = ({"call_id": each["id"], "decision": "once", "reason": "user"} for each in page.calls)
        assert (await page.socket.call("bridge:decision", first, timeout=20))["may_begin"] is True
        waits = await page.socket.call("bridge:decision", second, timeout=20)
        assert (waits["may_begin"], waits["awaiting_slot"]) == (False, True)
        done = {"call_id": first["call_id"], "outcome": json_answer({"ok": True})}
        await page.socket.emit("bridge:result", done)

        async def has_gone() -> bool:
            return (await decide(page, "once", 1))["may_begin"]

        assert await eventually(has_gone)
        assert [(await each)[0] for each in running] == [200, 200]
        said = {"decision": "once", "reason": "user", "asked_by": "key printed at start"}
        assert await decisions(page) == [
            (page.calls[0]["id"], f"page {page.device_id}", {**said, "go": True}),
            (page.calls[1]["id"], f"page {page.device_id}", {**said, "waits": True}),
        ]


async def test_a_page_that_says_nothing_in_time_is_no_gap_in_the_audit_log(
    tmp_path: Path, database: Where
) -> None:
    """The bridge's own clock denied it: the entry says so, and a click that comes too late adds none."""
    async with asking_page(tmp_path, database=database, approval_s=0.1) as (bridge, page):
        status, answer = await call(bridge)
        assert (status, answer["error"]["detail"]["reason"]) == (403, "no_answer")
        assert (await decide(page, "once"))["may_begin"] is False
        (call_id,) = [each["id"] for each in page.calls]
        said = {"decision": "denied", "reason": "no_answer", "asked_by": "key printed at start"}
        assert await decisions(page) == [(call_id, "bridge", {**said, "go": False})]
        kept = (await page.get(f"/api/calls/{call_id}"))["decision"]
        assert (kept["reason"], kept["device_id"]) == ("no_answer", None)


@pytest.mark.parametrize(("decision", "scope"), [("always", "always"), ("timed", "timed"), ("chat", "chat")])
async def test_a_grant_is_listed_holds_and_can_be_revoked(
    bridge: Bridge, page: FakePage, decision: str, scope: str
) -> None:
    """The next call is sent as granted, and asks again once that was taken back."""
    chat = {"X-OpenWebUI-Chat-Id": "c1"}
    running = asyncio.create_task(call(bridge, **chat))
    await decide(page, decision)
    await running
    (grant,) = await grants(page)
    assert (grant["server"], grant["operation"], grant["scope"]) == ("shop", SHOP, scope)
    assert (await call(bridge, **chat))[0] == 200
    status, left = await page.request("DELETE", f"/api/approval/grants/{grant['id']}")
    assert (status, left["grants"]) == (200, [])
    running = asyncio.create_task(call(bridge, **chat))
    await decide(page, "denied", 2)
    assert (await running)[1]["error"]["code"] == "denied"
    assert (await page.request("DELETE", f"/api/approval/grants/{grant['id']}"))[0] == 404


async def test_all_grants_go_at_once(bridge: Bridge, page: FakePage) -> None:
    """The way back to asking about everything."""
    running = asyncio.create_task(call(bridge))
    await decide(page, "always")
    await running
    assert (await page.request("DELETE", "/api/approval/grants"))[1]["grants"] == []
    assert await grants(page) == []


async def test_a_mode_is_chosen_in_a_page_and_told_to_the_others(bridge: Bridge, page: FakePage) -> None:
    """An open page applies it to the next call."""
    told: list[Any] = []
    page.socket.on("bridge:approvals", told.append)
    status, facts = await page.request("PUT", "/api/approval", {"mode": "all"})
    assert (status, facts["mode"], facts["chosen"], facts["default"]) == (200, "all", "all", "safe")
    await eventually(lambda: told == [{"approval_mode": "all"}])
    assert (await call(bridge))[0] == 200
    await page.request("PUT", "/api/approval", {"mode": None})
    await eventually(lambda: told[1:] == [{"approval_mode": "safe"}])
    status, refused = await page.request("PUT", "/api/approval", {"mode": "sometimes"})
    assert (status, refused["error"]["code"]) == (400, "invalid_request")


async def test_modes_and_grants_outlive_the_bridge(tmp_path: Path, database: Where) -> None:
    """W-36: a restart asks nobody again, and forgets nobody's caution."""
    async with running_bridge(tmp_path, database=database, approve="safe") as bridge:
        store = ApprovalTables(bridge.components.store)
        await store.choose_approval_mode(bridge.local_user.id, "ask")
    async with running_bridge(tmp_path, database=database, approve="all") as bridge:
        assert await bridge.components.approvals.mode_of_user(bridge.local_user.id) == "ask"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "/api/approval", {"mode": "all"}),
        ("DELETE", "/api/approval/grants", None),
        ("DELETE", "/api/approval/grants/x", None),
    ],
)
async def test_a_key_decides_nothing(bridge: Bridge, method: str, path: str, body: Any) -> None:
    """Whoever calls must not be the one who says that nobody is asked."""
    headers = {"Authorization": f"Bearer {bridge.key}"}
    async with (
        aiohttp.ClientSession() as http,
        http.request(method, bridge.base_url + path, json=body, headers=headers) as response,
    ):
        assert (response.status, (await response.json())["error"]["code"]) == (403, "page_only")


async def test_a_removed_server_takes_its_grants_along(bridge: Bridge, page: FakePage) -> None:
    """Added again under the same name, it asks."""
    added = (await page.request("POST", "/api/servers", {"text": document_text("Mine")}))[1]
    (tool,) = [each for each in (await page.get(f"/api/servers/{added['id']}"))["tools"] if not each["safe"]]
    await page.accept_everything()
    running = asyncio.create_task(call_named(bridge, tool["name"]))
    await decide(page, "always")
    await running
    assert len(await grants(page)) == 1
    await page.request("DELETE", f"/api/servers/{added['id']}")
    assert await grants(page) == []


async def call_named(bridge: Bridge, tool: str) -> int:
    headers = {"Authorization": f"Bearer {bridge.key}"}
    url = f"{bridge.base_url}/tools/{tool}"
    async with (
        aiohttp.ClientSession() as http,
        http.post(url, json={"name": "tea"}, headers=headers) as response,
    ):
        return response.status
