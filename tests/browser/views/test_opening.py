"""A new user: opens the printed link, sees the sample servers, tries their tools."""

import asyncio
import re

import pytest
from playwright.async_api import Route, expect

from bridge.cli.serve.samples import SAMPLES
from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import expect_connection, go_to, run_tool
from tests.support.documents.compiled import document_text

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_the_printed_link_shows_the_sample_servers_connected_and_accepted(demo: BrowserHarness) -> None:
    """The first minute decides whether anybody stays: one link, no question, every sample ready."""
    page = await demo.open_page()
    cards = page.get_by_role("article")
    await expect(cards).to_have_count(len(SAMPLES))
    await expect(cards.filter(has_text=re.compile(r"\b0 of"))).to_have_count(0)
    await expect(page.get_by_role("article", name="Corner Shop")).to_contain_text(demo.samples_url)
    assert demo.samples_url != demo.bridge.base_url
    assert "ticket" not in page.url
    await go_to(page, "tools")
    tools = page.get_by_role("list", name="Tools").get_by_role("link")
    await expect(tools).to_have_count(len(await demo.caller.tools()) - 1)


@pytest.mark.slow
async def test_a_page_that_nobody_answers_enters_by_itself_when_somebody_does(scene: BrowserHarness) -> None:
    """The bridge's database may be away for a minute; nobody sits there to press a button."""
    page = await scene.open_page()
    sessions = re.compile("/api/sessions")
    await page.route(sessions, lambda route: route.fulfill(status=503, json={"error": {}}))
    await page.reload()
    await expect(page.get_by_role("heading", name="The bridge does not answer")).to_be_visible()
    await page.unroute(sessions)
    await expect_connection(page, "connected")


@pytest.mark.slow
async def test_a_page_whose_replica_is_not_to_be_had_enters_by_itself_when_it_is(
    scene: BrowserHarness,
) -> None:
    """A home may be lost between the session and the lists; another replica takes over in seconds."""
    page = await scene.open_page()
    servers = re.compile("/api/servers$")
    error = {"code": "cluster_unavailable", "message": "The replica cannot be reached.", "retryable": True}
    await page.route(servers, lambda route: route.fulfill(status=503, json={"error": error}))
    await page.reload()
    await expect(page.get_by_role("heading", name="The bridge does not answer")).to_be_visible()
    await page.unroute(servers)
    await expect_connection(page, "connected")


@pytest.mark.slow
async def test_a_change_between_the_lists_and_the_connection_is_noticed(scene: BrowserHarness) -> None:
    """It was announced when nobody listened, and would be missing until the next change."""
    page = await scene.open_page()
    held, added = asyncio.Event(), asyncio.Event()

    async def hold(route: Route) -> None:
        held.set()
        await added.wait()
        await route.continue_()

    await page.route(f"{scene.bridge.base_url}/executor/*", hold)
    await page.reload(wait_until="commit")
    await asyncio.wait_for(held.wait(), 20)
    cards = page.get_by_role("article")
    await expect(cards).to_have_count(1)
    await scene.bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
    added.set()
    await expect(cards).to_have_count(2)


async def test_the_form_of_a_tool_performs_the_call_and_shows_answer_and_timing(demo: BrowserHarness) -> None:
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
    await expect(answer.locator(".outcome-head")).to_contain_text(re.compile(r"\d ms.*application/json"))
    await form.get_by_role("button", name="Show the request").click()
    request = page.get_by_role("region", name="Request as curl")
    await expect(request).to_contain_text(
        "/shop/products?search=tea&label=organic&max_price=100000&sort=price"
    )


async def test_nested_arguments_and_large_integers_of_the_form_arrive_as_typed(scene: BrowserHarness) -> None:
    """A form that loses a level or a digit teaches its user that the tool is broken."""
    page = await scene.open_page()
    await go_to(page, "tools", "mirrorJson")
    form = page.get_by_role("form", name="Try mirrorJson")
    await form.get_by_role("textbox", name="title").fill("Möwe")
    await form.get_by_role("textbox", name="count").fill("9007199254740993")
    await form.get_by_role("button", name="Add an item to tags").click()
    await form.get_by_role("button", name="Add an item to tags").click()
    await form.get_by_role("textbox", name="tags[0]").fill("a")
    await form.get_by_role("textbox", name="tags[1]").fill("b")
    await form.get_by_role("combobox", name="Form of shape").select_option(label="object {width, height}")
    await form.get_by_role("textbox", name="width").fill("2.5")
    await form.get_by_role("textbox", name="height").fill("3")
    body = r"{\"title\":\"Möwe\",\"count\":9007199254740993,\"tags\":[\"a\",\"b\"]"
    shape = r",\"shape\":{\"width\":2.5,\"height\":3}}"
    await expect(await run_tool(page)).to_contain_text(body + shape)


async def test_what_the_api_said_about_a_failure_is_shown(odd: BrowserHarness) -> None:
    """The status alone helps nobody; the API's own words do."""
    page = await odd.open_page()
    await go_to(page, "tools", "getMissing")
    answer = await run_tool(page)
    await expect(answer.locator(".outcome-head")).to_contain_text("HTTP 404 Not Found")
    await expect(answer.get_by_role("alert")).to_contain_text("Shelf 7 was taken down last year.")
    await expect(answer.get_by_role("treeitem", name=re.compile("Shelf 7 was taken down"))).to_be_visible()


async def test_the_form_names_what_is_missing_before_anything_is_sent(scene: BrowserHarness) -> None:
    """A mistake is found where it is made, with the focus on it."""
    page = await scene.open_page()
    await go_to(page, "tools", "mirrorHeaders")
    await page.get_by_test_id("run").click()
    count = page.get_by_role("textbox", name="X-Count")
    await expect(count).to_be_focused()
    await expect(count).to_have_attribute("aria-invalid", "true")
    await expect(page.get_by_text("This argument is required.")).to_be_visible()
    await count.fill("-1")
    await page.get_by_test_id("run").click()
    await expect(page.get_by_role("main").get_by_text("invalid_arguments")).to_be_visible()
    await expect(count).to_be_focused()
