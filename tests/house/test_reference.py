"""The reference pages name what the program has: its routes, its options, its limits."""

import re
from argparse import ArgumentParser, _SubParsersAction  # pyright: ignore[reportPrivateUsage] - argparse has no public name for it
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import pytest
from aiohttp import web

from bridge import __main__ as command_line
from bridge import config, service, wire
from bridge.config import Settings
from bridge.edges.store import Store
from tests.house.source import refuse, text_of

UNITS = (("MiB", 1024 * 1024), ("KiB", 1024))


async def test_every_route_is_documented(tmp_path: Path) -> None:
    """A route that only its author knows cannot be used, nor judged."""
    page = text_of("docs/reference/http-api.md")
    routes = await _routes(tmp_path)
    assert ("POST", "/api/calls") in routes
    refuse(f"http-api.md lacks `{' '.join(route)}`" for route in sorted(routes) if _row(*route) not in page)


def test_every_option_is_documented() -> None:
    """What `--help` lists has a meaning and a default, which stand on one of these pages."""
    pages = text_of("docs/reference/command-line.md") + text_of("docs/reference/settings.md")
    named = set(re.findall(r"--[a-z-]+", pages))
    options = set(_options(_parser())) - {"--help"}
    assert "--data" in options
    refuse(f"no page lacks {option}" for option in sorted(options - named))


def test_every_limit_is_documented() -> None:
    """Whoever meets a limit finds its number where all of them stand."""
    rows = [row for row in text_of("docs/reference/limits.md").splitlines() if row.startswith("|")]
    refuse(
        f"limits.md has no row with {_written(value)} and {path}, for {name}"
        for module, path in ((wire, "bridge/wire.py"), (config, "bridge/config.py"))
        for name, value in _limits(module)
        if not any(path in row and re.search(rf"\b{_written(value)}\b", row) for row in rows)
    )


async def _routes(folder: Path) -> set[tuple[str, str]]:
    """Method and path of every route of an application that listens nowhere."""
    store = Store.open(folder / "bridge.sqlite3")
    try:
        settings = Settings(data_dir=folder)
        user = await store.ensure_user(service.LOCAL_USER)
        rooms = service._compose(settings, store, user, "http://127.0.0.1")  # pyright: ignore[reportPrivateUsage]
        app = service._application(settings, rooms, "http://127.0.0.1", 0)  # pyright: ignore[reportPrivateUsage]
        return {(route.method, _template(route)) for route in app.router.routes()} - {("OPTIONS", "")}
    finally:
        await store.close()
