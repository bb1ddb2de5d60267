"""What is kept of a turn, when, and what happens when it cannot be."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from bridge.errors import BridgeError
from bridge.models.agent.items import Item
from bridge.models.agent.memory.recorder import UNAVAILABLE
from bridge.models.agent.model import ModelError
from bridge.models.agent.model_messages import NO_OUTPUT
from bridge.models.agent.request_fields import InvalidRequest
from bridge.models.agent.turn import CallEnded, ItemStored, ModelOutput, Notice, Settled, TurnEvent
from bridge.models.stored_items.items import NOTICE_TYPE, StoredItem, StoredResponse
from bridge.models.stored_items.retention_preference import MemoryChoice
from bridge.settings.chat.memory import MemorySettings, ReasoningMemory
from tests.support.models.memory_harness import FailingStore, FakeNestingToolbox, MemoryHarness
from tests.support.models.turn_harness import call, ending, item_events, round_of, user
from tests.support.models.turn_harness import text as said_text

pytestmark = pytest.mark.asyncio

REASONING: Item = {"type": "reasoning", "id": "rs_1", "encrypted_content": "x", "summary": []}


def at_work(**settings: object) -> MemoryHarness:
    """A bridge with the tools `a` and `b`, whose caller has `mine`."""
    tools = FakeNestingToolbox(own_names=["a", "b"], callers=["mine"])
    return MemoryHarness(tools=tools, settings=MemorySettings.model_validate(settings))


async def test_every_item_of_a_turn_is_kept_as_the_model_is_sent_it_in_its_order() -> None:
    """W-21: reasoning, texts, calls and their outputs."""
    bridge = at_work()
    result = await bridge.run(
        round_of(REASONING, said_text("Hm."), call("a", call_id="c1"), call("b", call_id="c2")),
        round_of(said_text("Done.", item_id="msg_2")),
    )
    assert tuple(bridge.stored_payloads) == result.output
    assert [item.position for item in bridge.store.items.values()] == list(range(7))
    assert result.is_stored


async def test_a_kept_item_has_its_owner_its_answer_and_its_chat() -> None:
    """S0-132: what it can be found by."""
    bridge = at_work()
    await bridge.run(round_of(said_text("Hi.")), chat_id="chat 7", message_id="message 8")
    (kept,) = bridge.store.items.values()
    assert (kept.user_id, kept.response_id, kept.model, kept.side) == ("ann", "turn 1", "gpt", "output")
    assert (kept.conversation_id, kept.message_id) == ("chat 7", "message 8")
    assert kept.created_at > 1_700_000_000


async def test_the_id_of_an_item_is_told_right_after_it_is_done() -> None:
    """S4-19: so that text and markers interleave as text and calls did."""
    bridge = at_work()
    await bridge.run(
        round_of(said_text("Hm."), call("a", call_id="c1")), round_of(said_text("Done.", item_id="m2"))
    )
    before = [
        bridge.events[place - 1] for place, event in enumerate(bridge.events) if isinstance(event, ItemStored)
    ]
    assert [type(event) for event in before] == [ModelOutput, ModelOutput, CallEnded, ModelOutput]
    assert [event.event.type for event in before if isinstance(event, ModelOutput)] == [
        "response.output_item.done"
    ] * 3
    assert list(bridge.announced_items.values()) == bridge.stored_payloads
    assert [len(event.items) for event in bridge.events if isinstance(event, Settled)] == [2, 1, 1]


async def test_what_the_ending_says_of_an_item_wins_over_what_was_said_when_it_was_done() -> None:
    """It is what goes back to the model in the next round."""
    bridge = at_work()
    item = said_text("Hi.")
    whole: Item = {**item, "phase": "final"}
    await bridge.run([*item_events(item, 0), ending(whole)])
    assert bridge.stored_payloads == [whole]
    assert list(bridge.store.items) == [("ann", each) for each in bridge.announced_items]


async def test_an_item_that_only_the_ending_has_is_kept_and_told_then() -> None:
    """Some providers stream no items."""
    bridge = at_work()
    await bridge.run([ending(said_text("Hi."))])
    assert bridge.stored_payloads == [said_text("Hi.")] == list(bridge.announced_items.values())


async def test_an_item_that_the_ending_does_not_have_is_not_kept() -> None:
    """The model is not sent it either."""
    bridge = at_work()
    extra, last = said_text("Oh.", item_id="m1"), said_text("Hi.", item_id="m2")
    await bridge.run([*item_events(extra, 0), *item_events(last, 1), ending(last)])
    assert bridge.stored_payloads == [last]


async def test_calls_are_committed_before_they_run_and_outputs_before_the_model_is_asked_again() -> None:
    """After a crash nothing is asked for twice that has run."""
    bridge = at_work()
    seen: list[int] = []

    async def look() -> None:
        seen.append(len(bridge.store.commits))

    bridge.tools.during = look
    await bridge.run(
        round_of(call("a", call_id="c1"), call("b", call_id="c2")), [look, *round_of(said_text("Done."))]
    )
    assert seen == [1, 2]
    assert bridge.store.commits == [["function_call"] * 2, ["function_call_output"] * 2, ["message"]]


async def test_a_notice_within_the_answer_is_kept_as_one() -> None:
    """Its text is in the chat, and it is not the model's word."""
    bridge = at_work()
    await bridge.run(round_of(call("a")), round_of())
    assert [item["type"] for item in bridge.stored_payloads] == [
        "function_call",
        "function_call_output",
        NOTICE_TYPE,
    ]


async def test_what_was_done_until_a_turn_is_cancelled_is_kept() -> None:
    """S0-135 differs: what the user saw done can be gone on from."""
    bridge = at_work()
    never = asyncio.Event()

    async def hang() -> None:
        reached.set()
        await never.wait()

    reached = asyncio.Event()
    begun = said_text("Not whole.", item_id="m2")
    running = asyncio.create_task(
        bridge.run(
            round_of(REASONING, call("a", call_id="c1")),
            [*item_events(said_text("Well."), 0), *list(item_events(begun, 1))[:-1], hang],
        )
    )
    await reached.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    types = ["reasoning", "function_call", "function_call_output", "message"]
    assert [item["type"] for item in bridge.stored_payloads] == types
    assert bridge.stored_payloads[-1] == said_text("Well.")


async def test_a_turn_that_never_began_is_not_kept() -> None:
    """There is no answer that it belongs to."""
    bridge = at_work()
    with pytest.raises(ModelError):
        await bridge.run([ModelError("No.", code="no")], to_store="all")
    assert bridge.store.items == {}


async def test_a_failed_round_keeps_what_came_of_it() -> None:
    """W-22: the part of a text that came is in the chat."""
    bridge = at_work()
    steps = [*list(item_events(said_text("Half"), 0))[:-1], ModelError("Gone.", code="gone")]
    result = await bridge.run(steps)
    assert result.status == "failed"
    assert tuple(bridge.stored_payloads) == result.output
    assert len(bridge.announced_items) == 1


async def test_a_caller_that_wants_nothing_kept_gets_nothing_kept() -> None:
    """Task requests, and callers without markers."""
    bridge = at_work()
    result = await bridge.run(round_of(call("a")), round_of(said_text("Done.")), to_store="nothing")
    assert bridge.store.items == {}
    assert bridge.announced_items == {}
    assert not result.is_stored


async def test_the_input_is_kept_where_the_answer_can_be_continued_from() -> None:
    """`previous_response_id` has to bring back both sides."""
    bridge = at_work()
    items = (user("One"), user("Two"))
    await bridge.run(round_of(said_text("Hi.")), input=items, to_store="all")
    sides = [(item.side, item.position, item.payload) for item in bridge.store.items.values()]
    assert sides == [("input", 0, items[0]), ("input", 1, items[1]), ("output", 0, said_text("Hi."))]


async def test_nothing_is_kept_where_tool_results_are_not_to_persist() -> None:
    """S4-23, S0-130: `TOOL_BRIDGE_PERSIST_TOOL_RESULTS` off: no markers and no rows."""
    bridge = at_work(persist_tool_results=False)
    await bridge.run(round_of(call("a")), round_of(said_text("Done.")))
    assert bridge.store.items == {}
    assert bridge.announced_items == {}


async def test_reasoning_is_not_kept_where_it_is_not_to_persist() -> None:
    """S0-141: `TOOL_BRIDGE_PERSIST_REASONING_TOKENS` disabled."""
    bridge = at_work(reasoning="disabled")
    await bridge.run(round_of(REASONING, said_text("Done.")))
    assert bridge.stored_payloads == [said_text("Done.")] == list(bridge.announced_items.values())


async def test_a_user_may_have_less_kept_than_the_bridge_keeps() -> None:
    """Nothing at all, or no thoughts; of others everything is kept."""
    bridge = at_work()
    said = round_of(REASONING, said_text("Hi."))
    bridge.choices.chosen = {"ann": MemoryChoice(keeps_answers=False), "bob": MemoryChoice(True, "disabled")}
    assert not (await bridge.run(said)).is_stored
    assert bridge.store.items == {}
    assert bridge.announced_items == {}
    assert (await bridge.run(said, user_id="bob")).is_stored
    assert bridge.stored_payloads == [said_text("Hi.")]
    assert (await bridge.run(said, user_id="eve")).is_stored
    assert len(bridge.stored_payloads) == 3


@pytest.mark.parametrize(
    ("most", "wanted", "kept"),
    [("conversation", "next_reply", 0), ("disabled", "conversation", 0), ("conversation", "conversation", 1)],
)
async def test_nobody_is_given_more_memory_than_the_bridge_has(
    most: ReasoningMemory, wanted: ReasoningMemory, kept: int
) -> None:
    """The lesser of the two; thoughts of two answers ago are forgotten."""
    bridge = at_work(reasoning=most)
    bridge.choices.chosen = {"ann": MemoryChoice(True, wanted)}
    old = StoredResponse("r0", "ann", "gpt", "completed", {}, {}, 1.0)
    await bridge.store.save_response(old)
    await bridge.run(round_of(REASONING, said_text("Hi.")), turn_id="r0", to_store="all")
    await bridge.store.save_response(replace(old, id="r1", previous_id="r0"))
    await bridge.run(round_of(said_text("Yes.")), turn_id="r1", to_store="all", previous_response_id="r0")
    await bridge.run(round_of(said_text("No.")), turn_id="r2", previous_response_id="r1")
    given = [item["type"] for item in bridge.model.requests[0].input]
    assert given.count("reasoning") == kept


async def test_a_thought_is_deleted_once_the_answer_after_it_has_been_continued_from() -> None:
    """`next_reply`: until then the last answer may be asked for again."""
    bridge = at_work(reasoning="next_reply")
    old = StoredResponse("r0", "ann", "gpt", "completed", {}, {}, 1.0)
    for number, left in enumerate([["rs_0"], ["rs_0", "rs_1"], ["rs_1", "rs_2"], ["rs_2", "rs_3"]]):
        name, previous = f"r{number}", f"r{number - 1}" if number else None
        await bridge.store.save_response(replace(old, id=name, previous_id=previous))
        said = round_of({**REASONING, "id": f"rs_{number}"}, said_text("Hi."))
        await bridge.run(said, turn_id=name, to_store="all", previous_response_id=previous)
        assert [item["id"] for item in bridge.stored_payloads if item.get("type") == "reasoning"] == left
    assert len([item for item in bridge.stored_payloads if item.get("role") == "assistant"]) == 4


@pytest.mark.parametrize("trouble", ["is_away", "is_slow"])
async def test_while_nobody_knows_what_a_user_wants_nothing_is_kept(trouble: str) -> None:
    """The database is away just then, and back when the answer ends; the answer says that it is not kept."""
    bridge = at_work()
    bridge.wait_s = 0.05
    setattr(bridge.choices, trouble, True)
    result = await bridge.run(round_of(said_text("Hi.")))
    assert result.status == "completed"
    assert bridge.store.items == {}
    assert [event.text for event in bridge.events if isinstance(event, Notice)] == [UNAVAILABLE]
    setattr(bridge.choices, trouble, False)
    assert (await bridge.run(round_of(said_text("Hi.")))).is_stored


async def test_an_answer_goes_on_without_a_store_and_says_so_once() -> None:
    """S0-143: the user learns that this answer will not be remembered; the answer is whole."""
    bridge = at_work()

    async def break_store() -> None:
        bridge.store.fails = True

    bridge.tools.during = break_store
    result = await bridge.run(
        round_of(call("a", call_id="c1")),
        round_of(call("b", call_id="c2")),
        round_of(said_text("Done.")),
    )
    assert result.output[-1] == said_text("Done.")
    assert not result.is_stored
    notices = [event for event in bridge.events if isinstance(event, Notice)]
    assert notices == [Notice("warning", UNAVAILABLE, in_answer=False)]
    place = bridge.events.index(notices[0])
    assert not any(isinstance(event, ItemStored) for event in bridge.events[place:])


async def test_deltas_do_not_wait_for_the_store() -> None:
    """A store that takes its time to write delays the end of a round, and nothing before it."""
    bridge = at_work()
    gate = asyncio.Event()

    class SlowStore(FailingStore):
        async def add_items(self, items: Sequence[StoredItem]) -> None:
            await gate.wait()
            await super().add_items(items)

    bridge.store = SlowStore()
    bridge.restart()
    done = asyncio.Event()

    async def take(event: TurnEvent) -> None:
        if isinstance(event, ModelOutput) and event.event.type == "response.completed":
            done.set()

    running = asyncio.create_task(bridge.run(round_of(said_text("Hi.")), emit=take))
    async with asyncio.timeout(20):
        await done.wait()
    assert not running.done()
    gate.set()
    await running


async def test_an_answer_is_continued_from_by_its_id() -> None:
    """The chain of responses stands before the new input, and no notice of the bridge does."""
    bridge = at_work()
    first = await bridge.run(round_of(REASONING, call("a", call_id="c1")), round_of(), to_store="all")
    await bridge.store.save_response(StoredResponse("turn 1", "ann", "gpt", "completed", {}, {}, 1.0))
    await bridge.run(
        round_of(said_text("Yes.")),
        input=[user("And?")],
        turn_id="turn 2",
        previous_response_id="turn 1",
        to_store="all",
    )
    assert bridge.model.requests[0].input == (user("Hello"), *first.output, user("And?"))


async def test_an_unknown_answer_cannot_be_continued_from() -> None:
    """The code is OpenAI's."""
    bridge = at_work()
    with pytest.raises(InvalidRequest) as refused:
        await bridge.run(previous_response_id="turn 0")
    assert refused.value.code == "previous_response_not_found"
    assert refused.value.param == "previous_response_id"


async def test_without_a_store_an_answer_goes_on_from_nothing_and_says_so() -> None:
    """S0-143: memory is lost, not the answer."""
    bridge = at_work()
    bridge.store.fails = True
    result = await bridge.run(round_of(said_text("Hi.")), input=[call("mine"), user("Go")])
    assert result.status == "completed"
    assert bridge.events[0] == Notice("warning", UNAVAILABLE, in_answer=False)


async def test_without_a_store_an_output_is_not_called_wrong() -> None:
    """Finding I-H1: its call may be stored; told that it is wrong, its caller would throw it away."""
    bridge = at_work()
    theirs = call("mine", "{}", "c2")
    await bridge.run(round_of(theirs), to_store="nothing")
    bridge.restart()
    bridge.store.fails = True
    answer: Item = {"type": "function_call_output", "call_id": "c2", "output": "theirs"}
    with pytest.raises(BridgeError, match="c2") as failed:
        await bridge.run(input=[user("Hello"), answer])
    assert (failed.value.error.code, failed.value.error.retryable) == ("database_unavailable", True)
    bridge.store.fails = False
    await bridge.run(round_of(said_text("Done.")), input=[user("Hello"), answer])
    assert bridge.model.requests[0].input == (user("Hello"), theirs, answer)


async def test_a_turn_that_waits_for_its_caller_survives_a_restart() -> None:
    """W-12: what the bridge ran in it is not run again, and the model sees what it saw."""
    bridge = at_work()
    ours, theirs = call("a", '{"x":1}', "c1"), call("mine", "{}", "c2")
    first = await bridge.run(round_of(REASONING, ours, theirs), to_store="nothing")
    bridge.restart()
    answer: Item = {"type": "function_call_output", "call_id": "c2", "output": "theirs"}
    await bridge.run(round_of(said_text("Done.")), input=[user("Hello"), theirs, answer], to_store="nothing")
    assert bridge.model.requests[0].input == (user("Hello"), *first.output, answer)
    assert bridge.tools.runs == [["c1"]]


async def test_a_caller_who_wants_nothing_stored_has_nothing_stored() -> None:
    """Not even a turn that waits for it; that is known until the bridge stops."""
    bridge = at_work()
    ours, theirs = call("a", '{"x":1}', "c1"), call("mine", "{}", "c2")
    first = await bridge.run(round_of(ours, theirs), to_store="nothing", options={"store": False})
    assert bridge.store.commits == []
    answer: Item = {"type": "function_call_output", "call_id": "c2", "output": "theirs"}
    await bridge.run(round_of(said_text("Done.")), input=[user("Hello"), theirs, answer], to_store="nothing")
    assert bridge.model.requests[0].input == (user("Hello"), *first.output, answer)


async def test_another_users_waiting_turn_is_not_there() -> None:
    """Call ids are guessed easily."""
    bridge = at_work()
    theirs = call("mine", "{}", "c2")
    await bridge.run(round_of(REASONING, call("a", call_id="c1"), theirs), to_store="nothing")
    bridge.restart()
    await bridge.run(round_of(said_text("Done.")), input=[theirs], user_id="bob")
    stub: Item = {"type": "function_call_output", "call_id": "c2", "output": NO_OUTPUT}
    assert bridge.model.requests[0].input == (theirs, stub)
