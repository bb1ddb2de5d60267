"""A round's request as Anthropic's Messages API takes it: what the official client's types know."""

from dataclasses import replace
from typing import Any

import pytest

from bridge.models.agent.messages.upstream_request import (
    DEFAULT_MAX_TOKENS,
    find_unsupported_paths,
    messages_request,
)
from bridge.models.agent.model import ModelRequest
from tests.support.models.messages_check import find_refusal
from toolserver.json_types import JsonObject

HELLO: JsonObject = {"role": "user", "content": "Hello"}
TOOL: JsonObject = {
    "type": "function", "name": "search", "description": "Finds.", "strict": False,
    "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
}  # fmt: skip
CALL: JsonObject = {"type": "function_call", "call_id": "call_1", "name": "search", "arguments": '{"q":"x"}'}
OUTPUT: JsonObject = {"type": "function_call_output", "call_id": "call_1", "output": "found"}
THOUGHT: JsonObject = {
    "type": "reasoning", "content": [{"type": "reasoning_text", "text": "Hm"}],
    "encrypted_content": "thinking:sig",
}  # fmt: skip
THINKING = {"type": "thinking", "thinking": "Hm", "signature": "sig"}


def sent(*items: JsonObject, model: str = "claude-opus-5", **request: Any) -> Any:
    """The body of a request, which the double takes."""
    body = messages_request(ModelRequest(model, items or (HELLO,), **request))
    assert find_refusal(body, [("call_1", [THINKING])] if "sig" in str(body) else []) is None
    return body


def test_a_request_has_what_is_demanded_and_nothing_else() -> None:
    """Issue 42: `max_tokens` is required; a member that the API does not know has the request refused."""
    options: JsonObject = {
        "truncation": "auto", "store": False, "temperature": 0.3, "future": 1, "metadata": {"a": "b"},
        "service_tier": "flex", "parallel_tool_calls": True,
    }  # fmt: skip
    assert sent(options=options, chat_options={"seed": 1, "stop": "END"}) == {
        "model": "claude-opus-5",
        "max_tokens": DEFAULT_MAX_TOKENS,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}],
        "stop_sequences": ["END"],
        "stream": True,
    }
    assert sent(options={"max_output_tokens": 99})["max_tokens"] == 99


def test_a_caller_is_told_what_is_left_out() -> None:
    """Issue 42: what has no word at the provider is named; what concerns OpenAI's accounts is not."""
    options: JsonObject = {
        "temperature": 0.3, "store": True, "user": "u", "text": {"format": {"type": "json_object"}},
        "cache_control": {"type": "ephemeral"},
    }  # fmt: skip
    odd: JsonObject = {"type": "input_audio", "input_audio": {}}
    request = ModelRequest(
        "m", ({"role": "user", "content": [odd]}, {"type": "computer_call"}),
        tools=(TOOL, {"type": "web_search"}), options=options, chat_options={"seed": 1, "stop": "x"},
    )  # fmt: skip
    assert [*find_unsupported_paths(request)] == [
        "input[0].content[0]", "input[1]", "temperature", "seed", "text.format", "tools[1]",
    ]  # fmt: skip


def test_system_messages_at_the_beginning_are_the_system_prompt() -> None:
    """Issue 42: it has no role for them in between; there the user says them, and they say who speaks."""
    first: JsonObject = {"role": "developer", "content": [{"type": "input_text", "text": "Be kind."}]}
    late: JsonObject = {"role": "system", "content": "Stop soon."}
    body = sent(first, HELLO, late, instructions="Be brief.")
    assert body["system"] == "Be brief.\n\nBe kind."
    [message] = body["messages"]
    assert [block["text"] for block in message["content"]] == [
        "Hello", "[From the system, not from the user]", "Stop soon.",
    ]  # fmt: skip


def test_a_round_is_one_message_and_its_outputs_the_next() -> None:
    """Issue 42: `tool_result` blocks come immediately after their calls, and before anything else."""
    text: JsonObject = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "I look."}],
    }
    body = sent(HELLO, THOUGHT, text, CALL, OUTPUT, {"role": "user", "content": "And?"}, tools=(TOOL,))
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
    assert body["messages"][1]["content"] == [
        THINKING,
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "call_1", "name": "search", "input": {"q": "x"}},
    ]
    assert body["messages"][2]["content"] == [
        {"type": "tool_result", "tool_use_id": "call_1", "content": [{"type": "text", "text": "found"}]},
        {"type": "text", "text": "And?"},
    ]


def test_an_id_that_another_provider_gave_twice_is_told_once() -> None:
    """Issue 42: `tool_use` ids must be unique in a request; some providers count anew in each answer."""
    body = sent(
        HELLO, CALL, OUTPUT, {"role": "user", "content": "Again."}, CALL, {**OUTPUT, "output": "more"}
    )
    blocks = [block for message in body["messages"] for block in message["content"]]
    assert [block["id"] for block in blocks if block["type"] == "tool_use"] == ["call_1", "call_1_2"]
    results = {block["tool_use_id"]: block["content"] for block in blocks if block["type"] == "tool_result"}
    assert results["call_1_2"] == [{"type": "text", "text": "more"}]


def test_nothing_blank_is_sent() -> None:
    """Issue 42: a text without a letter, and a message without content, are refused."""
    blank: JsonObject = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": " \n"}],
    }
    empty: JsonObject = {**OUTPUT, "output": ""}
    body = sent({"role": "user", "content": ""}, blank, CALL, empty)
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
    assert body["messages"][2]["content"] == [{"type": "tool_result", "tool_use_id": "call_1"}]
    prefill: JsonObject = {"type": "message", "role": "assistant", "content": "The answer is "}
    assert sent(HELLO, prefill)["messages"][1]["content"][0]["text"] == "The answer is"


def test_failed_calls_are_marked_and_images_of_tools_are_seen() -> None:
    """Issue 42: tools and tool results (`is_error`), images from the user and from tools."""
    failed: JsonObject = {**OUTPUT, "output": '{"error":{"code":"timeout","message":"Late."}}'}
    assert sent(HELLO, CALL, failed)["messages"][2]["content"][0]["is_error"] is True
    image: JsonObject = {"type": "input_image", "image_url": "data:image/jpg;base64,/9j/"}
    pictured: JsonObject = {**OUTPUT, "output": [{"type": "input_text", "text": "An image."}, image]}
    [result] = sent(HELLO, CALL, pictured)["messages"][2]["content"]
    source = {"type": "base64", "media_type": "image/jpeg", "data": "/9j/"}
    assert result["content"] == [{"type": "text", "text": "An image."}, {"type": "image", "source": source}]
    address: JsonObject = {"type": "input_image", "image_url": "https://example.com/a.png"}
    pdf: JsonObject = {
        "type": "input_file",
        "file_data": "data:application/pdf;base64,JVBERi0=",
        "filename": "a.pdf",
    }
    plain: JsonObject = {"type": "input_file", "file_data": "data:text/csv;base64,YSxi"}
    content = sent({"role": "user", "content": [address, pdf, plain]})["messages"][0]["content"]
    assert [block["source"]["type"] for block in content] == ["url", "base64", "text"]
    assert (content[1]["title"], content[2]["source"]["data"]) == ("a.pdf", "a,b")


def test_tools_are_told_with_what_they_have_more() -> None:
    """Issue 42: `input_examples` and `tool_reference` where they are set; the provider's own tools pass."""
    rich: JsonObject = {**TOOL, "input_examples": [{"q": "tea"}], "defer_loading": True, "title": "Search"}
    own: JsonObject = {"type": "web_search_20260209", "name": "web_search"}
    found: JsonObject = {**OUTPUT, "output": [{"type": "tool_reference", "tool_name": "search"}]}
    body = sent(HELLO, CALL, found, tools=(rich, own))
    assert body["tools"][0] == {
        "name": "search", "description": "Finds.", "input_schema": TOOL["parameters"], "strict": False,
        "defer_loading": True, "input_examples": [{"q": "tea"}],
    }  # fmt: skip
    assert body["tools"][1] == own
    assert body["messages"][2]["content"][0]["content"] == [{"type": "tool_reference", "tool_name": "search"}]


def test_calls_without_tools_name_tools_that_must_not_be_called() -> None:
    """Issue 42: the last round has no tools; gateways refuse its history of calls then."""
    body = sent(HELLO, CALL, OUTPUT)
    assert body["tools"] == [{"name": "search", "input_schema": {"type": "object"}}]
    assert body["tool_choice"] == {"type": "none"}


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ("auto", {"type": "auto"}),
        ("required", {"type": "any"}),
        ("none", {"type": "none"}),
        ({"type": "function", "name": "search"}, {"type": "tool", "name": "search"}),
        ({"type": "allowed_tools", "mode": "required", "tools": [{"name": "search"}]}, {"type": "any"}),
    ],
)
def test_a_choice_of_tools_has_its_words(choice: Any, told: JsonObject) -> None:
    """Issue 42: forced, forbidden or named calls, and calls one by one."""
    body = sent(tools=(TOOL, {**TOOL, "name": "pay"}), options={"tool_choice": choice})
    assert body["tool_choice"] == told
    assert len(body["tools"]) == (1 if isinstance(choice, dict) and "tools" in choice else 2)
    one = sent(tools=(TOOL,), options={"tool_choice": choice, "parallel_tool_calls": False})["tool_choice"]
    assert one == (told if told["type"] == "none" else {**told, "disable_parallel_tool_use": True})


@pytest.mark.parametrize(
    ("model", "effort", "thinking", "config"),
    [
        ("claude-opus-5", "high", {"type": "adaptive", "display": "summarized"}, {"effort": "high"}),
        ("claude-opus-4-6", "minimal", {"type": "adaptive", "display": "summarized"}, {"effort": "low"}),
        ("claude-opus-5", "none", {"type": "disabled"}, None),
        (
            "claude-haiku-4-5",
            "medium",
            {"type": "enabled", "budget_tokens": 8192, "display": "summarized"},
            None,
        ),
    ],
)
def test_an_effort_becomes_the_form_that_the_model_knows(
    model: str, effort: str, thinking: JsonObject, config: JsonObject | None
) -> None:
    """Issue 42: thinking. Newer models take an effort, older ones a number of tokens."""
    body = sent(model=model, options={"reasoning": {"effort": effort, "summary": "auto"}})
    assert (body["thinking"], body.get("output_config")) == (thinking, config)


def test_thinking_is_asked_for_only_where_the_provider_takes_it() -> None:
    """Issue 42: it is refused with forced calls, with few tokens, and after calls without thinking."""
    effort: JsonObject = {"reasoning": {"effort": "high"}}
    old = "claude-sonnet-4-5"
    assert sent(model=old, options=effort)["thinking"]["type"] == "enabled"
    forced = sent(model=old, tools=(TOOL,), options={**effort, "tool_choice": "required"})
    assert forced["thinking"] == {"type": "disabled"}
    assert "thinking" not in sent(model=old, options={**effort, "max_output_tokens": 500})
    assert sent(HELLO, CALL, OUTPUT, model=old, options=effort)["thinking"] == {"type": "disabled"}
    body = sent(HELLO, THOUGHT, CALL, OUTPUT, model=old, options=effort)
    assert body["thinking"]["type"] == "enabled"
    own: JsonObject = {"thinking": {"type": "between_tools"}, "reasoning": {"effort": "high"}}
    assert sent(options=own)["thinking"] == {"type": "between_tools"}, "a model's options count more"


def test_a_form_of_the_answer_is_asked_for_beside_an_effort() -> None:
    """Issue 42: `text.format` with a schema is the provider's structured output."""
    form: JsonObject = {"type": "json_schema", "name": "x", "schema": {"type": "object"}, "strict": True}
    body = sent(options={"text": {"format": form}, "reasoning": {"effort": "low"}})
    assert body["output_config"] == {
        "effort": "low",
        "format": {"type": "json_schema", "schema": {"type": "object"}},
    }


def test_reasoning_of_another_provider_is_no_thinking() -> None:
    """Issue 42: a signature that is not the provider's own has the request refused."""
    foreign: JsonObject = {"type": "reasoning", "encrypted_content": "gAAAA", "summary": []}
    unsigned = {name: value for name, value in THOUGHT.items() if name != "encrypted_content"}
    body = sent(HELLO, foreign, unsigned, CALL, OUTPUT)
    assert [block["type"] for block in body["messages"][1]["content"]] == ["tool_use"]
    redacted: JsonObject = {"type": "reasoning", "encrypted_content": "redacted_thinking:EmwK", "summary": []}
    body = messages_request(replace(ModelRequest("m", (HELLO, redacted, CALL, OUTPUT))))
    messages: Any = body["messages"]
    assert messages[1]["content"][0] == {"type": "redacted_thinking", "data": "EmwK"}


def test_thinking_that_leads_to_nothing_is_not_sent() -> None:
    """Issue 42: a message must not end with thinking, nor be nothing else."""
    later: JsonObject = {"role": "user", "content": "Go on."}
    body = sent(HELLO, THOUGHT, later)
    assert [message["role"] for message in body["messages"]] == ["user"]
    assert len(body["messages"][0]["content"]) == 2
