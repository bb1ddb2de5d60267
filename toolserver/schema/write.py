"""Writes one node of a flattened schema: from a shape to JSON that survives every reader of tools.

Receives a shape and a way to flatten the schemas below it; gives a `Flat`. Each node has explicit types or an
`anyOf`, arrays have items, constraints appear as keywords and as words at the end of the description. The
form was measured against both converters of Open WebUI 0.12.4; `tests/contract` checks the two invariants.
Knows nothing of references.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import NamedTuple, TypeAlias

import orjson

from toolserver.errors import quote_text
from toolserver.json_types import JsonObject, JsonValue, dump_json, trim_bytes
from toolserver.schema.alternatives import Tag, tag_of
from toolserver.schema.cut import cut_form, declared_properties, free_form, list_keys
from toolserver.schema.hints import MAY_BE_NULL, clean_text, describe_constraints, join_sentences
from toolserver.schema.keywords import ANNOTATIONS, keywords_for, unique_values, writable_bounds
from toolserver.schema.pattern import MAX_PATTERN_CHARS, portable_pattern, stands_between_slashes
from toolserver.schema.read import ShapeReader
from toolserver.schema.shape import Shape

MAX_WARNINGS = 21
"""Maximum warnings per schema: one more than readers are shown, who learn so that there are more."""

_COMPOSITE = ("object", "array")
_NO_TEXT = 2
_SHORT_CHARS = 120
_SHORT_ENUM_BYTES = 400


_CutKey: TypeAlias = "tuple[int, int, Wording, str, str]"
"""The identity of a shape, how terse its texts are, their wording, the reason and what it closes."""


class TooLarge(Exception):
    """A schema has more nodes than a tool may have."""


class Above(NamedTuple):
    """The circular references above a node, which it may meet again."""

    merged: tuple[str, ...] = ()
    """References merged into the schemas above, one entry per level, sorted."""
    entered: frozenset[str] = frozenset()
    """References that stand for a whole schema above; meeting one again closes a cycle."""
    body: frozenset[str] = frozenset()
    """The part of `entered` that stands for the whole body, whose properties are arguments."""


NOTHING_ABOVE = Above()


class SchemaScope(NamedTuple):
    """How much of a schema is described, and what is above it."""

    levels: int
    """Levels of objects and alternatives still allowed; below 0, the items of arrays are left out, too."""
    above: Above = NOTHING_ABOVE
    terse: int = 0
    """1: texts and lists of values are shortened; 2: they are left out."""
    in_array: bool = False


class Wording(NamedTuple):
    """Texts for one use of a schema."""

    description: str = ""
    """Replaces the schema's own description if not empty."""
    notes: tuple[str, ...] = ()
    """Sentences for the end of the description."""


NO_WORDING = Wording()


class Flat(NamedTuple):
    """One flattened schema."""

    json: bytes
    nodes: int
    height: int
    """Levels of objects and alternatives."""
    cut: bool
    """Whether more levels would have described more."""
    closes: frozenset[str] = frozenset()
    """References above it that it meets again."""
    warnings: tuple[tuple[str, str], ...] = ()
    """Pairs of a location relative to the schema and a text."""


class Reached(NamedTuple):
    """A node that is about to be written."""

    shape: Shape
    scope: SchemaScope
    wording: Wording
    inner: Above
    """Circular references above its children."""
    called: frozenset[str] = frozenset()
    """Circular references that stand for the node as a whole."""


FREE_FORM_BRANCHES = free_form()["anyOf"]


@dataclass(slots=True)
class _Draft:
    """Collects the results of the nodes below."""

    max_nodes: int
    nodes: int = 1
    height: int = 0
    cut: bool = False
    closes: frozenset[str] = frozenset()
    warnings: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def expect(self, children: int) -> None:
        """Counts children ahead, one node each, so that what is too large is noticed soon."""
        self.nodes += children
        if self.nodes > self.max_nodes:
            raise TooLarge

    def take(self, step: str, child: Flat, deeper: int = 1) -> orjson.Fragment:
        """Counts an expected child in, and returns its JSON; `step` leads to it, such as ".name"."""
        written, nodes, height, cut, closes, warnings = child
        self.nodes += nodes - 1
        if self.nodes > self.max_nodes:
            raise TooLarge
        self.height = max(self.height, height + deeper)
        if cut:
            self.cut = True
        if closes:
            self.closes |= closes
        if warnings and len(self.warnings) < MAX_WARNINGS:
            self.warnings += [(step + place, text) for place, text in warnings]
        return orjson.Fragment(written)


class NodeWriter:
    """Writes the nodes of one document's schemas."""

    def __init__(
        self,
        reader: ShapeReader,
        below: Callable[[JsonValue, SchemaScope], Flat],
        branch: Callable[[JsonObject, JsonValue, Tag | None, SchemaScope], Flat],
        max_nodes: int,
    ) -> None:
        """The functions flatten what is below a node.

        `below` flattens a schema; `branch` one of several alternatives, from the part that they share, its
        own part and what a discriminator says about it.
        """
        self._reader = reader
        self._below = below
        self._branch = branch
        self.max_nodes = max_nodes
        self._cuts: dict[_CutKey, tuple[Shape, Flat]] = {}
        """Each with its shape, so that nothing else gets its identity."""

    def write_node(self, node: Reached) -> Flat:
        """Writes the node with everything below it.

        Raises:
            TooLarge: more than `max_nodes`.
        """
        shape = node.shape
        types = shape.types
        if shape.alternatives:
            return self._write_alternatives(node)
        if types is None:
            return self._write_untyped(node)
        if len(types) > 1 and any(name in _COMPOSITE for name in types):
            return self._write_types(node, types)
        if types == ("object",):
            return self._write_object(node)
        if types == ("array",):
            return self._write_array(node)
        return self._write_scalar(node, types)

    def write_cut(self, node: Reached, reason: str = "", same_form: str = "", closes: str = "") -> Flat:
        """Writes a value of the right type without describing its inside, and says so.

        `reason`: why no number of levels would describe more; "" when more levels would. `same_form`: the
        sentence that names the form it repeats.
        """
        # Without the levels: a cut looks the same at each of them.
        key = (id(node.shape), node.scope.terse, node.wording, reason, closes)
        known = self._cuts.get(key)
        if known is None:
            known = self._cuts[key] = node.shape, self._new_cut(node, reason, same_form, closes)
        return known[1]

    def _new_cut(self, node: Reached, reason: str, same_form: str, closes: str) -> Flat:
        shape = node.shape
        draft = self._draft(node)
        draft.cut = not reason
        with_keys = node.scope.terse < _NO_TEXT
        form = cut_form(self._reader, shape, node.inner.merged, with_keys=with_keys)
        left = "only the keys that it needs are told" if "required" in form else "any value is accepted there"
        draft.warnings.append(("", f"{reason or 'too large or too deep to describe'}; {left}"))
        draft.closes = frozenset((closes,)) if closes else frozenset()
        text = same_form or join_sentences(list_keys(shape), "Not described further here.")
        return _finish(node, draft, form | _annotations(shape), {}, text)

    def _draft(self, node: Reached) -> _Draft:
        problems = node.shape.problems
        return _Draft(self.max_nodes, warnings=[("", problem) for problem in problems] if problems else [])

    def _write_untyped(self, node: Reached) -> Flat:
        shape = node.shape
        if shape.only_null:
            # Not `null` alone, which some readers of tools take for no type at all.
            only: JsonObject = {"type": ["string", "null"], "enum": [None]}
            return _finish(node, self._draft(node), only, {}, "Must be null.")
        text = "" if node.wording.description or shape.description else "Free-form value."
        return _finish(node, self._draft(node), free_form() | _annotations(shape), {}, text)

    def _write_scalar(self, node: Reached, types: tuple[str, ...]) -> Flat:
        shape = node.shape
        names: list[JsonValue] = [*types, "null"] if shape.nullable else [*types]
        plain: JsonObject = {"type": names[0] if len(names) == 1 else names}
        if shape.keywords:
            plain |= keywords_for(types, shape.keywords)
        if shape.enum:
            plain["enum"] = unique_values([*shape.enum, *([None] if shape.nullable else [])])
        return _finish(node, self._draft(node), plain, {})

    def _write_object(self, node: Reached) -> Flat:
        shape, scope = node.shape, node.scope
        additional = shape.additional_schema()
        properties = declared_properties(shape, additional)
        if scope.levels <= 0 and (properties or shape.patterns or isinstance(additional, dict)):
            return self.write_cut(node)
        draft = self._draft(node)
        plain: JsonObject = {"type": "object"} | keywords_for(("object",), shape.keywords)
        if shape.enum:
            plain["enum"] = shape.enum
        if shape.needs and (needs := shape.needed_names()):
            plain["dependentRequired"] = needs
        if len(shape.patterns or ()) >= self.max_nodes:  # before each pattern is looked at
            raise TooLarge
        parts = self._members(node, draft, properties, additional)
        if required := [name for name in shape.required_names() if name in properties]:
            parts["required"] = required
        return _finish(node, draft, plain, parts, self._further_keys(node, bool(properties), additional))

    def _members(
        self, node: Reached, draft: _Draft, properties: JsonObject, additional: JsonValue
    ) -> dict[str, object]:
        shape, scope = node.shape, node.scope
        below = SchemaScope(scope.levels - 1, node.inner, scope.terse)
        draft.expect(len(properties))
        parts: dict[str, object] = {
            "properties": {
                name: draft.take(f".{name}", self._below(schema, below))
                for name, schema in properties.items()
            }
        }
        patterns = _portable_keys(shape)
        if patterns:
            draft.expect(sum(schema is not False for schema in patterns.values()))
            parts["patternProperties"] = {
                pattern: schema is not False and draft.take(f".{pattern}", self._below(schema, below))
                for pattern, schema in patterns.items()
            }
        if shape.key_schema is not None:
            # Keys are strings, and each node states its types, also where the document leaves that out.
            names: JsonObject = {"allOf": [shape.key_schema, {"type": "string"}]}
            draft.expect(1)
            parts["propertyNames"] = draft.take(".*", self._below(names, below))
        if told := [f".{key}" for key in shape.patterns or () if portable_pattern(key) is None]:
            draft.warnings += [
                (key, "not every reader can compile the pattern; any value is accepted there") for key in told
            ]
            return parts  # a key that is not described may be one of a pattern that is only told
        if additional is False:
            parts["additionalProperties"] = False
        elif isinstance(additional, dict):
            draft.expect(1)
            parts["additionalProperties"] = draft.take(".*", self._below(additional, below))
        return parts

    def _further_keys(self, node: Reached, has_names: bool, additional: JsonValue) -> str:
        if additional is False:
            return (
                "No other keys." if len(_portable_keys(node.shape)) < len(node.shape.patterns or ()) else ""
            )
        if (has_names or node.shape.patterns) and additional is None:
            return ""
        value = "any value"
        if isinstance(additional, dict):
            inner = self._reader.read_shape(additional, node.inner.merged)
            value = "each value: " + (" or ".join(inner.types) if inner.types else "any")
        if has_names:
            return f"Further keys are allowed; {value}."
        return f"Map: any keys; {value}."

    def _write_array(self, node: Reached) -> Flat:
        shape, scope = node.shape, node.scope
        items, text = self._tuple(shape) if shape.prefix_items else (shape.items, "")
        plain: JsonObject = {"type": "array"} | keywords_for(("array",), shape.keywords)
        if shape.enum:
            plain["enum"] = shape.enum
        if not isinstance(items, dict) or not items:
            plain["items"] = free_form()
            return _finish(node, self._draft(node), plain, {}, text)
        if scope.levels < 0:
            return self.write_cut(node)
        draft = self._draft(node)
        # Only an array within an array costs a level: a list of objects is as deep as one of them.
        deeper = int(scope.in_array)
        below = SchemaScope(scope.levels - deeper, node.inner, scope.terse, in_array=True)
        draft.expect(1)
        described = draft.take("[]", self._below(items, below), deeper)
        return _finish(node, draft, plain, {"items": described}, text)

    def _tuple(self, shape: Shape) -> tuple[JsonValue, str]:
        """A schema for any item of a tuple, and a text about each of them."""
        prefix, further_items, most = shape.prefix_items or [], shape.items, shape.keywords.get("maxItems")
        text = f"Items in order: {', '.join(self._type_text(item) for item in prefix)}."
        forms = [*prefix]
        if not isinstance(most, int) or most > len(prefix):
            forms.append(further_items if isinstance(further_items, dict) else {})
            text += f" Further items: {self._type_text(further_items)}."
        distinct = unique_values([form for form in forms if form is not False])
        return distinct[0] if len(distinct) == 1 else JsonObject(anyOf=distinct), text

    def _type_text(self, schema: JsonValue) -> str:
        return " or ".join(self._reader.read_shape(schema).types or ("any",))

    def _write_types(self, node: Reached, types: tuple[str, ...]) -> Flat:
        """Writes several types, including objects or arrays: one branch each, scalars in one."""
        base = node.shape.as_schema
        scalars: list[JsonValue] = [name for name in types if name not in _COMPOSITE]
        branches: list[JsonValue] = [{**base, "type": scalars}] if scalars else []
        branches += [{**base, "type": name} for name in types if name in _COMPOSITE]
        return self._write_branches(node, branches, {})

    def _write_alternatives(self, node: Reached) -> Flat:
        shape = node.shape
        branches = shape.alternatives[0].branches
        tags = [tag_of(branch, shape.discriminator) for branch in branches] if shape.discriminator else []
        return self._write_branches(node, branches, shape.as_schema, tags)

    def _write_branches(
        self, node: Reached, branches: list[JsonValue], base: JsonObject, tags: Sequence[Tag | None] = ()
    ) -> Flat:
        scope = node.scope
        if scope.levels <= 0:
            return self.write_cut(node)
        draft = self._draft(node)
        draft.expect(len(branches))
        below = SchemaScope(scope.levels - 1, node.inner, scope.terse)
        forms = [
            draft.take(f"({number})", self._branch(base, branch, tag, below))
            for number, (branch, tag) in enumerate(zip_longest(branches, tags), start=1)
        ]
        return _finish(node, draft, _annotations(node.shape), {"anyOf": forms})


def _finish(
    node: Reached, draft: _Draft, plain: JsonObject, parts: dict[str, object], text: str = ""
) -> Flat:
    """The node with its description; `plain` are keywords without schemas in them, `parts` the others."""
    shape, terse, wording = node.shape, node.scope.terse, node.wording
    if terse:
        plain = _shortened(plain, terse)
    # A cycle that something below closes here ends here: the node gets a name, those above hear nothing.
    called = node.called & draft.closes if draft.closes else draft.closes
    own = clean_text(wording.description) if wording.description else ""
    sentences = [own or shape.description, *shape.notes, text, describe_constraints(plain), *wording.notes]
    sentences += [f"This form is called `{name_of(ref)}`." for ref in sorted(called)]
    description = join_sentences(*sentences)
    # After the description, which tells the pattern all the same.
    if "pattern" in plain and portable_pattern(pattern := str(plain["pattern"])) is None:
        plain = {key: value for key, value in plain.items() if key != "pattern"}
        if len(pattern) > MAX_PATTERN_CHARS:
            draft.warnings.append(("", f"a pattern of {len(pattern):,} characters is left out"))
        elif stands_between_slashes(pattern):
            why = "stands between slashes, so that no value matches it; it is told to models, but not checked"
            draft.warnings.append(("", f"its pattern {quote_text(pattern)} {why}"))
    plain = writable_bounds(plain)
    if terse:
        description = "" if terse > 1 else clean_text(description, _SHORT_CHARS)
    if shape.nullable or shape.only_null:
        description = join_sentences(description, MAY_BE_NULL)
    written: dict[str, object] = {"type": plain["type"]} if "type" in plain else {}
    if description:
        written["description"] = description
    return Flat(
        _dump(written, plain, parts),
        draft.nodes,
        draft.height,
        draft.cut,
        draft.closes - called if called else draft.closes,
        tuple(draft.warnings[:MAX_WARNINGS]),
    )


def _dump(written: dict[str, object], plain: JsonObject, parts: dict[str, object]) -> bytes:
    """Serializes the node; `written` comes first."""
    try:
        return trim_bytes(orjson.dumps({**written, **plain, **parts}))
    except TypeError:  # an integer beyond 64 bits somewhere
        longer = {key: orjson.Fragment(dump_json(value)) for key, value in plain.items()}
        return trim_bytes(orjson.dumps({**written, **longer, **parts}))


def _shortened(plain: JsonObject, terse: int) -> JsonObject:
    omitted = {"default", "examples", "pattern", "enum"} if terse > 1 else {"default", "examples"}
    allowed = plain.get("enum")
    if allowed is not None and len(dump_json(allowed)) > _SHORT_ENUM_BYTES:
        omitted.add("enum")
    return {key: value for key, value in plain.items() if key not in omitted and key != "title"}


def _annotations(shape: Shape) -> JsonObject:
    return {key: value for key, value in shape.keywords.items() if key in ANNOTATIONS}


def _portable_keys(shape: Shape) -> JsonObject:
    """The schemas of keys by pattern, for the patterns that every reader can compile."""
    patterns = shape.patterns or {}
    return {known: schema for key, schema in patterns.items() if (known := portable_pattern(key)) is not None}


def name_of(ref: str) -> str:
    """The last part of a reference, for people."""
    return clean_text(ref.rsplit("/", 1)[-1])
