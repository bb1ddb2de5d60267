"""A browser that was paired with a bridge of commit afe49cb: a real Chromium with what that one kept."""

import json
from collections.abc import AsyncIterator, Generator
from dataclasses import dataclass

import aiohttp
import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.support.chromium import go_to, open_page, running_chromium
from tests.support.waiting import eventually
from tests.upgrade.observed import operations
from tests.upgrade.opened import FIRST, Left, Visitor, copied, opened
from tests.upgrade.profile import seed
from tests.upgrade.shop import ShopApi, shop_api

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.both_databases,
    pytest.mark.slow,
]

QUESTION_S = 10.0
"""A call that asks its user, which none should, ends after this time."""


@dataclass
class Returned:
    """The browser is back, at a bridge whose port is another one."""

    visitor: Visitor
    page: Page
    shop: ShopApi


@pytest.fixture(scope="module")
def left(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Generator[Left]:
    """A copy of each snapshot in turn; what one test has the page do, the others do not look at."""
    kind, snapshot = getattr(request, "param", ("sqlite", FIRST))
    with copied(kind, snapshot, tmp_path_factory.mktemp("left"), request) as found:
        yield found


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def returned(left: Left) -> AsyncIterator[Returned]:
    """Its page, opened without a ticket; the bridge calls nobody's API but that of the test."""
    facts = left.manifest["browser"]
    async with (
        shop_api(facts["shop_key"], facts["texts"]) as shop,
        running_chromium(shop.chromium_rule) as chromium,
        opened(left, approval_s=QUESTION_S) as bridge,
        aiohttp.ClientSession() as http,
    ):
        context = await chromium.new_context()
        await seed(context, bridge.base_url, left.browser)
        page = await context.new_page()
        await open_page(page, f"{bridge.base_url}/")
        yield Returned(Visitor(left, bridge, http), page, shop)


async def test_a_paired_browser_is_still_paired_and_does_what_it_was_allowed(returned: Returned) -> None:
    """Device key, pins, credentials and grants of years: nothing is asked, accepted or typed again."""
    facts, visitor, shop = returned.visitor.left.manifest["browser"], returned.visitor, returned.shop
    tablet = await visitor.page("local")
    listed = (await tablet.get("/api/devices"))["devices"]
    assert [device["id"] for device in listed if device["connected"]] == [facts["device_id"]]
    program = visitor.program("local")
    assert (await program.call(facts["listing"], {"limit": 2}))[0] == 200
    assert await program.call(facts["adding"], {"name": "cup"}) == (200, {"products": ["tea"]})
    assert shop.asked == [("GET", "/v1/products", None), ("POST", "/v1/products", {"name": "cup"})]
    assert shop.baskets == [facts["basket"]] * 2
    await expect(returned.page.locator("#approvals article")).to_have_count(0)
    assert await operations(tablet) == visitor.left.manifest["seen"]["local"]["operations"]


async def test_the_page_shows_what_it_kept(returned: Returned) -> None:
    """Its user finds the credentials, by name, and the operation that needs no question."""
    page = returned.page
    await go_to(page, "servers", "corner-shop")
    saved = page.get_by_role("list", name="Saved credentials")
    await expect(saved).to_contain_text("shopKey")
    await expect(saved.get_by_role("listitem")).to_have_count(2)


async def test_a_document_is_fetched_again_with_those_it_refers_to(returned: Returned) -> None:
    """Its user agreed to that once; a browser that forgot it would ask again, or leave them out."""
    await eventually(lambda: returned.shop.fetched == ["/split.json", "/limit.json"], within_s=20)


async def test_what_a_browser_keeps_names_no_address_of_its_bridge(left: Left) -> None:
    """So that these tests may give the page another port than the one it had."""
    assert "127.0.0.1" not in json.dumps(left.browser)
