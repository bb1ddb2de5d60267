"""How long commands take to start: wall and processor time, beside a Python that does nothing."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import NamedTuple

from bench.report import print_table


class Start(NamedTuple):
    """One start, in milliseconds."""

    wall: float
    processor: float


class Case(NamedTuple):
    """A command, and whether it is over when it has printed a line."""

    name: str
    words: Sequence[str]
    serves: bool = False


CASES = (
    Case("floor: python -c pass", ("-c", "pass")),
    Case("--help", ("-m", "bridge", "--help")),
    Case("serve --help", ("-m", "bridge", "serve", "--help")),
    Case("serve, to its ready line", ("-m", "bridge", "serve", "--json", "--port", "0"), serves=True),
)


def measure_starts(*, quick: bool) -> dict[str, object]:
    """Start every command several times in turn, and print the medians."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        environ = {**os.environ, "TOOL_BRIDGE_DATA": folder}
        starts: dict[str, list[Start]] = {case.name: [] for case in CASES}
        for case in CASES:
            _start(case, environ)  # compiles what is not yet compiled, and makes the data folder
        for _ in range(3 if quick else 11):
            for case in CASES:
                starts[case.name].append(_start(case, environ))
    figures = {name: _median(found) for name, found in starts.items()}
    rows = [[name, start.wall, start.processor] for name, start in figures.items()]
    print_table("Starts, median ms", ["command", "wall", "processor"], rows)
    return {name: start._asdict() for name, start in figures.items()}


def _start(case: Case, environ: dict[str, str]) -> Start:
    """Run a command to its end, or kill it once it has printed a line."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *case.words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environ
    )
    assert process.stdout is not None
    printed = process.stdout.readline() if case.serves else process.stdout.read()
    ended = time.perf_counter()
    if case.serves:
        process.kill()
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0
    process.stdout.close()
    if case.serves and not printed:
        raise RuntimeError("the bridge did not start")
    return Start((ended - begun) * 1000, (used.ru_utime + used.ru_stime) * 1000)


def _median(starts: Sequence[Start]) -> Start:
    return Start(*(statistics.median(column) for column in zip(*starts, strict=True)))
