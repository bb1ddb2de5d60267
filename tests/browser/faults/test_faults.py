"""The faults that matter most, with a real Chromium; the sample API's ledger says what was really done."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from examples.ledger import LEDGER
from tests.browser.breaking_proxy import BreakingProxy, breaking_proxy
from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.support.chromium import Caller, Reply, expect_connection
from tests.support.waiting import eventually

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

QUICK = {"PAGE_RESUME_SECONDS": 1.5}
"""For tests whose page does not come back."""


class FaultHarness:
    """A bridge behind a front that can break, with a page that is connected."""

    def __init__(self, scene: BrowserHarness, front: BreakingProxy, page: Page) -> None:
        self.scene, self.front, self.page = scene, front, page
        self.caller: Caller = scene.caller_at(f"http://127.0.0.1:{front.target_port}")

    @property
    def done(self) -> list[str]:
        """The notes of everything the API has really done."""
        return [entry.body for entry in self.scene.samples.app[LEDGER].entries]

    def write(self, note: str, seconds: float = 0.0, *, deadline_s: int = 20) -> "asyncio.Task[Reply]":
        """A call that changes something, at once, and is answered after so many seconds."""
        arguments = {"seconds": seconds, "note": note}
        deadline = {"X-Tool-Deadline": str(deadline_s)}
        return asyncio.create_task(self.caller.call("writeSlowly", arguments, **deadline))

    async def expect_done(self, note: str) -> None:
        await eventually(lambda: any(note in body for body in self.done), what=f"{note} in the ledger")

    async def late_status(self) -> int | None:
        """What the API answered to the newest call, if its page told it after its end."""
        bridge = self.scene.bridge
        (kept,) = await bridge.components.journal.list_calls(bridge.local_user.id, before=None, limit=1)
        return kept.late["http_status"] if kept.late else None

    def times(self, note: str) -> int:
        return sum(note in body for body in self.done)


@asynccontextmanager
async def open_fault_harness(
    chromium: Browser, folder: Path, **settings: object
) -> AsyncGenerator[FaultHarness]:
    async with (
        breaking_proxy() as front,
        open_harness(chromium, folder, ["answers.yaml"], public_url=front.url, **settings) as scene,
    ):
        front.target_port = scene.bridge.server.sockets[0].getsockname()[1]
        yield FaultHarness(scene, front, await scene.open_page())


@pytest_asyncio.fixture(loop_scope="session")
async def harness(chromium: Browser, tmp_path: Path) -> AsyncGenerator[FaultHarness]:
    async with open_fault_harness(chromium, tmp_path, deadline_s=20) as built:
        yield built


@pytest_asyncio.fixture(loop_scope="session")
async def quick_harness(chromium: Browser, tmp_path: Path) -> AsyncGenerator[FaultHarness]:
    async with open_fault_harness(chromium, tmp_path, deadline_s=30, limits=QUICK) as built:
        yield built


async def test_a_cut_connection_costs_no_call_that_is_under_way(harness: FaultHarness) -> None:
    """The page comes back within the resume window and its request has gone on."""
    writing = harness.write("cut", 1)
    await harness.expect_done("cut")
    harness.front.cut()
    assert (await writing).status == 200
    assert harness.times("cut") == 1


async def test_a_call_that_never_reached_the_page_is_sent_again(harness: FaultHarness) -> None:
    """The page's journal proves that it never began it, so sending it once more does nothing twice."""
    harness.front.hold("down")
    writing = harness.write("unseen")
    await eventually(lambda: harness.front.lost_bytes > 0)
    harness.front.cut()
    assert (await writing).status == 200
    assert harness.times("unseen") == 1


async def test_a_result_that_got_lost_is_said_again_and_its_request_is_not_made_again(
    harness: FaultHarness,
) -> None:
    """Ack and result vanish on a connection that looked alive; the outbox has the result."""
    harness.front.hold("up")
    writing = harness.write("silent")
    await harness.expect_done("silent")
    harness.front.cut()
    assert (await writing).status == 200
    assert harness.times("silent") == 1


async def test_a_connection_that_only_looks_alive_ends_its_call_in_doubt_at_the_deadline(
    chromium: Browser, tmp_path: Path
) -> None:
    """Nobody can know; and once the page is back, the next call works."""
    async with open_fault_harness(chromium, tmp_path, deadline_s=20) as harness:
        harness.front.hold("up", "down")
        reply = await harness.write("nowhere", deadline_s=2)
        assert (reply.status, reply.code, reply.detail["reason"]) == (409, "outcome_unknown", "timeout")
        harness.front.cut()
        assert (await harness.write("after")).status == 200
        assert (harness.times("nowhere"), harness.times("after")) == (0, 1)


async def test_a_finished_result_survives_a_reload(harness: FaultHarness) -> None:
    """The worker that had it is dead; the journal of its browser has it."""
    harness.front.hold("up")
    writing = harness.write("survivor", 0.2)
    await harness.expect_done("survivor")
    entry = harness.scene.samples.app[LEDGER].entries[-1]
    await eventually(lambda: entry.status)
    await journal_has(harness.page, "done")
    await harness.page.reload()
    reply = await writing
    if reply.code == "outcome_unknown":  # the reload took longer than the resume window: told, but late
        await eventually(harness.late_status)
        assert await harness.late_status() == 200
    else:
        assert reply.status == 200
    assert harness.times("survivor") == 1


async def test_a_reload_in_mid_request_is_in_doubt_and_is_not_made_again(harness: FaultHarness) -> None:
    """S0-79, W-10: the answer went with the worker; the ledger has the request once."""
    writing = harness.write("reloaded", 5)
    await harness.expect_done("reloaded")
    await harness.page.reload()
    reply = await writing
    assert (reply.code, reply.detail["reason"]) == ("outcome_unknown", "no_browser")
    await expect_connection(harness.page, "connected")
    assert (await harness.write("next")).status == 200
    assert (harness.times("reloaded"), harness.times("next")) == (1, 1)


async def test_a_page_that_crashes_is_told_before_the_deadline(quick_harness: FaultHarness) -> None:
    """A renderer that dies says no farewell."""
    harness = quick_harness
    writing = harness.write("crashed", 5)
    await harness.expect_done("crashed")
    session: Any = await harness.page.context.new_cdp_session(harness.page)
    crashing = asyncio.create_task(session.send("Page.crash"))
    reply = await writing
    assert (reply.code, reply.detail["reason"]) == ("outcome_unknown", "no_browser")
    assert harness.times("crashed") == 1
    crashing.cancel()


async def test_another_tab_takes_over_from_one_that_is_closed(quick_harness: FaultHarness) -> None:
    """The call that was under way is in doubt; the next one runs in the other tab."""
    harness = quick_harness
    other = await harness.page.context.new_page()
    await other.goto(harness.front.url)
    await expect_connection(other, "standby")
    writing = harness.write("closed", 5)
    await harness.expect_done("closed")
    await harness.page.close()
    assert (await writing).code == "outcome_unknown"
    assert (await harness.write("taken over")).status == 200
    assert (harness.times("closed"), harness.times("taken over")) == (1, 1)


async def test_a_frozen_tab_does_nothing_twice_when_it_thaws(chromium: Browser, tmp_path: Path) -> None:
    """Its call is in doubt at the deadline; what it still does later, it does once."""
    async with open_fault_harness(chromium, tmp_path, deadline_s=20) as harness:
        session: Any = await harness.page.context.new_cdp_session(harness.page)
        await session.send("Page.setWebLifecycleState", {"state": "frozen"})
        reply = await harness.write("frozen", 5, deadline_s=2)
        assert (reply.code, reply.detail["reason"]) == ("outcome_unknown", "timeout")
        await session.send("Page.setWebLifecycleState", {"state": "active"})
        assert (await harness.write("thawed")).status == 200
        assert (harness.times("frozen") <= 1, harness.times("thawed")) == (True, 1)


async def test_a_call_that_arrives_twice_is_performed_once(harness: FaultHarness) -> None:
    """The page answers the second from memory, and from its journal after that."""
    writing = harness.write("doubled", 1)
    await harness.expect_done("doubled")
    bridge = harness.scene.bridge
    (kept,) = await bridge.components.journal.list_calls(bridge.local_user.id, before=None, limit=1)
    call = bridge.components.dispatcher.open_call(kept.call_id)
    assert call is not None
    await bridge.components.gateway.send_call(call)
    assert (await writing).status == 200
    assert harness.times("doubled") == 1
    call.sendings += 1  # as if the bridge had forgotten what the page had proved
    await bridge.components.gateway.send_call(call)
    assert (await harness.write("after")).status == 200
    assert (harness.times("doubled"), harness.times("after")) == (1, 1)


async def journal_has(page: Page, state: str) -> None:
    """Wait until the page's journal has a call in that state."""
    look = """async () => {
      const settled = (request) => new Promise((done) => (request.onsuccess = () => done(request.result)));
      const { name } = (await indexedDB.databases()).find(({ name }) => name.startsWith("tool-bridge:"));
      const database = await settled(indexedDB.open(name));
      const rows = await settled(database.transaction("calls").objectStore("calls").getAll());
      database.close();
      return rows.map(({ state }) => state);
    }"""

    async def states() -> bool:
        return state in await page.evaluate(look)

    await eventually(states, what=f"an entry that is {state}")
