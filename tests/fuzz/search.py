"""The search: bytes to a bridge in another process, and what it may never answer, log or keep."""

import asyncio
import json
import re
import sys
import tempfile
import time
import urllib.request
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

from tests.fuzz.fitting_http import FittingRequests, Operation
from tests.fuzz.hostile_frames import CLOSE, TEXT, fitting_frame, hostile_frame, masked, odd_hello
from tests.fuzz.hostile_http import RequestMaker
from tests.fuzz.hunt import MOST_FINDINGS, Budget, Finding, corpus_of, kind_of, smallest
from toolserver.json_types import JsonValue

AREA = "bytes"

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

LOG_S = 0.3
"""Until what was sent has its lines in the log."""

SUSPECTS = 400
"""Seeds that may have caused what was just found in the log; they are tried one by one."""

SESSIONS_OF_REQUESTS = 20
MAX_LOG_BYTES = 100_000
STATUS = re.compile(rb"HTTP/1\.[01] (\d{3}) ")
HANDSHAKE = (
    "GET /ws/socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\n"
    "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
OPENING = "OPEN "
"""Begins the piece of a case that becomes the opening frame of a page: number of a session, what is added."""

HOST, PORT, KEY = "HOST.invalid", "PORT.invalid", "the-key"
"""Stand in for those of the bridge, which are others each time."""

LAST = f"GET /healthz HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n"
ANY_STATUS = frozenset({"400", "401", "403", "404", "413", "415", "421", "429", "503"})
"""That any route may answer before its handler runs; the document says so once."""


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


@dataclass(frozen=True, slots=True)
class Case:
    """What is sent over one connection; the pieces in Latin-1, with stand-ins for host and credentials."""

    kind: str
    """`requests`, `fitting` or `frames`."""
    pieces: tuple[str, ...]
    odd: int = 0
    """How many of the headers are odd."""
    operations: tuple[Operation, ...] = ()
    """What fitting requests ask for."""


async def search(first: int, count: int, seconds: float = float("inf")) -> Found:
    """Send at least `count` odd things, from the seed `first` on, but for no longer than that."""
    found = Found()
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("w+b") as log:
        target = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.fuzz.target", folder),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
        )
        try:
            facts = json.loads(await _line_of(target))
            searched = await Searching.begin(facts, Path(folder) / "log", found)
            await searched.run(first, count, Budget(seconds, sys.maxsize))
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


class Searching:
    """One search at one bridge."""

    def __init__(self, facts: dict[str, Any], document: Any, log: Path, found: Found) -> None:
        self.base_url: str = facts["base_url"]
        self._host = urlsplit(self.base_url).netloc
        self._sessions: list[str] = facts["sessions"]
        self._key: str = facts["key"]
        names = [KEY, *(_session_name(number) for number in range(SESSIONS_OF_REQUESTS))]
        self._odd = RequestMaker(document, HOST, names)
        self._fitting = FittingRequests(document, names)
        self._log = log
        self._found = found
        self._recent = deque[int](maxlen=SUSPECTS)
        self._suspects = list[int]()
        self._tracebacks = 0

    @classmethod
    async def begin(cls, facts: dict[str, Any], log: Path, found: Found) -> "Searching":
        document = json.loads(await asyncio.to_thread(_read, f"{facts['base_url']}/api/openapi.json"))
        return cls(facts, document, log, found)

    async def run(self, first: int, count: int, budget: Budget) -> None:
        for case in corpus_of(AREA):
            if what := await self.attempt(case):
                self._found.wrong.append(str(Finding(AREA, None, what, case)))
        seeds, ends = iter(range(first, first + count)), time.monotonic() + budget.seconds

        async def line() -> None:
            for seed in seeds:
                if self._found.total >= count or time.monotonic() > ends or self._is_enough:
                    return
                await self._try_seed(seed)

        async with asyncio.TaskGroup() as group:
            for _ in range(LINES):
                group.create_task(line())
        await asyncio.to_thread(_read, f"{self.base_url}/healthz")
        await self._explain()

    @property
    def _is_enough(self) -> bool:
        return len(self._suspects) > SUSPECTS * MOST_FINDINGS

    def case_of(self, seed: int) -> Case:
        """The same seed makes the same case."""
        source = Random(seed)
        if seed % 3 == 0:
            return self._frames(source)
        if seed % 3 == 1:
            made = [self._odd.make(source) for _ in range(BATCH)]
            return Case(
                "requests", tuple(text.decode("latin-1") for text, _ in made), sum(odd for _, odd in made)
            )
        fitting = [self._fitting.make(source, HOST) for _ in range(BATCH)]
        pieces = tuple(text.decode("latin-1") for text, _ in fitting)
        return Case("fitting", pieces, operations=tuple(operation for _, operation in fitting))

    def _frames(self, source: Random) -> Case:
        frames: list[bytes] = []
        if source.random() < 0.7:  # the others are strangers
            number = source.randrange(len(self._sessions))
            opening = f"{OPENING}{number} {json.dumps(odd_hello(source))}"
            frames.append(opening.encode("utf-8", "surrogatepass"))
            frames += [fitting_frame(source) for _ in range(source.randrange(FRAMES))]
        frames += [hostile_frame(source) for _ in range(source.randrange(4))]
        return Case("frames", tuple(frame.decode("latin-1") for frame in frames))

    async def _try_seed(self, seed: int) -> None:
        case = self.case_of(seed)
        self._recent.append(seed)
        if _problem_of(case, await self._send(case)):
            self._suspects.append(seed)
        size = self._log.read_bytes().count(b"Traceback") if seed % 50 == 0 else self._tracebacks
        if size > self._tracebacks:
            self._tracebacks = size
            self._suspects += self._recent

    async def _explain(self) -> None:
        """Try what may have caused something alone, and make it small; each kind is reported once."""
        kinds = set[str]()
        for seed in dict.fromkeys(self._suspects):
            case = self.case_of(seed)
            value = _value_of(case)
            what = _problem_of(case, await self._send(case)) or await self.attempt(value)
            if not what or kind_of(what) in kinds:
                continue
            kinds.add(kind_of(what))
            small = await smallest(value, self.attempt, kind_of(what))
            self._found.wrong.append(str(Finding(AREA, seed, what, small)))
            if len(kinds) >= MOST_FINDINGS:
                return

    async def attempt(self, value: JsonValue) -> str:
        """Try a case alone; what is wrong with its answer, or with what it left in the log."""
        case = _case_of_value(value)
        if case is None:
            return ""
        size = self._log.stat().st_size
        what = _problem_of(case, await self._send(case))
        if what:
            return what
        await asyncio.sleep(LOG_S)
        with self._log.open("rb") as log:
            log.seek(size)
            said = log.read().decode("utf-8", "replace")
        return _problem_of_log(said)

    async def _send(self, case: Case) -> bytes:
        pieces = [self._bytes_of(piece) for piece in case.pieces]
        reader, writer = await asyncio.open_connection(*self._host.split(":"))
        answer = b""
        with suppress(ConnectionError):
            if case.kind == "frames":
                self._found.sent["frames"] += len(pieces)
                ending = masked(CLOSE, GOING, Random(0))
                writer.write(HANDSHAKE.format(host=self._host).encode() + b"".join(pieces) + ending)
                await _all_of(reader)
            else:
                writer.write(b"".join(pieces) + self._real(LAST).encode())
                answer = await _all_of(reader)
                self._count(case, answer)
        writer.close()
        return answer

    def _count(self, case: Case, answer: bytes) -> None:
        statuses = [int(status) for status in STATUS.findall(answer)]
        self._found.sent[case.kind] += len(statuses)
        self._found.sent["headers"] += case.odd if len(statuses) > len(case.pieces) else 0
        self._found.statuses.update(statuses)

    def _bytes_of(self, piece: str) -> bytes:
        if not piece.startswith(OPENING):
            return self._real(piece).encode("latin-1", "replace")
        number, _, hello = piece.removeprefix(OPENING).partition(" ")
        said = (
            '{"token": ' + json.dumps(self._session(number)) + (f", {hello[1:]}" if len(hello) > 2 else "}")
        )
        return masked(TEXT, f"40{said}".encode("utf-8", "replace"), Random(0))

    def _real(self, piece: str) -> str:
        """With the host and the credentials of this bridge."""
        port = self._host.rpartition(":")[2]
        piece = piece.replace(HOST, self._host).replace(PORT, port).replace(KEY, self._key)
        return re.sub(r"session-(\d{3})-of-this-bridge", lambda found: self._session(found[1]), piece)

    def _session(self, digits: str) -> str:
        return self._sessions[int(digits) % len(self._sessions)] if digits.isdecimal() else ""


def _session_name(number: int) -> str:
    return f"session-{number:03}-of-this-bridge"


def _value_of(case: Case) -> JsonValue:
    return {"kind": case.kind, "pieces": list[JsonValue](case.pieces)}


def _case_of_value(value: JsonValue) -> Case | None:
    match value:
        case {"kind": "frames" | "requests" | "fitting" as kind, "pieces": [*pieces]}:
            texts = tuple(piece for piece in pieces if isinstance(piece, str))
            return Case(str(kind), texts) if len(texts) == len(pieces) else None
        case _:
            return None


def _problem_of(case: Case, answer: bytes) -> str:
    statuses = STATUS.findall(answer)
    if b"500" in statuses or b'"code":"internal"' in answer:
        return f"an internal error: {_line_with_bug(answer)!r}"
    for operation, status in zip(case.operations, statuses, strict=False):
        allowed = operation.statuses | ANY_STATUS
        if status.decode() not in allowed and "default" not in allowed:
            return f"{operation.method} {operation.path} answers {status.decode()}, which no document says"
    return ""


def _line_with_bug(answer: bytes) -> bytes:
    at = max(answer.find(b'"code":"internal"'), 0)
    return answer[max(0, at - 300) : at + 500]


def _problem_of_log(said: str) -> str:
    if "Traceback" not in said:
        return ""
    indented = [line for line in said[said.index("Traceback") :].splitlines() if line.startswith("  ")]
    ending = next(
        (line.strip() for line in indented if not line.startswith("    ") and "File" not in line), ""
    )
    return f"a traceback: {ending}\n{said[:4000]}"


def _read(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read()


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
    if "Traceback" in found.log and not found.wrong:
        at = found.log.index("Traceback")
        found.wrong.append(
            f"a traceback that no case causes alone: {found.log[max(0, at - 500) : at + 4000]}"
        )
    lines = [
        line for line in found.log.splitlines() if "error_id=" not in line
    ]  # those are for their callers
    if sum(map(len, lines)) > MAX_LOG_BYTES:
        found.wrong.append(f"{len(lines)} lines of log: {lines[:20]}")
    if odd := [character for character in found.log if not character.isprintable() and character != "\n"]:
        found.wrong.append(f"the log has {odd[0]!r}")
