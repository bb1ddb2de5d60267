"""The page as a wheel carries it: built, compressed, at addresses that are kept for good."""

import asyncio
import json
import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Page, Request, Response, Route, expect

from bridge.bundled import INSTALLED
from bridge.http.page_digest import SOURCES_MEMBER, digest_of_files, list_sources
from bridge.http.static_page import STATIC
from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.support.chromium import Caller, accept_selection, complaints_of, expect_connection, go_to
from tests.support.oauth.authorization import oauth_server
from tests.support.oauth.protected_mcp import protected_mcp
from tests.support.waiting import eventually
from tests.support.wheel import unpack_wheel

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(180),
    pytest.mark.slow,
]

SECTIONS = (
    "servers",
    "tools",
    "chat",
    "calls",
    "devices",
    "settings",
    "connect",
    "add",
    "selection",
    "approval",
    "backup",
)
START_S = 60
FILES_OF_FIRST_VIEW = 12
"""Of the built page: script, worker, style, icons, the first section and what it shares with others."""

BYTES_OF_VIEWS = dict.fromkeys(("servers", "tools", "calls", "connect", "chat"), 95_000)
"""Of scripts and icons, as they come compressed, until the network is quiet."""
BYTES_OF_CONVERSATION = 125_000
"""With the reader of Markdown, 24 KB."""
QUIET_S = 2.0

NOTE_ERRORS = """() => {
  const main = document.querySelector("main");
  const note = () => main.innerText.includes("could not be loaded") && sessionStorage.setItem("errors", "1");
  new MutationObserver(note).observe(main, { childList: true, subtree: true });
}"""
"""What notes errors that this load of the page shows, however briefly."""


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What pip would install."""
    return unpack_wheel(tmp_path_factory.mktemp("wheel"))


@pytest_asyncio.fixture(loop_scope="session")
async def installed(packages: Path, tmp_path: Path) -> AsyncIterator[dict[str, str]]:
    """What an installed `tool-bridge demo` printed once it was ready."""
    options = ("demo", "--data", str(tmp_path), "--port", "0", "--approve", "all", "--json")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bridge", *options),
        stdout=asyncio.subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(packages)},
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(START_S):
            yield json.loads(await process.stdout.readline())
    finally:
        process.terminate()
        await process.wait()


async def test_an_installed_bridge_does_its_main_job(installed: dict[str, str], chromium: Browser) -> None:
    """The link is opened, a program calls a tool, the page asks the API; and every section opens."""
    page = await chromium.new_page()
    complaints = complaints_of(page)
    answers = _answers_of(page)
    await page.goto(installed["page_url"])
    await expect_connection(page, "connected")
    async with aiohttp.ClientSession() as http:
        program = Caller(installed["base_url"], installed["key"], http)
        reply = await program.call("listProducts", {"search": "tea"})
    assert (reply.status, "total" in reply.json()) == (200, True)
    for section in SECTIONS:
        await go_to(page, section)
        await expect(page.get_by_role("main").get_by_role("heading").first).to_be_visible()
        await expect(page.get_by_role("main")).not_to_contain_text("could not be loaded")
    scripts = [answer for answer in answers if answer.url.endswith(".js") and "/static/" in answer.url]
    large = [script for script in scripts if re.search(r"/(app|executor_worker|tools_view)\.js$", script.url)]
    assert {script.headers["content-encoding"] for script in large} <= {"br", "gzip"}
    assert all("immutable" in script.headers["cache-control"] for script in scripts)
    policy = answers[0].headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "require-trusted-types-for 'script'" in policy
    asked = {urlsplit(answer.url).netloc for answer in answers}
    known = {urlsplit(installed[name]).netloc for name in ("base_url", "samples_url")}
    assert asked == known, "no other host"
    assert complaints == []
    await page.close()


async def test_a_clone_serves_what_make_run_has_built(
    packages: Path, chromium: Browser, tmp_path: Path
) -> None:
    """Its sources are hundreds of files; where one has changed, they are what is to be seen all the same."""
    built = shutil.copytree(packages / "bridge" / INSTALLED / "built_page", tmp_path / "page")
    manifest = json.loads((built / "manifest.json").read_text(encoding="utf-8"))
    manifest[SOURCES_MEMBER] = digest_of_files(STATIC, list_sources(STATIC))
    (built / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    async with open_harness(chromium, tmp_path, ["mirror.yaml"], built_in_clone=built) as scene:
        page = await (await scene.new_context()).new_page()
        answers = _answers_of(page)
        await page.goto(await scene.bridge.page_url())
        await expect_connection(page, "connected")
        files = {urlsplit(answer.url).path for answer in answers if "/static/" in answer.url}
        assert len(files) <= FILES_OF_FIRST_VIEW, "\n".join(sorted(files))
        manifest[SOURCES_MEMBER] = "of other sources"
        (built / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        answers.clear()
        await page.reload()
        await expect_connection(page, "connected")
        assert any(answer.url.endswith("/base/language.js") for answer in answers)


async def test_an_installed_bridge_calls_the_sample_mcp_server(
    installed: dict[str, str], chromium: Browser
) -> None:
    """What calls MCP servers is a file of its own, which the worker loads with the first such call."""
    page = await chromium.new_page()
    complaints = complaints_of(page)
    await page.goto(installed["page_url"])
    await expect_connection(page, "connected")
    await go_to(page, "add")
    await page.get_by_label("Address of the document").fill(installed["sample_mcp_url"])
    await page.get_by_role("button", name="Fetch", exact=True).click()
    await expect(page.get_by_role("heading", name="Review Notes (MCP)")).to_be_visible()
    await accept_selection(page, page.url.partition("#/servers/")[2].partition("/")[0])
    async with aiohttp.ClientSession() as http:
        program = Caller(installed["base_url"], installed["key"], http)
        reply = await program.call("add_note", {"title": "milk"})
        failed = await program.call("add_note", {"title": "milk"})
    assert (reply.status, reply.json()["text"]) == (200, "Noted: milk")
    assert (failed.status, failed.code) == (502, "tool_failed")
    assert [line for line in complaints if "405" not in line] == [], "but for the address asked by GET"
    await page.close()


async def test_an_installed_bridge_logs_in_and_renews_the_login(
    installed: dict[str, str], chromium: Browser
) -> None:
    """What logs in is a section that other sections load, what renews is a file of the worker's own."""
    page = await (await chromium.new_context()).new_page()
    await page.goto(installed["page_url"])
    await expect_connection(page, "connected")
    async with aiohttp.ClientSession() as http, oauth_server() as server, protected_mcp(server) as endpoint:
        await go_to(page, "add")
        await page.get_by_label("Address of the document").fill(endpoint)
        await page.get_by_role("button", name="Fetch", exact=True).click()
        async with page.context.expect_page() as opened:
            await page.get_by_role("region", name="Login").get_by_role("button", name="Log in").click()
        await (await opened.value).get_by_role("button", name="Allow").click()
        await expect(page.get_by_role("heading", name="Review Notes (MCP)")).to_be_visible()
        await accept_selection(page, page.url.partition("#/servers/")[2].partition("/")[0])
        await expect(page.get_by_role("list", name="Accounts")).to_contain_text("read:notes")
        program = Caller(installed["base_url"], installed["key"], http)
        server.tokens[0].expires_at = 0
        assert (await program.call("list_notes")).detail["status"] == 401
        assert (await program.call("list_notes")).status == 200
    await page.context.close()


async def test_nothing_is_asked_twice_when_the_page_is_loaded(scene: BrowserHarness) -> None:
    """Every question costs its way to the bridge and back, on a slow line a tenth of a second."""
    page = await scene.open_page()
    await page.goto("about:blank")
    pages = scene.bridge.components.gateway.pages
    await eventually(lambda: pages.count_pages(scene.bridge.local_user.id) == 0)
    _expect_nothing_twice(await _load_tools(page, scene.bridge.base_url))


async def test_neither_is_it_by_the_built_page_which_loads_one_section_only(
    installed: dict[str, str], chromium: Browser
) -> None:
    """The other form loads its modules in another order; a section that nobody opened is not waited for."""
    page = await chromium.new_page()
    await page.goto(installed["page_url"])
    await expect_connection(page, "connected")
    await page.goto("about:blank")
    async with aiohttp.ClientSession() as http:
        program = Caller(installed["base_url"], installed["key"], http)

        async def has_left() -> bool:
            return (await program.call("listProducts")).code == "no_browser"

        async def are_validated() -> bool:
            headers = {"Authorization": f"Bearer {installed['key']}"}
            async with http.get(f"{installed['base_url']}/api/servers", headers=headers) as answer:
                servers = (await answer.json())["servers"]
            return all(server["validation"]["state"] != "pending" for server in servers)

        await eventually(has_left)
        await eventually(are_validated, within_s=60)  # each report is news, for which a page asks again
    asked = await _load_tools(page, installed["base_url"])
    _expect_nothing_twice(asked)
    assert [line.rpartition("/")[2] for line in asked if line.endswith("_view.js")] == ["tools_view.js"]
    await page.close()


async def test_a_section_and_what_it_shares_with_others_come_together(
    installed: dict[str, str], chromium: Browser
) -> None:
    """One behind the other would be a round trip more: here the first comes once the second was asked for."""
    page = await chromium.new_page()
    await page.goto(installed["page_url"])
    await expect_connection(page, "connected")
    is_asked = asyncio.Event()

    async def hold_section(route: Route) -> None:
        async with asyncio.timeout(START_S):
            await is_asked.wait()
        await route.continue_()

    def note(request: Request) -> None:
        if request.url.endswith("/sections/shared_tools_calls.js"):
            is_asked.set()

    page.on("request", note)
    await page.route("**/sections/tools_view.js", hold_section)
    await page.route("**/sections/shared.js", lambda route: route.abort())  # what fetches documents is in it
    await page.goto("about:blank")
    await page.goto(f"{installed['base_url']}/#/tools")
    await expect(page.get_by_role("heading", name="Tools", exact=True)).to_be_visible()
    await expect(
        page.get_by_text("Documents are not fetched again")
    ).to_be_visible()  # and nothing else is lost
    await expect_connection(page, "connected")
    await page.close()


async def test_what_a_browser_transfers_for_a_view_stays_small(
    installed: dict[str, str], chromium: Browser
) -> None:
    """Finding P-M1: a list of files said 90 KB of scripts, a browser transferred 138."""
    context = await chromium.new_context()
    page = await context.new_page()
    await page.goto(installed["page_url"])
    await expect_connection(page, "connected")
    await go_to(page, "chat")
    await page.get_by_role("textbox", name="Message").fill("**Hello**")
    await page.keyboard.press("Enter")
    await expect(page.locator(".answer-turn .markdown")).to_be_visible()
    conversation = page.url.partition("#/")[2]
    await page.close()
    sizes = {
        view: await _transferred_by(context, f"{installed['base_url']}/#/{view}")
        for view in (*BYTES_OF_VIEWS, conversation)
    }
    budgets = {**BYTES_OF_VIEWS, conversation: BYTES_OF_CONVERSATION}
    assert {view: size for view, size in sizes.items() if size > budgets[view]} == {}
    await context.close()


async def test_a_page_of_an_older_version_reloads_once_when_it_needs_a_section(scene: BrowserHarness) -> None:
    """The section's file went with the version; reloading for ever would help nobody either."""
    page = await scene.open_page()
    loads = 0

    def count_load(_: Page) -> None:
        nonlocal loads
        loads += 1

    async def answer_as_a_newer_bridge(route: Route) -> None:
        is_gone = "tools_view" in route.request.url or route.request.method == "HEAD"
        await (route.fulfill(status=404) if is_gone else route.continue_())

    page.on("domcontentloaded", count_load)
    await page.route("**/static/**", answer_as_a_newer_bridge)
    await page.evaluate(NOTE_ERRORS)
    await go_to(page, "tools")
    again = page.get_by_role("button", name="Try again")
    await expect(again).to_be_visible()
    assert await page.evaluate("sessionStorage.getItem('errors')") is None, "what mends itself is no error"
    assert loads == 1
    await page.unroute("**/static/**")
    await again.click()
    await expect(page.get_by_role("heading", name="Tools", exact=True)).to_be_visible()


def _answers_of(page: Page) -> list[Response]:
    answers: list[Response] = []

    def note(answer: Response) -> None:
        answers.append(answer)

    page.on("response", note)
    return answers


async def _transferred_by(context: BrowserContext, address: str) -> int:
    """Bytes of all scripts and pictures that a browser with an empty cache loads here, its worker's too."""
    page = await context.new_page()
    session: Any = await context.new_cdp_session(page)  # its answers are untyped
    await session.send("Network.clearBrowserCache")
    loop = asyncio.get_running_loop()
    finished: list[Request] = []
    last = loop.time()

    def note(request: Request) -> None:
        nonlocal last
        last = loop.time()
        path = urlsplit(request.url).path
        is_counted = path.endswith((".js", ".svg"))  # `/executor/…` is one line that imports its script
        if path.startswith("/static/") and is_counted:
            finished.append(request)

    context.on("requestfinished", note)
    await page.goto(address)
    await expect_connection(page, "connected")
    await eventually(lambda: loop.time() - last > QUIET_S, within_s=START_S, what="a quiet network")
    context.remove_listener("requestfinished", note)
    sizes = {request.url: 0 for request in finished}
    for request in finished:  # one that was loaded in advance comes again of the cache, with no bytes
        sizes[request.url] += (await request.sizes())["responseBodySize"]
    assert all(sizes.values()), "every script counts, the worker's with them"
    await page.close()
    return sum(sizes.values())


async def _load_tools(page: Page, base_url: str) -> list[str]:
    """Open the list of tools; returns methods and addresses of everything that was asked for until then."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(f"{request.method} {request.url}"))
    await page.goto(f"{base_url}/#/tools")
    await expect_connection(page, "connected")
    await expect(page.get_by_role("main").get_by_role("listitem").first).to_be_visible()
    await page.wait_for_load_state("networkidle")
    return asked


def _expect_nothing_twice(asked: Sequence[str]) -> None:
    plain = [re.sub(r"/executor/[^/]+", "/executor/…", line) for line in asked]
    routes = Counter(line for line in plain if "/static/" not in line)
    assert [line for line, times in routes.items() if times > 1] == []
    assert any("/api/tools" in line for line in routes)
