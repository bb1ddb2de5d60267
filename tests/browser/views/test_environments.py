"""Environments of a server: the same API at two addresses, switched from the form of a tool."""

import pytest
from playwright.async_api import Page, expect

from tests.browser.browser_harness import BrowserHarness
from tests.browser.chat_harness import barriers
from tests.support.chromium import go_to, run_tool, save_credential

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

SECRET = "only-for-production"


async def add_environment(page: Page, name: str, address: str, variables: str) -> None:
    """Fill the form on the page of the server that is shown."""
    await page.get_by_role("button", name="Add an environment").click()
    form = page.get_by_role("form", name="Add an environment")
    await form.get_by_label("Name").fill(name)
    await form.get_by_label("Base address").fill(address)
    await form.get_by_label("Variables").fill(variables)
    await form.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("list", name="Environments")).to_contain_text(name)


async def switch(page: Page, name: str) -> None:
    """Choose an environment above the form of a tool."""
    choice = page.get_by_role("combobox", name="Environment")
    option = choice.get_by_role("option", name=f"{name} ·")
    await choice.select_option(value=await option.get_attribute("value"))
    await page.get_by_role("button", name="Switch", exact=True).click()
    await expect(page.locator("#announcements")).to_have_text(f"{name} is in use")


async def open_with_two(scene: BrowserHarness) -> Page:
    """The page of a phone with two environments, and a credential for one of them."""
    page = await scene.open_page(viewport={"width": 390, "height": 800})
    await save_credential(page, "mirror", "Custom: bearer token", value=SECRET)
    production = f"{scene.samples_url}/echo"
    test = production.replace("127.0.0.1", "{host}")
    await add_environment(page, "production", production, "word = real")
    await add_environment(page, "test", test, "host = localhost\nword = tried")
    listed = page.get_by_role("list", name="Environments")
    await expect(listed).to_contain_text(f"Sends the credentials saved for {scene.samples_url}")
    await expect(listed).to_contain_text("No credential is saved for http://localhost:")
    await expect(listed.get_by_role("listitem").filter(has_text="production")).to_contain_text("in use")
    origins = page.get_by_role("form", name="Credentials").get_by_label("Sent to").get_by_role("option")
    await expect(origins).to_have_count(2)
    return page


@pytest.mark.slow
async def test_a_switch_moves_address_and_variables_and_leaves_credentials_behind(
    scene: BrowserHarness,
) -> None:
    """Who tries an API begins on a test system; what is meant for one must never reach the other."""
    page = await open_with_two(scene)
    await page.get_by_role("button", name="Edit test").click()
    assert await barriers(page) == []
    await go_to(page, "tools", "mirrorQuery")
    await switch(page, "test")
    await expect(page.locator(".base-address")).to_contain_text("http://localhost:")
    await page.get_by_role("textbox", name="text").fill("{{word}} {{none}}")
    await page.get_by_role("button", name="Show the request").click()
    await expect(page.get_by_text("test has no such variable")).to_contain_text("{{none}}")
    await expect(page.get_by_role("region", name="curl")).to_contain_text("text=tried")
    answer = await run_tool(page)
    await expect(answer).to_contain_text("text=tried%20%7B%7Bnone%7D%7D")
    await expect(page.get_by_role("textbox", name="text")).to_have_value("{{word}} {{none}}")
    seen = (await scene.caller.call("mirrorQuery", {"text": "{{word}}"})).json()
    assert seen["headers"]["host"].startswith("localhost:")
    assert "authorization" not in seen["headers"]
    assert "tried" not in seen["query"]

    await switch(page, "production")
    await expect(await run_tool(page)).to_contain_text("text=real")
    seen = (await scene.caller.call("mirrorQuery", {"text": "x"})).json()
    assert seen["headers"]["authorization"] == "Bearer [secret]"
    assert await barriers(page) == []
    assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    await page.reload()
    await expect(page.get_by_role("combobox", name="Environment")).to_have_value("production")
