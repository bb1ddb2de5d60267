"""A shop whose every change asks, and the cards that ask, as their user handles them."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Locator, Page, expect

from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.support.chromium import Reply


@asynccontextmanager
async def shop(
    browser: Browser, folder: Path, **settings: Any
) -> AsyncGenerator[tuple[BrowserHarness, Page]]:
    """The sample shop behind a bridge that asks as it does by default, and an open page."""
    async with open_harness(browser, folder, ["shop.json"], **{"approve": "safe", **settings}) as scene:
        yield scene, await scene.open_page()


def ordering(scene: BrowserHarness, customer: str = "Ada", **headers: str) -> "asyncio.Task[Reply]":
    """A program orders tea; ends when its user has decided."""
    return asyncio.create_task(scene.caller.call("placeOrder", order_of(customer), **headers))


def ordering_by_name(scene: BrowserHarness, customer: str) -> "asyncio.Task[Reply]":
    """The same through `run_operation`."""
    arguments = {"name": "placeOrder", "arguments": order_of(customer)}
    return asyncio.create_task(scene.caller.call("run_operation", arguments))


def order_of(customer: str) -> dict[str, Any]:
    """The arguments of an order."""
    return {
        "customer": customer,
        "items": [{"product_id": 1, "quantity": 1}],
        "delivery": {"street": "Canal Street 5", "city": "Springfield"},
    }


async def customers(scene: BrowserHarness) -> list[str]:
    """Who has ordered, asked of the shop itself; newest first."""
    async with scene.http.get(f"{scene.samples_url}/shop/orders") as response:
        return [order["customer"] for order in await response.json()]


def cards(page: Page) -> Locator:
    """Every card that is shown."""
    return page.locator("#approvals article")


async def card_of(page: Page, text: str) -> Locator:
    """The one card that says so, once it is there."""
    card = cards(page).filter(has_text=text)
    await expect(card).to_have_count(1)
    return card


async def answer(card: Locator, label: str) -> None:
    """Press one of its buttons; Playwright waits until it takes a click."""
    await card.get_by_role("button", name=label).click()


def at_panel(page: Page, label: str) -> Locator:
    """A button for all cards at once."""
    return page.locator("#approvals").get_by_role("button", name=label)
