"""A model's answer in which the user presses Stop, and what had come of it by then."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bridge.models.agent.items import Item, message_item
from bridge.models.stored_items.markers import strip_markers
from tests.support.models.turn_harness import Step, ending, item_events
from toolserver.json_types import JsonObject, object_at, text_at

DELTA, DONE = "response.output_text.delta", "response.output_item.done"


@dataclass
class StoppedScript:
    """Rounds for a `ScriptedModel`, which hang at one place; `reached` is set there."""

    rounds: Sequence[Sequence[Item]]
    stop: int | None
    """Which of all places, before each event and amid the calls, counted round and round; None: nowhere."""
    reached: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.events = [_events(items) for items in self.rounds]
        self.calls_run = 0
        places = [
            (number, at)
            for number, events in enumerate(self.events)
            for at in range(len(events) + self._has_calls(number))
        ]
        self.place = None if self.stop is None else places[self.stop % len(places)]

    @property
    def steps(self) -> Sequence[Sequence[Step]]:
        """The rounds, as a model plays them."""
        rounds: list[list[Step]] = [[*events] for events in self.events]
        if self.place is not None:
            number, at = self.place
            rounds[number].insert(at, self._hang)
        return rounds

    async def during_calls(self) -> None:
        """Called while the calls of a round run."""
        number, self.calls_run = self.calls_run, self.calls_run + 1
        if self.place == (number, len(self.events[number])):
            await self._hang()

    @property
    def items_until_stop(self) -> list[Item]:
        """What of the round in which it hangs is whole, and at the end the text that is not."""
        assert self.place is not None
        number, at = self.place
        items: list[Item] = []
        text = ""
        for event in self.events[number][:at]:
            if event["type"] == DELTA:
                text += text_at(event, "delta")
            elif event["type"] == DONE:
                items.append(object_at(event, "item"))
                text = ""
        return [*items, message_item("assistant", shown_text(text))] if shown_text(text) else items

    def _has_calls(self, number: int) -> bool:
        return any(item["type"] == "function_call" for item in self.rounds[number])

    async def _hang(self) -> None:
        self.reached.set()
        await asyncio.Event().wait()


def shown_text(text: str) -> str:
    """A text as its reader has it."""
    return strip_markers(text).replace("\r\n", "\n").strip()


def _events(items: Sequence[Item]) -> list[JsonObject]:
    """A whole round; each text comes in two halves."""
    told = [event for place, item in enumerate(items) for event in item_events(item, place)]
    return [*(half for event in told for half in _halves(event)), ending(*items)]


def _halves(event: JsonObject) -> Iterable[JsonObject]:
    if event["type"] != DELTA:
        return [event]
    text = text_at(event, "delta")
    middle = len(text) // 2
    return [{**event, "delta": part} for part in (text[:middle], text[middle:])]
