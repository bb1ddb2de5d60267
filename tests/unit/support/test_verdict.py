"""The judge of replicas that are killed: each promise that is broken is seen."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.cluster.crowd import Ledger, Order
from tests.support.cluster.verdict import Kept, broken_promises

URL = "http://replica"
REPEATABLE: Any = {"error": {"code": "replica_lost", "retryable": True, "detail": {}}}
IN_DOUBT: Any = {"error": {"code": "outcome_unknown", "retryable": False, "detail": {}}}
BODY_LOST: Any = {"error": {"code": "answer_lost", "retryable": False, "detail": {"performed": True}}}


def judge(
    status: int, body: Any, performed: int, state: str, *, error: str = "", is_safe: bool = False
) -> list[str]:
    """What is broken by one call; `state`: as it is kept, empty for not at all, "open" for not ended."""
    order = Order(1, "user", URL, is_safe, 0.0, 1.0, status, body)
    kept = [Kept("call", state, {"code": error} if error else {}, 1, state != "open")] if state else []
    ledger = Ledger([order], {1: ["call"] * performed})
    return [sentence.partition(":")[0] for sentence in broken_promises(ledger, {1: kept}, set())]


@pytest.mark.parametrize(
    ("status", "body", "performed", "state", "error"),
    [
        (200, {"number": 1}, 1, "succeeded", ""),
        (503, REPEATABLE, 0, "", ""),
        (409, IN_DOUBT, 1, "outcome_unknown", "outcome_unknown"),
        (410, BODY_LOST, 1, "succeeded", ""),
    ],
)
def test_what_is_true_breaks_nothing(status: int, body: Any, performed: int, state: str, error: str) -> None:
    """A judge that complains of everything would be silenced."""
    assert judge(status, body, performed, state, error=error) == []


@pytest.mark.parametrize(
    ("status", "body", "performed", "state", "error", "sentence"),
    [
        (200, {"number": 1}, 2, "succeeded", "", "an unsafe call was performed twice"),
        (200, {"number": 2}, 1, "succeeded", "", "a caller got another answer than the API gave"),
        (200, {"number": 1}, 1, "outcome_unknown", "outcome_unknown", "a told success is not kept"),
        (0, None, 0, "", "", "a caller at a replica that lived got no answer"),
        (
            503,
            REPEATABLE,
            1,
            "outcome_unknown",
            "outcome_unknown",
            "a caller was told to repeat what was performed",
        ),
        (503, REPEATABLE, 1, "", "", "a call was performed without a committed opening"),
        (409, IN_DOUBT, 1, "open", "", "a call was never settled"),
        (409, IN_DOUBT, 1, "succeeded", "", "a told failure is kept as another ending"),
        (410, BODY_LOST, 1, "outcome_unknown", "outcome_unknown", "a told failure is kept as another ending"),
    ],
)
def test_each_broken_promise_is_seen(
    status: int, body: Any, performed: int, state: str, error: str, sentence: str
) -> None:
    """A judge that overlooks one lets every later change break it."""
    assert sentence in judge(status, body, performed, state, error=error)
