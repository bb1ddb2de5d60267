"""Calls in an answer's text as `<details type="tool_calls">` blocks: written, and read back.

Open WebUI renders a block as a chip with arguments and result, and stores it as text: in the next request it
comes back in the assistant's message, where it must not reach the model as its own words. The form is that
which Open WebUI 0.12.4 reads (its Markdown tokenizer, read 2026-11-22). Everything of a call is foreign text
and is escaped, so that nothing in it can end an attribute or the block.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bridge.models.agent.items import SEARCH_OUTPUT, Item, ModelCall, loaded_text
from bridge.models.agent.rendering.markdown_code import CodeReader
from bridge.models.agent.rendering.shown_images import without_image_links
from bridge.models.agent.turn import CallFile
from toolserver.json_types import JsonValue, array_at, load_json, text_at

CALL_TYPE = "tool_calls"
_REASONING_TYPE = re.compile(r"(?:.*\.)?reasoning")
"""Pattern of `reasoning`, or `<module>.reasoning` as other programs write it."""

_BREAKS = {ord(sign): f"&#{ord(sign)};" for sign in "\n\r\u2028\u2029"}
"""Escapes of the line breaks that a JavaScript `.` does not match."""
_TAG = re.compile(r"<details(\s[^<>\n]*)?>|</details>")
_ATTRIBUTE = re.compile(r'(?<=\s)([\w-]++)="([^"]*)"')
_SUMMARY = re.compile(r"\s*<summary>[^<]*</summary>[ \t]*\n?")


@dataclass(frozen=True, slots=True)
class ShownCall:
    """A call read from a block."""

    call_id: str
    name: str
    arguments_text: str
    output: str | None
    """Output of the call; None: the block shows a call that was still running."""


@dataclass(frozen=True, slots=True)
class TextWithoutDetails:
    """A text without its blocks, and the calls that were in them."""

    text: str
    calls: tuple[ShownCall, ...]
    """Calls in their order; blocks of reasoning have none."""


def call_block(call: ModelCall, output: Item, files: Sequence[CallFile] = ()) -> str:
    """Return the block of a finished call. It must start on a new line, and ends with a line break.

    `files`: of the result; `bridge.models.agent.rendering.shown_images` shows the images among them.
    """
    links: list[JsonValue] = [file.link() for file in files if file.kind == "file"]
    files_attribute = f' files="{_escaped(_json(links))}"' if links else ""
    body = html.escape(_json_text(output_text(output)))
    opening = f"<details {_attributes(call, is_done=True)}{files_attribute}>"
    return f"{opening}\n<summary>Tool Executed</summary>\n{body}\n</details>\n"


def output_text(output: Item) -> str:
    """Return the text of a call's output; of a list of parts, those with text, joined by lines.

    Of a tool search it is the names of what it loaded.
    """
    if output.get("type") == SEARCH_OUTPUT:
        return loaded_text(output)
    content = output.get("output")
    if isinstance(content, str):
        return content
    parts = [part for part in array_at(output, "output") if isinstance(part, dict)]
    return "\n".join(text for part in parts if (text := text_at(part, "text")))


def _attributes(call: ModelCall, *, is_done: bool) -> str:
    written = {
        "type": CALL_TYPE,
        "done": "true" if is_done else "false",
        "id": call.call_id,
        "name": call.name,
        "arguments": _arguments_json(call.arguments_text),
    }
    return " ".join(f'{name}="{_escaped(value)}"' for name, value in written.items())


def _escaped(text: str) -> str:
    """Escape a text for an attribute, which must stay on one line."""
    return html.escape(text).translate(_BREAKS)


def _arguments_json(text: str) -> str:
    """Return a call's arguments as the model wrote them; anything that is not JSON becomes a JSON string."""
    return (text if _parsed(text) is not _NO_JSON else _json(text)) if text.strip() else "{}"


def _json_text(text: str) -> str:
    """Return JSON that means the same as a result: the result itself, or a JSON string of it.

    A result that already is a JSON string is wrapped again, so that reading yields exactly what was written.
    """
    value = _parsed(text)
    return _json(text) if value is _NO_JSON or isinstance(value, str) or text != text.strip() else text


_NO_JSON = object()


def _parsed(text: str) -> object:
    try:
        return load_json(text)
    except ValueError:
        return _NO_JSON


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def without_details(text: str) -> str:
    """Return an assistant's text without its blocks of calls and reasoning, and without images of calls."""
    return take_details(text).text


def take_details(text: str) -> TextWithoutDetails:
    """Split an assistant's text into its blocks of calls and reasoning, and the rest without images of calls.

    Blocks inside code only quote a block, and stay; so do unclosed blocks and blocks of other types. Linear
    in the length of the text. A text without such blocks is returned unchanged.
    """
    text = without_image_links(text)
    if "<details" not in text:
        return TextWithoutDetails(text, ())
    calls: list[ShownCall] = []
    remaining: list[str] = []
    position = 0
    for block in _blocks(text):
        remaining.append(text[position : block.start])
        position = block.end
        if block.kind == CALL_TYPE:
            calls.append(_read(block, text))
    return TextWithoutDetails(_joined([*remaining, text[position:]]), tuple(calls))


@dataclass(frozen=True, slots=True)
class _Block:
    """A closed block. Positions refer to the text; the body lies between the tags."""

    start: int
    body_start: int
    body_end: int
    end: int
    kind: str
    attributes: dict[str, str]


def _blocks(text: str) -> Iterator[_Block]:
    """Yield outermost blocks of calls and reasoning, in order. Code inside a block is not looked at."""
    ends = _ends(text)
    code = CodeReader()
    position = 0
    for start in _TAG.finditer(text):
        end = ends.get(start.start())
        if end is None or start.start() < position:
            continue
        attributes = {name: html.unescape(value) for name, value in _ATTRIBUTE.findall(start[1] or "")}
        kind = attributes.get("type", "")
        if kind != CALL_TYPE and not _REASONING_TYPE.fullmatch(kind):
            continue
        code.read_text(text[position : start.start()])
        position = start.start()
        if not code.is_in_code:
            position = end.end()
            yield _Block(start.start(), start.end(), end.start(), end.end(), kind, attributes)


def _ends(text: str) -> dict[int, re.Match[str]]:
    """Map the start of each block to the tag that closes it; unclosed blocks are absent."""
    ends: dict[int, re.Match[str]] = {}
    begun: list[int] = []
    for tag in _TAG.finditer(text):
        if tag[0] != "</details>":
            begun.append(tag.start())
        elif begun:
            ends[begun.pop()] = tag
    return ends


def _read(block: _Block, text: str) -> ShownCall:
    attributes, body = block.attributes, text[block.body_start : block.body_end]
    return ShownCall(
        call_id=attributes.get("id", ""),
        name=attributes.get("name", ""),
        arguments_text=_unwrapped(attributes.get("arguments", "")) or "{}",
        output=None if attributes.get("done") == "false" else _result(attributes, body),
    )


def _result(attributes: dict[str, str], body: str) -> str:
    """Return the result: the text after the summary or, as older programs wrote it, an attribute."""
    summary = _SUMMARY.match(body)
    result_text = html.unescape(body[summary.end() if summary else 0 :].strip())
    return _unwrapped(result_text or attributes.get("result", ""))


def _unwrapped(text: str) -> str:
    """Return the text inside a JSON string; any other text unchanged."""
    value = _parsed(text) if text.startswith('"') else _NO_JSON
    return value if isinstance(value, str) else text


def _joined(pieces: list[str]) -> str:
    """Join the pieces between blocks; blank lines that only separated a block go with it."""
    if len(pieces) == 1:
        return pieces[0]
    words = [piece.strip("\n") for piece in pieces]
    return "\n\n".join(piece for piece in words if piece.strip())


def image_paragraph(item: Item) -> str:
    """Return the Markdown of an `image_generation_call`; "" while it has no image."""
    result = text_at(item, "result")
    return f"![Image](data:image/{text_at(item, 'output_format') or 'png'};base64,{result})" if result else ""
