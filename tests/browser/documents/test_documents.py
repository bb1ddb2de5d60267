"""Documents added, accepted, changed and removed in the page, while the bridge runs."""

import pytest
from playwright.async_api import FilePayload, Page, expect

from examples.document_files import read_document_text
from tests.browser.browser_harness import BrowserHarness
from tests.browser.changing_api import changing_api
from tests.support.chromium import accept_selection, go_to
from tests.support.documents.compiled import operation
from tests.support.waiting import eventually
from toolserver.json_types import JsonObject

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


async def expect_review(page: Page, title: str) -> str:
    """Wait for the review of a new server; gives its id."""
    await expect(page.get_by_role("heading", name=f"Review {title}")).to_be_visible()
    return page.url.partition("#/servers/")[2].partition("/")[0]


async def test_a_document_that_only_the_browser_reaches_becomes_tools_once_accepted(
    scene: BrowserHarness,
) -> None:
    """The point of the product: an API behind the user's own network, without a restart of anything."""
    page = await scene.open_page()
    hidden = scene.samples_url.replace("127.0.0.1", "intranet.test")
    await go_to(page, "add")
    await page.get_by_label("Address of the document").fill(f"{hidden}/documents/library.yaml")
    await page.get_by_role("button", name="Fetch", exact=True).click()
    server_id = await expect_review(page, "Town Library")
    before = await scene.caller.call("getCategories")
    assert (before.status, before.code) == (403, "not_accepted")
    await accept_selection(page, server_id)
    after = await scene.caller.call("getCategories")
    assert (after.status, after.code) == (200, "")
    assert any(tool["operationId"] == "getCategories" for tool in await scene.caller.tools())


async def test_a_document_is_sent_again_only_when_it_has_changed(scene: BrowserHarness) -> None:
    """The page asks for it each time it opens; large ones were 9.5 MB on every load."""
    page = await scene.open_page()
    async with changing_api({"/things": operation("listThings")}) as api:
        await go_to(page, "add")
        await page.get_by_label("Address of the document").fill(f"{api.url}/openapi.json")
        await page.get_by_role("button", name="Fetch", exact=True).click()
        await accept_selection(page, await expect_review(page, "Own API"))
        fetched = len(api.document_answers)
        await page.reload()
        await eventually(lambda: len(api.document_answers) > fetched)
        api.paths["/more"] = operation("listMore")
        await page.reload()
        await eventually(lambda: len(api.document_answers) > fetched + 1)
        assert api.document_answers[fetched:] == [304, 200]


async def test_a_document_from_a_file_becomes_tools(scene: BrowserHarness) -> None:
    """Not every document has an address."""
    page = await scene.open_page()
    async with changing_api({"/things": operation("listThings")}) as api:
        text = api.text.replace('"/"', f'"{api.url}"')
        await go_to(page, "add")
        file = FilePayload(name="own.json", mimeType="application/json", buffer=text.encode())
        await page.get_by_label("OpenAPI document").set_input_files(files=[file])
        await accept_selection(page, await expect_review(page, "Own API"))
        assert (await scene.caller.call("listThings")).json() == {"asked": "GET /things"}


async def test_a_pasted_document_becomes_tools_at_the_address_given(scene: BrowserHarness) -> None:
    """A document that names no server is usable once the user says where the API is."""
    page = await scene.open_page()
    await go_to(page, "add")
    form = page.get_by_role("form", name="Pasted text")
    text = read_document_text("thermostat.yaml")
    await form.get_by_label("Text of the document").fill(text)
    await form.get_by_label("Base address").fill(f"{scene.samples_url}/thermostat")
    await form.get_by_role("button", name="Add the text").click()
    await accept_selection(page, await expect_review(page, "Home Thermostat"))
    assert (await scene.caller.call("getStatus")).json()["online"] is True


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("no document at all", "OpenAPI"),
        ('{"openapi": "3.1.0", "paths": [', "JSON"),
        ('{"swagger": "1.2"}', "1.2"),
    ],
)
async def test_a_text_that_is_no_document_is_refused_with_a_reason(
    scene: BrowserHarness, text: str, complaint: str
) -> None:
    """The user pasted the wrong thing; the page stays and says what it is."""
    page = await scene.open_page()
    await go_to(page, "add")
    form = page.get_by_role("form", name="Pasted text")
    await form.get_by_label("Text of the document").fill(text)
    await form.get_by_role("button", name="Add the text").click()
    await expect(page.get_by_role("main").get_by_role("alert")).to_contain_text(complaint)


async def test_an_address_that_cannot_be_fetched_says_why(scene: BrowserHarness) -> None:
    """Nothing there, nothing readable, or a web page: three different things to do."""
    page = await scene.open_page()
    await go_to(page, "add")
    address = page.get_by_label("Address of the document")
    alert = page.get_by_role("main").get_by_role("alert")
    for path, complaint in (
        ("/documents/none.yaml", "There is nothing at this address"),
        ("/answers/page", "is a web page"),
        ("/nocors/readings", "does not let this page read its answers (CORS)"),
    ):
        await address.fill(scene.samples_url + path)
        await page.get_by_role("button", name="Fetch", exact=True).click()
        await expect(alert).to_contain_text(complaint)


async def test_only_the_accepted_operations_are_offered_and_performed(scene: BrowserHarness) -> None:
    """The user decides per operation: here only what reads."""
    page = await scene.open_page()
    await accept_selection(page, "mirror", "Read-only")
    assert (await scene.caller.call("mirrorQuery")).status == 200
    reply = await scene.caller.call("mirrorDelete")
    assert (reply.status, reply.code) == (403, "not_accepted")
    await go_to(page, "tools", "mirrorDelete")
    await expect(page.get_by_text("You have not accepted this operation")).to_be_visible()


async def test_a_removed_server_takes_its_tools_and_its_permission_away(scene: BrowserHarness) -> None:
    """After removal the browser may not reach the API any more, whoever asks."""
    page = await scene.open_page()
    async with changing_api({"/things": operation("listThings")}) as api:
        await go_to(page, "add")
        await page.get_by_label("Address of the document").fill(f"{api.url}/openapi.json")
        await page.get_by_role("button", name="Fetch", exact=True).click()
        await accept_selection(page, await expect_review(page, "Own API"))
        assert (await scene.caller.call("listThings")).status == 200
        await page.get_by_role("button", name="Remove this server").click()
        await page.get_by_role("button", name="Remove for good").click()
        await expect(page.get_by_role("article")).to_have_count(1)
        reply = await scene.caller.call("listThings")
        assert (reply.status, reply.code) == (404, "unknown_tool")
        assert (await scene.caller.call("mirrorQuery")).status == 200
        reach = "url => fetch(url).then(() => 'reached', () => 'refused')"
        assert await page.workers[-1].evaluate(reach, f"{api.url}/things") == "refused"


async def test_an_operation_that_cannot_be_accepted_costs_the_others_nothing(scene: BrowserHarness) -> None:
    """One operation with an address of its own that is none must not keep a whole API away."""
    page = await scene.open_page()
    paths: JsonObject = {
        "/things": operation("listThings"),
        "/lost": {**operation("lost"), "servers": [{"url": "wss://api.example"}]},
        "/else": {**operation("else"), "servers": [{"url": "https://else.example/v9"}]},
    }
    async with changing_api(paths) as api:
        await go_to(page, "add")
        await page.get_by_label("Address of the document").fill(f"{api.url}/openapi.json")
        await page.get_by_role("button", name="Fetch", exact=True).click()
        await expect_review(page, "Own API")
        await expect(page.get_by_text("https://else.example/v9/else")).to_be_visible()
        await page.get_by_role("button", name="All", exact=True).click()
        await page.get_by_role("button", name="Accept the selection").click()
        refused = page.get_by_role("status").filter(has_text="2 operations accepted, 1 not:")
        await expect(refused.get_by_role("listitem")).to_contain_text("GET /lost")
        assert (await scene.caller.call("listThings")).status == 200
        reply = await scene.caller.call("lost")
        assert (reply.status, reply.code) == (403, "not_accepted")


async def test_a_changed_operation_is_paused_until_the_user_has_seen_the_change(
    scene: BrowserHarness,
) -> None:
    """A document changed behind the user's back must not change what his browser sends."""
    page = await scene.open_page()
    paths: JsonObject = {"/calm": operation("stay"), "/moving": operation("move")}
    async with changing_api(paths) as api:
        await go_to(page, "add")
        await page.get_by_label("Address of the document").fill(f"{api.url}/openapi.json")
        await page.get_by_role("button", name="Fetch", exact=True).click()
        server_id = await expect_review(page, "Own API")
        await accept_selection(page, server_id)
        api.paths["/moving"] = {
            "get": {
                "operationId": "move",
                "parameters": [{"name": "speed", "in": "query", "schema": {"type": "integer"}}],
                "responses": {"200": {"description": "ok"}},
            }
        }
        await page.get_by_role("button", name="Refetch the document").click()
        await (
            page.get_by_role("main")
            .get_by_role("status")
            .get_by_role("link", name="See what changed")
            .click()
        )
        await expect(page.get_by_role("list", name="What changed")).to_contain_text("speed")
        paused = await scene.caller.call("move")
        assert (paused.status, paused.code) == (403, "not_accepted")
        assert (await scene.caller.call("stay")).json() == {"asked": "GET /calm"}
        await accept_selection(page, server_id)
        assert (await scene.caller.call("move", {"speed": 3})).json() == {"asked": "GET /moving?speed=3"}
