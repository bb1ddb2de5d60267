"""Authorization servers that lie, redirect, mix up or keep pages out: refused in words, unharmed."""

from pathlib import Path

import pytest
from aiohttp import web
from playwright.async_api import Browser, expect

from tests.browser.oauth.oauth_scene import oauth_scene
from tests.support.oauth.records import Mischief
from tests.support.web_servers import for_every_page, serving

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


async def test_an_answer_of_another_server_is_refused_and_its_code_not_used(
    chromium: Browser, tmp_path: Path
) -> None:
    """RFC 9207: in a mix-up the code would be handed to the attacker's token endpoint."""
    async with oauth_scene(chromium, tmp_path) as scene:
        await scene.fill_client()
        for mischief, words in (
            (Mischief(iss="http://127.0.0.1:9/other"), "comes from another server"),
            (Mischief(leaves_out_iss=True), "`iss` is missing"),
        ):
            scene.server.mischief = mischief
            window = await scene.press()
            await window.get_by_role("button", name="Allow").click()
            await expect(scene.panel.get_by_role("alert")).to_contain_text(words)
        assert scene.server.token_requests == []
        assert (await scene.call("listNotes")).detail["status"] == 401


async def test_an_answer_that_does_not_belong_to_this_login_changes_nothing(
    chromium: Browser, tmp_path: Path
) -> None:
    """RFC 6749 §10.12: an attacker's own code would log the user in to the attacker's account."""
    async with oauth_scene(chromium, tmp_path) as scene:
        await scene.fill_client()
        for state, words in (("", "carries no `state`"), ("of-another-login", "Waiting for the login")):
            scene.server.mischief.state = state
            window = await scene.press()
            await window.get_by_role("button", name="Allow").click()
            await expect(window.get_by_text("No bridge page of this browser waits")).to_be_visible()
            await expect(scene.panel).to_contain_text(words)
            await scene.panel.get_by_role("button", name="Cancel").click()
            await expect(scene.panel.get_by_role("alert")).to_contain_text("You gave up this login")
        assert scene.server.token_requests == []
        scene.server.mischief.state = None
        await scene.log_in()


async def test_a_code_that_was_used_before_gives_nothing(chromium: Browser, tmp_path: Path) -> None:
    """RFC 6749 §4.1.2: the server ends what the code gave at first; the page says that it did not work."""
    async with oauth_scene(chromium, tmp_path) as scene:
        await scene.fill_client()
        await scene.log_in()
        scene.server.mischief.replays_code = next(iter(scene.server.codes))
        window = await scene.press()
        await window.get_by_role("button", name="Allow").click()
        await expect(scene.panel.get_by_role("alert")).to_contain_text("does not accept this code")
        assert len(scene.server.tokens) == 1


async def test_the_user_may_say_no(chromium: Browser, tmp_path: Path) -> None:
    """RFC 6749 §4.1.2.1: an error is an answer; the login is over, and can be begun again."""
    async with oauth_scene(chromium, tmp_path) as scene:
        await scene.fill_client()
        window = await scene.press()
        await window.get_by_role("button", name="Deny").click()
        await expect(scene.panel.get_by_role("alert")).to_contain_text("The login was refused there")
        await scene.log_in()


async def test_a_closed_window_is_not_taken_for_a_refusal(chromium: Browser, tmp_path: Path) -> None:
    """With Cross-Origin-Opener-Policy a window seems closed while it is open; another one may answer."""
    async with oauth_scene(chromium, tmp_path) as scene:
        await scene.fill_client()
        window = await scene.press()
        await window.close()
        async with scene.page.context.expect_page() as opened:
            await scene.panel.get_by_role("link", name="Open it again").click()
        window = await opened.value
        await window.get_by_role("button", name="Allow").click()
        await expect(scene.panel.get_by_text("Logged in.")).to_be_visible()


async def test_a_token_endpoint_that_redirects_is_not_followed(chromium: Browser, tmp_path: Path) -> None:
    """An open redirect there would hand code and verifier to whoever it points to."""
    elsewhere: list[str] = []

    async def note(request: web.Request) -> web.Response:
        elsewhere.append(await request.text())
        return web.Response()

    app = for_every_page(web.Application())
    app.router.add_route("*", "/{rest:.*}", note)
    async with serving(app) as thief, oauth_scene(chromium, tmp_path) as scene:
        scene.server.mischief.token_redirect = thief
        await scene.fill_client()
        window = await scene.press()
        await window.get_by_role("button", name="Allow").click()
        await expect(scene.panel.get_by_role("alert")).to_contain_text("a login does not follow")
        assert (len(scene.server.token_requests), elsewhere) == (1, [])


async def test_a_token_endpoint_that_keeps_pages_out_is_named(chromium: Browser, tmp_path: Path) -> None:
    """Nothing else tells the user why a login that worked in the window does not work on the page."""
    async with oauth_scene(chromium, tmp_path) as scene:
        scene.server.mischief.token_cors = False
        await scene.fill_client()
        window = await scene.press()
        await window.get_by_role("button", name="Allow").click()
        alert = scene.panel.get_by_role("alert")
        await expect(alert).to_contain_text("does not let web pages read the answers of /token (CORS)")


async def test_metadata_that_would_give_a_login_away_are_refused(chromium: Browser, tmp_path: Path) -> None:
    """Before the window shows anything: what the user types there would be too late."""
    cases: list[tuple[dict[str, object], str]] = [
        ({"issuer": "http://127.0.0.1:9"}, "describes the login of another server"),
        ({"code_challenge_methods_supported": ["plain"]}, "cannot protect the login with PKCE"),
        ({"token_endpoint": "http://login.example/token"}, "is not an https address"),
    ]
    async with oauth_scene(chromium, tmp_path, openid=True) as scene:
        await scene.fill_client()
        for metadata, words in cases:
            scene.server.mischief.metadata = metadata
            await scene.panel.get_by_role("button", name="Log in", exact=True).click()
            await expect(scene.panel.get_by_role("alert")).to_contain_text(words)
        assert scene.server.codes == {}


async def test_the_callback_page_leads_nowhere(chromium: Browser, tmp_path: Path) -> None:
    """An address of ours that sent browsers on would be an open redirect with codes in it."""
    async with oauth_scene(chromium, tmp_path) as scene:
        page = await scene.page.context.new_page()
        await page.goto(f"{scene.redirect}?redirect_uri=https://evil.test/&next=https://evil.test/&code=c0de")
        await expect(page.get_by_text("No bridge page of this browser waits")).to_be_visible()
        assert page.url == scene.redirect
        assert "c0de" not in await page.content()


async def test_a_code_of_another_server_says_who_gets_access_and_where_it_is_confirmed(
    chromium: Browser, tmp_path: Path
) -> None:
    """Finding S-L7: a server relayed another one's code, and nothing said that it would be let in there."""
    async with oauth_scene(chromium, tmp_path) as scene:
        await scene.fill_client()
        scene.server.mischief.confirms_at = "https://login.good.example/device"
        await scene.panel.get_by_role("button", name="Log in with a code on another device").click()
        host = scene.server.issuer.removeprefix("http://")
        warning = scene.panel.locator(".notice.warning")
        await expect(warning).to_contain_text(f"{host} will get access; you confirm at login.good.example.")
        await expect(warning).to_contain_text("Confirm only if you know that they belong together")
        link = warning.get_by_role("link", name="https://login.good.example/device")
        (device,) = scene.server.devices.values()
        expected = f"https://login.good.example/device?user_code={device['user_code']}"
        await expect(link).to_have_attribute("href", expected)
