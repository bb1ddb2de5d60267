"""Selects the stored items that a model may be sent again: whole pairs, and only its own reasoning. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bridge.agent.items import answered_call_id, call_id_of
from bridge.agent.memory.replay import Replayed
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

_PROVIDERS = frozenset({"id", "extra_content"})
"""Members by which a provider recognizes its item; other providers refuse them."""


def select_replayable(entries: Sequence[Replayed], model: str) -> tuple[list[Replayed], int]:
    """Return the entries that may be sent to `model`, and how many lacked their call or output."""
    portable = [make_portable(entry, model) for entry in entries]
    halves = _halves(portable)
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


def _halves(entries: Sequence[Replayed | None]) -> set[int]:
    """Return places of stored calls without a later output, and stored outputs without an earlier call."""
    called: dict[str, int] = {}
    """Places of calls, by id."""
    answered: set[str] = set()
    halves: set[int] = set()
    for place, entry in enumerate(entries):
        if entry is None:
            continue
        if call_id := call_id_of(entry.item):
            called[call_id] = place
        elif answers := answered_call_id(entry.item):
            if answers in called:
                answered.add(answers)
            elif entry.stored:
                halves.add(place)
    unanswered = (place for call_id, place in called.items() if call_id not in answered)
    return halves.union(place for place in unanswered if _is_from_store(entries[place]))


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
