"""Detects, as a stream comes, which parts of a Markdown text are code: fenced blocks and inline spans.

Reads from left to right, a piece at a time: whether a position is code follows from the text before it alone,
so that a stream can be judged as it comes. Two things differ from CommonMark 0.31 for that reason: a code
span ends with its line at the latest, and backticks without a partner make the rest of their line code. A
fence may be indented or quoted.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(r"`+|~+|\n|[^`~\n]+")
_INDENT = re.compile(r"[ \t>]*")
_FENCE = 3
"""Minimum number of backticks or tildes that make a fence."""


class CodeReader:
    """Follows a text and knows whether its next character, if neither backtick nor tilde, is in code."""

    __slots__ = ("_edge", "_fence", "_is_line_empty", "_sign", "_signs", "_span")

    def __init__(self) -> None:
        self._fence = ""
        """Characters that opened the fenced block; "" outside of one."""
        self._edge = ""
        """Fence on this line, which opens or closes a block at the end of the line unless something spoils
        it."""
        self._span = 0
        """Number of backticks that opened the span; 0: none is open."""
        self._is_line_empty = True
        """Whether this line has nothing but its indentation so far."""
        self._sign = ""
        self._signs = 0
        """Length of the current run of `_sign` characters, which may still grow."""

    def read_text(self, text: str) -> None:
        """Read more of the text, which may be split anywhere."""
        for token in _TOKEN.findall(text):
            if token[0] in "`~":
                if token[0] != self._sign:
                    self._end_run()
                self._sign = token[0]
                self._signs += len(token)
                continue
            self._end_run()
            if token == "\n":
                self._end_line()
            else:
                self._read_words(token)

    @property
    def is_in_code(self) -> bool:
        """Whether the next character is code. Ends a run of backticks or tildes."""
        self._end_run()
        return bool(self._fence or self._edge or self._span)

    def _read_words(self, words: str) -> None:
        if self._fence and not words.isspace():
            self._edge = ""  # text after the fence: this line closes nothing
        if not _INDENT.fullmatch(words):
            self._is_line_empty = False

    def _end_run(self) -> None:
        run, self._sign, self._signs = self._sign * self._signs, "", 0
        if not run:
            return
        may_be_fence = self._is_line_empty and len(run) >= _FENCE
        self._is_line_empty = False
        if self._fence:
            closes = may_be_fence and run[0] == self._fence[0] and len(run) >= len(self._fence)
            self._edge = run if closes else ""
        elif may_be_fence:
            self._edge = run
        elif run[0] == "`":
            self._read_ticks(run)

    def _read_ticks(self, run: str) -> None:
        if self._edge.startswith("~"):
            return
        if self._edge:  # a line with more backticks is no fence but a span
            self._span, self._edge = len(self._edge), ""
        if self._span == 0:
            self._span = len(run)
        elif self._span == len(run):
            self._span = 0

    def _end_line(self) -> None:
        if self._edge:
            self._fence = "" if self._fence else self._edge
        self._edge, self._span, self._is_line_empty = "", 0, True
