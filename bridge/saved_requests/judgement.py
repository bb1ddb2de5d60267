"""Compares what came of a saved request with what is expected of it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from pydantic import JsonValue

from bridge.errors import WireError
from bridge.saved_requests.request_file import Expectation, SavedRequest
from toolserver.json_types import dump_json

SHOWN_CHARS = 300
"""Maximum characters of a value in a complaint."""


class NotSelected(str):
    """Why a query selected nothing, instead of what it would have selected."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEnding:
    """How the call of a request ended."""

    duration_ms: float
    call_id: str = ""
    status: int | None = None
    """That the API answered; None: it did not answer, so that `error` says why."""
    error: WireError | None = None
    """Set for an API's error status as well."""
    found: Mapping[str, JsonValue | NotSelected] = field(default_factory=dict[str, "JsonValue | NotSelected"])
    """What each query of the expectation selected."""


@dataclass(frozen=True, slots=True)
class RequestResult:
    """A request that ran, and what is wrong with its answer."""

    request: SavedRequest
    ending: CallEnding
    complaints: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether everything is as expected."""
        return not self.complaints

    @property
    def was_answered(self) -> bool:
        """Whether there is an answer of the API that could be judged."""
        return self.ending.status is not None


def judge_request(request: SavedRequest, ending: CallEnding) -> RequestResult:
    """Return what is wrong with the ending of a request; without an answer, only that it is missing."""
    if ending.status is None:
        error = ending.error
        reason = "the call ended without an answer" if error is None else f"{error.message} [{error.code}]"
        return RequestResult(request, ending, (reason,))
    return RequestResult(request, ending, tuple(_complain(request.expect, ending, ending.status)))


def _complain(expect: Expectation, ending: CallEnding, status: int) -> list[str]:
    complaints = [
        f"{query}: {found}"
        if isinstance(found, NotSelected)
        else f"{query}: expected {_shown(expected)}, found {_shown(found)}"
        for query, expected in expect.values.items()
        for found in [ending.found[query]]
        if isinstance(found, NotSelected) or not is_equal(expected, found)
    ]
    if expect.within_ms is not None and ending.duration_ms > expect.within_ms:
        complaints.insert(
            0, f"time: expected {expect.within_ms:g} ms at most, took {ending.duration_ms:g} ms"
        )
    if complaint := _complain_of_status(expect.status, status, ending.error):
        complaints.insert(0, complaint)
    return complaints


def _complain_of_status(expected: int | None, status: int, error: WireError | None) -> str:
    if status == expected or (expected is None and status < HTTPStatus.BAD_REQUEST):
        return ""
    wanted = "below 400" if expected is None else str(expected)
    said = "" if error is None else f": {error.message}"
    return f"status: expected {wanted}, found {status}{said}"


def is_equal(expected: JsonValue, found: JsonValue) -> bool:
    """Return whether two JSON values are equal: 1 and 1.0 are, 1 and true are not."""
    if isinstance(expected, bool) or isinstance(found, bool):
        return expected is found
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(map(is_equal, expected, found))
    if isinstance(expected, dict) and isinstance(found, dict):
        return expected.keys() == found.keys() and all(
            is_equal(expected[name], found[name]) for name in expected
        )
    return expected == found


def _shown(value: JsonValue) -> str:
    text = dump_json(value).decode()
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…"
