"""The arguments of one streamed call, which may come more than once: pieces in, one reading out. Pure.

Most providers send a JSON object in pieces. Imitators also send

- an empty object, or `null`, first and the arguments after it: the empty one gives way;
- in each piece all that came so far, or the complete object once more at the end: the last one counts.

Either shows as a `{` after a complete object, or as a piece that begins with all that came before. Pieces
that read in no such way, such as two different objects, are left as they came: together they are no JSON, so
that the call is refused and not run.
"""

from __future__ import annotations

import re
from typing import Literal

from bridge.models.agent.round_bounds import check_arguments, count_bytes
from bridge.models.agent.text_calls.json_object_end import JsonObjectEnd
from toolserver.json_types import load_first, load_json

_NULL = "null"
_EMPTY = ("", "{}", _NULL)
_MAX_HELD_CHARS = 64
"""Characters from which on even white space after `{` is told: some models write nothing else. Chosen."""

_MAX_EMPTY_CHARS = 4096
"""Characters of the longest arguments that are looked at for whether they say nothing. Chosen."""

_MAX_READINGS = 100
"""Objects after one another that are looked at for whether the last one is meant. Chosen."""

_BLANKS = re.compile(r"\s*")
_WITHOUT_BLANKS = dict.fromkeys(map(ord, " \t\r\n"))


class CallArguments:
    """The pieces of one call's arguments, and what of them can be told before the call has ended."""

    __slots__ = (
        *("_bytes", "_chars", "_earlier", "_end", "_is_telling", "_outer", "_pieces", "_state", "_told"),
        "longest",
    )

    def __init__(self) -> None:
        self._earlier: list[str] = []
        """Readings in whose place the present one came."""
        self._pieces: list[str] = []
        self._chars = 0
        self._bytes = 0
        """Of the pieces."""
        self.longest = 0
        """Characters of the longest reading so far."""
        self._end = JsonObjectEnd()
        self._outer: JsonObjectEnd | None = None
        """Of the object that all pieces are together, while it may still be that no reading was replaced."""
        self._state: Literal["nothing", "open", "whole", "other"] = "nothing"
        """`open`: an object that has not ended; `other`: no object, or something after it."""
        self._is_telling = False
        self._told = 0
        """Number of characters that have been told."""

    @property
    def is_whole(self) -> bool:
        """Whether the pieces are a complete object, or `null`."""
        return (self._state == "whole" and self._outer is None) or (
            self._state == "other" and self._chars <= _MAX_HELD_CHARS and self._present.strip() == _NULL
        )

    @property
    def is_blank(self) -> bool:
        """Whether nothing but white space has come."""
        return self._state == "nothing"

    @property
    def is_empty(self) -> bool:
        """Whether what has come, if anything, says that there are no arguments."""
        if self._chars > _MAX_EMPTY_CHARS:  # read anew for each fragment that may go on with it
            return self.is_blank
        return self.is_blank or (self.is_whole and says_nothing(self._present))

    def takes(self, piece: str) -> bool:
        """Return whether a piece fits after what has come: a complete object takes nothing more."""
        if not self.is_whole or self.is_empty or not piece.strip():
            return True
        return len(piece) == self._chars and piece == self._present

    def add_piece(self, piece: str) -> str:
        """Add a piece; returns what of the arguments is certain by now and has not been told.

        Raises:
            ModelError: they are too many bytes.
        """
        if "{" in piece and self._state != "nothing" and self._begins_anew(piece):
            self._earlier.append(self._present)
            self._pieces, self._chars, self._bytes = [], 0, 0
            if self._state == "open":
                self._outer = self._outer or self._end
            self._end, self._state = JsonObjectEnd(), "nothing"
            self._is_telling = False
        self._pieces.append(piece)
        self._chars += len(piece)
        self.longest = max(self.longest, self._chars)
        self._bytes += count_bytes(piece)
        check_arguments(self._bytes)
        if self._outer is not None and self._outer.find_end(piece, 0) is not None:
            self._outer = None
        self._look_for_end(piece)
        if self._is_telling:
            self._told += len(piece)
            return piece
        return self._begin_telling()

    def finish(self) -> tuple[str, str]:
        """Return the arguments, and the end of them that has not been told.

        Raises:
            ModelError: what came in their place more than once is too many bytes together.
        """
        arguments = self._read_once()
        check_arguments(count_bytes(arguments))
        return arguments, arguments[self._told :]

    @property
    def _present(self) -> str:
        return "".join(self._pieces)

    def _begins_anew(self, piece: str) -> bool:
        if self.is_whole:
            return piece.lstrip().startswith("{")
        return piece[0] == "{" and len(piece) >= self._chars and piece.startswith(self._present)

    def _look_for_end(self, piece: str) -> None:
        if self._state == "nothing":
            piece = piece.lstrip()
            self._state = "open" if piece[:1] == "{" else "other" if piece else "nothing"
        elif self._state == "whole" and piece.strip():
            self._state = "other"
        if self._state == "open" and (end := self._end.find_end(piece, 0)) is not None:
            self._state = "other" if piece[end:].strip() else "whole"
        if self._state == "other":
            self._is_telling = False

    def _begin_telling(self) -> str:
        """Return what has come, as soon as it is the beginning of an object that is not empty."""
        if self._earlier or self._told or self._state in ("nothing", "other"):
            return ""
        text = self._present
        if self._chars < _MAX_HELD_CHARS and not text.translate(_WITHOUT_BLANKS).strip("{}"):
            return ""
        self._is_telling, self._told = True, len(text)
        return text

    def _read_once(self) -> str:
        """Return the one reading of all that came; all of it where there is none, or more than one."""
        last = self._present
        everything = "".join((*self._earlier, last))
        if self._state != "other" and not self._earlier:
            return everything
        readings = (*self._earlier, last) if self._earlier else _split_objects(everything)
        if _is_object(everything) or not readings or not _is_object(readings[-1]):
            return everything
        last = readings[-1]
        fits = last.startswith(everything[: self._told])
        return last if fits and all(_gives_way(earlier, last) for earlier in readings) else everything


def _gives_way(earlier: str, last: str) -> bool:
    return says_nothing(earlier) or last.startswith(earlier.rstrip())


def says_nothing(text: str) -> bool:
    """Return whether arguments say that there are none: white space, an empty object, `null`."""
    return text.translate(_WITHOUT_BLANKS) in _EMPTY


def _is_object(text: str) -> bool:
    try:
        return isinstance(load_json(text), dict)
    except ValueError:
        return False


def _split_objects(text: str) -> tuple[str, ...]:
    """Return the JSON texts that follow one another in a text; none if it is anything else, or too many."""
    found, start = list[str](), 0
    try:
        while start < len(text):
            if len(found) == _MAX_READINGS:
                return ()
            _, end = load_first(text, start)
            found.append(text[start:end])
            blanks = _BLANKS.match(text, end)
            start = blanks.end() if blanks else end
    except ValueError:
        return ()
    return tuple(found)
