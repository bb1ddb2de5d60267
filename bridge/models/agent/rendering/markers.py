"""Placement of item markers in an answer's text, where readers do not see them and no text is split.

A marker follows the item that it names. While a text is being written, all markers wait; inside a code block,
raw HTML or a formula, where a marker's line would be visible, it is written in invisible characters.
"""

from __future__ import annotations

import copy
from collections.abc import Hashable

from bridge.models.agent.rendering.markdown_code import CodeReader
from bridge.models.agent.rendering.raw_markup import RawReader
from bridge.models.stored_items.markers import link_marker, unseen_marker
from bridge.settings.answer_format import MarkerForm


class ChatMarkers:
    """Markers of one answer. What it returns is written as it is; all other text is given to `read_text`."""

    __slots__ = ("_code", "_end", "_form", "_is_after_line", "_open", "_raw", "_waiting")

    def __init__(self, form: MarkerForm) -> None:
        self._form = form
        self._waiting: list[str] = []
        self._open: Hashable = None
        """Place of the text that is being written; None between texts."""
        self._code = CodeReader()
        self._raw = RawReader()
        self._end = ""
        """Last two characters of the answer."""
        self._is_after_line = False

    def name_item(self, item_id: str) -> str:
        """Name an item; returns what must be written now."""
        if self._form == "off":
            return ""
        self._waiting.append(item_id)
        return "" if self._open is not None else self.flush_names()

    def text_at(self, place: Hashable) -> str:
        """Announce text of this place; returns what must be written before it."""
        written = self.flush_names() if self._open is not None and self._open != place else ""
        self._open = place
        return written

    def note_event(self, kind: str, place: Hashable) -> None:
        """Note an event of that type for this place; its text may be complete now."""
        if kind == "response.output_item.done" and self._open == place:
            self._open = None

    def flush_names(self) -> str:
        """Return all waiting markers, which must be written now."""
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
        """The line break between a marker's line and the next text; "" when no marker precedes."""
        return "\n" if self._is_after_line else ""

    def read_text(self, text: str) -> None:
        """Follow the text that is written."""
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
        """Return whether a line of Markdown would be visible here."""
        code = copy.copy(self._code)
        code.read_text(gap)
        raw = copy.copy(self._raw)
        raw.read_text(gap)
        return code.is_in_code or raw.is_open
