"""Finds where a JSON object ends in a text that comes in pieces."""

from __future__ import annotations

import re

_SIGN = re.compile(r'["\\{}\[\]]')


class JsonObjectEnd:
    """Looks for the end of one object, whose first character is the first that it reads. Linear.

    Brackets in strings do not count. What lies between the brackets is not checked: the text up to the end
    may still not be JSON.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._is_in_string = False
        self._is_escaped = False

    def find_end(self, text: str, start: int) -> int | None:
        """Return the position after the object's last character; None when this piece lacks the end."""
        position = start
        while position < len(text):
            if self._is_escaped:
                self._is_escaped = False
                position += 1
                continue
            sign = _SIGN.search(text, position)
            if sign is None:
                return None
            position = sign.end()
            self._take(sign[0])
            if self._depth == 0:
                return position
        return None

    def _take(self, sign: str) -> None:
        if self._is_in_string:
            self._is_escaped = sign == "\\"
            self._is_in_string = sign != '"'
        elif sign == '"':
            self._is_in_string = True
        elif sign in "{[":
            self._depth += 1
        elif sign in "}]":
            self._depth -= 1
