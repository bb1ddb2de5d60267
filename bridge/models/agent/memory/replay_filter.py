"""Selects the stored items that a model may be sent again: whole pairs, and only its own reasoning. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from bridge.models.agent.call_pairs import STUB_TYPES, match_pairs
from bridge.models.agent.items import SEARCH_CALL, answered_call_id, call_id_of, is_client_search
from bridge.models.agent.memory.replay import Replayed
from bridge.models.agent.tool_search import NAMESPACE
from toolserver.json_types import text_at

NEVER = frozenset({"image_generation_call", "web_search_call", "file_search_call"})
"""Calls that the provider ran by itself: the answer has the result, and the item refers to provider state."""

_ANY_MODELS = frozenset(
    {
        "message",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
    }
)
"""Types of items that other models understand, too."""

_PROVIDERS = frozenset({"id", "extra_content", NAMESPACE})
"""Members by which a provider recognizes its item; other providers refuse them."""


def without_searches(entries: Sequence[Replayed]) -> list[Replayed]:
    """Return what a model reads that does not search by itself: no stored search, and no namespace.

    Reasoning that led to a search goes with it, since providers want the item that followed.
    """
    backwards: list[Replayed] = []
    is_before_search = False
    for entry in reversed(entries):
        kind = entry.item.get("type")
        if entry.stored is None:
            backwards.append(entry)
        elif is_client_search(entry.item):
            is_before_search = kind == SEARCH_CALL
            continue
        elif not (is_before_search and kind == "reasoning"):
            backwards.append(_without_namespace(entry) if NAMESPACE in entry.item else entry)
        is_before_search = is_before_search and kind == "reasoning"
    return backwards[::-1]


def _without_namespace(entry: Replayed) -> Replayed:
    return replace(entry, item={name: value for name, value in entry.item.items() if name != NAMESPACE})


def select_replayable(
    entries: Sequence[Replayed], model: str, brought: Collection[str] = ()
) -> tuple[list[Replayed], int]:
    """Return the entries that may be sent to `model`, and how many lacked their call or output.

    `brought`: ids of calls that the caller sent itself, of which the stored ones take the place.
    """
    portable = [make_portable(entry, model) for entry in entries]
    halves = _halves(portable, brought)
    left = [None if place in halves else entry for place, entry in enumerate(portable)]
    return _without_loose_reasoning(entries, left), len(halves)


def make_portable(entry: Replayed, model: str) -> Replayed | None:
    """Return an entry in the form that a model accepts; None when it may not have it."""
    if entry.stored is None:
        return entry
    kind = text_at(entry.item, "type") or "message"
    if kind in NEVER:
        return None
    if entry.stored.model == model:
        return entry
    if kind not in _ANY_MODELS:
        return None
    members = {name: value for name, value in entry.item.items() if name not in _PROVIDERS}
    return replace(entry, item=members)


def _halves(entries: Sequence[Replayed | None], brought: Collection[str]) -> set[int]:
    """Return places of stored calls without an output, and of stored outputs without a call.

    A call at which its answer was interrupted is none, nor is one that the caller brought: the model is told
    that it made it.
    """
    pairs = match_pairs([entry.item if entry else None for entry in entries])
    unanswered = pairs.unanswered - _interrupted(entries)
    halves = pairs.superfluous.union(
        place for place in unanswered if (entry := entries[place]) and call_id_of(entry.item) not in brought
    )
    return {place for place in halves if _is_from_store(entries[place])}


def _interrupted(entries: Sequence[Replayed | None]) -> set[int]:
    """Return places of stored calls at which their answer ended, and of those that a caller brought.

    Only of types for which an output can be written.
    """
    found: set[int] = set()
    continued: set[str] = set()
    for place, entry in reversed(list(enumerate(entries))):
        if entry is None or entry.stored is None:
            continue
        answer = entry.stored.response_id
        is_last = entry.stored.side == "input" or answer not in continued
        if is_last and text_at(entry.item, "type") in STUB_TYPES:
            found.add(place)
        if not call_id_of(entry.item) and not answered_call_id(entry.item):
            continued.add(answer)
    return found


def _is_from_store(entry: Replayed | None) -> bool:
    return entry is not None and entry.stored is not None


def _without_loose_reasoning(entries: Sequence[Replayed], left: Sequence[Replayed | None]) -> list[Replayed]:
    """Drop reasoning that leads to no remaining item of its answer: providers refuse it."""
    backwards: list[Replayed] = []
    answer, leads_somewhere = "", False
    for entry, remains in zip(reversed(entries), reversed(left), strict=True):
        if entry.stored is None:
            backwards.append(entry)
            is_models = entry.item.get("role") == "assistant" or call_id_of(entry.item) != ""
            answer, leads_somewhere = "", is_models
            continue
        if entry.stored.response_id != answer:
            answer, leads_somewhere = entry.stored.response_id, leads_somewhere and not answer
        is_reasoning = entry.item.get("type") == "reasoning"
        if remains is None or (is_reasoning and not leads_somewhere):
            continue
        backwards.append(remains)
        leads_somewhere = leads_somewhere or not is_reasoning
    return backwards[::-1]
