"""A user shares a server in the page; another one sees whose it is, accepts it and calls it."""

import pytest
from playwright.async_api import expect

from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import accept_selection, go_to, open_page
from tests.support.documents.compiled import document_text, operation

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest.mark.slow
async def test_a_shared_server_is_accepted_and_called_in_the_browser_of_another_user(
    scene: BrowserHarness,
) -> None:
    """Nothing of it works for Bob before he accepts, and it leaves his page when it is taken back."""
    page = await scene.open_page()
    registry = scene.bridge.components.registry
    echo = document_text("Echo", paths={"/echo": operation("echoOnce")}, server=scene.samples_url)
    added = await registry.add_server(scene.bridge.local_user.id, echo, source_url=None)
    await go_to(page, "servers", added.record.id)
    await page.get_by_label("Offer it to every user of this bridge.").check()
    await expect(page.get_by_text("You offer it to every user.")).to_be_visible()

    his = await (await scene.new_context(user_agent="Bob's browser")).new_page()
    await open_page(his, await scene.link_of("bob"))
    await go_to(his, "servers")
    card = his.get_by_role("article", name="Echo")
    await expect(card).to_contain_text("shared by local")
    await expect(card).to_contain_text("0 of 1 operation accepted")
    program = await scene.program_of("bob")
    assert (await program.call("echoOnce")).code == "not_accepted"
    await accept_selection(his, added.record.id)
    await expect(his.get_by_text("local offers it to every user.")).to_be_visible()
    await expect(his.get_by_role("button", name="Remove this server")).to_have_count(0)
    answer = (await program.call("echoOnce")).json()
    assert answer["headers"]["user-agent"] == "Bob's browser"

    await page.get_by_label("Offer it to every user of this bridge.").uncheck()
    await expect(page.get_by_role("heading", name="Sharing")).to_be_visible()
    await go_to(his, "servers")
    await expect(card).to_have_count(0)
    assert (await program.call("echoOnce")).code == "unknown_tool"
