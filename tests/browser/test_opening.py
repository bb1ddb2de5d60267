"""A new user: opens the printed link, sees the sample servers, tries their tools."""

import pytest
from playwright.async_api import expect

from bridge.commands.serve import SAMPLES
from tests.browser.scene import Scene
from tests.support.chromium import go_to, run_tool

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_the_printed_link_shows_the_sample_servers_connected_and_accepted(demo: Scene) -> None:
    """The first minute decides whether anybody stays: one link, no question, every sample ready."""
    page = await demo.open_page()
    cards = page.get_by_role("article")
    await expect(cards).to_have_count(len(SAMPLES))
    await expect(cards.filter(has_text="0 of")).to_have_count(0)
    await expect(page.get_by_role("article", name="Corner Shop")).to_contain_text(demo.samples_url)
    assert demo.samples_url != demo.bridge.base_url
    assert "ticket" not in page.url
    await go_to(page, "tools")
    tools = {tool["name"] for tool in (await demo.caller.document())["paths"].values()}
    await expect(page.get_by_role("main").get_by_role("listitem")).to_have_count(len(tools))


async def test_the_form_of_a_tool_performs_the_call_and_shows_answer_and_timing(demo: Scene) -> None:
    """The form is made from the schema: text, number, choice and list become one request."""
    page = await demo.open_page()
    await go_to(page, "tools", "listProducts")
    form = page.get_by_role("form", name="Try listProducts")
    await form.get_by_role("textbox", name="search").fill("tea")
    await form.get_by_role("textbox", name="max_price").fill("100000")
    await form.get_by_role("combobox", name="sort").select_option("price")
    await form.get_by_role("button", name="Add an item to label").click()
    await form.get_by_role("textbox", name="label[0]").fill("organic")
    answer = await run_tool(page)
    await expect(answer).to_contain_text("Succeeded")
    await expect(answer).to_contain_text('"total":')
    await expect(answer.locator(".facts").first).to_have_text(" ms")
