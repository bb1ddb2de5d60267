"""Flattens the schemas of one document: without references and composition, finite, each built once.

Receives schemas that contain references; gives `Flat`s. The target of a reference is flattened once and
reused wherever it appears: the result depends on the levels left for it, and on the schemas above only as far
as they are on the same cycle. A schema is described until it would contain itself, and at most four schemas
of one cycle deep; beyond that it becomes a described free-form value, with a warning.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

from toolserver.json_types import JsonObject, JsonValue, dump_json, trim_bytes
from toolserver.openapi.document import schema_reference_of
from toolserver.schema.alternatives import Tag
from toolserver.schema.cycles import ReferenceCycles
from toolserver.schema.fit import fit_tag
from toolserver.schema.read import ShapeReader
from toolserver.schema.shape import Shape
from toolserver.schema.steps import Steps
from toolserver.schema.write import (
    NO_WORDING,
    NOTHING_ABOVE,
    Above,
    Flat,
    NodeWriter,
    Reached,
    SchemaScope,
    TooLarge,
    Wording,
    name_of,
)

MAX_REPEATS = 3
"""Maximum number of nested nodes that one schema may be part of before it counts as circular."""

MAX_CIRCULAR = 4
"""Maximum number of schemas of one cycle described inside each other. More would explain little and cost
much, because everything below depends on all of them."""

CACHE_BYTES = 64 * 1024 * 1024
"""Maximum bytes of JSON and readings in the cache; beyond that all of it is dropped and built again."""

_READING_BYTES = 1_000
"""Bytes that one reading counts as."""

_Key = tuple[object, ...]

_ANYWHERE = ()
_SCALARS = frozenset(("string", "integer", "number", "boolean"))
_MERGES = frozenset(("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf"))


class _Reading(NamedTuple):
    """The reading of one schema, the same wherever the same of its references are above it."""

    schema: JsonValue
    """Referenced here so that no other schema gets its identity, which is part of cache keys."""
    shape: Shape
    merged: list[str]
    """Circular references that are merged into it."""
    entered: list[str]
    """Circular references that stand for it as a whole."""
    repeats: frozenset[str]
    """Those of its references that were above it when it was read."""


class Flattening:
    """Flattens the schemas of one document, and caches the results."""

    def __init__(
        self,
        resolve: Callable[[str], JsonValue],
        *,
        max_nodes: int,
        steps: Steps | None = None,
        references_count: bool = False,
        may_fix: bool = False,
    ) -> None:
        """`resolve` gives the node of a reference or raises `ReferenceFailed`.

        `max_nodes`: maximum number of nodes in one schema. `steps` counts the work. `references_count` and
        `may_fix`: see `ShapeReader`.
        """
        self.reader = ShapeReader(resolve, steps, references_count=references_count, may_fix=may_fix)
        self.steps = self.reader.steps
        self.max_nodes = max_nodes
        self._circles = ReferenceCycles(resolve, subtypes=self.reader.subtypes.references_below)
        self._forget()

    def flatten_schema(
        self, schema: JsonValue, scope: SchemaScope, wording: Wording = NO_WORDING, most: int | None = None
    ) -> Flat:
        """Flattens the schema of one argument.

        `most`: the nodes that there is room for, if fewer than `max_nodes`: no more are written in vain.

        Raises:
            TooLarge: more nodes than that; not always where a schema is known from before.
            TooSlow: more work than is allowed.
        """
        self._writer.max_nodes = self.max_nodes if most is None else min(most, self.max_nodes)
        if not isinstance(schema, dict):
            return self._write(schema, scope, wording)
        if _is_plain(schema):
            return self._plain(schema, scope, wording)
        key = (_identity(schema), scope.above, scope.terse, scope.in_array, wording)
        return self._cached(key, scope.levels, partial(self._write, schema, scope, wording))

    def above_properties(self, schema: JsonValue, shape: Shape) -> Above:
        """The circular references above the properties of a body whose properties are separate arguments."""
        entered = frozenset(self._circular(self.reader.entry_refs(schema)))
        merged = self._circular(shape.refs)
        return Above(tuple(sorted(merged)), entered, entered) if merged or entered else NOTHING_ABOVE

    def _forget(self) -> None:
        self._writer = NodeWriter(self.reader, self._below, self._branch, self.max_nodes)
        self._complete: dict[_Key, Flat] = {}
        self._cut: dict[tuple[_Key, int], Flat] = {}
        self._too_large: dict[_Key, int] = {}
        self._plains: dict[tuple[bytes, int, Wording, tuple[bool, ...]], Flat] = {}
        self._within: dict[tuple[Above, int], Above] = {}
        self._readings: dict[_Key, list[_Reading]] = {}
        self._joined: dict[tuple[int, int], JsonObject] = {}
        self._cached_bytes = 0

    def _cached(self, key: _Key, levels: int, make: Callable[[], Flat], *, even_cut: bool = True) -> Flat:
        """Returns the cached result or builds it; without `even_cut`, cut results are not cached.

        A cut result of a schema that occurs in a single place would not be needed again.
        """
        cached = self._complete.get(key)
        if cached is not None and cached.height <= levels:
            return cached
        cached = self._cut.get((key, levels))
        if cached is not None:
            return cached
        least = self._too_large.get(key)
        if least is not None and levels >= least:
            raise TooLarge
        try:
            flat = make()
        except TooLarge:
            if self._writer.max_nodes == self.max_nodes:
                self._too_large[key] = levels
            raise
        if not flat.cut:
            self._complete[key] = flat
        elif even_cut:
            self._cut[key, levels] = flat
        self._cached_bytes += len(flat.json)
        return flat

    def trim_cache(self) -> bool:
        """Drops the cache if it is too large; returns whether it was. Not to be called during flattening."""
        is_much = self._cached_bytes > CACHE_BYTES
        if is_much:
            self._forget()
        return is_much

    def _plain(self, schema: JsonObject, scope: SchemaScope, wording: Wording) -> Flat:
        """A scalar or an array of scalars. Documents repeat these inline, so the cache goes by their text."""
        text = dump_json(schema)
        place = _ANYWHERE if schema["type"] != "array" else (scope.levels < 0, scope.in_array)
        flat = self._plains.get((text, scope.terse, wording, place))
        if flat is None:
            scope = SchemaScope(scope.levels, terse=scope.terse, in_array=scope.in_array)
            flat = self._writer.write_node(
                Reached(self.reader.read_shape(schema), scope, wording, NOTHING_ABOVE)
            )
            self._plains[trim_bytes(text), scope.terse, wording, place] = flat
            self._cached_bytes += len(text) + len(flat.json)
        return flat

    def _below(self, schema: JsonValue, scope: SchemaScope, tag: Tag | None = None) -> Flat:
        if not isinstance(schema, dict):
            return self._write(schema, scope, NO_WORDING)
        if _is_plain(schema):
            return self._plain(schema, scope, NO_WORDING)
        ref = schema_reference_of(schema)
        if ref is None or len(schema) > 1:
            key = (id(schema), scope.above, scope.terse, scope.in_array, tag)
            make = partial(self._write, schema, scope, NO_WORDING, tag=tag)
            return self._cached(key, scope.levels, make, even_cut=False)
        above = self._above_of(ref, scope.above)
        scope = SchemaScope(scope.levels, above, scope.terse, scope.in_array)
        key = (ref, above, scope.terse, scope.in_array, tag)
        return self._cached(key, scope.levels, partial(self._write, schema, scope, NO_WORDING, tag=tag))

    def _above_of(self, ref: str, above: Above) -> Above:
        """The circular references above that `ref` can lead back to."""
        if above is NOTHING_ABOVE:
            return above
        number = self._circles.number_of(ref)
        if number is None:
            return NOTHING_ABOVE
        if (above, number) not in self._within:
            merged = tuple(each for each in above.merged if self._circles.number_of(each) == number)
            entered = frozenset(each for each in above.entered if self._circles.number_of(each) == number)
            within = Above(merged, entered, above.body & entered)
            self._within[above, number] = within if merged or entered else NOTHING_ABOVE
        return self._within[above, number]

    def _circular(self, refs: Iterable[str]) -> list[str]:
        return [ref for ref in refs if self._circles.number_of(ref) is not None]

    def _branch(self, base: JsonObject, branch: JsonValue, tag: Tag | None, scope: SchemaScope) -> Flat:
        if not base:
            return self._below(branch, scope, tag)
        key = (id(base), id(branch))
        joined = self._joined.get(key)
        if joined is None:  # it references both, so that nothing else gets their identities
            joined = self._joined[key] = {"allOf": [base, branch]}
        return self._write(joined, scope, NO_WORDING, only_branch=branch, tag=tag)

    def _write(
        self,
        schema: JsonValue,
        scope: SchemaScope,
        wording: Wording,
        only_branch: JsonValue = None,
        tag: Tag | None = None,
    ) -> Flat:
        """Writes a schema; `alone` is the schema without the part that alternatives share."""
        above = scope.above
        self.steps.take(1)
        _, shape, merged, entered, _ = self._read(schema, above, only_branch, tag)
        if not merged:
            return self._writer.write_node(Reached(shape, scope, wording, above))
        inner = Above(tuple(sorted((*above.merged, *merged))), above.entered.union(entered), above.body)
        ended = self._close(Reached(shape, scope, wording, inner), merged, entered)
        return ended or self._writer.write_node(Reached(shape, scope, wording, inner, frozenset(entered)))

    def _read(self, schema: JsonValue, above: Above, only_branch: JsonValue, tag: Tag | None) -> _Reading:
        """Reads a schema once, for all numbers of levels and for every bare reference to it.

        What is above it counts only as far as the schema refers to it (see `ShapeReader.read_shape`), so that
        entries into one circle share its readings.
        """
        readings = self._readings.setdefault((_identity(schema), tag), [])
        for reading in readings:
            if reading.repeats == _repeats(reading.shape, above):
                return reading
        shape = self.reader.read_shape(schema, above.merged)
        repeats = _repeats(shape, above)
        if tag is not None:
            self._fix(shape, tag)
        merged = self._circular(shape.refs) if shape.refs else []
        itself = schema if only_branch is None else only_branch
        entered = self._circular(self.reader.entry_refs(itself)) if merged else []
        readings.append(_Reading(schema, shape, merged, entered, repeats))
        self._cached_bytes += _READING_BYTES
        return readings[-1]

    def _fix(self, shape: Shape, tag: Tag) -> None:
        """Requires a discriminator's property in a branch that has it, and limits it to the branch's values.

        The branch's own values stay, unless they are those of all branches.
        """
        own = shape.properties.get(tag.name)
        if own is None or shape.alternatives or shape.types != ("object",):
            return
        if not tag.optional and tag.name not in shape.required:
            shape.required += (tag.name,)
        allowed, problems = fit_tag(tag, self.reader.read_shape(own))
        shape.problems += problems
        if allowed is not None:
            shape.properties = {**shape.properties, tag.name: {"allOf": [own, allowed]}}

    def _close(self, node: Reached, merged: list[str], entered: list[str]) -> Flat | None:
        """Writes the end of a cycle, or the point where its description stops; None if neither is reached."""
        above = node.scope.above
        for ref in sorted(entered):
            if ref in above.entered:
                form = "the whole body" if ref in above.body else f"`{name_of(ref)}`"
                closes = "" if ref in above.body else ref
                reason = f"circular reference to {name_of(ref)}"
                return self._writer.write_cut(node, reason, f"Same form as {form}.", closes)
        repeated = [ref for ref in merged if above.merged.count(ref) >= MAX_REPEATS]
        if repeated:
            reason = f"`{name_of(repeated[0])}` is part of {MAX_REPEATS} schemas above it"
            return self._writer.write_cut(node, reason)
        if entered and len(above.entered) >= MAX_CIRCULAR:
            reason = f"`{name_of(entered[0])}` is below {MAX_CIRCULAR} schemas that lead to each other"
            return self._writer.write_cut(node, reason)
        return None


def _repeats(shape: Shape, above: Above) -> frozenset[str]:
    return frozenset([ref for ref in shape.refs if ref in above.merged]) if above.merged else frozenset()


def _identity(schema: JsonValue) -> str | int:
    """A key that is equal for bare references to one schema."""
    ref = schema.get("$ref") if isinstance(schema, dict) and len(schema) == 1 else None
    return ref if isinstance(ref, str) else id(schema)


def _is_plain(schema: JsonObject) -> bool:
    """Whether the schema is a scalar or an array of scalars, regardless of the schemas above it.

    One in which a value is written unusually says more than its JSON, which is the key of the cache.
    """
    if type(schema) is not dict or not _MERGES.isdisjoint(schema):
        return False
    name = schema.get("type")
    if name == "array":
        items = schema.get("items")
        if type(items) is not dict or not _MERGES.isdisjoint(items):
            return False
        name = items.get("type")
    return isinstance(name, str) and name in _SCALARS
