"""What people have instead of a document: its documentation, the API itself, or requests made elsewhere."""

import json

import pytest
from playwright.async_api import Page, expect

from tests.browser.browser_harness import BrowserHarness
from tests.browser.file_site import file_site
from tests.support.chromium import accept_selection, go_to
from tests.support.documents.compiled import document_text, operation

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

SWAGGER_UI = "<!doctype html><html><script>SwaggerUIBundle({ url: '/hidden/shop-7.json' })</script></html>"


async def fetch(page: Page, address: str) -> None:
    await go_to(page, "add")
    await page.get_by_label("Address of the document").fill(address)
    await page.get_by_role("button", name="Fetch", exact=True).click()


@pytest.mark.slow
async def test_the_document_is_found_from_its_documentation_and_from_the_api(scene: BrowserHarness) -> None:
    """Few people know the address of the document; where it is elsewhere, or one of several, they choose."""
    page = await scene.open_page()
    found = page.get_by_role("region", name="What was found")
    async with file_site() as site, file_site() as other:
        site.texts["/docs"] = SWAGGER_UI.replace("/hidden", f"{other.url}/hidden")
        other.texts["/hidden/shop-7.json"] = document_text("Shop", server=site.url)
        site.texts["/v3/api-docs"] = document_text("Desk", paths={"/desks": operation("listDesks")})
        await fetch(page, f"{site.url}/docs")
        await expect(found).to_contain_text(f"{other.url}/hidden/shop-7.json")
        assert other.asked == []
        await found.get_by_role("button", name="Add it").click()
        await expect(page.get_by_role("heading", name="Review Shop")).to_be_visible()
        site.texts["/openapi.json"] = document_text("Chair")
        await fetch(page, site.url)
        await expect(found).to_contain_text("2 documents were found")
        await found.get_by_role("button", name="Cancel").click()
        await expect(found).to_have_count(0)
        del site.texts["/openapi.json"]
        await fetch(page, site.url)
        await expect(page.get_by_role("heading", name="Review Desk")).to_be_visible()
        del site.texts["/v3/api-docs"]
        await fetch(page, f"{site.url}/none")
        await expect(page.get_by_role("alert")).to_contain_text("There is nothing at this address")


@pytest.mark.slow
async def test_a_curl_command_becomes_a_tool_and_its_key_stays_out_of_the_bridge(
    scene: BrowserHarness,
) -> None:
    """The request that worked in a terminal is what many people have."""
    page = await scene.open_page()
    await go_to(page, "add")
    form = page.get_by_role("form", name="Pasted text")
    command = (
        f"curl {scene.samples_url}/echo/json -H 'X-Api-Key: sk-hidden-4711' --json '{{\"name\": \"Rex\"}}'"
    )
    await form.get_by_label("Text of the document").fill(command)
    await form.get_by_role("button", name="Add the text").click()
    found = page.get_by_role("region", name="What was found")
    await expect(found).to_contain_text("Curl command: 1 request becomes 1 operation")
    await expect(found).to_contain_text("The values of X-Api-Key are left out")
    await found.get_by_role("button", name="Add it").click()
    await expect(page.get_by_role("heading", name="Review 127.0.0.1")).to_be_visible()
    server_id = page.url.partition("#/servers/")[2].partition("/")[0]
    await accept_selection(page, server_id)
    [tool] = [each for each in await scene.caller.tools() if each["operationId"].startswith("post_echo_json")]
    reply = await scene.caller.call(tool["operationId"], {"name": "Ann"})
    assert (reply.status, reply.code) == (200, ""), reply.body
    view = await scene.bridge.components.registry.view_of_user(
        (await scene.bridge.components.users.ensure_user("local")).id
    )
    assert "sk-hidden-4711" not in json.dumps(view.find_server(server_id).record.text)


@pytest.mark.slow
async def test_a_format_that_cannot_be_read_is_named_wherever_it_is_brought(scene: BrowserHarness) -> None:
    """Finding O-14: requests are named in the browser, which keeps their secrets, the rest by the bridge."""
    page = await scene.open_page()
    await go_to(page, "add")
    form = page.get_by_role("form", name="Pasted text")
    for text, named in (
        ('Invoke-WebRequest -Uri "https://a.example"', "This is a command for PowerShell."),
        ("#%RAML 1.0\ntitle: Shop", "This is RAML, not an OpenAPI document."),
        ("type Query {\n  pets: [Pet!]!\n}", "This is a GraphQL schema, not an OpenAPI document."),
    ):
        await form.get_by_label("Text of the document").fill(text)
        await form.get_by_role("button", name="Add the text").click()
        await expect(page.get_by_role("alert")).to_contain_text(named)
    async with file_site() as site:
        site.texts["/api.wsdl"] = '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"/>'
        await fetch(page, f"{site.url}/api.wsdl")
        await expect(page.get_by_role("alert")).to_contain_text("This is a WSDL of a SOAP service")


@pytest.mark.slow
async def test_a_command_copied_for_cmd_is_the_one_request_that_it_sends(scene: BrowserHarness) -> None:
    """Finding W-29, W-32: browsers on Windows offer it first, and documentation ends commands with a pipe."""
    page = await scene.open_page()
    await go_to(page, "add")
    form = page.get_by_role("form", name="Pasted text")
    command = (
        f'curl ^"{scene.samples_url}/echo/json^" ^\n  -H ^"content-type: application/json^" ^\n'
        '  --data-raw ^"^{^\\^"name^\\^":^\\^"Rex^\\^"^}^" | jq .'
    )
    await form.get_by_label("Text of the document").fill(command)
    await form.get_by_role("button", name="Add the text").click()
    found = page.get_by_role("region", name="What was found")
    await expect(found).to_contain_text("Curl command: 1 request becomes 1 operation")
    await found.get_by_text("Show the document").click()
    await expect(found).to_contain_text('"/echo/json"')
