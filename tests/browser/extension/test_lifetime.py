"""At most once, however the service worker ends: stopped, reloaded, with the page that reloads."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any, TypeAlias

import pytest
import pytest_asyncio

from tests.browser.extension.companion import BridgePage
from tests.browser.extension.conftest import Stage
from tests.support.waiting import eventually

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

Workers: TypeAlias = Callable[[], Awaitable[Any]]
"""Ends all of them."""

HANGING = """({ url, ...more }) => {
    void performCall({ url, method: 'POST', headers: [], body: null, login: false, ...more });
}"""


@pytest_asyncio.fixture(loop_scope="session")
async def end_workers(stage: Stage) -> AsyncGenerator[Workers]:
    """Ends service workers as the browser does."""
    page = await stage.companion.own_page()
    session: Any = await stage.companion.context.new_cdp_session(page)
    await session.send("ServiceWorker.enable")
    yield lambda: session.send("ServiceWorker.stopAllWorkers")
    await page.close()


async def stop_worker(end_workers: Workers, bridge: BridgePage) -> None:
    """Settles when the page has noticed."""
    await end_workers()
    await bridge.page.evaluate("nextMessage(({ type }) => type === 'gone')")


async def did(bridge: BridgePage, call: str) -> dict[str, str]:
    return await bridge.exchange({"type": "did", "id": call})


async def test_a_call_that_was_not_sent_when_the_worker_ended_never_is(
    stage: Stage, end_workers: Workers
) -> None:
    """The page may say so for sure, and run it anew under another id."""
    bridge = await stage.companion.open_bridge({"api": stage.origin, "methods": "all"})
    epoch = await bridge.page.evaluate("heard.find(({ type }) => type === 'ready').epoch")
    call = {"id": "never-sent", "url": f"{stage.origin}/unsent"}
    message: dict[str, Any] = {
        "type": "call",
        **call,
        "method": "POST",
        "headers": [],
        "body": 5,
        "login": False,
    }
    await bridge.page.evaluate("message => post(message)", message)
    assert (await bridge.exchange({"type": "ping"}))["type"] == "pong"
    await stop_worker(end_workers, bridge)
    assert (await bridge.connect())["epoch"] == epoch
    assert await did(bridge, call["id"]) == {
        "type": "was",
        "id": call["id"],
        "state": "never",
        "epoch": epoch,
    }
    answer = await bridge.call(call["url"], "POST", id=call["id"])
    assert (answer["type"], answer["code"]) == ("refused", "duplicate")
    assert stage.api.at("/unsent") == []


async def test_a_call_that_was_sent_when_the_worker_ended_is_not_sent_again(
    stage: Stage, end_workers: Workers
) -> None:
    """Nobody knows what it did, and that is what the page says."""
    bridge = await stage.companion.open_bridge({"api": stage.origin, "methods": "all"})
    call = {"id": "sent-once", "url": f"{stage.origin}/hang/sent"}
    await bridge.page.evaluate(HANGING, {**call, "headers": [["User-Agent", "left-behind"]]})
    await eventually(lambda: stage.api.at("/hang/sent"))
    await stop_worker(end_workers, bridge)
    await eventually(lambda: "/hang/sent" in stage.api.closed)
    ready = await bridge.connect()
    assert [grant["api"] for grant in ready["grants"]] == [stage.origin]
    assert (await did(bridge, call["id"])) == {
        "type": "was",
        "id": call["id"],
        "state": "sent",
        "epoch": ready["epoch"],
    }
    answer = await bridge.call(call["url"], "POST", id=call["id"])
    assert (answer["type"], answer["code"]) == ("refused", "duplicate")
    assert len(stage.api.at("/hang/sent")) == 1
    rules = await stage.companion.own_page()
    await eventually(
        lambda: rules.evaluate("chrome.declarativeNetRequest.getSessionRules().then(all => !all[0])")
    )
    await rules.close()


async def test_ids_of_one_bridge_are_not_those_of_another(stage: Stage) -> None:
    """Else a bridge could void the calls of its neighbour."""
    one = await stage.companion.open_bridge({"api": stage.origin})
    other = await stage.companion.open_bridge({"api": stage.origin})
    assert (await did(other, "same-id"))["state"] == "never"
    assert (await one.call(f"{stage.origin}/things", id="same-id"))["status"] == 200
    assert (await did(other, "same-id"))["state"] == "never"


async def test_a_page_that_was_reloaded_finds_its_companion_again(stage: Stage) -> None:
    """The relay comes with the document, before any script of the page."""
    bridge = await stage.companion.open_bridge({"api": stage.origin})
    await bridge.page.reload()
    assert (await bridge.connect())["type"] == "ready"
    assert (await bridge.call(f"{stage.origin}/things"))["status"] == 200


async def test_an_update_is_another_epoch_and_keeps_what_was_granted(stage: Stage) -> None:
    """What was sent may be forgotten, so that "never" means nothing; the open page gets a new relay."""
    bridge = await stage.companion.open_bridge({"api": stage.origin, "methods": "all"})
    before = await bridge.page.evaluate("heard.find(({ type }) => type === 'ready').epoch")
    await bridge.page.evaluate(HANGING, {"url": f"{stage.origin}/hang/updated", "id": "before-update"})
    await eventually(lambda: stage.api.at("/hang/updated"))
    ready = await stage.companion.update(bridge)
    assert ready["type"] == "ready"
    assert ready["epoch"] != before
    assert [grant["api"] for grant in ready["grants"]] == [stage.origin]
    assert (await did(bridge, "before-update"))["epoch"] == ready["epoch"]
    assert (await bridge.call(f"{stage.origin}/things"))["status"] == 200
    assert len(stage.api.at("/hang/updated")) == 1


async def test_a_disconnected_bridge_loses_its_port_and_its_relay(stage: Stage) -> None:
    """The user disconnects a bridge that is not trusted any more."""
    bridge = await stage.companion.open_bridge({"api": stage.origin})
    await stage.companion.request(type="unpair", bridge=bridge.origin)
    await bridge.page.evaluate("nextMessage(({ type }) => type === 'gone')")
    assert (await bridge.page.evaluate("connectCompanion(500)"))["type"] in ("refused", "silence")
    await bridge.page.reload()
    assert await bridge.page.evaluate("connectCompanion(500)") == {"type": "silence"}
