"""Rebuilds a chat's messages for a model, with stored items in place of the markers that name them. Pure.

A message of the model is replayed verbatim where the chat still has its text; an edited text is sent as it is
now, once, in the same place. Everything else that was stored is replayed as it was, in its order, except what
must not be: halves of a pair, another model's reasoning, old outputs in full.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from bridge.models.agent.call_pairs import match_pairs
from bridge.models.agent.items import Item, answered_call_id, call_id_of, message_item, message_text
from bridge.models.agent.rendering.call_details import image_paragraph, without_details
from bridge.models.stored_items.items import NOTICE_TYPE, OWN_TYPES, StoredItem
from bridge.models.stored_items.markers import Mark, may_have_markers, parse_text, strip_markers
from bridge.models.stored_items.zero_width import remove_signs
from toolserver.json_types import JsonObject, JsonValue, array_at, text_at

_TEXTS = ("input_text", "output_text", "text")


@dataclass(frozen=True, slots=True)
class Replayed:
    """One item on its way to a model, and its origin."""

    item: Item
    stored: StoredItem | None = None
    """Stored record that the item comes from; None: the caller sent it."""


def marker_ids(items: Iterable[Item], most: int) -> list[str]:
    """Return the ids that the assistant's texts name, without duplicates: the last `most` of them."""
    ids: dict[str, None] = {}
    for item in reversed(list(items)):
        for text in reversed(_texts(item) if _is_assistants(item) else []):
            for token in reversed(parse_text(text)):
                if isinstance(token, Mark):
                    ids.update(dict.fromkeys(reversed(token.ids)))
    return list(ids)[:most]


def insert_replayed(
    items: Sequence[Item], found: Mapping[str, StoredItem], closings: Mapping[str, StoredItem]
) -> list[Replayed]:
    """Replace markers with the items that they name; `found`: stored items by id.

    `closings`: outputs that no marker names, by the id of the call's item, which they follow.
    """
    reader = _Reader(found, closings)
    return [entry for item in items for entry in reader.read(item)]


def brought_calls(entries: Iterable[Replayed]) -> frozenset[str]:
    """Return the ids of calls that the caller itself sends."""
    return frozenset(call_id for entry in entries if not entry.stored and (call_id := call_id_of(entry.item)))


def drop_copies(entries: Sequence[Replayed]) -> list[Replayed]:
    """Drop the caller's copies of stored calls, and of outputs that are stored together with their calls."""
    stored = [entry.item if entry.stored else None for entry in entries]
    calls = {call_id for item in stored if item and (call_id := call_id_of(item))}
    pairs = {call_id_of(entries[place].item) for place in match_pairs(stored).output_of}
    return [
        entry
        for entry in entries
        if entry.stored or (call_id_of(entry.item) not in calls and answered_call_id(entry.item) not in pairs)
    ]


def without_markers(item: Item) -> Item | None:
    """Return an item without markers in its texts; None when nothing of the assistant's message is left."""
    if item.get("type", "message") != "message" or not any(map(may_have_markers, _texts(item))):
        return item
    content = item.get("content")
    if isinstance(content, str):
        bare: JsonValue = strip_markers(content)
    else:
        parts = [_bare_part(part) for part in array_at(item, "content")]
        bare = [part for part in parts if not _is_assistants(item) or not _is_blank(part)]
    return {**item, "content": bare} if bare or not _is_assistants(item) else None


@dataclass(slots=True)
class _Slot:
    """A place in an assistant's message, which an item of an answer may take."""

    entry: Replayed
    answer: str
    position: tuple[bool, int]
    """Whether the item is output, not input; and its position among those."""


@dataclass(slots=True)
class _Message:
    """One message of the assistant, as far as it is read."""

    slots: list[_Slot] = field(default_factory=list[_Slot])
    pieces: list[str] = field(default_factory=list[str])
    """Text that no marker of a stored item has followed yet; unknown markers are part of it."""
    named: list[StoredItem] = field(default_factory=list[StoredItem])
    """Items named by the markers since that text."""

    def add_entry(self, entry: Replayed, stored: StoredItem | None = None) -> None:
        """Give the next place to an entry; `stored` tells its position in its answer."""
        answer = stored.response_id if stored else ""
        position = (stored.side == "output", stored.position) if stored else (False, 0)
        self.slots.append(_Slot(entry, answer, position))

    def entries(self) -> list[Replayed]:
        """Return each answer's items in the order in which the model had them, not in the markers'."""
        places: dict[str, list[int]] = {}
        for place, slot in enumerate(self.slots):
            if slot.answer:
                places.setdefault(slot.answer, []).append(place)
        ordered = [slot.entry for slot in self.slots]
        for mine in places.values():
            by_position = sorted(mine, key=lambda place: self.slots[place].position)
            for place, other in zip(mine, by_position, strict=True):
                ordered[place] = self.slots[other].entry
        return ordered


class _Reader:
    """Reads the items of one request. What is named twice is replayed once."""

    def __init__(self, found: Mapping[str, StoredItem], closings: Mapping[str, StoredItem]) -> None:
        self._found = found
        self._closings = closings
        self._used: set[str] = set()

    def read(self, item: Item) -> list[Replayed]:
        """Return the entries that replace one item."""
        if not _is_assistants(item) or not any(map(may_have_markers, _texts(item))):
            bare = without_markers(item)
            return [Replayed(bare)] if bare is not None else []
        message = _Message()
        rest: list[JsonValue] = []
        for part in _parts(item):
            text = _text_of(part)
            if text is None:
                rest.append(part)
                continue
            for token in parse_text(text):
                self._take(message, token)
        _settle(message)
        entries = message.entries()
        return [*entries, *_refused(rest, entries)]

    def _take(self, message: _Message, token: str | Mark) -> None:
        if isinstance(token, str):
            if message.named and token.strip():
                _settle(message)
            message.pieces.append(token)
        elif named := list(self._named(token)):
            message.named += named
        else:
            message.pieces.append(token.text)

    def _named(self, mark: Mark) -> Iterator[StoredItem]:
        for item_id in mark.ids:
            if item_id in self._found and item_id not in self._used:
                self._used.add(item_id)
                yield self._found[item_id]
                if item_id in self._closings:
                    yield self._closings[item_id]


def _settle(message: _Message) -> None:
    """Decide what to replay for a text and the items named after it."""
    named, displayed = message.named, _displayed_texts(message.named)
    before, text = _split(message.pieces, displayed)
    message.pieces, message.named = [], []
    for words in (before, "" if displayed else text):
        if words:
            message.add_entry(Replayed(message_item("assistant", words)))
    unchanged = _unchanged(text, displayed)
    if unchanged is not None:
        text = ""  # replayed by those items
    for stored in named:
        if stored.id in displayed and stored.id not in (unchanged or ()):
            if text:
                message.add_entry(Replayed(message_item("assistant", text)), stored)
            text = ""  # sent already, or deleted by the user
        elif stored.payload.get("type") not in OWN_TYPES:
            message.add_entry(Replayed(stored.payload, stored), stored)


def _split(pieces: Sequence[str], displayed: Mapping[str, str]) -> tuple[str, str]:
    """Split the visible text in two: what precedes, and what may be the text of the items named after it.

    Where markers in it name nothing that is stored, only the text after them may be.
    """
    full_text = _plain("".join(pieces))
    if len(pieces) > 1 and displayed and _unchanged(full_text, displayed) is None:
        last = max((place for place, piece in enumerate(pieces) if _plain(piece)), default=0)
        if _unchanged(_plain(pieces[last]), displayed) is not None:
            return _plain("".join(pieces[:last])), _plain(pieces[last])
    return "", full_text


def _displayed_texts(named: Sequence[StoredItem]) -> dict[str, str]:
    """Return the texts of the items that a chat shows as text, by id."""
    return {stored.id: text for stored in named if (text := _display_text(stored.payload))}


def _unchanged(text: str, displayed: Mapping[str, str]) -> set[str] | None:
    """Return the ids of the texts that this one consists of, in sequence; the others were deleted.

    None: it contains other words. White space between texts does not count, and neither do invisible
    characters anywhere: between a text and the markers beside it nobody could tell whose they are.
    """
    place, text = 0, remove_signs(text)
    found: set[str] = set()
    for item_id, shown in displayed.items():
        each = remove_signs(shown).strip()
        while place < len(text) and text[place].isspace():
            place += 1
        if text.startswith(each, place):
            place += len(each)
            found.add(item_id)
    return None if text[place:].strip() else found


def _display_text(item: Item) -> str:
    """Return the text by which a chat shows an item, as it comes back; "" when it shows none."""
    match item.get("type", "message"):
        case "message":
            text = message_text(item)
        case "image_generation_call":
            text = image_paragraph(item)
        case kind if kind == NOTICE_TYPE:
            text = text_at(item, "text")
        case _:
            text = ""
    return _plain(without_details(text))


def _refused(parts: Sequence[JsonValue], entries: Sequence[Replayed]) -> list[Replayed]:
    """Return non-text parts of a message, without refusals that a stored message already has."""
    said = {text_at(part, "refusal") for entry in entries for part in _objects(entry.item)}
    rest = [part for part in parts if not isinstance(part, dict) or text_at(part, "refusal") not in said]
    return [Replayed({"type": "message", "role": "assistant", "content": rest})] if rest else []


def _is_assistants(item: Item) -> bool:
    return item.get("role") == "assistant" and item.get("type", "message") == "message"


def _parts(item: Item) -> list[JsonValue]:
    content = item.get("content")
    return (
        [{"type": "output_text", "text": content}] if isinstance(content, str) else array_at(item, "content")
    )


def _objects(item: Item) -> list[JsonObject]:
    return [part for part in array_at(item, "content") if isinstance(part, dict)]


def _text_of(part: JsonValue) -> str | None:
    """Return the text of a text part; None for any other part."""
    if not isinstance(part, dict) or part.get("type") not in _TEXTS:
        return None
    text = part.get("text")
    return text if isinstance(text, str) else None


def _texts(item: Item) -> list[str]:
    return [text for part in _parts(item) if (text := _text_of(part)) is not None]


def _bare_part(part: JsonValue) -> JsonValue:
    text = _text_of(part)
    if text is None or not may_have_markers(text):
        return part
    return {**cast("JsonObject", part), "text": strip_markers(text)}


def _is_blank(part: JsonValue) -> bool:
    text = _text_of(part)
    return text is not None and not text.strip()


def _plain(text: str) -> str:
    """Normalize a text for comparison."""
    return strip_markers(text).replace("\r\n", "\n").strip()
