"""The extension's own pages: where a bridge is connected, an API is granted, and both are taken back."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from time import time

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.browser.extension.companion import EXTENSION, BridgePage, extension_id
from tests.browser.extension.conftest import Stage
from tests.support.programs import needs

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

AXE = Path(__file__).parents[3] / "node_modules" / "axe-core" / "axe.min.js"
WARNINGS = "manifest => chrome.management.getPermissionWarningsByManifest(manifest)"
"""What the browser shows to whoever installs an extension."""


@pytest_asyncio.fixture(loop_scope="session")
async def question(stage: Stage) -> AsyncGenerator[tuple[BridgePage, Page]]:
    """A bridge asks for all there is, and its question is open."""
    bridge = await stage.companion.open_bridge()
    asked = {"api": stage.origin, "login": True, "methods": "all"}
    async with stage.companion.context.expect_page() as opened:
        await bridge.page.evaluate("ask => askCompanion(ask)", asked)
    page = await opened.value
    await expect(page.get_by_role("button", name="Allow", exact=True)).to_be_visible()
    yield bridge, page
    if not page.is_closed():
        await page.close()


async def open_popup(stage: Stage, url: str) -> Page:
    """The popup as it opens over a tab with this address."""
    page = await stage.companion.context.new_page()
    await page.add_init_script(f"chrome.tabs.query = async () => [{{ url: {url!r} }}]")
    await page.goto(f"chrome-extension://{extension_id()}/popup.html")
    return page


async def expect_accessible(page: Page) -> None:
    """No rule of axe is broken."""
    needs.find(needs.PAGE_TOOLS)
    await page.evaluate(AXE.read_text())
    violations = await page.evaluate("axe.run().then(({ violations }) => violations.map(({ id }) => id))")
    assert violations == []


async def test_the_popup_connects_the_bridge_of_its_tab_and_disconnects_it(stage: Stage) -> None:
    """A page that is open already can use it at once."""
    bridge = await stage.companion.open_bridge(is_paired=False)
    popup = await open_popup(stage, f"{bridge.origin}/#/tools")
    await expect(popup.get_by_role("status")).to_contain_text(bridge.origin)
    await popup.get_by_role("button", name="Connect this bridge").click()
    await expect(popup.get_by_role("status")).to_have_text(f"{bridge.origin} is connected.")
    await expect(popup.get_by_role("list", name="Bridges")).to_contain_text(bridge.origin)
    assert (await bridge.connect())["type"] == "ready"
    await expect_accessible(popup)
    await popup.get_by_role("button", name=f"Disconnect: {bridge.origin}").click()
    await expect(popup.get_by_role("list", name="Bridges")).not_to_contain_text(bridge.origin)
    await popup.close()


@pytest.mark.parametrize("url", ["http://bridge.test/", "chrome://extensions/", "about:blank"])
async def test_a_page_that_others_could_answer_for_is_not_connected(stage: Stage, url: str) -> None:
    """Whoever sits on the way of plain http would hold every grant."""
    popup = await open_popup(stage, url)
    await expect(popup.get_by_role("status")).to_contain_text("Open your bridge's page")
    await expect(popup.get_by_role("button", name="Connect this bridge")).to_be_hidden()
    origin = url.rstrip("/")
    assert await stage.companion.request(type="pair", bridge=origin) is False
    await popup.close()


async def test_the_popup_shows_what_was_used_and_revokes_it(stage: Stage) -> None:
    """Who used what and when, without paths and values."""
    bridge = await stage.companion.open_bridge({"api": stage.origin})
    await bridge.call(f"{stage.origin}/secret-path?token=x")
    popup = await open_popup(stage, bridge.origin)
    uses = popup.get_by_role("list", name="Recent calls")
    await expect(uses).to_contain_text(f"GET {stage.origin} for {bridge.origin}: 200")
    await expect(uses).not_to_contain_text("secret-path")
    apis = popup.get_by_role("list", name="APIs")
    words = f"{stage.origin} for {bridge.origin}: reading only, without your login"
    await apis.get_by_role("button", name=f"Revoke: {words}").click()
    await expect(apis).not_to_contain_text(bridge.origin)
    assert (await bridge.call(f"{stage.origin}/things"))["code"] == "not_granted"
    await popup.close()


async def test_changing_with_the_login_is_confirmed_apart(question: tuple[BridgePage, Page]) -> None:
    """It is the one grant by which a bridge acts as its user."""
    bridge, page = question
    await expect(page.locator("#bridge")).to_have_text(bridge.origin)
    await page.get_by_label("With your login:").check()
    await expect(page.get_by_label("It may change things")).to_be_hidden()
    await page.get_by_label("Reading and changing").check()
    await expect(page.get_by_label("It may change things")).to_be_visible()
    await expect_accessible(page)
    await page.get_by_role("button", name="Allow", exact=True).click()
    assert await page.evaluate("document.querySelector('[name=sure]').validity.valueMissing") is True
    assert (await bridge.call("http://api.test/"))["code"] == "not_granted"


async def test_the_user_may_grant_less_than_is_asked(stage: Stage, question: tuple[BridgePage, Page]) -> None:
    """What is asked is the bridge's wish; reading without the login is what is chosen beforehand."""
    bridge, page = question
    await page.get_by_role("button", name="Allow", exact=True).click()
    granted = {"api": stage.origin, "login": False, "methods": "safe"}
    assert (await bridge.page.evaluate("askedAnswer"))["grant"] == granted
    assert (await bridge.call(f"{stage.origin}/canary", login=True))["code"] == "login_not_granted"


@pytest.mark.parametrize("end", ["deny", "close"])
async def test_a_question_that_is_denied_or_closed_grants_nothing(
    stage: Stage, question: tuple[BridgePage, Page], end: str
) -> None:
    """The page hears so, and may ask again."""
    bridge, page = question
    if end == "deny":
        await page.get_by_role("button", name="Do not allow").click()
    else:
        await page.close()
    assert (await bridge.page.evaluate("askedAnswer"))["grant"] is None
    assert (await bridge.call(f"{stage.origin}/canary"))["code"] == "not_granted"


async def test_a_bridge_asks_one_question_at_a_time(question: tuple[BridgePage, Page]) -> None:
    """A page that opened tab after tab would wear its user down."""
    bridge, _ = question
    ask = {"type": "ask", "id": "second", "api": "http://api.test", "login": False, "methods": "safe"}
    assert (await bridge.exchange(ask))["code"] == "asking"


async def test_a_bridge_cannot_ask_again_at_once(question: tuple[BridgePage, Page]) -> None:
    """Finding S-L5: eight tabs in five seconds take the screen from their user until he allows one."""
    bridge, page = question
    await page.close()
    assert (await bridge.page.evaluate("askedAnswer"))["grant"] is None
    ask = {"type": "ask", "id": "second", "api": "http://api.test", "login": False, "methods": "safe"}
    refused = await bridge.exchange(ask)
    assert (refused["code"], "was not allowed" in refused["message"]) == ("asking", True)


async def test_allow_takes_no_press_that_was_meant_for_something_else(
    stage: Stage, question: tuple[BridgePage, Page]
) -> None:
    """Finding S-L5: a page chooses when its question comes to the front, as under a double-click."""
    bridge, page = question
    allow = page.get_by_role("button", name="Allow", exact=True)
    await expect(allow).to_have_attribute("aria-disabled", "false")
    await page.clock.pause_at(time() + 1)
    await page.evaluate("window.dispatchEvent(new Event('focus'))")
    await page.clock.run_for(499)
    await allow.click(force=True)
    await allow.focus()
    await page.keyboard.down("Enter")
    await page.clock.run_for(1)
    await page.keyboard.down("Enter")
    await page.keyboard.up("Enter")
    await expect(allow).to_be_visible()
    assert (await bridge.call(f"{stage.origin}/canary"))["code"] == "not_granted"
    await page.clock.resume()
    await allow.click()
    assert (await bridge.page.evaluate("askedAnswer"))["grant"] is not None


async def test_installing_the_extension_warns_of_nothing(stage: Stage) -> None:
    """Nobody installs what reads "all your data on all websites"; grants are asked one by one."""
    page = await stage.companion.own_page()
    shipped = (EXTENSION / "manifest.json").read_text(encoding="utf-8")
    assert await page.evaluate(WARNINGS, shipped) == []
    greedy = {**json.loads(shipped), "host_permissions": ["*://*/*"]}
    assert await page.evaluate(WARNINGS, json.dumps(greedy)) != [], "the browser tells warnings here"
    await page.close()
