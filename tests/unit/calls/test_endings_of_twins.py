"""What a request is told that takes the ending of another one, where endings are stored first."""

import asyncio
from dataclasses import replace

import pytest

from bridge.calls.open_call import KeptEnding
from bridge.calls.outcome import CallOutcome
from bridge.calls.ports import RecordedCall
from bridge.calls.repeated_calls import RepeatedCalls
from bridge.calls.request import CallRequest, RepeatKey
from bridge.calls.state_machine import CallPhase, CallState
from bridge.storage.users import User
from tests.support.calls.journal_harness import open_call

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]

ANN = User("ann", "ann")


class EmptyJournal:
    """Knows of no earlier calls."""

    def record_delivery(self, user_id: str, call_id: str, *, heard: bool) -> None: ...

    async def find_keyed(
        self, user_id: str, caller: str, key_digest: str, *, within_s: float
    ) -> RecordedCall | None:
        return None


@pytest.mark.parametrize("key", ["key", None])
async def test_a_twin_is_told_the_ending_that_is_kept_once_it_is(key: str | None) -> None:
    """Its first request was cancelled while the ending was on its way to the database.

    Another home had ended the call there.
    """
    repeats = RepeatedCalls(EmptyJournal(), b"secret", now=asyncio.get_running_loop().time)
    kept = CallOutcome("c1", CallState.OUTCOME_UNKNOWN, None, None)

    async def store() -> KeptEnding:
        await asyncio.sleep(5)
        return KeptEnding(kept, is_stored=False)

    async def run(request: CallRequest) -> CallOutcome:
        call = open_call(ANN, "c1", phase=CallPhase.SUCCEEDED, repeat=request.repeat)
        call.confirmation = asyncio.get_running_loop().create_task(store())
        repeats.note_move(call)
        await asyncio.shield(call.confirmation)
        raise AssertionError("it was cancelled before")

    async def run_never(_request: CallRequest) -> CallOutcome:
        raise AssertionError("it was performed before")

    asked = open_call(ANN, "c1").request
    first = asyncio.create_task(repeats.run_once(asked, RepeatKey("caller", "r1", key), run))
    await asyncio.sleep(1)
    first.cancel()
    told = await repeats.run_once(asked, RepeatKey("caller", "r2", key), run_never)
    assert told == replace(kept, joined_call_id="c1")
    assert asyncio.get_running_loop().time() >= 5
