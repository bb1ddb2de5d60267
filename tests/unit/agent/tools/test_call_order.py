"""Outputs of calls, in the order of their calls."""

from bridge.agent.items import Item, in_call_order


def call(call_id: str) -> Item:
    return {"type": "function_call", "call_id": call_id, "name": "x", "arguments": "{}"}


def output(call_id: str) -> Item:
    return {"type": "function_call_output", "call_id": call_id, "output": ""}


SAID: Item = {"type": "message", "role": "assistant", "content": "Hm."}


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
    assert in_call_order((*first, *second)) == ordered


def test_what_answers_no_call_stays_before_the_others() -> None:
    """A caller's items are his; nothing is lost and nothing moves over a message."""
    items = (output("lost"), SAID, call("a"), output("a"), output("lost"))
    assert in_call_order(items) == (output("lost"), SAID, call("a"), output("lost"), output("a"))
