"""A real Chromium, which its user pairs; he accepts, saves a key and allows something for always."""

import asyncio
from typing import Any

from playwright.async_api import Page, expect

from tests.support.chromium import accept_selection, go_to, open_page, running_chromium, save_credential
from tests.upgrade.making.documents import SPLIT
from tests.upgrade.making.people import ADD, LIST, Cast
from tests.upgrade.profile import exported
from tests.upgrade.shop import BASKET_HEADER, KEY_HEADER, ORIGIN, ShopApi, shop_api

Json = dict[str, Any]

SHOP_KEY, BASKET = "TEST-ONLY shop key", "TEST-ONLY basket"
EXTRACTABLE = """{
  const generateKey = SubtleCrypto.prototype.generateKey;
  SubtleCrypto.prototype.generateKey = function (algorithm, _extractable, usages) {
    return generateKey.call(this, algorithm, true, usages);
  };
}"""
"""Keys of the page can be read out, in this one run. Its worker makes none."""


async def use_chromium(cast: Cast) -> Json:
    """The local user's own browser; gives what it keeps, and the facts a test asks for."""
    async with shop_api(SHOP_KEY, SPLIT) as shop, running_chromium(shop.chromium_rule) as chromium:
        context = await chromium.new_context()
        await context.add_init_script(EXTRACTABLE)
        page = await context.new_page()
        link = await cast.add_key("chromium", "--user", "local", "--label", "made for Chromium")
        await open_page(page, link)
        facts = await _use(cast, page, shop)
        await _add_split(page)
        await page.close()
        profile = await exported(context, cast.command.base_url)
        return {**facts, "shop_key": SHOP_KEY, "basket": BASKET, "texts": SPLIT, "profile": profile}


async def _use(cast: Cast, page: Page, shop: ShopApi) -> Json:
    local = cast.pages["local"]
    listed = (await local.page.get("/api/devices"))["devices"]
    [device_id] = [each["id"] for each in listed if each["id"] != local.page.device_id]
    await local.change("PATCH", f"/api/devices/{device_id}", {"name": "Chromium of the snapshot"})
    await local.change("PUT", "/api/servers/corner-shop/device", {"device_id": device_id})
    await accept_selection(page, "corner-shop")
    await save_credential(page, "corner-shop", f"shopKey: API key in the header {KEY_HEADER}", value=SHOP_KEY)
    await save_credential(page, "corner-shop", "Custom: header", name=BASKET_HEADER, value=BASKET)
    names = await _names(cast)
    program = cast.program("local")
    assert (await program.call(names[LIST], {"limit": 1}))[0] == 200
    async with asyncio.TaskGroup() as group:
        adding = group.create_task(program.call(names[ADD], {"name": "tea"}))
        await go_to(page, "calls")
        await page.get_by_role("button", name=f"Always allow this operation: {names[ADD]}").click()
    assert adding.result()[0] == 200
    assert [asked[:2] for asked in shop.asked] == [("GET", "/v1/products"), ("POST", "/v1/products")]
    await expect(page.locator("#approvals article")).to_have_count(0)
    return {"device_id": device_id, "listing": names[LIST], "adding": names[ADD], "origin": ORIGIN}


async def _add_split(page: Page) -> None:
    """A server of its own, whose document refers to another one that the user agrees to read."""
    await go_to(page, "add")
    await page.get_by_label("Address of the document").fill(f"{ORIGIN}/split.json")
    await page.get_by_role("button", name="Fetch", exact=True).click()
    question = page.get_by_role("region", name="Documents it refers to")
    await question.get_by_role("button", name="Continue").click()
    await expect(page.get_by_role("heading", name="Review Split Shop")).to_be_visible()
    await accept_selection(page, "split-shop")


async def _names(cast: Cast) -> dict[str, str]:
    tools = (await cast.program("local").get("/api/tools?schemas=no"))["tools"]
    return {tool["key"]: tool["name"] for tool in tools}
