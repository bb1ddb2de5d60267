"""Saved requests in the page: checked, exported, imported, and shared with all who have the API."""

import asyncio
import json
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from bridge.saved_requests.request_file import read_request_file
from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import go_to
from tests.support.commands import run_command

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def open_saved(page: Page, tool: str) -> Locator:
    """The list of saved requests of a tool, opened."""
    await go_to(page, "tools", tool)
    await expect(page.get_by_role("form", name=f"Try {tool}")).to_be_visible()
    await page.get_by_text("Saved requests and earlier calls").click()
    saved = page.get_by_role("list", name="Saved requests")
    await expect(saved).to_be_visible()
    return saved


async def save_as(page: Page, name: str) -> None:
    await page.get_by_role("form", name="Save the request").get_by_label("Name").fill(name)
    await page.get_by_role("button", name="Save what is in the form").click()
    await expect(page.get_by_role("list", name="Saved requests")).to_contain_text(name)


async def expect_of(page: Page, name: str, *, status: str = "", values: str = "") -> None:
    await page.get_by_role("button", name=f"Expected of the answer: {name}").click()
    form = page.get_by_role("form", name=f"Expected of the answer: {name}")
    await form.get_by_label("Status").fill(status)
    await form.get_by_label("Values").fill(values)
    await form.get_by_role("button", name="Save").click()


async def test_a_saved_request_is_checked_against_what_is_expected(scene: BrowserHarness) -> None:
    """Issue 44: saved requests carry assertions. The page says beside the request where they fail."""
    page = await scene.open_page()
    saved = await open_saved(page, "mirrorQuery")
    await save_as(page, "mine")
    await expect_of(page, "mine", values="method: GET")
    form = page.get_by_role("form", name="Expected of the answer: mine")
    await expect(form).to_contain_text("Write each value as QUERY = JSON")
    await form.get_by_label("Values").fill('method = "GET"')
    await form.get_by_role("button", name="Save").click()
    await expect(form).to_have_count(0)
    check = saved.get_by_role("button", name="Check: mine")
    await check.click()
    await expect(saved).to_contain_text("As expected.")
    await expect_of(page, "mine", status="404", values='method = "PUT"')
    await expect(form).to_have_count(0)
    await check.click()
    await expect(saved).to_contain_text("Status 200, expected 404.")
    await expect(saved).to_contain_text('method: "GET", expected "PUT".')


async def test_an_exported_file_is_run_by_the_command_and_imported_elsewhere(
    scene: BrowserHarness, tmp_path: Path
) -> None:
    """Issue 44: the same file in the page, in another browser and in CI."""
    page = await scene.open_page()
    await open_saved(page, "mirrorQuery")
    await save_as(page, "mine")
    await expect_of(page, "mine", values='method = "GET"')
    async with page.expect_download() as downloading:
        await page.get_by_role("button", name="Export", exact=True).click()
    path = tmp_path / "requests.json"
    await (await downloading.value).save_as(path)
    (request,) = read_request_file(path.read_bytes()).requests
    assert (request.tool, request.expect.values) == ("mirrorQuery", {"method": "GET"})

    words = ("run", str(path), "--url", scene.bridge.base_url, "--key", scene.bridge.key, "--json")
    ended = await asyncio.to_thread(run_command, *words)
    assert (ended.status, json.loads(ended.output)[0]["passed"]) == (0, True), ended.errors

    other = await scene.open_page_of("carl")
    saved = await open_saved(other, "mirrorQuery")
    async with other.expect_file_chooser() as choosing:
        await other.get_by_role("button", name="Import", exact=True).click()
    await (await choosing.value).set_files(path)
    await expect(saved).to_contain_text("mine")
    await expect(saved.get_by_role("button", name="Check: mine")).to_be_visible()


async def test_others_read_what_is_shared_and_a_press_of_run_asks_them_first(scene: BrowserHarness) -> None:
    """Issue 44: users of an API have its shared requests, and see the values before a run."""
    page = await scene.open_page()
    await open_saved(page, "mirrorQuery")
    await save_as(page, "for all")
    await page.get_by_role("button", name="Share with all: for all").click()
    shared = page.get_by_role("list", name="Shared requests")
    await expect(shared).to_contain_text("for all")

    bob = await scene.open_page_of("bob")
    await open_saved(bob, "mirrorQuery")
    theirs = bob.get_by_role("list", name="Shared requests")
    await expect(theirs).to_contain_text("for all")
    await expect(theirs.get_by_role("button", name="Stop sharing for all")).to_have_count(0)
    await expect(theirs.get_by_role("button", name="Run again: for all")).to_have_count(0)
    await theirs.get_by_role("button", name="Edit: for all").click()
    await expect(bob.get_by_text("Others chose these values.")).to_be_visible()
    await theirs.get_by_role("button", name="Keep a copy: for all").click()
    await expect(bob.get_by_role("list", name="Saved requests")).to_contain_text("for all")

    await shared.get_by_role("button", name="Stop sharing for all").click()
    await expect(shared).to_have_count(0)
