"""One schema of a document with its references and `allOf` parts merged: a `Shape`, one level deep.

Receives any schema value and a resolver; gives what may stand at that place: types, plain keywords, named
properties (still as the document's schemas), items, alternatives. Reads OpenAPI 3.0 and 3.1 alike and never
raises: what cannot be read is a problem in the shape. Knows nothing of budgets, nor of the form that tools
advertise.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from toolserver.document import schema_reference_of
from toolserver.errors import ReferenceFailed
from toolserver.hints import ENUM_CHARS, clean_text, describe_constraints, value_text
from toolserver.json_types import JsonObject, JsonValue, array_at, dump_json, object_at, text_at
from toolserver.schema_alternatives import is_enum, is_null, one_enum, only_requires, says_nothing
from toolserver.schema_keywords import (
    ANNOTATIONS,
    PLAIN,
    TYPE_SIGNS,
    combine_keywords,
    fit_enum,
    read_keywords,
    read_types,
)
from toolserver.schema_rules import RULES, tell_rules

MAX_PARTS = 300
"""`allOf` parts and references merged into one shape; the largest in use has 41 (a bound, not a wish)."""

_EVALUATES = frozenset({"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "contains"})
"""Keywords that may speak of items, so that the other ones are not all that is left."""

_STRUCTURE = frozenset({"properties", "items", "anyOf", "oneOf", "additionalProperties", "prefixItems"})
_WHOLE_FORMATS = ("int32", "int64")


@dataclass(slots=True)
class Alternatives:
    """The branches of one `anyOf` (any may hold) or `oneOf` (`exclusive`)."""

    branches: list[JsonValue]
    exclusive: bool


class Shape:
    """What may stand at one place of a body or parameter.

    Most shapes have few of these: what is not there is one value for all shapes, never changed in place.
    """

    types: tuple[str, ...] | None = None
    """Without "null"; None when nothing tells the type."""
    nullable: bool = False
    only_null: bool = False
    description: str = ""
    keywords: JsonObject
    enum: list[JsonValue] | None = None
    properties: JsonObject
    required: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()
    """Properties that a caller does not send: read-only ones and those that may never stand there."""
    additional: tuple[JsonValue, ...] = ()
    """`additionalProperties` of each part that speaks of properties; None where the part does not state
    it."""
    closed: bool = False
    """`unevaluatedProperties: false`: nothing but the named properties."""
    partly_told: bool = False
    """Rules in words, or alternatives left out, may name further properties: then nothing is closed."""
    patterns: JsonObject | None = None
    """`patternProperties`."""
    key_schema: JsonValue = None
    """`propertyNames`."""
    needs: Mapping[str, tuple[str, ...]] | None = None
    """`dependentRequired`: names that have to be there when another one is."""
    items: JsonValue = None
    prefix_items: list[JsonValue] | None = None
    alternatives: tuple[Alternatives, ...] = ()
    """At most one after reading; it has two branches or more."""
    discriminator: JsonObject | None = None
    """What tells the alternatives apart."""
    refs: tuple[str, ...] = ()
    """References merged into this shape, in order."""
    notes: tuple[str, ...] = ()
    """Rules that no keyword of the advertised form can carry, as sentences for the model."""
    problems: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.keywords = {}
        self.properties = {}

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
        if self._is_closed() or (self.additional and all(stated is False for stated in self.additional)):
            return False
        return None

    def _is_closed(self) -> bool:
        return self.closed and not self.partly_told

    def required_names(self) -> list[str]:
        """Names a caller has to send."""
        return [name for name in self.required if name not in self.hidden]

    def note(self, sentence: str) -> None:
        """Adds to `notes`, once and within the length of a list of values."""
        sentence = clean_text(sentence, ENUM_CHARS)
        if sentence and sentence not in self.notes:
            self.notes += (sentence,)

    def needed_names(self) -> JsonObject:
        """`dependentRequired` without names that a caller does not send."""
        return {
            name: [each for each in needed if each not in self.hidden]
            for name, needed in (self.needs or {}).items()
            if name not in self.hidden
        }

    def as_schema(self) -> JsonObject:
        """The shape without texts and alternatives as one schema; {} when nothing is left."""
        schema: JsonObject = {key: value for key, value in self.keywords.items() if key not in ANNOTATIONS}
        additional = self.additional_schema()
        closed = additional is False and self._is_closed()  # to be told again, with each branch's properties
        stated: JsonObject = {
            "type": list(self.types) if self.types is not None else None,
            "enum": self.enum,
            "properties": self.properties or None,
            "required": list[JsonValue](self.required_names()) or None,
            "additionalProperties": None if closed else additional,
            "unevaluatedProperties": False if closed else None,
            "patternProperties": self.patterns,
            "propertyNames": self.key_schema,
            "dependentRequired": self.needed_names() or None,
            "items": self.items,
            "prefixItems": self.prefix_items,
        }
        return schema | {key: value for key, value in stated.items() if value is not None}


class ShapeReader:
    """Reads schemas of one document, as what a caller sends: read-only properties are left out."""

    def __init__(self, resolve: Callable[[str], JsonValue]) -> None:
        """`resolve` gives the node of a reference or raises `ReferenceFailed`."""
        self._resolve = resolve
        self._takers = {
            **_TAKERS,
            "properties": self._take_properties,
            "patternProperties": self._take_patterns,
            "propertyNames": self._take_key_schema,
        }

    def read(self, schema: JsonValue, trail: Iterable[str] = ()) -> Shape:
        """The shape of `schema`. `trail`: references already entered on the way from the root.

        Alternatives of a schema on the trail are not read again: a subtype that extends its parent by
        `allOf` would otherwise contain all its siblings, itself among them.
        """
        trail = frozenset(trail)
        shape = Shape()
        self._absorb(shape, schema, trail)
        if shape.alternatives:
            self._settle_alternatives(shape, trail)
        _settle_types(shape)
        return shape

    def entry_refs(self, schema: JsonValue) -> frozenset[str]:
        """The references a schema *is*, rather than has as one part of several: its chain of `$ref`s.

        An `allOf` of one reference and texts counts too; it is how OpenAPI 3.0 documents add a description.
        """
        refs: list[str] = []
        while isinstance(schema, dict) and len(refs) < MAX_PARTS:
            ref = schema_reference_of(schema) or _only_part(schema)
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
            ref = schema_reference_of(schema)
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
            if with_alternatives and ("anyOf" in part or "oneOf" in part):
                _take_alternatives(shape, part)
            if "allOf" in part:
                pending += [(inner, with_alternatives) for inner in reversed(array_at(part, "allOf"))]
            ref = schema_reference_of(part)
            if ref is not None and ref not in shape.refs:
                shape.refs += (ref,)
                pending.append((self._target(shape, ref), with_alternatives and ref not in trail))

    def _target(self, shape: Shape, ref: str) -> JsonValue:
        try:
            return self._resolve(ref)
        except ReferenceFailed as error:
            shape.problems += (error.message,)
            return None

    def _take(self, shape: Shape, part: JsonObject) -> None:
        takers = self._takers
        for take in dict.fromkeys([takers[key] for key in part if key in takers]):
            take(shape, part)
        if not _KEYS.isdisjoint(part):
            _take_further_keys(shape, part)

    def _take_properties(self, shape: Shape, part: JsonObject) -> None:
        properties = object_at(part, "properties")
        unsent = {
            name for name, schema in properties.items() if schema is False or self._is_read_only(schema)
        }
        if unsent:
            shape.hidden |= unsent
            for name in unsent:
                shape.properties.pop(name, None)
        for name, schema in properties.items():
            if name not in shape.hidden:
                present = shape.properties.get(name)
                shape.properties[name] = schema if present is None else _both(present, schema)

    def _is_read_only(self, schema: JsonValue) -> bool:
        if not isinstance(schema, dict):
            return False
        if "readOnly" in schema:
            return schema["readOnly"] is True
        if "$ref" not in schema:
            return False
        target = self._end_of_chain(schema)
        return isinstance(target, dict) and target.get("readOnly") is True

    def _take_patterns(self, shape: Shape, part: JsonObject) -> None:
        forms: list[str] = []
        patterns = shape.patterns or {}
        for pattern, schema in object_at(part, "patternProperties").items():
            patterns[pattern] = _both(patterns[pattern], schema) if pattern in patterns else schema
            target = self._end_of_chain(schema)
            types = read_types(target.get("type")) if isinstance(target, dict) else None
            forms.append(
                f"`{pattern}`: {'none' if schema is False else ' or '.join(types or ('any value',))}"
            )
        if forms:
            shape.patterns = patterns
            shape.note(f"Keys that match {'; '.join(forms)}.")

    def _take_key_schema(self, shape: Shape, part: JsonObject) -> None:
        schema = part["propertyNames"]
        if not isinstance(schema, dict):
            return
        shape.key_schema = schema if shape.key_schema is None else _both(shape.key_schema, schema)
        keys, target = Shape(), self._end_of_chain(schema)
        if isinstance(target, dict):
            _take_enum(keys, target)
            words: JsonObject = {"enum": keys.enum} if keys.enum else {}
            if text := describe_constraints(words | read_keywords(target)):
                shape.note(f"Each key: {text}")

    def _settle_alternatives(self, shape: Shape, trail: frozenset[str]) -> None:
        """Leaves one set of two branches or more; single branches are merged like `allOf` parts."""
        kept: list[Alternatives] = []
        while shape.alternatives:
            alternatives, *others = shape.alternatives
            shape.alternatives = tuple(others)
            alternatives.branches = self._sift(shape, alternatives)
            if len(alternatives.branches) == 1:
                self._absorb(shape, alternatives.branches[0], trail)
            elif alternatives.branches:
                kept.append(alternatives)
        if len(kept) > 1:
            shape.partly_told = True
            shape.problems += ("only the first of several sets of alternatives is part of the schema",)
        shape.alternatives = tuple(kept[:1])

    def _sift(self, shape: Shape, alternatives: Alternatives) -> list[JsonValue]:
        """The branches that a schema has to show; what others say goes into the shape."""
        kept: list[JsonValue] = []
        targets: list[JsonObject] = []
        for branch in alternatives.branches:
            target = self._end_of_chain(branch)
            if branch is False or target is False:
                continue
            if not isinstance(target, dict) or says_nothing(target):
                shape.partly_told = True
                return []
            if is_null(target):
                shape.nullable = True
            else:
                kept.append(branch)
                targets.append(target)
        needed = [only_requires(target) for target in targets]
        if targets and None not in needed:
            if all(needed):
                count = "exactly one" if alternatives.exclusive else "at least one"
                shape.note(f"Needs {count} of: {'; '.join(filter(None, needed))}.")
            return []
        if len(targets) > 1 and all(map(is_enum, targets)):
            schema, meanings = one_enum(targets)
            shape.note(meanings)
            return [schema]
        return kept


def _only_part(schema: JsonObject) -> str | None:
    parts = array_at(schema, "allOf")
    refs = [ref for part in parts if (ref := schema_reference_of(part)) is not None]
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
        shape.problems += ("its parts contradict each other about the type; the first one counts",)


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


def _take_required(shape: Shape, part: JsonObject) -> None:
    names = [name for name in array_at(part, "required") if isinstance(name, str)]
    shape.required = tuple(dict.fromkeys((*shape.required, *names)))


def _take_description(shape: Shape, part: JsonObject) -> None:
    shape.description = shape.description or clean_text(text_at(part, "description"))


def _take_keywords(shape: Shape, part: JsonObject) -> None:
    combine_keywords(shape.keywords, read_keywords(part))


def _take_further_keys(shape: Shape, part: JsonObject) -> None:
    stated = part.get("additionalProperties")
    unevaluated = part.get("unevaluatedProperties")
    if stated is None and isinstance(unevaluated, dict):
        stated = unevaluated
    if stated is not None or not _NAMES.isdisjoint(part):
        shape.additional += (stated,)
    shape.closed = shape.closed or unevaluated is False


def _take_needs(shape: Shape, part: JsonObject) -> None:
    stated = object_at(part, "dependentRequired")
    needs = dict(shape.needs or {})
    rules: list[str] = []
    for name in stated:
        if needed := [each for each in array_at(stated, name) if isinstance(each, str)]:
            needs[name] = tuple(dict.fromkeys((*needs.get(name, ()), *needed)))
            rules.append(f"`{name}` needs {' and '.join(f'`{each}`' for each in needed)}")
    if rules:
        shape.needs = needs
        shape.note("; ".join(rules) + ".")


def _take_items(shape: Shape, part: JsonObject) -> None:
    items = part.get("items")
    prefix = items if isinstance(items, list) else array_at(part, "prefixItems")
    rest = part.get("additionalItems") if isinstance(items, list) else items
    if rest is None and _EVALUATES.isdisjoint(part):
        rest = part.get("unevaluatedItems")
    if prefix and not shape.prefix_items:
        shape.prefix_items = prefix
    if rest is False:
        combine_keywords(shape.keywords, {"maxItems": len(prefix)})
    elif isinstance(rest, dict) or rest is True:
        shape.items = rest if shape.items is None else _both(shape.items, rest)


def _take_rules(shape: Shape, part: JsonObject) -> None:
    shape.partly_told = shape.partly_told or "if" in part or "dependentSchemas" in part
    told, lost = tell_rules(part)
    shape.note(" ".join(told))
    if lost:
        shape.problems += (f"the rules in {', '.join(dict.fromkeys(lost))} are not part of the schema",)


def _take_discriminator(shape: Shape, part: JsonObject) -> None:
    discriminator = part["discriminator"]
    if isinstance(discriminator, dict) and (name := text_at(discriminator, "propertyName")):
        shape.discriminator = shape.discriminator or discriminator
        names = ", ".join(value_text(key) for key in object_at(discriminator, "mapping"))
        shape.note(f"`{clean_text(name)}` tells which form it is{': ' + names if names else ''}.")


def _take_alternatives(shape: Shape, part: JsonObject) -> None:
    for key in ("anyOf", "oneOf"):
        branches = part.get(key)
        if isinstance(branches, list) and branches:
            shape.alternatives += (Alternatives(list(branches), exclusive=key == "oneOf"),)


_Taker = Callable[[Shape, JsonObject], None]
_TAKERS: Mapping[str, _Taker] = {
    **dict.fromkeys(PLAIN, _take_keywords),
    **dict.fromkeys(("type", "nullable"), _take_types),
    **dict.fromkeys(("enum", "const"), _take_enum),
    **dict.fromkeys(("items", "prefixItems", "additionalItems", "unevaluatedItems"), _take_items),
    **dict.fromkeys(RULES, _take_rules),
    "dependentRequired": _take_needs,
    "description": _take_description,
    "required": _take_required,
    "discriminator": _take_discriminator,
}
"""Who takes what a keyword says; each is asked once for a part, whatever many keywords it knows."""

_NAMES = frozenset({"properties", "additionalProperties", "patternProperties"})
_KEYS = _NAMES | {"unevaluatedProperties"}


def _settle_types(shape: Shape) -> None:
    if shape.enum is not None:
        has_null = None in shape.enum
        shape.nullable = shape.nullable or (has_null and shape.types is None)
        shape.enum, shape.types = fit_enum(shape.enum, shape.types)
        shape.only_null = shape.only_null or (has_null and not shape.enum)
        shape.enum = shape.enum or None
    if shape.types is None and not shape.alternatives:  # each of those has a type of its own
        shape.types = _signs(shape)


def _signs(shape: Shape) -> tuple[str, ...] | None:
    keys = set(shape.keywords)
    if shape.keywords.get("format") in _WHOLE_FORMATS:
        return ("integer",)
    if shape.properties or shape.required or shape.additional:
        keys.add("properties")
    if shape.items is not None or shape.prefix_items:
        keys.add("items")
    return tuple(name for name, signs in TYPE_SIGNS.items() if not keys.isdisjoint(signs)) or None
