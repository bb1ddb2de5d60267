"""Joins characters that a provider splits between two deltas: surrogate pairs of the upper Unicode planes.

JSON may write an emoji as two escaped surrogates, and some providers put one into each delta. Half a pair has
no UTF-8 form, so that the event could not be encoded. See https://www.rfc-editor.org/rfc/rfc8259#section-8.2
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import cast

import orjson

from toolserver.json_types import JsonObject

_HALF = re.compile("[\ud800-\udfff]")
_FIRST_HALF = re.compile("[\ud800-\udbff]\\Z")
_PLACES = ("type", "item_id", "content_index", "summary_index")


class SurrogateJoiner:
    """Joins the halves in one round's events."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held: dict[tuple[str, ...], str] = {}

    def join_pairs(self, events: Iterable[JsonObject]) -> Iterator[JsonObject]:
        """Yield the events with whole characters, without those that held only half of one.

        A half at the end of a delta waits for the next one of the same text. Halves that never meet their
        other half become U+FFFD, or are lost where the delta was the last one.
        """
        for event in events:
            joined = self.join_pair(event)
            if joined is not None:
                yield joined

    def join_pair(self, body: JsonObject) -> JsonObject | None:
        """Return one event as `join_pairs` does; None if it held only half of a character."""
        delta = body.get("delta")
        if not isinstance(delta, str):
            return _with_whole_characters(body)
        if not self._held and _HALF.search(delta) is None:
            return body
        place = tuple(str(body.get(name)) for name in _PLACES)
        text = self._held.pop(place, "") + delta
        if _FIRST_HALF.search(text):
            self._held[place] = text[-1]
            text = text[:-1]
        return {**body, "delta": _paired(text)} if text else None


def _with_whole_characters(body: JsonObject) -> JsonObject:
    try:
        orjson.dumps(body)
    except TypeError:  # also raised for integers beyond 64 bits, which are left unchanged
        return cast(JsonObject, json.loads(_paired(json.dumps(body, ensure_ascii=False))))
    return body


def _paired(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
