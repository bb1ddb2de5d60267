"""Pruning of a long chat before it is sent to a model again: expired reasoning goes, old outputs are cut.

A turn here is a message of the user and all that follows it, up to the next message of the user. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bridge.models.agent.items import Item
from bridge.models.agent.memory.replay import Replayed
from bridge.settings.chat.memory import ReasoningMemory
from toolserver.json_types import JsonObject, JsonValue, text_at

MIN_PRUNED_CHARS = 800
"""Minimum characters of an output that is cut; shorter ones stay whole."""

HEAD_CHARS, TAIL_CHARS = 256, 128
"""Characters left of a longer output, at its beginning and its end."""

_OUTPUTS = ("function_call_output", "custom_tool_call_output")


def with_reasoning(entries: Sequence[Replayed], memory: ReasoningMemory) -> list[Replayed]:
    """Remove stored reasoning that has expired.

    `next_reply`: reasoning is replayed until the answer after its own has come.
    """
    if memory == "conversation":
        return list(entries)
    turns = _turns(entries)
    answered = [turn for turn, entry in zip(turns, entries, strict=True) if not _is_users(entry.item)]
    latest = max(answered, default=0) if memory == "next_reply" else len(entries) + 1
    return [
        entry
        for turn, entry in zip(turns, entries, strict=True)
        if entry.stored is None or entry.item.get("type") != "reasoning" or turn >= latest
    ]


def find_deletable(entries: Sequence[Replayed], memory: ReasoningMemory) -> list[str]:
    """Return the ids of stored reasoning that nothing will need again: the answer after its own has come."""
    if memory != "next_reply":
        return []
    left = {entry.stored.id for entry in with_reasoning(entries, memory) if entry.stored}
    return [entry.stored.id for entry in entries if entry.stored and entry.stored.id not in left]


def prune_outputs(entries: Sequence[Replayed], most_turns: int) -> list[Replayed]:
    """Cut stored outputs that are older than `most_turns` turns; 0: keep all of them whole."""
    turns = _turns(entries)
    first_uncut = (max(turns, default=0) + 1 - most_turns) if most_turns else 0
    return [
        replace(entry, item=_pruned(entry.item, most_turns))
        if turn < first_uncut and entry.stored and entry.item.get("type") in _OUTPUTS
        else entry
        for turn, entry in zip(turns, entries, strict=True)
    ]


def pruned_text(text: str, most_turns: int) -> str:
    """Return beginning and end of a long text, and how much is missing between them."""
    if len(text) < MIN_PRUNED_CHARS:
        return text
    head = text[:HEAD_CHARS].rstrip()
    tail = text[-TAIL_CHARS:].lstrip()
    removed = len(text) - len(head) - len(tail)
    note = f"[tool output pruned: removed {removed} chars, older than {_age(most_turns)}]"
    return "\n".join(part for part in (head, "...", note, "...", tail) if part)


def _turns(entries: Sequence[Replayed]) -> list[int]:
    """Return the turn of each entry, from 0. Consecutive messages of the user start one turn."""
    turns: list[int] = []
    turn, was_users = 0, True
    for entry in entries:
        is_users = _is_users(entry.item)
        if is_users and not was_users:
            turn += 1
        was_users = is_users
        turns.append(turn)
    return turns


def _is_users(item: Item) -> bool:
    """Return whether an item is a message of the user or guidance for the model, not part of an answer."""
    return item.get("type", "message") == "message" and item.get("role") != "assistant"


def _pruned(item: Item, most_turns: int) -> Item:
    output = item.get("output")
    if isinstance(output, str):
        return {**item, "output": pruned_text(output, most_turns)}
    if not isinstance(output, list):
        return item
    parts: list[JsonValue] = [
        _pruned_part(part, most_turns) if isinstance(part, dict) else part for part in output
    ]
    return {**item, "output": parts}


def _pruned_part(part: JsonObject, most_turns: int) -> JsonObject:
    """Cut a text part; replace an image or a file with a note."""
    kind = text_at(part, "type")
    if kind == "input_text":
        return {**part, "text": pruned_text(text_at(part, "text"), most_turns)}
    return {"type": "input_text", "text": f"[{kind} pruned, older than {_age(most_turns)}]"}


def _age(turns: int) -> str:
    return "1 turn" if turns == 1 else f"{turns} turns"
