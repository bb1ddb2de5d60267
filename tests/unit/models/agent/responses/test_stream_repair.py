"""What a provider's stream leaves untold is told before its end; what it told is passed on as it is."""

from __future__ import annotations

from typing import Any

import pytest

from bridge.models.agent.responses.stream_repair import StreamRepair
from tests.support.models.model_answers import Answer, calls, reasoning, refusal, responses_events, text
from toolserver.json_types import JsonObject

MESSAGE: JsonObject = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "status": "completed",
    "content": [
        {"type": "output_text", "text": "Good day", "annotations": []},
        {"type": "refusal", "refusal": "But no."},
    ],
}
CALL: JsonObject = {
    "id": "fc_1",
    "type": "function_call",
    "status": "completed",
    "call_id": "call_1",
    "name": "search",
    "arguments": '{"q": 1}',
}
REASONING: JsonObject = {
    "id": "rs_1",
    "type": "reasoning",
    "summary": [{"type": "summary_text", "text": "Hm"}, {"type": "summary_text", "text": "So"}],
    "encrypted_content": "x",
}


def _events_of(*bodies: JsonObject) -> list[Any]:
    told = StreamRepair()
    return [event for body in bodies for event in told.complete_event(body)]


def _done(index: int, item: JsonObject) -> JsonObject:
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def _ending(*output: JsonObject) -> JsonObject:
    return {"type": "response.completed", "response": {"status": "completed", "output": [*output]}}


def _deltas(events: list[Any]) -> list[tuple[str, int, str]]:
    return [
        (event["type"], event["output_index"], event["delta"])
        for event in events
        if event["type"].endswith(".delta")
    ]


@pytest.mark.parametrize("answer", [text("Good ", "day"), reasoning("Hm"), refusal("No."), calls(("a", {}))])
def test_a_stream_that_tells_all_is_passed_on_untouched(answer: Answer) -> None:
    """Nothing comes twice."""
    told = list(responses_events(answer, 0, "m"))
    assert _events_of(*told) == told


def test_an_item_that_comes_whole_gets_its_beginning_and_its_deltas() -> None:
    """In the order in which OpenAI tells them."""
    events = _events_of(_done(0, MESSAGE), _ending(MESSAGE))

    assert [event["type"] for event in events] == [
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.content_part.added",
        "response.refusal.delta",
        "response.refusal.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ]
    assert events[0]["item"] == {**MESSAGE, "status": "in_progress", "content": []}
    assert events[6]["content_index"] == 1


def test_items_that_only_the_ending_has_are_told_before_it() -> None:
    """Some servers stream nothing but the ending."""
    events = _events_of(_ending(REASONING, MESSAGE, CALL))

    assert _deltas(events) == [
        ("response.reasoning_summary_text.delta", 0, "Hm"),
        ("response.reasoning_summary_text.delta", 0, "So"),
        ("response.output_text.delta", 1, "Good day"),
        ("response.refusal.delta", 1, "But no."),
        ("response.function_call_arguments.delta", 2, '{"q": 1}'),
    ]
    done = [event["item"] for event in events if event["type"] == "response.output_item.done"]
    assert done == [REASONING, MESSAGE, CALL]


def test_a_text_that_is_done_without_a_delta_gets_one_before() -> None:
    """And only one, though the item's end has the text again."""
    done: JsonObject = {
        "type": "response.output_text.done",
        "item_id": "msg_1",
        "output_index": 0,
        "content_index": 0,
        "text": "Good day",
    }
    first: JsonObject = {
        **MESSAGE,
        "content": [{"type": "output_text", "text": "Good day", "annotations": []}],
    }

    events = _events_of(done, _done(0, first), _ending(first))

    assert _deltas(events) == [("response.output_text.delta", 0, "Good day")]
    assert [event["type"] for event in events][:2] == [
        "response.output_text.delta",
        "response.output_text.done",
    ]


@pytest.mark.parametrize("odd", [{}, {"type": 3}, {"type": "x.done", "output_index": 0}, _ending()])
def test_events_that_say_nothing_of_an_item_are_passed_on(odd: JsonObject) -> None:
    """Whatever they are."""
    assert _events_of(odd) == [odd]


def _added(index: int) -> JsonObject:
    item: JsonObject = {**CALL, "status": "in_progress", "arguments": ""}
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def _calls_told(*bodies: JsonObject) -> tuple[list[tuple[int, str]], list[str]]:
    """Places and arguments of the calls that ended, and the arguments of those in the ending."""
    *events, ending = _events_of(*bodies)
    done = [event for event in events if event["type"] == "response.output_item.done"]
    ended = [(event["output_index"], event["item"]) for event in done if event["item"]["id"] == "fc_1"]
    output = [item for item in ending["response"]["output"] if item["id"] == "fc_1"]
    return [(place, item["arguments"]) for place, item in ended], [item["arguments"] for item in output]


@pytest.mark.parametrize(
    "bodies",
    [
        (_added(1), _done(0, CALL), _ending(REASONING, CALL)),
        (_added(1), _added(0), _done(0, CALL), _ending(REASONING, CALL)),
        (_added(1), _done(1, CALL), _done(0, CALL), _ending(REASONING, CALL)),
        (_added(1), _done(1, CALL), _ending(REASONING, CALL, CALL)),
    ],
    ids=["moved", "begun twice", "ended twice", "twice in the ending"],
)
def test_a_call_that_is_told_at_two_places_is_one(bodies: tuple[JsonObject, ...]) -> None:
    """Found by `make fuzz`: it was two calls with one id, which the bridge took for a bug of its own."""
    ended, output = _calls_told(*bodies)
    assert (set(ended), output) == ({(1, '{"q": 1}')}, ['{"q": 1}'])


def test_calls_with_one_id_and_other_arguments_are_several() -> None:
    """Finding W-2: some providers have one id for all calls; none is lost, in whatever order they end."""
    other: JsonObject = {**CALL, "arguments": '{"q": 2}'}
    for first, second in ((CALL, other), (other, CALL)):
        ended, output = _calls_told(
            _added(0), _added(1), _done(1, first), _done(0, second), _ending(CALL, other)
        )
        assert {arguments for _, arguments in ended} == {'{"q": 1}', '{"q": 2}'}
        assert output == ['{"q": 1}', '{"q": 2}']
