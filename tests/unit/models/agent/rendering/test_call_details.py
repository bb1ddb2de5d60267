"""Calls shown as `<details>` blocks: exactly what Open WebUI reads, and nothing of it left for the model."""

import html
import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.models.agent.items import ModelCall
from bridge.models.agent.rendering.call_details import (
    ShownCall,
    call_block,
    take_details,
    without_details,
)
from bridge.models.agent.turn import CallFile
from toolserver.json_types import JsonObject

TEXTS = st.text(max_size=60) | st.text(alphabet="\"'&<>`\n\r\t=/ adetilsum-", max_size=60)


def call(call_id: str = "call_1", name: str = "get_pet", arguments: str = '{"id": 1}') -> ModelCall:
    return ModelCall(call_id, name, arguments, {})


def output(text: str) -> JsonObject:
    return {"type": "function_call_output", "call_id": "call_1", "output": text}


def block(text: str) -> str:
    return call_block(call(), output(text))


class Attributes(HTMLParser):
    """The attributes of the first element, as a browser reads them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.first: dict[str, str | None] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.first = self.first or dict(attrs)


def test_a_finished_call_is_four_lines_in_the_form_of_open_webui() -> None:
    """S2-08, S2-12: its Markdown reader takes exactly this; anything else is shown as raw HTML."""
    shown = call_block(call(arguments='{"q":"a\\"<b>&\'"}'), output('{"é": "</details>"}'))
    assert shown == (
        '<details type="tool_calls" done="true" id="call_1" name="get_pet" '
        'arguments="{&quot;q&quot;:&quot;a\\&quot;&lt;b&gt;&amp;&#x27;&quot;}">\n'
        "<summary>Tool Executed</summary>\n"
        "{&quot;é&quot;: &quot;&lt;/details&gt;&quot;}\n"
        "</details>\n"
    )
    assert json.loads(str(Attributes(shown).first["arguments"])) == {"q": "a\"<b>&'"}


def test_files_of_a_result_go_along() -> None:
    """S2-12: a file that a tool gave goes along; an image would be Open WebUI's logo there."""
    pdf = CallFile("file", "https://a.example/1.pdf", "application/pdf")
    shown = call_block(call(), output("{}"), [CallFile("image", "https://a.example/1.png", "image/png"), pdf])
    assert json.loads(str(Attributes(shown).first["files"])) == [pdf.link()]


@given(call_id=TEXTS, name=TEXTS, arguments=TEXTS, result=TEXTS)
def test_nothing_of_a_call_can_end_its_block_or_its_attributes(
    call_id: str, name: str, arguments: str, result: str
) -> None:
    """S2-08, W-31: ids and names are foreign text as well; the block reads back to the very same call."""
    shown = call_block(call(call_id, name, arguments), output(result))
    opening, rest = shown.split("\n", 1)
    assert re.fullmatch(r'<details( \w+="[^"<>]*")+>', opening)
    assert rest.count("<") == 3
    taken = take_details(f"Before\n{shown}After")
    assert taken.text == "Before\n\nAfter"
    (read,) = taken.calls
    assert (read.call_id, read.name, read.output) == (call_id, name, result)
    if arguments.strip() and not is_json_string(arguments):
        assert read.arguments_text == arguments


def is_json_string(text: str) -> bool:
    try:
        return isinstance(json.loads(text), str)
    except ValueError:
        return False


def test_text_without_blocks_is_the_same_text() -> None:
    """Taking something out must not touch what has nothing in it: replay depends on exact text."""
    for text in ("", "a <details> b", "<details>\n<summary>More</summary>\nmine\n</details>\n", "\n x \n"):
        assert without_details(text) == text


def test_reasoning_is_taken_out_whoever_wrote_it() -> None:
    """S4-02: what a model thought must not come back to it as what it said."""
    thought = '<details type="{}" done="true" duration="3">\n<summary>Thought</summary>\n> hm\n</details>\n'
    for kind in ("reasoning", "openai_responses.reasoning"):
        assert take_details(thought.format(kind) + "The answer.") == take_details("The answer.")
    other = thought.format("unreasoning")
    assert without_details(other) == other


def test_the_forms_of_other_programs_are_read() -> None:
    """S2-12: a chat may hold blocks that an older Open WebUI or a pipe wrote."""
    doubled = html.escape(json.dumps(json.dumps({"id": 1})))
    old = f'<details type="tool_calls" done="true" id="a" name="x" arguments="{doubled}" result="{html.escape(json.dumps("ok"))}" files="">\n<summary>Tool Executed</summary>\n</details>'  # noqa: E501
    assert take_details("Looking … " + old).calls == (ShownCall("a", "x", '{"id": 1}', "ok"),)
    running = (
        '<details type="tool_calls" done="false" id="b" name="y" arguments="{&quot;id&quot;: 1}">\n'
        "<summary>Executing...</summary>\n</details>\n"
    )
    assert take_details(running).calls == (ShownCall("b", "y", '{"id": 1}', None),)


@pytest.mark.parametrize(
    "text",
    [
        f"```\n{block('1')}```\n",
        f"~~~html\n{block('1')}~~~\n",
        'Write `<details type="tool_calls">x</details>` on a line.',
    ],
)
def test_blocks_in_code_are_words_about_blocks(text: str) -> None:
    """S2-09: whoever writes a pipe talks about this markup with the model."""
    assert take_details(text).text == text


def test_code_in_a_result_does_not_hide_the_end_of_its_block() -> None:
    """A result is foreign text, and half a fence in it must not swallow the rest of the answer."""
    text = call_block(call(), output("[\n```\n1]")) + "After" + block("2") + "End"
    taken = take_details(text)
    assert taken.text == "After\n\nEnd"
    assert [read.output for read in taken.calls] == ["[\n```\n1]", "2"]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('a\n<details type="tool_calls">\nno end', 'a\n<details type="tool_calls">\nno end'),
        ('<details type="tool_calls">' + block("1"), '<details type="tool_calls">'),
        ("</details>" + block("1"), "</details>"),
        ('<details type="reasoning">\n<details>\nx\n</details>\ny\n</details>z', "z"),
        (block("1") + "</details>", "</details>"),
    ],
)
def test_broken_blocks_cost_no_text(text: str, left: str) -> None:
    """A block that never ends must not take the answer with it."""
    assert without_details(text) == left


@pytest.mark.parametrize(
    "text",
    [
        '<details type="tool_calls">' * 40_000,
        "<details " * 200_000,
        "<details a" + "a" * 1_000_000 + ">" + "</details>",
        '<details type="tool_calls">' + " " * 1_000_000 + "</details>",
        '<details type="tool_calls">\n</details>' * 40_000,
        "```" * 300_000 + '<details type="tool_calls">\n</details>',
        ("`" * 1000 + "\n") * 1000 + '<details type="tool_calls">\n</details>',
    ],
)
@pytest.mark.timeout(10)
def test_a_megabyte_of_broken_markup_takes_no_time(text: str) -> None:
    """The text comes from whoever calls, and is read on the loop that serves everybody."""
    take_details(text)
