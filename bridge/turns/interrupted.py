"""Calls that were under way when a bridge was killed: what is known of them, in words for the model.

Receives the items that were kept of a response and what the journal says; gives an output for each call that
has none. A call is never run again here: the model is told what is known, and decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bridge.calls import CallState
from bridge.turns.items import Item, ModelCall, answered_call_id, model_call, output_item
from bridge.turns.turn import CallEnded


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """What the journal has of a call."""

    state: CallState
    http_status: int | None = None


def open_calls(items: Sequence[Item]) -> list[ModelCall]:
    """The function calls among the items that have no output, in order."""
    answered = {answered_call_id(item) for item in items}
    calls = (model_call(item) for item in items)
    return [call for call in calls if call is not None and call.call_id not in answered]


def interrupted(calls: Sequence[ModelCall], journal: Mapping[str, JournalEntry]) -> list[CallEnded]:
    """How the calls ended; `journal`: entries by `call_id`, of calls that it has."""
    return [_ended(call, journal.get(call.call_id)) for call in calls]


def _ended(call: ModelCall, entry: JournalEntry | None) -> CallEnded:
    return CallEnded(call, output_item(call.call_id, _text(entry)), has_succeeded=False)


def _text(entry: JournalEntry | None) -> str:
    """Every text says first that there is no answer, then what is known, then what to do."""
    if entry is None:
        return (
            "Interrupted: the bridge was restarted before this call had an answer. It was not begun, or it "
            "only reads. You may call it again."
        )
    match entry.state:
        case CallState.SUCCEEDED:
            status = f" (HTTP {entry.http_status})" if entry.http_status else ""
            return (
                f"Interrupted: this call was performed and succeeded{status}, but its answer was lost when "
                "the bridge was restarted. Do not repeat it if it changes something; read the present state "
                "instead."
            )
        case CallState.OUTCOME_UNKNOWN:
            return (
                "Interrupted: the bridge was restarted while this call was under way. It may or may not have "
                "been performed. Do not repeat it; find out by reading, or ask the user."
            )
        case CallState.DENIED:
            return "Interrupted: the user denied this call before the bridge was restarted. Nothing was sent."
        case CallState.FAILED if entry.http_status:
            return (
                f"Interrupted: the API answered this call with HTTP {entry.http_status}, and the answer was "
                "lost when the bridge was restarted."
            )
        case _:
            return (
                "Interrupted: this call had not been performed when the bridge was restarted. "
                "You may call it again."
            )
