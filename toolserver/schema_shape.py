"""One schema of a document with its references and `allOf` parts merged: a `Shape`, one level deep.

Receives any schema value and a resolver; gives what may stand at that place: types, plain keywords, named
properties (still as the document's schemas), items, alternatives. Reads OpenAPI 3.0 and 3.1 alike and never
raises: what cannot be read is a problem in the shape. Knows nothing of budgets, nor of the form that tools
advertise.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from toolserver.document import reference_of
from toolserver.errors import ReferenceFailed
from toolserver.hints import ENUM_CHARS, clean_text, value_text
from toolserver.json_types import JsonObject, JsonValue, array_at, dump_json, object_at, text_at
from toolserver.schema_keywords import (
    ANNOTATIONS,
    TYPE_SIGNS,
    combine_keywords,
    fit_enum,
    read_keywords,
    read_types,
)

MAX_PARTS = 300
"""`allOf` parts and references merged into one shape; the largest in use has 41 (a bound, not a wish)."""

_UNSAID = ("not", "if", "contains", "dependentSchemas", "dependencies", "propertyNames", "$dynamicRef")
_SAYS_NOTHING = ANNOTATIONS | {"description", "example", "externalDocs", "xml", "$comment", "discriminator"}
_ENUM_KEYS = _SAYS_NOTHING | {"type", "enum", "const", "format"}
_STRUCTURE = frozenset({"properties", "items", "anyOf", "oneOf", "additionalProperties", "prefixItems"})
_WHOLE_FORMATS = ("int32", "int64")


@dataclass(slots=True)
class Alternatives:
    """The branches of one `anyOf` (any may hold) or `oneOf` (`exclusive`)."""

    branches: list[JsonValue]
    exclusive: bool


@dataclass(slots=True)
class Shape:
    """What may stand at one place of a body or parameter."""

    types: tuple[str, ...] | None = None
    """Without "null"; None when nothing tells the type."""
    nullable: bool = False
    only_null: bool = False
    description: str = ""
    keywords: JsonObject = field(default_factory=dict[str, JsonValue])
    enum: list[JsonValue] | None = None
    properties: JsonObject = field(default_factory=dict[str, JsonValue])
    required: list[str] = field(default_factory=list[str])
    hidden: set[str] = field(default_factory=set[str])
    """Properties that a caller does not send: read-only ones and those that may never stand there."""
    additional: list[JsonValue] = field(default_factory=list[JsonValue])
    """`additionalProperties` of each part that speaks of properties; None where the part does not state
    it."""
    closed: bool = False
    """`unevaluatedProperties: false`: nothing but the named properties."""
    items: JsonValue = None
    prefix_items: list[JsonValue] = field(default_factory=list[JsonValue])
    alternatives: list[Alternatives] = field(default_factory=list[Alternatives])
    """At most one after reading; it has two branches or more."""
    refs: dict[str, None] = field(default_factory=dict[str, None])
    """References merged into this shape, in order."""
    notes: list[str] = field(default_factory=list[str])
    """Rules that no keyword of the advertised form can carry, as sentences for the model."""
    problems: list[str] = field(default_factory=list[str])

    def additional_schema(self) -> JsonValue:
        """The rule for further keys: a schema, True, False, or None when nothing is stated.

        Parts of an `allOf` each forbid the keys of the others if read to the letter; they forbid only
        together here.
        """
        for stated in self.additional:
            if isinstance(stated, dict) and stated:
                return stated
        if any(stated is True or stated == {} for stated in self.additional):
            return True
        if self.closed or (self.additional and all(stated is False for stated in self.additional)):
            return False
        return None

    def required_names(self) -> list[str]:
        """Names a caller has to send."""
        return [name for name in self.required if name not in self.hidden]

    def note(self, sentence: str) -> None:
        """Adds to `notes`, once and within the length of a list of values."""
        sentence = clean_text(sentence, ENUM_CHARS)
        if sentence not in self.notes:
            self.notes.append(sentence)

    def as_schema(self) -> JsonObject:
        """The shape without texts and alternatives as one schema; {} when nothing is left."""
        schema: JsonObject = {key: value for key, value in self.keywords.items() if key not in ANNOTATIONS}
        if self.types is not None:
            schema["type"] = list(self.types)
        if self.enum is not None:
            schema["enum"] = self.enum
        if self.properties:
            schema["properties"] = self.properties
        if names := self.required_names():
            schema["required"] = list[JsonValue](names)
        if (additional := self.additional_schema()) is not None:
            schema["additionalProperties"] = additional
        if self.items is not None:
            schema["items"] = self.items
        if self.prefix_items:
            schema["prefixItems"] = self.prefix_items
        return schema


class ShapeReader:
    """Reads schemas of one document, as what a caller sends: read-only properties are left out."""

    def __init__(self, resolve: Callable[[str], JsonValue]) -> None:
        """`resolve` gives the node of a reference or raises `ReferenceFailed`."""
        self._resolve = resolve

    def read(self, schema: JsonValue, trail: Iterable[str] = ()) -> Shape:
        """The shape of `schema`. `trail`: references already entered on the way from the root.

        Alternatives of a schema on the trail are not read again: a subtype that extends its parent by
        `allOf` would otherwise contain all its siblings, itself among them.
        """
        trail = frozenset(trail)
        shape = Shape()
        self._absorb(shape, schema, trail)
        self._settle_alternatives(shape, trail)
        _settle_types(shape)
        return shape

    def entry_refs(self, schema: JsonValue) -> frozenset[str]:
        """The references a schema *is*, rather than has as one part of several: its chain of `$ref`s.

        An `allOf` of one reference and texts counts too; it is how OpenAPI 3.0 documents add a description.
        """
        refs: list[str] = []
        while isinstance(schema, dict) and len(refs) < MAX_PARTS:
            ref = reference_of(schema) or _only_part(schema)
            if ref is None or ref in refs:
                break
            refs.append(ref)
            schema = self._follow_one(ref)
        return frozenset(refs)

    def _follow_one(self, ref: str) -> JsonValue:
        try:
            return self._resolve(ref)
        except ReferenceFailed:
            return None

    def _end_of_chain(self, schema: JsonValue) -> JsonValue:
        for _ in range(MAX_PARTS):
            ref = reference_of(schema)
            if ref is None:
                return schema
            schema = self._follow_one(ref)
        return None

    def _absorb(self, shape: Shape, schema: JsonValue, trail: frozenset[str]) -> None:
        pending: list[tuple[JsonValue, bool]] = [(schema, True)]
        parts = 0
        while pending and parts < MAX_PARTS:
            parts += 1
            part, with_alternatives = pending.pop()
            if not isinstance(part, dict):
                continue
            self._take(shape, part)
            if with_alternatives:
                _take_alternatives(shape, part)
            more = [(inner, with_alternatives) for inner in array_at(part, "allOf")]
            ref = reference_of(part)
            if ref is not None and ref not in shape.refs:
                shape.refs[ref] = None
                more.insert(0, (self._target(shape, ref), with_alternatives and ref not in trail))
            pending.extend(reversed(more))

    def _target(self, shape: Shape, ref: str) -> JsonValue:
        try:
            return self._resolve(ref)
        except ReferenceFailed as error:
            shape.problems.append(error.message)
            return None

    def _take(self, shape: Shape, part: JsonObject) -> None:
        _take_types(shape, part)
        _take_enum(shape, part)
        shape.description = shape.description or clean_text(text_at(part, "description"))
        combine_keywords(shape.keywords, read_keywords(part))
        self._take_properties(shape, part)
        _take_further_keys(shape, part)
        _take_items(shape, part)
        _take_notes(shape, part)

    def _take_properties(self, shape: Shape, part: JsonObject) -> None:
        for name, schema in object_at(part, "properties").items():
            if schema is False or self._is_read_only(schema):
                shape.hidden.add(name)
                shape.properties.pop(name, None)
            elif name not in shape.hidden:
                present = shape.properties.get(name)
                shape.properties[name] = schema if present is None else _both(present, schema)
        shape.required.extend(
            name
            for name in array_at(part, "required")
            if isinstance(name, str) and name not in shape.required
        )

    def _is_read_only(self, schema: JsonValue) -> bool:
        if not isinstance(schema, dict):
            return False
        if "readOnly" in schema:
            return schema["readOnly"] is True
        target = self._end_of_chain(schema)
        return isinstance(target, dict) and target.get("readOnly") is True

    def _settle_alternatives(self, shape: Shape, trail: frozenset[str]) -> None:
        """Leaves one set of two branches or more; single branches are merged like `allOf` parts."""
        kept: list[Alternatives] = []
        while shape.alternatives:
            alternatives = shape.alternatives.pop(0)
            alternatives.branches = self._sift(shape, alternatives)
            if len(alternatives.branches) == 1:
                self._absorb(shape, alternatives.branches[0], trail)
            elif alternatives.branches:
                kept.append(alternatives)
        if len(kept) > 1:
            shape.problems.append("only the first of several sets of alternatives is part of the schema")
        shape.alternatives = kept[:1]

    def _sift(self, shape: Shape, alternatives: Alternatives) -> list[JsonValue]:
        """The branches that a schema has to show; what others say goes into the shape."""
        kept: list[JsonValue] = []
        targets: list[JsonObject] = []
        needed: list[str] = []
        for branch in alternatives.branches:
            target = self._end_of_chain(branch)
            if branch is False or target is False:
                continue
            if not isinstance(target, dict) or not target.keys() - _SAYS_NOTHING:
                return []
            if _is_null(target):
                shape.nullable = True
            elif (names := _only_requires(target)) is not None:
                needed.append(names)
            else:
                kept.append(branch)
                targets.append(target)
        if any(needed):
            count = "exactly one" if alternatives.exclusive else "at least one"
            shape.note(f"Needs {count} of: {'; '.join(filter(None, needed))}.")
        if len(targets) > 1 and all(map(_is_enum, targets)):
            return [_one_enum(shape, targets)]
        return kept


def _only_part(schema: JsonObject) -> str | None:
    parts = array_at(schema, "allOf")
    refs = [ref for part in parts if (ref := reference_of(part)) is not None]
    if len(refs) == 1 and not any(_has_structure(part) for part in (schema, *parts)):
        return refs[0]
    return None


def _has_structure(part: JsonValue) -> bool:
    return isinstance(part, dict) and not _STRUCTURE.isdisjoint(part)


def _both(first: JsonValue, second: JsonValue) -> JsonValue:
    return first if first is second or first == second else {"allOf": [first, second]}


def _take_types(shape: Shape, part: JsonObject) -> None:
    if part.get("nullable") is True:
        shape.nullable = True
    types = read_types(part.get("type"))
    if types is None:
        return
    if "null" in types:
        shape.nullable = True
        types = tuple(name for name in types if name != "null")
    if not types:
        shape.only_null = True
    elif shape.types is None:
        shape.types = types
    elif common := _types_of_both(shape.types, types):
        shape.types = common
    else:
        shape.problems.append("its parts contradict each other about the type; the first one counts")


def _types_of_both(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    common = [name for name in first if name in second or (name == "integer" and "number" in second)]
    if "number" in first and "integer" in second:
        common.append("integer")
    return tuple(common)


def _take_enum(shape: Shape, part: JsonObject) -> None:
    values = [part["const"]] if "const" in part else part.get("enum")
    if not isinstance(values, list):
        return
    if shape.enum is None:
        shape.enum = values
        return
    allowed = {dump_json(value) for value in values}
    shape.enum = [value for value in shape.enum if dump_json(value) in allowed] or shape.enum


def _take_further_keys(shape: Shape, part: JsonObject) -> None:
    stated = part.get("additionalProperties")
    patterns = object_at(part, "patternProperties")
    if patterns and not isinstance(stated, dict):
        stated = next(iter(patterns.values())) if len(patterns) == 1 else True
        shape.note(f"Keys match {' or '.join(f'`{clean_text(key)}`' for key in patterns)}.")
    if "properties" in part or stated is not None:
        shape.additional.append(stated)
    shape.closed = shape.closed or part.get("unevaluatedProperties") is False


def _take_items(shape: Shape, part: JsonObject) -> None:
    items = part.get("items")
    rest = part.get("additionalItems") if isinstance(items, list) else items
    prefix = items if isinstance(items, list) else array_at(part, "prefixItems")
    if prefix and not shape.prefix_items:
        shape.prefix_items = prefix
        if rest is False:
            combine_keywords(shape.keywords, {"maxItems": len(prefix)})
    if isinstance(rest, dict) or rest is True:
        shape.items = rest if shape.items is None else _both(shape.items, rest)


def _take_notes(shape: Shape, part: JsonObject) -> None:
    discriminator = part.get("discriminator")
    if isinstance(discriminator, dict) and (name := text_at(discriminator, "propertyName")):
        names = ", ".join(value_text(key) for key in object_at(discriminator, "mapping"))
        shape.note(f"`{clean_text(name)}` tells which form it is{': ' + names if names else ''}.")
    unsaid = [key for key in _UNSAID if key in part]
    if unsaid:
        shape.problems.append(f"the rules in {', '.join(unsaid)} are not part of the schema")


def _take_alternatives(shape: Shape, part: JsonObject) -> None:
    for key in ("anyOf", "oneOf"):
        branches = part.get(key)
        if isinstance(branches, list) and branches:
            shape.alternatives.append(Alternatives(list(branches), exclusive=key == "oneOf"))


def _is_null(schema: JsonObject) -> bool:
    if "const" in schema:
        return schema["const"] is None
    return read_types(schema.get("type")) == ("null",) or schema.get("enum") == [None]


def _only_requires(schema: JsonObject) -> str | None:
    """The names a branch requires if it does nothing else; "" for a bare `not`; None for other branches."""
    says = schema.keys() - _SAYS_NOTHING
    if says == {"not"}:
        return ""
    if (
        "required" not in says
        or says - {"required", "not", "type"}
        or schema.get("type", "object") != "object"
    ):
        return None
    return " and ".join(f"`{name}`" for name in array_at(schema, "required") if isinstance(name, str))


def _is_enum(schema: JsonObject) -> bool:
    values = [schema["const"]] if "const" in schema else array_at(schema, "enum")
    return (
        bool(values)
        and not any(isinstance(value, dict | list) for value in values)
        and all(key in _ENUM_KEYS or key.startswith("x-") for key in schema)
    )


def _one_enum(shape: Shape, branches: list[JsonObject]) -> JsonObject:
    """Lists of values are one list together; what each said about its single value becomes a note."""
    values: list[JsonValue] = []
    meanings: list[str] = []
    for branch in branches:
        own = [branch["const"]] if "const" in branch else array_at(branch, "enum")
        values.extend(own)
        meaning = clean_text(text_at(branch, "description") or text_at(branch, "title"))
        if meaning and len(own) == 1:
            meanings.append(f"{value_text(own[0])} = {meaning}")
    if meanings:
        shape.note("; ".join(meanings) + ("" if meanings[-1].endswith(".") else "."))
    return {"enum": values}


def _settle_types(shape: Shape) -> None:
    if shape.enum is not None:
        has_null = None in shape.enum
        shape.nullable = shape.nullable or (has_null and shape.types is None)
        shape.enum, shape.types = fit_enum(shape.enum, shape.types)
        shape.only_null = shape.only_null or (has_null and not shape.enum)
        shape.enum = shape.enum or None
    if shape.types is None:
        shape.types = _signs(shape)


def _signs(shape: Shape) -> tuple[str, ...] | None:
    keys = set(shape.keywords)
    if shape.keywords.get("format") in _WHOLE_FORMATS:
        return ("integer",)
    if shape.properties or shape.required or shape.additional or shape.closed:
        keys.add("properties")
    if shape.items is not None or shape.prefix_items:
        keys.add("items")
    return tuple(name for name, signs in TYPE_SIGNS.items() if not keys.isdisjoint(signs)) or None
