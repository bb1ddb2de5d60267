"""How answers of the model API are written: how they show calls, and how they mark their items.

A request, its caller's key and the bridge's settings may each set this; the first in this order wins.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

CallDisplay: TypeAlias = Literal["hidden", "details", "items"]
"""How an answer shows the calls that the bridge ran: not at all, as `<details type="tool_calls">` blocks in
its text, or as `function_call` and `function_call_output` items."""

CALL_DISPLAYS: tuple[CallDisplay, ...] = ("hidden", "details", "items")

MarkerForm: TypeAlias = Literal["off", "link", "zero_width"]
"""How an answer marks its items: not at all, as a line of Markdown, or by invisible characters."""

MARKER_FORMS: tuple[MarkerForm, ...] = ("off", "link", "zero_width")


def display_named(name: str | None) -> CallDisplay | None:
    """Return the display of that name, or None."""
    return next((display for display in CALL_DISPLAYS if display == name), None)


def form_named(name: str | None) -> MarkerForm | None:
    """Return the marker form of that name, or None."""
    return next((form for form in MARKER_FORMS if form == name), None)
