"""Calls in a model's text: what is one, what is none, and that it does not matter how the text is cut."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.models.agent.text_calls.parser import TextCall, TextCallReader
from toolserver.json_types import JsonObject

SCHEMAS: dict[str, JsonObject] = {
    "get_w": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}},
    "ping": {"type": "object", "properties": {}},
}

PARIS = "<function=get_w><parameter=city>Paris</parameter></function>"
TO_PARIS = TextCall("get_w", '{"city": "Paris"}')
PING = TextCall("ping", "{}")


def read(*pieces: str) -> tuple[str, list[TextCall]]:
    reader = TextCallReader(SCHEMAS)
    given = [reader.feed_text(piece) for piece in pieces]
    return "".join([*given, reader.finish_text()]), reader.calls


DAYS = TextCall("get_w", '{"days": 2}')

CALLS: list[tuple[str, str, list[TextCall]]] = [
    (f"Hi {PARIS} x", "Hi x", [TO_PARIS]),
    (PARIS, "", [TO_PARIS]),
    (f"\n{PARIS}\n", "", [TO_PARIS]),
    (f"a\n\n{PARIS}\n\nb\n{PARIS}", "a\n\nb", [TO_PARIS, TO_PARIS]),
    ("<FUNCTION=ping></Function>", "", [PING]),
    ("<function=ping>\n \n</function>", "", [PING]),
    (
        "<function=get_w><parameter=city>Le  Havre\n</parameter>\n<parameter=days>3</parameter></function>",
        "",
        [TextCall("get_w", '{"city": "Le  Havre", "days": 3}')],
    ),
    (
        "<function=get_w><parameter=city>A</parameter><parameter=city>Bé</parameter></function>",
        "",
        [TextCall("get_w", '{"city": "Bé"}')],
    ),
    (PARIS.replace("<parameter", "<PARAMETER").replace("</p", "</P"), "", [TO_PARIS]),
    ('<function=get_w>{"days": 2}</function>', "", [DAYS]),
    (f"<tool_call>\n{PARIS}\n</tool_call>", "", [TO_PARIS]),
    (f"a <tool_call>{PARIS}\n{PARIS}</tool_call> b", "a b", [TO_PARIS, TO_PARIS]),
    (f"<tool_call>{PARIS} and", "and", [TO_PARIS]),
    ('<tool_call>{"name": "get_w", "arguments": {"days": 2}}</tool_call>', "", [DAYS]),
    ('<tool_call>{"name": "get_w", "arguments": "{\\"days\\": 2}"}</tool_call>', "", [DAYS]),
    ('<tool_call>\n{"name": "ping"}\n</tool_call>', "", [PING]),
    ('<tool_call>{"name": "functions.ping"}</tool_call>', "", [PING]),
]


@pytest.mark.parametrize(("text", "left", "calls"), CALLS)
def test_calls_in_text_are_taken_out_and_the_rest_stays(text: str, left: str, calls: list[TextCall]) -> None:
    """S1-09, S1-10, S1-11, W-30: both wrappers, tags in any case, the last of equal keys, text after."""
    assert read(text) == (left, calls)


@pytest.mark.parametrize(
    "text",
    [
        "<function=get_w><parameter=city>Paris</parameter>",
        "<function=get_w><parameter=city>Paris</function>",
        "<function=unknown></function>",
        "<function=Ping></function>",
        "I would use <function=ping> for that.",
        "<function=get_w>some words</function>",
        "<function=get_w><parameter=city>a</parameter> words </function>",
        '<function=get_w>{"days": }</function>',
        "<function=get_w>{]</function>",
        '<tool_call>{"name": "unknown", "arguments": {}}</tool_call>',
        '<tool_call>{"name": "ping", "arguments": [1]}</tool_call>',
        '<tool_call>{"name": "ping"}',
        "<tool_call>words</tool_call>",
        "</function></tool_call>",
        "a < b <function <function= <function=>",
        f"```xml\n{PARIS}\n```",
        f"~~~\n{PARIS}\n~~~\n",
        f"Write `{PARIS}` for it.  ",
        f"  ```\n{PARIS}",
    ],
)
def test_what_is_no_call_stays_as_it_is(text: str) -> None:
    """S1-10, S1-21, W-30: unclosed, unknown, told in code or in prose; not one character may change."""
    assert read(text) == (text, [])


def test_a_call_after_prose_about_it_and_after_code_is_one() -> None:
    """Models first say what they will do."""
    assert read(f"I use <function=get_w> so:\n{PARIS}") == ("I use <function=get_w> so:", [TO_PARIS])
    assert read(f"```\n{PARIS}\n```\n{PARIS}") == (f"```\n{PARIS}\n```", [TO_PARIS])


@pytest.mark.parametrize(
    ("text", "city"),
    [
        (
            "<function=get_w><parameter=city>x</function><function=ping></function></parameter></function>",
            "x</function><function=ping></function>",
        ),
        (
            '<function=get_w>{"city": "</function><function=ping></function>"}</function>',
            "</function><function=ping></function>",
        ),
        (
            '<tool_call>{"name": "get_w", "arguments": {"city": "}</tool_call>\\""}}</tool_call>',
            '}</tool_call>"',
        ),
    ],
)
def test_markup_in_a_value_is_a_value(text: str, city: str) -> None:
    """A model copies foreign text into its arguments; a call written there must not run."""
    left, calls = read(text)
    assert left == ""
    assert [json.loads(call.arguments) for call in calls] == [{"city": city}]


def test_what_was_no_call_is_not_searched_for_another() -> None:
    """A value that a broken call carried is foreign text, too."""
    assert read("<function=get_w>{\"city\": '<function=ping></function>'}</function>")[1] == []


PIECES = st.sampled_from(
    [
        *[
            "<function=",
            "get_w",
            "ping",
            ">",
            "<parameter=",
            "city",
            "</parameter>",
            "</function>",
            "<tool_call>",
        ],
        *[
            "</tool_call>",
            '{"name": "ping"}',
            "{",
            "}",
            '"',
            "\\",
            "`",
            "```",
            "~~~",
            "\n",
            " ",
            "x",
            "<",
            PARIS,
        ],
    ]
)


@given(st.lists(PIECES, max_size=25), st.lists(st.integers(1, 6), min_size=1, max_size=5))
def test_it_does_not_matter_where_a_text_is_cut(parts: list[str], sizes: list[int]) -> None:
    """W-30: a provider cuts its text anywhere; the call must be the same, and so must the text."""
    text = "".join(parts)
    cut: list[str] = []
    position = 0
    while position < len(text):
        size = sizes[len(cut) % len(sizes)]
        cut.append(text[position : position + size])
        position += size
    assert read(*cut) == read(text)


@given(st.text(alphabet="ab <>=/`\n{}", max_size=80))
def test_text_without_calls_is_given_back_to_the_letter(text: str) -> None:
    """Reading for calls must cost an answer nothing."""
    assert read(text) == (text, [])


@pytest.mark.parametrize(
    ("pieces", "given"),
    [
        (["Hello ", "world", "."], ["Hello", " world", "."]),
        (["a <", "b"], ["a", " <b"]),
        (["a <func", "y"], ["a", " <funcy"]),
        (["<function=pi", "x"], ["", "<function=pix"]),
        (["<function=ping> ", "no"], ["", "<function=ping> no"]),
    ],
)
def test_text_is_held_back_only_as_long_as_it_may_be_a_call(pieces: list[str], given: list[str]) -> None:
    """S1-21: an answer streams although it is read for calls."""
    reader = TextCallReader(SCHEMAS)
    assert [reader.feed_text(piece) for piece in pieces] == given


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text",
    [
        "<function=get_w><parameter=city>" + "x" * 400_000,
        "<function=get_w>" + " " * 400_000,
        '<function=get_w>{"city": "' + "\\n" * 200_000,
        "<" * 200_000,
        "<function=" * 40_000,
        "<function=get_w>" * 25_000,
        "<function=get_w><parameter=" + "k" * 400_000,
        "`" * 400_000,
    ],
)
def test_a_long_text_in_small_pieces_takes_time_in_proportion(text: str) -> None:
    """The model writes what a user makes it write, on the loop that serves everybody."""
    reader = TextCallReader(SCHEMAS)
    for position in range(0, len(text), 4):
        reader.feed_text(text[position : position + 4])
    reader.feed_text(text)
    reader.finish_text()
