"""Why a request failed: each cause is told by its own code, and nothing is called failed without proof."""

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from examples.document_files import read_document_text
from examples.ledger import LEDGER
from examples.sample_api import start_sample_api
from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.browser.tls_proxy import tls_proxy
from tests.support.chromium import go_to, open_page, run_tool
from tests.support.documents.compiled import document_text, operation
from toolserver.json_types import JsonObject

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


def ledger_of(scene: BrowserHarness) -> list[str]:
    """Method and path of every request that may have changed something."""
    return [f"{entry.method} {entry.path}" for entry in scene.samples.app[LEDGER].entries]


async def test_an_api_that_is_down_is_a_network_failure(odd: BrowserHarness) -> None:
    """The user must start the API, not search the page for a mistake; nothing was delivered."""
    page = await odd.open_page()
    await odd.samples.cleanup()
    for tool, arguments in (("getNothing", {}), ("writeSlowly", {"note": "x"})):
        reply = await odd.caller.call(tool, arguments)
        assert (reply.status, reply.code) == (502, "network")
        assert reply.json()["error"]["retryable"] is True
        assert odd.samples_url in reply.json()["error"]["message"]
    await go_to(page, "tools", "getNothing")
    await expect(await run_tool(page)).to_contain_text("Check that the API is running")


async def test_an_answer_that_the_page_may_not_read_is_a_cors_failure(odd: BrowserHarness) -> None:
    """The most frequent cause of all; browsers say only "Failed to fetch"."""
    page = await odd.open_page()
    reply = await odd.caller.call("getUnreadable")
    assert (reply.status, reply.code) == (502, "cors")
    await go_to(page, "tools", "getUnreadable")
    await expect((await run_tool(page)).get_by_role("link", name="Open the doctor")).to_be_visible()


async def test_a_change_whose_answer_cannot_be_read_has_an_unknown_outcome(odd: BrowserHarness) -> None:
    """The note was taken although the page cannot see that; calling it failed would do it twice.

    The JSON object was not even sent, because the browser asks first; but nothing proves that to the page.
    """
    bodiless: JsonObject = {"/nocors/notes": {"post": operation("sendNothing")["get"]}}
    text = document_text(paths=bodiless, server=odd.samples_url)
    await odd.bridge.components.registry.share_document("notes", text, source_url=None)
    await odd.open_page()
    sent = await odd.caller.call("sendNothing")
    assert (sent.status, sent.code, sent.detail["reason"]) == (409, "outcome_unknown", "cors")
    assert ledger_of(odd) == ["POST /nocors/notes"]
    asked = await odd.caller.call("postUnreadable", {"value": 1})
    assert (asked.status, asked.code, asked.detail["reason"]) == (409, "outcome_unknown", "cors")
    assert ledger_of(odd) == ["POST /nocors/notes"]


async def test_the_deadline_ends_a_call_and_tells_reading_from_changing(odd: BrowserHarness) -> None:
    """A caller waits no longer than it was promised; what may have changed something is not "timeout"."""
    await odd.open_page()
    soon = {"X-Tool-Deadline": "3"}  # by then the requests are at the API on a busy machine, too
    async with asyncio.TaskGroup() as group:
        reading = group.create_task(odd.caller.call("getSlow", {"seconds": 60}, **soon))
        writing = group.create_task(odd.caller.call("writeSlowly", {"seconds": 60, "note": "x"}, **soon))
    assert (reading.result().status, reading.result().code) == (504, "timeout")
    assert (writing.result().status, writing.result().code) == (409, "outcome_unknown")
    assert writing.result().detail["reason"] == "timeout"
    assert (await odd.caller.call("getNothing")).status == 200


async def test_an_answer_that_breaks_off_is_a_network_failure(odd: BrowserHarness) -> None:
    """Half an answer must not pass for the whole."""
    await odd.open_page()
    reply = await odd.caller.call("getInterrupted")
    assert (reply.status, reply.code) == (502, "network")
    assert reply.detail["status"] == 200


async def test_redirects_are_followed_at_home_and_refused_abroad(odd: BrowserHarness) -> None:
    """The user accepted one origin; an API cannot send his browser to another one."""
    await odd.open_page()
    home = await odd.caller.call("getRedirect", {"target": "same-origin"})
    assert home.json()["text"].startswith("The café")
    abroad = await odd.caller.call("getRedirect", {"target": "other-origin"})
    assert (abroad.status, abroad.code) == (502, "redirect_refused")


async def test_page_and_worker_reach_only_what_was_accepted(odd: BrowserHarness) -> None:
    """The browser itself enforces it: a mistake in our code cannot send a request elsewhere."""
    page = await odd.open_page()
    elsewhere, elsewhere_url = await start_sample_api()
    try:
        reach = "url => fetch(url).then(() => 'reached', () => 'refused')"
        (worker,) = page.workers
        assert await worker.evaluate(reach, f"{odd.samples_url}/answers/text") == "reached"
        assert await worker.evaluate(reach, f"{elsewhere_url}/answers/text") == "refused"
        assert await page.evaluate(reach, f"{odd.samples_url}/answers/text") == "refused"
        assert await page.evaluate(reach, "/healthz") == "reached"
    finally:
        await elsewhere.cleanup()


async def test_plain_http_from_an_https_page_is_mixed_content(chromium: Browser, tmp_path: Path) -> None:
    """A bridge behind https cannot call http APIs elsewhere; only this machine is exempt."""
    async with (
        tls_proxy(tmp_path) as front,
        open_harness(chromium, tmp_path, ["answers.yaml"], public_url=front.url) as scene,
    ):
        front.target_port = scene.bridge.server.sockets[0].getsockname()[1]
        plain = scene.samples_url.replace("127.0.0.1", "plain.test")
        text = read_document_text("mirror.yaml")
        await scene.bridge.components.registry.share_document(
            "plain", text, source_url=f"{plain}/mirror.yaml"
        )
        context = await scene.new_context(ignore_https_errors=True)
        page = await context.new_page()
        await open_page(page, await scene.bridge.page_url())
        await expect(page.get_by_text("because you named these documents")).to_be_visible()
        caller = scene.caller_at(f"http://127.0.0.1:{front.target_port}")
        for tool, arguments in (("mirrorQuery", {}), ("mirrorJson", {"title": "x"})):
            reply = await caller.call(tool, arguments)
            assert (reply.status, reply.code) == (502, "mixed_content")
        assert (await caller.call("getNothing")).json() == {"status": 204}
