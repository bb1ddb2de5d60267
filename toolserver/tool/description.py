"""Shortens the description of a tool for readers that take little of it. Pure.

Of the summary, the prose and the notes about the body, which `Definitions` writes in this order, the prose is
cut first: notes say what the schema cannot, and nothing else does.
"""

import re

BODY = "Body: "
"""Beginning of the note about a body whose properties are arguments."""

DEPRECATED = "Deprecated."
FURTHER_PROPERTIES = "Further properties are sent in the body as they are."

_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_SENTENCE_END = re.compile(r"[.!?…](?=\s)|。(?=.)", re.DOTALL)

_CUT = " …"
_SHORTEST = 80
"""Minimum characters of a piece of prose that is worth its place."""


def shorten_description(text: str, limit: int) -> str:
    """The description in at most `limit` characters, cut where a sentence ends, with "…" for what is gone."""
    if len(text) <= limit:
        return text
    starts = [text.find(f"\n\n{opening}") for opening in (BODY, DEPRECATED, FURTHER_PROPERTIES)]
    end = min((start for start in starts if start >= 0), default=len(text))
    before, notes = text[:end], _cut(text[end:], limit // 2)
    room = limit - (len(notes) + 2 if notes else 0)
    summary, *rest = _PARAGRAPH.split(before, maxsplit=1)
    summary = _cut(summary, room)
    left = room - len(summary) - 2
    prose = _cut(rest[0], left) if rest and left >= _SHORTEST else ""
    return "\n\n".join(filter(None, (summary, prose, notes)))


def _cut(text: str, limit: int) -> str:
    """The beginning of a text up to a sentence's end, else to a word's."""
    text = text.strip()
    if len(text) <= limit:
        return text
    piece = text[: limit - len(_CUT) + 1]
    ends = [found.end() for found in _SENTENCE_END.finditer(piece)]
    if ends and ends[-1] >= len(piece) // 2:
        return piece[: ends[-1]] + _CUT
    words = piece.rsplit(maxsplit=1)[0] if piece[-1:].strip() and " " in piece else piece[:-1]
    return words.rstrip() + _CUT
