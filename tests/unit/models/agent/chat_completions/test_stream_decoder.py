"""A chat stream heard as if the provider spoke Responses."""

import json
from collections.abc import Iterable
from itertools import count
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.responses import ResponseStreamEvent
from pydantic import TypeAdapter

from bridge.models.agent.chat_completions.stream_decoder import ChatReading
from bridge.models.agent.model import ModelRequest
from tests.support.models.model_answers import Answer, calls, chat_chunks, reasoning, refusal, text
from toolserver.json_types import JsonValue

Json = dict[str, Any]

EVENT: TypeAdapter[ResponseStreamEvent] = TypeAdapter(ResponseStreamEvent)


def read(chunks: Iterable[Json]) -> list[Json]:
    """All events of a stream, ids counted."""
    numbers = count()
    reading = ChatReading(ModelRequest("asked", ()), new_id=lambda: str(next(numbers)), now=lambda: 9.0)
    events = [event for chunk in chunks for event in reading.decode_chunk(chunk)]
    return cast("list[Json]", [*events, *reading.finish_stream()])


def of_answer(answer: Answer) -> list[Json]:
    return read(chat_chunks(answer, 0, "m", with_usage=True))


def of_deltas(*deltas: Json, finish: str = "stop") -> list[Json]:
    chunks: list[Json] = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    return read([*chunks, {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}])


def ended(events: list[Json]) -> Json:
    return events[-1]["response"]


def output(events: list[Json]) -> list[Json]:
    return ended(events)["output"]


def types(events: list[Json]) -> list[str]:
    return [event["type"].removeprefix("response.") for event in events]


def call_delta(
    index: int | None = None, id_: str | None = None, name: str | None = None, piece: Any = None
) -> Json:
    function = {"name": name, "arguments": piece}
    delta = {"index": index, "id": id_, "function": {k: v for k, v in function.items() if v is not None}}
    return {"tool_calls": [{k: v for k, v in delta.items() if v is not None}]}


def named_calls(events: list[Json]) -> list[tuple[str, str, str]]:
    return [(item["call_id"], item["name"], item["arguments"]) for item in output(events)]


def test_a_text_comes_as_the_whole_sequence_of_events() -> None:
    """S4-07: OpenAI's own clients stop at a sequence that is not complete."""
    events = of_answer(text("Good ", "day"))
    part: Json = {"type": "output_text", "text": "Good day", "annotations": [], "logprobs": []}
    item: Json = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }
    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    assert types(events[:2]) == ["created", "in_progress"]
    assert events[2:-1] == [
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": {**item, "status": "in_progress", "content": []},
        },
        {"type": "response.content_part.added", **place, "part": {**part, "text": ""}},
        {"type": "response.output_text.delta", **place, "delta": "Good ", "logprobs": []},
        {"type": "response.output_text.delta", **place, "delta": "day", "logprobs": []},
        {"type": "response.output_text.done", **place, "text": "Good day", "logprobs": []},
        {"type": "response.content_part.done", **place, "part": part},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
    ]
    assert events[-1] == {
        "type": "response.completed",
        "response": {
            **events[0]["response"],
            "status": "completed",
            "output": [item],
            "usage": {
                "input_tokens": 11,
                "output_tokens": 7,
                "total_tokens": 18,
                "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
                "output_tokens_details": {"reasoning_tokens": 0},
            },
        },
    }


def test_thoughts_texts_and_calls_are_items_in_their_order() -> None:
    """S4-07: a thought has ended when the text begins, so that whoever shows it can fold it away."""
    events = of_answer(reasoning("Hm") + text("Look") + calls(("a", {"x": 1}), ("b", "{broken")))
    assert [(item["type"], item.get("name")) for item in output(events)] == [
        ("reasoning", None),
        ("message", None),
        ("function_call", "a"),
        ("function_call", "b"),
    ]
    assert output(events)[0]["content"] == [{"type": "reasoning_text", "text": "Hm"}]
    assert output(events)[2]["arguments"] == '{"x": 1}'
    assert output(events)[3]["arguments"] == "{broken"
    kinds = types(events)
    assert kinds.index("reasoning_text.done") < kinds.index("output_text.delta")
    assert kinds.index("output_text.done") < kinds.index("function_call_arguments.delta")


@pytest.mark.parametrize(
    "answer",
    [
        text("Hi"),
        refusal("No", "."),
        reasoning("Hm", "m"),
        calls(("a", {}), ("b", {"x": [1]})),
        text("Hi").ending_in("length"),
        text("Hi").ending_in("content_filter"),
    ],
)
def test_every_event_is_one_that_openai_describes(answer: Answer) -> None:
    """S4-07: our own clients read the events by OpenAI's types."""
    for number, event in enumerate(of_answer(answer)):
        read_back = EVENT.validate_python({**event, "sequence_number": number})
        assert read_back.type == event["type"]


def test_a_refusal_is_a_part_of_the_message() -> None:
    """W-22: it may come after some text, and is no text."""
    events = of_deltas({"content": "Well. "}, {"refusal": "I will "}, {"refusal": "not."})
    [message] = output(events)
    assert [(part["type"], part.get("text", part.get("refusal"))) for part in message["content"]] == [
        ("output_text", "Well. "),
        ("refusal", "I will not."),
    ]


@pytest.mark.parametrize(
    ("reason", "status", "details"),
    [
        ("stop", "completed", None),
        ("tool_calls", "completed", None),
        ("function_call", "completed", None),
        ("eos", "completed", None),
        ("length", "incomplete", {"reason": "max_output_tokens"}),
        ("MAX_TOKENS", "incomplete", {"reason": "max_output_tokens"}),
        ("content_filter", "incomplete", {"reason": "content_filter"}),
        ("SAFETY", "incomplete", {"reason": "content_filter"}),
        ("error", "failed", None),
    ],
)
def test_why_a_model_stopped_decides_how_the_round_ended(
    reason: str, status: str, details: Json | None
) -> None:
    """S0-60, W-22: each ending is told as what it is, and what was said until then stays."""
    events = of_deltas({"content": "Hi"}, finish=reason)
    response = ended(events)
    assert events[-1]["type"] == f"response.{status}"
    assert (response["status"], response["incomplete_details"]) == (status, details)
    assert (response["error"] is not None) == (status == "failed")
    assert output(events)[0]["status"] == ("completed" if status == "completed" else "incomplete")
    assert output(events)[0]["content"][0]["text"] == "Hi"


def test_calls_of_a_round_that_was_cut_off_are_incomplete() -> None:
    """W-22: half of the arguments may be JSON by chance; such a call must not run."""
    events = of_deltas(call_delta(0, "c1", "pay", "{}"), finish="length")
    assert [(item["name"], item["status"]) for item in output(events)] == [("pay", "incomplete")]


@pytest.mark.parametrize(
    ("deltas", "expected"),
    [
        pytest.param(
            [
                call_delta(0, "c1", "a", ""),
                call_delta(1, "c2", "b", ""),
                call_delta(1, piece='{"y"'),
                call_delta(0, piece='{"x"'),
                call_delta(1, piece=":2}"),
                call_delta(0, piece=":1}"),
            ],
            [("c1", "a", '{"x":1}'), ("c2", "b", '{"y":2}')],
            id="interleaved",
        ),
        pytest.param(
            [{"tool_calls": [call_delta(n, f"c{n}", "a", "{}")["tool_calls"][0] for n in (1, 2)]}],
            [("c1", "a", "{}"), ("c2", "a", "{}")],
            id="all in one delta",
        ),
        pytest.param(
            [call_delta(0, "c1", "a", '{"x":1}'), call_delta(0, "c2", "a", '{"x":2}')],
            [("c1", "a", '{"x":1}'), ("c2", "a", '{"x":2}')],
            id="whole calls, all under index 0",
        ),
        pytest.param(
            [call_delta(None, None, "a", '{"x":1}'), call_delta(None, None, "b", "{}")],
            [("call_2", "a", '{"x":1}'), ("call_4", "b", "{}")],
            id="neither index nor id",
        ),
        pytest.param(
            [call_delta(0, None, "a", '{"x"'), call_delta(0, None, "a", ":1}")],
            [("call_2", "a", '{"x":1}')],
            id="a name in every delta, no id",
        ),
        pytest.param(
            [call_delta(0, "c1", "a", '{"x"'), call_delta(0, "c1", "a", ":1}")],
            [("c1", "a", '{"x":1}')],
            id="id and name in every delta",
        ),
        pytest.param(
            [call_delta(0, "c1", "a", '{"x"'), call_delta(0, "c9", None, ":1}")],
            [("c1", "a", '{"x":1}')],
            id="a new id in every delta",
        ),
        pytest.param([call_delta(0, "c1", "a", {"x": 1})], [("c1", "a", '{"x":1}')], id="an object"),
        pytest.param([call_delta(0, "c1", "a")], [("c1", "a", "")], id="no arguments"),
        pytest.param([call_delta(0, "c1")], [("c1", "", "")], id="no name"),
        pytest.param([call_delta(7, "c1", "a", "{}")], [("c1", "a", "{}")], id="index of its own"),
        pytest.param(
            [{"function_call": {"name": "a", "arguments": "{"}}, {"function_call": {"arguments": "}"}}],
            [("call_2", "a", "{}")],
            id="the older form",
        ),
        pytest.param(
            [{"tool_calls": [None, 3, Json()]}, {"tool_calls": "x"}],
            [("call_2", "", "")],
            id="nonsense",
        ),
    ],
)
def test_calls_are_put_together_whichever_way_they_come(
    deltas: list[Json], expected: list[tuple[str, str, str]]
) -> None:
    """S0-151: imitators of the protocol do each of these; a call lost or doubled is a wrong action."""
    assert named_calls(of_deltas(*deltas, finish="tool_calls")) == expected


@pytest.mark.parametrize(
    "delta",
    [
        {"reasoning_content": "Hm"},
        {"reasoning": "Hm"},
        {"reasoning": "Hm", "reasoning_content": "Hm"},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}]},
    ],
)
def test_thoughts_are_found_where_providers_put_them(delta: Json) -> None:
    """S4-02: there is no standard for it."""
    [item, message] = output(of_deltas(delta, {"content": "Hi"}))
    assert (item["type"], item["content"][0]["text"]) == ("reasoning", "Hm")
    assert message["content"][0]["text"] == "Hi"


def test_what_a_provider_wants_back_stays_with_its_item() -> None:
    """Without the signatures some providers refuse the next round."""
    signed = {**call_delta(0, "c1", "a", "{}")["tool_calls"][0], "extra_content": {"google": {"sig": "x"}}}
    block: Json = {"type": "reasoning.encrypted", "data": "abc"}
    thought, call = output(of_deltas({"reasoning_details": [block]}, {"tool_calls": [signed]}))
    assert thought["reasoning_details"] == [block]
    assert call["extra_content"] == {"google": {"sig": "x"}}


def test_sources_are_annotations_of_the_text() -> None:
    """Chat nests them under their type, Responses do not."""
    cited = {"url": "https://a.example", "title": "A", "start_index": 0, "end_index": 2}
    events = of_deltas({"content": "Hi"}, {"annotations": [{"type": "url_citation", "url_citation": cited}]})
    [message] = output(events)
    assert message["content"][0]["annotations"] == [{"type": "url_citation", **cited}]
    added = next(event for event in events if event["type"] == "response.content_part.added")
    assert added["part"]["annotations"] == []
    assert "output_text.annotation.added" in types(events)


def test_a_priority_that_the_provider_chose_is_told() -> None:
    """It decides about the price."""
    assert ended(read([{"service_tier": "flex", "choices": []}]))["service_tier"] == "flex"


def test_usage_is_renamed_and_what_nobody_knows_is_kept() -> None:
    """S0-62: gateways add what a call has cost; the last count is the one that holds."""
    usage: Json = {
        "prompt_tokens": 3,
        "completion_tokens": 2,
        "total_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 1, "audio_tokens": 0},
        "cost": 0.25,
    }
    early: Json = {"choices": [{"index": 0, "delta": {"content": "Hi"}}], "usage": {"prompt_tokens": 3}}
    finish: Json = {"choices": [{"index": 0, "finish_reason": "stop"}], "usage": usage}
    assert ended(read([early, finish]))["usage"] == {
        "input_tokens": 3,
        "output_tokens": 2,
        "total_tokens": 5,
        "input_tokens_details": {"cached_tokens": 1, "cache_write_tokens": 0, "audio_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
        "cost": 0.25,
    }


def test_other_choices_and_unreadable_chunks_say_nothing() -> None:
    """One answer was asked for; a stranger's chunk must not end the round."""
    chunks: list[Json] = [
        {},
        {"choices": None},
        {"choices": [None, {"index": 1, "delta": {"content": "other"}}]},
        {"choices": [{"index": 0, "delta": None}]},
        {"choices": [{"index": 0, "delta": {"content": "mine"}}]},
        {"choices": [{"index": 0, "finish_reason": "stop"}]},
    ]
    [message] = output(read(chunks))
    assert message["content"][0]["text"] == "mine"


def test_a_whole_message_instead_of_deltas_is_read() -> None:
    """Some servers send their answer in one piece, whatever they were asked."""
    choice: Json = {"message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}
    assert output(read([{"choices": [choice]}]))[0]["content"][0]["text"] == "Hi"


def test_probabilities_of_tokens_go_along_with_their_text() -> None:
    """Both protocols write them alike."""
    token: JsonValue = {"token": "Hi", "logprob": -0.5, "bytes": [72], "top_logprobs": []}
    choice: Json = {"index": 0, "delta": {"content": "Hi"}, "logprobs": {"content": [token]}}
    [event] = [event for event in read([{"choices": [choice]}]) if event["type"].endswith("text.delta")]
    assert event["logprobs"] == [token]


VALUES: st.SearchStrategy[Json | str] = st.text(max_size=5) | st.builds(Json)
OBJECTS = st.dictionaries(st.text(max_size=3), VALUES, max_size=3)


@st.composite
def cut_calls(draw: st.DrawFn) -> tuple[list[str], list[Json]]:
    """Arguments of some calls, and deltas that cut and interleave them."""
    # An object that closes before the end would be two calls: what follows it is another one's.
    unclosed = st.text(st.characters(exclude_characters="}"), min_size=1)
    whole = draw(st.lists(unclosed | st.builds(json.dumps, OBJECTS), min_size=1, max_size=4))
    pieces = [[call_delta(index, f"c{index}", f"f{index}", "")] for index in range(len(whole))]
    for index, arguments in enumerate(whole):
        at = 0
        while at < len(arguments):
            size = draw(st.integers(1, len(arguments) - at))
            pieces[index].append(call_delta(index, piece=arguments[at : at + size]))
            at += size
    deltas = [pieces[index].pop(0) for index in range(len(whole))]
    while any(pieces):
        deltas.append(draw(st.sampled_from([left for left in pieces if left])).pop(0))
    return whole, deltas


@given(cut_calls())
def test_calls_cut_and_interleaved_in_any_way_are_the_same_calls(
    cut: tuple[list[str], list[Json]],
) -> None:
    """S0-151: and every event of a call adds up to what its item says."""
    whole, deltas = cut
    events = of_deltas(*deltas, finish="tool_calls")
    assert [arguments for _, _, arguments in named_calls(events)] == whole
    for index, arguments in enumerate(whole):
        mine = [event for event in events if event.get("output_index") == index]
        told = "".join(event["delta"] for event in mine if event["type"].endswith(".delta"))
        assert (told, types(mine)[0], types(mine)[-1]) == (arguments, "output_item.added", "output_item.done")


def test_long_arguments_under_a_repeated_name_are_read_once() -> None:
    """Whether a call has ended is asked with every delta: 1 MB looked at 20,000 times is minutes."""
    begun = call_delta(0, None, "search", '{"q": "')
    more = call_delta(0, None, "search", "x{}" + 49 * "x")
    events = of_deltas(begun, *([more] * 20_000), call_delta(0, None, "search", '"}'))
    [(_, name, arguments)] = named_calls(events)
    assert (name, len(arguments)) == ("search", 20_000 * 52 + 9)
