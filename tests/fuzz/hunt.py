"""What every search has in common: a seed makes a case, a case is tried, and what fails is made small.

A case is a JSON value, so that it can be printed, stored in `corpus/` and tried again.
"""

import json
import logging
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TypeAlias

from toolserver.json_types import JsonValue

CORPUS = Path(__file__).parent / "corpus"
"""What was found once, small: a file for each area, a case on each line. It is tried before anything else."""

MOST_FINDINGS = 5
"""Of one area; a search that finds more has one cause, or needs a person."""

MANY = 1_000_000
"""A limit that stops nothing."""

MOST_TRIES = 600
"""To make one case smaller."""

Attempt: TypeAlias = "Callable[[JsonValue], Awaitable[str]]"
"""Tries a case; what is wrong, empty: nothing."""


@dataclass(frozen=True, slots=True)
class Area:
    """One thing that strangers send something to."""

    name: str
    about: str
    make: Callable[[Random], JsonValue]
    open: Callable[[Path], AbstractAsyncContextManager[Attempt]]
    """Opens what is searched, in a folder of its own."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A case that fails, as small as it was made."""

    area: str
    seed: int | None
    """None: it is of the corpus."""
    what: str
    case: JsonValue

    def __str__(self) -> str:
        place = "corpus" if self.seed is None else f"seed {self.seed}"
        again = f"--only {self.area} --first {self.seed} --count 1" if self.seed is not None else "make fuzz"
        return f"{self.area}, {place}: {self.what}\n  again: {again}\n  smallest: {json.dumps(self.case)}"


@dataclass(slots=True)
class Searched:
    """How much was tried, and what failed."""

    tried: int = 0
    findings: list[Finding] = field(default_factory=list[Finding])


@dataclass(frozen=True, slots=True)
class Budget:
    """How long to search: whichever ends first."""

    seconds: float
    count: int

    def seeds(self, first: int) -> AsyncIterator[int]:
        return self._seeds(first)

    async def _seeds(self, first: int) -> AsyncGenerator[int]:
        ends = time.monotonic() + self.seconds
        for seed in range(first, first + self.count):
            yield seed
            if time.monotonic() > ends:
                return


async def hunt(area: Area, folder: Path, first: int, budget: Budget) -> Searched:
    """Try the corpus, then one case after the other; a kind of failure is reported once."""
    found, kinds = Searched(), set[str]()
    async with area.open(folder) as attempt:
        async for seed, case in _cases(area, first, budget):
            found.tried += 1
            what = await attempt(case)
            if not what or kind_of(what) in kinds:
                continue
            kinds.add(kind_of(what))
            small = await smallest(case, attempt, kind_of(what))
            found.findings.append(Finding(area.name, seed, await attempt(small) or what, small))
            if len(found.findings) == MOST_FINDINGS:
                break
    return found


async def _cases(area: Area, first: int, budget: Budget) -> AsyncGenerator[tuple[int | None, JsonValue]]:
    for case in corpus_of(area.name):
        yield None, case
    async for seed in budget.seeds(first):
        yield seed, area.make(Random(f"{area.name} {seed}"))


def corpus_of(area: str) -> Sequence[JsonValue]:
    """The cases of an area that failed once."""
    path = CORPUS / f"{area}.jsonl"
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def kind_of(what: str) -> str:
    """What two failures of one cause have in common: the first line, without what differs each time."""
    return re.sub(r"0x[0-9a-f]+|\d+|'[^']*'|\"[^\"]*\"", "·", what.splitlines()[0])


async def smallest(case: JsonValue, attempt: Attempt, kind: str) -> JsonValue:
    """Leave out of a case what it can fail without, in the same way."""
    tries = MOST_TRIES
    progress = True
    while progress:
        progress = False
        for smaller in smaller_ones(case):
            tries -= 1
            if tries < 0:
                return case
            what = await attempt(smaller)
            if what and kind_of(what) == kind:
                case, progress = smaller, True
                break
    return case


def smaller_ones(value: JsonValue) -> list[JsonValue]:
    """Values that are a little simpler, the simplest first: without parts, and with simpler parts."""
    if isinstance(value, str):
        return list(_shorter(value))
    if isinstance(value, list):
        parts = [value[:at] + value[at + size :] for size, at in _cuts(len(value))]
        inner = [
            [*value[:at], small, *value[at + 1 :]]
            for at, one in enumerate(value)
            for small in smaller_ones(one)
        ]
        return [*parts, *inner]
    if isinstance(value, dict):
        without: list[JsonValue] = [{k: v for k, v in value.items() if k != key} for key in value]
        return [
            *without,
            *({**value, key: small} for key, one in value.items() for small in smaller_ones(one)),
        ]
    return [] if value in (None, 0, True, False) else [0]


def _shorter(text: str) -> list[str]:
    return [text[:at] + text[at + size :] for size, at in _cuts(len(text))]


def _cuts(length: int) -> list[tuple[int, int]]:
    """Sizes and places of what to leave out: halves, quarters and so on, at most a few of each size."""
    found: list[tuple[int, int]] = []
    size = length
    while size >= 1:
        places = range(0, length, size)
        found += [(size, at) for at in (places if len(places) <= 64 else list(places)[:64])]
        size //= 2
    return found


class ErrorsLogged(logging.Handler):
    """Exceptions and errors that are logged while something is tried."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.setFormatter(logging.Formatter("%(name)s: %(message)s"))
        self._said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        failure = record.exc_info[1] if record.exc_info else None
        name = f"{type(failure).__name__}: {failure}; " if failure is not None else ""
        self._said.append(f"{name}{self.format(record)}")

    def take(self) -> str:
        """All that was said since the last time; empty: nothing."""
        said, self._said = "\n".join(self._said), []
        return said


@asynccontextmanager
async def errors_logged() -> AsyncGenerator[ErrorsLogged]:
    """Listen to what this process logs."""
    listening, root = ErrorsLogged(), logging.getLogger()
    root.addHandler(listening)
    try:
        yield listening
    finally:
        root.removeHandler(listening)
