"""A round asked in Chat Completions, as the provider reads it."""

import pytest

from bridge.models.agent.chat_completions.upstream_request import (
    ChatDialect,
    chat_request,
    find_unsupported_paths,
)
from bridge.models.agent.items import Item, message_item, output_item
from bridge.models.agent.model import ModelRequest
from toolserver.json_types import JsonObject, JsonValue, array_at

USER = message_item("user", "Hello")
SEARCH: JsonObject = {
    "type": "function",
    "name": "search",
    "description": "Find",
    "parameters": {"type": "object", "properties": {}},
    "strict": None,
}


def call(call_id: str, name: str = "search", arguments: str = "{}", **more: JsonValue) -> Item:
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments, **more}


def thought(text: str) -> Item:
    return {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": text}]}


def messages(*items: Item, instructions: str | None = None, wants_reasoning: bool = False) -> JsonValue:
    request = ModelRequest("m", items, instructions)
    return chat_request(request, ChatDialect(wants_reasoning=wants_reasoning))["messages"]


def asked(options: JsonObject, *tools: JsonObject) -> ModelRequest:
    return ModelRequest("m", (USER,), None, tools, options)


def unsaid(request: ModelRequest) -> tuple[str, ...]:
    return tuple(find_unsupported_paths(request))


def chat_call(call_id: str, name: str = "search", arguments: str = "{}") -> JsonObject:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_a_plain_question_is_a_plain_message() -> None:
    """One text goes as a string: there are servers that know no list of parts."""
    assert chat_request(ModelRequest("m", (USER,), "Be brief.")) == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hello"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


@pytest.mark.parametrize(
    ("name", "arguments", "sent"),
    [
        ("search", "", "{}"),
        ("search", "{bad", "{}"),
        ("search", "[1]", "{}"),
        ("search", '{"q": NaN}', "{}"),
        ("search", "{'q': None}", '{"q":null}'),
        ("search", '{"q":  100000000000000000000}', '{"q":  100000000000000000000}'),
        (" ", "{}", "{}"),
    ],
)
def test_a_call_that_a_provider_would_refuse_is_sent_in_a_form_that_it_takes(
    name: str, arguments: str, sent: str
) -> None:
    """W-18, W-19: else the request is refused, and the model never reads what was wrong with its call."""
    (message,) = array_at({"messages": messages(call("c1", name, arguments))}, "messages")
    assert isinstance(message, dict)
    assert message["tool_calls"] == [chat_call("c1", name.strip() or "unnamed_tool", sent)]


def test_what_one_round_said_is_one_message_followed_by_its_outputs() -> None:
    """Providers refuse calls whose outputs do not follow at once, and outputs without their calls."""
    said = message_item("assistant", "Let me look.")
    first, second = call("c1", arguments='{"q": 1}'), call("c2")
    outputs = (output_item("c1", "one"), output_item("c2", "two"))
    assert messages(
        USER, thought("Hm"), said, first, second, *outputs, call("c3"), output_item("c3", "x")
    ) == [
        {"role": "user", "content": "Hello"},
        {
            "role": "assistant",
            "content": "Let me look.",
            "tool_calls": [chat_call("c1", arguments='{"q": 1}'), chat_call("c2")],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "one"},
        {"role": "tool", "tool_call_id": "c2", "content": "two"},
        {"role": "assistant", "content": None, "tool_calls": [chat_call("c3")]},
        {"role": "tool", "tool_call_id": "c3", "content": "x"},
    ]


def test_text_after_calls_belongs_to_the_same_round() -> None:
    """A model may go on talking after it called."""
    items = (call("c1"), message_item("assistant", "Done."), output_item("c1", "one"))
    assert messages(*items) == [
        {"role": "assistant", "content": "Done.", "tool_calls": [chat_call("c1")]},
        {"role": "tool", "tool_call_id": "c1", "content": "one"},
    ]


def test_two_answers_in_a_row_stay_two() -> None:
    """A history may hold them, and joined they would read as one sentence."""
    assert messages(message_item("assistant", "One."), message_item("assistant", "Two.")) == [
        {"role": "assistant", "content": "One."},
        {"role": "assistant", "content": "Two."},
    ]


def test_instructions_and_system_messages_at_the_beginning_are_one() -> None:
    """Templates of open models refuse a second system message; a developer is a system to them."""
    items = (message_item("developer", "Be kind."), message_item("system", "Be brief."), USER)
    assert messages(*items, message_item("developer", "Now shout."), instructions="Be true.") == [
        {"role": "system", "content": "Be true.\n\nBe kind.\n\nBe brief."},
        {"role": "user", "content": "Hello"},
        {"role": "system", "content": "Now shout."},
    ]


def test_images_files_and_sound_are_said_in_the_words_of_chat() -> None:
    """S4-15: what the protocol cannot say is left out and named, so that somebody can be told."""
    sound: JsonObject = {"data": "AAAA", "format": "wav"}
    item: Item = {
        "role": "user",
        "content": [
            {"type": "input_text", "text": "See:"},
            {"type": "input_image", "image_url": "data:image/png;base64,AA", "detail": "low"},
            {"type": "input_image", "file_id": "file_1"},
            {"type": "input_file", "filename": "a.pdf", "file_data": "data:;base64,AA"},
            {"type": "input_file", "file_url": "https://files.example/a.pdf"},
            {"type": "input_audio", "input_audio": sound},
        ],
    }
    request = ModelRequest("m", (item,))
    assert chat_request(request)["messages"] == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "See:"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA", "detail": "low"}},
                {
                    "type": "file",
                    "file": {"file_data": "data:;base64,AA", "filename": "a.pdf"},
                },
                {"type": "input_audio", "input_audio": sound},
            ],
        }
    ]
    assert unsaid(request) == ("input[0].content[2]", "input[0].content[4]")


def test_what_a_tool_shows_follows_the_outputs_of_its_round() -> None:
    """Tool messages hold text only, and nothing may stand between those of one round."""
    image: JsonObject = {"type": "input_image", "image_url": "https://shop.example/a.png"}
    shown: Item = {
        "type": "function_call_output",
        "call_id": "c1",
        "output": [{"type": "input_text", "text": "A cat"}, image],
    }
    assert messages(call("c1"), call("c2"), shown, output_item("c2", "two"), USER) == [
        {"role": "assistant", "content": None, "tool_calls": [chat_call("c1"), chat_call("c2")]},
        {"role": "tool", "tool_call_id": "c1", "content": "A cat"},
        {"role": "tool", "tool_call_id": "c2", "content": "two"},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Shown by the tool call c1:"},
                {"type": "image_url", "image_url": {"url": "https://shop.example/a.png"}},
            ],
        },
        {"role": "user", "content": "Hello"},
    ]


def test_thoughts_go_back_only_where_they_are_wanted_and_only_of_this_turn() -> None:
    """Some providers refuse a tool loop without them, others refuse them; old ones help nobody."""
    items = (USER, thought("old"), message_item("assistant", "Hi"), USER, thought("new"), call("c1"))
    assert messages(*items) == [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hi"},
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": None, "tool_calls": [chat_call("c1")]},
    ]
    wanted = messages(*items, wants_reasoning=True)
    assert isinstance(wanted, list)
    assert wanted[1:] == [
        {"role": "assistant", "content": "Hi"},
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": None, "reasoning_content": "new", "tool_calls": [chat_call("c1")]},
    ]


def test_blocks_of_thoughts_go_back_as_they_came() -> None:
    """A gateway checks their signatures."""
    block: JsonObject = {"type": "reasoning.encrypted", "data": "abc"}
    item: Item = {**thought("Hm"), "reasoning_details": [block]}
    [_, said] = list_of(messages(USER, item, call("c1"), wants_reasoning=True))
    assert (said["reasoning_content"], said["reasoning_details"]) == ("Hm", [block])


def test_a_thought_after_a_text_begins_a_message() -> None:
    """It led to what follows it."""
    told = list_of(messages(USER, message_item("assistant", "One."), thought("Hm"), wants_reasoning=True))
    assert told[1:] == [
        {"role": "assistant", "content": "One."},
        {"role": "assistant", "content": "", "reasoning_content": "Hm"},
    ]


def test_content_of_any_shape_is_said_somehow() -> None:
    """Callers write strings, lists and, against the protocol, objects and nothing."""
    shown: JsonObject = {"type": "input_image", "image_url": "https://shop.example/a.png"}
    items: tuple[Item, ...] = (
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Yes"},
        {"role": "user", "content": None},
        {"role": "user", "content": []},
        {
            "role": "system",
            "content": [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}],
        },
        {"type": "function_call_output", "call_id": "c1", "output": {"x": 1}},
        {"type": "function_call_output", "call_id": "c2", "output": [shown]},
        message_item("assistant", "Seen."),
    )
    assert [message["content"] for message in list_of(messages(*items))] == [
        "Hi",
        "Yes",
        "",
        "",
        [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        '{"x":1}',
        "",
        [
            {"type": "text", "text": "Shown by the tool call c2:"},
            {"type": "image_url", "image_url": {"url": "https://shop.example/a.png"}},
        ],
        "Seen.",
    ]


def test_a_beginning_of_several_parts_stays_as_it_is() -> None:
    """Its parts may be marked for the provider's cache."""
    parts: JsonValue = [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]
    said = list_of(messages({"role": "system", "content": parts}, USER, instructions="Be true."))
    assert [message["role"] for message in said] == ["system", "system", "user"]


def test_what_a_provider_wants_back_with_a_call_goes_back() -> None:
    """Gemini refuses the next round without the signature that came with the call."""
    signature: JsonObject = {"google": {"thought_signature": "abc"}}
    [said] = list_of(messages(call("c1", extra_content=signature, id="fc_1", status="completed")))
    assert said["tool_calls"] == [{**chat_call("c1"), "extra_content": signature}]


def list_of(value: JsonValue) -> list[JsonObject]:
    assert isinstance(value, list)
    return [each for each in value if isinstance(each, dict)]


def test_a_refusal_is_told_as_one() -> None:
    """The model must know that it refused."""
    item: Item = {"role": "assistant", "type": "message", "content": [{"type": "refusal", "refusal": "No."}]}
    assert messages(item) == [{"role": "assistant", "content": "", "refusal": "No."}]


def test_items_that_chat_does_not_know_are_left_out_by_name() -> None:
    """S4-15: a search that a provider of Responses ran means nothing to another one."""
    request = ModelRequest("m", (USER, {"type": "web_search_call", "id": "ws_1"}))
    assert (len(list_of(chat_request(request)["messages"])), unsaid(request)) == (1, ("input[1]",))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_output_tokens": 9}, {"max_completion_tokens": 9}),
        ({"temperature": 0.0, "top_p": 1, "user": "u"}, {"temperature": 0.0, "top_p": 1, "user": "u"}),
        ({"reasoning": {"effort": "low"}}, {"reasoning_effort": "low"}),
        ({"text": {"verbosity": "low"}}, {"verbosity": "low"}),
        ({"text": {"format": {"type": "json_object"}}}, {"response_format": {"type": "json_object"}}),
        (
            {"text": {"format": {"type": "json_schema", "name": "n", "schema": {}, "strict": True}}},
            {
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "n", "schema": {}, "strict": True},
                }
            },
        ),
        ({"seed": 4, "future_option": {"a": None}}, {"seed": 4, "future_option": {"a": None}}),
        ({"tool_choice": "auto", "parallel_tool_calls": True, "truncation": None}, {}),
    ],
)
def test_options_get_the_names_of_chat(options: JsonObject, said: JsonObject) -> None:
    """S4-15: unknown members are passed on; what is about tools is refused where there are none."""
    request = asked(options)
    plain, body = chat_request(asked({})), chat_request(request)
    assert {name: value for name, value in body.items() if name not in plain} == said
    assert unsaid(request) == ()


def test_options_without_a_counterpart_are_named() -> None:
    """S4-15: whoever sends one must be able to learn that it did nothing."""
    request = asked(
        {
            "truncation": "auto",
            "previous_response_id": "resp_1",
            "include": ["x"],
            "reasoning": {"effort": "low", "summary": "auto"},
            "text": {"shape": "round"},
        }
    )
    assert unsaid(request) == (
        "truncation",
        "previous_response_id",
        "include",
        "text.shape",
        "reasoning.summary",
    )


def test_tools_are_nested_under_their_type() -> None:
    """S4-13: `parallel_tool_calls` goes along. Tools that only a provider of Responses runs are named."""
    request = asked({"parallel_tool_calls": False, "tool_choice": "required"}, SEARCH, {"type": "web_search"})
    function: JsonObject = {
        "name": "search",
        "description": "Find",
        "parameters": {"type": "object", "properties": {}},
    }
    body = chat_request(request)
    assert body["tools"] == [{"type": "function", "function": function}]
    assert (body["parallel_tool_calls"], body["tool_choice"]) == (False, "required")
    assert unsaid(request) == ("tools[1]",)


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ("none", "none"),
        ({"type": "function", "name": "search"}, {"type": "function", "function": {"name": "search"}}),
        (
            {"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "search"}]},
            {
                "type": "allowed_tools",
                "allowed_tools": {
                    "mode": "required",
                    "tools": [{"type": "function", "function": {"name": "search"}}],
                },
            },
        ),
        ({"type": "web_search"}, None),
        (3, None),
    ],
)
def test_a_choice_of_tools_is_said_in_the_shape_of_chat(choice: JsonValue, said: JsonValue) -> None:
    """A forced tool that is not forced would be an answer without it."""
    request = asked({"tool_choice": choice}, SEARCH)
    assert chat_request(request).get("tool_choice") == said
    assert unsaid(request) == (() if said else ("tool_choice",))


def test_a_dialect_has_its_own_name_for_the_limit_and_may_tell_no_usage() -> None:
    """A limit under a name that a server does not know is ignored, and nobody notices."""
    dialect = ChatDialect(limit_name="max_tokens", streams_usage=False)
    body = chat_request(ModelRequest("m", (USER,), options={"max_output_tokens": 5}), dialect)
    assert (body["max_tokens"], "max_completion_tokens" in body, "stream_options" in body) == (
        5,
        False,
        False,
    )


def test_arguments_that_are_an_object_are_written_as_text() -> None:
    """Some providers send the object itself; the model must find its call as it made it."""
    asked: Item = {**call("c1"), "arguments": {"q": "x"}}
    _, said = list_of(messages(USER, asked))
    assert said["tool_calls"] == [chat_call("c1", arguments='{"q":"x"}')]
