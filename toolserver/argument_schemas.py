"""The argument schema of one tool, within its budget.

Receives the arguments of an operation with their schemas as the document has them; gives one flattened schema
as JSON. Every argument gets a node however small the budget is. What does not fit is left out level by level:
first among the deepest nodes of all arguments, so that each stays usable.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import orjson

from toolserver.json_types import JsonValue
from toolserver.schema_flattening import Flattening
from toolserver.schema_writing import NO_WORDS, NOTHING_ABOVE, Above, Flat, Scope, TooLarge, Wording

_NO_TEXT = 2
_NO_ITEMS = -1
"""The fewest levels: even the items of an array are left out."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How large the schema of one tool may become; the defaults leave 99 % of real operations whole."""

    nodes: int = 400
    depth: int = 8
    """Levels of objects and alternatives below the root."""
    json_bytes: int = 200_000
    """Size at which texts and value lists are shortened; the largest of a measured 5,797 has 122 KB."""


class ArgumentSource(NamedTuple):
    """One argument before flattening."""

    argument: str
    schema: JsonValue
    wording: Wording = NO_WORDS
    required: bool = False
    above: Above = NOTHING_ABOVE


class ToolSchema(NamedTuple):
    """The schema of all arguments of a tool."""

    schema_json: bytes
    """`{"type": "object", "properties": …, "required": […]}`, compact, and nothing else at the root (other
    keywords get lost on the way); valid JSON Schema 2020-12 without references."""
    warnings: tuple[str, ...]


class ArgumentSchemas:
    """Makes the argument schemas of one document's operations."""

    def __init__(self, flattening: Flattening, budget: Budget) -> None:
        """`flattening` has the budget's nodes as its limit."""
        self._flattening = flattening
        self._budget = budget

    def schema(self, sources: Sequence[ArgumentSource], *, bare: bool = False) -> ToolSchema:
        """The schema for these arguments. Time and size are bounded by the budget.

        `bare`: types of arguments and nothing else.
        """
        self._flattening.trim()
        if bare:
            flats = [self._flat(source, _NO_ITEMS, _NO_TEXT) for source in sources]
        else:
            flats = self._whole(sources)
            if flats is None or sum(len(flat.json) for flat in flats) > self._budget.json_bytes:
                flats = self._in_bytes(sources, self._levels(sources))
        properties = b",".join(
            [
                orjson.dumps(source.argument) + b":" + flat.json
                for source, flat in zip(sources, flats, strict=True)
            ]
        )
        required = orjson.dumps([source.argument for source in sources if source.required])
        schema_json = b'{"type":"object","properties":{' + properties + b'},"required":' + required + b"}"
        return ToolSchema(schema_json, tuple(_warnings(sources, flats)))

    def _whole(self, sources: Sequence[ArgumentSource]) -> list[Flat] | None:
        """With every level that a schema may have; None when that is too much, which is rare."""
        flats: list[Flat] = []
        nodes = 0
        for source in sources:
            try:
                flat = self._flat(source, self._budget.depth - 1)
            except TooLarge:
                return None
            nodes += flat.nodes
            if nodes > self._budget.nodes:
                return None
            flats.append(flat)
        return flats

    def _levels(self, sources: Sequence[ArgumentSource]) -> list[int]:
        """Levels for each argument: as many for all as fit, then more for single ones in their order."""
        most = self._budget.depth - 1
        fitting = _NO_ITEMS
        while fitting < most and self._nodes(sources, [fitting + 1] * len(sources)) <= self._budget.nodes:
            fitting += 1
        levels = [fitting] * len(sources)
        spent = [self._count(source, fitting) for source in sources]
        for index, source in enumerate(sources):
            for more in range(fitting + 1, most + 1):
                nodes = self._count(source, more)
                if sum(spent) - spent[index] + nodes > self._budget.nodes:
                    break
                levels[index], spent[index] = more, nodes
        return levels

    def _nodes(self, sources: Iterable[ArgumentSource], levels: Iterable[int]) -> int:
        total = 0
        for source, allowed in zip(sources, levels, strict=True):
            total += self._count(source, allowed)
            if total > self._budget.nodes:
                break
        return total

    def _count(self, source: ArgumentSource, levels: int) -> int:
        try:
            return self._flat(source, levels).nodes
        except TooLarge:
            return self._budget.nodes + 1

    def _flat(self, source: ArgumentSource, levels: int, terse: int = 0) -> Flat:
        return self._flattening.flatten(source.schema, Scope(levels, source.above, terse), source.wording)

    def _in_bytes(self, sources: Sequence[ArgumentSource], levels: Sequence[int]) -> list[Flat]:
        flats = [self._flat(source, allowed) for source, allowed in zip(sources, levels, strict=True)]
        for terse in (1, 2):
            total = sum(len(flat.json) for flat in flats)
            if total <= self._budget.json_bytes:
                break
            share = self._budget.json_bytes // (2 * len(flats))
            flats = [
                self._shortened(source, allowed, terse) if len(flat.json) > share else flat
                for source, allowed, flat in zip(sources, levels, flats, strict=True)
            ]
        return flats

    def _shortened(self, source: ArgumentSource, levels: int, terse: int) -> Flat:
        flat = self._flat(source, levels, terse)
        how = "left out" if terse == _NO_TEXT else "shortened"
        warning = ("", f"texts and value lists are {how} (size)")
        return flat._replace(warnings=(warning, *flat.warnings))


def _warnings(sources: Sequence[ArgumentSource], flats: Sequence[Flat]) -> Iterable[str]:
    for source, flat in zip(sources, flats, strict=True):
        for place, text in flat.warnings:
            yield f"{source.argument}{place}: {text}"
