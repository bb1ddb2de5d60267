"""A conversation in the page from its first word to its last: answered, asked about, retried, reloaded."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Locator, expect

from tests.browser.approval_cards import customers
from tests.browser.chat_harness import ChatHarness, barriers, open_chat_harness
from tests.support.chromium import expect_connection
from tests.support.models.model_answers import calls, reasoning, text
from tests.support.models.scripted_provider import script

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

LOOKS = [
    ("light", 1280),
    *(
        pytest.param(*look, marks=pytest.mark.slow)
        for look in [("light", 390), ("dark", 1280), ("dark", 390)]
    ),
]


def ordered_by(customer: str) -> dict[str, Any]:
    return {
        "customer": customer,
        "items": [{"product_id": 1, "quantity": 1}],
        "delivery": {"street": "Canal Street 5", "city": "Springfield"},
    }


def order_of(chat: ChatHarness, customer: str) -> Locator:
    return chat.call("placeOrder").filter(has_text=customer)


async def decide(card: Locator, label: str) -> None:
    """Press a button of the question within the card; Playwright waits until it takes a click."""
    await card.get_by_role("button", name=label).click()


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
async def test_a_conversation_with_calls_decisions_a_retry_and_a_reload(
    chromium: Browser, tmp_path: Path, scheme: str, width: int
) -> None:
    """S3-F3, S3-F4, S3-F6: in light and dark, at a desk and on a phone, without a barrier."""
    options = {"color_scheme": scheme, "viewport": {"width": width, "height": 844}}
    async with open_chat_harness(chromium, tmp_path, options) as chat:
        assert await barriers(chat.page) == []
        await look_around(chat)
        await order_twice(chat)
        await retry_mood(chat)
        assert await barriers(chat.page) == []
        assert await chat.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def look_around(chat: ChatHarness) -> None:
    """Three calls at once, and an answer in Markdown."""
    three = calls(("listProducts", {}), ("getOpeningHours", {}), ("getName", {}))
    await chat.say("Look around", reasoning("Three at once.") + three, text("# Done\n\n**Three** calls."))
    for name in ("listProducts", "getOpeningHours", "getName"):
        await chat.expect_state(name, "succeeded")
    await expect(chat.answers.get_by_role("heading", name="Done")).to_be_visible()
    await chat.over()


async def order_twice(chat: ChatHarness) -> None:
    """One order is allowed, one denied after a reload, a call fails; another reload while it is told."""
    orders = [("placeOrder", ordered_by(name)) for name in ("Ada", "Bob")]
    release = asyncio.Event()
    ending = script(text("One order ", "was placed, ", "one was not.")).held(release, after=6)
    await chat.say("Order for Ada and Bob", calls(*orders, ("getMood", {})), ending)
    await decide(order_of(chat, "Ada"), "Allow once")
    await expect(order_of(chat, "Bob").get_by_role("button", name="Deny")).to_be_visible()
    assert await barriers(chat.page) == []
    await expect(order_of(chat, "Ada")).to_have_attribute("data-state", "succeeded")  # else it is in doubt
    await chat.page.reload()
    await expect_connection(chat.page, "connected")
    await decide(order_of(chat, "Bob"), "Deny")
    await expect(chat.answers.last).to_contain_text("One order")
    await chat.page.reload()
    await expect_connection(chat.page, "connected")  # else there is nobody to make a call again
    await expect(chat.answers.last).to_contain_text("One order")
    await expect(chat.answers.last).not_to_contain_text("was not")
    release.set()
    await expect(chat.answers.last).to_contain_text("One order was placed, one was not.")
    await chat.over()
    await expect_orders(chat)


async def retry_mood(chat: ChatHarness) -> None:
    """The call that failed is made again in a branch of its own; the others are not."""
    failed = await chat.expect_state("getMood", "failed")
    chat.api.fails = False
    chat.provider.play(text("The mood is good."))
    await failed.get_by_role("button", name="Try again: getMood").click()
    await chat.expect_state("getMood", "succeeded")
    await expect(chat.answers.last).to_contain_text("The mood is good.")
    await chat.over()
    await expect_orders(chat)
    await expect(chat.answers.last.get_by_text("2 of 2")).to_be_visible()


async def expect_orders(chat: ChatHarness) -> None:
    """Ada's was placed once, Bob's never."""
    await expect(order_of(chat, "Ada")).to_have_attribute("data-state", "succeeded")
    await expect(order_of(chat, "Bob")).to_have_attribute("data-state", "denied")
    assert [name for name in await customers(chat.scene) if name in ("Ada", "Bob")] == ["Ada"]
