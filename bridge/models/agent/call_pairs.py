"""Calls and their outputs in the only order that providers accept: a call, then its one output. Pure.

Chat Completions refuses a `tool` message whose call is not in the assistant's message right before it, and a
call that no `tool` message follows; the Responses API refuses an output without its call, and a call without
an output. Every turn's input passes through `pair_calls`, wherever it comes from: a caller, an edited chat,
stored items, a waiting turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bridge.models.agent.items import SEARCH_CALL, SEARCH_OUTPUT, Item, answered_call_id, call_id_of
from bridge.models.agent.model_messages import NO_OUTPUT
from toolserver.json_types import text_at

STUB_TYPES: Mapping[str, str] = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    SEARCH_CALL: SEARCH_OUTPUT,
}
"""Types of outputs that can be written for calls without one, by the type of the call."""


@dataclass(frozen=True, slots=True)
class CallPairs:
    """Which output belongs to which call, by their places."""

    output_of: Mapping[int, int]
    """Place of the output of each call that has one."""
    unanswered: frozenset[int]
    """Places of calls without an output."""
    superfluous: frozenset[int]
    """Places of what no provider accepts: second copies of a call and second outputs, and outputs without a
    call before them."""


def match_pairs(items: Sequence[Item | None]) -> CallPairs:
    """Match outputs with calls; None in place of an item is skipped.

    An output belongs to the last call of its id before it, unless that has one: some providers give the same
    ids in every answer. A call that is made again before a message of the user is a copy.
    """
    open_calls: dict[str, int] = {}
    output_of: dict[int, int] = {}
    left: set[int] = set()
    superfluous: set[int] = set()
    answer_start = 0
    for place, item in enumerate(items):
        if item is None:
            continue
        if answers := answered_call_id(item):
            if (call := open_calls.pop(answers, None)) is None:
                superfluous.add(place)
            else:
                output_of[call] = place
        elif call_id := made_call_id(item):
            if (before := open_calls.get(call_id, -1)) >= answer_start:
                superfluous.add(place)
                continue
            if before >= 0:
                left.add(before)
            open_calls[call_id] = place
        elif _is_said_to_model(item):
            answer_start = place
    return CallPairs(output_of, frozenset(left.union(open_calls.values())), frozenset(superfluous))


def pair_calls(items: Sequence[Item]) -> tuple[Item, ...]:
    """Return the items with each call's output after the calls of its round, in their order.

    What is superfluous is dropped; a call without an output gets one that says so.
    """
    pairs = match_pairs(items)
    call_of = {output: call for call, output in pairs.output_of.items()}
    ordered: list[Item] = []
    waiting: dict[int, Item] = {}
    """Outputs that the calls of the current round wait for, by place of the call."""
    for place, item in enumerate(items):
        if place in pairs.superfluous:
            continue
        is_output = place in call_of
        if call_of.get(place) in waiting or (waiting and _is_said_to_model(item)):
            ordered += waiting.values()
            waiting.clear()
        if is_output:
            continue
        ordered.append(item)
        if place in pairs.output_of:
            waiting[place] = items[pairs.output_of[place]]
        elif place in pairs.unanswered and (stub := _stub_of(item)):
            waiting[place] = stub
    return (*ordered, *waiting.values())


def made_call_id(item: Item) -> str:
    """Return the id of the call that an item makes, of a type that the bridge does not know either."""
    if call_id := call_id_of(item):
        return call_id
    is_call = text_at(item, "type").endswith("_call") and item.get("type") != SEARCH_CALL
    return (text_at(item, "call_id") or text_at(item, "id")) if is_call else ""


def _is_said_to_model(item: Item) -> bool:
    """Return whether an item is a message of the user or of the system, which ends the model's answer."""
    return text_at(item, "type") in ("", "message") and item.get("role") != "assistant"


def _stub_of(call: Item) -> Item | None:
    """Return an output for a call without one, the same each time; None for a type that has none."""
    kind = STUB_TYPES.get(text_at(call, "type"))
    if kind == SEARCH_OUTPUT:
        about: Item = {"type": kind, "call_id": call_id_of(call)}
        return {**about, "execution": "client", "status": "completed", "tools": []}
    return {"type": kind, "call_id": call_id_of(call), "output": NO_OUTPUT} if kind else None
