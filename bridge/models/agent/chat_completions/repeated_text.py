"""Texts of a chat stream whose deltas repeat all that came before: deltas in, what is new in them out. Pure.

The protocol says increments; some servers send "hell", "hello", "hello you" and mean "hello you". Real
increments may look the same for a moment ("ha", "haha"), so that the second delta decides nothing: while each
delta begins with the whole one before it and is longer, it is held back, until there is no doubt or the text
ends. Nearly all streams are known as increments from their second delta on, which then costs nothing. Belief
before the end cannot be taken back, so that it needs more than belief at the end, when all deltas are known.
"""

from __future__ import annotations

from typing import Literal

_SURE_CHARS, _SURE_TIMES = 8, 2
"""Characters of a text, and repetitions, from which on it is believed to repeat itself at its end. Chosen."""

_SURE_ONCE_CHARS = 16
"""Characters of a first delta that no later one repeats by chance, up to the end. Chosen."""

_SURE_EARLY_CHARS, _SURE_EARLY_TIMES = 32, 4
"""Of a text that goes on, such as lines that begin alike. Chosen."""


class RepeatedText:
    """Reads the deltas of one text."""

    __slots__ = ("_held", "_kind", "_new", "_text")

    def __init__(self) -> None:
        self._kind: Literal["unknown", "increments", "whole"] = "unknown"
        self._text = ""
        """All that was told, while the kind is unknown or `whole`."""
        self._held: list[str] = []
        """Deltas that may be increments."""
        self._new = 0
        """Number of held deltas whose end is not itself a repetition, as that of "haha" is."""

    @property
    def is_plain(self) -> bool:
        """Whether every further delta is an increment."""
        return self._kind == "increments"

    def read_delta(self, delta: str) -> str:
        """Return what can be told after a delta that is not empty."""
        if self._kind == "increments":
            return delta
        before = self._held[-1] if self._held else self._text
        if not before:
            self._text = delta
            return delta
        rest = delta[len(before) :] if delta.startswith(before) else None
        if self._kind == "whole" and rest is not None:
            self._text = delta
            return rest
        if rest is None or not (rest or self._held):
            return self.read_increment(delta)
        self._held.append(delta)
        self._new += rest not in before and before not in rest  # false of no rest: the last one once more
        is_sure = len(delta) > _SURE_EARLY_CHARS and self._new >= _SURE_EARLY_TIMES
        return self._told_whole() if is_sure else ""

    def read_increment(self, delta: str) -> str:
        """Return what can be told after a delta that repeats nothing."""
        self._kind = "increments"
        return f"{self._take_held()}{delta}"

    def finish_text(self) -> str:
        """Return what is held: something else follows, or nothing."""
        if not self._held:
            return ""
        least = _SURE_TIMES if len(self._text) < _SURE_ONCE_CHARS else 1
        is_sure = len(self._held[-1]) > _SURE_CHARS and self._new >= least
        return self._told_whole() if is_sure else self._take_held()

    def _told_whole(self) -> str:
        self._kind = "whole"
        text = self._held[-1]
        rest = text[len(self._text) :]
        self._text = text
        self._held.clear()
        return rest

    def _take_held(self) -> str:
        """Return the held deltas as increments."""
        held = "".join(self._held)
        self._held.clear()
        self._kind = "increments" if held else self._kind
        return held
