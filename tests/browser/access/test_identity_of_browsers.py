"""Whose browser it is: links that anybody may send change neither the user nor what he accepted."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Page, expect

from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import (
    Caller,
    accept_selection,
    expect_connection,
    go_to,
    open_page,
    save_credential,
)

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

QUESTION = "This link would move this browser from local to bob: bob's calls would then run here."


async def follow(page: Page, link: str) -> None:
    """Load the page anew; a change of the fragment alone would not."""
    await page.goto("about:blank")
    await page.goto(link)


async def sent_by(caller: Caller) -> dict[str, Any]:
    """Headers of a request as it arrived at the API."""
    reply = await caller.call("mirrorDelete")
    assert reply.status == 200
    return reply.json()["headers"]


async def test_another_users_link_asks_and_changes_nothing_by_itself(scene: BrowserHarness) -> None:
    """Otherwise whoever sends a link could make calls with the browser, network and logins of its reader."""
    page = await scene.open_page()
    link = await scene.link_of("bob")
    await follow(page, link)
    await expect(page.get_by_role("alert")).to_contain_text(QUESTION)
    await expect_connection(page, "signed_out")
    assert "ticket" not in page.url
    await page.get_by_role("button", name="Stay with local").click()
    await expect_connection(page, "connected")
    await scene.expect_no_page("bob")
    assert (await scene.caller.call("mirrorDelete")).status == 200
    other = await (await scene.new_context()).new_page()
    await open_page(other, link)  # It was not spent.
    await expect(other.get_by_test_id("connection")).to_contain_text("bob")


async def test_leaving_the_question_unanswered_leaves_the_browser_to_its_user(scene: BrowserHarness) -> None:
    """People close what they do not understand."""
    page = await scene.open_page()
    await follow(page, await scene.link_of("bob"))
    await expect(page.get_by_role("alert")).to_contain_text(QUESTION)
    await page.reload()
    await expect_connection(page, "connected")
    await expect(page.get_by_test_id("connection")).to_contain_text("local")


CONNECTED_OR_STANDBY = re.compile("connected|standby")


async def test_acceptances_and_secrets_of_one_user_do_not_serve_another(scene: BrowserHarness) -> None:
    """Servers offered to everybody have the same id for all; what is kept for them must not be."""
    await (await scene.open_page_of("bob")).close()
    first = await scene.open_page()
    await save_credential(first, "mirror", "Custom: bearer token", value="secret of local")
    second = await first.context.new_page()
    await follow(second, await scene.link_of("bob"))
    await second.get_by_role("button", name="Switch to bob").click()
    for tab in (first, second):  # The other tab goes with it, and either of them may perform the calls.
        await expect(tab.get_by_test_id("connection")).to_contain_text("bob")
        await expect(tab.get_by_test_id("connection")).to_have_attribute("data-state", CONNECTED_OR_STANDBY)
    bobs = await scene.program_of("bob")
    assert (await bobs.call("mirrorDelete")).code == "not_accepted", "he accepted it in another browser"
    await accept_selection(second, "mirror")
    assert "authorization" not in await sent_by(bobs)
    await first.close()
    await follow(second, await scene.bridge.page_url())
    await second.get_by_role("button", name="Switch to local").click()
    await expect_connection(second, "connected")
    assert (await sent_by(scene.caller))["authorization"] == "Bearer [secret]"


@pytest.mark.parametrize("is_fresh", [True, False], ids=["a fresh link", "an invented link"])
async def test_what_was_withdrawn_stays_withdrawn(scene: BrowserHarness, is_fresh: bool) -> None:
    """Any site can send the user to the page with a made-up ticket; and a new link is no new consent."""
    page = await scene.open_page()
    await accept_selection(page, "mirror", "None")
    await go_to(page, "servers")
    link = await scene.bridge.page_url() if is_fresh else f"{scene.bridge.base_url}/#ticket=junk"
    await follow(page, link)
    await expect_connection(page, "connected")
    await expect(page.get_by_role("article", name="Mirror")).to_contain_text("0 of 15")
    assert (await scene.caller.call("mirrorDelete")).code == "not_accepted"


async def test_only_the_operators_link_accepts_what_the_command_line_named(scene: BrowserHarness) -> None:
    """Who typed the command may speak for himself, and for nobody else."""
    page = await (await scene.new_context()).new_page()
    await open_page(page, await scene.link_of("bob"))
    await expect(page.get_by_role("article", name="Mirror")).to_contain_text("0 of 15")
    assert (await (await scene.program_of("bob")).call("mirrorDelete")).code == "not_accepted"


async def test_the_bridge_itself_is_no_target_under_any_name(scene: BrowserHarness, tmp_path: Path) -> None:
    """To its own page the bridge answers as to nobody else; a tool must not borrow that."""
    page = await scene.open_page()
    port = urlsplit(scene.bridge.base_url).port
    for host in ("localhost", "127.0.0.1", "[::1]", "other.localhost"):
        paths = {"/api/sessions/challenge": {"post": {"operationId": "challenge"}}}
        about = {"openapi": "3.1.0", "info": {"title": "Self", "version": "1"}, "paths": paths}
        document = tmp_path / "self.json"
        document.write_text(json.dumps({**about, "servers": [{"url": f"http://{host}:{port}"}]}))
        server = await scene.bridge.share_document(str(document), named=host)
        await go_to(page, "servers", server.record.id, "review")
        await page.get_by_role("button", name="All", exact=True).click()
        await page.get_by_role("button", name="Accept the selection").click()
        complaint = page.get_by_role("main").get_by_role("alert")
        await expect(complaint).to_contain_text("The bridge itself cannot be a tool's target.")
