"""A page that is reloaded amid a call of the companion: what was never sent is proven so."""

import asyncio

import pytest

from tests.browser.companion.conftest import Office
from tests.support.chromium import Reply, expect_connection
from tests.support.waiting import eventually

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(180),
    pytest.mark.slow,
]

BETWEEN = """
    // Stands between executor and relay: notes what is said, and holds calls back while it is told so.
    window.said = [];
    const post = window.postMessage.bind(window);
    window.postMessage = (message, origin, [port]) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => port.postMessage(data);
        port.onmessage = ({ data }) => {
            window.said.push(data.type);
            if (data.type !== "call" || !window.holdsCalls) port1.postMessage(data);
        };
        post(message, origin, [port2]);
    };
"""


async def begun_call(office: Office, *, is_held: bool) -> asyncio.Task[Reply]:
    """A call that changes something, which the page has written down as begun."""
    await office.page.add_init_script(BETWEEN)
    await office.page.reload()
    await expect_connection(office.page, "connected")
    await office.pair()
    await office.ask(await office.choose_companion(), "Ask for reading and changing", changing=True)
    await office.page.evaluate("holds => { window.holdsCalls = holds }", is_held)
    return asyncio.create_task(office.scene.caller.call("workSlowly"))


async def said(office: Office, kind: str) -> int:
    """How many such messages the page has sent to the companion since it was loaded."""
    return (await office.page.evaluate("window.said")).count(kind)


async def forget_session(office: Office) -> None:
    """What the end of the browser's session takes with it, and an update of the extension."""
    page = await office.companion.own_page()
    await page.evaluate("chrome.storage.session.clear()")
    workers = await office.companion.context.new_cdp_session(page)
    await workers.send("ServiceWorker.enable")  # pyright: ignore[reportUnknownMemberType]  # a bare Dict
    await workers.send("ServiceWorker.stopAllWorkers")  # pyright: ignore[reportUnknownMemberType]  # as above
    await page.close()


async def test_a_call_that_the_companion_never_sent_has_failed_and_can_be_made_again(office: Office) -> None:
    """Without asking, nobody could tell it from one that was performed, and nobody dared to repeat it."""
    working = await begun_call(office, is_held=True)
    await eventually(lambda: said(office, "call"))
    await office.page.reload()
    reply = await working
    assert (reply.status, reply.code) == (503, "no_browser")
    assert "it was not performed" in reply.json()["error"]["message"]
    assert await said(office, "did") == 1
    office.api.release.set()
    assert (await office.scene.caller.call("workSlowly")).status == 200
    assert len(office.api.at("POST", "/slow")) == 1


async def test_a_call_that_the_companion_has_sent_stays_in_doubt_and_is_not_sent_again(
    office: Office,
) -> None:
    """The API may have done it, whatever became of the page."""
    working = await begun_call(office, is_held=False)
    await eventually(lambda: len(office.api.at("POST", "/slow")) == 1)
    await office.page.reload()
    reply = await working
    assert (reply.status, reply.code) == (409, "outcome_unknown")
    await expect_connection(office.page, "connected")
    assert await said(office, "did") == 1
    office.api.release.set()
    assert (await office.scene.caller.call("listNotes")).status == 200
    assert len(office.api.at("POST", "/slow")) == 1


async def test_a_call_is_in_doubt_when_the_companion_may_have_forgotten_it(office: Office) -> None:
    """Another epoch says "never" of what it cannot remember."""
    working = await begun_call(office, is_held=True)
    await eventually(lambda: said(office, "call"))
    await forget_session(office)
    await office.page.reload()
    reply = await working
    assert (reply.status, reply.code) == (409, "outcome_unknown")
    await expect_connection(office.page, "connected")
    assert await said(office, "did") <= 1  # none where the companion is not there in time: as much in doubt
