"""Tokens that expire, rotate, are stolen or revoked: calls go on, or say what the user must do."""

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.browser.oauth.oauth_scene import CLIENT, oauth_scene

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


async def test_two_calls_at_once_renew_an_expired_token_once(chromium: Browser, tmp_path: Path) -> None:
    """A refresh token that rotates works once: the second use would end the login."""
    async with oauth_scene(chromium, tmp_path) as scene:
        await scene.fill_client()
        await scene.log_in_briefly()
        await scene.page.reload()  # the worker of a new page may renew, too
        await scene.expect_executor()
        async with asyncio.TaskGroup() as group:
            calls = [group.create_task(scene.call("listNotes")) for _ in range(2)]
        assert [call.result().json()["user"] for call in calls] == ["ada", "ada"]
        assert scene.server.grants("refresh_token") == 1
        assert set(scene.api.tokens) == {scene.server.tokens[1].access_token}
        assert (await scene.call("listNotes")).status == 200
        assert scene.server.grants("refresh_token") == 1


async def test_an_expired_token_is_renewed_only_once_the_call_is_allowed(
    chromium: Browser, tmp_path: Path
) -> None:
    """A card asks about what has not happened: until it is pressed, nothing is sent in the user's name."""
    async with oauth_scene(chromium, tmp_path, approve="safe") as scene:
        await scene.fill_client()
        await scene.log_in_briefly()
        for button, renewals in (("Deny", 0), ("Allow once", 1)):
            adding = asyncio.create_task(scene.call("addNote", {"text": "x"}))
            card = scene.page.locator("#approvals article")
            await expect(card).to_contain_text("authorization (header)")
            assert scene.server.grants("refresh_token") == 0
            await card.get_by_role("button", name=button).click()
            await adding
            await expect(card).to_have_count(0)
            assert scene.server.grants("refresh_token") == renewals
        assert scene.api.notes == ["first", "x"]


async def test_a_stolen_refresh_token_ends_the_login_of_thief_and_user_in_words(
    chromium: Browser, tmp_path: Path
) -> None:
    """RFC 9700 §4.14: the server notices the second use; the user must hear of it, and can log in again."""
    async with oauth_scene(chromium, tmp_path) as scene:
        await scene.fill_client()
        await scene.log_in_briefly()
        stolen = {"grant_type": "refresh_token", "refresh_token": scene.server.tokens[0].refresh_token or ""}
        url = f"{scene.server.issuer}/token"
        async with scene.harness.http.post(url, data={**stolen, "client_id": CLIENT}) as theft:
            assert theft.status == 200
        refused = await scene.call("listNotes")
        assert (refused.status, refused.code) == (403, "login_needed")
        assert "used before" in refused.json()["error"]["message"]
        assert not any(token.is_good for token in scene.server.tokens)
        assert scene.api.tokens == []
        await expect(scene.panel.get_by_role("list", name="Accounts")).to_contain_text("ended")
        await scene.log_in(button="Log in again")
        assert (await scene.call("listNotes")).status == 200


async def test_a_token_that_the_api_revoked_early_is_renewed_for_the_next_call(
    chromium: Browser, tmp_path: Path
) -> None:
    """The end that the server named is a promise at most; asking twice would be a second request."""
    async with oauth_scene(chromium, tmp_path) as scene:
        await scene.fill_client()
        await scene.log_in()
        scene.server.tokens[0].expires_at = 0
        assert (await scene.call("listNotes")).detail["status"] == 401
        assert (await scene.call("listNotes")).status == 200
        assert len(scene.api.tokens) == 2


async def test_a_refused_scope_is_asked_for_and_added_to_the_others(
    chromium: Browser, tmp_path: Path
) -> None:
    """RFC 6750 §3.1: the API did nothing; a login with only the new scope would lose the old ones."""
    async with oauth_scene(chromium, tmp_path) as scene:
        await scene.fill_client()
        await scene.panel.get_by_role("checkbox", name="write:notes").uncheck()
        await scene.log_in()
        assert scene.server.tokens[0].scope == "read:notes"
        refused = await scene.call("addNote", {"text": "x"})
        assert (refused.code, refused.detail["missing_scopes"]) == ("login_needed", ["write:notes"])
        assert "write:notes" in refused.json()["error"]["message"]
        assert scene.api.notes == ["first"]
        await scene.log_in(button="Log in with more")
        assert scene.server.tokens[-1].scope == "read:notes write:notes"
        assert (await scene.call("addNote", {"text": "x"})).json() == {"count": 2}
        await expect(scene.panel.get_by_role("button", name="Log in with more")).to_have_count(0)


async def test_removing_the_credential_logs_out_every_account(chromium: Browser, tmp_path: Path) -> None:
    """Finding P-L2: who removes a login means that it is over; who calls then reads how to log in again."""
    async with oauth_scene(chromium, tmp_path, openid=True) as scene:
        await scene.fill_client()
        for user in ("ada", "grace"):
            await scene.log_in(user)
        form = scene.page.get_by_role("form", name="Credentials")
        await form.get_by_role("button", name="Remove the credential login").click()
        await expect(form).to_contain_text("ada: Logged out: the server has revoked the tokens")
        await expect(form).to_contain_text("grace: Logged out")
        await expect(scene.panel.get_by_role("list", name="Accounts").get_by_role("listitem")).to_have_count(
            0
        )
        assert [token.is_good for token in scene.server.tokens] == [False, False]
        refused = await scene.call("listNotes")
        assert refused.detail["missing_credentials"] == [{"scheme": "login", "kind": "login"}]
        assert "its user can log in on the bridge page" in refused.json()["error"]["message"]


async def test_a_removed_login_that_its_server_does_not_revoke_says_why(
    chromium: Browser, tmp_path: Path
) -> None:
    """The user may end it there; nothing else would tell."""
    cases: list[tuple[dict[str, object], bool, str]] = [
        ({"revocation_endpoint": None}, True, "offers no way to revoke them"),
        ({}, False, "could not be told to revoke them"),
    ]
    async with oauth_scene(chromium, tmp_path) as scene:
        await scene.fill_client()
        for metadata, has_cors, words in cases:
            scene.server.mischief.metadata, scene.server.mischief.token_cors = metadata, True
            await scene.log_in()
            scene.server.mischief.token_cors = has_cors
            form = scene.page.get_by_role("form", name="Credentials")
            await form.get_by_role("button", name="Remove the credential login").click()
            await expect(form).to_contain_text(words)
            await expect(form.get_by_role("button", name="Remove the credential login")).to_have_count(0)


async def test_logging_out_revokes_the_tokens_and_forgets_them(chromium: Browser, tmp_path: Path) -> None:
    """RFC 7009: a token that is only forgotten here is still good for whoever copied it."""
    async with oauth_scene(chromium, tmp_path) as scene:
        await scene.fill_client()
        await scene.log_in()
        assert (await scene.call("listNotes")).status == 200
        await scene.panel.get_by_role("button", name="Log out default").click()
        await expect(scene.panel.get_by_text("the server has revoked the tokens")).to_be_visible()
        assert not any(token.is_good for token in scene.server.tokens)
        assert (await scene.call("listNotes")).detail["status"] == 401
        assert scene.api.tokens[-1] == ""
