"""Calls that ask their user: nothing is sent before a click, and every ending is the one that was decided."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.browser.approving import answer, card_of, cards, customers, ordering, shop

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
