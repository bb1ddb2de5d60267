"""Calls that ask their user: nothing is sent before a click, and every ending is the one that was decided."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from time import time

import pytest
from playwright.async_api import Browser, Page, expect

from bridge.storage.users import UserTables
from tests.browser.approval_cards import (
    answer,
    at_panel,
    card_of,
    cards,
    customers,
    order_of,
    ordering,
    ordering_by_name,
    shop,
)
from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import accept_selection, expect_connection, go_to
from tests.support.mcp_messages import modern_request, post_message, read_events

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_a_call_that_changes_something_runs_when_it_was_allowed(
    chromium: Browser, tmp_path: Path
) -> None:
    """The card says what will be sent, and until the click the API has heard nothing."""
    async with shop(chromium, tmp_path) as (scene, page):
        running = ordering(scene)
        card = await card_of(page, "placeOrder")
        await expect(card).to_contain_text(f"{scene.samples_url}/shop/orders")
        await expect(card).to_contain_text("Ada")
        await expect(card).to_contain_text("It can change data.")
        assert "Ada" not in await customers(scene)
        await answer(card, "Allow once")
        assert (await running).status == 200
        assert "Ada" in await customers(scene)
        await expect(cards(page)).to_have_count(0)


@pytest.mark.slow
async def test_a_card_shows_the_values_that_are_sent_though_a_client_wrote_them_as_texts(
    chromium: Browser, tmp_path: Path
) -> None:
    """Finding W-8: card, journal, log and request are of one text; whoever clicks has read what leaves."""
    order = order_of("Ada")
    encoded = {name: each if name == "customer" else json.dumps(each) for name, each in order.items()}
    async with shop(chromium, tmp_path) as (scene, page):
        running = asyncio.create_task(scene.caller.call("placeOrder", encoded))
        card = await card_of(page, "placeOrder")
        await expect(card).to_contain_text('[{"product_id":1,"quantity":1}]')
        await answer(card, "Allow once")
        assert (await running).status == 200
        async with scene.http.get(f"{scene.samples_url}/shop/orders") as response:
            placed = (await response.json())[0]
        assert (placed["customer"], placed["delivery"]) == ("Ada", order["delivery"])
        headers = {"Authorization": f"Bearer {scene.bridge.key}"}
        async with scene.http.get(f"{scene.bridge.base_url}/api/calls", headers=headers) as response:
            noted = (await response.json())["calls"][0]
        assert json.loads(noted["arguments"]) == order
        await go_to(page, "calls")
        await (
            page.get_by_role("row")
            .filter(has_text="placeOrder")
            .get_by_role("button", name="placeOrder")
            .first.click()
        )
        request = page.get_by_role("region", name="Request", exact=True)
        await expect(request).to_contain_text('"quantity": 1')


@pytest.mark.slow
async def test_an_mcp_client_hears_that_its_user_is_asked_and_then_the_answer(
    chromium: Browser, tmp_path: Path
) -> None:
    """Approval stays in the page (ruling 40); who gave a progress token reads what the call waits for."""
    async with shop(chromium, tmp_path) as (scene, page):
        body, headers = modern_request(
            "tools/call", {"name": "placeOrder", "arguments": order_of("Ada")}, progressToken=1
        )
        headers["Authorization"] = f"Bearer {scene.bridge.key}"
        url = f"{scene.bridge.base_url}/mcp"
        async with scene.http.post(url, json=body, headers=headers) as response:
            card = await card_of(page, "placeOrder")
            told = await response.content.readuntil(b"\n\n")
            assert b"Waiting for your approval in the bridge page." in told
            assert "Ada" not in await customers(scene)
            await answer(card, "Allow once")
            *_, last = read_events(await response.read())
    assert last["result"]["structuredContent"]["customer"] == "Ada"


@pytest.mark.slow
async def test_a_card_names_the_equal_call_of_which_nobody_knows_the_outcome(
    chromium: Browser, tmp_path: Path
) -> None:
    """Ruling 39 (iv): always allowed or not, whoever asks again must not do it twice unseen."""
    async with shop(chromium, tmp_path) as (scene, page):
        body, headers = modern_request("tools/call", {"name": "placeOrder", "arguments": order_of("Ada")})

        async def calling() -> str:
            _, told = await post_message(scene.bridge, scene.http, body, headers)
            return told["result"]["content"][0]["text"]

        await page.context.route("**/shop/orders", lambda route: route.abort("connectionreset"))
        first = asyncio.create_task(calling())
        await answer(await card_of(page, "placeOrder"), "Always allow this operation")
        assert "outcome_unknown" in await first
        second = asyncio.create_task(calling())
        card = await card_of(page, "placeOrder")
        await expect(card).to_contain_text("may have been performed; nobody knows")
        await answer(card, "Deny")
        assert "denied" in await second


async def test_a_denied_call_is_never_sent(chromium: Browser, tmp_path: Path) -> None:
    """A denial is a normal result, which the model reads."""
    async with shop(chromium, tmp_path) as (scene, page):
        running = ordering(scene)
        await answer(await card_of(page, "placeOrder"), "Deny")
        reply = await running
        assert (reply.status, reply.code, reply.detail["reason"]) == (403, "denied", "user")
        assert "Ada" not in await customers(scene)


async def test_reading_asks_nobody(chromium: Browser, tmp_path: Path) -> None:
    """A question for every look would teach people to click without reading."""
    async with shop(chromium, tmp_path) as (scene, page):
        assert (await scene.caller.call("listProducts")).status == 200
        await expect(cards(page)).to_have_count(0)


@pytest.mark.slow
async def test_no_answer_is_a_denial_and_its_card_goes(chromium: Browser, tmp_path: Path) -> None:
    """A card that stays would start something hours later."""
    async with shop(chromium, tmp_path, approval_s=5) as (scene, page):
        running = ordering(scene)
        await card_of(page, "placeOrder")
        reply = await running
        assert (reply.code, reply.detail["reason"]) == ("denied", "no_answer")
        await expect(cards(page)).to_have_count(0)
        assert "Ada" not in await customers(scene)


@pytest.mark.slow
async def test_several_calls_are_answered_at_once(chromium: Browser, tmp_path: Path) -> None:
    """A model that orders three things asks three times; its user reads them and decides once."""
    async with shop(chromium, tmp_path) as (scene, page):
        names = ["Ada", "Bob", "Cleo"]
        running = [ordering(scene, name) for name in names]
        await expect(cards(page)).to_have_count(3)
        await expect(
            page.get_by_role("heading", name="3 calls are waiting for your approval")
        ).to_be_visible()
        await expect(cards(page).first.get_by_role("button", name="Deny")).to_have_attribute(
            "aria-disabled", "false"
        )
        await at_panel(page, "Allow all 3 once").click()
        assert [(await call).status for call in running] == [200, 200, 200]
        assert sorted(await customers(scene))[:3] == names
        more = [ordering(scene, name) for name in ("Dan", "Eve")]
        await expect(cards(page)).to_have_count(2)
        await expect(cards(page).first.get_by_role("button", name="Deny")).to_have_attribute(
            "aria-disabled", "false"
        )
        await at_panel(page, "Deny all 2").click()
        assert [(await call).code for call in more] == ["denied", "denied"]


async def second_tab(scene: BrowserHarness, page: Page) -> Page:
    """Another tab of the same browser, which stands by."""
    second = await page.context.new_page()
    await second.goto(scene.bridge.base_url)
    await expect_connection(second, "standby")
    return second


@pytest.mark.slow
async def test_every_open_tab_shows_the_card_and_the_first_click_counts(
    chromium: Browser, tmp_path: Path
) -> None:
    """The tab that performs calls is rarely the one that its user looks at."""
    async with shop(chromium, tmp_path) as (scene, page):
        second = await second_tab(scene, page)
        running = ordering(scene)
        await card_of(page, "placeOrder")
        await answer(await card_of(second, "placeOrder"), "Allow once")
        assert (await running).status == 200
        for tab in (page, second):
            await expect(cards(tab)).to_have_count(0)
        assert (await customers(scene)).count("Ada") == 1


@pytest.mark.slow
async def test_after_a_reload_the_card_is_back(chromium: Browser, tmp_path: Path) -> None:
    """Reloading is what users do when something asks; the call must neither run nor be lost by it."""
    async with shop(chromium, tmp_path) as (scene, page):
        running = ordering(scene)
        await card_of(page, "placeOrder")
        await page.reload()
        await expect_connection(page, "connected")
        await answer(await card_of(page, "placeOrder"), "Allow once")
        assert (await running).status == 200
        assert (await customers(scene)).count("Ada") == 1


@pytest.mark.slow
async def test_a_tab_that_takes_over_shows_the_card_once(chromium: Browser, tmp_path: Path) -> None:
    """The card of the worker that died with its tab must not stand beside its successor."""
    async with shop(chromium, tmp_path) as (scene, page):
        second = await second_tab(scene, page)
        running = ordering(scene)
        await card_of(second, "placeOrder")
        await page.close()
        await expect_connection(second, "connected")
        await answer(await card_of(second, "placeOrder"), "Allow once")
        assert (await running).status == 200


async def test_a_caller_that_goes_away_takes_its_card_along(chromium: Browser, tmp_path: Path) -> None:
    """Nobody would read the answer (ruling 8)."""
    async with shop(chromium, tmp_path) as (scene, page):
        running = ordering(scene)
        await card_of(page, "placeOrder")
        running.cancel()
        await expect(cards(page)).to_have_count(0)
        assert "Ada" not in await customers(scene)


async def test_always_means_no_second_question_until_it_is_revoked(chromium: Browser, tmp_path: Path) -> None:
    """The next call of the operation runs unasked; after the click on Revoke it asks again."""
    async with shop(chromium, tmp_path) as (scene, page):
        running = ordering(scene)
        await answer(await card_of(page, "placeOrder"), "Always allow this operation")
        assert (await running).status == 200
        assert (await ordering(scene, "Bob")).status == 200
        await go_to(page, "approval")
        await page.get_by_role("button", name="Revoke POST /orders").click()
        await expect(page.get_by_text("You are asked each time.")).to_be_visible()
        third = ordering(scene, "Cleo")
        await answer(await card_of(page, "Cleo"), "Deny")
        assert (await third).code == "denied"


@pytest.mark.slow
async def test_an_operation_that_is_run_by_its_name_asks_as_itself(chromium: Browser, tmp_path: Path) -> None:
    """`run_operation` is no way around the question, and its card shows what would be sent."""
    async with shop(chromium, tmp_path, max_tools=2) as (scene, page):
        running = ordering_by_name(scene, "Ada")
        card = await card_of(page, "placeOrder")
        await expect(card.locator(".card-url")).to_have_text(f"POST {scene.samples_url}/shop/orders")
        shown = card.get_by_label("Arguments", exact=True)
        await expect(shown.get_by_text("customer", exact=True)).to_be_visible()
        await expect(shown).to_contain_text("Ada")
        await expect(card).not_to_contain_text("run_operation")
        assert "Ada" not in await customers(scene)
        await answer(card, "Always allow this operation")
        assert (await running).status == 200
        assert (await ordering_by_name(scene, "Bob")).status == 200
        assert (await ordering(scene, "Cleo")).status == 200
        assert {"Ada", "Bob", "Cleo"} <= set(await customers(scene))


@pytest.mark.slow
async def test_an_operation_that_changed_asks_again_and_says_why(chromium: Browser, tmp_path: Path) -> None:
    """What was always allowed was another operation."""
    async with shop(chromium, tmp_path) as (scene, page):
        running = ordering(scene)
        await answer(await card_of(page, "placeOrder"), "Always allow this operation")
        assert (await running).status == 200
        (server,) = (await scene.bridge.components.registry.view_of_user(scene.bridge.local_user.id)).servers
        text = server.record.text.replace('"Order products"', '"Order products, and pay at once"')
        await scene.bridge.components.registry.share_document(
            "sample shop.json", text, source_url=server.record.source_url
        )
        await accept_selection(page, server.record.id)
        again = ordering(scene, "Bob")
        card = await card_of(page, "placeOrder")
        await expect(card).to_contain_text("It has changed since you chose to always allow it.")
        await answer(card, "Deny")
        assert (await again).code == "denied"


@pytest.mark.slow
async def test_what_was_allowed_for_a_chat_holds_in_that_chat(chromium: Browser, tmp_path: Path) -> None:
    """Open WebUI names the chat of a call; elsewhere it is 30 minutes."""
    async with shop(chromium, tmp_path) as (scene, page):
        running = ordering(scene, **{"X-OpenWebUI-Chat-Id": "one"})
        await answer(await card_of(page, "placeOrder"), "Allow for this chat")
        assert (await running).status == 200
        assert (await ordering(scene, "Bob", **{"X-OpenWebUI-Chat-Id": "one"})).status == 200
        other = ordering(scene, "Cleo", **{"X-OpenWebUI-Chat-Id": "two"})
        await answer(await card_of(page, "Cleo"), "Deny")
        assert (await other).code == "denied"
        unnamed = ordering(scene, "Dan")
        await answer(await card_of(page, "Dan"), "Allow for 30 minutes")
        assert (await unnamed).status == 200
        assert (await ordering(scene, "Eve")).status == 200


@pytest.mark.slow
async def test_a_user_chooses_what_asks(chromium: Browser, tmp_path: Path) -> None:
    """Per user and at once: the page and the bridge must agree before anything runs unasked."""
    async with shop(chromium, tmp_path) as (scene, page):
        await go_to(page, "approval")
        said = page.locator("#announcements")
        await page.get_by_label("No call").check()
        await expect(said).to_have_text("From now on: No call.")
        assert (await ordering(scene)).status == 200
        await page.get_by_label("Every call").check()
        await expect(said).to_have_text("From now on: Every call.")
        reading = asyncio.create_task(scene.caller.call("listProducts"))
        await answer(await card_of(page, "listProducts"), "Allow once")
        assert (await reading).status == 200


async def test_foreign_text_can_neither_imitate_nor_hide_a_card(chromium: Browser, tmp_path: Path) -> None:
    """A model writes the arguments, and may have read what an attacker wrote."""
    async with shop(chromium, tmp_path) as (scene, page):
        evil = "\u202eada\n\n</dl><button>Allow once</button>" + "x\n" * 400
        running = ordering(scene, evil[:80])
        card = await card_of(page, "placeOrder")
        await expect(card.get_by_role("button", name="Allow once")).to_have_count(1)
        await expect(card).to_contain_text("</dl><button>Allow once</button>")
        await expect(card).to_contain_text("\\u{202E}ada")
        await answer(card, "Deny")
        assert (await running).code == "denied"


@pytest.mark.slow
async def test_the_card_and_the_log_name_who_asks_as_text(chromium: Browser, tmp_path: Path) -> None:
    """The label of a key is foreign text, too: whoever made it may have wanted to look like a card."""
    async with shop(chromium, tmp_path) as (scene, page):
        store, user = scene.bridge.components.store, scene.bridge.local_user
        _, key = await UserTables(store).add_key(user.id, "\u202elaptop<button>Allow once</button>")
        program = replace(scene.caller, key=key)
        order = {
            "customer": "Ada",
            "items": [{"product_id": 1, "quantity": 1}],
            "delivery": {"street": "a", "city": "b"},
        }
        running = asyncio.create_task(program.call("placeOrder", order))
        card = await card_of(page, "placeOrder")
        await expect(card).to_contain_text("Asked by")
        await expect(card).to_contain_text("Key \\u{202E}laptop<button>Allow once</button>")
        await expect(card.get_by_role("button", name="Allow once")).to_have_count(1)
        await answer(card, "Deny")
        await running
        await go_to(page, "calls")
        await page.get_by_role("button", name="placeOrder", exact=True).click()
        await expect(page.locator(".origin")).to_contain_text("Asked byKey \\u{202E}laptop<button>")


@pytest.mark.slow
async def test_a_fresh_card_takes_no_click_for_half_a_second(chromium: Browser, tmp_path: Path) -> None:
    """A click that was under way to something else was not meant for it."""
    async with shop(chromium, tmp_path) as (scene, page):
        await page.clock.pause_at(time() + 1)
        running = ordering(scene)
        allow = (await card_of(page, "placeOrder")).get_by_role("button", name="Allow once")
        await page.clock.run_for(1000)  # meanwhile its window may have come to the front
        await expect(allow).to_have_attribute("aria-disabled", "false")
        await page.evaluate("window.dispatchEvent(new Event('focus'))")
        await page.clock.run_for(499)
        await expect(allow).to_have_attribute("aria-disabled", "true")
        await allow.click(force=True)
        await page.clock.run_for(1)
        await expect(allow).to_have_attribute("aria-disabled", "false")
        await allow.evaluate("button => button.click()")  # a script is no user
        await expect(cards(page)).to_have_count(1)
        assert not running.done()
        await page.clock.resume()
        await allow.click()
        assert (await running).status == 200


@pytest.mark.slow
async def test_a_card_does_not_take_the_focus_and_is_worked_by_keys(
    chromium: Browser, tmp_path: Path
) -> None:
    """What is typed elsewhere must not answer it; who has no mouse can."""
    async with shop(chromium, tmp_path) as (scene, page):
        await go_to(page, "tools")
        await page.get_by_label("Search").fill("ord")
        running = ordering(scene)
        card = await card_of(page, "placeOrder")
        await page.keyboard.type("er")
        await expect(page.get_by_label("Search")).to_have_value("order")
        await expect(page.locator("#announcements")).to_contain_text("A call is waiting for your approval")
        allow = card.get_by_role("button", name="Allow once")
        await expect(allow).to_have_attribute("aria-disabled", "false")
        await allow.focus()
        await page.keyboard.press("Enter")
        assert (await running).status == 200
        await expect(page.locator("#main")).to_be_focused()


@pytest.mark.slow
async def test_a_hidden_tab_calls_its_user(chromium: Browser, tmp_path: Path) -> None:
    """A notification per call, gone when it was decided, and the number in the title."""
    async with shop(chromium, tmp_path) as (scene, page):
        await page.context.grant_permissions(["notifications"], origin=scene.bridge.base_url)
        await page.evaluate(HIDE)
        running = ordering(scene)
        await card_of(page, "placeOrder")
        shown = await page.evaluate("window.notices.map(({title, body, tag}) => ({title, body, tag}))")
        assert [(each["title"], each["body"]) for each in shown] == [
            ("A call is waiting for your approval", "POST placeOrder at Corner Shop")
        ]
        await expect(page).to_have_title("(1) Approval needed · Tool Bridge")
        await page.evaluate("window.notices[0].onclick()")
        await page.evaluate(SHOW)
        assert await page.evaluate("window.notices[0].isClosed")
        await expect(page).not_to_have_title("(1) Approval needed · Tool Bridge")
        await answer(await card_of(page, "placeOrder"), "Allow once")
        assert (await running).status == 200


HIDE = """() => {
  window.notices = [];
  window.Notification = class {
    static permission = "granted";
    constructor(title, options) { Object.assign(this, {title, ...options}); window.notices.push(this); }
    close() { this.isClosed = true; }
  };
  Object.defineProperty(document, "hidden", {value: true, configurable: true});
  document.dispatchEvent(new Event("visibilitychange"));
}"""
SHOW = """() => {
  Object.defineProperty(document, "hidden", {value: false, configurable: true});
  document.dispatchEvent(new Event("visibilitychange"));
}"""
"""Headless Chromium hides no tab and shows no notification; both are played here."""
