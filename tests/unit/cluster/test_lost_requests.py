"""What a caller hears whose request was at a home that is lost. On a virtual clock."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from bridge.calls.fenced_journal import KEPT_S, KnownCall
from bridge.calls.outcome import CallOutcome
from bridge.calls.state_machine import CallState
from bridge.cluster.lost_requests import LostRequest, LostRequests
from bridge.errors import ErrorCode, WireError
from bridge.homes import Home
from tests.support.cluster.engines import PostgresModel, RedisModel
from tests.support.cluster.played_homes import Replica
from tests.support.cluster.tables import Tables
from toolserver.answer.result import Answered

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]

TOOL, MODEL = "/tools/{tool}", "/v1/responses"


def known(state: CallState | None, error: WireError | None = None, *, call_id: str = "c1") -> KnownCall:
    if state is None:
        return KnownCall(call_id, "addProduct", None)
    answered = None if error is not None else Answered(201, "application/json", {}, None)
    return KnownCall(call_id, "addProduct", CallOutcome(call_id, state, answered, error))


@dataclass
class Records:
    """Calls as the next home settles them."""

    calls: list[KnownCall] = field(default_factory=list[KnownCall])
    later: list[KnownCall] | None = None
    response_id: str | None = None
    looks: int = 0

    async def find_relayed(self, user_id: str, request_id: str) -> Sequence[KnownCall]:
        assert (user_id, request_id) == ("ann", "r1")
        self.looks += 1
        return self.later if self.later is not None and self.looks > 3 else self.calls

    async def find_response(self, user_id: str, request_id: str) -> str | None:
        return self.response_id


LOST = Home("ann", "a", 1)


def homes_of_lost() -> PostgresModel:
    """The table of homes in which the lost one still has its user."""
    return PostgresModel(Tables(homes={"ann": LOST}))


async def explain(
    records: Records,
    *,
    homes: PostgresModel | None = None,
    pattern: str = TOOL,
    method: str = "POST",
    **facts: Any,
) -> WireError:
    lost = LostRequest(method, pattern, "ann", LOST, "r1", facts.get("may_be_done", True))
    next_one = Replica("b", homes or homes_of_lost(), RedisModel())
    await next_one.membership.beat_once()
    try:
        return (await LostRequests(next_one.homes, records).explain_loss(lost)).error
    finally:
        await next_one.kill()


async def test_without_an_unsafe_call_nothing_was_sent() -> None:
    """Such a call is in the journal before it is sent, so its caller may try again (34)."""
    error = await explain(Records())
    assert (error.code, error.retryable) == (ErrorCode.REPLICA_LOST, True)


async def test_a_request_that_the_home_did_not_have_whole_was_not_worked_on() -> None:
    """Nothing is asked then."""
    homes = homes_of_lost()
    error = await explain(Records([known(CallState.SUCCEEDED)]), homes=homes, may_be_done=False)
    assert (error.retryable, homes.homes["ann"]) == (True, LOST)


async def test_reading_may_be_repeated() -> None:
    """A GET changes nothing, whoever answered it."""
    assert (await explain(Records(), method="GET", pattern="/api/calls")).retryable


async def test_the_ending_that_the_next_home_keeps_is_told() -> None:
    """Its caller hangs on a replica that lives, and hears what is true (19, Loss)."""
    failed = http_failed_error()
    homes = homes_of_lost()
    records = Records([known(None)], later=[known(CallState.FAILED, failed)])
    error = await explain(records, homes=homes)
    assert (error.code, error.message) == (failed.code, failed.message)
    assert error.detail["call_id"] == "c1"
    assert homes.homes["ann"] == Home("ann", "b", 2)


async def test_a_call_that_succeeded_without_its_answer_is_not_said_to_have_failed() -> None:
    """Its model must not make it again."""
    error = await explain(Records([known(CallState.SUCCEEDED)]))
    assert (error.code, error.detail["performed"], error.retryable) == (ErrorCode.ANSWER_LOST, True, False)


async def test_a_call_that_nobody_settles_is_in_doubt() -> None:
    """The wait ends."""
    began = asyncio.get_running_loop().time()
    error = await explain(Records([known(None)]))
    assert (error.code, error.retryable) == (ErrorCode.REPLICA_LOST, False)
    assert asyncio.get_running_loop().time() - began <= KEPT_S + 1


async def test_each_call_of_a_batch_is_told_by_its_state() -> None:
    """Nobody has to guess which of them were made."""
    calls = [known(CallState.SUCCEEDED), known(CallState.OUTCOME_UNKNOWN, http_failed_error(), call_id="c2")]
    error = await explain(Records(calls), pattern="/api/batches")
    assert [(call["call_id"], call["state"]) for call in error.detail["calls"]] == [
        ("c1", "succeeded"),
        ("c2", "outcome_unknown"),
    ]
    assert not error.retryable


async def test_an_answer_of_a_model_is_told_by_its_id() -> None:
    """What is stored of it can be read."""
    error = await explain(Records(response_id="resp_1"), pattern=MODEL)
    assert (error.detail, error.retryable) == ({"response_id": "resp_1"}, False)


async def test_while_no_replica_takes_the_user_nothing_is_promised() -> None:
    """The request may have been worked on."""
    error = await explain(Records(), homes=PostgresModel(is_away=True))
    assert (error.code, error.retryable) == (ErrorCode.REPLICA_LOST, False)


def http_failed_error() -> WireError:
    return WireError(code=ErrorCode.HTTP_STATUS, message="The API answered 500.", detail={"status": 500})
