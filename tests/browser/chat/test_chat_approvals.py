"""A call that asks within its conversation: its buttons are in sight, and keys answer as a press does."""

import asyncio
from pathlib import Path
from time import time
from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from tests.browser.approval_cards import customers, order_of
from tests.browser.chat_harness import ChatHarness, barriers, open_chat_harness
from tests.support.models.model_answers import calls, text
from tests.support.models.scripted_provider import script

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

IS_IN_SIGHT = """(control) => {
  const { left, top, width, height } = control.getBoundingClientRect();
  return control.contains(document.elementFromPoint(left + width / 2, top + height - 2));
}"""
LONG = "\n\n".join(f"Line {number} of an answer that fills more than the window." for number in range(40))


async def ask_for_order(chat: ChatHarness, *names: str) -> Locator:
    """The model wants to order; gives the question once its buttons take a press."""
    await chat.say("Order", calls(*[("placeOrder", order_of(name)) for name in names]), text("Ordered."))
    card = chat.call("placeOrder").filter(has_text=names[0])
    await armed(card, "Allow once")
    return card


async def armed(card: Locator, label: str) -> Locator:
    control = card.get_by_role("button", name=label)
    await expect(control).to_have_attribute("aria-disabled", "false")
    return control


async def freeze(page: Page) -> None:
    """Let no time pass, of which the guard's moment is a part."""
    await page.clock.pause_at(time() + 1)


@pytest.mark.parametrize("width", [1280, pytest.param(390, marks=pytest.mark.slow)])
async def test_the_end_of_a_conversation_follows_a_question(
    chromium: Browser, tmp_path: Path, width: int
) -> None:
    """Finding F7: who reads the end has the buttons in sight, and no chip lies over the text."""
    options: dict[str, Any] = {"viewport": {"width": width, "height": 800}}
    async with open_chat_harness(chromium, tmp_path, options) as chat:
        await chat.say("Tell", text(LONG))
        await chat.over()
        card = await ask_for_order(chat, "Ada")
        for label in ("Deny", "Allow once", "Always allow this operation"):
            assert await card.get_by_role("button", name=label).evaluate(IS_IN_SIGHT), label
        await expect(chat.page.get_by_role("button", name="A call needs you")).to_be_hidden()
        await expect(card).to_contain_text("Corner Shop")
        await expect(card.get_by_role("columnheader", name="product_id")).to_be_visible()
        await expect(card.get_by_text("Springfield", exact=True)).to_be_visible()
        assert await barriers(chat.page) == []


async def test_a_reader_further_up_stays_there(chromium: Browser, tmp_path: Path) -> None:
    """Finding F7: only who was at the end follows it; others are shown the way."""
    async with open_chat_harness(chromium, tmp_path) as chat:
        await chat.say("Tell", text(LONG))
        await chat.over()
        release = asyncio.Event()
        asking = script(calls(("placeOrder", order_of("Ada")))).held(release, after=0)
        async with chat.page.expect_event("requestfinished", lambda sent: sent.url.endswith("/chat")):
            await chat.say("Order", asking, text("Ordered."))
        await chat.page.evaluate("fetch('/healthz').then(({ status }) => status)")
        await expect(chat.answers.last.get_by_text("Working…")).to_be_visible()
        await chat.page.evaluate("window.scrollTo(0, 0)")
        release.set()
        await expect(chat.page.get_by_role("button", name="A call needs you ↓")).to_be_visible()
        assert await chat.page.evaluate("window.scrollY") == 0


async def test_keys_answer_the_one_question_in_sight(chromium: Browser, tmp_path: Path) -> None:
    """Finding F7: Enter and Escape from the empty field; no more than a press do they count too early."""
    async with open_chat_harness(chromium, tmp_path) as chat:
        await ask_for_order(chat, "Ada")
        await expect(chat.message).to_be_focused()
        await freeze(chat.page)
        await chat.page.evaluate("window.dispatchEvent(new Event('focus'))")
        await chat.page.clock.run_for(499)
        await chat.page.keyboard.press("Enter")
        await expect(chat.call("placeOrder")).to_have_attribute("data-state", "awaiting_approval")
        assert "Ada" not in await customers(chat.scene)
        await chat.page.clock.resume()
        await armed(chat.call("placeOrder"), "Allow once")
        await chat.page.keyboard.press("Enter")
        await chat.expect_state("placeOrder", "succeeded")
        assert "Ada" in await customers(chat.scene)
        await chat.over()
        await chat.say("Again", calls(("placeOrder", order_of("Bob"))), text("Not ordered."))
        await armed(chat.call("placeOrder").last, "Deny")
        await chat.page.keyboard.press("Escape")
        await chat.expect_state("placeOrder", "denied")
        await expect(chat.answers.last).to_contain_text("Not ordered.")


async def test_keys_mean_nothing_else_than_they_seem_to(chromium: Browser, tmp_path: Path) -> None:
    """Enter in a message that is being written, and where several calls ask, allows nothing."""
    async with open_chat_harness(chromium, tmp_path) as chat:
        first = await ask_for_order(chat, "Ada", "Bob")
        second = chat.call("placeOrder").filter(has_text="Bob")
        await armed(second, "Deny")
        await chat.message.press("Enter")
        await expect(first.locator(".card")).to_have_attribute("data-keys", "own")
        await second.get_by_role("button", name="Always allow").focus()
        await chat.page.keyboard.press("Escape")
        await expect(second).to_have_attribute("data-state", "denied")
        assert "Ada" not in await customers(chat.scene)
        await armed(first, "Allow once")
        await chat.message.fill("and then")
        await chat.message.press("Enter")
        await expect(first).to_have_attribute("data-state", "awaiting_approval")
        assert "Ada" not in await customers(chat.scene)
