"""For any rounds a provider may play: every call has one output, in order, and nothing is lost."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.models.agent.items import Item
from bridge.models.agent.model import ModelError, ModelRequest
from bridge.models.agent.turn import CallEnded, TurnResult, TurnSettings
from tests.support.examples import examples
from tests.support.models.turn_harness import (
    FakeToolbox,
    ScriptedModel,
    Step,
    TurnHarness,
    item_events,
    round_of,
    user,
)
from tests.support.models.turn_harness import text as said_text

OWN, CALLERS = ("a", "b"), ("mine",)

names = st.sampled_from([*OWN, *OWN, *CALLERS, "nobody", "", None])
arguments = st.sampled_from(["{}", "", "null", "{", '{"x":1}', None, 5])
ids = st.sampled_from(["c0", "c1", "c2", "", None])


@st.composite
def calls(draw: st.DrawFn) -> Item:
    written = {"name": draw(names), "arguments": draw(arguments), "call_id": draw(ids)}
    item: dict[str, Any] = {"type": "function_call", "id": draw(st.uuids()).hex, "status": "completed"}
    return item | {key: value for key, value in written.items() if value is not None}


REASONING: Item = {"type": "reasoning", "id": "rs_1", "encrypted_content": "x"}
CUSTOM: Item = {"type": "custom_tool_call", "id": "x", "call_id": "cx", "name": "sql", "input": ""}

items = st.one_of(calls(), calls(), st.sampled_from([said_text("Words."), REASONING, CUSTOM]))


@st.composite
def rounds(draw: st.DrawFn) -> list[Step]:
    """One round: mostly a whole one, else one that is cut, fails or breaks off."""
    listed = draw(st.lists(items, max_size=5))
    how = draw(st.sampled_from(["completed"] * 6 + ["incomplete", "failed", "error", "silence"]))
    if how in ("completed", "incomplete", "failed"):
        return round_of(*listed, status=how)
    events: list[Step] = [event for place, item in enumerate(listed) for event in item_events(item, place)]
    kept = events[: draw(st.integers(0, len(events)))]
    return [*kept, ModelError("Gone.", code="x")] if how == "error" else kept


def pairs(sent: tuple[Item, ...]) -> tuple[list[str], list[str]]:
    """Ids of the function calls, and of the outputs, in order."""
    of_kind = {kind: [str(item["call_id"]) for item in sent if item["type"] == kind] for kind in KINDS}
    return of_kind["function_call"], of_kind["function_call_output"]


KINDS = ("function_call", "function_call_output")


@pytest.mark.wide
@examples(300)
@given(st.lists(rounds(), max_size=6), st.integers(1, 4), st.sampled_from([None, 0, 2]), st.booleans())
def test_every_call_is_answered_once_and_in_order(
    script: list[list[Step]], max_rounds: int, max_tool_calls: int | None, parallel: bool
) -> None:
    """S4-04, W-17, W-18, W-19, W-21: whatever a model writes and however a round ends."""
    options = {"parallel_tool_calls": parallel, "max_tool_calls": max_tool_calls}
    whole = [*script, *(round_of(said_text("End.")) for _ in range(max_rounds + 1))]
    turn = TurnHarness(ScriptedModel(whole), FakeToolbox(OWN, CALLERS), TurnSettings("m", max_rounds))
    try:
        result = asyncio.run(turn.run(user("Go"), options=options))
    except ModelError:
        assert (turn.events, len(turn.model.requests)) == ([], 1)
        return
    for request in turn.model.requests:
        wanted, answered = pairs(request.input)
        assert wanted == answered
        assert len(set(wanted)) == len(wanted)
    assert len(turn.model.requests) <= max_rounds + 1
    judge_inputs(turn.model.requests, script)
    judge_result(turn, result)


def judge_inputs(requests: list[ModelRequest], script: list[list[Step]]) -> None:
    """Each input begins with the one before, and goes on with every item of the round, in order."""
    for before, after, played in zip(requests, requests[1:], script, strict=False):
        assert after.input[: len(before.input)] == before.input
        ending: Any = played[-1]
        more = [item for item in after.input[len(before.input) :] if item["type"] != "function_call_output"]
        without_ids = [{**item, "call_id": ""} for item in ending["response"]["output"]]
        assert [{**item, "call_id": ""} for item in more] == without_ids


def judge_result(turn: TurnHarness, result: TurnResult) -> None:
    wanted, answered = pairs(result.output)
    waiting = [call.call_id for call in result.caller_calls]
    told = [event.call.call_id for event in turn.of_kind(CallEnded)]
    assert told == answered
    assert len(set(answered)) == len(answered)
    assert result.own_call_ids == set(answered)
    callers = {str(item["call_id"]) for item in result.output if item.get("name") in CALLERS}
    assert set(wanted) - set(answered) <= callers
    assert set(waiting) - {"cx"} <= callers
    run = [call_id for group in turn.tools.runs for call_id in group]
    assert len(set(run)) == len(run)
    if waiting:
        assert result.status == "completed"
