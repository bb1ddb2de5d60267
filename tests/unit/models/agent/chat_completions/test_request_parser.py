"""Chat Completions requests become Responses requests, in their order, with what nobody here knows."""

from typing import Any

import pytest

from bridge.models.agent.chat_completions.request_parser import parse_chat_request
from bridge.models.agent.request_fields import InvalidRequest, ParsedRequest
from toolserver.json_types import JsonObject

HELLO: dict[str, Any] = {"role": "user", "content": "Hello"}


def parsed(*messages: dict[str, Any], **members: Any) -> ParsedRequest:
    return parse_chat_request({"model": "m", "messages": [*messages], **members})


def user(text: str) -> dict[str, Any]:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def test_the_last_system_message_becomes_the_instructions() -> None:
    """S4-15: instructions are read first; earlier system messages keep their places."""
    request = parsed(
        {"role": "system", "content": "first"},
        HELLO,
        {"role": "system", "content": [{"type": "text", "text": "last"}]},
    )
    assert request.instructions == "last"
    first = {"type": "message", "role": "system", "content": [{"type": "input_text", "text": "first"}]}
    assert request.input == (first, user("Hello"))


def test_a_developer_message_stays_where_it_is() -> None:
    """It may stand amid the talk, and means what follows."""
    request = parsed(HELLO, {"role": "developer", "content": "be brief"})
    assert request.instructions is None
    assert [item["role"] for item in request.input] == ["user", "developer"]


def test_calls_and_their_outputs_keep_their_order() -> None:
    """W-21: text, calls and outputs of an earlier turn go to the model as they were."""
    request = parsed(
        HELLO,
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "a", "arguments": '{"x": 1}'}},
                {"id": "c2", "type": "custom", "custom": {"name": "b", "input": "free text"}},
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "one"},
        {
            "role": "tool",
            "tool_call_id": "c2",
            "content": [{"type": "text", "text": "t"}, {"type": "text", "text": "wo"}],
        },
    )
    assert request.input == (
        user("Hello"),
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
        {"type": "function_call", "call_id": "c1", "name": "a", "arguments": '{"x": 1}'},
        {"type": "custom_tool_call", "call_id": "c2", "name": "b", "input": "free text"},
        {"type": "function_call_output", "call_id": "c1", "output": "one"},
        {"type": "custom_tool_call_output", "call_id": "c2", "output": "two"},
    )


def test_images_sound_and_files_of_the_user_pass() -> None:
    """S4-10, S1-07: a model that sees gets what the user showed it."""
    request = parsed(
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "What is this?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA==", "detail": "low"}},
                {"type": "image_url", "image_url": "https://example.test/a.png"},
                {
                    "type": "file",
                    "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AA=="},
                },
                {"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}},
            ],
        }
    )
    assert request.input[0]["content"] == [
        {"type": "input_text", "text": "What is this?"},
        {"type": "input_image", "image_url": "data:image/png;base64,AA==", "detail": "low"},
        {"type": "input_image", "image_url": "https://example.test/a.png", "detail": "auto"},
        {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,AA=="},
        {"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}},
    ]


def test_shown_calls_and_reasoning_are_no_words_of_the_model() -> None:
    """S4-02: Open WebUI sends back what it shows; a model that reads such blocks begins to write them."""
    shown = (
        '<details type="tool_calls" done="true" id="c" name="n" arguments="{}">\n'
        "<summary>Tool Executed</summary>\n1\n</details>\n"
    )
    answers: list[dict[str, Any]] = [
        {"role": "assistant", "content": said} for said in (f"{shown}It is one.", shown)
    ]
    request = parsed(HELLO, *answers)
    assert [item["role"] for item in request.input] == ["user", "assistant"]
    assert "details" not in str(request.input)
    assert "It is one." in str(request.input)


def test_options_get_the_names_that_responses_have() -> None:
    """S4-09: a limit of output that nobody reads would be none."""
    request = parsed(
        HELLO,
        max_tokens=5,
        max_completion_tokens=7,
        reasoning_effort="low",
        verbosity="high",
        truncation="disabled",
        temperature=0.5,
        tool_choice={"type": "function", "function": {"name": "a"}},
        response_format={"type": "json_schema", "json_schema": {"name": "n", "schema": {}, "strict": True}},
    )
    assert request.options == {
        "max_output_tokens": 7,
        "reasoning": {"effort": "low"},
        "text": {
            "format": {"type": "json_schema", "name": "n", "schema": {}, "strict": True},
            "verbosity": "high",
        },
        "truncation": "disabled",
        "temperature": 0.5,
        "tool_choice": {"type": "function", "name": "a"},
    }
    assert request.dropped == ()


def test_what_only_chat_has_is_kept_apart_and_what_no_provider_is_told_is_reported() -> None:
    """S4-15: a caller must learn that a member had no effect; one that nobody knows is passed on."""
    request = parsed(HELLO, seed=1, suffix="s", stop=["x"], functions=[{"name": "a"}], x_new={"a": 1}, n=1)
    assert request.options == {"x_new": {"a": 1}}
    assert request.chat_options == {"seed": 1, "stop": ["x"]}
    assert request.dropped == ("suffix", "functions")


def test_what_is_empty_or_zero_is_kept() -> None:
    """Finding I-L1: `{}` switches the search on, and a zero overrides what the file of models says."""
    asked: JsonObject = {
        "web_search_options": {},
        "audio": {},
        "prediction": {},
        "stop": [],
        "frequency_penalty": 0,
        "logprobs": False,
    }
    request = parsed(HELLO, n=1, **asked, seed=None, functions=[], suffix="")
    assert (request.chat_options, request.dropped) == (asked, ())


def test_tools_of_either_shape_become_one_shape() -> None:
    """S0-10, S0-04: `extra_tools` follow `tools`, and what is no object among them is ignored."""
    request = parsed(
        HELLO,
        tools=[
            {"type": "function", "function": {"name": "a", "parameters": {}, "strict": True}},
            {"type": "function", "name": "b", "parameters": {}},
            {
                "type": "custom",
                "custom": {
                    "name": "c",
                    "format": {"type": "grammar", "grammar": {"syntax": "lark", "definition": "x"}},
                },
            },
        ],
        extra_tools=[5, {"type": "web_search", "search_context_size": "low"}],
    )
    assert request.caller_tools == (
        {"type": "function", "name": "a", "parameters": {}, "strict": True},
        {"type": "function", "name": "b", "parameters": {}},
        {"type": "custom", "name": "c", "format": {"type": "grammar", "syntax": "lark", "definition": "x"}},
        {"type": "web_search", "search_context_size": "low"},
    )


@pytest.mark.parametrize(
    "members",
    [{"tool_choice": "none"}, {"metadata": {"task": "title_generation"}}],
    ids=["no call may be made", "a task of Open WebUI"],
)
def test_a_task_wants_no_tools_of_the_bridge(members: dict[str, Any]) -> None:
    """S4-06: a title must not be found by calling APIs in somebody's browser."""
    assert not parsed(HELLO, **members).with_tools
    assert parsed(HELLO).with_tools


def test_streaming_members_are_read() -> None:
    """They are the door's affair, and no provider's."""
    request = parsed(HELLO, stream=True, stream_options={"include_usage": True}, max_function_call_loops=3)
    assert (request.streams, request.wants_usage_chunk, request.max_rounds) == (True, True, 3)
    assert request.options == {}


MISSING, TYPE, VALUE = "missing_required_parameter", "invalid_type", "invalid_value"
NO_IMAGE: dict[str, Any] = {"type": "image_url", "image_url": {}}
NO_ID: dict[str, Any] = {"role": "assistant", "tool_calls": [{"function": {"name": "a"}}]}
NO_NAME: dict[str, Any] = {"type": "function", "function": {}}


def body(*messages: Any, **members: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [*messages], **members}


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({}, "model", MISSING),
    ({"model": 5}, "model", TYPE),
    ({"model": "m"}, "messages", MISSING),
    (body(), "messages", VALUE),
    ({"model": "m", "messages": {}}, "messages", TYPE),
    (body("x"), "messages[0]", TYPE),
    (body({"content": "x"}), "messages[0].role", MISSING),
    (body({"role": "robot", "content": "x"}), "messages[0].role", VALUE),
    (body({"role": "user"}), "messages[0].content", MISSING),
    (body({"role": "user", "content": 1}), "messages[0].content", TYPE),
    (body({"role": "user", "content": [1]}), "messages[0].content[0]", TYPE),
    (body({"role": "user", "content": [NO_IMAGE]}), "messages[0].content[0].image_url.url", MISSING),
    (body({"role": "tool", "content": "x"}), "messages[0].tool_call_id", MISSING),
    (body(HELLO, NO_ID), "messages[1].tool_calls[0].id", MISSING),
    (body(HELLO, stream="yes"), "stream", TYPE),
    (body(HELLO, tools={}), "tools", TYPE),
    (body(HELLO, tools=[{}]), "tools[0].type", MISSING),
    (body(HELLO, tools=[NO_NAME]), "tools[0].name", MISSING),
    (body(HELLO, max_function_call_loops=0), "max_function_call_loops", VALUE),
    (body(HELLO, max_function_call_loops=True), "max_function_call_loops", TYPE),
    (body(HELLO, n=2), "n", "unsupported_value"),
    (body(HELLO, n=0), "n", "unsupported_value"),
    (body(HELLO, n=True), "n", TYPE),
]


@pytest.mark.parametrize(("wrong", "param", "code"), WRONG)
def test_what_is_wrong_is_named_by_its_path(wrong: dict[str, Any], param: str, code: str) -> None:
    """The SDK gives `param` and `code` to its caller; they must lead to the member."""
    with pytest.raises(InvalidRequest) as refused:
        parse_chat_request(wrong)
    assert (refused.value.param, refused.value.code) == (param, code)
    assert param in refused.value.message
