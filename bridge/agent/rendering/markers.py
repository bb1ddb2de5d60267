"""Where the markers of an answer stand in its text, so that no reader sees them and each text stays whole.

A marker follows what it names. While a text is being written its own and all others wait; within a block of
code, raw HTML or a formula, where a line would be seen as it is, it is written in characters that are not.
"""

from __future__ import annotations

import copy
from collections.abc import Hashable

from bridge.agent.rendering.markdown_code import CodeReader
from bridge.agent.rendering.raw_markup import RawReader
from bridge.settings.answer_format import MarkerForm
from bridge.stored_items.markers import link_marker, unseen_marker


class ChatMarkers:
    """The markers of one answer. What it gives is written as it is; everything else is told to `read`."""

    def __init__(self, form: MarkerForm) -> None:
        self._form = form
        self._waiting: list[str] = []
        self._open: Hashable = None
        """The place of the text that is being written."""
        self._code = CodeReader()
        self._raw = RawReader()
        self._end = ""
        """The last two characters of the answer."""
        self._is_after_line = False

    def name_item(self, item_id: str) -> str:
        """An item is named; gives what is to be written now."""
        if self._form == "off":
            return ""
        self._waiting.append(item_id)
        return "" if self._open is not None else self.flush_names()

    def text_at(self, place: Hashable) -> str:
        """Text of this place follows; gives what is to be written before it."""
        written = self.flush_names() if self._open is not None and self._open != place else ""
        self._open = place
        return written

    def note_event(self, kind: str, place: Hashable) -> None:
        """An event of that type came for this place; its text may be whole now."""
        if kind == "response.output_item.done" and self._open == place:
            self._open = None

    def flush_names(self) -> str:
        """All that waits."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return ""
        gap = self._gap()
        if is_line := self._form == "link" and not self._is_shown_after(gap):
            written = gap + "".join(f"{link_marker(item_id)}\n" for item_id in waiting)
        else:
            written = "".join(map(unseen_marker, waiting))
        self.read_text(written)
        self._is_after_line = is_line
        return written

    @property
    def separator(self) -> str:
        """What sets the next text apart from a marker's line; "" when there is none before it."""
        return "\n" if self._is_after_line else ""

    def read_text(self, text: str) -> None:
        """Follow what is written."""
        if self._form != "off":
            self._code.read_text(text)
            self._raw.read_text(text)
            self._end = (self._end + text[-2:])[-2:]
            self._is_after_line = False

    def _gap(self) -> str:
        if self._is_after_line or not self._end or self._end == "\n\n":
            return ""
        return "\n" if self._end.endswith("\n") else "\n\n"

    def _is_shown_after(self, gap: str) -> bool:
        """Whether a line of Markdown would be seen here."""
        code = copy.copy(self._code)
        code.read_text(gap)
        raw = copy.copy(self._raw)
        raw.read_text(gap)
        return code.is_in_code or raw.is_open
