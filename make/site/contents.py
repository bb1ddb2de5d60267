"""The tree of contents of the site, from the tables of `docs/README.md`: one list of pages for both."""

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

INDEX = "docs/README.md"
DECISIONS = "docs/adr/README"
BESIDES = (
    "CHANGELOG",
    "CONTRIBUTING",
    "plugins/open_webui/README",
    "plugins/open_webui/PIPE",
    "plugins/open_webui/SUBQUERY",
    "tests/upgrade/README",
)
"""Pages that are not of the documentation, and to which it has links."""

_ROW = re.compile(r"^\| (?P<group>[^|]+) \| (?P<pages>.*) \|$", re.MULTILINE)
_LINE = re.compile(r"^\*\*(?P<group>[^*]+)\*\*(?P<pages>(?:.*\]\(.*\n?)+)", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\(([^)#:]+)\)")


class Group(NamedTuple):
    """Pages under one heading of the navigation."""

    heading: str
    pages: list[tuple[str, str]]
    """Title and path from the root of the repository, without `.md`."""


def groups(index: str) -> Iterator[Group]:
    """What the index lists, in its order; each page once, where it stands first."""
    seen: set[str] = set()
    found = sorted([*_ROW.finditer(index), *_LINE.finditer(index)], key=lambda each: each.start())
    for each in found:
        links = [(title, _document(target)) for title, target in _LINK.findall(each["pages"])]
        pages = [(title, path) for title, path in links if path not in seen and path != "README"]
        seen.update(path for _, path in pages)
        if pages:
            yield Group(each["group"], pages)


def toctrees(index: str) -> str:
    """MyST's directives for the root page: invisible there, shown in the navigation."""
    whole = Group("Documentation", [("All pages", INDEX.removesuffix(".md"))])
    parts = [whole, *groups(index), Group("Besides", [("", path) for path in BESIDES])]
    return "\n".join(["", *(_toctree(part) for part in parts)])


def toctree_of_folder() -> str:
    """The same for a page that stands for its folder."""
    return "\n".join(["", "```{toctree}", ":hidden:", ":glob:", "", "[0-9]*", "```", ""])


def _toctree(group: Group) -> str:
    entries = [f"{title} <{path}>" if title else path for title, path in group.pages]
    return "\n".join(["```{toctree}", ":hidden:", f":caption: {group.heading}", "", *entries, "```", ""])


def _document(target: str) -> str:
    path = posixpath.normpath(posixpath.join(posixpath.dirname(INDEX), target))
    return f"{path}/README" if target.endswith("/") else path.removesuffix(".md")
