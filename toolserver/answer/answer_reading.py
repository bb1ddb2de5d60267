"""Reads the text of an answer as the value that queries and outlines are made of.

JSON is its own value; JSON lines and events are `{"items": [...]}`, as callers read them. Of an answer that
was cut, the value has its whole items only, and is not complete.
"""

import re
from typing import NamedTuple

from toolserver.answer.exact_values import read_exact
from toolserver.answer.sequence import EVENTS, complete_items, is_sequence, items_of
from toolserver.answer.tolerant_json import readable_json
from toolserver.answer.truncation import cut_json
from toolserver.json_types import JsonValue

LINES = "application/x-ndjson"

_EVENT_FIELD = re.compile(r"(?:data|event|id|retry)?:")


class NotJson(ValueError):
    """An answer that cannot be queried."""


class ReadAnswer(NamedTuple):
    """The value of an answer."""

    value: JsonValue
    complete: bool = True
    """False: what the page did not read is missing, and so is an item that it read in part."""


def read_answer(text: str, content_type: str = "", *, is_cut: bool = False) -> ReadAnswer:
    """The value of an answer's text.

    `content_type`: "" where it is no longer known; then the text itself tells. `is_cut`: whether the text
    is known to be only the beginning.

    Raises:
        NotJson: it is none of the forms above, or it was cut before its first whole item ended.
        NestedTooDeeply: it has more levels than `MAX_NESTING`.
    """
    text = text.removeprefix("\ufeff")
    if not is_sequence(content_type) and (value := _whole_json(text)) is not None:
        return ReadAnswer(value[0], complete=not is_cut)
    types = [content_type] if is_sequence(content_type) else _sequence_types(text)
    for each in types:
        if (read := _sequence(text, each, is_cut=is_cut)) is not None:
            return read
    if not types and (cut := cut_json(text)) is not None:
        return ReadAnswer(read_exact(cut.text), complete=False)
    raise NotJson("This answer is not JSON, so that nothing can be selected from it.")


def _whole_json(text: str) -> tuple[JsonValue] | None:
    """The value, alone in a tuple; None if the text is not JSON."""
    readable = readable_json(text.strip().encode("utf-8", "replace"))
    return None if readable is None else (read_exact(readable.decode()),)


def _sequence_types(text: str) -> list[str]:
    """The type of the sequence that a text looks like: events, or lines the first of which is JSON."""
    if _EVENT_FIELD.match(text):
        return [EVENTS]
    first = text.strip("\x1e\r\n ").partition("\n")[0]
    is_object = (
        first[:1] in ("{", "[") and readable_json(first.strip().encode("utf-8", "replace")) is not None
    )
    return [LINES] if is_object else []


def _sequence(text: str, content_type: str, *, is_cut: bool) -> ReadAnswer | None:
    items = [] if is_cut else items_of(text, content_type)
    complete = bool(items)
    if not items:
        items = items_of(complete_items(text, content_type), content_type)
    if not items:
        return None
    return ReadAnswer({"items": [read_exact(item.decode()) for item in items]}, complete)
