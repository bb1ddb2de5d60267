"""Tokens go to the API and its authorization server alone: nothing of them reaches the bridge."""

import logging
from pathlib import Path

import pytest
from playwright.async_api import Browser, Request, expect

from tests.browser.oauth.oauth_scene import OAuthScene, oauth_scene
from tests.support.canaries import contains_secret, files_with
from tests.support.chromium import go_to

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


def secrets_of(scene: OAuthScene) -> list[str]:
    """All that was given to this browser, and what it made to prove itself."""
    tokens = [
        text for token in scene.server.tokens for text in (token.access_token, token.refresh_token) if text
    ]
    verifiers = [form["code_verifier"] for form in scene.server.token_requests if "code_verifier" in form]
    return [*tokens, *verifiers, *scene.server.codes]


async def test_nothing_of_a_login_reaches_the_bridge(
    chromium: Browser, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Not in a request, frame, file, log, answer, nor on the page: a stolen bridge has no login."""
    for name in ("engineio.server", "socketio.server", "aiohttp", "bridge"):
        caplog.set_level(logging.DEBUG, name)
    sent: list[str] = []

    def note(request: Request) -> None:
        url = request.url.partition("#")[0]  # what is sent of it
        if url.startswith(scene.harness.bridge.base_url):
            sent.append(f"{url} {request.headers} {request.post_data}")

    async with oauth_scene(chromium, tmp_path, openid=True) as scene:
        scene.page.context.on("request", note)
        await scene.fill_client()
        for box in ("read:notes", "offline_access"):
            await scene.panel.get_by_role("checkbox", name=box).check()
        await scene.log_in_briefly()
        read = await scene.call("listNotes")
        assert (read.status, scene.server.grants("refresh_token")) == (200, 1)
        await go_to(scene.page, "calls")
        await scene.page.get_by_role("button", name="listNotes", exact=True).first.click()
        await expect(scene.page.get_by_role("main")).to_contain_text("Bearer [secret]")
        shown = await scene.page.content()
        await scene.show_server()
        shown += await scene.page.content()
        secrets = secrets_of(scene)
        assert len(secrets) == 6, "two pairs of tokens, a verifier and a code"
        callbacks = [line for line in sent if "/oauth/callback " in line]
    assert len(callbacks) == 1, "the requests to the bridge are seen"
    places = {"requests": "\n".join(sent), "log": caplog.text, "page": shown, "answer": repr(read)}
    found = [
        f"{where}: {secret}"
        for where, text in places.items()
        for secret in secrets
        if contains_secret(text.encode(), secret)
    ]
    assert found + files_with(tmp_path, secrets) == []
