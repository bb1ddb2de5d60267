"""Builds the argument schema of one tool, within its budget.

Receives the arguments of an operation with their schemas as the document has them; gives one flattened schema
as JSON. Every argument gets a node, however small the budget is. What does not fit is left out level by
level: first among the deepest nodes of all arguments, so that each stays usable.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import orjson

from toolserver.errors import quote_text
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at
from toolserver.openapi.document import schema_reference_of
from toolserver.schema.cut import free_form
from toolserver.schema.flatten import Flattening
from toolserver.schema.hints import clean_text
from toolserver.schema.steps import TooSlow
from toolserver.schema.write import (
    NO_WORDING,
    NOTHING_ABOVE,
    Above,
    Flat,
    SchemaScope,
    TooLarge,
    Wording,
    name_of,
)

_BARE_STEPS = 2_000
"""Maximum work for the types of a tool's arguments."""

_NO_TEXT = 2
_NAMED_CHARS = 200
_NO_ITEMS = -1
"""The lowest number of levels: even the items of an array are left out."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Maximum size of one tool's schema; with the defaults, 99 % of real operations stay complete."""

    nodes: int = 400
    depth: int = 8
    """Maximum levels of objects and alternatives below the root."""
    json_bytes: int = 200_000
    """Size from which texts and value lists are shortened; the largest of a measured 5,797 has 122 KB."""
    steps: int = 1_000_000
    """Maximum work for it (see `schema.steps`), about a second; the largest of 5,900 real ones takes
    2,300."""


class ArgumentSource(NamedTuple):
    """One argument before flattening."""

    argument: str
    schema: JsonValue
    wording: Wording = NO_WORDING
    required: bool = False
    above: Above = NOTHING_ABOVE
    lasting: bool = False
    """Whether other tools use the same argument: then its flattened schema is cached by identity."""


class ToolSchema(NamedTuple):
    """The schema of all arguments of a tool."""

    schema_json: bytes
    """`{"type": "object", "properties": …, "required": […]}`, compact, and nothing else at the root (other
    keywords get lost on the way); valid JSON Schema 2020-12 without references."""
    warnings: tuple[str, ...]


class _Growth:
    """Arguments whose schemas are extended level by level."""

    def __init__(self, flats: list[Flat]) -> None:
        self.flats = flats
        self.levels = [_NO_ITEMS] * len(flats)
        self.nodes = sum(flat.nodes for flat in flats)

    def cut(self) -> list[int]:
        """Indexes of arguments that have more to describe."""
        return [index for index, flat in enumerate(self.flats) if flat.cut]

    def take(self, grown: Mapping[int, Flat], level: int) -> None:
        """Replaces these arguments' schemas by those with `level` levels."""
        for index, flat in grown.items():
            self.nodes += flat.nodes - self.flats[index].nodes
            self.flats[index], self.levels[index] = flat, level


class ArgumentSchemas:
    """Builds the argument schemas of one document's operations."""

    def __init__(self, flattening: Flattening, budget: Budget) -> None:
        """`flattening` must have the budget's nodes as its limit."""
        self._flattening = flattening
        self._budget = budget
        self._steps = flattening.steps
        self._all_levels = SchemaScope(budget.depth - 1)
        self._cache: dict[int, tuple[ArgumentSource, Flat]] = {}
        """Lasting sources with their complete schemas, by identity of the source."""

    def build_schema(self, sources: Sequence[ArgumentSource], *, bare: str = "") -> ToolSchema:
        """The schema for these arguments. Work and size are bounded by the budget.

        `bare`: why only the types of the arguments are told; "": everything is.
        """
        if self._flattening.trim_cache():
            self._cache.clear()
        described = None
        if not bare:
            try:
                with self._steps.allow(self._budget.steps):
                    described = self._describe(sources)
            except TooSlow:
                bare = self._about_slow(sources)
        flats = described or self._write_bare(sources)
        properties = b",".join(
            [_key(source.argument) + flat.json for source, flat in zip(sources, flats, strict=True)]
        )
        required = orjson.dumps([source.argument for source in sources if source.required])
        schema_json = b'{"type":"object","properties":{' + properties + b'},"required":' + required + b"}"
        warnings = _warnings(sources, flats)
        if bare:
            warnings = [f"{bare} Only the types of its arguments are told.", *warnings]
        return ToolSchema(schema_json, tuple(warnings))

    def _describe(self, sources: Sequence[ArgumentSource]) -> list[Flat]:
        flats = self._write_complete(sources)
        if flats is None or sum(len(flat.json) for flat in flats) > self._budget.json_bytes:
            return self._in_bytes(sources, self._grown(sources))
        return flats

    def _write_bare(self, sources: Sequence[ArgumentSource]) -> list[Flat]:
        """The types of all arguments, or any value where reading even that takes too much work."""
        end = self._steps.taken + _BARE_STEPS
        flats: list[Flat] = []
        for source in sources:
            try:
                with self._steps.allow(end - self._steps.taken):
                    flats.append(self._flat(source, _NO_ITEMS, _NO_TEXT))
            except TooSlow:
                flats.append(self._flat(source._replace(schema={}), _NO_ITEMS, _NO_TEXT))
        return flats

    def _about_slow(self, sources: Sequence[ArgumentSource]) -> str:
        named = dict.fromkeys(name_of(ref) for each in sources if (ref := schema_reference_of(each.schema)))
        schemas = f" ({clean_text(', '.join(map(quote_text, named)), _NAMED_CHARS)})" if named else ""
        return f"Its schema{schemas} takes more than {self._budget.steps:,} steps to describe."

    def _write_complete(self, sources: Sequence[ArgumentSource]) -> list[Flat] | None:
        """The complete schemas with every level; None when that is too much, which is rare."""
        flats: list[Flat] = []
        nodes = 0
        for source in sources:
            try:
                flat = self._all_of(source)
            except TooLarge:
                return None
            nodes += flat.nodes
            if nodes > self._budget.nodes:
                return None
            flats.append(flat)
        return flats

    def _all_of(self, source: ArgumentSource) -> Flat:
        cached = self._cache.get(id(source)) if source.lasting else None
        if cached is not None:
            return cached[1]
        above = source.above
        scope = self._all_levels if above is NOTHING_ABOVE else SchemaScope(self._budget.depth - 1, above)
        flat = self._flattening.flatten_schema(source.schema, scope, source.wording)
        if source.lasting:
            self._cache[id(source)] = source, flat
        return flat

    def _grown(self, sources: Sequence[ArgumentSource]) -> _Growth:
        """As many levels for all arguments as fit, then more for single ones in their order."""
        most = self._budget.depth - 1
        growth = _Growth([self._flat(source, _NO_ITEMS) for source in sources])
        level = _NO_ITEMS
        while (short := growth.cut()) and level < most and self._grow(growth, sources, short, level + 1):
            level += 1
        for index in short:
            more = level
            while growth.flats[index].cut and more < most:
                more += 1
                if not self._grow(growth, sources, [index], more):
                    break
        return growth

    def _grow(
        self, growth: _Growth, sources: Sequence[ArgumentSource], indexes: Iterable[int], level: int
    ) -> bool:
        """Extends these arguments to `level` levels; returns whether they all fit."""
        grown: dict[int, Flat] = {}
        nodes = growth.nodes
        for index in indexes:
            nodes -= growth.flats[index].nodes
            flat = self._fitting(sources[index], level, self._budget.nodes - nodes)
            if flat is None:
                return False
            nodes += flat.nodes
            grown[index] = flat
        growth.take(grown, level)
        return True

    def _fitting(self, source: ArgumentSource, levels: int, most: int) -> Flat | None:
        try:
            flat = self._flat(source, levels, most=most)
        except TooLarge:
            return None
        return flat if flat.nodes <= most else None

    def _flat(self, source: ArgumentSource, levels: int, terse: int = 0, most: int | None = None) -> Flat:
        return self._flattening.flatten_schema(
            source.schema, SchemaScope(levels, source.above, terse), source.wording, most
        )

    def _in_bytes(self, sources: Sequence[ArgumentSource], growth: _Growth) -> list[Flat]:
        flats = growth.flats
        for terse in (1, 2):
            total = sum(len(flat.json) for flat in flats)
            if total <= self._budget.json_bytes:
                break
            share = self._budget.json_bytes // (2 * len(flats))
            flats = [
                self._shortened(source, allowed, terse) if len(flat.json) > share else flat
                for source, allowed, flat in zip(sources, growth.levels, flats, strict=True)
            ]
        return flats

    def _shortened(self, source: ArgumentSource, levels: int, terse: int) -> Flat:
        flat = self._flat(source, levels, terse)
        how = "left out" if terse == _NO_TEXT else "shortened"
        warning = ("", f"texts and value lists are {how} (size)")
        return flat._replace(warnings=(warning, *flat.warnings))


def name_arguments(plan_json: bytes) -> bytes:
    """The schema of an operation of which nothing is known but its plan: its arguments, each any value."""
    plan: JsonObject = orjson.loads(plan_json)
    body = object_at(plan, "body")
    parameters = array_at(plan, "parameters")
    properties = array_at(body, "properties")
    entries = [entry for entry in (*parameters, *properties, body) if isinstance(entry, dict)]
    names = {text_at(entry, "argument"): entry for entry in entries if "argument" in entry}
    required = [name for name, entry in names.items() if entry.get("required")]
    forms = dict.fromkeys(names, free_form())
    return orjson.dumps({"type": "object", "properties": forms, "required": required})


@lru_cache(maxsize=10_000)
def _key(name: str) -> bytes:
    return orjson.dumps(name) + b":"


def _warnings(sources: Sequence[ArgumentSource], flats: Sequence[Flat]) -> Iterable[str]:
    for source, flat in zip(sources, flats, strict=True):
        for place, text in flat.warnings:
            yield f"{source.argument}{place}: {text}"
