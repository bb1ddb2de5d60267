"""`tool-bridge run`: saved requests as a test of APIs, through the user's page."""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import aiohttp

from bridge.answer_queries.queries import QueryWorker
from bridge.cli.arguments import address_of
from bridge.cli.client import key_of
from bridge.cli.parser import WrongUsage
from bridge.cli.run.calling import RequestCaller
from bridge.cli.terminal import printable, showing_progress
from bridge.saved_requests.judgement import RequestResult, judge_request
from bridge.saved_requests.reports import write_junit, write_tap_lines, write_tap_plan
from bridge.saved_requests.request_file import RequestFile, SavedRequest, UnusableFile, read_request_file


def run(options: argparse.Namespace) -> int:
    """Run the requests of files, one after another; status 1 when an answer is not as expected."""
    files = [(path, _read_file(path)) for path in options.files]
    suites = asyncio.run(_run_files(options, files))
    if options.junit is not None:
        _write(options.junit, write_junit(suites))
    if options.json:
        print(json.dumps([_facts_of(path, result) for path, results in suites for result in results]))
    return 0 if all(result.passed for _, results in suites for result in results) else 1


def _read_file(path: Path) -> RequestFile:
    try:
        return read_request_file(path.read_bytes())
    except OSError as error:
        raise WrongUsage(f"{path} cannot be read: {error.strerror}") from None
    except UnusableFile as error:
        raise WrongUsage(f"{path} has no saved requests that can be run: {error}") from None


def _write(path: Path, report: str) -> None:
    try:
        path.write_text(report, encoding="utf-8")
    except OSError as error:
        raise WrongUsage(f"{path} cannot be written: {error.strerror}") from None


async def _run_files(
    options: argparse.Namespace, files: Sequence[tuple[Path, RequestFile]]
) -> Sequence[tuple[str, Sequence[RequestResult]]]:
    """Run everything; TAP is printed as it goes, so that a run that is stopped has told what it did."""
    tell = _be_silent if options.json else _print_lines
    tell(write_tap_plan(sum(len(file.requests) for _, file in files)))
    numbers = itertools.count(1)
    queries = QueryWorker()
    try:
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None)) as http:
            caller = RequestCaller(http, address_of(options), key_of(options), queries)
            return [
                (str(path), [await _run_request(caller, each, next(numbers), tell) for each in file.requests])
                for path, file in files
            ]
    finally:
        await queries.close()


async def _run_request(
    caller: RequestCaller, request: SavedRequest, number: int, tell: Callable[[Iterable[str]], None]
) -> RequestResult:
    with showing_progress(f"Waiting for {request.tool}"):
        result = judge_request(request, await caller.call_tool(request))
    tell(write_tap_lines(number, result))
    return result


def _be_silent(_lines: Iterable[str]) -> None:
    """Print nothing: standard output is for one JSON."""


def _print_lines(lines: Iterable[str]) -> None:
    print(printable("\n".join(lines)), flush=True)


def _facts_of(path: str, result: RequestResult) -> dict[str, object]:
    return {
        "file": path,
        "name": result.request.name,
        "tool": result.request.tool,
        "passed": result.passed,
        "status": result.ending.status,
        "duration_ms": result.ending.duration_ms,
        "call_id": result.ending.call_id or None,
        "complaints": list(result.complaints),
    }
