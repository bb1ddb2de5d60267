"""The bridge page in Debian's Firefox: what its users do first, and what they are told when it fails.

The pages of all other browser tests are Chromium's.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio
from aiohttp import web

from bridge.app.server import Bridge
from examples.document_files import read_document_text
from examples.ledger import LEDGER
from examples.sample_api import start_sample_api
from tests.browser.browser_harness import start_offering
from tests.browser.failing_api import failing_api
from tests.browser.firefox.firefox import Firefox, FirefoxPage, running_firefox
from tests.browser.tls_proxy import tls_proxy
from tests.support.chromium import Caller
from tests.support.documents.compiled import document_text
from tests.support.waiting import eventually
from toolserver.json_types import JsonObject

pytestmark = [
    pytest.mark.slow,
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.timeout(180),
]

ORDER = {
    "customer": "Ada",
    "items": [{"product_id": 1, "quantity": 1}],
    "delivery": {"street": "Canal Street 5", "city": "Springfield"},
}


@dataclass
class Scene:
    """A bridge that offers the shop and the odd answers and asks about changes, and a program that calls."""

    bridge: Bridge
    samples: web.AppRunner
    samples_url: str
    caller: Caller

    def changes(self) -> list[str]:
        """Method and path of what arrived and may have changed something."""
        return [f"{entry.method} {entry.path}" for entry in self.samples.app[LEDGER].entries]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def firefox() -> AsyncGenerator[Firefox]:
    """One browser for these tests; each bridge is an origin of its own."""
    async with running_firefox({"network.dns.localDomains": "bridge.test,plain.test"}) as browser:
        yield browser


@pytest_asyncio.fixture(loop_scope="module")
async def scene(tmp_path: Path) -> AsyncGenerator[Scene]:
    """Everything but the page."""
    async with AsyncExitStack() as stack:
        samples, url = await start_sample_api()
        stack.push_async_callback(samples.cleanup)
        http = await stack.enter_async_context(aiohttp.ClientSession())
        names = ["shop.json", "answers.yaml"]
        bridge = await start_offering(tmp_path, url, names, approve="safe", deadline_s=20)
        stack.push_async_callback(bridge.close)
        yield Scene(bridge, samples, url, Caller(bridge.base_url, bridge.key, http))


async def open_bridge(firefox: Firefox, scene: Scene) -> FirefoxPage:
    """The printed link, until everything it offers is accepted."""
    page = await firefox.open_page(await scene.bridge.page_url())
    await page.wait_for_connection()
    await page.wait_for_text("because you named these documents")
    return page


async def run_tool(page: FirefoxPage, name: str) -> None:
    """Press Run in a tool's form and wait for the answer."""
    await page.evaluate("address => { location.hash = address }", f"#/tools/{name}")
    await page.click("[data-testid=run]")
    await page.wait_for("document.querySelector('[aria-label=Answer]') !== null")


async def test_a_call_is_answered_and_a_reload_goes_on(firefox: Firefox, scene: Scene) -> None:
    """The main job: pair by the link, accept, answer a program; what was decided is kept by the browser."""
    page = await open_bridge(firefox, scene)
    reply = await scene.caller.call("listProducts")
    assert (reply.status, reply.json()["products"][0]["name"]) == (200, "Black tea")
    await page.reload()
    await page.wait_for_connection()
    again = await scene.caller.call("getNothing")
    assert (again.status, again.json()) == (200, {"status": 204})
    await page.evaluate("address => { location.hash = address }", "#/calls")
    await page.wait_for_text("getNothing")
    await page.close()


async def test_a_tool_is_edited_and_called_with_the_value_that_is_fixed(
    firefox: Firefox, scene: Scene
) -> None:
    """Issue 41: the form, the review of what it changes, and a request that carries the value."""
    page = await open_bridge(firefox, scene)
    debug: JsonObject = {"name": "debug", "in": "query", "schema": {"type": "boolean"}}
    paths: JsonObject = {"/echo": {"get": {"operationId": "echoOnce", "parameters": [debug]}}}
    text = document_text("Echo", paths=paths, server=scene.samples_url)
    user = scene.bridge.local_user.id
    server = (await scene.bridge.components.registry.add_server(user, text, source_url=None)).record.id
    await page.evaluate("address => { location.hash = address }", f"#/servers/{server}/edit/GET%20%2Fecho")
    await page.wait_for("document.querySelector('[data-argument=debug]') !== null")
    await page.click("[data-argument=debug] summary")
    await page.fill('Fixed value[role="textbox"]', "true")
    await page.press("Save the edits")
    await page.wait_for_text("Saved.")
    await page.evaluate("address => { location.hash = address }", f"#/servers/{server}/review")
    await page.wait_for_text("Each request carries debug = true.")
    await page.press("All")
    await page.press("Accept the selection")
    await page.wait_for("document.querySelector('[data-testid=accepted]') !== null")
    assert (await scene.caller.call("echoOnce")).json()["query"] == "debug=true"
    assert (await scene.caller.call("echoOnce", {"debug": False})).code == "invalid_arguments"
    await page.close()


async def test_a_change_waits_for_its_user_and_is_made_once(firefox: Firefox, scene: Scene) -> None:
    """Nothing is sent before the card is answered; the answer is the shop's."""
    page = await open_bridge(firefox, scene)
    ordering = asyncio.create_task(scene.caller.call("placeOrder", ORDER))
    await page.wait_for_text("Canal Street 5", within="#approvals")
    assert scene.changes() == []
    await page.press("Allow once: placeOrder")
    assert (await ordering).json()["customer"] == "Ada"
    assert scene.changes() == ["POST /shop/orders"]
    denied = asyncio.create_task(scene.caller.call("placeOrder", ORDER))
    await page.press("Deny: placeOrder")
    assert ((await denied).status, (await denied).code) == (403, "denied")
    assert scene.changes() == ["POST /shop/orders"]
    await page.close()


async def test_a_reload_while_a_change_runs_leaves_its_outcome_unknown(
    firefox: Firefox, scene: Scene
) -> None:
    """The worker is gone and nobody knows what the API did; it is not sent again."""
    page = await open_bridge(firefox, scene)
    writing = asyncio.create_task(scene.caller.call("writeSlowly", {"seconds": 10, "note": "x"}))
    await page.press("Allow once: writeSlowly")
    await eventually(scene.changes)
    await page.reload()
    await page.wait_for_connection()
    reply = await writing
    assert (reply.status, reply.code) == (409, "outcome_unknown")
    assert scene.changes() == ["POST /answers/slow?seconds=10"]
    await page.close()


async def test_failed_fetches_are_told_apart(firefox: Firefox, scene: Scene) -> None:
    """Firefox says "NetworkError" for each; the page finds out which, and claims nothing without proof."""
    page = await open_bridge(firefox, scene)
    await run_tool(page, "getUnreadable")
    await page.wait_for_text("Open the doctor", within="[aria-label=Answer]")
    for tool, code in (("getUnreadable", "cors"), ("getInterrupted", "network")):
        reply = await scene.caller.call(tool)
        assert (reply.status, reply.code) == (502, code)
    await scene.samples.cleanup()
    refused = await scene.caller.call("getNothing")
    assert (refused.status, refused.code, refused.detail["probe"]) == (502, "network", "refused")
    writing = asyncio.create_task(scene.caller.call("writeSlowly", {"note": "x"}))
    await page.press("Allow once: writeSlowly")
    assert ((await writing).status, (await writing).code) == (502, "network")
    await page.close()


async def test_a_redirect_out_of_the_accepted_origins_is_refused(firefox: Firefox, scene: Scene) -> None:
    """The policy of the worker's script holds, and its report comes in time to name the cause."""
    page = await open_bridge(firefox, scene)
    reply = await scene.caller.call("getRedirect", {"target": "other-origin"})
    assert (reply.status, reply.code) == (502, "redirect_refused")
    await page.close()


async def test_the_causes_that_chromium_tells_are_told_here_too(firefox: Firefox, scene: Scene) -> None:
    """Finding W-22, W-23: another engine reports redirects and unreadable answers in its own way."""
    registry = scene.bridge.components.registry
    async with failing_api(lambda text: registry.share_document("failing", text, source_url=None)):
        page = await open_bridge(firefox, scene)
        assert "likely_cause" not in (await scene.caller.call("crash")).detail
        assert (await scene.caller.call("readFine")).status == 200
        told = {
            tool: (await scene.caller.call(tool)).detail.get("likely_cause")
            for tool in ("crash", "circle", "behindLogin")
        }
        assert told == {"crash": "error_answer", "circle": "redirect_circle", "behindLogin": "redirect"}
        await page.close()


@pytest.mark.parametrize("host", ["plain.test", "10.0.0.1"])
async def test_plain_http_from_an_https_page_is_mixed_content_also_in_the_local_network(
    firefox: Firefox, tmp_path: Path, host: str
) -> None:
    """Chromium has a permission for addresses of the local network; Firefox stops them at once."""
    async with AsyncExitStack() as stack:
        front = await stack.enter_async_context(tls_proxy(tmp_path))
        samples, url = await start_sample_api()
        stack.push_async_callback(samples.cleanup)
        http = await stack.enter_async_context(aiohttp.ClientSession())
        bridge = await start_offering(tmp_path, url, [], public_url=front.url)
        stack.push_async_callback(bridge.close)
        front.target_port = bridge.server.sockets[0].getsockname()[1]
        source = f"{url.replace('127.0.0.1', host)}/mirror.yaml"
        await bridge.components.registry.share_document(
            "plain", read_document_text("mirror.yaml"), source_url=source
        )
        page = await firefox.open_page(await bridge.page_url())
        await page.wait_for_connection()
        await page.wait_for_text("because you named these documents")
        caller = Caller(f"http://127.0.0.1:{front.target_port}", bridge.key, http)
        reply = await caller.call("mirrorQuery")
        assert (reply.status, reply.code) == (502, "mixed_content")
        assert "Allow local network access" not in reply.json()["error"]["message"]
        await page.close()
