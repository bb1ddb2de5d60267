"""A user logs in on the page, at a real authorization server, and tools are called with his login."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.browser.chat_harness import barriers
from tests.browser.oauth.oauth_scene import oauth_scene

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_a_user_logs_in_by_a_code_and_tools_carry_his_login(chromium: Browser, tmp_path: Path) -> None:
    """RFC 6749 §4.1 with PKCE, at a server whose pages cut `window.opener`."""
    async with oauth_scene(chromium, tmp_path) as scene:
        assert (await scene.call("listNotes")).detail["status"] == 401
        await scene.fill_client()
        await scene.log_in()
        (code,) = scene.server.codes.values()
        assert (code.code_challenge_method, code.redirect_uri) == ("S256", scene.redirect)
        reply = await scene.call("listNotes")
        assert reply.json() == {"notes": ["first"], "user": "ada"}
        assert (await scene.call("addNote", {"text": "second"})).json() == {"count": 2}
        assert scene.server.tokens[0].resource == scene.api.url
        await expect(scene.panel.get_by_role("list", name="Accounts")).to_contain_text("read:notes")


@pytest.mark.slow
async def test_a_login_of_a_bridge_below_a_path_comes_back_there(chromium: Browser, tmp_path: Path) -> None:
    """Finding W-47: at the origin's own `/oauth/callback` another program would get the code."""
    async with oauth_scene(chromium, tmp_path, prefix="/team/bridge") as scene:
        await scene.fill_client()
        await scene.log_in()
        (code,) = scene.server.codes.values()
        assert code.redirect_uri == scene.redirect
        assert "/team/bridge/oauth/callback" in scene.redirect
        assert (await scene.call("listNotes")).json()["user"] == "ada"
        await expect(scene.page.get_by_test_id("shared-origin").first).to_contain_text(
            "Other programs at that address can read this page"
        )


@pytest.mark.slow
async def test_the_login_can_be_used_by_everybody_on_narrow_screens_too(
    chromium: Browser, tmp_path: Path
) -> None:
    """WCAG 2.2 AA, with an account, its notice and all fields open; nothing is wider than a phone."""
    async with oauth_scene(chromium, tmp_path) as scene:
        await scene.fill_client()
        await scene.panel.get_by_role("checkbox", name="write:notes").uncheck()
        await scene.log_in()
        assert (await scene.call("addNote", {"text": "x"})).code == "login_needed"
        await expect(scene.panel.get_by_role("button", name="Log in with more")).to_be_visible()
        for width in (1280, 390):
            await scene.page.set_viewport_size({"width": width, "height": 844})
            assert await barriers(scene.page) == []
            assert await scene.page.evaluate("document.documentElement.scrollWidth") <= width
