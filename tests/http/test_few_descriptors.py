"""A bridge with few file descriptors, and a stranger who wants them all."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from socket import create_connection, socket
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from bridge.operating_system import descriptor_limit, raise_descriptor_limit

pytestmark = pytest.mark.slow

DESCRIPTORS, AT_FIRST = 1024, 256
"""Of the bridge: what it may have, and what it is started with, as many systems do."""

UNAUTHENTICATED_CLIENTS = 1_200
"""Connections with half a header; each would take a descriptor."""

PARTS_FOR_A_USER = 8
"""So many users could have all of the descriptors."""

IDLE_CLIENTS = 999
"""Connections of one key on which something was asked, and nothing since."""

START_S, ANSWER_S = 30, 10
MAX_LOG_BYTES = 20_000


@dataclass(frozen=True, slots=True)
class Started:
    """A bridge in a process of its own."""

    base_url: str
    key: str
    folder: Path
    log: Path

    def add_key(self, user: str) -> str:
        command = [sys.executable, "-m", "bridge", "key", "--user", user, "--data", self.folder, "--json"]
        return json.loads(subprocess.check_output(command, timeout=START_S))["key"]

    def connect(self, key: str) -> socket:
        """A connection on which a request was answered."""
        target = urlsplit(self.base_url)
        line = create_connection((target.hostname, target.port), timeout=ANSWER_S)
        lines = ("GET /api/me HTTP/1.1", f"Host: {target.netloc}", f"Authorization: Bearer {key}", "", "")
        line.sendall("\r\n".join(lines).encode())
        assert line.recv(4096).startswith(b"HTTP/1.1 200 ")
        return line

    def ask(self, path: str, key: str | None = None) -> int:
        request = Request(self.base_url + path, headers={"Authorization": f"Bearer {key or self.key}"})
        with urlopen(request, timeout=ANSWER_S) as answer:
            return answer.status


@pytest.fixture
def bridge(tmp_path: Path) -> Iterator[Started]:
    limits = f"ulimit -Sn {AT_FIRST}; ulimit -Hn {DESCRIPTORS}"
    serve = f"{sys.executable} -m bridge serve --data {tmp_path / 'data'} --port 0 --json"
    log = tmp_path / "log"
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            ["sh", "-c", f"{limits}; exec {serve}"], stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process,
    ):
        assert process.stdout is not None
        facts = json.loads(process.stdout.readline())
        yield Started(facts["base_url"], facts["key"], tmp_path / "data", log)
        process.terminate()
        process.wait(START_S)


@pytest.fixture
def unauthenticated_clients(bridge: Started) -> Iterator[list[socket]]:
    raise_descriptor_limit()
    if descriptor_limit() < UNAUTHENTICATED_CLIENTS + 100:
        pytest.skip("this machine gives a test too few file descriptors")
    target = urlsplit(bridge.base_url)
    lines: list[socket] = []
    for _ in range(UNAUTHENTICATED_CLIENTS):
        line = create_connection((target.hostname, target.port), timeout=ANSWER_S)
        line.sendall(b"GET / HTTP/1.1\r\nHost: ")
        lines.append(line)
    yield lines
    for line in lines:
        line.close()


def test_unauthenticated_clients_with_half_a_header_each_take_nobodys_connection(
    bridge: Started, unauthenticated_clients: list[socket]
) -> None:
    """New connections timed out while the log grew by 1.2 MB a second."""
    assert len(unauthenticated_clients) > DESCRIPTORS
    assert [bridge.ask("/api/me") for _ in range(20)] == [200] * 20
    log = bridge.log.read_text(encoding="utf-8")
    assert len(log) < MAX_LOG_BYTES
    assert "out of system resource" not in log
    assert f"{DESCRIPTORS // 4} connections without a caller" in log


def test_the_idle_connections_of_one_key_keep_nobody_else_out(bridge: Started) -> None:
    """Finding S-M4: while 999 of them were open, every other user's good key got a reset."""
    eve, bob = bridge.add_key("eve"), bridge.add_key("bob")
    with ExitStack() as stack:
        lines = [stack.enter_context(bridge.connect(eve)) for _ in range(IDLE_CLIENTS)]
        assert [bridge.ask("/api/me", bob) for _ in range(20)] == [200] * 20
        assert bridge.ask("/api/me", eve) == 200
        kept = [line for line in lines if is_open(line)]
    assert lines[-len(kept) :] == kept  # the oldest ones went
    assert len(kept) <= DESCRIPTORS // PARTS_FOR_A_USER
    log = bridge.log.read_text(encoding="utf-8")
    assert len(log) < MAX_LOG_BYTES
    assert log.count(f"A user has {DESCRIPTORS // PARTS_FOR_A_USER} connections") == 1


def is_open(line: socket) -> bool:
    line.setblocking(False)
    try:
        return line.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionError:
        return False
