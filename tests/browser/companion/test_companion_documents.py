"""Documents of APIs that let no page read them, fetched through the companion extension."""

import pytest
from playwright.async_api import Locator, Page, expect

from tests.browser.companion.conftest import Office
from tests.support.chromium import accept_selection, go_to, run_tool

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(180),
    pytest.mark.slow,
]


async def failed_fetch(office: Office, url: str) -> Locator:
    """The part of *Add* that says what helps, after the page itself has tried this address."""
    page = office.page
    await go_to(page, "add")
    await page.get_by_label("Address of the document").fill(url)
    await page.get_by_role("button", name="Fetch", exact=True).click()
    await expect(page.get_by_role("alert")).to_contain_text("(CORS)")
    return page.locator(".alternatives")


async def allow_reading(office: Office, press: Locator) -> None:
    """Press what opens the extension's question; it asks for reading alone, and without the login."""
    async with office.companion.context.expect_page() as opened:
        await press.click()
    question = await opened.value
    await expect(question.get_by_text(office.origin).first).to_be_visible()
    await expect(question.get_by_label("Reading and changing")).to_be_hidden()
    await expect(question.get_by_label("With your login:")).to_be_hidden()
    await question.get_by_role("button", name="Allow", exact=True).click()


async def test_a_document_without_cors_is_added_through_the_companion(office: Office) -> None:
    """Finding F-4: an API without CORS could not be added by its address, nor did anything say how.

    It is offered and never done unasked; each request is a GET without cookies and without the key that is
    saved later; document, its second file, refetching and calls take that way.
    """
    page, fetches = office.page, office.api.fetches
    await office.companion.sign_in(office.origin)
    offer = await failed_fetch(office, f"{office.origin}/desks.json")
    await offer.get_by_role("button", name="Fetch it through the companion").click()
    await expect(offer.get_by_text("this bridge is not connected in it")).to_be_visible()
    await expect(offer.get_by_role("link", name="Download the companion")).to_be_visible()
    await office.pair()
    fetches.clear()
    await allow_reading(office, offer.get_by_role("button", name="Fetch it through the companion"))
    await page.get_by_role("button", name="Continue", exact=True).click()
    await expect(page.get_by_role("heading", name="Review Desks")).to_be_visible()
    assert [(method, path) for method, path, _ in fetches] == [("GET", "/desks.json"), ("GET", "/parts.json")]
    server_id = page.url.partition("#/servers/")[2].partition("/")[0]
    await accept_selection(page, server_id)
    assert (await office.scene.caller.call("listDesks")).json()["notes"] == ["milk"]
    changing = await office.scene.caller.call("addDesk")
    assert changing.detail["reason"] == "method_not_granted"
    await go_to(page, "servers", server_id)
    await page.get_by_role("button", name="Refetch the document").click()
    await expect(page.get_by_text("The document has not changed.")).to_be_visible()
    assert [path for _, path, _ in fetches] == ["/desks.json", "/parts.json"] * 2
    secrets = {"cookie", "authorization", "x-desk-key", "referer"}
    assert all(not names & secrets for *_, names in fetches)


async def test_the_error_and_the_doctor_show_what_this_api_must_allow_and_the_doctor_tries_the_companion(
    office: Office,
) -> None:
    """Finding F-4: the doctor printed a constant, without the key header of the API whose user copied it."""
    page = office.page
    await office.scene.bridge.share_document(
        f"http://127.0.0.1:{office.origin.rpartition(':')[2]}/desks.json", named="desks"
    )
    view = await office.scene.bridge.components.registry.view_of_user(office.scene.bridge.local_user.id)
    [server_id] = [server.record.id for server in view.servers if server.record.id != office.server_id]
    await accept_selection(page, server_id)
    await go_to(page, "tools", "listDesks")
    answer = await run_tool(page)
    await expect(answer.get_by_text("cors", exact=True)).to_be_visible()
    await expect_lines(page)
    await answer.get_by_role("link", name="Open the doctor").click()
    await expect(page.get_by_label("Address to check")).to_have_value(office.origin)
    await page.get_by_role("button", name="Check this address").click()
    await expect_lines(page)
    await office.pair()
    office.api.fetches.clear()
    await page.get_by_label("Address to check").fill(f"{office.origin}/desks.json")
    await page.get_by_role("button", name="Check this address").click()
    await allow_reading(office, page.get_by_role("button", name="Try it through the companion"))
    await expect(page.get_by_text(f"The companion reaches {office.origin}: HTTP status 200.")).to_be_visible()
    assert "cookie" not in office.api.fetches[-1][2]


async def expect_lines(page: Page) -> None:
    """In each framework's words; of the methods and headers of all that is called there."""
    advice = page.get_by_role("region", name="What to put into the server")
    plain = advice.get_by_role("region", name="Lines for HTTP")
    await expect(plain).to_contain_text("Access-Control-Allow-Headers: content-type, x-desk-key")
    await expect(plain).to_contain_text("Access-Control-Allow-Methods: GET, POST")
    await advice.get_by_label("What the API is made with").select_option("Express")
    lines = advice.get_by_role("region", name="Lines for Express")
    await expect(lines).to_contain_text('"x-desk-key"')
    await expect(lines).to_contain_text(f'origin: "{page.url.partition("/#")[0]}"')
