"""Contract tests once more: each of their bridges is two replicas, pages at one and callers at the other.

`make test-replicas` runs all of them so (`--two-replicas`), but for what `LEFT_OUT` names. `make test` runs
those that are marked `two_replicas` so, beside their usual run.

`make test-all` runs the tests that `named_addresses` chooses with each bridge below a path
(`--below-a-path=addresses`). After a change of how the path is read, `--below-a-path=all` runs all of them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path

import pytest

from tests.support.cluster.bridge_pairs import bridges_in_pairs
from tests.support.examples import FurtherCases
from tests.support.sockets.named_addresses import choose_for_path
from tests.support.sockets.path_prefix import begin_run_below
from tests.support.stores.databases import DATABASES, postgresql_for_files

OPTION = "--two-replicas"
BELOW = "--below-a-path"
CONTRACTS = ("tests/http/", "tests/socket/")
LEFT_OUT = Path(__file__).parents[1] / "replicas" / "left_out.toml"
PAIRS = "pairs of replicas"
"""Name of the property of a test's report that says how many it started."""

WHOLE = ("two_replicas", "both_event_loops")
"""Marks of tests that keep all cases: walks, and what `make test-all` runs on the other event loop."""

_further_cases = FurtherCases()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(OPTION, action="store_true", help="run contract tests with two replicas for each bridge")
    parser.addoption(
        BELOW,
        choices=("addresses", "all"),
        help="run contract tests with each bridge below a path: those that concern addresses, or all",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Have every bridge of the run start below a path, if that is wanted."""
    if config.getoption(BELOW):
        begin_run_below()


@pytest.fixture(autouse=True)
def two_replicas(request: pytest.FixtureRequest) -> Generator[None]:
    """Each bridge of the test is two replicas, if `pytest_generate_tests` wants that."""
    if not getattr(request, "param", False):
        yield
        return
    redis = request.getfixturevalue("redis_server")
    with (
        postgresql_for_files(request.getfixturevalue("postgres_server")),
        bridges_in_pairs(redis) as pairs,
    ):
        yield
        request.node.user_properties.append((PAIRS, len(pairs.home_urls)))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what is marked so over both databases, or with two replicas."""
    twice = pytest.param(True, id="two_replicas")
    if metafunc.config.getoption(OPTION):
        metafunc.parametrize("two_replicas", [twice], indirect=True)
        return
    if _is_marked(metafunc, "both_databases") and "database" in metafunc.fixturenames:
        metafunc.parametrize("database", DATABASES, indirect=True)
    if _is_marked(metafunc, "two_replicas"):
        metafunc.parametrize("two_replicas", [pytest.param(False, id="alone"), twice], indirect=True)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Leave further cases of costly tests to `make test-all`; with replicas or below a path, all run."""
    chooses = item.config.getoption(OPTION) or item.config.getoption(BELOW)
    stays = any(item.get_closest_marker(name) is not None for name in WHOLE)
    if not chooses and not stays and _further_cases.is_further(item.nodeid):
        item.add_marker("slow")


@pytest.hookimpl(trylast=True)  # the marks of the command come first
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that prove nothing new with replicas, or below a path."""
    if config.getoption(BELOW) == "addresses":
        _keep(config, items, choose_for_path(items))
    if not config.getoption(OPTION):
        return
    named = {test for tests in left_out().values() for test in tests}
    kept = [item for item in items if item.nodeid.startswith(CONTRACTS) and not named & set(_names_of(item))]
    _keep(config, items, kept)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say how many of the tests had replicas; the others start no bridge, and prove nothing new."""
    if not config.getoption(OPTION):
        return
    reports = [report for each in terminalreporter.stats.values() for report in each]
    counts = [
        value for report in reports for name, value in getattr(report, "user_properties", ()) if name == PAIRS
    ]
    idle = counts.count(0)
    terminalreporter.write_line(
        f"{len(counts) - idle} tests ran through two replicas; {idle} started no bridge."
    )


def left_out() -> Mapping[str, Sequence[str]]:
    """Files and tests that are left out, by the reason."""
    return {entry["why"]: entry["tests"] for entry in tomllib.loads(LEFT_OUT.read_text())["left_out"]}


def _keep(config: pytest.Config, items: list[pytest.Item], kept: Sequence[pytest.Item]) -> None:
    """Deselect all other tests."""
    names = {item.nodeid for item in kept}
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in names])
    items[:] = kept


def _names_of(item: pytest.Item) -> tuple[str, str]:
    """The file of a test, and the test itself without its parameters."""
    return item.nodeid.partition("::")[0], item.nodeid.partition("[")[0]


def _is_marked(metafunc: pytest.Metafunc, name: str) -> bool:
    return metafunc.definition.get_closest_marker(name) is not None
