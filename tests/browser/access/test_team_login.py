"""A team that logs in at a real OpenID Connect provider, in a real browser."""

import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.support.chromium import expect_connection, go_to
from tests.support.oauth.identity_provider import (
    CLIENT_ID,
    CLIENT_SECRET,
    IdentityProvider,
    running_provider,
)
from tests.support.tcp_servers import free_port

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


@dataclass
class Team:
    """A bridge, and the provider at which its users log in."""

    scene: BrowserHarness
    provider: IdentityProvider

    async def open_entrance(self) -> Page:
        """The page, in a browser that the bridge does not know."""
        page = await (await self.scene.new_context()).new_page()
        await page.goto(self.scene.bridge.base_url)
        return page

    async def log_in(self, account: str, page: Page | None = None) -> Page:
        """The page, after somebody has logged in there."""
        page = page or await self.open_entrance()
        await page.get_by_test_id("log-in").click()
        await page.get_by_label("Account").fill(account)
        await page.get_by_role("button", name="Continue").click()
        return page

    async def names(self) -> list[str]:
        """The names of all users of the bridge."""
        return [user.name for user in await self.scene.bridge.components.users.list_users()]


@pytest.fixture
def settings() -> dict[str, Any]:
    """What a test sets beside the provider."""
    return {}


@pytest.fixture
def prefix() -> str:
    """The path of the bridge."""
    return ""


@pytest_asyncio.fixture(loop_scope="session")
async def team(
    chromium: Browser, tmp_path: Path, settings: dict[str, Any], prefix: str
) -> AsyncIterator[Team]:
    port = free_port()
    base_url = f"http://127.0.0.1:{port}{prefix}"
    async with AsyncExitStack() as stack:
        provider = await stack.enter_async_context(running_provider(tmp_path, base_url))
        scene = await stack.enter_async_context(
            open_harness(
                chromium,
                tmp_path,
                ["mirror.yaml"],
                port=port,
                public_url=base_url,
                oidc_issuer=provider.issuer,
                oidc_client_id=CLIENT_ID,
                oidc_client_secret=CLIENT_SECRET,
                oidc_scopes=("openid", "profile", "groups"),
                budget_tokens=5000,
                **settings,
            )
        )
        yield Team(scene, provider)


@pytest.mark.parametrize("prefix", ["", "/team/bridge"])
async def test_who_logs_in_at_the_provider_has_a_page_of_their_own(team: Team) -> None:
    """The first login makes the user, by issuer and subject; the page is paired as by a link."""
    page = await team.log_in("ada")
    await expect_connection(page, "connected")
    assert page.url.startswith(f"{team.scene.bridge.base_url}/")
    assert "ticket" not in page.url
    users = await team.scene.bridge.components.users.list_users()
    ada = next(user for user in users if user.name.endswith(":ada"))
    assert ada.display_name == "Ada Lovelace at 127.0.0.1"
    assert (ada.role, ada.groups, ada.devices) == ("user", ("tools",), 1)
    assert await page.evaluate("document.cookie") == ""
    await page.reload()
    await expect_connection(page, "connected")
    await go_to(page, "settings")
    await expect(page.get_by_text("You are Ada Lovelace at 127.0.0.1")).to_be_visible()
    await expect(page.get_by_test_id("budget")).to_contain_text("0 of 5,000")
    await page.get_by_role("link", name="Log out at the login service").click()
    await expect(page).to_have_url(re.compile(rf"{re.escape(team.provider.issuer)}/session/end"))


async def test_who_cancels_at_the_provider_is_told_so_and_may_try_again(team: Team) -> None:
    """Nothing of what the provider says in words is shown: it comes from an address that anybody can make."""
    page = await team.open_entrance()
    await page.get_by_test_id("log-in").click()
    await page.get_by_role("button", name="Cancel").click()
    await expect(page.get_by_test_id("entrance")).to_contain_text("The login was cancelled.")
    await team.log_in("ada", page)
    await expect_connection(page, "connected")
