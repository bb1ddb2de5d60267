"""A bridge with few file descriptors, and a stranger who wants them all."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from socket import create_connection, socket
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from bridge.operating_system import descriptor_limit, raise_descriptor_limit

DESCRIPTORS, AT_FIRST = 1024, 256
"""Of the bridge: what it may have, and what it is started with, as many systems do."""

UNAUTHENTICATED_CLIENTS = 1_200
"""Connections with half a header; each would take a descriptor."""

START_S, ANSWER_S = 30, 10
MAX_LOG_BYTES = 20_000


@dataclass(frozen=True, slots=True)
class Started:
    """A bridge in a process of its own."""

    base_url: str
    key: str
    log: Path

    def ask(self, path: str) -> int:
        request = Request(self.base_url + path, headers={"Authorization": f"Bearer {self.key}"})
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
        yield Started(facts["base_url"], facts["key"], log)
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
