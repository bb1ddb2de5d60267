"""The other ways to log in: OpenID Connect, a code on another device, the client itself, several accounts."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.browser.oauth.oauth_scene import CLIENT, OAuthScene, oauth_scene
from tests.support.oauth.records import Client
from tests.support.waiting import eventually

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


async def user_of(scene: OAuthScene) -> str:
    """Whose login the next call carries."""
    return (await scene.call("listNotes")).json()["user"]


async def test_several_accounts_of_one_server_are_told_apart_and_chosen(
    chromium: Browser, tmp_path: Path
) -> None:
    """One API, two roles: the wrong one must never be used unnoticed. Each has tokens of its own."""
    async with oauth_scene(chromium, tmp_path, openid=True) as scene:
        await scene.fill_client()
        for user in ("ada", "grace"):
            await scene.panel.get_by_role("checkbox", name="read:notes").check()
            await scene.log_in(user)
        accounts = scene.panel.get_by_role("list", name="Accounts").get_by_role("listitem")
        await expect(accounts).to_have_count(2)
        await expect(accounts.filter(has_text="in use")).to_contain_text("grace")
        assert await user_of(scene) == "grace"
        await scene.panel.get_by_role("button", name="Use the account ada").click()
        await expect(accounts.filter(has_text="in use")).to_contain_text("ada")
        assert await user_of(scene) == "ada"
        await scene.panel.get_by_role("button", name="Log out ada").click()
        await expect(accounts).to_have_count(1)
        assert await user_of(scene) == "grace"
        assert [token.is_good for token in scene.server.tokens] == [False, True]


async def test_a_page_without_a_client_id_registers_itself_once(chromium: Browser, tmp_path: Path) -> None:
    """RFC 7591, the last resort: at a bridge of this machine there is no public document to point to."""
    async with oauth_scene(chromium, tmp_path) as scene:
        for _ in range(2):
            await scene.log_in()
        (registered,) = [client for name, client in scene.server.clients.items() if name != CLIENT]
        assert (registered.redirect_uris, registered.secret) == ((scene.redirect,), "")
        assert await user_of(scene) == "ada"


async def test_a_server_that_wants_a_client_id_says_what_to_register(
    chromium: Browser, tmp_path: Path
) -> None:
    """Without the exact redirect address a registration by hand does not work."""
    async with oauth_scene(chromium, tmp_path) as scene:
        scene.server.mischief.metadata = {"registration_endpoint": None}
        await scene.panel.get_by_role("button", name="Log in", exact=True).click()
        alert = scene.panel.get_by_role("alert")
        await expect(alert).to_contain_text(f"redirect address {scene.redirect}, and enter its client id")


async def test_a_code_can_be_confirmed_on_another_device(chromium: Browser, tmp_path: Path) -> None:
    """RFC 8628, where the document names it; nothing is opened or typed in here."""
    async with oauth_scene(chromium, tmp_path) as scene:
        await scene.fill_client()
        await scene.panel.get_by_role("button", name="Log in with a code on another device").click()
        await expect(scene.panel.get_by_text("confirm the code")).to_be_visible()
        host = scene.server.issuer.removeprefix("http://")
        await expect(scene.panel).to_contain_text(f"{host} will get access; you confirm at {host}.")
        await eventually(lambda: scene.server.grants("urn:ietf:params:oauth:grant-type:device_code") > 0)
        (device,) = scene.server.devices.values()
        await expect(scene.panel).to_contain_text(device["user_code"])
        scene.server.confirmed[device["user_code"]] = True
        await expect(scene.panel.get_by_text("Logged in.")).to_be_visible()
        assert await user_of(scene) == "ada"


async def test_a_client_logs_in_as_itself_and_again_when_its_token_expires(
    chromium: Browser, tmp_path: Path
) -> None:
    """RFC 6749 §4.4: there is no user and no refresh token; the secret is stored like a key."""
    async with oauth_scene(chromium, tmp_path) as scene:
        robot = Client("robot", secret="r0bot-s3cret", grants=("client_credentials",))
        scene.server.clients["robot"] = robot
        scene.server.token_seconds = 1
        await scene.fill_client("robot", **{"Client secret": "r0bot-s3cret"})
        await scene.panel.get_by_role("button", name="Log in as the client itself").click()
        await expect(scene.panel.get_by_text("Logged in.")).to_be_visible()
        await expect(scene.panel.get_by_label("Client secret")).to_have_value("")
        scene.server.token_seconds = 3600
        await eventually(lambda: not scene.server.tokens[0].is_good)
        await scene.expect_executor()
        assert await user_of(scene) == "robot"
        assert scene.server.grants("client_credentials") == 2
