"""Reports of a run of saved requests: TAP as it goes, JUnit at the end. Pure."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from bridge.saved_requests.judgement import RequestResult
from toolserver.json_types import dump_json

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 has no way to write."""

_IN_A_NAME = re.compile(r"[\s#\\]+")
"""What ends a description of TAP, or means something in it."""


def write_tap_plan(count: int) -> Iterator[str]:
    """Return the first lines of a report in TAP 14 about so many requests."""
    yield "TAP version 14"
    yield f"1..{count}"


def write_tap_lines(number: int, result: RequestResult) -> Iterator[str]:
    """Return the lines of TAP about one request, counted from 1."""
    name = _IN_A_NAME.sub(" ", result.request.name)
    yield f"{'ok' if result.passed else 'not ok'} {number} - {name}"
    yield "  ---"
    yield f"  tool: {_quoted(result.request.tool)}"
    yield f"  duration_ms: {result.ending.duration_ms:g}"
    if result.ending.status is not None:
        yield f"  status: {result.ending.status}"
    if result.ending.call_id:
        yield f"  call: {_quoted(result.ending.call_id)}"
    if result.complaints:
        yield "  complaints:"
        yield from (f"    - {_quoted(complaint)}" for complaint in result.complaints)
    yield "  ..."


def write_junit(suites: Sequence[tuple[str, Sequence[RequestResult]]]) -> str:
    """Return a report in JUnit's XML; each suite is a file with its results.

    An answer that is not as expected is a failure; a call that the API did not answer is an error.
    """
    lines = ['<?xml version="1.0" encoding="utf-8"?>', "<testsuites>"]
    for name, results in suites:
        errors = sum(not result.was_answered for result in results)
        failures = sum(not result.passed for result in results) - errors
        ms = sum(result.ending.duration_ms for result in results)
        counts = {"tests": len(results), "failures": failures, "errors": errors}
        lines.append(_open_tag("testsuite", name=name, **counts, time=_seconds(ms)))
        for result in results:
            lines += _write_case(result)
        lines.append("</testsuite>")
    return "\n".join([*lines, "</testsuites>", ""])


def _write_case(result: RequestResult) -> Iterator[str]:
    request, seconds = result.request, _seconds(result.ending.duration_ms)
    yield _open_tag("testcase", name=request.name, classname=request.tool, time=seconds)
    if result.complaints:
        kind = "failure" if result.was_answered else "error"
        text = _escaped("\n".join(result.complaints))
        yield f"{_open_tag(kind, message=result.complaints[0])}{text}</{kind}>"
    yield "</testcase>"


def _open_tag(tag: str, **attributes: str | int) -> str:
    written = "".join(f' {name}="{_escaped(str(value))}"' for name, value in attributes.items())
    return f"<{tag}{written}>"


def _seconds(ms: float) -> str:
    return f"{ms / 1000:.3f}"


def _escaped(text: str) -> str:
    """Return a text for XML, of characters that XML has."""
    return html.escape(_NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text))


def _quoted(text: str) -> str:
    """Return a text as JSON, which is YAML as well."""
    return dump_json(text).decode()
