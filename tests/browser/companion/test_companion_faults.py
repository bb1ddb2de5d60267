"""The companion is stopped, reloaded, switched off and loses its permission, each amid two calls."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Page

from tests.browser.companion.conftest import Office
from tests.browser.extension.companion import extension_id
from tests.support.waiting import eventually

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(180),
    pytest.mark.slow,
]

Strike = Callable[[], Awaitable[Any]]


@pytest_asyncio.fixture(loop_scope="session")
async def extensions_page(office: Office) -> AsyncGenerator[Page]:
    """The browser's own page of extensions, where users switch them off."""
    page = await office.companion.context.new_page()
    await page.goto("chrome://extensions")
    yield page
    await page.close()


async def end_two_calls(office: Office, strike: Strike) -> list[tuple[str | None, Any]]:
    """One changes something, one reads; gives code and reason of both once the fault has struck."""
    arrived = len(office.api.arrivals)
    calls = [asyncio.create_task(office.scene.caller.call(name)) for name in ("workSlowly", "readSlowly")]
    await eventually(lambda: len(office.api.arrivals) == arrived + 2)
    await strike()
    replies = await asyncio.gather(*calls)
    return [(reply.code, reply.detail.get("reason")) for reply in replies]


async def is_back(office: Office) -> None:
    """A call reaches its API again."""

    async def can_read() -> bool:
        return (await office.scene.caller.call("listNotes")).status == 200

    await eventually(can_read)


async def test_no_fault_of_the_extension_sends_a_call_again_or_hides_that_it_may_have_been_performed(
    office: Office, extensions_page: Page
) -> None:
    """Finding P-L5: each ends what runs; what changes something is in doubt, and what reads has failed."""
    await office.pair()
    await office.ask(await office.choose_companion(), "Ask for reading and changing", changing=True)
    own = await office.companion.own_page()
    session: Any = await office.companion.context.new_cdp_session(own)
    await session.send("ServiceWorker.enable")
    lost = [("outcome_unknown", "companion_missing"), ("companion_missing", None)]

    assert await end_two_calls(office, lambda: session.send("ServiceWorker.stopAllWorkers")) == lost
    await is_back(office)

    reload = "void setTimeout(() => chrome.runtime.reload(), 0)"
    assert await end_two_calls(office, lambda: own.evaluate(reload)) == lost
    await is_back(office)

    switch = "([id, isOn]) => chrome.management.setEnabled(id, isOn)"
    off = [extension_id(), False]
    assert await end_two_calls(office, lambda: extensions_page.evaluate(switch, off)) == lost
    missing = await office.scene.caller.call("addNote")
    assert (missing.status, missing.code) == (503, "companion_missing")
    await extensions_page.evaluate(switch, [extension_id(), True])
    await is_back(office)

    own = await office.companion.own_page()
    take_back = "origin => chrome.permissions.remove({ origins: [`${origin}/*`] })"
    unsafe, safe = await end_two_calls(office, lambda: own.evaluate(take_back, office.origin))
    assert unsafe == ("outcome_unknown", "network")
    assert safe == ("network", None), "what the try met that arrived, not why the second one was not sent"
    assert [office.api.at(method, "/slow") for method in ("POST", "GET")] == [[False] * 4, [False] * 4]
    assert office.api.at("POST", "/notes") == []
