"""Forms that a link filled, which any web site can make: what can change something asks once more."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from playwright.async_api import Browser, Page, expect

from tests.browser.approval_cards import customers, order_of, shop
from tests.browser.browser_harness import BrowserHarness
from tests.browser.plain_chromium import PlainTab, plain_chromium
from tests.support.chromium import go_to, run_tool
from tests.support.waiting import eventually
from tests.support.web_servers import serving

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

NOTE = "A link filled this form."
QUESTION = "Run what a link filled in?"

LURE = """<!doctype html><title>Lure</title>
<button id="begin" onclick="window.open('/popup')">Begin</button>"""

POPUP = """<!doctype html><title>Popup</title>
<script>opener.location = LINK; onmousedown = () => close();</script>Double-click here"""


def linked(tool: str, arguments: dict[str, Any]) -> str:
    """The part of an address that opens a tool with its form filled."""
    encoded = base64.urlsafe_b64encode(json.dumps(arguments).encode()).decode().rstrip("=")
    return f"#/tools/{tool}?args={encoded}"


async def follow(page: Page, tool: str, arguments: dict[str, Any]) -> None:
    """Follow such a link where the page is open already."""
    await page.evaluate("address => { location.hash = address }", linked(tool, arguments))
    await expect(page.get_by_role("form", name=f"Try {tool}")).to_contain_text(NOTE)


async def test_a_changing_tool_that_a_link_filled_runs_by_a_second_press_only(
    chromium: Browser, tmp_path: Path
) -> None:
    """Finding S-M1: whoever made the link chose the values; also where no call asks, they are shown again."""
    async with shop(chromium, tmp_path, approve="all") as (scene, page):
        await follow(page, "placeOrder", order_of("Ada"))
        run, question = page.get_by_test_id("run"), page.get_by_role("region", name=QUESTION)
        await run.click()
        await expect(question).to_contain_text(f"{scene.samples_url}/shop/orders")
        await expect(question).to_contain_text("Ada")
        await page.get_by_label("customer").fill("Bob")
        await expect(question).to_have_count(0)
        await run.click()
        await expect(question).to_contain_text("Bob")
        await question.get_by_role("button", name="Do not run it").click()
        await run.click()
        assert not {"Ada", "Bob"} & set(await customers(scene))
        await question.get_by_role("button", name="Run it (POST)").click()
        await expect(page.get_by_role("region", name="Answer", exact=True)).to_be_visible()
        assert "Bob" in await customers(scene)
        await expect(question).to_have_count(0)


async def test_a_form_stays_a_links_when_its_user_comes_back_to_it(chromium: Browser, tmp_path: Path) -> None:
    """Finding S-M1: what is kept of a form keeps who filled it; what its user fills in runs at once."""
    async with shop(chromium, tmp_path) as (scene, page):
        await follow(page, "placeOrder", order_of("Ada"))
        await go_to(page, "servers")
        await go_to(page, "tools", "placeOrder")
        await expect(page.get_by_role("form", name="Try placeOrder")).to_contain_text(NOTE)
        await page.get_by_test_id("run").click()
        await page.get_by_role("button", name="Run it (POST)").click()
        await expect(page.get_by_role("region", name="Answer", exact=True)).to_be_visible()
        await page.get_by_text("Saved requests and earlier calls").click()
        await page.get_by_role("list", name="Earlier calls").get_by_role("button", name="Edit").click()
        await expect(page.get_by_role("form", name="Try placeOrder")).not_to_contain_text(NOTE)
        await run_tool(page)
        await eventually(lambda: _is_ordered_twice(scene), what="the second order")


async def _is_ordered_twice(scene: BrowserHarness) -> bool:
    return (await customers(scene)).count("Ada") == 2


async def test_a_safe_tool_that_a_link_filled_runs_at_once(chromium: Browser, tmp_path: Path) -> None:
    """A question for every look would teach people to press without reading."""
    async with shop(chromium, tmp_path, approve="ask") as (_, page):
        await follow(page, "listProducts", {"limit": 1})
        await run_tool(page)
        await expect(page.get_by_role("region", name=QUESTION)).to_have_count(0)


async def test_a_linked_tool_is_safe_only_as_this_browser_accepted_it(
    chromium: Browser, tmp_path: Path
) -> None:
    """Finding S-M1: the bridge's word on what can change something decides nothing, as for any other call."""
    async with shop(chromium, tmp_path) as (scene, page):
        await page.context.route("**/api/tools/placeOrder*", _call_it_safe)
        await follow(page, "placeOrder", order_of("Ada"))
        await page.get_by_test_id("run").click()
        await page.get_by_role("button", name="Run it (POST)").click()
        await expect(page.get_by_role("region", name="Answer", exact=True)).to_be_visible()
        assert "Ada" in await customers(scene)


async def _call_it_safe(route: Any) -> None:
    response = await route.fetch()
    await route.fulfill(response=response, json={**await response.json(), "safe": True})


async def test_no_key_that_is_held_down_runs_anything(chromium: Browser, tmp_path: Path) -> None:
    """Finding S-M1: a page can ask its visitor to hold Enter, and leave for the bridge meanwhile."""
    async with shop(chromium, tmp_path, approve="all") as (scene, page):
        await go_to(page, "tools", "placeOrder")
        run, question = page.get_by_test_id("run"), page.get_by_role("region", name=QUESTION)
        await page.get_by_label("customer").focus()
        await page.keyboard.down("Enter")
        await follow(page, "placeOrder", order_of("Ada"))
        await page.get_by_label("customer").focus()
        await expect(run).to_be_enabled()
        for _ in range(3):
            await page.keyboard.down("Enter")
        await run.focus()
        await page.keyboard.down("Enter")
        await page.keyboard.up("Enter")
        await expect(question).to_have_count(0)
        await page.keyboard.down("Enter")
        await expect(question.get_by_role("heading")).to_be_focused()
        yes = question.get_by_role("button", name="Run it (POST)")
        await yes.focus()
        await page.keyboard.down("Enter")
        await expect(yes).to_be_enabled()
        await page.keyboard.down("Enter")
        await page.keyboard.up("Enter")
        assert "Ada" not in await customers(scene)
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("region", name="Answer", exact=True)).to_be_visible()
        assert "Ada" in await customers(scene)


async def test_the_second_press_of_a_double_click_runs_nothing(chromium: Browser, tmp_path: Path) -> None:
    """Finding S-M1: a site sends its own tab to the bridge; its popup above closes on the first press."""
    async with shop(chromium, tmp_path, approve="all") as (scene, _):
        link = scene.bridge.base_url + "/" + linked("placeOrder", order_of("Ada"))
        async with (
            serving(_lure(link)) as site,
            plain_chromium(tmp_path / "profile", "--disable-popup-blocking") as browser,
        ):
            own = await browser.open_tab(await scene.bridge.page_url())
            await own.expect(
                "document.querySelector('[data-testid=connection]')?.dataset.state === 'connected'"
            )
            lured = await browser.open_tab(site)
            await lured.expect("document.getElementById('begin') !== null")
            await lured.run("document.getElementById('begin').click()")
            popup = await browser.wait_for_tab("/popup")
            await lured.expect("document.querySelector('[data-testid=run]') !== null")
            place = await lured.value(CENTRE)
            await lured.expect("document.visibilityState === 'hidden'")
            await popup.begin_press(20, 20)
            await lured.expect("document.visibilityState === 'visible'")
            await lured.press(*place, count=2)
            await _shows_run_again(lured)
            assert await lured.value(f"document.body.textContent.includes('{QUESTION}')") is False
            await lured.press(*place)
            await lured.expect(f"document.body.textContent.includes('{QUESTION}')")
            assert "Ada" not in await customers(scene)


CENTRE = """(() => {
  const run = document.querySelector('[data-testid=run]');
  run.scrollIntoView({ block: 'center' });
  const { left, top, width, height } = run.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
})()"""


async def _shows_run_again(tab: PlainTab) -> None:
    await tab.expect("document.querySelector('[data-testid=run]').ariaDisabled === 'false'")


def _lure(link: str) -> web.Application:
    async def page(request: web.Request) -> web.Response:
        text = POPUP.replace("LINK", json.dumps(link)) if request.path == "/popup" else LURE
        return web.Response(text=text, content_type="text/html")

    app = web.Application()
    app.router.add_get("/{name:.*}", page)
    return app
