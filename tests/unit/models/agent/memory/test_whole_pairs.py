"""Whatever a caller sends and the store has, in any mixture: what a model is given has whole pairs."""

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.models.agent.items import Item, answered_call_id, call_id_of
from bridge.models.agent.model_messages import NO_OUTPUT
from bridge.models.agent.request_fields import InvalidRequest
from bridge.models.stored_items.items import StoredItem, StoredResponse
from bridge.models.stored_items.markers import link_marker, unseen_marker
from tests.support.examples import examples
from tests.support.models.history_check import refused_items
from tests.support.models.memory_harness import FakeNestingToolbox, MemoryHarness
from tests.support.models.turn_harness import call, round_of, user
from tests.support.models.turn_harness import text as said_text
from toolserver.json_types import text_at

IDS = [f"{number:026d}" for number in range(12)]
"""Of stored items."""

CALL_ID = st.sampled_from(["c0", "c1", "c2", "c3"])


def output(call_id: str, words: str) -> Item:
    return {"type": "function_call_output", "call_id": call_id, "output": words}


def call_of(call_id: str) -> Item:
    return call("a", "{}", call_id)


ITEM: st.SearchStrategy[Item] = st.one_of(
    st.builds(call_of, CALL_ID),
    st.builds(output, CALL_ID, st.sampled_from(["one", "two"])),
    st.builds(said_text, st.sampled_from(["Hm.", "Well."])),
    st.just({"type": "reasoning", "id": "rs_1", "encrypted_content": "x", "summary": []}),
)

STORED = st.lists(st.tuples(ITEM, st.sampled_from(["r1", "r2", "r3"]), st.booleans()), max_size=len(IDS))
"""Items, the response of each, and whether it was that one's input."""


def marked(ids: list[str], words: str, is_seen: bool) -> Item:
    marks = "".join(map(link_marker if is_seen else unseen_marker, ids))
    return {
        "role": "assistant",
        "content": [{"type": "output_text", "text": f"{words}\n\n{marks}\n"}],
    }


SENT: st.SearchStrategy[Item] = st.one_of(
    ITEM,
    st.just(user("And?")),
    st.builds(
        marked,
        st.lists(st.sampled_from(IDS), max_size=4, unique=True),
        st.sampled_from(["Hm.", "", "New."]),
        st.booleans(),
    ),
)


async def given_to_model(stored: list[Any], sent: list[Item], previous: str | None) -> list[Item]:
    """What the model is given of it."""
    bridge = MemoryHarness(tools=FakeNestingToolbox(own_names=["a"]))
    for response_id, before in (("r1", None), ("r2", "r1"), ("r3", "r2")):
        old = StoredResponse(response_id, "ann", "gpt", "completed", {}, {}, 1.0)
        await bridge.store.save_response(replace(old, previous_id=before))
    await bridge.store.add_items(
        [
            StoredItem(
                item_id, "ann", response_id, place, "input" if is_input else "output", "gpt", item, 1.0
            )
            for place, (item_id, (item, response_id, is_input)) in enumerate(zip(IDS, stored, strict=False))
        ]
    )
    await bridge.run(
        round_of(said_text("Yes.", item_id="m9")),
        input=[*sent, user("Go on.")],
        previous_response_id=previous,
        to_store="nothing",
    )
    return list(bridge.model.requests[0].input)


@pytest.mark.wide
@examples(300)
@given(STORED, st.lists(SENT, max_size=8), st.sampled_from([None, "r1", "r3"]))
def test_any_mixture_is_given_as_whole_pairs(
    stored: list[Any], sent: list[Item], previous: str | None
) -> None:
    """Finding I-H1: chains, markers of each form and the caller's own items, however torn they are."""
    found = asyncio.run(given_to_model(stored, sent, previous))
    assert refused_items(found) is None
    for item in sent:
        if call_id := call_id_of(item):
            assert call_id in map(call_id_of, found), "a call of the caller was lost"
    answers = {answered_call_id(item): text_at(item, "output") for item in found if answered_call_id(item)}
    told = {text_at(item, "output") for item in [*sent, *(each[0] for each in stored)]}
    assert set(answers.values()) <= told | {NO_OUTPUT}


@pytest.mark.wide
@examples(100)
@given(st.lists(SENT, max_size=6), CALL_ID)
def test_an_output_that_is_sent_last_is_read_or_refused(sent: list[Item], call_id: str) -> None:
    """Finding I-H1: dropping it in silence would lose what its caller has just been asked for."""
    asked: list[Item] = [*sent, output(call_id, "the answer")]
    bridge = MemoryHarness(tools=FakeNestingToolbox(own_names=["a"]))
    turn = bridge.run(round_of(said_text("Yes.")), input=asked, to_store="nothing")
    if asyncio.run(is_refused(turn)):
        start = len(asked)
        while start and answered_call_id(asked[start - 1]):
            start -= 1
        called = set(map(call_id_of, asked[:start]))
        assert any(answered_call_id(item) not in called for item in asked[start:])
    else:
        assert call_id in map(call_id_of, bridge.model.requests[0].input)


async def is_refused(turn: Coroutine[Any, Any, Any]) -> bool:
    try:
        await turn
    except InvalidRequest as refused:
        return "No tool call found for function call output with call_id" in refused.message
    return False
