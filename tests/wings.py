"""`--wing=tools`, `--wing=models`: the tests of one wing of the bridge.

A test belongs to the wing of models if it stands in one of the folders `MODELS`, or if its module imports
what knows models; all others belong to the wing of tools.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

MODELS = (
    "tests/browser/chat/",
    "tests/http/openai/",
    "tests/plugins/",
    "tests/providers/",
    "tests/unit/models/",
    "tests/unit/settings/chat/",
)
"""Folders of the models' tests, whatever they import."""

KNOWS_MODELS = (
    "bridge.endpoints.api.conversations",
    "bridge.endpoints.openai",
    "bridge.models",
    "bridge.settings.chat",
    "bridge.storage.chat",
    "tests.support.models",
)
"""Modules that know models, with all in them."""

WINGS = ("tools", "models")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the option."""
    parser.addoption("--wing", choices=WINGS, help="run the tests of one wing of the bridge")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of the other wing."""
    if (wanted := config.getoption("--wing")) is None:
        return
    wings = [(item, wing_of_file(item.path, item.nodeid)) for item in items]
    config.hook.pytest_deselected(items=[item for item, wing in wings if wing != wanted])
    items[:] = [item for item, wing in wings if wing == wanted]


def wing_of_file(path: Path, name: str) -> str:
    """Which of `WINGS` a test file belongs to; `name`: its path from the root, with slashes."""
    return "models" if name.startswith(MODELS) or _knows_models(path) else "tools"


@cache
def _knows_models(path: Path) -> bool:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return any(f"{name}.".startswith(tuple(f"{each}." for each in KNOWS_MODELS)) for name in _imported(tree))


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
