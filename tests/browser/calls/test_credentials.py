"""Credentials live in the browser: they reach the API they were saved for, and nobody else ever sees them."""

import logging
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import expect_connection, go_to, run_tool, save_credential

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

SECRET = "s3cret/with+odd=characters&%é"


def contents_of(folder: Path) -> dict[str, bytes]:
    """Every file below, by name."""
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


async def test_own_credentials_are_sent_with_every_request_and_redacted_in_answers(
    scene: BrowserHarness,
) -> None:
    """S0-115: the mirror shows that the credential stood in its place; the caller reads a marker there."""
    page = await scene.open_page()
    plain = (await scene.caller.call("mirrorSecured")).json()
    assert (plain["query"], plain["headers"].get("authorization")) == ("", None)
    for kind, values, place in (
        ("Custom: bearer token", {"value": SECRET}, "Bearer [secret]"),
        ("Custom: header", {"name": "Authorization", "value": SECRET}, "[secret]"),
        ("Custom: name and password", {"username": "ann", "password": SECRET}, "Basic [secret]"),
    ):
        await save_credential(page, "mirror", kind, **values)
        assert (await scene.caller.call("mirrorDelete")).json()["headers"]["authorization"] == place
    await save_credential(page, "mirror", "Custom: query parameter", name="token", value=SECRET)
    seen = (await scene.caller.call("mirrorQuery", {"text": "x"})).json()
    assert seen["query"] == "text=x&token=[secret]"
    assert "authorization" not in seen["headers"]


async def test_credentials_of_the_document_follow_its_alternatives(scene: BrowserHarness) -> None:
    """The mirror takes a query key, or a header key with a password, or a token: the first that is saved."""
    page = await scene.open_page()

    async def sent() -> tuple[str, str | None, str | None]:
        seen = (await scene.caller.call("mirrorSecured")).json()
        return seen["query"], seen["headers"].get("x-api-key"), seen["headers"].get("authorization")

    await save_credential(page, "mirror", "headerKey: API key in the header X-Api-Key", value=SECRET)
    assert await sent() == ("", None, None)
    await save_credential(page, "mirror", "bearer: bearer token", value=SECRET)
    assert await sent() == ("", None, "Bearer [secret]")
    await save_credential(page, "mirror", "basic: name and password", username="ann", password=SECRET)
    assert await sent() == ("", "[secret]", "Basic [secret]")
    await save_credential(page, "mirror", "queryKey: API key in the query parameter api_key", value=SECRET)
    assert await sent() == ("api_key=[secret]", None, None)
    assert "authorization" not in (await scene.caller.call("mirrorDelete")).json()["headers"]


@pytest.mark.slow
async def test_what_a_document_says_of_a_credential_is_read_as_markdown(demo: BrowserHarness) -> None:
    """OpenAPI has CommonMark there; who copies a key with its backticks gets a refusal."""
    page = await demo.open_page()
    await go_to(page, "servers", "home-thermostat")
    form = page.get_by_role("form", name="Credentials")
    await form.get_by_label("Kind").select_option(label="homeKey: API key in the header X-Home-Key")
    await expect(form.locator("code", has_text="demo-key")).to_have_text("demo-key")
    await expect(form).not_to_contain_text("`")


async def test_credentials_open_what_the_api_protects_and_survive_a_reload(demo: BrowserHarness) -> None:
    """An API that checks is the proof that the secret arrived unharmed."""
    page = await demo.open_page()
    refused = await demo.caller.call("listRooms")
    assert (refused.code, refused.detail["status"]) == ("http_status", 401)
    server_id = "home-thermostat"
    await save_credential(page, server_id, "homeKey: API key in the header X-Home-Key", value="demo-key")
    assert (await demo.caller.call("listRooms")).status == 200
    await save_credential(page, server_id, "installerToken: bearer token", value="demo-token")
    assert (await demo.caller.call("updateFirmware", {"version": "5.1.0"})).status == 200
    await page.reload()
    await expect_connection(page, "connected")
    assert (await demo.caller.call("listRooms")).status == 200
    await page.get_by_role("button", name="Remove the credential homeKey").click()
    await expect(page.get_by_role("list", name="Saved credentials")).not_to_contain_text("homeKey")
    assert (await demo.caller.call("listRooms")).detail["status"] == 401
    await save_credential(
        page, server_id, "installerLogin: name and password", username="installer", password="demo-password"
    )
    assert (await demo.caller.call("getServiceReport")).status == 200


async def test_the_bridge_never_sees_a_secret(
    scene: BrowserHarness, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """S0-115: not in a frame, a log, the database, a kept file or an answer: a stolen bridge opens no API."""
    for name in ("engineio.server", "socketio.server", "aiohttp", "bridge"):
        caplog.set_level(logging.DEBUG, name)
    page = await scene.open_page()
    secret = "correct-horse-battery-staple"
    await save_credential(page, "mirror", "bearer: bearer token", value=secret)
    await save_credential(page, "mirror", "Custom: header", name="X-Any", value=secret)
    reply = await scene.caller.call("mirrorSecured")
    assert reply.json()["headers"]["authorization"] == "Bearer [secret]"
    await go_to(page, "tools", "mirrorSecured")
    await expect(await run_tool(page)).to_contain_text("Bearer [secret]")
    await go_to(page, "calls")
    await page.get_by_role("button", name="mirrorSecured", exact=True).first.click()
    await expect(page.get_by_role("region", name="Request headers")).to_contain_text("Bearer [secret]")
    assert "Received packet MESSAGE" in caplog.text, "the log does show what the library sees of the socket"
    assert secret not in caplog.text
    assert secret not in await page.content()
    files = contents_of(tmp_path)
    assert "bridge.sqlite3" in files
    assert [name for name, content in files.items() if secret.encode() in content] == []
