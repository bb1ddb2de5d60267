"""The companion extension in Debian's Firefox: the same source, installed for this session by WebDriver BiDi.

Firefox's own question about a host is answered by a preference of its makers' tests; only a user's click
may ask it, as always. Nothing here presses the toolbar icon, which is out of reach of BiDi.
"""

import asyncio
import io
import json
import zipfile
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import pytest
import pytest_asyncio

from bridge.http.companion import build_archive
from tests.browser.browser_harness import start_offering
from tests.browser.companion.office_api import OfficeApi
from tests.browser.extension.sample_apis import SampleApi, bridge_application
from tests.browser.firefox.firefox import Firefox, FirefoxPage, running_firefox
from tests.support.chromium import Caller
from tests.support.tcp_servers import free_port
from tests.support.waiting import eventually
from tests.support.web_servers import serving

pytestmark = [
    pytest.mark.slow,
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.timeout(180),
]

PLACE = "6f6e2c3e-7d5b-4a39-9a3b-6b8f3f0f6a11"
"""Of the extension's own pages; Firefox would choose one."""
PREFERENCES = {
    "network.dns.localDomains": "api.test,office.test",
    "extensions.webextOptionalPermissionPrompts": False,
    "extensions.webextensions.uuids": json.dumps({"companion@direct-tool-bridge.invalid": PLACE}),
    "extensions.background.idle.timeout": 6000,
}
OPEN_QUESTION = (
    "location.pathname === '/grant.html' && document.getElementById('allow')?.ariaDisabled === 'false'"
)
"""One that is answered is shown for a moment."""
REQUEST_BY_BUTTON = """origins => {
    const button = document.createElement("button");
    button.id = "asks";
    button.textContent = "Ask";
    button.onclick = () => { window.answer = chrome.permissions.request({ origins }); };
    document.body.prepend(button);
}"""


@dataclass
class Stage:
    """A connected bridge, and an API without CORS that it was granted with login and for changing."""

    popup: FirefoxPage
    page: FirefoxPage
    bridge: str
    api: SampleApi
    origin: str

    async def call(self, path: str, method: str = "GET", **more: Any) -> dict[str, Any]:
        """Perform a request; gives its messages put together."""
        call: dict[str, Any] = {"url": f"{self.origin}{path}", "method": method, "headers": [], "body": None}
        return await self.page.evaluate("call => performCall(call)", {**call, "login": False, **more})


@pytest_asyncio.fixture(loop_scope="module")
async def stage(connected: Stage) -> Stage:
    """With a port of this test's own: the background of one that was silent has been ended."""
    assert (await connected.page.evaluate("connectCompanion()"))["type"] == "ready"
    return connected


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def connected(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Stage]:
    """One browser for these tests."""
    folder = tmp_path_factory.mktemp("companion")
    zipfile.ZipFile(io.BytesIO(build_archive(browser="firefox"))).extractall(folder)
    api = SampleApi()
    async with (
        serving(api.application(), notices_hang_up=True) as api_url,
        serving(bridge_application()) as bridge_url,
        running_firefox(PREFERENCES, "--remote-allow-system-access") as firefox,
    ):
        await firefox.command("install", folder=str(folder))
        bridge = bridge_url.replace("127.0.0.1", "bridge.localhost")
        origin = api_url.replace("127.0.0.1", "api.test")
        popup = await firefox.open_extension_page(f"moz-extension://{PLACE}/popup.html")
        await connect_bridge(popup, bridge)
        page = await firefox.open_page(bridge)
        assert (await page.evaluate("connectCompanion()"))["type"] == "ready"
        await grant_api(firefox, page, origin)
        yield Stage(popup, page, bridge, api, origin)


async def connect_bridge(popup: FirefoxPage, bridge: str) -> None:
    """What the popup's button does, for the bridge of another tab."""
    await popup.evaluate(REQUEST_BY_BUTTON, [f"http://{urlsplit(bridge).hostname}/*"])
    await popup.click("#asks")
    assert await popup.evaluate("answer") is True
    pairing = {"type": "pair", "bridge": bridge}
    assert await popup.evaluate("message => chrome.runtime.sendMessage(message)", pairing) is True


async def grant_api(firefox: Firefox, page: FirefoxPage, origin: str) -> None:
    """The page asks, and the user allows all of it in the extension's own tab."""
    await page.evaluate("ask => askCompanion(ask)", {"api": origin, "login": True, "methods": "all"})
    await allow(firefox, "[value=all]", "[value=yes]", "[name=sure]")
    granted = {"api": origin, "login": True, "methods": "all"}
    assert (await page.evaluate("askedAnswer"))["grant"] == granted


async def allow(firefox: Firefox, *fields: str) -> None:
    """Check these in the extension's question, and allow it."""
    question = await firefox.wait_for_page(OPEN_QUESTION)
    for field in fields:
        await question.click(f"input{field}")
    await question.press("Allow")


async def test_the_bridge_page_says_how_firefox_gets_it_and_calls_through_it(
    stage: Stage, tmp_path: Path
) -> None:
    """The whole way of a user: choose it for a server, read how to install it, connect, grant, call."""
    firefox, office = stage.page.browser, OfficeApi()
    async with AsyncExitStack() as stack:
        api_url = await stack.enter_async_context(serving(office.application()))
        http = await stack.enter_async_context(aiohttp.ClientSession())
        bridge = await start_offering(tmp_path, "", [], deadline_s=20)
        stack.push_async_callback(bridge.close)
        await bridge.share_document(f"{api_url}/openapi.json", named="office")
        page = await firefox.open_page(await bridge.page_url())
        await page.wait_for_text("because you named these documents")
        view = await bridge.components.registry.view_of_user(bridge.local_user.id)
        address = f"#/servers/{view.servers[0].record.id}"
        await page.evaluate("address => { location.hash = address }", address)
        await page.click("::-p-text(Also reaches APIs that do not allow CORS)")
        await page.wait_for_text("about:debugging#/runtime/this-firefox", within="[data-testid=companion]")
        await connect_bridge(stage.popup, bridge.base_url)
        await page.wait_for(
            "document.querySelector('[data-testid=companion][data-state=ungranted]') !== null"
        )
        await page.press("Ask for reading")
        await allow(firefox)
        await page.wait_for("document.querySelector('[data-testid=companion][data-state=granted]') !== null")
        reply = await Caller(bridge.base_url, bridge.key, http).call("listNotes")
        assert (reply.status, reply.json()["notes"]) == (200, ["milk"])
        assert office.at("GET", "/notes") == [False]
        await page.close()


async def test_an_api_without_cors_is_read_whole(stage: Stage) -> None:
    """And by the header that no page can send; without a grant nothing leaves."""
    answer = await stage.call("/read", headers=[["User-Agent", "Robot/1"]])
    assert (answer["status"], answer["headers"]["x-request-id"]) == (200, "r-1")
    [arrival] = stage.api.at("/read")
    assert arrival["headers"]["user-agent"] == "Robot/1"
    assert "origin" not in arrival["headers"]
    neighbour = stage.origin.replace("api.test", "other.test")
    refused = await stage.call("", url=f"{neighbour}/refused")
    assert (refused["type"], refused["code"]) == ("refused", "not_granted")
    assert stage.api.at("/refused") == []


async def test_a_login_goes_along_only_where_it_is_asked_for_and_changes_as_the_api_s_own_page(
    stage: Stage,
) -> None:
    """Firefox ignores an Origin that a fetch sets; the rule of the request sets it."""
    login = await stage.page.browser.open_page(f"{stage.origin}/login")
    await login.close()
    await stage.call("/without")
    assert "cookie" not in stage.api.at("/without")[0]["headers"]
    await stage.call("/with", "POST", text="{}", login=True)
    headers = stage.api.at("/with")[0]["headers"]
    assert "session_strict=secret" in headers["cookie"]
    assert headers["origin"] == stage.origin


async def test_a_redirect_is_told_and_not_followed(stage: Stage) -> None:
    """With its status, headers and target."""
    answer = await stage.call("/redirect?to=/secret", headers=[["X-Api-Key", "key"]])
    assert (answer["status"], answer["location"]) == (302, f"{stage.origin}/secret")
    assert stage.api.at("/secret") == []


async def test_large_bodies_pass_in_both_directions(stage: Stage) -> None:
    """20 MB up by parts and down by chunks."""
    assert (await stage.call("/up", "POST", upload=20_000_000))["status"] == 200
    assert stage.api.at("/up")[0]["bytes"] == 20_000_000
    assert (await stage.call("/large?kilobytes=20480"))["size"] == 20 * 1024 * 1024


async def test_a_refused_connection_is_told_by_its_name_and_proves_that_nothing_arrived(
    stage: Stage,
) -> None:
    """The host is granted at every port by Firefox; the extension's own grant is what this port lacks."""
    closed = f"http://api.test:{free_port()}"
    await grant_api(stage.page.browser, stage.page, closed)
    failed = await stage.call("", url=f"{closed}/x")
    assert (failed["type"], failed["delivered"]) == ("failed", "no"), failed
    assert failed["net_error"] == "NS_ERROR_CONNECTION_REFUSED"


async def test_a_long_silence_is_survived_while_the_page_pings(stage: Stage) -> None:
    """Firefox ends an idle background, here after 6 s, usually 30; what the page sends keeps it."""
    stage.api.release.clear()
    calling = asyncio.create_task(stage.page.evaluate(LONG_CALL, f"{stage.origin}/hang/long"))
    await eventually(lambda: stage.api.at("/hang/long"))
    assert (await calling)["type"] == "silence"
    stage.api.release.set()
    assert (await stage.page.evaluate("endOf('long')"))["type"] == "end"
    assert len(stage.api.at("/hang/long")) == 1


LONG_CALL = """async url => {
    post({ type: "call", id: "long", url, method: "POST", headers: [], body: null, login: false });
    for (let second = 0; second < 10; second++) {
        await new Promise((resolve) => setTimeout(resolve, 1000));
        post({ type: "ping" });
    }
    const isEnding = ({ id, type }) => id === "long" && ["failed", "end"].includes(type);
    return heard.find(isEnding) ?? { type: "silence" };
}"""


async def test_a_page_that_is_closed_ends_its_calls(stage: Stage) -> None:
    """As a closed tab does by itself."""
    stage.api.release.clear()
    page = await stage.page.browser.open_page(stage.bridge)
    assert (await page.evaluate("connectCompanion()"))["type"] == "ready"
    await page.evaluate(
        "url => post({ type: 'call', id: 'cut', url, method: 'GET', headers: [], body: null, login: false })",
        f"{stage.origin}/hang/cut",
    )
    await eventually(lambda: stage.api.at("/hang/cut"))
    await page.close()
    await eventually(lambda: "/hang/cut" in stage.api.closed)
