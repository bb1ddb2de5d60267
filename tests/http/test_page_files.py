"""Files of the page: addresses with the digest of all of them, what is preloaded, and what is no file."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio
from aiohttp import web

from bridge.http.page_digest import SOURCES_MEMBER, digest_of_files, list_sources
from bridge.http.page_files import PageFiles
from tests.support.web_servers import serving

HTML = '<head>\n<script src="/static/app.js"></script>\n</head>'


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A page of four modules, one of which is loaded when it is needed."""
    folder = tmp_path / "page"
    _write(folder / "index.html", HTML)
    _write(folder / "probe.html", HTML.replace("app", "probe"))
    _write(folder / "oauth.html", HTML.replace("app", "oauth_callback"))
    _write(folder / "app.js", 'import {\n  a,\n} from "./base/a.js";\nvoid import("./base/late.js");\n')
    _write(folder / "base" / "a.js", 'export { b } from "../base/b.js";\nexport const a = 1;\n')
    _write(folder / "base" / "b.js", 'import "./a.js";\nexport const b = 2;\n')
    _write(folder / "base" / "late.js", "export const late = 3;\n")
    _write(folder / "executor_worker.js", "")
    _write(folder / "probe.js", "")
    _write(folder / "oauth_callback.js", "")
    (tmp_path / "secret.txt").write_text("canary", encoding="utf-8")
    (folder / "out.txt").symlink_to(tmp_path / "secret.txt")
    return folder


@pytest_asyncio.fixture
async def site(sources: Path) -> AsyncIterator[str]:
    """The files of the page, at their names."""
    files = PageFiles(sources, sources / "none")

    async def answer(request: web.Request) -> web.StreamResponse:
        found = files.open_file(request.match_info["name"], {"X-Own": "yes"})
        return found or web.Response(status=404)

    app = web.Application()
    app.router.add_get("/{name:.*}", answer)
    async with serving(app) as url:
        yield url


def test_a_document_names_its_files_with_the_digest_of_all(sources: Path) -> None:
    """Then a browser may keep each of them for good."""
    files = PageFiles(sources, sources / "none")
    assert f'src="/static/{files.digest}/app.js"' in files.read_document("index.html")


def test_a_change_of_any_file_changes_the_digest_at_the_next_document(sources: Path) -> None:
    """Whoever changes a module reloads the page, and needs no restart."""
    files = PageFiles(sources, sources / "none")
    first = files.digest
    assert first in files.read_document("index.html")
    _write(sources / "base" / "late.js", "export const late = 4;  // longer\n")
    assert first not in files.read_document("index.html")
    assert PageFiles(sources, sources / "none").digest == files.digest


def test_every_module_that_is_loaded_in_any_case_is_preloaded_once(sources: Path) -> None:
    """Found one behind the other, each would cost a round trip; what is loaded on demand is left out."""
    files = PageFiles(sources, sources / "none")
    text = files.read_document("index.html")
    preloaded = [line.split('"')[3].split("/", 3)[3] for line in text.splitlines() if "modulepreload" in line]
    assert preloaded == ["app.js", "base/a.js", "base/b.js", "executor_worker.js"]


def test_a_built_page_takes_the_place_of_the_sources(sources: Path, tmp_path: Path) -> None:
    """Its manifest says its digest and what it preloads; the build knows that already."""
    built = tmp_path / "built"
    _write(built / "index.html", HTML)
    _write(built / "manifest.json", '{"digest": "d1", "preloads": {"index.html": ["app.js"]}}')
    files = PageFiles(sources, built)
    assert files.digest == "d1"
    assert '<link rel="modulepreload" href="/static/d1/app.js">' in files.read_document("index.html")


def test_what_make_run_has_built_is_served_while_it_fits_the_sources(sources: Path, tmp_path: Path) -> None:
    """A developer who changes a module and reloads must see the change, not the page of yesterday."""
    built, module = tmp_path / "built", sources / "base" / "late.js"
    files = PageFiles(sources, sources / "none", built)
    of_sources = files.digest
    _write(built / "index.html", HTML)
    _write(built / "manifest.json", _manifest(sources))
    assert "/static/d1/app.js" in files.read_document("index.html"), "also if it is finished after the start"
    written = module.read_text(encoding="utf-8")
    _write(module, written + "// changed\n")
    changed = files.read_document("index.html")
    assert files.digest not in ("d1", of_sources)
    assert f"/static/{files.digest}/base/a.js" in changed
    _write(module, written)
    assert "/static/d1/app.js" in files.read_document("index.html")


def test_a_page_that_is_being_built_anew_is_not_served(sources: Path, tmp_path: Path) -> None:
    """Half of it would not run."""
    built = tmp_path / "built"
    _write(built / "index.html", HTML)
    _write(built / "manifest.json", _manifest(sources)[:-9])
    files = PageFiles(sources, sources / "none", built)
    assert f"/static/{files.digest}/base/a.js" in files.read_document("index.html")


@pytest.mark.asyncio
async def test_a_file_is_kept_for_good(site: str, http: aiohttp.ClientSession) -> None:
    """Its address changes with it."""
    async with http.get(f"{site}/base/late.js") as answer:
        assert (answer.status, await answer.text()) == (200, "export const late = 3;\n")
        assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert answer.headers["X-Own"] == "yes"


@pytest.mark.asyncio
async def test_a_compressed_sibling_is_sent_to_whoever_takes_it(
    site: str, http: aiohttp.ClientSession, sources: Path
) -> None:
    """It was compressed once, and better than there would be time for at each request."""
    (sources / "app.js.br").write_bytes(b"small")
    async with http.get(
        f"{site}/app.js", headers={"Accept-Encoding": "gzip, br"}, auto_decompress=False
    ) as one:
        assert (await one.read(), one.headers["Content-Encoding"]) == (b"small", "br")
        assert one.headers["Content-Type"] == "text/javascript; charset=utf-8"
        assert one.headers["Vary"] == "Accept-Encoding"
    async with http.get(f"{site}/app.js", headers={"Accept-Encoding": "gzip"}) as other:
        assert ("Content-Encoding" in other.headers, b"late.js" in await other.read()) == (False, True)


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["none.js", "base", "", "out.txt", "..%2fsecret.txt", "a%00b", "x" * 5000])
async def test_what_is_no_file_of_the_page_is_not_found(
    site: str, http: aiohttp.ClientSession, name: str
) -> None:
    """Nor what a link in the folder leads to."""
    async with http.get(f"{site}/{name}") as answer:
        assert (answer.status, await answer.read()) == (404, b"")


def _manifest(sources: Path) -> str:
    """The manifest of a page that was built of these sources."""
    digest = digest_of_files(sources, list_sources(sources))
    return json.dumps({"digest": "d1", "preloads": {"index.html": ["app.js"]}, SOURCES_MEMBER: digest})


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
