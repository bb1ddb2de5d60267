"""The reference pages name what the program has: its routes, its commands and options, its limits."""

import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from bridge import errors
from bridge.__main__ import main
from bridge.browsers.gateway import SOCKET_PATH
from bridge.settings import approvals, limits, network, storage, tools, users
from bridge.settings.chat import memory
from tests.house.source import refuse, text_of
from tests.support.running_bridge import running_bridge

TOOL_SERVERS = ("", "/servers/{server}")
"""What `{base}` stands for on the page about routes."""


@pytest.mark.asyncio
async def test_the_routes_on_the_page_are_those_that_are_served(tmp_path: Path) -> None:
    """A route that only its author knows cannot be used, nor judged."""
    named = set(_routes_of_page(text_of("docs/reference/http-api.md")))
    served = await _served_routes(tmp_path)
    refuse(f"docs/reference/http-api.md lacks `{route}`" for route in sorted(served - named))
    refuse(f"docs/reference/http-api.md: nothing answers `{route}`" for route in sorted(named - served))


def test_every_command_and_option_is_documented(capsys: pytest.CaptureFixture[str]) -> None:
    """What `--help` lists has a meaning and a default, which stand on one of these pages."""
    page = text_of("docs/reference/command-line.md")
    commands = re.findall(r"^    (\w+) ", _help(capsys), re.MULTILINE)
    assert "serve" in commands
    refuse(
        f"docs/reference/command-line.md lacks `{name}`" for name in commands if f"## `{name}`" not in page
    )
    options = {option for name in commands for option in _options(_help(capsys, name))} - {"--help"}
    assert "--data" in options
    named = set(_options(page + text_of("docs/reference/settings.md")))
    refuse(f"command-line.md and settings.md lack {option}" for option in sorted(options - named))


@pytest.mark.parametrize("module", [errors, approvals, limits, memory, network, storage, tools, users])
def test_every_limit_is_documented(module: ModuleType) -> None:
    """Whoever meets a limit finds its number where all of them stand, in a row that names its module."""
    path = module.__name__.replace(".", "/") + ".py"
    rows = [row for row in text_of("docs/reference/limits.md").splitlines() if path in row]
    refuse(
        f"docs/reference/limits.md has no row with {text} and {path}, for {name}"
        for name, text in _limits(module)
        if not any(
            re.search(rf"(?<![\d.]){re.escape(text)}(?![\d.]*\d)", row.replace(",", "")) for row in rows
        )
    )


def _routes_of_page(page: str) -> Iterator[str]:
    for method, path in re.findall(r"`([A-Z]+) (/\S*?|{base}\S+?)[`?]", page):
        yield from (f"{method} {path.replace('{base}', base)}" for base in TOOL_SERVERS)


async def _served_routes(folder: Path) -> set[str]:
    """Method and path of every route, but for the socket's, which has a page of its own."""
    async with running_bridge(folder) as bridge:
        routes = [(route.method, route.resource) for route in bridge.runner.app.router.routes()]
    paths = [(method, resource.canonical) for method, resource in routes if resource is not None]
    return {
        f"{method} {path.replace('//', '/')}"
        for method, path in paths
        if method not in ("HEAD", "OPTIONS") and not path.startswith(SOCKET_PATH)
    }


def _help(capsys: pytest.CaptureFixture[str], *command: str) -> str:
    with pytest.raises(SystemExit):
        main([*command, "--help"])
    return capsys.readouterr().out


def _options(text: str) -> list[str]:
    return re.findall(r"--[a-z][a-z-]*", text)


def _limits(module: ModuleType) -> Iterator[tuple[str, str]]:
    """Each number among a module's constants, as the page writes it without commas."""
    for name, value in vars(module).items():
        if name.isupper() and isinstance(value, int | float):
            yield name, _written(value, is_size=name.endswith("_BYTES"))


def _written(value: float, *, is_size: bool) -> str:
    for unit, size in (("MiB", 1024 * 1024), ("KiB", 1024)):
        if is_size and value % size == 0:
            return f"{value // size:g} {unit}"
    return f"{value:.15g}"
