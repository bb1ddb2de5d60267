"""Which contract tests run once more below a path."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.sockets.named_addresses import choose_for_path, names_address

TESTS = '''
async def test_of_the_first_line(bridge: Bridge) -> None:
    """The first of its file."""

async def test_of_numbers(bridge: Bridge) -> None:
    """Nothing here has a place."""
    assert await ask(bridge, "/api/limits") == {"calls": 3}

async def test_of_a_reply(bridge: Bridge) -> None:
    """What it names is read."""
    assert (await ask(bridge, "/api/files"))["download_url"] == "x"

@pytest.mark.parametrize("header", ["Location", "Set-Cookie"])
async def test_of_headers(header: str) -> None:
    """Each of its cases."""

async def test_of_a_walk(bridge: Bridge) -> None:
    """Through two replicas."""

async def test_of_whole_addresses(bridge: Bridge) -> None:
    """What is compared begins with the bridge's own."""
    assert await ask(bridge, "/openapi.json") == [bridge.base_url]
'''


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of such tests."""
    written = tmp_path / "test_stated.py"
    written.write_text(TESTS)
    return written


def test_tests_run_below_a_path_that_name_an_address_walk_or_are_first(file: Path) -> None:
    """Issue 38: what no path can break runs once; whatever the order of a run, the same are chosen."""
    names = [
        "test_of_a_walk[two_replicas]",
        "test_of_headers[Set-Cookie]",
        "test_of_numbers",
        "test_of_the_first_line",
        "test_of_whole_addresses",
        "test_of_a_reply",
        "test_of_headers[Location]",
    ]
    items = [_item(file, name) for name in names]
    names.remove("test_of_numbers")
    assert [item.name for item in choose_for_path(items)] == names


def test_a_file_about_logins_runs_whole(tmp_path: Path) -> None:
    """Issue 38: what leads a browser away and back is then in the helpers of a file, and not in its tests."""
    file = tmp_path / "test_stated.py"
    file.write_text(f'"""The login by an authorization server."""\n{TESTS}')
    assert names_address(_item(file, "test_of_numbers"))


def _item(path: Path, name: str) -> Any:
    start = f"async def {name.partition('[')[0]}("
    line = next(at for at, text in enumerate(path.read_text().splitlines()) if text.startswith(start))
    marks = {"two_replicas": name} if "two_replicas" in name else {}
    return SimpleNamespace(
        name=name,
        nodeid=f"{path}::{name}",
        path=path,
        location=(str(path), line, name),
        get_closest_marker=marks.get,
    )
