"""Whether a Markdown text has opened raw HTML or a formula and not closed it yet, where every line is shown.

Read from left to right, a piece at a time. What stands in code is not told apart from what does not: a `yes`
too many costs nothing, for what is written then is seen nowhere.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"<(?P<end>/?)(?P<tag>pre|script|style|textarea)(?=[\s>/])|(?P<dollars>\$\$)|(?P<bracket>\\[\[\]])",
    re.IGNORECASE,
)
_LONGEST = len("</textarea>")


class RawReader:
    """Follows a text."""

    def __init__(self) -> None:
        self._rest = ""
        """The end of what was read, in which a token may have begun."""
        self._tag = ""
        """The element that is open."""
        self._is_formula = False
        self._is_bracket = False

    def read_text(self, text: str) -> None:
        """More of the text, cut anywhere."""
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
        """Whether what comes next is shown as it is."""
        return bool(self._tag) or self._is_formula or self._is_bracket

    def _read_tag(self, tag: str, *, is_end: bool) -> None:
        if not self._tag and not is_end:
            self._tag = tag
        elif self._tag == tag and is_end:
            self._tag = ""
