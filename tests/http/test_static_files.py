"""Files of the page from memory: what a browser gets, when it gets nothing again, and what is no file."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio
from aiohttp import web

from bridge.http.static_files import StaticFiles
from tests.support.web_servers import serving

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def site(tmp_path: Path) -> AsyncIterator[str]:
    """`page/` of the test's folder, at its address."""
    (tmp_path / "page" / "base").mkdir(parents=True)
    (tmp_path / "page" / "base" / "a.js").write_text("export const a = 1;\n", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("canary", encoding="utf-8")
    (tmp_path / "page" / "out.txt").symlink_to(tmp_path / "secret.txt")
    files = StaticFiles(tmp_path / "page")

    async def answer(request: web.Request) -> web.Response:
        found = files.answer_file(request, request.match_info["name"], {"X-Own": "yes"})
        return found or web.Response(status=404)

    app = web.Application()
    app.router.add_get("/{name:.*}", answer)
    async with serving(app) as url:
        yield url


async def test_a_file_that_has_not_changed_is_not_sent_again(
    site: str, http: aiohttp.ClientSession, tmp_path: Path
) -> None:
    """A page is two hundred modules, which a browser asks about at every visit."""
    async with http.get(f"{site}/base/a.js") as first:
        assert (first.status, await first.text()) == (200, "export const a = 1;\n")
        assert first.headers["Content-Type"] == "text/javascript; charset=utf-8"
        tag = {"If-None-Match": first.headers["ETag"]}
    async with http.get(f"{site}/base/a.js", headers=tag) as again:
        assert (again.status, await again.read(), again.headers["X-Own"]) == (304, b"", "yes")
    path = tmp_path / "page" / "base" / "a.js"
    path.write_text("export const a = 2;\n", encoding="utf-8")
    os.utime(path, ns=(1, 1))
    async with http.get(f"{site}/base/a.js", headers=tag) as changed:
        assert (changed.status, await changed.text()) == (200, "export const a = 2;\n")


@pytest.mark.parametrize("name", ["none.js", "base", "", "out.txt", "..%2fsecret.txt", "a%00b", "x" * 5000])
async def test_what_is_no_file_of_the_page_is_not_found(
    site: str, http: aiohttp.ClientSession, name: str
) -> None:
    """Nor what a link in the folder leads to."""
    async with http.get(f"{site}/{name}") as answer:
        assert (answer.status, await answer.read()) == (404, b"")
