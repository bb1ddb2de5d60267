"""The documentation is also a site, which needs nothing but its own files."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.house.source import files, refuse
from tests.support.built_site import build_site

pytestmark = pytest.mark.timeout(300)  # it is the first build of the machine, and others build meanwhile

LOADED = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "srcset",
    "link": "href",
    "form": "action",
}
"""Elements whose address the browser loads, or sends something to, without a click."""
ADDRESS_OF_STYLE = re.compile(r"""(?:url\(|@import\s)\s*["']?([^"')\s]+)""")
STYLE = re.compile(r"<style[^>]*>(.*?)</style>", re.DOTALL)
FOREIGN = re.compile(r"^(?:[a-z]+:)?//", re.IGNORECASE)
ADDRESS_IN_SCRIPT = re.compile(r"""["'`]((?:https?:)?//[\w.-]+\.[a-z][^"'`]*)""")
NAMES_OF_FORMATS = ("http://www.w3.org/",)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the work tree, built strictly: a link or an anchor that leads nowhere ends it."""
    folder = tmp_path_factory.mktemp("site")
    built = build_site(folder)
    if built.returncode:
        pytest.fail(f"make docs failed:\n{built.stderr}", pytrace=False)
    return folder / "next"


def test_every_page_of_the_repository_is_in_the_site(site: Path) -> None:
    """What the forge shows and the site does not would not be found by its search."""
    others = ("deploy/package.md", "changes/")  # the README once more, and pieces of the changelog
    pages = [page for page in files(".md") if not page.startswith(others)]
    refuse(page for page in pages if not (site / page).with_suffix(".html").exists())


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    """It is read offline and from a disk, and nobody else learns who reads it."""
    refuse(
        f"{path.relative_to(site)}: {address}"
        for path in sorted(site.rglob("*"))
        for address in _loaded(path)
        if FOREIGN.match(address) and not address.startswith(NAMES_OF_FORMATS)
    )


def test_every_file_that_a_page_of_the_site_names_is_there(site: Path) -> None:
    """The theme's own links are checked by nobody else."""
    refuse(
        f"{page.relative_to(site)}: {address}"
        for page in sorted(site.rglob("*.html"))
        for address in _named(page.read_text(encoding="utf-8"))
        if not urlsplit(address).scheme
        if (path := unquote(urlsplit(address).path)) and not (page.parent / path).exists()
    )


def _loaded(path: Path) -> Iterator[str]:
    if path.suffix == ".css":
        yield from ADDRESS_OF_STYLE.findall(path.read_text(encoding="utf-8"))
    elif path.suffix == ".js" and path.name != "searchindex.js":
        yield from ADDRESS_IN_SCRIPT.findall(path.read_text(encoding="utf-8"))
    elif path.suffix == ".html":
        text = path.read_text(encoding="utf-8")
        reader = _Addresses()
        reader.feed(text)
        yield from reader.loaded
        for style in STYLE.findall(text):
            yield from ADDRESS_OF_STYLE.findall(style)


def _named(text: str) -> list[str]:
    reader = _Addresses()
    reader.feed(text)
    return [*reader.loaded, *reader.linked]


class _Addresses(HTMLParser):
    """Collects what a page loads, and where it links to."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.linked: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.loaded += [values[LOADED[tag]]] if tag in LOADED and LOADED[tag] in values else []
        self.loaded += ADDRESS_OF_STYLE.findall(values.get("style", ""))
        self.linked += [values["href"]] if tag == "a" and "href" in values else []
