"""Streams of Anthropic's Messages API, as the loop reads them: events of the Responses API."""

from typing import Any

import pytest

from bridge.models.agent.messages.items_to_messages import exchange_of
from bridge.models.agent.messages.stream_decoder import MessagesReading, responses_usage
from bridge.models.agent.model import PAUSED, ModelRequest
from tests.support.models.messages_types import find_odd_event, find_odd_request

Json = dict[str, Any]

REQUEST = ModelRequest("claude-opus-5", ({"role": "user", "content": "Hello"},))
USAGE: Json = {"input_tokens": 10, "output_tokens": 1, "cache_read_input_tokens": 100}
BEGIN: Json = {
    "type": "message_start",
    "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5-20260801",
        "content": [], "stop_reason": None, "stop_sequence": None, "usage": USAGE,
    },
}  # fmt: skip


def block(index: int, begun: Json, *deltas: Json) -> list[Json]:
    """The events of one block."""
    return [
        {"type": "content_block_start", "index": index, "content_block": begun},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def end(reason: str, **more: Any) -> Json:
    usage = {"output_tokens": 9, "output_tokens_details": {"thinking_tokens": 4}}
    return {"type": "message_delta", "delta": {"stop_reason": reason, **more}, "usage": usage}


def read(*events: Json) -> tuple[list[Json], Json]:
    """The events of Responses, and the response of the last one; the provider's are what its client knows."""
    assert [found for event in events if (found := find_odd_event(event))] == []
    reading = MessagesReading(REQUEST)
    told = [each for event in events for each in reading.decode_event(event)]
    told += [*reading.finish_stream()]
    response: Any = told[-1]["response"]
    return told, response


def test_thinking_text_and_calls_are_items_in_their_order() -> None:
    """Issue 42: thinking_delta, signature_delta, input_json_delta; the arguments come as pieces."""
    told, response = read(
        BEGIN,
        *block(
            0,
            {"type": "thinking", "thinking": "", "signature": ""},
            {"type": "thinking_delta", "thinking": "H"},
            {"type": "thinking_delta", "thinking": "m"},
            {"type": "signature_delta", "signature": "Eq=="},
        ),
        *block(1, {"type": "redacted_thinking", "data": "EmwK"}),
        *block(2, {"type": "text", "text": ""}, {"type": "text_delta", "text": "I look."}),
        *block(
            3,
            {"type": "tool_use", "id": "toolu_1", "name": "search", "input": {}},
            {"type": "input_json_delta", "partial_json": ""},
            {"type": "input_json_delta", "partial_json": '{"q": '},
            {"type": "input_json_delta", "partial_json": '"x"}'},
        ),
        *block(4, {"type": "tool_use", "id": "toolu_2", "name": "now", "input": {}}),
        end("tool_use"),
        {"type": "message_stop"},
    )
    thought, redacted, message, first, second = response["output"]
    assert (thought["content"][0]["text"], thought["encrypted_content"]) == ("Hm", "thinking:Eq==")
    assert (redacted["type"], redacted["encrypted_content"]) == ("reasoning", "redacted_thinking:EmwK")
    assert message["content"][0]["text"] == "I look."
    assert (first["call_id"], first["name"], first["arguments"]) == ("toolu_1", "search", '{"q": "x"}')
    assert (second["call_id"], second["arguments"]) == ("toolu_2", "{}")
    assert response["model"] == "claude-opus-5-20260801"
    assert response["status"] == "completed"
    indexes = [each["output_index"] for each in told if each["type"] == "response.output_item.done"]
    assert indexes == [0, 1, 2, 3, 4]
    arguments = [each["delta"] for each in told if each["type"] == "response.function_call_arguments.delta"]
    assert "".join(arguments) == '{"q": "x"}{}'


def test_texts_in_a_row_are_one_message() -> None:
    """Issue 42: sources of its own search cut a text into blocks, which a reader must not see."""
    citation = {"type": "web_search_result_location", "url": "https://e.org", "title": "E", "cited_text": "x",
                "encrypted_index": "x"}  # fmt: skip
    _, response = read(
        BEGIN,
        *block(0, {"type": "text", "text": ""}, {"type": "text_delta", "text": "One, "}),
        *block(
            1,
            {"type": "text", "text": ""},
            {"type": "citations_delta", "citation": citation},
            {"type": "text_delta", "text": "two."},
        ),
        end("end_turn"),
    )
    [message] = response["output"]
    assert message["content"][0]["text"] == "One, two."


@pytest.mark.parametrize(
    ("reason", "status", "why"),
    [
        ("end_turn", "completed", None),
        ("stop_sequence", "completed", None),
        ("tool_use", "completed", None),
        ("max_tokens", "incomplete", "max_output_tokens"),
        ("model_context_window_exceeded", "incomplete", "max_output_tokens"),
        ("pause_turn", "incomplete", "max_output_tokens"),
        ("refusal", "incomplete", "content_filter"),
    ],
)
def test_each_reason_to_stop_has_its_ending(reason: str, status: str, why: str | None) -> None:
    """Issue 42: stop reasons mapped: end_turn, max_tokens, stop_sequence, tool_use, pause_turn, refusal."""
    text = block(0, {"type": "text", "text": ""}, {"type": "text_delta", "text": "Hi"})
    told, response = read(BEGIN, *text, end(reason))
    assert told[-1].get(PAUSED, False) is (reason == "pause_turn")
    details = response["incomplete_details"]
    found = details and details["reason"]
    assert (response["status"], found) == (status, why)


def test_what_the_providers_own_tools_asked_and_found_goes_back_as_it_came() -> None:
    """Issue 42: the provider goes on with an answer that it paused only where it has all of it."""
    asked: Json = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    row = {
        "type": "web_search_result", "title": "Tea", "url": "https://shop.example/", "page_age": None,
        "encrypted_content": "Eqg",
    }  # fmt: skip
    found: Json = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [row]}
    told, response = read(
        BEGIN,
        *block(0, {"type": "text", "text": ""}, {"type": "text_delta", "text": "I look."}),
        *block(
            1,
            asked,
            {"type": "input_json_delta", "partial_json": '{"query":'},
            {"type": "input_json_delta", "partial_json": ' "tea"}'},
        ),
        *block(2, found),
        end("pause_turn"),
    )
    assert told[-1][PAUSED]
    said = exchange_of(None, [*REQUEST.input, *response["output"]]).messages
    assert said[-1]["content"] == [
        {"type": "text", "text": "I look."},
        {**asked, "input": {"query": "tea"}},
        found,
    ]
    later: Json = {"role": "user", "content": "And coffee?"}
    answered = exchange_of(None, [*REQUEST.input, *response["output"], later]).messages[1]
    assert answered["content"] == [{"type": "text", "text": "I look."}]


def test_an_answer_that_pauses_with_a_call_goes_on_by_the_outputs_of_its_calls() -> None:
    """Issue 42: nothing else may stand between a call and its output."""
    call: Json = {"type": "tool_use", "id": "toolu_1", "name": "search", "input": {}}
    told, response = read(BEGIN, *block(0, call), end("pause_turn"))
    assert (response["status"], PAUSED in told[-1]) == ("completed", False)


@pytest.mark.parametrize("sealed", ["own_tool:", "own_tool:{", "own_tool:[1]", 'own_tool:{"type": "text"}'])
def test_a_block_that_a_caller_made_up_is_left_out(sealed: str) -> None:
    """Issue 42: a client that keeps items may change them; one odd block fails the whole request."""
    item: Json = {"type": "reasoning", "summary": [], "encrypted_content": sealed}
    assert exchange_of(None, [*REQUEST.input, item]).messages == exchange_of(None, REQUEST.input).messages


def test_why_the_provider_refused_can_be_read() -> None:
    """Issue 42: the explanation of a refusal is the refusal of the message."""
    details = {"type": "refusal", "category": "cyber", "explanation": "That may harm."}
    _, response = read(BEGIN, end("refusal", stop_details=details))
    assert response["output"][0]["content"] == [{"type": "refusal", "refusal": "That may harm."}]


def test_usage_counts_what_a_cache_gave_and_took() -> None:
    """Issue 42: usage (cache tokens) mapped; the last counts are the whole."""
    text = block(0, {"type": "text", "text": ""}, {"type": "text_delta", "text": "Hi"})
    _, response = read(BEGIN, *text, end("end_turn"))
    assert response["usage"] == {
        "input_tokens": 110,
        "input_tokens_details": {"cached_tokens": 100, "cache_write_tokens": 0},
        "output_tokens": 9,
        "output_tokens_details": {"reasoning_tokens": 4},
        "total_tokens": 119,
    }
    assert responses_usage({"input_tokens": None, "cache_creation_input_tokens": 5})["input_tokens"] == 5


def test_thinking_without_a_signature_is_not_sealed() -> None:
    """Issue 42: a stream that broke in the middle of a block leaves none that could go back."""
    begun = {"type": "thinking", "thinking": "", "signature": ""}
    _, response = read(
        BEGIN, *block(0, begun, {"type": "thinking_delta", "thinking": "Hm"}), end("max_tokens")
    )
    assert "encrypted_content" not in response["output"][0]


def test_a_message_that_is_no_stream_is_read_whole() -> None:
    """Issue 42: some gateways send JSON, however they were asked."""
    content = [
        {"type": "thinking", "thinking": "Hm", "signature": "Eq=="},
        {"type": "text", "text": "Hi"},
        {"type": "tool_use", "id": "toolu_1", "name": "search", "input": {"q": "x"}},
    ]
    reading = MessagesReading(REQUEST)
    whole: Json = {**BEGIN["message"], "content": content, "stop_reason": "tool_use"}
    told = [*reading.decode_event(whole), *reading.finish_stream()]
    response: Any = told[-1]["response"]
    assert [item["type"] for item in response["output"]] == ["reasoning", "message", "function_call"]
    assert response["output"][0]["encrypted_content"] == "thinking:Eq=="
    assert response["output"][2]["arguments"] == '{"q":"x"}'


def test_events_and_blocks_of_tomorrow_are_passed_over() -> None:
    """Issue 42: the API adds kinds of events and blocks, and says that clients have to expect it."""
    reading = MessagesReading(REQUEST)
    odd: list[Json] = [
        BEGIN,
        {"type": "ping"},
        {"type": "hologram_start", "index": 0},
        *block(0, {"type": "hologram", "light": 1}, {"type": "light_delta", "light": 2}),
        *block(1, {"type": "text", "text": ""}, {"type": "text_delta", "text": "Hi"}),
        end("end_turn"),
    ]
    told = [each for event in odd for each in reading.decode_event(event)]
    told += [*reading.finish_stream()]
    response: Any = told[-1]["response"]
    assert [item["type"] for item in response["output"]] == ["message"]


def test_the_judge_knows_what_the_types_refuse() -> None:
    """Issue 42: a judge that passes over unknown members would prove nothing."""
    hello: Json = {"role": "user", "content": [{"type": "text", "text": "Hello"}]}
    body: Json = {"model": "m", "max_tokens": 1, "messages": [hello], "stream": True}
    assert find_odd_request(body) is None
    assert find_odd_request({**body, "temperature": 1}) is not None
    odd_block: Json = {"role": "user", "content": [{"type": "text", "text": "Hello", "annotations": []}]}
    assert find_odd_request({**body, "messages": [odd_block]}) is not None
    tool: Json = {"name": "a", "input_schema": {"type": "object", "x": 1}}
    assert find_odd_request({**body, "tools": [tool]}) is None
    assert find_odd_request({**body, "tools": [{**tool, "parameters": {}}]}) is not None
    assert find_odd_event({"type": "message_stop", "more": 1}) is not None
