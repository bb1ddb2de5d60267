"""How far a response in the background has come, as it is kept with it so that another process can go on."""

from __future__ import annotations

from dataclasses import dataclass, field

from toolserver.json_types import JsonObject, JsonValue, array_at, object_at


@dataclass(frozen=True, slots=True)
class Progress:
    """At the end of a round, or of its calls."""

    attempts: int = 0
    """Processes that have gone on with it, since one last stopped in order."""
    items: int = 0
    """`output_index` below which the items that were told are part of the response."""
    left_out: tuple[int, ...] = ()
    """Those below it that are not: their round was asked for again."""
    usage: JsonObject = field(default_factory=dict[str, JsonValue])
    """Of the rounds until then, with `turn_count`."""

    @property
    def rounds(self) -> int:
        """That have ended."""
        return _number(self.usage, "turn_count")

    def to_json(self) -> JsonObject:
        """What `progress_of` reads."""
        return {
            "attempts": self.attempts,
            "items": self.items,
            "left_out": [*self.left_out],
            "usage": self.usage,
        }


def progress_of(kept: JsonObject) -> Progress:
    """What `to_json` wrote."""
    return Progress(
        attempts=_number(kept, "attempts"),
        items=_number(kept, "items"),
        left_out=tuple(index for index in array_at(kept, "left_out") if isinstance(index, int)),
        usage=object_at(kept, "usage"),
    )


def _number(of: JsonObject, name: str) -> int:
    value = of.get(name)
    return value if isinstance(value, int) else 0
