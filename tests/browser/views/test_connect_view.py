"""The Connect view: where Open WebUI runs decides what to copy, and what it prints works."""

import asyncio
import base64
import json
import shlex
import sys
import tomllib
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from playwright.async_api import Browser, Page, Route, expect

from plugins.open_webui.assemble import assemble_plugin
from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.support.chromium import Caller, go_to

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

BOUND = "Command that starts the bridge"


async def options_of(page: Page) -> list[str]:
    """The options of the printed command."""
    return shlex.split(await page.get_by_role("region", name=BOUND).inner_text())[2:]


async def test_each_place_of_open_webui_has_its_bind_flag_address_and_host(scene: BrowserHarness) -> None:
    """S0-119: the three networks differ in what reaches what; a wrong address costs a new user an evening."""
    page = await scene.open_page()
    port = scene.bridge.server.sockets[0].getsockname()[1]
    kept = ["--port", str(port)]
    opened = [*kept, "--host", "0.0.0.0", "--allow-host"]
    await go_to(page, "connect", "open-webui")
    url = page.get_by_role("definition").first
    await expect(url).to_have_text(scene.bridge.base_url)
    await expect(page.get_by_text("Nothing to restart.")).to_be_visible()
    await expect(page.get_by_text("Admin, Tools: Integrations → External Tool Servers")).to_be_visible()
    await page.get_by_label("In Docker on this computer").check()
    await expect(url).to_have_text(f"http://host.docker.internal:{port}")
    assert await options_of(page) == [*opened, f"host.docker.internal:{port}"]
    await page.get_by_label("On another computer").check()
    await page.get_by_label("This computer, as seen from there").fill("192.168.7.8")
    await expect(url).to_have_text(f"http://192.168.7.8:{port}")
    assert await options_of(page) == [*opened, f"192.168.7.8:{port}"]
    await page.get_by_label("As a user").check()
    await expect(page.get_by_text("Services: Integrations → External Tool Servers")).to_be_visible()
    await expect(page.get_by_text("the permission Direct Tool Servers")).to_be_visible()
    await page.get_by_label("Address of Open WebUI in your browser").fill("https://chat.example")
    await expect(url).to_have_text(scene.bridge.base_url)
    assert await options_of(page) == [*kept, "--allow-origin", "https://chat.example"]


async def test_a_key_created_in_the_view_works_until_it_is_revoked(scene: BrowserHarness) -> None:
    """Shown once, good for the tools, and gone when the user says so."""
    page = await scene.open_page()
    await go_to(page, "connect", "open-webui")
    await page.get_by_label("Name of the program").fill("My chat")
    await page.get_by_text("For a key that uses the bridge as a model").click()
    await page.get_by_label("Memory of chats").select_option("On: invisible characters in the text")
    await page.get_by_role("button", name="Create a key").click()
    key = await page.get_by_role("region", name="New key").inner_text()
    await expect(page.get_by_role("region", name="Connection object for Open WebUI")).to_contain_text(key)
    program = Caller(scene.bridge.base_url, key, scene.http)
    assert (await program.call("mirrorDelete")).status == 200
    await expect(page.get_by_role("list", name="Keys")).to_contain_text("memory by characters")
    await page.get_by_role("button", name="Revoke the key My chat").click()
    await expect(page.get_by_role("list", name="Keys")).not_to_contain_text("My chat")
    reply = await program.call("mirrorDelete")
    assert (reply.status, reply.code) == (401, "unauthorized")


async def test_a_key_for_all_users_comes_with_words_of_its_own(scene: BrowserHarness) -> None:
    """The tick changes what the view says at once; another kind of key is not the one that was created."""
    page = await scene.open_page()
    await go_to(page, "connect", "open-webui")
    own, everybody = (
        page.get_by_text("acts through your browser"),
        page.get_by_text("acts for all of them"),
    )
    await page.get_by_role("button", name="Create a key").click()
    key = await page.get_by_role("region", name="New key").inner_text()
    connection = page.get_by_role("region", name="Connection object for Open WebUI")
    await expect(connection).to_contain_text(key)
    await expect(own).to_be_visible()
    await page.get_by_label("For all users of an Open WebUI").check()
    await expect(everybody).to_be_visible()
    await expect(own).to_have_count(0)
    await expect(connection).not_to_contain_text(key)


async def test_the_settings_for_docker_let_a_container_in(chromium: Browser, tmp_path: Path) -> None:
    """What the view prints is what the bridge needs: with the name allowed it answers, else it refuses."""
    name = "host.docker.internal"
    async with open_harness(
        chromium, tmp_path, ["mirror.yaml"], host="0.0.0.0", allowed_hosts=(name,)
    ) as scene:
        page = await scene.open_page()
        await go_to(page, "connect", "open-webui")
        await page.get_by_label("In Docker on this computer").check()
        await expect(page.get_by_text("Nothing to restart.")).to_be_visible()
        port = scene.bridge.server.sockets[0].getsockname()[1]
        local = scene.caller_at(f"http://127.0.0.1:{port}")
        assert (await local.call("mirrorDelete", Host=f"{name}:{port}")).status == 200
        foreign = await local.call("mirrorDelete", Host=f"evil.example:{port}")
        assert (foreign.status, foreign.code) == (421, "foreign_host")


async def test_what_it_prints_for_a_model_works_as_it_is(chromium: Browser, tmp_path: Path) -> None:
    """Copied into a terminal, with a key made here that shows calls: the demo model calls a tool."""
    async with open_harness(chromium, tmp_path, ["shop.json"]) as scene:
        page = await scene.open_page()
        await go_to(page, "connect", "openai")
        as_model = page.get_by_role("region", name="As a model")
        await expect(as_model.get_by_label("Model", exact=True)).to_have_value("demo")
        await page.get_by_label("Name of the program").fill("My script")
        await page.get_by_text("For a key that uses the bridge as a model").click()
        await page.get_by_label("Calls in a model's answers").select_option(
            label="Open WebUI chips in the text"
        )
        await page.get_by_role("button", name="Create a key").click()
        key = await page.get_by_role("region", name="New key").inner_text()
        await expect(page.get_by_role("list", name="Keys")).to_contain_text("shows calls as chips")
        code = as_model.get_by_role("region", name="Ask with OpenAI's SDK for Python")
        await expect(code).to_contain_text(key)
        said = await output_of(sys.executable, "-c", await code.inner_text())
        assert '<details type="tool_calls"' in said
        await page.get_by_role("radio", name="curl and others").check()
        command = await as_model.get_by_role("region", name="Ask with curl").inner_text()
        completion = json.loads(await output_of("sh", "-c", command.replace("curl ", "curl -s ", 1)))
        assert '<details type="tool_calls"' in completion["choices"][0]["message"]["content"]
        await page.get_by_role("radio", name="Open WebUI").check()
        for label in ("URL of the model connection", "Headers of the model connection"):
            await expect(as_model.get_by_role("region", name=label)).to_be_visible()


async def test_a_plugin_for_open_webui_is_downloaded_or_copied(scene: BrowserHarness) -> None:
    """The bridge assembles it; a file that cannot be had is not copied in silence."""
    page = await scene.open_page()
    await go_to(page, "connect", "open-webui")
    panel = page.get_by_role("region", name="Plugins for Open WebUI")
    async with page.expect_download() as downloading:
        await panel.get_by_role("link", name="Download tool_bridge_pipe.py").click()
    saved = await (await downloading.value).path()
    assert saved.read_text(encoding="utf-8") == assemble_plugin("pipe")
    spoken = page.locator("#announcements")
    await panel.get_by_role("button", name="Copy: tool_bridge_subquery.py").click()
    await expect(spoken).to_have_text("Copied")
    await page.route("**/plugins/**", lambda route: route.abort())
    await panel.get_by_role("button", name="Copy: tool_bridge_pipe.py").click()
    await expect(spoken).to_contain_text("The bridge does not answer.")


async def test_what_it_prints_for_an_mcp_client_names_server_and_key(
    scene: BrowserHarness,
) -> None:
    """A client with room for few tools gets those of one server; the key stands in it at once."""
    page = await scene.open_page()
    await go_to(page, "connect", "codex")
    panel = page.get_by_role("region", name="For MCP clients")
    settings = panel.get_by_role("region", name="~/.codex/config.toml")
    await expect(settings).to_contain_text("YOUR_KEY")
    await page.get_by_role("button", name="Create a key").click()
    key = await page.get_by_role("region", name="New key").inner_text()
    [server] = (await scene.bridge.components.registry.view_of_user(scene.bridge.local_user.id)).servers
    await panel.get_by_label("Tools of").select_option(server.record.title)
    await expect(settings).to_contain_text(key)
    [entry] = tomllib.loads(await settings.inner_text())["mcp_servers"].values()
    assert entry["url"] == f"{scene.bridge.base_url}/servers/{server.record.id}/mcp"
    listed = await scene.http.post(
        entry["url"],
        headers=entry["http_headers"],
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}},
    )
    assert "mirrorDelete" in await listed.text()


async def test_the_first_question_is_what_to_connect_and_only_that_recipe_is_shown(
    scene: BrowserHarness,
) -> None:
    """Issue 44, point 3: twelve programs; the recipe of one says nothing of the others."""
    page = await scene.open_page()
    await go_to(page, "connect")
    programs = page.get_by_role("group", name="What do you want to connect?").get_by_role("radio")
    await expect(programs).to_have_count(12)
    mcp = page.get_by_role("region", name="For MCP clients")
    await expect(mcp).to_be_hidden()
    await expect(page.get_by_text("Where does Open WebUI run?")).to_be_hidden()
    await page.get_by_role("radio", name="Claude Code").check()
    await expect(mcp.get_by_role("region", name="Command for Claude Code")).to_be_visible()
    await expect(mcp.get_by_role("region", name="~/.codex/config.toml")).to_have_count(0)
    await expect(page.get_by_label("Name of the program")).to_have_value("Claude Code")
    await page.reload()
    await expect(page.get_by_role("radio", name="Claude Code")).to_be_checked()


async def test_a_click_adds_the_bridge_where_a_program_takes_one(scene: BrowserHarness) -> None:
    """Issue 44, point 3: the link holds the key that was just made, and the page says so."""
    page = await scene.open_page()
    await go_to(page, "connect", "cursor")
    add = page.get_by_role("link", name="Add to Cursor")
    await expect(page.get_by_role("region", name="~/.cursor/mcp.json")).to_be_visible()
    await expect(add).to_have_count(0)
    await page.get_by_role("button", name="Create a key").click()
    key = await page.get_by_role("region", name="New key").inner_text()
    link = urlsplit(await add.get_attribute("href") or "")
    [config] = parse_qs(link.query)["config"]
    assert json.loads(base64.b64decode(config))["headers"] == {"Authorization": f"Bearer {key}"}
    await expect(page.get_by_text("Anyone who has the link has the key.")).to_be_visible()
    await page.get_by_role("radio", name="VS Code").check()
    href = await page.get_by_role("link", name="Add to VS Code").get_attribute("href")
    assert json.loads(unquote((href or "").partition("?")[2]))["url"] == f"{scene.bridge.base_url}/mcp"


async def test_the_test_of_a_connection_is_green_once_the_program_has_called(scene: BrowserHarness) -> None:
    """Issue 44, point 3: a call by another key proves nothing of this program."""
    page = await scene.open_page()
    await go_to(page, "connect", "curl")
    begin = page.get_by_role("button", name="Test the connection")
    await expect(begin).to_be_disabled()
    await page.get_by_role("button", name="Create a key").click()
    key = await page.get_by_role("region", name="New key").inner_text()
    await begin.click()
    waiting = page.get_by_text("Waiting for the first call with the key curl and others.")
    await expect(waiting).to_be_visible()
    assert (await scene.caller.call("mirrorDelete")).status == 200
    await expect(waiting).to_be_visible()
    assert (await Caller(scene.bridge.base_url, key, scene.http).call("mirrorDelete")).status == 200
    panel = page.get_by_role("region", name="Test the connection")
    await expect(panel.get_by_role("status")).to_contain_text(
        "Connected: the first call with the key curl and others"
    )
    await expect(waiting).to_have_count(0)


async def output_of(*command: str) -> str:
    """What a program prints, as its user runs it."""
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    output, _ = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode == 0
    return output.decode()


async def test_a_restart_that_connect_asked_for_is_seen_by_the_open_page(scene: BrowserHarness) -> None:
    """It went on saying that the bridge does not allow the origin, until somebody thought of a reload."""
    page = await scene.open_page()
    await go_to(page, "connect", "open-webui")
    await page.get_by_label("As a user").check()
    await page.get_by_label("Address of Open WebUI in your browser").fill("https://chat.example")
    await expect(page.get_by_text("does not allow pages from https://chat.example yet")).to_be_visible()

    async def restarted(route: Route) -> None:
        facts = await (await route.fetch()).json()
        await route.fulfill(json={**facts, "allowed_origins": ["https://chat.example"]})

    await page.route("**/api/connect", restarted)
    await scene.bridge.components.gateway.announcements.servers_changed(scene.bridge.local_user.id)
    await expect(page.get_by_text("The bridge allows pages from https://chat.example.")).to_be_visible()
