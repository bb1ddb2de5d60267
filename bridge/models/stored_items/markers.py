"""Markers: ids of stored items in an answer's text, which a client stores and sends back. Pure.

Ours is a line of its own, `[tb:<ULID><check>]: #`: to Markdown the definition of a link that nothing refers
to, so that nothing of it is shown. Where it would be shown, it is written in invisible characters
(`zero_width`). Four older forms of other programs are read. Everything here takes time linear in the text.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from bridge.models.stored_items import zero_width
from bridge.models.stored_items.ulid import ALPHABET, LENGTH

_ID = f"[{ALPHABET}]"
_MARK = re.compile(
    rf"^[ \t]*\[(?:tb:(?P<ours>{_ID}{{28}})|(?P<third>{_ID}{{20}})"
    rf"|openai_responses:v2:[a-z0-9_]{{2,30}}:(?P<second>{_ID}{{16}}))\]: #[ \t]*\r?(?:\n|\Z)"
    rf"|\[\]\(openai_responses:v1:[a-z0-9_]{{2,30}}:(?P<first>{_ID}{{26}})(?:\?[^()\s]{{0,300}})?\)"
    rf"|(?P<unseen>{zero_width.RUN.pattern})",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Mark:
    """One or more markers at one place; without ids: the remains of a damaged one."""

    ids: tuple[str, ...]
    is_line: bool
    """Whether it stood on a line of its own, which is removed with it."""
    text: str
    """The marker exactly as it was written."""


def link_marker(item_id: str) -> str:
    """Return the marker of an item as a line of Markdown, without its line break.

    A blank line or another marker's line must precede it, and its line must end.
    """
    return f"[tb:{_code(item_id)}]: #"


def unseen_marker(item_id: str) -> str:
    """Return the marker of an item in invisible characters, which may be placed anywhere in a text."""
    return zero_width.encode_zero_width(_code(item_id))


def parse_text(text: str) -> list[str | Mark]:
    """Split a text at its markers: pieces of text, unchanged, and marks, in order."""
    return list(_tokens(text)) if may_have_markers(text) else [text]


def strip_markers(text: str) -> str:
    """Return a text without its markers; a removed line leaves only a blank line."""
    if not may_have_markers(text):
        return text
    tokens = list(_tokens(text))
    if not any(isinstance(token, Mark) for token in tokens):
        return text
    texts: list[str] = []
    for place, token in enumerate(tokens):
        if isinstance(token, str) and (text := _without_edges(token, tokens, place)):
            texts.append(f"\n\n{text}" if texts and _is_line(tokens, place - 1) else text)
    return "".join(texts)


def may_have_markers(text: str) -> bool:
    """Return whether a text can contain markers; a cheap test."""
    return "]: #" in text or "openai_responses:v1:" in text or zero_width.has_signs(text)


def _without_edges(text: str, tokens: list[str | Mark], place: int) -> str:
    text = text.lstrip("\r\n") if _is_line(tokens, place - 1) else text
    return text.rstrip("\r\n") if _is_line(tokens, place + 1) else text


def _is_line(tokens: list[str | Mark], place: int) -> bool:
    token = tokens[place] if 0 <= place < len(tokens) else ""
    return isinstance(token, Mark) and token.is_line


def _tokens(text: str) -> Iterator[str | Mark]:
    """Yield pieces and marks; invisible characters that are no marker stay text."""
    place = 0
    for found in _MARK.finditer(text):
        if found["unseen"]:
            marks = [(found.start() + start, mark) for start, mark in _unseen_marks(found[0])]
        else:
            marks = [(found.start(), _visible_mark(found))]
        for start, mark in marks:
            if start > place:
                yield text[place:start]
            place = start + len(mark.text)
            yield mark
    if place < len(text) or place == 0:
        yield text[place:]


def _visible_mark(found: re.Match[str]) -> Mark:
    if code := found["ours"]:
        return Mark((code[:LENGTH],) if _is_complete(code) else (), True, found[0])
    item_id = found["first"] or found["second"] or found["third"]
    return Mark((item_id,), found["first"] is None, found[0])


def _unseen_marks(run: str) -> list[tuple[int, Mark]]:
    """Return the marks of a run with their places: markers side by side as one, and what no text has."""
    marks: list[tuple[int, Mark]] = []
    place = 0
    for found in zero_width.find_markers(run):
        ids = (found.code[:LENGTH],) if _is_complete(found.code) else found.old_ids
        mark = Mark(ids, False, run[found.start : found.end])
        if marks and found.start == place:
            start, before = marks.pop()
            marks.append((start, Mark(before.ids + ids, False, before.text + mark.text)))
        else:
            marks += [*_junk(run, place, found.start), (found.start, mark)]
        place = found.end
    return [*marks, *_junk(run, place, len(run))]


def _junk(run: str, start: int, end: int) -> list[tuple[int, Mark]]:
    is_long = end - start >= zero_width.MIN_JUNK
    return [(start, Mark((), False, run[start:end]))] if is_long else []


def _code(item_id: str) -> str:
    return item_id + _check(item_id)


def _is_complete(code: str) -> bool:
    return _check(code[:LENGTH]) == code[LENGTH:]


def _check(item_id: str) -> str:
    """Return two characters (ten bits) by which a damaged marker is detected."""
    bits = zlib.crc32(f"tb:{item_id}".encode())
    return ALPHABET[bits & 31] + ALPHABET[bits >> 5 & 31]
