"""The documentation as a site, in a browser: served, and opened from a disk."""

import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from aiohttp import web
from playwright.async_api import Browser, Page, expect

from tests.browser.chat_harness import barriers
from tests.support.built_site import ROOT, build_site
from tests.support.web_servers import serving

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(300),
]

PAGES = (
    "index.html",
    "search.html?q=breaker",
    "docs/README.html",
    "docs/tutorial/first-tool-call.html",
    "docs/reference/settings.html",
    "docs/reference/errors.html",
    "docs/adr/README.html",
)


OLDER_PAGES = {
    "README.md": "# Direct Tool Bridge\n\n[Pages](docs/README.md), by [a program](make/site/build.py).\n",
    "docs/README.md": "# Documentation\n\n| group | pages |\n|---|---|\n"
    "| Reference | [limits](reference/limits.md) |\n",
    "docs/reference/limits.md": "# Limits\n\nFew, see [the documentation](../README.md).\n",
}
"""What an older version said."""


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The work tree, and a repository of few pages under a tag and under a later one."""
    site = tmp_path_factory.mktemp("site")
    older = make_repository(tmp_path_factory.mktemp("older"), "v0.9.0")
    built = build_site(site, "--version", "0.9.0", repository=older)
    assert built.returncode == 0, built.stderr
    shutil.copytree(site / "0.9.0", site / "0.10.0")
    built = build_site(site)
    assert built.returncode == 0, built.stderr
    return site


def make_repository(folder: Path, tag: str) -> Path:
    """What built the site when it had few pages: half a minute of a core less than with those of today."""
    for name in ("make/site", "docs/pictures"):
        shutil.copytree(ROOT / name, folder / name)
    (folder / "static").mkdir()
    for name in ("LICENSE", "static/favicon.svg"):
        shutil.copy(ROOT / name, folder / name)
    for name, text in OLDER_PAGES.items():
        page = folder / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")
    author = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    commit = [*author, "commit", "--quiet", "--message", "one"]
    for words in (["init", "--quiet"], ["add", "."], commit, ["tag", tag]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return folder


@pytest.fixture
def disk(folder: Path) -> str:
    """Its address without a server."""
    return folder.as_uri()


@pytest_asyncio.fixture(loop_scope="session")
async def served(folder: Path) -> AsyncIterator[str]:
    """Its address at a server of files."""
    app = web.Application()
    app.router.add_static("/", folder)
    async with serving(app) as address:
        yield address


@pytest_asyncio.fixture(loop_scope="session")
async def page(chromium: Browser) -> AsyncIterator[Page]:
    """A window that is told of what it loads."""
    context = await chromium.new_context()
    yield await context.new_page()
    await context.close()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
async def test_axe_finds_nothing_in_the_site(chromium: Browser, served: str, width: int, scheme: str) -> None:
    """The theme's markup is not ours, but our readers are."""
    context = await chromium.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)  # pyright: ignore[reportArgumentType]
    page = await context.new_page()
    for name in PAGES:
        await page.goto(f"{served}/next/{name}")
        await expect(page.get_by_role("main").get_by_role("heading").first).to_be_visible()
        assert await barriers(page) == [], name
    await context.close()


@pytest.mark.parametrize("place", ["disk", "served"])
async def test_the_search_finds_a_page(page: Page, place: str, disk: str, served: str) -> None:
    """From a disk as well, where a page may fetch nothing."""
    elsewhere: list[str] = []
    address = disk if place == "disk" else served
    page.on("request", lambda sent: elsewhere.append(sent.url) if not sent.url.startswith(address) else None)
    await page.goto(f"{address}/next/index.html")
    await (
        page.get_by_role("searchbox")
        .or_(page.get_by_label("Search", exact=True))
        .first.fill("outcome_unknown")
    )
    await page.keyboard.press("Enter")
    await page.get_by_role("link", name="Errors > outcome_unknown").click()
    await expect(page.get_by_role("heading", name="outcome_unknown")).to_be_in_viewport()
    assert elsewhere == []


async def test_a_reader_changes_the_version_and_stays_at_the_page(page: Page, disk: str) -> None:
    """Whoever runs an older bridge reads what it does."""
    await page.goto(f"{disk}/next/docs/reference/limits.html")
    chooser = page.get_by_label("Version")
    await expect(chooser.get_by_role("option")).to_have_text(["next", "0.10.0", "0.9.0"])
    await chooser.select_option("0.9.0")
    await page.wait_for_url("**/0.9.0/docs/reference/limits.html")
    await expect(page.get_by_text("This is not the newest version.")).to_be_visible()


async def test_the_way_in_leads_to_the_newest_release(page: Page, disk: str) -> None:
    """A link without a version is good for as long as the site is."""
    await page.goto(f"{disk}/index.html")
    await page.wait_for_url("**/latest/index.html")
    await expect(page.get_by_role("heading", name="Direct Tool Bridge")).to_be_visible()
