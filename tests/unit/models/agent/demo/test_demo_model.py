"""The demo model: what it calls, what it says, and that its stream is a provider's."""

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.models.agent.demo.model import DemoModel, calls_in
from bridge.models.agent.demo.replies import MAX_RESULT_CHARS, MAX_TOOLS
from bridge.models.agent.items import Item, message_item, output_item
from bridge.models.agent.model import Model
from tests.support.models.model_rounds import function, joined_text, model_request, output_of, read_round
from toolserver.json_types import object_at, text_at

PETS = function("list_pets", "Pets of the shop.\nMore words.", limit={"type": "integer"})


def demo() -> Model:
    ids = itertools.count()
    return DemoModel(new_id=lambda: str(next(ids)), now=lambda: 1700000000.5)


def call(call_id: str, name: str) -> Item:
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": "{}"}


async def answer(*since: Item, asked: str = "CALL list_pets {}") -> str:
    return joined_text(
        await read_round(demo(), model_request(message_item("user", asked), *since, tools=[PETS]))
    )


@pytest.mark.asyncio
async def test_lines_become_parallel_calls_with_the_events_of_a_provider() -> None:
    """S4-07: doors and loop are tried offline, so that the events have to be the real ones, one by one."""
    asked = message_item("user", 'Please:\nCALL list_pets {"limit": 2}\nCALL nothing\nThanks.')
    events = await read_round(demo(), model_request(asked, tools=[PETS]))
    assert [event.type.removeprefix("response.") for event in events] == [
        "created",
        "in_progress",
        *[
            "output_item.added",
            "function_call_arguments.delta",
            "function_call_arguments.done",
            "output_item.done",
        ]
        * 2,
        "completed",
    ]
    assert output_of(events) == [
        {
            "id": "fc_1",
            "type": "function_call",
            "status": "completed",
            "call_id": "call_2",
            "name": "list_pets",
            "arguments": '{"limit": 2}',
        },
        {
            "id": "fc_3",
            "type": "function_call",
            "status": "completed",
            "call_id": "call_4",
            "name": "nothing",
            "arguments": "{}",
        },
    ]
    assert [event.body.get("output_index") for event in events[2:10]] == [0] * 4 + [1] * 4


@pytest.mark.asyncio
async def test_a_plain_sentence_is_answered_with_what_it_can_do_in_several_deltas() -> None:
    """S4-07: the first thing a newcomer writes is "hello"; the answer has to show the way, and stream."""
    events = await read_round(demo(), model_request(message_item("user", "hello"), tools=[PETS]))
    text = joined_text(events)
    assert "demo model" in text
    assert "- `list_pets`: Pets of the shop.\n" in text
    assert text.endswith('Try `CALL list_pets {"limit": 1}`.')
    assert sum(event.type == "response.output_text.delta" for event in events) > 10
    (message,) = output_of(events)
    assert message["content"] == [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}]
    assert list(calls_in(text[text.index("Try") :])) == [("list_pets", '{"limit": 1}')]


@pytest.mark.asyncio
async def test_without_tools_it_says_how_to_get_some() -> None:
    """An empty list without a word would leave a newcomer with nothing to do."""
    text = joined_text(await read_round(demo(), model_request(message_item("user", "CALL list_pets {}"))))
    assert "I was offered no tools" in text
    assert "accept its operations" in text


@pytest.mark.asyncio
async def test_a_long_list_of_tools_is_cut_with_the_number_of_the_rest() -> None:
    """A catalog may have 128 tools; a greeting is no place for them."""
    tools = [function(f"tool_{n}") for n in range(MAX_TOOLS + 3)]
    text = joined_text(await read_round(demo(), model_request(message_item("user", "hi"), tools=tools)))
    assert f"tool_{MAX_TOOLS - 1}`" in text
    assert f"tool_{MAX_TOOLS}`" not in text
    assert "- and 3 more" in text


@pytest.mark.asyncio
async def test_results_are_said_in_call_order_and_failures_as_failures() -> None:
    """A demo that calls an error an answer would hide the one thing it is run to show."""
    failure = {"error": {"code": "timeout", "message": "No answer within 60 s."}}
    text = await answer(
        call("a", "list_pets"),
        call("b", "get_pet"),
        output_item("a", '[{"name": "Rex"}]'),
        output_item("b", json.dumps(failure)),
    )
    assert text == (
        '`list_pets` answered:\n\n```json\n[\n  {\n    "name": "Rex"\n  }\n]\n```\n\n'
        "`get_pet` failed: No answer within 60 s. (`timeout`)"
    )


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("output", "told"),
    [
        ("plain words", "`x` answered:\n\n```\nplain words\n```"),
        ("", "`x` answered nothing."),
        ('{"error": "broken"}', "`x` failed: broken"),
        ('{"error": null}', '`x` answered:\n\n```json\n{\n  "error": null\n}\n```'),
        ("```", "`x` answered:\n\n````\n```\n````"),
        ("[" * 5000, f"… and {5000 - MAX_RESULT_CHARS} characters more"),
    ],
)
async def test_any_output_can_be_read_out(output: str, told: str) -> None:
    """Outputs are foreign text: cut when long, and never able to break out of their block."""
    assert told in await answer(call("a", "x"), output_item("a", output))


@pytest.mark.asyncio
async def test_parts_of_an_output_are_read_and_images_named() -> None:
    """A provider takes a list of parts as an output as well, and the demo has to be told nothing less."""
    parts: Item = {"type": "function_call_output", "call_id": "a"}
    parts["output"] = [{"type": "input_text", "text": "seen"}, {"type": "input_image", "image_url": "data:"}]
    assert "seen\n[input_image]" in await answer(call("a", "x"), parts)


@pytest.mark.asyncio
async def test_one_call_at_a_time_takes_one_round_for_each() -> None:
    """`parallel_tool_calls: false` is a request's right, and the only way to see several rounds offline."""
    asked = message_item("user", "CALL a {}\nCALL b {}")
    first = await read_round(demo(), model_request(asked, tools=[PETS], parallel_tool_calls=False))
    assert [text_at(item, "name") for item in output_of(first)] == ["a"]
    since = [call("1", "a"), output_item("1", "A")]
    second = await read_round(demo(), model_request(asked, *since, tools=[PETS], parallel_tool_calls=False))
    assert [text_at(item, "name") for item in output_of(second)] == ["b"]


@pytest.mark.asyncio
async def test_a_round_that_may_call_nothing_calls_nothing() -> None:
    """The loop's closing round says `tool_choice: "none"`; a call in it would go unanswered."""
    asked = message_item("user", "CALL list_pets {}")
    events = await read_round(demo(), model_request(asked, tools=[PETS], tool_choice="none"))
    assert "may not call" in joined_text(events)


@pytest.mark.asyncio
async def test_usage_counts_four_characters_a_token() -> None:
    """S4-08: sums and counts are tested against this rule, so it has to be one."""
    events = await read_round(demo(), model_request(message_item("user", "hello")))
    usage = object_at(object_at(events[-1].body, "response"), "usage")
    read = '{"instructions":null,"input":[{"type":"message","role":"user","content":'
    read += '[{"type":"input_text","text":"hello"}]}],"tools":[]}'
    assert usage["input_tokens"] == -(-len(read) // 4)
    assert usage["output_tokens"] == -(-len(joined_text(events)) // 4)
    assert usage["total_tokens"] == -(-len(read) // 4) + -(-len(joined_text(events)) // 4)


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("CALL a", [("a", "{}")]),
        ("now `CALL a {}` please", [("a", "{}")]),
        ('CALL a {"x":\n 1} CALL b {"y": 2}', [("a", '{"x":\n 1}'), ("b", '{"y": 2}')]),
        ("CALL a {broken\nCALL b", [("a", "{broken"), ("b", "{}")]),
        ('CALL a {"x": "CALL b {}"}', [("a", '{"x": "CALL b {}"}')]),
        ("please CALL me later", []),
        ("RECALL a {}", []),
        ("call a {}", []),
    ],
)
def test_what_counts_as_a_call(text: str, calls: list[tuple[str, str]]) -> None:
    """Ordinary English must not run tools, and the loop says what is wrong with a broken call."""
    assert list(calls_in(text)) == calls


@given(st.text(alphabet='CAL {}"\\[a\n`', max_size=200))
def test_any_text_can_be_read_for_calls(text: str) -> None:
    """The text is whatever a user writes."""
    assert all(name and arguments for name, arguments in calls_in(text))
