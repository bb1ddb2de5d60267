"""Detects, as a stream comes, whether Markdown is inside raw HTML or a formula, where lines are visible.

Reads from left to right, a piece at a time. Code is not distinguished: a false positive costs nothing, for
the marker is then written in characters that are invisible everywhere.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"<(?P<end>/?)(?P<tag>pre|script|style|textarea)(?=[\s>/])|(?P<dollars>\$\$)|(?P<bracket>\\[\[\]])",
    re.IGNORECASE,
)
_LONGEST = len("</textarea>")


class RawReader:
    """Follows a text and knows whether raw HTML or a formula is open."""

    __slots__ = ("_is_bracket", "_is_formula", "_rest", "_tag")

    def __init__(self) -> None:
        self._rest = ""
        """Tail of the text read so far, in which a token may have begun."""
        self._tag = ""
        """Name of the open element; "" when none is open."""
        self._is_formula = False
        self._is_bracket = False

    def read_text(self, text: str) -> None:
        """Read more of the text, which may be split anywhere."""
        text, place = self._rest + text, 0
        for found in _TOKEN.finditer(text):
            place = found.end()
            if found["tag"]:
                self._read_tag(found["tag"].lower(), is_end=bool(found["end"]))
            elif found["dollars"]:
                self._is_formula = not self._is_formula
            else:
                self._is_bracket = found["bracket"] == "\\["
        self._rest = text[max(place, len(text) - _LONGEST) :]

    @property
    def is_open(self) -> bool:
        """Whether the next character would be shown as it is."""
        return bool(self._tag) or self._is_formula or self._is_bracket

    def _read_tag(self, tag: str, *, is_end: bool) -> None:
        if not self._tag and not is_end:
            self._tag = tag
        elif self._tag == tag and is_end:
            self._tag = ""
