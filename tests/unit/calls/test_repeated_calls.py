"""Calls that a client sends again: one test per clause of ruling 39."""

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any

import pytest

from bridge.calls.call_ids import CallIds
from bridge.calls.limits.settings import Deadline
from bridge.calls.open_call import OpenCall
from bridge.calls.outcome import CallOutcome
from bridge.calls.ports import RecordedCall
from bridge.calls.repeated_calls import KEPT_CHARS, MAX_CALLS, IdempotencyKeyReused, RepeatedCalls
from bridge.calls.request import CallContext, CallRequest, RepeatIdentity, RepeatKey
from bridge.calls.state_machine import CallPhase, CallState
from bridge.errors import BridgeError, ErrorCode, WireError
from tests.support.calls.dispatcher_harness import FreeSlot
from tests.support.calls.fake_browser import FakeRepeatJournal
from toolserver.answer.result import Answered, TextBody

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]

UNKNOWN = (CallState.OUTCOME_UNKNOWN, ErrorCode.OUTCOME_UNKNOWN)
REFUSED_BY_API = (CallState.FAILED, ErrorCode.HTTP_STATUS)
MCP_ERROR = (CallState.FAILED, ErrorCode.TOOL_FAILED)
NOTHING_SENT = [
    (CallState.DENIED, ErrorCode.DENIED),
    (CallState.CANCELLED, ErrorCode.CANCELLED),
    (CallState.EXPIRED, ErrorCode.TIMEOUT),
    (CallState.FAILED, ErrorCode.NO_BROWSER),
    (CallState.FAILED, ErrorCode.NETWORK),
]


def request_of(arguments: str = "{}", *, user: str = "ann", operation: str = "POST /mails") -> CallRequest:
    return CallRequest(
        CallContext(user),
        tool_name="sendMail",
        server_id="mail",
        operation_key=operation,
        operation_digest="d",
        origin="",
        safe=False,
        arguments_text=arguments,
    )


@dataclass
class Client:
    """A client of the bridge, the calls that were performed for it, and the clock."""

    repeats: RepeatedCalls
    journal: FakeRepeatJournal
    performed: list[OpenCall] = field(default_factory=list[OpenCall])
    last_request: int = 0
    age_s: float = 0.0

    def send(
        self,
        request: CallRequest | None = None,
        *,
        key: str | None = None,
        caller: str = "key1",
        named: str = "",
    ) -> "asyncio.Task[CallOutcome]":
        """Send a call; `named` is its request, else the next of r1, r2 and so on."""
        self.last_request += 1
        repeat = RepeatKey(caller, named or f"r{self.last_request}", key)
        return asyncio.create_task(self.repeats.run_once(request or request_of(), repeat, self.perform))

    async def perform(self, request: CallRequest) -> CallOutcome:
        """Run until somebody ends the call; cancelling it leaves it in doubt."""
        call_id = CallIds(b"x").make_id(request.context.user_id)
        call = OpenCall(call_id, request, "t", FreeSlot(Deadline(10.0, "call")), phase=CallPhase.RUNNING)
        self.performed.append(call)
        self.repeats.note_move(call)
        try:
            await call.woken.wait()
        except asyncio.CancelledError:
            self.end(call, UNKNOWN)
            raise
        assert call.outcome is not None
        return call.outcome

    def end(
        self, call: OpenCall, ending: tuple[CallState, ErrorCode] | None = None, text: str = "{}"
    ) -> None:
        """With an answer, or with an error."""
        state, code = ending or (CallState.SUCCEEDED, None)
        error = None if code is None else WireError(code=code, message="It failed.")
        answered = None if code else Answered(200, "application/json", {}, TextBody(text))
        call.outcome = CallOutcome(call.call_id, state, answered, error, "mail")
        self.repeats.note_move(call)
        call.woken.set()

    async def hear(
        self, request: CallRequest | None = None, ending: tuple[CallState, ErrorCode] | None = None
    ) -> CallOutcome:
        """Send a call, which is performed, and hear its answer."""
        return await self._finish(ending, request, heard=True)

    async def miss(
        self,
        request: CallRequest | None = None,
        ending: tuple[CallState, ErrorCode] | None = None,
        text: str = "{}",
    ) -> CallOutcome:
        """Send a call, which is performed, and lose the connection before its answer is there."""
        return await self._finish(ending, request, heard=False, text=text)

    async def _finish(
        self,
        ending: tuple[CallState, ErrorCode] | None,
        request: CallRequest | None,
        *,
        heard: bool,
        text: str = "{}",
    ) -> CallOutcome:
        sent = self.send(request)
        name = f"r{self.last_request}"
        count = len(self.performed)
        await settled()
        assert len(self.performed) == count + 1, "it was not performed"
        self.end(self.performed[-1], ending, text)
        outcome = await sent
        self.repeats.note_delivery(name, heard=heard)
        return outcome


async def settled() -> None:
    """Let everything happen that can."""
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.fixture
def client() -> Client:
    made: list[Client] = []

    def now() -> float:
        return made[0].age_s if made else 0.0

    journal = FakeRepeatJournal()
    made.append(Client(RepeatedCalls(journal, b"secret", now=now), journal))
    return made[0]


async def test_a_twin_of_an_unheard_call_takes_its_ending_and_says_so(client: Client) -> None:
    """Clause (ii): a client must send a call again after a broken stream, and it must not run twice."""
    first = await client.miss()
    again = await client.send()
    assert (again.answered, again.state, again.call_id) == (first.answered, first.state, first.call_id)
    assert (first.joined_call_id, again.joined_call_id) == ("", first.call_id)
    assert len(client.performed) == 1


async def test_an_ending_is_taken_once(client: Client) -> None:
    """Clause (ii): once it is heard, a further twin is another call that is meant."""
    await client.miss()
    await client.send()
    client.repeats.note_delivery("r2", heard=True)
    assert (await client.hear()).joined_call_id == ""


async def test_an_ending_that_was_taken_and_not_heard_either_is_taken_again(client: Client) -> None:
    """The second connection may break as the first did."""
    first = await client.miss()
    await client.send()
    client.repeats.note_delivery("r2", heard=False)
    assert (await client.send()).joined_call_id == first.call_id
    assert len(client.performed) == 1


@pytest.mark.parametrize("ending", [None, UNKNOWN, REFUSED_BY_API, MCP_ERROR])
async def test_every_ending_after_which_something_may_have_happened_is_taken(
    client: Client, ending: tuple[CallState, ErrorCode] | None
) -> None:
    """Clause (ii): also a failure that the API itself answered."""
    first = await client.miss(ending=ending)
    assert (await client.send()).joined_call_id == first.call_id


@pytest.mark.parametrize("ending", NOTHING_SENT)
async def test_an_ending_where_nothing_was_sent_is_none_to_take(
    client: Client, ending: tuple[CallState, ErrorCode]
) -> None:
    """Clause (ii): the twin runs."""
    await client.miss(ending=ending)
    assert (await client.hear()).joined_call_id == ""


async def test_an_unheard_call_is_forgotten_after_ten_minutes(client: Client) -> None:
    """Clause (ii): nobody sends a call again that late."""
    await client.miss()
    client.age_s = 599.0
    asked = await client.send()
    assert asked.joined_call_id
    client.repeats.note_delivery("r2", heard=False)
    client.age_s += 600.0
    assert (await client.hear()).joined_call_id == ""


async def test_a_stream_that_closes_ends_the_call_and_its_twin_takes_that_ending(client: Client) -> None:
    """Ruling 38: a client of the new era cancels by closing; what was begun then is in doubt, and says so."""
    sent = client.send()
    await settled()
    sent.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sent
    client.repeats.note_delivery("r1", heard=False)
    again = await client.send()
    assert (again.state, again.joined_call_id) == (CallState.OUTCOME_UNKNOWN, client.performed[0].call_id)


async def test_a_twin_of_a_call_whose_stream_is_alive_waits_and_then_runs(client: Client) -> None:
    """Clause (iii): two equal calls that are meant are two, one after the other."""
    first, second = client.send(), client.send()
    await settled()
    client.end(client.performed[0])
    await first
    await settled()
    assert len(client.performed) == 1
    client.repeats.note_delivery("r1", heard=True)
    await settled()
    assert len(client.performed) == 2
    client.end(client.performed[1])
    assert (await second).joined_call_id == ""


async def test_a_twin_of_a_call_whose_stream_breaks_takes_the_ending_it_waits_for(client: Client) -> None:
    """Clause (iii), then (ii): a client may notice a broken stream before the bridge does."""
    first, second = client.send(), client.send()
    await settled()
    client.end(client.performed[0])
    await first
    client.repeats.note_delivery("r1", heard=False)
    assert (await second).joined_call_id == client.performed[0].call_id
    assert len(client.performed) == 1


async def test_the_connection_of_a_running_call_may_be_gone_without_cancelling_it(client: Client) -> None:
    """Old era: the call runs on, and its twin takes what it ends with."""
    first = client.send()
    await settled()
    client.repeats.note_delivery("r1", heard=False)
    second = client.send()
    await settled()
    assert len(client.performed) == 1
    client.end(client.performed[0])
    assert (await second).joined_call_id == (await first).call_id


async def test_a_call_whose_connection_went_while_it_waited_runs_all_the_same(client: Client) -> None:
    """Old era: it was meant, and nobody cancelled it; the client that sends it again takes its ending."""
    client.send()
    waiting = client.send()
    await settled()
    client.repeats.note_delivery("r2", heard=False)
    again = client.send()
    client.end(client.performed[0])
    await settled()
    client.repeats.note_delivery("r1", heard=True)
    await settled()
    client.end(client.performed[1])
    assert (await again).joined_call_id == (await waiting).call_id
    assert len(client.performed) == 2


async def test_a_wait_can_be_cancelled_and_disturbs_nobody(client: Client) -> None:
    """Clause (iii): the one before runs on, the one behind gets its turn."""
    first, second, third = client.send(), client.send(), client.send()
    await settled()
    second.cancel()
    client.end(client.performed[0])
    assert (await first).state is CallState.SUCCEEDED
    client.repeats.note_delivery("r1", heard=True)
    client.repeats.note_delivery("r2", heard=False)
    await settled()
    client.end(client.performed[1])
    assert (await third).joined_call_id == ""
    assert second.cancelled()


async def test_a_call_that_is_refused_leaves_the_line_to_its_twin(client: Client) -> None:
    """Nothing was sent, and no answer of it is waited for."""

    async def refuse(_request: CallRequest) -> CallOutcome:
        raise BridgeError(ErrorCode.QUEUE_FULL, "Full.")

    with pytest.raises(BridgeError):
        await client.repeats.run_once(request_of(), RepeatKey("key1", "r0"), refuse)
    assert (await client.hear()).joined_call_id == ""


async def test_a_twin_of_a_heard_call_in_doubt_asks_its_user(client: Client) -> None:
    """Clause (iv): the caller was told that nobody knows; the person decides, and reads of which call."""
    first = await client.hear(ending=UNKNOWN)
    await client.hear()
    asked = client.performed[1].request.doubted
    assert asked is not None
    assert asked.call_id == first.call_id
    client.age_s = 601.0
    await client.hear()
    assert client.performed[2].request.doubted is None


async def test_a_twin_of_a_heard_call_is_a_new_call(client: Client) -> None:
    """Clause (v): whoever was told what happened, and asks again, means it."""
    await client.hear()
    await client.hear()
    assert [call.request.doubted for call in client.performed] == [None, None]


@pytest.mark.parametrize(
    "other",
    [
        request_of(user="bob"),
        request_of(operation="POST /other"),
        request_of('{"to": "bob"}'),
    ],
)
async def test_calls_that_differ_are_no_twins(client: Client, other: CallRequest) -> None:
    """Same user, key, tool and arguments, or nothing."""
    await client.miss()
    assert (await client.hear(other)).joined_call_id == ""


async def test_calls_of_two_keys_are_no_twins(client: Client) -> None:
    """Two programs of one user do not send each other's calls again."""
    await client.miss()
    client.send(caller="key2")
    await settled()
    assert len(client.performed) == 2


async def test_arguments_in_another_order_are_the_same_arguments(client: Client) -> None:
    """A client may write its JSON anew; long integers stay exact."""
    first = await client.miss(request_of('{"a": 12345678901234567890, "b": {"c": 1, "d": null}}'))
    again = await client.send(request_of('{"b":{"d":null,"c":1},"a":12345678901234567890}'))
    assert again.joined_call_id == first.call_id
    assert await client.hear(request_of('{"b":{"d":null,"c":1},"a":12345678901234567891}'))


async def test_the_same_key_is_answered_in_any_state(client: Client) -> None:
    """Clause (i): heard or not, sent or not."""
    for number, ending in enumerate([None, UNKNOWN, *NOTHING_SENT], start=1):
        first = client.send(key=f"k{number}")
        await settled()
        client.end(client.performed[-1], ending)
        done = await first
        assert done.joined_call_id == ""
        assert (await client.send(key=f"k{number}")).joined_call_id == done.call_id
        assert len(client.performed) == number


async def test_the_same_key_joins_a_call_that_runs(client: Client) -> None:
    """Clause (i): as many as come are told how it ended."""
    sent = [client.send(key="k") for _ in range(3)]
    await settled()
    client.end(client.performed[0])
    joined = [(await each).joined_call_id for each in sent]
    assert joined == ["", client.performed[0].call_id, client.performed[0].call_id]
    assert len(client.performed) == 1


async def test_a_key_with_another_call_is_refused(client: Client) -> None:
    """Clause (i): a client that makes this mistake must not get the answer of another call."""
    client.send(key="k")
    await settled()
    with pytest.raises(IdempotencyKeyReused):
        await client.send(request_of('{"to": "bob"}'), key="k")
    with pytest.raises(IdempotencyKeyReused):
        await client.send(request_of(operation="POST /other"), key="k")


async def test_two_keys_are_never_twins(client: Client) -> None:
    """Clause (i): the client says itself that it means both; they do not even wait for each other."""
    for key in ("k1", "k2", None):
        client.send(key=key)
    await settled()
    assert len(client.performed) == 3


async def test_a_key_whose_call_was_refused_may_be_used_again(client: Client) -> None:
    """There is no call yet that it could name."""

    async def refuse(_request: CallRequest) -> CallOutcome:
        await asyncio.sleep(1)
        raise BridgeError(ErrorCode.QUEUE_FULL, "Full.")

    refused = asyncio.create_task(client.repeats.run_once(request_of(), RepeatKey("key1", "r0", "k"), refuse))
    await settled()
    again = client.send(key="k")
    with pytest.raises(BridgeError):
        await refused
    await settled()
    client.end(client.performed[0])
    assert (await again).joined_call_id == ""


async def test_a_user_with_too_many_unheard_calls_is_refused_and_others_are_not(client: Client) -> None:
    """To forget one of them might perform it twice; memory is bounded all the same."""
    for number in range(MAX_CALLS):
        client.send(request_of(f'{{"n": {number}}}'))
    await settled()
    with pytest.raises(BridgeError) as refused:
        await client.send(request_of('{"n": -1}'))
    assert refused.value.error.code is ErrorCode.RATE_LIMITED
    client.send(request_of(user="bob"))
    await settled()
    assert len(client.performed) == MAX_CALLS + 1


async def test_the_oldest_answers_lose_their_text_beyond_the_limit(client: Client) -> None:
    """How the call ended is still told, and that its answer is lost."""
    half = "x" * (KEPT_CHARS // 2)
    for number in range(3):
        await client.miss(request_of(f'{{"n": {number}}}'), text=half)
    texts = [(await client.send(request_of(f'{{"n": {number}}}'))).answered for number in range(3)]
    assert [(each.body is None, each.truncated) for each in texts if each] == [
        (True, True),
        (False, False),
        (False, False),
    ]


def recorded(identity: RepeatIdentity, call_id: str, **facts: Any) -> RecordedCall:
    """A call of a bridge that is gone, whose answer nobody heard a minute ago."""
    answered = Answered(200, "application/json", {}, None, truncated=True)
    outcome = CallOutcome(call_id, CallState.SUCCEEDED, answered, None)
    times = {"heard_at": time.time() - 60, "opened_at": time.time() - 90}
    given: dict[str, Any] = {"heard": False, **times, **facts}
    return RecordedCall("ann", identity.caller, identity.digest, outcome=outcome, **given)


async def identity_of_a_call(client: Client) -> RepeatIdentity:
    await client.hear()
    identity = client.performed[0].request.repeat
    assert identity is not None
    return identity


async def test_after_a_restart_twins_take_the_endings_of_the_journal_the_oldest_first(client: Client) -> None:
    """Clause (ii): their home was lost before they were noted as heard, not ten minutes ago."""
    identity = await identity_of_a_call(client)
    too_old = recorded(identity, "call_0", heard_at=time.time() - 601)
    known = [too_old, recorded(identity, "call_1"), recorded(identity, "call_2")]
    client.repeats.restore_calls(known)
    for expected in ("call_1", "call_2", ""):
        sent = client.send()
        await settled()
        if not expected:
            client.end(client.performed[-1])
        assert (await sent).joined_call_id == expected
        client.repeats.note_delivery(f"r{client.last_request}", heard=True)
    assert client.journal.deliveries[1:3] == [("ann", "call_1", True), ("ann", "call_2", True)]


async def test_after_a_restart_a_doubted_call_still_makes_its_twin_ask(client: Client) -> None:
    """Clause (iv): the caller heard it from the bridge before."""
    identity = await identity_of_a_call(client)
    client.repeats.restore_calls([recorded(identity, "call_1", heard=True)])
    await client.hear()
    doubted = client.performed[-1].request.doubted
    assert doubted is not None
    assert doubted.call_id == "call_1"


async def test_a_key_is_answered_from_the_journal(client: Client) -> None:
    """Clause (i): for 24 h, which is longer than the bridge's memory; of the answer the status is left."""
    identity = await identity_of_a_call(client)
    client.journal.keyed = [recorded(identity, "call_1")]
    again = await client.send(key="k")
    assert again.answered is not None
    assert (again.joined_call_id, again.answered.body, again.answered.truncated) == ("call_1", None, True)
    with pytest.raises(IdempotencyKeyReused):
        await client.send(request_of('{"to": "bob"}'), key="k")


async def test_a_key_that_comes_twice_at_once_is_one_call(client: Client) -> None:
    """While the first is looked up in the journal, too."""
    sent = [client.send(key="k"), client.send(key="k")]
    await settled()
    client.end(client.performed[0])
    assert [bool((await each).joined_call_id) for each in sent] == [False, True]
    assert len(client.performed) == 1


async def test_calls_with_keys_that_have_ended_make_room_for_others(client: Client) -> None:
    """The journal knows of them, so that no call has to be refused."""
    client.send(key="first")
    await settled()
    client.end(client.performed[0])
    for number in range(MAX_CALLS):
        client.send(request_of(f'{{"n": {number}}}'))
    await settled()
    assert len(client.performed) == MAX_CALLS + 1
