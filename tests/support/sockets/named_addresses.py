"""Which contract tests run once more below a path: those that concern addresses, by what they say.

The path is taken away in one place, before routes, and put before each address that the bridge hands out
(ADR 66). So below a path it is enough to meet each route and each event once, and to read each address again.
Three rules choose:

- a test marked `two_replicas` runs: the walks over all routes and events are among them;
- a test runs if its own text, or the docstring of its file, names what has an address: a login, a link, a
  cookie, a redirect, a field called `…url`;
- the first test of each file runs, so that each part of the interfaces is met.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

ADDRESS = re.compile(
    r"""
    log(s|ged)?[ _-]?in\b | logins | oauth | location | redirect | cookie | href | \blinks?\b | link_
    | origin | prefix | well-known | issuer | address | public_url | resource_metadata | bundled | static
    | ["'][a-z_]*ur[il][a-z_]*["'] | \bassert\b.*(base_url|http://)
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What a test says that reads an address which the bridge hands out."""


def choose_for_path(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Those of the tests that a path of the bridge can break, in their order."""
    firsts: dict[Path, pytest.Item] = {}
    for item in sorted(items, key=_place_in_file):
        firsts.setdefault(item.path, item)
    return [
        item
        for item in items
        if item is firsts[item.path]
        or item.get_closest_marker("two_replicas") is not None
        or names_address(item)
    ]


def names_address(item: pytest.Item) -> bool:
    """Whether a test names what has an address, with its cases, its docstring and that of its file."""
    return ADDRESS.search(_texts_of(item.path)[item.nodeid.partition("[")[0].rpartition("::")[2]]) is not None


def _place_in_file(item: pytest.Item) -> tuple[int, str]:
    return item.location[1] or 0, item.nodeid


@cache
def _texts_of(path: Path) -> dict[str, str]:
    """The text of each test of a file, after the docstring of the file, by its name."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    lines = text.splitlines()
    return {
        node.name: "\n".join([ast.get_docstring(tree) or "", *lines[_first_line(node) - 1 : node.end_lineno]])
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def _first_line(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])
