"""The tree of contents of the site, from the tables of `docs/README.md`: one list of pages for both."""

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

INDEX = "docs/README.md"
DECISIONS = "docs/adr/README"
NOT_SHOWN = ("README", "deploy/package")
"""The root page itself, and the README in short that indexes of packages show."""

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
    seen = {"README"}
    found = sorted([*_ROW.finditer(index), *_LINE.finditer(index)], key=lambda each: each.start())
    for each in found:
        links = [(title, _document(target)) for title, target in _LINK.findall(each["pages"])]
        pages = [(f"{title[0].upper()}{title[1:]}", path) for title, path in links if path not in seen]
        seen.update(path for _, path in pages)
        if pages:
            yield Group(each["group"], pages)


def toctrees(sources: Path) -> str:
    """MyST's directives for the root page: invisible there, shown in the navigation.

    Pages of `docs` have to stand in the index; all others, such as the changelog, come last.
    """
    index = (sources / INDEX).read_text(encoding="utf-8")
    others = sorted(path.relative_to(sources).with_suffix("").as_posix() for path in sources.rglob("*.md"))
    besides = [("", path) for path in others if path not in NOT_SHOWN and not path.startswith("docs/")]
    whole = Group("Documentation", [("All pages", INDEX.removesuffix(".md"))])
    parts = [whole, *groups(index), Group("Besides", besides)]
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
