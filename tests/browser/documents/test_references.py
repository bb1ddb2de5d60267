"""Documents of several files in the page: found by the browser, with consent, or among chosen files."""

from pathlib import Path

import pytest
from playwright.async_api import FilePayload, Locator, Page, expect

from tests.browser.browser_harness import BrowserHarness
from tests.browser.file_site import FileSite, file_site
from tests.support.chromium import accept_selection, go_to

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

LIMIT = "limit: {name: limit, in: query, schema: {type: integer}}"


def document(scene: BrowserHarness, *references: str) -> str:
    """`plain`, and one operation per reference: `needs0` and so on."""
    operations = "".join(
        f"  /query/{number}:\n    get:\n      operationId: needs{number}\n"
        f"      parameters: [{{$ref: '{reference}#/limit'}}]\n      responses: {{}}\n"
        for number, reference in enumerate(references)
    )
    return (
        "openapi: 3.1.0\ninfo: {title: Split API, version: '1'}\n"
        f"servers: [{{url: '{scene.samples_url}/mirror'}}]\n"
        "paths:\n  /plain:\n    get: {operationId: plain, responses: {}}\n" + operations
    )


async def fetch(page: Page, url: str) -> None:
    await go_to(page, "add")
    await page.get_by_label("Address of the document").fill(url)
    await page.get_by_role("button", name="Fetch", exact=True).click()


async def expect_review(page: Page, *tools: str) -> str:
    """Wait for the review; gives the id of the server."""
    await expect(page.get_by_role("heading", name="Review Split API")).to_be_visible()
    await expect(page.get_by_role("list", name="Operations").get_by_role("listitem")).to_have_count(
        len(tools)
    )
    for tool in tools:
        await expect(page.get_by_role("list", name="Operations")).to_contain_text(tool)
    return page.url.partition("#/servers/")[2].partition("/")[0]


def question(page: Page) -> Locator:
    return page.get_by_role("region", name="Documents it refers to")


def payload(name: str, text: str) -> FilePayload:
    return FilePayload(name=name, mimeType="application/yaml", buffer=text.encode())


async def test_documents_at_two_origins_are_loaded_once_the_user_agrees(scene: BrowserHarness) -> None:
    """One question names them all by origin; what they refer to in turn, at the same places, asks no more."""
    page = await scene.open_page()
    async with file_site() as here, file_site(limit=LIMIT) as elsewhere:
        here.texts = {
            "/openapi.yaml": document(scene, "near.yaml", f"{elsewhere.url}/limit.yaml"),
            "/near.yaml": "limit: {$ref: 'deep/limit.yaml#/limit'}",
            "/deep/limit.yaml": LIMIT,
        }
        await fetch(page, f"{here.url}/openapi.yaml")
        panel = question(page)
        await expect(panel.get_by_role("heading")).to_have_text("This document refers to 2 other documents.")
        await expect(panel).to_contain_text(f"Load 1 document from {here.url}, where the document itself is")
        await expect(panel).to_contain_text(f"Load 1 document from {elsewhere.url}")
        assert (elsewhere.asked, here.asked) == ([], ["/openapi.yaml"])
        await panel.get_by_role("button", name="Continue").click()
        server_id = await expect_review(page, "plain", "needs0", "needs1")
        await accept_selection(page, server_id)
        tools = {tool["operationId"]: tool for tool in await scene.caller.tools()}
        assert "limit" in str(tools["needs0"])
        assert "limit" in str(tools["needs1"])


async def test_what_the_user_leaves_out_costs_only_what_needs_it(scene: BrowserHarness) -> None:
    """And the review says why it is not there."""
    page = await scene.open_page()
    async with file_site(limit=LIMIT) as here, file_site(limit=LIMIT) as elsewhere:
        here.texts["/openapi.yaml"] = document(scene, "limit.yaml", f"{elsewhere.url}/limit.yaml")
        await fetch(page, f"{here.url}/openapi.yaml")
        await question(page).get_by_label(f"from {elsewhere.url}").uncheck()
        await question(page).get_by_role("button", name="Continue").click()
        await expect_review(page, "plain", "needs0")
        await expect(page.get_by_role("main")).to_contain_text("is left out: You left it out.")
        assert elsewhere.asked == []


async def test_what_cannot_be_had_is_named_with_the_diagnosis(scene: BrowserHarness) -> None:
    """Nothing there, not readable for pages, no JSON or YAML: three different things to do."""
    page = await scene.open_page()
    async with file_site(closed=LIMIT, broken="{") as here:
        here.closed = {"/closed.yaml"}
        here.texts["/openapi.yaml"] = document(scene, "none.yaml", "closed.yaml", "broken.yaml")
        await fetch(page, f"{here.url}/openapi.yaml")
        panel = question(page)
        await panel.get_by_role("button", name="Continue").click()
        await expect(panel.get_by_role("heading")).to_have_text("2 documents cannot be used.")
        await expect(panel).to_contain_text(
            f"{here.url}/none.yaml The address answered with HTTP status 404."
        )
        await expect(panel).to_contain_text("does not let this page read its answers (CORS)")
        here.closed.clear()
        await panel.get_by_role("button", name="Try again").click()
        await expect(panel.get_by_role("heading")).to_have_text(f"{here.url}/none.yaml cannot be used.")
        await panel.get_by_role("button", name="Continue without").click()
        await expect(panel.get_by_role("heading")).to_have_text(f"{here.url}/broken.yaml cannot be used.")
        await expect(panel).to_contain_text("JSON")
        await panel.get_by_role("button", name="Continue without").click()
        await expect_review(page, "plain", "needs1")


async def test_giving_up_adds_nothing(scene: BrowserHarness) -> None:
    """The question is no trap."""
    page = await scene.open_page()
    async with file_site() as here:
        here.texts["/openapi.yaml"] = document(scene, "limit.yaml")
        await fetch(page, f"{here.url}/openapi.yaml")
        await question(page).get_by_role("button", name="Cancel").click()
        await expect(page.get_by_role("main")).to_contain_text("Nothing was changed.")
        await go_to(page, "servers")
        await expect(page.get_by_role("article")).to_have_count(1)


async def added_split(scene: BrowserHarness, page: Page, here: FileSite) -> str:
    await fetch(page, f"{here.url}/openapi.yaml")
    await question(page).get_by_role("button", name="Continue").click()
    server_id = await expect_review(page, "plain", "needs0")
    await accept_selection(page, server_id)
    return server_id


async def test_opening_the_page_fetches_the_other_documents_again(scene: BrowserHarness) -> None:
    """A change in one of them pauses the operation, without a new question: the origin is known."""
    page = await scene.open_page()
    async with file_site(limit=LIMIT) as here:
        here.texts["/openapi.yaml"] = document(scene, "limit.yaml")
        server_id = await added_split(scene, page, here)
        here.texts["/limit.yaml"] = LIMIT.replace("integer", "string").replace("query", "header")
        await page.reload()
        await go_to(page, "servers")
        card = page.get_by_role("article", name="Split API")
        await expect(card).to_contain_text("1 changed, paused")
        assert (await scene.caller.call("needs0", {"limit": "1"})).code == "not_accepted"
        await accept_selection(page, server_id)


async def test_a_new_origin_waits_for_the_user(scene: BrowserHarness) -> None:
    """A document must not make the browser reach a place its user never saw, unasked."""
    page = await scene.open_page()
    async with file_site(limit=LIMIT) as here, file_site(limit=LIMIT) as elsewhere:
        here.texts["/openapi.yaml"] = document(scene, "limit.yaml")
        await added_split(scene, page, here)
        here.texts["/openapi.yaml"] = document(scene, "limit.yaml", f"{elsewhere.url}/limit.yaml")
        await page.reload()
        note = page.get_by_role("status").filter(has_text="It stays as it was until you decide")
        await expect(note).to_contain_text(f"refers to others at {elsewhere.url}")
        assert elsewhere.asked == []
        await note.get_by_role("link").click()
        await page.get_by_role("button", name="Refetch the document").click()
        await expect(question(page)).to_contain_text("Load 1 document from")
        await question(page).get_by_role("button", name="Continue").click()
        await expect(page.get_by_role("region", name="Tools of this server")).to_contain_text("needs1")
        assert elsewhere.asked == ["/limit.yaml"]


async def test_several_files_become_one_document(scene: BrowserHarness) -> None:
    """Chosen at once, without their folders: names are enough where they are unique."""
    page = await scene.open_page()
    await go_to(page, "add")
    files = [
        payload("limit.yaml", LIMIT),
        payload("api.yaml", document(scene, "parts/near.yaml")),
        payload("near.yaml", "limit: {$ref: '../limit.yaml#/limit'}"),
    ]
    await page.get_by_label("OpenAPI document").set_input_files(files=files)
    await expect_review(page, "plain", "needs0")


async def test_a_folder_becomes_one_document(scene: BrowserHarness, tmp_path: Path) -> None:
    """With files of one name in several folders; of two documents the user says which."""
    page = await scene.open_page()
    for name in ("one", "two"):
        (tmp_path / "split" / name).mkdir(parents=True)
        (tmp_path / "split" / name / "index.yaml").write_text(LIMIT.replace("limit, in", f"{name}, in"))
    (tmp_path / "split" / "api.yaml").write_text(document(scene, "one/index.yaml", "two/index.yaml"))
    (tmp_path / "split" / "old.json").write_text('{"swagger": "2.0", "paths": {}}')
    (tmp_path / "split" / "logo.png").write_bytes(b"\x89PNG")
    await go_to(page, "add")
    await page.get_by_label("Or its folder").set_input_files(tmp_path / "split")
    await expect(page.get_by_role("region", name="Which document")).to_contain_text("2 of the files")
    await page.get_by_role("button", name="split/api.yaml").click()
    server_id = await expect_review(page, "plain", "needs0", "needs1")
    await accept_selection(page, server_id)
    tools = {tool["operationId"]: str(tool) for tool in await scene.caller.tools()}
    assert "'one'" in tools["needs0"]
    assert "'two'" in tools["needs1"]


async def test_dropped_files_become_one_document(scene: BrowserHarness) -> None:
    """Dropping is the quickest way of all."""
    page = await scene.open_page()
    await go_to(page, "add")
    drop = """([panel, files]) => {
      const transfer = new DataTransfer();
      for (const [name, text] of files) transfer.items.add(new File([text], name));
      panel.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }"""
    panel = await page.get_by_role("region", name="From a file").element_handle()
    await page.evaluate(drop, [panel, [["api.yaml", document(scene, "limit.yaml")], ["limit.yaml", LIMIT]]])
    await expect_review(page, "plain", "needs0")


async def test_files_that_a_pasted_text_refers_to_can_be_added(scene: BrowserHarness) -> None:
    """The page names them; what is not added is left out."""
    page = await scene.open_page()
    await go_to(page, "add")
    form = page.get_by_role("form", name="Pasted text")
    await form.get_by_label("Text of the document").fill(document(scene, "parts/limit.yaml", "none.yaml"))
    await form.get_by_role("button", name="Add the text").click()
    await expect(question(page)).to_contain_text("parts/limit.yaml")
    await question(page).get_by_label("Add the files").set_input_files(files=[payload("limit.yaml", LIMIT)])
    await question(page).get_by_role("button", name="Continue").click()
    await expect(question(page)).to_contain_text("none.yaml")
    await question(page).get_by_role("button", name="Continue").click()
    await expect_review(page, "plain", "needs0")
    await expect(page.get_by_role("main")).to_contain_text("It was not among the files.")
