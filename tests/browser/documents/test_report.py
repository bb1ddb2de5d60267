"""What `tool-bridge check` says of a document stands in the page: before it is accepted, and later."""

import json

import pytest
from playwright.async_api import Page, expect

from bridge.cli.documents import build_report, build_schemas, with_schema_warnings
from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import go_to
from tests.support.documents.compiled import document_text, operation, tools_of
from toolserver.json_types import JsonObject

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

RECURSIVE: JsonObject = {"type": "object", "properties": {"child": {"$ref": "#/components/schemas/Node"}}}


def untidy_text() -> str:
    """Broken operations, one with a cookie, one whose schema contains itself."""
    broken: JsonObject = {
        "get": {"parameters": [{"$ref": "#/none"}], "responses": {"200": {"description": ""}}}
    }
    cookie: JsonObject = {"name": "session", "in": "cookie", "required": True, "schema": {"type": "string"}}
    body: JsonObject = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Node"}}}}
    answers: JsonObject = {"200": {"description": ""}}
    paths: JsonObject = {
        "/fine": operation("fine"),
        "/me": {"get": {"operationId": "readMe", "parameters": [cookie], "responses": answers}},
        "/tree": {"post": {"operationId": "plantTree", "requestBody": body, "responses": answers}},
        **{f"/broken/{number}": broken for number in range(9)},
    }
    document = json.loads(document_text("Untidy", paths=paths))
    return json.dumps({**document, "components": {"schemas": {"Node": RECURSIVE}}})


async def test_the_report_is_shown_before_acceptance_and_later_and_is_that_of_check(
    scene: BrowserHarness,
) -> None:
    """Whoever decides about a document sees what is missing of it, by keyboard as well."""
    text = untidy_text()
    server = await scene.bridge.components.registry.share_document("untidy", text, source_url=None)
    page = await scene.open_page(permissions=["clipboard-read", "clipboard-write"])
    for view in (("servers", server.record.id, "review"), ("servers", server.record.id)):
        await go_to(page, *view)
        shown = page.get_by_role("region", name="Report")
        await expect(shown).to_contain_text("9 operations left out")
        await shown.locator("summary", has_text="9 operations left out").focus()
        await page.keyboard.press("Enter")
        await expect(shown.get_by_text("GET /broken/8")).to_be_visible()
        await shown.locator("summary", has_text="a browser cannot send").click()
        await expect(shown.get_by_text("cookie session (required)")).to_be_visible()
    tools = tools_of(text)
    compiled = with_schema_warnings(tools.compiled, build_schemas(tools))
    assert await copied_report(page) == build_report(compiled)


async def copied_report(page: Page) -> object:
    await page.get_by_role("button", name="Copy as JSON: the report").click()
    await expect(page.locator("#announcements")).to_have_text("Copied")  # the button says so for a moment
    return json.loads(await page.evaluate("navigator.clipboard.readText()"))


@pytest.mark.slow
async def test_a_long_report_can_be_searched(scene: BrowserHarness) -> None:
    """Documents of a thousand operations have hundreds of remarks."""
    server = await scene.bridge.components.registry.share_document("untidy", untidy_text(), source_url=None)
    page = await scene.open_page()
    await go_to(page, "servers", server.record.id)
    await page.get_by_label("Search the report").fill("broken/7")
    shown = page.get_by_role("region", name="Report")
    await expect(shown.get_by_role("status")).to_have_text("1 match")
    await expect(shown.get_by_text("GET /broken/7")).to_be_visible()
    await expect(shown.get_by_text("cannot send")).to_have_count(0)
