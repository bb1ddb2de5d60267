"""A page without a person, as `tool-bridge page` runs it: paired, answering, refusing what none allowed."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from bridge.settings.network import page_url
from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.browser.unattended.running_page import (
    command_lines,
    descriptors_of,
    environs_of,
    files_with,
    listening_sockets,
    running_page,
)
from tests.support.chromium import go_to
from tests.support.tcp_servers import free_port

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

SECRET = "correct-horse-battery-staple"
ORDER = {"customer": "Ada", "items": [{"product_id": 2, "quantity": 1}]}


@pytest.fixture
def prefix() -> str:
    """The path of the bridge."""
    return ""


@pytest_asyncio.fixture(loop_scope="session")
async def shop(chromium: Browser, tmp_path: Path, prefix: str) -> AsyncIterator[BrowserHarness]:
    """A bridge that offers the shop, and asks before it changes anything."""
    (tmp_path / "bridge").mkdir()
    port = free_port()
    place = {"port": port, "public_url": f"http://127.0.0.1:{port}{prefix}"}
    async with open_harness(chromium, tmp_path / "bridge", ["shop.json"], approve="safe", **place) as scene:
        yield scene


def policy_of(shop: BrowserHarness, *lines: str) -> str:
    """A policy for the shop's document, by its address."""
    return "\n".join(["[[servers]]", f'url = "{shop.samples_url}/documents/shop.json"', *lines])


async def ticket_of(shop: BrowserHarness, folder: Path) -> tuple[str, str]:
    """The options for a file with a fresh link of the local user."""
    (folder / "ticket").write_text(await shop.bridge.page_url() + "\n")
    return "--ticket-file", str(folder / "ticket")


@pytest.mark.parametrize("prefix", ["", "/team/bridge"])
async def test_a_ticket_in_a_file_pairs_it_and_it_answers_what_its_policy_accepts(
    shop: BrowserHarness, tmp_path: Path
) -> None:
    """The printed link would have accepted everything for a person; here the policy alone says what."""
    ticket = await ticket_of(shop, tmp_path)
    async with running_page(tmp_path, shop.bridge.base_url, policy_of(shop), *ticket) as page:
        health = await page.wait_until_healthy()
        assert (health["status"], health["reason"]) == ("ok", "")
        listed = await shop.caller.call("listProducts")
        assert (listed.status, len(listed.json()["products"]) > 1) == (200, True)
        refused = await shop.caller.call("placeOrder", ORDER)
        assert (refused.status, refused.code) == (403, "not_accepted")
        assert await page.stop() == 0
    assert any("Accepted: Corner Shop, 6 operations." in line for line in page.lines)


async def test_what_would_ask_a_person_is_denied_at_once_unless_the_policy_allows_it(
    shop: BrowserHarness, tmp_path: Path
) -> None:
    """Nobody is there: a card that waits for two minutes helps no caller."""
    policy = policy_of(shop, 'accept = "all"', 'approve = ["placeOrder"]')
    async with running_page(tmp_path, shop.bridge.base_url, policy, *await ticket_of(shop, tmp_path)) as page:
        await page.wait_until_healthy()
        placed = await shop.caller.call("placeOrder", ORDER)
        assert placed.status == 200, placed.body
        denied = await asyncio.wait_for(shop.caller.call("cancelOrder", {"order_id": 1001}), 30)
        assert (denied.status, denied.code, denied.detail) == (403, "denied", {"reason": "policy"})


async def test_a_code_pairs_it_once_somebody_confirms_it(shop: BrowserHarness, tmp_path: Path) -> None:
    """A further browser of a user who has one needs nothing but that."""
    person = await shop.open_page()
    async with running_page(tmp_path, shop.bridge.base_url, policy_of(shop), "--code") as page:
        code = (await page.wait_for_line(r"type (\w{4}-\w{4}) under"))[1]
        status, health = await page.health()
        assert (status, health["reason"]) == (503, "The browser waits until its code is confirmed.")
        await go_to(person, "devices")
        await person.get_by_label("Code").fill(code)
        await person.get_by_role("button", name="Look it up").click()
        await person.get_by_role("button", name="Confirm this device").click()
        await page.wait_until_healthy()
        await person.close()
        assert (await shop.caller.call("listProducts")).status == 200


async def test_a_browser_that_is_paired_needs_no_ticket_at_its_next_start(
    shop: BrowserHarness, tmp_path: Path
) -> None:
    """A service is started with the same words after every boot; the link in them was spent at the first."""
    ticket = await ticket_of(shop, tmp_path)
    async with running_page(tmp_path, shop.bridge.base_url, policy_of(shop), *ticket) as page:
        await page.wait_until_healthy()
    async with running_page(tmp_path, shop.bridge.base_url, policy_of(shop), *ticket) as page:
        await page.wait_until_healthy()
    async with running_page(tmp_path, shop.bridge.base_url, policy_of(shop)) as page:
        await page.wait_until_healthy()
        assert (await shop.caller.call("listProducts")).status == 200


async def test_a_credential_comes_from_the_environment_and_only_the_api_reads_it(
    scene: BrowserHarness, tmp_path: Path
) -> None:
    """Neither the bridge nor a list of processes may hold it. The mirror shows that it came.

    And what an edit of the document fixes comes with every request.
    """
    parameter = "$.paths['/query'].parameters[?@.name == 'reserved']"
    await scene.edit_document({"target": parameter, "update": {"x-tool-bridge": {"fixed": "tea"}}})
    policy = f"""
        [[servers]]
        url = "{scene.samples_url}/documents/mirror.yaml"
        [[servers.credentials]]
        scheme = "bearer"
        value_env = "MIRROR_TOKEN"
    """
    options = await ticket_of(scene, tmp_path)
    environ = {"MIRROR_TOKEN": SECRET}
    async with running_page(tmp_path, scene.bridge.base_url, policy, *options, environ=environ) as page:
        await page.wait_until_healthy()
        shown = (await scene.caller.call("mirrorSecured")).json()
        assert shown["headers"]["authorization"] == "Bearer [secret]"
        assert (await scene.caller.call("mirrorQuery")).json()["query"] == "reserved=tea"
        environs = environs_of(page.browser_pids())
        assert environs
        assert not any(SECRET.encode() in each for each in environs)
        assert not any(SECRET in word for words in command_lines().values() for word in words)
        assert not any(SECRET in line for line in page.lines)
    shutil.rmtree(tmp_path / "profile")
    assert files_with(SECRET, tmp_path) == []


async def test_its_browser_listens_nowhere(shop: BrowserHarness, tmp_path: Path) -> None:
    """An open debugging port would give this browser to every program of the machine."""
    options = await ticket_of(shop, tmp_path)
    async with running_page(tmp_path, shop.bridge.base_url, policy_of(shop), *options) as page:
        await page.wait_until_healthy()
        words = command_lines()[page.browser_pids()[0]]
        assert "--remote-debugging-pipe" in words
        assert not any("ticket" in word or "debugging-port" in word for word in words)
        listening = listening_sockets()
        assert listening  # the bridge itself does
        assert not listening & descriptors_of(page.browser_pids())


async def test_a_document_that_is_not_the_pinned_one_is_not_accepted_and_the_health_says_so(
    shop: BrowserHarness, tmp_path: Path
) -> None:
    """By its digest a policy accepts what somebody has read, and nothing that took its place."""
    policy = policy_of(shop, f'digest = "{"0" * 64}"')
    options = await ticket_of(shop, tmp_path)
    async with running_page(tmp_path, shop.bridge.base_url, policy, *options) as page:
        await page.wait_for_line("The policy is not fully in force: The bridge has no document")
        status, health = await page.health()
        assert (status, "with digest 000" in health["reason"]) == (503, True)
        assert (await shop.caller.call("listProducts")).code == "not_accepted"


@pytest.mark.parametrize("words", ["http://127.0.0.1:1/#ticket=used", "used"])
async def test_a_ticket_that_is_worth_nothing_ends_it_with_a_status_of_its_own(
    shop: BrowserHarness, tmp_path: Path, words: str
) -> None:
    """To start again would not help, and a service manager must know that."""
    (tmp_path / "ticket").write_text(words.replace("http://127.0.0.1:1", shop.bridge.base_url))
    options = ("--ticket-file", str(tmp_path / "ticket"))
    async with running_page(tmp_path, shop.bridge.base_url, policy_of(shop), *options) as page:
        assert await page.ended() == 3
    assert page.lines[-1].startswith("tool-bridge: This link has already been used or has expired.")


async def test_a_browser_that_was_removed_ends_it(shop: BrowserHarness, tmp_path: Path) -> None:
    """Its user has taken it away; that must not be undone by a restart."""
    users = shop.bridge.components.users
    user = await users.ensure_user("build")
    (tmp_path / "ticket").write_text(page_url(shop.bridge.base_url, await users.add_ticket(user.id)))
    options = ("--ticket-file", str(tmp_path / "ticket"))
    async with running_page(tmp_path, shop.bridge.base_url, policy_of(shop), *options) as page:
        await page.wait_until_healthy()
        [device] = await users.list_devices(user.id)
        assert await users.delete_device(user.id, device.id)
        shop.bridge.components.identity.forget_credentials()
        await shop.bridge.components.gateway.disconnect_device(device.id)
        assert await page.ended() == 3
    assert "no longer knows this browser" in page.lines[-1]


async def test_another_process_may_not_use_the_same_profile(shop: BrowserHarness, tmp_path: Path) -> None:
    """Two browsers would take the one device's place from each other."""
    options = await ticket_of(shop, tmp_path)
    async with running_page(tmp_path, shop.bridge.base_url, policy_of(shop), *options) as page:
        await page.wait_until_healthy()
        async with running_page(tmp_path, shop.bridge.base_url, policy_of(shop)) as other:
            assert await other.process.wait() == 1
            await other.wait_for_line("another process uses the profile")
            other.profile = tmp_path / "none"


async def test_a_document_that_only_this_machine_can_fetch_is_added_by_its_browser(
    shop: BrowserHarness, tmp_path: Path
) -> None:
    """An API of the build server's own is known to nobody else."""
    policy = f"""
        [[servers]]
        url = "{shop.samples_url}/documents/library.yaml"
        add = true
    """
    options = await ticket_of(shop, tmp_path)
    async with running_page(tmp_path, shop.bridge.base_url, policy, *options) as page:
        await page.wait_until_healthy()
        tools = {tool["operationId"] for tool in await shop.caller.tools()}
        assert "searchBooks" in tools
        assert (await shop.caller.call("searchBooks")).status == 200


@pytest.mark.parametrize("is_allowed", [False, True])
async def test_a_page_from_elsewhere_reaches_this_machine_only_if_its_policy_says_so(
    shop: BrowserHarness, tmp_path: Path, *, is_allowed: bool
) -> None:
    """A person would be asked by the browser; the bridge is made to look public here."""
    policy = f"local_network = {str(is_allowed).lower()}\n{policy_of(shop)}"
    bridge = shop.bridge.base_url.removeprefix("http://")
    flags = f"--ip-address-space-overrides={bridge}=public"
    options = await ticket_of(shop, tmp_path)
    async with running_page(tmp_path, shop.bridge.base_url, policy, *options, flags=flags) as page:
        await page.wait_until_healthy()
        listed = await shop.caller.call("listProducts")
        assert listed.status == (200 if is_allowed else 502)


@pytest.mark.usefixtures("page_sources")
async def test_a_page_with_a_person_offers_a_driver_nothing(shop: BrowserHarness) -> None:
    """Whatever else runs in that browser finds no way to decide for its user, and loads none."""
    page = await shop.open_page()
    loaded = "performance.getEntriesByType('resource').map(({name}) => name).join()"
    assert "executor_client.js" in await page.evaluate(loaded)
    assert "unattended" not in await page.evaluate(loaded)
    assert await page.evaluate("typeof toolBridgePage") == "undefined"
    await page.evaluate("globalThis.toolBridgeDriver = () => undefined")
    await go_to(page, "tools")
    await page.wait_for_load_state("networkidle")
    assert await page.evaluate("typeof toolBridgePage") == "undefined"
