"""The search: bytes to a bridge in another process, and what it may never answer, log or keep."""

import asyncio
import json
import re
import sys
import tempfile
import urllib.request
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

from tests.fuzz.hostile_frames import CLOSE, fitting_frame, hostile_frame, masked, opening_frame
from tests.fuzz.hostile_http import RequestMaker

LINES = 32
"""Connections at once."""

BATCH = 12
"""Requests that are sent together on a connection; the first one that ends it ends the batch."""

FRAMES = 40
"""Of a page, at most, before those that no page sends."""

GOING = b"\x03\xe8"
"""The status of a normal end (RFC 6455, 7.4.1)."""

PATIENCE_S = 2.0
"""For the rest of an answer: half a request is waited for by the bridge, and not by us."""

MAX_LOG_BYTES = 100_000
STATUS = re.compile(rb"HTTP/1\.[01] (\d{3}) ")
HANDSHAKE = (
    "GET /ws/socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\n"
    "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


@dataclass
class Found:
    """What was sent, and what is wrong."""

    sent: Counter[str] = field(default_factory=Counter[str])
    statuses: Counter[int] = field(default_factory=Counter[int])
    wrong: list[str] = field(default_factory=list[str])
    log: str = ""
    left: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def total(self) -> int:
        """Requests, odd headers and frames."""
        return sum(self.sent.values())


async def search(first: int, count: int) -> Found:
    """Send at least `count` odd things, from the seed `first` on."""
    found = Found()
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("w+b") as log:
        target = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.fuzz.target", folder),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
        )
        try:
            await _search_at(json.loads(await _line_of(target)), first, count, found)
            if target.stdin is not None:
                target.stdin.close()
            found.left = json.loads(await _line_of(target))
        finally:
            with suppress(ProcessLookupError):
                target.terminate()
            await target.wait()
        log.seek(0)
        found.log = log.read().decode()
    _judge(found)
    return found


async def _line_of(target: asyncio.subprocess.Process) -> bytes:
    assert target.stdout is not None
    async with asyncio.timeout(150):
        return await target.stdout.readline()


async def _search_at(facts: dict[str, Any], first: int, count: int, found: Found) -> None:
    base_url: str = facts["base_url"]
    document = json.loads(await asyncio.to_thread(_read, f"{base_url}/api/openapi.json"))
    host = urlsplit(base_url).netloc
    maker = RequestMaker(document, host, [facts["key"], *facts["sessions"][:20]])
    seeds = iter(range(first, first + count))

    async def line() -> None:
        for seed in seeds:
            if found.total >= count:
                return
            source = Random(seed)
            if seed % 3:
                await _send_requests(host, maker, source, found)
            else:
                await _send_frames(host, facts["sessions"], source, found)

    async with asyncio.TaskGroup() as group:
        for _ in range(LINES):
            group.create_task(line())
    await asyncio.to_thread(_read, f"{base_url}/healthz")


def _read(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read()


async def _send_requests(host: str, maker: RequestMaker, source: Random, found: Found) -> None:
    reader, writer = await asyncio.open_connection(*host.split(":"))
    with suppress(ConnectionError):
        made = [maker.make(source) for _ in range(BATCH)]
        last = f"GET /healthz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        writer.write(b"".join(request for request, _ in made) + last.encode())
        answer = await _all_of(reader)
        statuses = [int(status) for status in STATUS.findall(answer)]
        found.sent["requests"] += len(statuses)
        found.sent["headers"] += sum(odd for _, odd in made[: len(statuses)])
        found.statuses.update(statuses)
        if 500 in statuses or b'"code":"internal"' in answer:
            found.wrong.append(f"an internal error: {answer[:2000]!r}")
    writer.close()


async def _send_frames(host: str, sessions: list[str], source: Random, found: Found) -> None:
    reader, writer = await asyncio.open_connection(*host.split(":"))
    with suppress(ConnectionError):
        frames: list[bytes] = []
        if source.random() < 0.7:  # the others are strangers
            frames.append(opening_frame(source.choice(sessions), source))
            frames += [fitting_frame(source) for _ in range(source.randrange(FRAMES))]
        frames += [hostile_frame(source) for _ in range(source.randrange(4))]
        found.sent["frames"] += len(frames)
        frames.append(masked(CLOSE, GOING, source))
        writer.write(HANDSHAKE.format(host=host).encode() + b"".join(frames))
        await _all_of(reader)
    writer.close()


async def _all_of(reader: asyncio.StreamReader) -> bytes:
    """What comes until the end, or until nothing has come for a while."""
    answer = b""
    with suppress(TimeoutError, ConnectionError):
        while True:
            async with asyncio.timeout(PATIENCE_S):
                more = await reader.read(1 << 16)
            if not more:
                break
            answer += more
    return answer


def _judge(found: Found) -> None:
    if "Traceback" in found.log:
        at = found.log.index("Traceback")
        found.wrong.append(f"a traceback: {found.log[max(0, at - 500) : at + 4000]}")
    lines = [
        line for line in found.log.splitlines() if "error_id=" not in line
    ]  # those are for their callers
    if sum(map(len, lines)) > MAX_LOG_BYTES:
        found.wrong.append(f"{len(lines)} lines of log: {lines[:20]}")
    if odd := [character for character in found.log if not character.isprintable() and character != "\n"]:
        found.wrong.append(f"the log has {odd[0]!r}")
