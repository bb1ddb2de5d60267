"""Logins at servers that keep pages out (no CORS), by the companion extension, once that is chosen."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from time import time

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, expect

from tests.browser.extension.companion import Companion, extension_id, running_companion
from tests.browser.oauth.oauth_scene import OAuthScene, begun_scene, unopened_scene
from tests.support.chromium import accept_selection, go_to, open_page
from tests.support.oauth.protected_mcp import protected_mcp

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(180),
    pytest.mark.slow,
]

EXTENSION = f"chrome-extension://{extension_id()}"


@dataclass
class WalledLogin:
    """No page may read the answers of the authorization server; the bridge is connected in the companion."""

    scene: OAuthScene
    companion: Companion

    async def choose(self) -> None:
        """Take the offer of a login that has failed, and grant in the extension's own tab."""
        scene = self.scene
        await scene.panel.get_by_role("button", name="Send them through the companion").click()
        called = scene.page.get_by_role("region", name="How it is called")
        await self.allow(called.get_by_role("button", name="Ask for reading and changing", exact=True))
        await expect(called.get_by_text("Granted.", exact=True)).to_be_visible()

    async def allow(self, asking: Locator) -> None:
        """Press a button that opens the extension's question, and allow reading and changing there."""
        async with self.companion.context.expect_page() as opened:
            await asking.click()
        question = await opened.value
        await question.get_by_label("Reading and changing").check()
        await question.get_by_role("button", name="Allow", exact=True).click()

    async def fail(self, path: str) -> None:
        """Press the button; the page can read no answer of that path."""
        await self.scene.panel.get_by_role("button", name="Log in", exact=True).click()
        await expect(self.scene.panel.get_by_role("alert")).to_contain_text(f"the answers of {path} (CORS)")

    @property
    def paths(self) -> list[str]:
        """Of requests that the extension has sent."""
        return [path for path, origin, _ in self.scene.server.callers if origin in (EXTENSION, "")]


@pytest_asyncio.fixture(loop_scope="session")
async def walled(chromium: Browser, tmp_path: Path) -> AsyncGenerator[WalledLogin]:
    """The user has allowed both hosts to the extension; nothing is granted."""
    async with unopened_scene(chromium, tmp_path, openid=True) as (harness, server, api, server_id):
        server.mischief.token_cors = server.mischief.metadata_cors = False
        hosts = [f"{harness.bridge.base_url}/*", f"{server.issuer}/*"]
        async with running_companion(tmp_path / "profile", 1, hosts) as companion:
            assert await companion.request(type="pair", bridge=harness.bridge.base_url) is True
            await companion.context.add_cookies([{"name": "sso", "value": "s3cret", "url": server.issuer}])
            page = await companion.context.new_page()
            await open_page(page, await harness.bridge.page_url())
            scene = await begun_scene(harness, server, api, page, server_id)
            await scene.fill_client()
            yield WalledLogin(scene, companion)


async def test_a_login_without_cors_works_through_the_companion_once_that_is_chosen_and_granted(
    walled: WalledLogin,
) -> None:
    """Discovery, token, renewal under the lock and revocation; without the cookies of the login page."""
    scene, server = walled.scene, walled.scene.server
    await walled.fail("/.well-known/openid-configuration")
    assert server.callers != []
    assert EXTENSION not in {origin for _, origin, _ in server.callers}, "nothing takes over by itself"
    server.callers.clear()
    await walled.choose()
    assert server.callers == [], "nothing is sent again by itself"
    for box in ("read:notes", "offline_access"):
        await scene.panel.get_by_role("checkbox", name=box).check()
    await scene.log_in_briefly()
    assert walled.paths == ["/.well-known/openid-configuration", "/token"]
    async with asyncio.TaskGroup() as group:
        calls = [group.create_task(scene.call("listNotes")) for _ in range(2)]
    assert [call.result().json()["user"] for call in calls] == ["ada", "ada"]
    assert server.grants("refresh_token") == 1
    await scene.panel.get_by_role("button", name="Log out ada").click()
    await expect(scene.panel.get_by_text("the server has revoked the tokens")).to_be_visible()
    assert not any(token.is_good for token in server.tokens)
    assert {"/token", "/revoke"} <= set(walled.paths)
    assert {origin for _, origin, _ in server.callers} == {"", EXTENSION}, (
        "the page itself sends nothing any more"
    )
    assert not any(has_cookie for *_, has_cookie in server.callers)


async def test_without_a_grant_nothing_is_sent_and_the_login_says_what_is_missing(
    walled: WalledLogin,
) -> None:
    """A choice alone sends nothing; and the page does not take over."""
    scene, server = walled.scene, walled.scene.server
    await walled.fail("/.well-known/openid-configuration")
    await scene.panel.get_by_role("button", name="Send them through the companion").click()
    await expect(scene.panel.get_by_text("then log in again")).to_be_visible()
    server.callers.clear()
    await scene.panel.get_by_role("button", name="Log in", exact=True).click()
    await expect(scene.panel.get_by_role("alert")).to_contain_text(f"not granted {server.issuer}")
    assert server.callers == []


async def test_an_mcp_server_whose_login_has_no_cors_is_added_through_the_companion(
    walled: WalledLogin,
) -> None:
    """Its tools are listed to whoever has logged in; the choice is kept with the server then."""
    page, server = walled.scene.page, walled.scene.server
    async with protected_mcp(server) as endpoint:
        await go_to(page, "add")
        await page.get_by_label("Address of the document").fill(endpoint)
        await page.get_by_role("button", name="Fetch", exact=True).click()
        panel = page.get_by_role("region", name="Login")
        await walled.fail("/.well-known/oauth-authorization-server")
        await walled.allow(panel.get_by_role("button", name="Send them through the companion"))
        await expect(panel.get_by_text("Granted. Log in again.")).to_be_visible()
        server.callers.clear()
        window = await walled.scene.press()
        await window.get_by_role("button", name="Allow").click()
        await expect(page.get_by_role("heading", name="Review Notes (MCP)")).to_be_visible()
        assert "/token" in walled.paths
        await accept_selection(page, page.url.partition("#/servers/")[2].partition("/")[0])
        assert (await walled.scene.call("list_notes")).status == 200
        await page.clock.set_system_time(time() + 7200)
        await page.get_by_role("button", name="Refetch the tools").click()
        await expect(page.get_by_text("The tools have not changed.")).to_be_visible()
        assert server.grants("refresh_token") == 1
        assert {origin for _, origin, _ in server.callers} == {"", EXTENSION}
