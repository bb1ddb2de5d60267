"""How a caller reads an answer, and the port to what makes outlines of answers and runs queries."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

Outlines = Literal["never", "long", "early"]
"""Which JSON answers a caller reads as outlines: none; those that are longer than it reads; or all that are
longer than the bridge's setting for that (ruling 55)."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a caller reads of an answer."""

    max_bytes: int | None = None
    """Maximum bytes, where that is less than the bridge's own."""
    outlines: Outlines = "never"
    select: str = ""
    """A query that was checked; "" for the whole answer."""


WHOLE = Reading()

EARLY_OUTLINES = Reading(outlines="early")


@dataclass(frozen=True, slots=True)
class KeptText:
    """The text of an answer, in memory or in a file."""

    text: str = ""
    path: Path | None = None
    content_type: str = ""
    """"" where it is no longer known."""
    is_cut: bool = False
    """Whether it is known to be only the beginning of an answer."""


class Selected(NamedTuple):
    """What a query selects."""

    json: bytes
    complete: bool
    """False: it was asked of a part of the answer."""


class QueryRefused(Exception):
    """A query or an outline that was not made; the text is for models."""

    def __init__(self, reason: str, message: str) -> None:
        """`reason`: `not_json`, `query`, `too_long`, `too_slow` or `too_large`; part of the API."""
        super().__init__(message)
        self.reason = reason
        self.message = message


class AnswerQueries(Protocol):
    """Reads answers where they can do no harm."""

    async def outline_answer(self, kept: KeptText) -> Selected:
        """Return the outline of an answer.

        Raises:
            QueryRefused: it is not JSON, or needs too much memory or time.
        """
        ...

    async def select_from(self, kept: KeptText, expression: str, max_bytes: int) -> Selected:
        """Return what a query selects from an answer, at most `max_bytes` of JSON.

        Raises:
            QueryRefused: likewise; or the query does not fit the answer, or selects more.
        """
        ...
