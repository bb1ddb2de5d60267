"""Calls and outputs as providers accept them: whatever a history looks like, a request is a valid one."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.models.agent.call_pairs import pair_calls
from bridge.models.agent.chat_completions.items_to_messages import messages_of
from bridge.models.agent.items import Item, answered_call_id, call_id_of
from bridge.models.agent.model_messages import NO_OUTPUT
from tests.support.examples import examples
from tests.support.models.history_check import find_refusal
from tests.support.models.turn_harness import user
from toolserver.json_types import text_at


def call(call_id: str, name: str = "x") -> Item:
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": "{}"}


def output(call_id: str, text: str = "") -> Item:
    return {"type": "function_call_output", "call_id": call_id, "output": text}


def stub(call_id: str) -> Item:
    return output(call_id, NO_OUTPUT)


SAID: Item = {"type": "message", "role": "assistant", "content": "Hm."}
ASKED = user("And?")


def test_outputs_follow_the_order_of_their_calls() -> None:
    """W-17: whoever ran which; each round for itself, also when a provider gives an id twice."""
    first = (call("a"), SAID, call("b"), output("b"), output("a"))
    second = (call("b"), call("a"), output("a"), output("b"))
    ordered = (
        call("a"),
        SAID,
        call("b"),
        output("a"),
        output("b"),
        call("b"),
        call("a"),
        output("b"),
        output("a"),
    )
    assert pair_calls((*first, *second)) == ordered


def test_an_output_without_a_call_before_it_is_dropped() -> None:
    """Finding I-H1: every provider refuses it, and the whole chat with it."""
    items = (output("lost"), SAID, call("a"), output("a"), output("lost"), ASKED)
    assert pair_calls(items) == (SAID, call("a"), output("a"), ASKED)


def test_the_first_output_of_a_call_is_the_only_one() -> None:
    """Finding I-H1: what replay brings back once more, a turn or an answer later, is not said again."""
    items = (call("a"), output("a", "1"), output("a", "2"), ASKED, output("a", "1"), call("b"), output("b"))
    assert pair_calls(items) == (call("a"), output("a", "1"), ASKED, call("b"), output("b"))


def test_a_call_that_a_chain_and_its_caller_both_send_is_made_once() -> None:
    """Finding I-H1: two calls of one id in one answer have one output between them."""
    assert pair_calls((call("a"), call("a"), output("a"))) == (call("a"), output("a"))


def test_an_id_that_another_answer_had_is_a_call_of_its_own() -> None:
    """Finding I-H1: some providers count from 0 in every answer; nothing that was meant is dropped."""
    items = (call("0"), output("0", "1"), ASKED, call("0"), output("0", "2"))
    assert pair_calls(items) == items
    interrupted = (call("0"), ASKED, call("0"), output("0", "2"))
    assert pair_calls(interrupted) == (call("0"), stub("0"), ASKED, call("0"), output("0", "2"))


def test_an_output_that_came_late_stands_behind_its_call() -> None:
    """Finding I-H1: Chat Completions wants it there, before the message that the user wrote meanwhile."""
    items = (call("a"), call("b"), output("b"), SAID, ASKED, output("a"))
    assert pair_calls(items) == (call("a"), call("b"), output("a"), output("b"), SAID, ASKED)


def test_a_call_without_an_output_gets_one_that_says_so() -> None:
    """Finding I-H1: an answer that was stopped does not end the chat, and the model repeats nothing."""
    items = (call("a"), call("b"), output("b"), ASKED, call("c"))
    found = pair_calls(items)
    assert found == (call("a"), call("b"), stub("a"), output("b"), ASKED, call("c"), stub("c"))
    assert "Do not repeat it if it changes something" in NO_OUTPUT
    custom: Item = {"type": "custom_tool_call", "call_id": "d", "name": "x", "input": ""}
    assert pair_calls((custom,))[1]["type"] == "custom_tool_call_output"


def test_items_that_the_bridge_does_not_know_are_left_alone() -> None:
    """Finding I-H1: tomorrow's kinds of calls have outputs, too; what has no output needs none."""
    made: Item = {"type": "robot_call", "id": "r1", "call_id": "c1"}
    answer: Item = {"type": "robot_call_output", "call_id": "c1", "output": "moved"}
    search: Item = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    approval: Item = {"type": "mcp_approval_request", "id": "mcpr_1", "name": "x", "arguments": "{}"}
    response: Item = {
        "type": "mcp_approval_response",
        "approval_request_id": "mcpr_1",
        "approve": True,
    }
    items = (made, answer, search, approval, response, ASKED)
    assert pair_calls(items) == items
    assert pair_calls((search, ASKED)) == (search, ASKED)


ID = st.sampled_from(["a", "b", "0"])
ITEM: st.SearchStrategy[Item] = st.one_of(
    st.builds(call, ID, st.sampled_from(["x", "y"])),
    st.builds(output, ID, st.text(max_size=2)),
    st.just(SAID),
    st.just(ASKED),
    st.just({"type": "reasoning", "id": "rs_1", "content": [{"type": "reasoning_text", "text": "Hm."}]}),
)


@pytest.mark.wide
@examples(300)
@given(st.lists(ITEM, max_size=14))
def test_any_items_become_a_history_that_providers_accept(items: list[Item]) -> None:
    """Finding I-H1: in both protocols, and again unchanged; all that is no output stays, in its order."""
    found = pair_calls(items)
    assert find_refusal("/v1/responses", {"input": [*found]}) is None
    for with_reasoning in (False, True):
        messages = messages_of(None, found, with_reasoning=with_reasoning)
        assert find_refusal("/v1/chat/completions", {"messages": messages}) is None
    assert pair_calls(found) == found
    said = [item for item in items if not answered_call_id(item) and not call_id_of(item)]
    assert [item for item in found if not answered_call_id(item) and not call_id_of(item)] == said
    assert _calls(found) == list(_distinct_calls(items))
    texts = [text_at(item, "output") for item in items if answered_call_id(item)]
    told = [text_at(item, "output") for item in found if answered_call_id(item)]
    assert all(text in texts or text == NO_OUTPUT for text in told)


def _calls(items: Any) -> list[str]:
    return [call_id for item in items if (call_id := call_id_of(item))]


def _distinct_calls(items: list[Item]) -> Any:
    """Ids of calls, without those that are made again before they are answered or the user speaks."""
    waiting: set[str] = set()
    for item in items:
        if call_id := call_id_of(item):
            if call_id not in waiting:
                yield call_id
            waiting.add(call_id)
        elif answers := answered_call_id(item):
            waiting.discard(answers)
        elif item == ASKED:
            waiting.clear()


@pytest.mark.parametrize("count", [2_000])
def test_a_long_history_is_paired_in_time(count: int) -> None:
    """Finding I-H1: the rule is applied to each request, however many calls its chat has."""
    calls = [call(str(number)) for number in range(count)]
    outputs = [output(str(number)) for number in reversed(range(count))]
    found = pair_calls([*calls, *outputs])
    assert found == (*calls, *reversed(outputs))
