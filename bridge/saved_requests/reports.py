"""Reports of a run of saved requests: TAP as it goes, JUnit at the end. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

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


def write_junit(suites: Sequence[tuple[str, Sequence[RequestResult]]]) -> bytes:
    """Return a report in JUnit's XML; each suite is a file with its results.

    An answer that is not as expected is a failure; a call that the API did not answer is an error.
    """
    root = ElementTree.Element("testsuites")
    for name, results in suites:
        seconds = sum(result.ending.duration_ms for result in results) / 1000
        errors = sum(not result.was_answered for result in results)
        failures = sum(not result.passed for result in results) - errors
        counts = {"tests": len(results), "failures": failures, "errors": errors}
        facts = {"name": _clean(name), **{key: str(value) for key, value in counts.items()}}
        suite = ElementTree.SubElement(root, "testsuite", {**facts, "time": f"{seconds:.3f}"})
        for result in results:
            _add_case(suite, result)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)


def _add_case(suite: ElementTree.Element, result: RequestResult) -> None:
    facts = {"name": _clean(result.request.name), "classname": _clean(result.request.tool)}
    seconds = f"{result.ending.duration_ms / 1000:.3f}"
    case = ElementTree.SubElement(suite, "testcase", {**facts, "time": seconds})
    if result.complaints:
        kind = "failure" if result.was_answered else "error"
        told = ElementTree.SubElement(case, kind, {"message": _clean(result.complaints[0])})
        told.text = _clean("\n".join(result.complaints))


def _quoted(text: str) -> str:
    """Return a text as JSON, which is YAML as well."""
    return dump_json(text).decode()


def _clean(text: str) -> str:
    return _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)
