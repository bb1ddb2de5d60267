"""Contract tests of socket and HTTP once more, without what the bridge uses of the insides of its libraries.

A bridge does so with a version of aiohttp that nobody has read. `make test-all` runs all of `tests/socket` so
but for what is marked `straight`, and what else is named here. Only tests can have a bridge take that path
where it need not.
"""

from __future__ import annotations

from collections.abc import Generator

import pytest

from bridge.browsers.page_socket import PageSocket
from bridge.browsers.straight_socket import StraightPageSocket
from bridge.http.connections import Connection, StraightConnection

STRAIGHT, PLAIN = "straight", "plain"
TWICE = (
    "tests/socket/",
    "tests/http/mcp/test_lasting_calls.py",
    "tests/http/test_connections.py",
    "tests/http/access/test_lost_access.py",
    "tests/http/test_passing_on.py",
    "tests/http/test_program_answers.py",
)

_taken = [STRAIGHT]
"""What bridges of tests take now, last."""


def is_straight() -> bool:
    """Whether the bridges of the test that runs use the insides of their libraries."""
    return _taken[-1] == STRAIGHT


def socket_class() -> type[PageSocket]:
    """The class of the sockets of such bridges."""
    return StraightPageSocket if is_straight() else PageSocket


def connection_class() -> type[Connection]:
    """The class of the connections of such bridges."""
    return StraightConnection if is_straight() else Connection


@pytest.fixture(autouse=True)
def library_path(request: pytest.FixtureRequest) -> Generator[None]:
    """The path through the libraries, if `pytest_generate_tests` wants another one."""
    _taken.append(getattr(request, "param", STRAIGHT))
    yield
    _taken.pop()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run these tests on both paths; the plain one is for `make test-all`, as it takes long."""
    is_bound = metafunc.definition.get_closest_marker(STRAIGHT) is not None
    if is_bound or not metafunc.definition.nodeid.startswith(TWICE):
        return
    if metafunc.config.getoption("--two-replicas"):
        return
    both = [pytest.param(STRAIGHT, id=STRAIGHT), pytest.param(PLAIN, id=PLAIN, marks=pytest.mark.slow)]
    metafunc.parametrize("library_path", both, indirect=True)
