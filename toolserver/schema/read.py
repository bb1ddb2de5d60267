"""Reads one schema of a document, with its references and `allOf` parts merged, as a `Shape`.

Receives any schema value and a resolver; gives what may occur in that place: types, plain keywords, named
properties (still the document's schemas), items, alternatives. Reads OpenAPI 3.0 and 3.1 alike and never
raises: what cannot be read is a problem in the shape. Knows nothing of budgets, nor of the form that tools
advertise.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from toolserver.errors import ReferenceFailed
from toolserver.json_types import (
    JsonObject,
    JsonValue,
    array_at,
    object_at,
    only_value,
    with_texts_of,
)
from toolserver.openapi.document import schema_reference_of
from toolserver.openapi.edits import EXTENSION
from toolserver.schema.alternatives import (
    describes_form,
    is_enum,
    is_null,
    is_unconstrained,
    one_enum,
    only_requires,
)
from toolserver.schema.argument_edit import described_property, withheld_properties
from toolserver.schema.fit import fit_enum, settle_values
from toolserver.schema.hints import describe_constraints
from toolserver.schema.keywords import read_keywords, read_types, types_by_signs
from toolserver.schema.parts import (
    KEYS_OF_OBJECTS,
    TAKERS,
    combine_schemas,
    implied_types,
    settle_types,
    take_alternatives,
    take_enum,
    take_further_keys,
    take_needed,
    take_subtypes,
    types_of_both,
)
from toolserver.schema.shape import Alternatives, Shape
from toolserver.schema.steps import Steps
from toolserver.schema.subtypes import MAX_SUBTYPES, Subtypes

MAX_PARTS = 300
"""Maximum number of `allOf` parts and references merged into one shape; the largest in use has 41."""

_MAX_READ_ONLY_PARTS = 20
"""Maximum number of a property's parts that are checked for `readOnly`; in use there are three."""

_FITTED = frozenset({"default", "examples"})
_TEXTS = frozenset({"$ref", "description", "title", "example", "examples"})
_STRUCTURE = frozenset({"properties", "items", "anyOf", "oneOf", "additionalProperties", "prefixItems"})


_NO_SCHEMA = "what stands in place of its schema is none; any value is accepted"


class _Part(NamedTuple):
    """A schema that is still to be merged into a shape."""

    node: JsonValue
    of: str = ""
    """Reference that led to it; "" for an inline schema."""
    with_alternatives: bool = True
    is_all: bool = True
    """Whether the shape is nothing but this and texts: a use of the schema, not an extension of it."""
    is_beside: bool = False
    """Whether it stands beside a reference that counts where the two contradict each other."""


class ShapeReader:
    """Reads schemas of one document as a caller sends them: read-only properties are left out."""

    def __init__(
        self,
        resolve: Callable[[str], JsonValue],
        steps: Steps | None = None,
        *,
        references_count: bool = False,
        may_fix: bool = False,
    ) -> None:
        """`resolve` gives the node of a reference or raises `ReferenceFailed`.

        `steps` counts the work; where that is limited, reading may raise `TooSlow`.

        `references_count`: what stands beside a reference adds to it, and counts for nothing where it
        contradicts it. Before OpenAPI 3.1 it "SHALL be ignored" (3.0.4 §4.7.23), but authors mean it.

        `may_fix`: whether an overlay edits the document, which may fix the values of properties.
        """
        self._resolve = resolve
        self.steps = steps or Steps()
        self._references_count = references_count
        self._may_fix = may_fix
        self._edited: dict[int, tuple[JsonObject, frozenset[str], JsonObject]] = {}
        """What `_edit` gives, by identity of the part, each with it so that the identity is not reused."""
        self.subtypes = Subtypes(resolve)
        self._takers = {
            **TAKERS,
            "properties": self._take_properties,
            "patternProperties": self._take_patterns,
            "propertyNames": self._take_key_schema,
        }

    def read_shape(self, schema: JsonValue, trail: Iterable[str] = ()) -> Shape:
        """The shape of `schema`. `trail`: references already entered on the way from the root.

        Alternatives of a schema on the trail are not read again: a subtype that extends its parent by `allOf`
        would otherwise contain all its siblings, including itself.
        """
        trail = frozenset(trail)
        shape = Shape()
        self._absorb(shape, schema, trail)
        if shape.alternatives:
            self._settle_alternatives(shape, trail)
        settle_types(shape)
        if not _FITTED.isdisjoint(shape.keywords):
            settle_values(shape, self.read_shape)
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
        pending = [_Part(schema)]
        parts = 0
        while pending and parts < MAX_PARTS:
            parts += 1
            # Depth first, in the document's order: of two descriptions the first one counts.
            node, of, with_alternatives, is_all, is_beside = pending.pop()
            self.steps.take(1)
            if not isinstance(node, dict):
                shape.problems += () if isinstance(node, bool) else (_NO_SCHEMA,)
                continue
            if is_beside:
                node = self._agreeing(shape, node)
            elif self._references_count and len(node) > 1 and "$ref" in node:
                added, node = _split(node)
                # Pushed before the target, so it is taken after it and can be compared with it.
                if added:
                    pending.append(_Part(added, of, with_alternatives, is_all, is_beside=True))
            self._take(shape, node)
            if with_alternatives and ("anyOf" in node or "oneOf" in node):
                take_alternatives(shape, node)
            elif with_alternatives and is_all and "discriminator" in node:
                take_subtypes(shape, self.subtypes.branches_below(of, node), MAX_SUBTYPES)
            if "allOf" in node:
                # A named schema with `allOf` extends a parent, so it is one of the subtypes and offers none.
                is_only_part = is_all and not of and _only_part(node) is not None
                inner = [_Part(each, "", with_alternatives, is_only_part) for each in array_at(node, "allOf")]
                pending += reversed(inner)
            ref = schema_reference_of(node)
            if ref is not None and ref not in shape.refs:
                shape.refs += (ref,)
                with_choices = with_alternatives and ref not in trail
                pending.append(_Part(self._target(shape, ref), ref, with_choices, is_all))

    def _agreeing(self, shape: Shape, beside: JsonObject) -> JsonObject:
        """What stands beside a reference, without what contradicts its target, which `shape` has by now."""
        known = self._known_types(shape)
        types = read_types(beside.get("type")) or types_by_signs(beside.keys())
        stated = tuple(name for name in types or () if name != "null")
        if known and stated and not types_of_both(known, stated):
            named = f"{' or '.join(stated)}, and the reference {' or '.join(known)}"
            shape.problems += (f"what stands beside its reference is about {named}; the reference counts",)
            return {key: beside[key] for key in ("nullable", "x-nullable") if key in beside}
        read, present = read_keywords(beside), shape.keywords
        unfit = {key for key, value in read.items() if key in present and present[key] != value}
        values = only_value(beside, "const") if "const" in beside else array_at(beside, "enum")
        if known and values and fit_enum(values, known).types != known:
            unfit.add("const" if "const" in beside else "enum")
        if unfit:
            named = ", ".join(sorted(unfit))
            shape.problems += (f"{named} beside its reference contradicts it; the reference counts",)
        return with_texts_of(beside, {key: value for key, value in beside.items() if key not in unfit})

    def _known_types(self, shape: Shape) -> tuple[str, ...] | None:
        """The types of a shape that is not settled yet; None where nothing tells them."""
        known = shape.types or implied_types(shape)
        if known is None and shape.enum:
            known = fit_enum(shape.enum, None).types
        if known is not None or not shape.alternatives:
            return known
        found: dict[str, None] = {}
        for branch in (each for alternatives in shape.alternatives for each in alternatives.branches):
            target = self._end_of_chain(branch)
            types = read_types(target.get("type")) if isinstance(target, dict) else None
            if types is None and isinstance(target, dict):
                types = types_by_signs(target.keys())
            if types is None:
                return None
            found |= dict.fromkeys(types)
        return tuple(found)

    def _target(self, shape: Shape, ref: str) -> JsonValue:
        try:
            return self._resolve(ref)
        except ReferenceFailed as error:
            shape.problems += (error.message,)
            return {}

    def _take(self, shape: Shape, part: JsonObject) -> None:
        takers = self._takers
        for take in {takers[key]: None for key in part if key in takers}:
            take(shape, part)
        if not KEYS_OF_OBJECTS.isdisjoint(part):
            take_further_keys(shape, part)

    def _take_properties(self, shape: Shape, part: JsonObject) -> None:
        properties = object_at(part, "properties")
        if not properties and part["properties"] not in ({}, None):
            shape.problems += ("its `properties` is no object of schemas, so that it names none",)
        self.steps.take(len(properties))
        unsent = {
            name
            for name, schema in properties.items()
            if schema is False or (isinstance(schema, dict) and self._is_read_only(schema))
        }
        if any(isinstance(schema, dict) and EXTENSION in schema for schema in properties.values()):
            withheld, properties = self._edit(part, properties)
            shape.withheld |= withheld
            unsent |= withheld
        if unsent:
            shape.hidden |= unsent
            for name in unsent:
                shape.properties.pop(name, None)
        if not shape.properties and not shape.hidden:  # the first part and, mostly, the only one
            shape.properties = dict(properties)
            return
        for name, schema in properties.items():
            if name not in shape.hidden:
                present = shape.properties.get(name)
                shape.properties[name] = schema if present is None else combine_schemas(present, schema)

    def _edit(self, part: JsonObject, properties: JsonObject) -> tuple[frozenset[str], JsonObject]:
        """The properties that no caller may send, and all of them with the descriptions for models.

        Made once for each part, because flattened schemas are cached by identity.
        """
        found = self._edited.get(id(part))
        if found is None:
            withheld, _ = withheld_properties(part, may_fix=self._may_fix)
            described = {name: described_property(name, schema) for name, schema in properties.items()}
            found = self._edited[id(part)] = part, frozenset(withheld), described
        return found[1:]

    def _is_read_only(self, schema: JsonObject) -> bool:
        """Whether a schema is read-only; its own statement wins over those of schemas that it combines."""
        if "readOnly" in schema:
            return schema["readOnly"] is True
        if "$ref" not in schema and "allOf" not in schema:
            return False
        pending: list[JsonValue] = [schema]
        for _ in range(_MAX_READ_ONLY_PARTS):
            if not pending:
                break
            part = pending.pop()
            self.steps.take(1)
            if not isinstance(part, dict):
                continue
            # A part that says `readOnly: false` speaks for what it combines, which is not looked at.
            if "readOnly" in part:
                if part["readOnly"] is True:
                    return True
            elif "$ref" in part or "allOf" in part:
                pending += array_at(part, "allOf")
                if (ref := schema_reference_of(part)) is not None:
                    pending.append(self._follow_one(ref))
        return False

    def _take_patterns(self, shape: Shape, part: JsonObject) -> None:
        forms: list[str] = []
        patterns = shape.patterns or {}
        for pattern, schema in object_at(part, "patternProperties").items():
            patterns[pattern] = combine_schemas(patterns[pattern], schema) if pattern in patterns else schema
            target = self._end_of_chain(schema)
            types = read_types(target.get("type")) if isinstance(target, dict) else None
            forms.append(
                f"`{pattern}`: {'none' if schema is False else ' or '.join(types or ('any value',))}"
            )
        if forms:
            shape.patterns = patterns
            shape.add_note(f"Keys that match {'; '.join(forms)}.")

    def _take_key_schema(self, shape: Shape, part: JsonObject) -> None:
        schema = part["propertyNames"]
        if not isinstance(schema, dict):
            return
        shape.key_schema = schema if shape.key_schema is None else combine_schemas(shape.key_schema, schema)
        keys = Shape()
        target = self._end_of_chain(schema)
        if isinstance(target, dict):
            take_enum(keys, target)
            allowed = fit_enum(keys.enum or [], ("string",)).values
            constraints: JsonObject = {"enum": allowed} if allowed else {}
            if text := describe_constraints(constraints | read_keywords(target)):
                shape.add_note(f"Each key: {text}")

    def _settle_alternatives(self, shape: Shape, trail: frozenset[str]) -> None:
        """Reduces alternatives to one set of two or more branches; merges single ones like `allOf` parts."""
        kept_alternatives: list[Alternatives] = []
        while shape.alternatives:
            alternatives, *others = shape.alternatives
            shape.alternatives = tuple(others)  # merging a single branch below may add to them
            alternatives.branches = self._sift(shape, alternatives)
            if len(alternatives.branches) == 1:
                self._absorb(shape, alternatives.branches[0], trail)
            elif alternatives.branches:
                kept_alternatives.append(alternatives)
        if len(kept_alternatives) > 1:
            shape.is_incomplete = True
            shape.problems += ("only the first of several sets of alternatives is part of the schema",)
        shape.alternatives = tuple(kept_alternatives[:1])

    def _sift(self, shape: Shape, alternatives: Alternatives) -> list[JsonValue]:
        """The branches that the schema has to show; what the others say goes into the shape."""
        branches_read: list[JsonValue] = []
        targets: list[JsonObject] = []
        free: list[JsonValue] = []
        allows_null = False
        for branch in alternatives.branches:
            target = self._end_of_chain(branch)
            if branch is False or target is False:
                continue
            if not isinstance(target, dict) or is_unconstrained(target):
                free.append(branch)
            elif is_null(target):
                shape.nullable = allows_null = True
            else:
                branches_read.append(branch)
                targets.append(target)
        needed = [names for target in targets if (names := only_requires(target)) is not None]
        if free and not any(map(describes_form, targets)):  # whoever fits it needs none of the others
            shape.is_incomplete = True
            return []
        if free:  # each allows everything, so one stands for all
            return [*branches_read, free[0]]
        if allows_null and not targets and shape.types is None:
            shape.only_null = True
        # Branches of `required` alone describe no form of a value: a sentence tells the choice.
        if targets and len(needed) == len(targets):
            take_needed(shape, needed, exclusive=alternatives.exclusive)
            return []
        if len(targets) > 1 and all(map(is_enum, targets)):
            schema, meanings = one_enum(targets)
            shape.add_note(meanings)
            return [schema]
        return branches_read


def _split(node: JsonObject) -> tuple[JsonObject, JsonObject]:
    """What stands beside a reference, apart from texts; and the reference with these."""
    added = {key: value for key, value in node.items() if key not in _TEXTS}
    texts = {key: value for key, value in node.items() if key in _TEXTS}
    return with_texts_of(node, added), with_texts_of(node, texts)


def _only_part(schema: JsonObject) -> str | None:
    parts = array_at(schema, "allOf")
    refs = [ref for part in parts if (ref := schema_reference_of(part)) is not None]
    if len(refs) == 1 and not any(_has_structure(part) for part in (schema, *parts)):
        return refs[0]
    return None


def _has_structure(part: JsonValue) -> bool:
    return isinstance(part, dict) and not _STRUCTURE.isdisjoint(part)
