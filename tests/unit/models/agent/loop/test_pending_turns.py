"""What is remembered of a turn that waits for its caller, and how it comes back."""

import json
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.models.agent.items import Item, output_item
from bridge.models.agent.loop.pending_turns import ALL_BYTES, KEEP_SECONDS, USER_BYTES, PendingRounds
from tests.support.models.turn_harness import TurnHarness, call, round_of, turn_of, user
from tests.support.models.turn_harness import text as said_text
from toolserver.json_types import text_at

REASONING: Item = {"type": "reasoning", "id": "rs_1", "encrypted_content": "x", "summary": []}
OURS, THEIRS = call("a", '{"a":1}', "c1"), call("mine", '{"m":1}', "c2")


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def calls(*items: Item) -> list[str]:
    return [text_at(item, "call_id") for item in items]


def answer(call_id: str, text: str = "theirs") -> Item:
    return {"type": "function_call_output", "call_id": call_id, "output": text}


def mixed() -> tuple[PendingRounds, Clock, tuple[Item, ...]]:
    """A turn in which c1 was run and c2 waits."""
    clock = Clock()
    pending = PendingRounds(clock)
    output = (REASONING, said_text("Hm."), OURS, THEIRS, output_item("c1", "ours"))
    pending.remember_turn("ann", output, calls(OURS, THEIRS))
    return pending, clock, output


def test_what_really_stood_there_takes_the_place_of_what_the_caller_has() -> None:
    """A chat caller knows neither reasoning nor our calls; the outputs stand in call order."""
    pending, _, output = mixed()
    chat = [user("Go"), said_text("Hm."), THEIRS, answer("c2"), user("And?")]
    assert pending.restore_input("ann", chat) == (user("Go"), *output, answer("c2"), user("And?"))


def test_what_comes_back_is_what_was_there_to_the_digit() -> None:
    """W-21: verbatim, members that nobody knows included."""
    pending = PendingRounds(Clock())
    odd: Item = {**THEIRS, "unknown": [10**20, 0.1, None, {"z": 1, "a": 2}]}
    pending.remember_turn("ann", [odd], calls(odd))
    assert pending.restore_input("ann", [THEIRS]) == (odd,)


def test_outputs_stand_in_the_order_of_their_calls() -> None:
    """W-17: whoever ran them."""
    clock = Clock()
    pending = PendingRounds(clock)
    ours = output_item("c1", "ours")
    pending.remember_turn("ann", [THEIRS, OURS, ours], calls(THEIRS, OURS))
    assert pending.restore_input("ann", [user("Go"), THEIRS, answer("c2")])[1:] == (
        THEIRS,
        OURS,
        answer("c2"),
        ours,
    )


def test_a_caller_who_kept_every_item_gets_no_second_copy() -> None:
    """A Responses caller sends back all that it was shown."""
    pending, _, output = mixed()
    sent = [user("Go"), *output, answer("c2")]
    assert pending.restore_input("ann", sent) == tuple(sent)


def test_an_output_alone_brings_its_call_back() -> None:
    """With `previous_response_id` a caller sends nothing but outputs."""
    pending, _, output = mixed()
    assert pending.restore_input("ann", [answer("c2")]) == (*output, answer("c2"))


def test_the_answer_behind_the_outputs_is_not_swallowed() -> None:
    """Later requests of the conversation carry the same calls, and what came after them."""
    pending, _, output = mixed()
    later = [user("Go"), THEIRS, answer("c2"), said_text("That is it."), user("Thanks")]
    assert pending.restore_input("ann", later) == (
        user("Go"), *output, answer("c2"), said_text("That is it."), user("Thanks"),
    )  # fmt: skip


def test_one_turn_behind_another_is_restored_on_its_own() -> None:
    """The caller's output of the first turn is where the second begins."""
    pending, _, output = mixed()
    third, fourth = call("a", call_id="c3"), call("mine", call_id="c4")
    second = (said_text("Next."), third, fourth, output_item("c3", "ours"))
    pending.remember_turn("ann", second, calls(third, fourth))
    chat = [user("Go"), THEIRS, answer("c2"), said_text("Next."), fourth, answer("c4")]
    assert pending.restore_input("ann", chat) == (user("Go"), *output, answer("c2"), *second, answer("c4"))


class CountedItem(dict[str, Any]):
    """An item that knows how often anybody looked into it."""

    looks = 0

    def get(self, key: str, default: Any = None) -> Any:
        CountedItem.looks += 1
        return super().get(key, default)


def test_a_long_conversation_of_such_turns_is_read_once() -> None:
    """An agent asks its caller at every step: looking at all items for each step would stop the bridge."""
    turns = 500
    pending = PendingRounds(Clock())
    sent: list[Item] = []
    for number in range(turns):
        asked = call("mine", call_id=f"c{number}")
        pending.remember_turn("ann", [asked], calls(asked))
        items = [user("Go"), said_text("Hm."), asked, answer(f"c{number}"), said_text("Done.")]
        sent.extend(cast("list[Item]", map(CountedItem, items)))
    CountedItem.looks = 0
    assert len(pending.restore_input("ann", sent)) == len(sent) - turns
    assert CountedItem.looks < 50 * len(sent)


def test_what_a_waiting_turn_said_is_not_taken_by_the_next_one() -> None:
    """Its last words stand before the next call as if they were said with it."""
    pending = PendingRounds(Clock())
    first = (call("mine", call_id="c1"), said_text("First."))
    second = (call("mine", call_id="c2"),)
    pending.remember_turn("ann", first, calls(first[0]))
    pending.remember_turn("ann", second, calls(*second))
    assert pending.restore_input("ann", [first[0], second[0]]) == (*first, *second)


def test_an_output_that_the_caller_does_not_give_is_not_made_up() -> None:
    """The provider says what is missing; the caller's history is the caller's."""
    pending, _, output = mixed()
    assert pending.restore_input("ann", [user("Go"), THEIRS, user("Forget it")]) == (
        user("Go"), *output, user("Forget it"),
    )  # fmt: skip


def test_nobody_gets_the_turn_of_somebody_else() -> None:
    """An id is no secret."""
    pending, _, _ = mixed()
    sent = (user("Go"), THEIRS, answer("c2"))
    assert pending.restore_input("bob", sent) == sent


def test_a_turn_is_forgotten_an_hour_after_it_was_last_asked_for() -> None:
    """What is forgotten leaves the caller's items as they are."""
    pending, clock, output = mixed()
    sent = (THEIRS, answer("c2"))
    clock.now += KEEP_SECONDS - 1
    assert pending.restore_input("ann", sent) == (*output, answer("c2"))
    clock.now += KEEP_SECONDS - 1
    assert pending.restore_input("ann", sent) == (*output, answer("c2"))
    clock.now += KEEP_SECONDS
    assert pending.restore_input("ann", sent) == sent
    assert not pending.has_call("ann", "c2")


def filler(size: int, number: int) -> list[Item]:
    return [said_text("x" * size), call("mine", call_id=f"f{number}")]


def test_one_user_cannot_push_out_what_others_wait_for() -> None:
    """Each has so much room; the stalest of the same user gives way."""
    pending, _, _ = mixed()
    for number in range(5):
        items = filler(USER_BYTES // 2, number)
        pending.remember_turn("bob", items, calls(*items))
    assert pending.has_call("ann", "c2")
    assert [pending.has_call("bob", f"f{number}") for number in range(5)] == [
        False,
        False,
        False,
        False,
        True,
    ]


def test_a_turn_that_is_too_large_is_not_kept() -> None:
    """It would push out everything else for nothing."""
    pending, _, _ = mixed()
    items = filler(USER_BYTES, 0)
    pending.remember_turn("ann", items, calls(*items))
    assert (pending.has_call("ann", "f0"), pending.has_call("ann", "c2")) == (False, True)


def test_all_users_together_have_so_much_room() -> None:
    """Memory is bounded whoever asks; the stalest gives way."""
    pending, _, _ = mixed()
    for number in range(2 * ALL_BYTES // USER_BYTES + 1):
        items = filler(USER_BYTES // 2, number)
        pending.remember_turn(f"user {number}", items, calls(*items))
    assert not pending.has_call("ann", "c2")
    assert not pending.has_call("user 0", "f0")
    assert pending.has_call("user 30", "f30")


@pytest.mark.asyncio
async def test_nothing_runs_twice_when_the_caller_comes_back() -> None:
    """DESIGN §7: the round with both kinds is whole for the model, and its calls are over."""
    pending = PendingRounds(Clock())
    first = turn_of(round_of(REASONING, OURS, THEIRS), own=["a"], callers=["mine"])
    first.pending = pending
    result = await first.run(user("Go"))
    assert [each.call_id for each in result.caller_calls] == ["c2"]
    second = turn_of(round_of(said_text("Done.")), own=["a"], callers=["mine"])
    second.pending = pending
    done = await second.run(user("Go"), THEIRS, answer("c2"))
    assert second.model.requests[0].input == (user("Go"), *result.output, answer("c2"))
    assert (second.tools.runs, done.output) == ([], (said_text("Done."),))


@pytest.mark.asyncio
async def test_earlier_rounds_of_the_turn_come_back_too() -> None:
    """What the model learned before it asked the caller must not be lost."""
    pending = PendingRounds(Clock())
    first = turn_of(round_of(OURS), round_of(THEIRS), own=["a"], callers=["mine"])
    first.pending = pending
    result = await first.run(user("Go"))
    restored = pending.restore_input("ann", [user("Go"), THEIRS, answer("c2")])
    assert restored == (user("Go"), *result.output, answer("c2"))


@pytest.mark.asyncio
async def test_an_id_that_waits_elsewhere_is_given_to_no_other_call() -> None:
    """Providers that count from `call_0` would mix two conversations of one user."""
    pending = PendingRounds(Clock())

    async def turn(argument: str) -> tuple[TurnHarness, str]:
        asked = turn_of(round_of(call("mine", argument, "call_0")), callers=["mine"])
        asked.pending = pending
        result = await asked.run(user(argument))
        return asked, result.caller_calls[0].call_id

    _, one = await turn('{"n":1}')
    _, other = await turn('{"n":2}')
    assert one == "call_0"
    assert other != one
    restored = pending.restore_input("ann", [call("mine", '{"n":1}', one), answer(one)])
    assert restored[0]["arguments"] == '{"n":1}'


@given(st.lists(st.booleans(), min_size=1, max_size=8).filter(lambda kinds: not all(kinds)), st.data())
def test_a_chat_caller_always_gets_the_whole_round_back(kinds: list[bool], data: Any) -> None:
    """For any mix of calls: every call once, every output once, in call order."""
    items = [call("a" if ours else "mine", call_id=f"c{place}") for place, ours in enumerate(kinds)]
    outputs = [output_item(f"c{place}", str(place)) for place, ours in enumerate(kinds) if ours]
    pending = PendingRounds(Clock())
    pending.remember_turn("ann", [*items, *outputs], calls(*items))
    theirs = [item for item, ours in zip(items, kinds, strict=True) if not ours]
    answers = data.draw(
        st.permutations([answer(f"c{n}", str(n)) for n, ours in enumerate(kinds) if not ours])
    )
    restored = pending.restore_input("ann", [user("Go"), *theirs, *answers])
    assert restored[1 : 1 + len(items)] == tuple(items)
    found = [(item["call_id"], item["output"]) for item in restored[1 + len(items) :]]
    assert found == [(f"c{place}", str(place)) for place in range(len(kinds))]
    assert json.dumps(restored)
