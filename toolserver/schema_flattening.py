"""Schemas in the one form that passes unharmed through every reader of tools we know.

Receives the schemas of one operation's arguments; gives schemas without references and composition: each
node has explicit types or an `anyOf`, arrays have items, constraints stand as keywords and as words at the
end of the description. The form was measured against both converters of Open WebUI 0.12.4; `tests/contract`
holds the two invariants. What would make a schema endless or huge is cut to a described free-form value,
with a warning.

Works level by level, so that a budget runs out among the deepest nodes and never among the arguments
themselves.
"""

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from toolserver.hints import MAY_BE_NULL, clean_text, describe_constraints, join_sentences
from toolserver.json_types import JsonObject, JsonValue, dump_json
from toolserver.schema_keywords import ANNOTATIONS, keywords_for, unique_values
from toolserver.schema_shape import Shape, ShapeReader

MAX_REPEATS = 3
"""How often one schema may be a part of nodes above each other before it counts as circular."""

_COMPOSITE = ("object", "array")
_LISTED_CHARS = 400
_BRANCH_NUMBER = re.compile(r"\(\d+\)")


@dataclass(frozen=True, slots=True)
class Budget:
    """How large the schema of one tool may become; the defaults leave 99 % of real operations whole."""

    nodes: int = 400
    depth: int = 8
    """Levels of objects and alternatives below the root."""
    json_bytes: int = 200_000
    """Size at which texts and value lists stop; the largest schema of a measured 5,797 has 122 KB."""


@dataclass(frozen=True, slots=True)
class ArgumentSource:
    """One argument before flattening."""

    argument: str
    schema: JsonValue
    description: str = ""
    """Stands in for the schema's own description when given."""
    notes: tuple[str, ...] = ()
    """Sentences for the end of the description."""
    trail: tuple[str, ...] = ()
    """References merged into the schemas above."""
    entered: Mapping[str, str] = field(default_factory=dict[str, str])
    """References the schemas above *are*, and in words where; meeting one again is a circle."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A node still to be written, and how it was reached."""

    node: JsonObject
    schema: JsonValue
    name: str
    depth: int
    trail: tuple[str, ...] = ()
    entered: Mapping[str, str] = field(default_factory=dict[str, str])
    description: str = ""
    notes: tuple[str, ...] = ()
    alone: JsonValue = None
    """The schema without the common part of its alternatives, where there is one."""


def free_form() -> JsonObject:
    """Any value, in the form that survives: no boolean schema, no empty one."""
    any_item: JsonObject = {"type": ["string", "number", "boolean", "object"]}
    return {
        "anyOf": [
            {"type": "string"},
            {"type": "number"},
            {"type": "boolean"},
            {"type": "object"},
            {"type": "array", "items": any_item},
        ]
    }


FREE_FORM_BRANCHES = free_form()["anyOf"]


def flatten(
    arguments: Iterable[ArgumentSource],
    resolve: Callable[[str], JsonValue],
    budget: Budget | None = None,
) -> tuple[dict[str, JsonObject], list[str]]:
    """The schema of each argument, and what was cut or left out, as warnings.

    Every argument gets a node however small the budget is. Time and size are bounded by the budget.
    """
    flattening = _Flattening(ShapeReader(resolve), budget or Budget())
    return flattening.run(arguments), flattening.warnings


class _Flattening:
    def __init__(self, reader: ShapeReader, budget: Budget) -> None:
        self.warnings: list[str] = []
        self._reader = reader
        self._budget = budget
        self._nodes = 0
        self._bytes = 0
        self._places: deque[_Place] = deque()

    def run(self, arguments: Iterable[ArgumentSource]) -> dict[str, JsonObject]:
        schemas: dict[str, JsonObject] = {}
        for source in arguments:
            node = schemas[source.argument] = {}
            place = _Place(
                node=node,
                schema=source.schema,
                name=source.argument,
                depth=1,
                trail=source.trail,
                entered=source.entered,
                description=source.description,
                notes=source.notes,
            )
            self._places.append(place)
        self._nodes = len(schemas)
        while self._places:
            self._write(self._places.popleft())
        return schemas

    def _write(self, place: _Place) -> None:
        shape = self._reader.read(place.schema, place.trail)
        self.warnings.extend(f"{place.name}: {problem}" for problem in shape.problems)
        entry = self._reader.entry_refs(place.schema if place.alone is None else place.alone)
        if repeated := _repeated(place, shape, entry):
            text = f"Same form as {place.entered[repeated]}." if repeated in place.entered else ""
            self._cut(place, shape, text, f"circular reference to {clean_text(repeated.rsplit('/', 1)[-1])}")
            return
        where = f"`{_BRANCH_NUMBER.sub('', place.name)}`"
        entered = {**place.entered, **dict.fromkeys(sorted(entry), where)}
        below = _Below(place, (*place.trail, *shape.refs), entered)
        if shape.alternatives:
            self._write_alternatives(place, shape, below)
        elif shape.types is None:
            self._write_untyped(place, shape)
        elif len(shape.types) > 1 and any(name in _COMPOSITE for name in shape.types):
            self._write_types(place, shape, below)
        elif shape.types == ("object",):
            self._write_object(place, shape, below)
        elif shape.types == ("array",):
            self._write_array(place, shape, below)
        else:
            self._write_scalar(place, shape)

    def _write_untyped(self, place: _Place, shape: Shape) -> None:
        if shape.only_null:
            self._finish(place, shape, {"type": ["string", "null"], "enum": [None]}, "Must be null.")
        else:
            text = "" if place.description or shape.description else "Free-form value."
            self._finish(place, shape, free_form() | _annotations(shape), text)

    def _write_scalar(self, place: _Place, shape: Shape) -> None:
        types = shape.types or ()
        node = keywords_for(types, shape.keywords)
        if shape.enum:
            node["enum"] = unique_values([*shape.enum, *([None] if shape.nullable else [])])
        names: list[JsonValue] = [*types, *(["null"] if shape.nullable else [])]
        node["type"] = names[0] if len(names) == 1 else names
        self._finish(place, shape, node)

    def _write_object(self, place: _Place, shape: Shape, below: "_Below") -> None:
        additional = shape.additional_schema()
        values = additional if isinstance(additional, dict) else None
        properties = _declared(shape, additional)
        if not self._affords(len(properties) + (values is not None), place.depth):
            self._cut(place, shape, _listed(properties))
            return
        children: JsonObject = {name: {} for name in properties}
        node = keywords_for(("object",), shape.keywords)
        node |= {"type": "object", "properties": children}
        if required := [name for name in shape.required_names() if name in properties]:
            node["required"] = list[JsonValue](required)
        if shape.enum:
            node["enum"] = shape.enum
        if additional is False:
            node["additionalProperties"] = False
        if values is not None:
            node["additionalProperties"] = {}
        self._finish(place, shape, node, self._further_keys(shape, bool(properties), additional, below))
        for name, schema in properties.items():
            self._later(below, children, name, schema, f"{place.name}.{name}")
        if values is not None:
            self._later(below, place.node, "additionalProperties", values, f"{place.name}.*")

    def _further_keys(self, shape: Shape, has_names: bool, additional: JsonValue, below: "_Below") -> str:
        if additional is False or (has_names and additional is None):
            return ""
        value = "any value"
        if isinstance(additional, dict):
            inner = self._reader.read(additional, below.trail)
            value = "each value: " + (" or ".join(inner.types) if inner.types else "any")
        if has_names:
            return f"Further keys are allowed; {value}."
        return f"Map: any keys; {value}."

    def _write_array(self, place: _Place, shape: Shape, below: "_Below") -> None:
        node = keywords_for(("array",), shape.keywords)
        items = shape.items
        text = ""
        if shape.prefix_items:
            rest = [shape.items] if isinstance(shape.items, dict) else []
            distinct = unique_values([*shape.prefix_items, *rest])
            items = distinct[0] if len(distinct) == 1 else JsonObject(anyOf=distinct)
            text = f"Items in order: {', '.join(self._type_words(item) for item in shape.prefix_items)}."
        described = isinstance(items, dict) and bool(items)
        if described and not self._affords(1, 0):
            self._cut(place, shape, "")
            return
        node |= {"type": "array", "items": {} if described else free_form()}
        if shape.enum:
            node["enum"] = shape.enum
        self._finish(place, shape, node, text)
        if described:
            self._later(below, place.node, "items", items, f"{place.name}[]", deeper=0)

    def _type_words(self, schema: JsonValue) -> str:
        return " or ".join(self._reader.read(schema).types or ("any",))

    def _write_types(self, place: _Place, shape: Shape, below: "_Below") -> None:
        """Several types, objects or arrays among them: one branch each, scalars together."""
        types = shape.types or ()
        base = shape.as_schema()
        scalars: list[JsonValue] = [name for name in types if name not in _COMPOSITE]
        branches: list[JsonValue] = [{**base, "type": scalars}] if scalars else []
        branches += [{**base, "type": name} for name in types if name in _COMPOSITE]
        self._write_branches(place, shape, branches, below)

    def _write_alternatives(self, place: _Place, shape: Shape, below: "_Below") -> None:
        self._write_branches(place, shape, shape.alternatives[0].branches, below, base=shape.as_schema())

    def _write_branches(
        self,
        place: _Place,
        shape: Shape,
        branches: list[JsonValue],
        below: "_Below",
        base: JsonObject | None = None,
    ) -> None:
        """One form per branch; `base` is the part that all of them share."""
        if not self._affords(len(branches), place.depth):
            self._cut(place, shape, "")
            return
        node = _annotations(shape)
        forms: list[JsonObject] = [{} for _ in branches]
        node["anyOf"] = list[JsonValue](forms)
        self._finish(place, shape, node)
        for number, (form, branch) in enumerate(zip(forms, branches, strict=True), start=1):
            schema: JsonObject | None = {"allOf": [base, branch]} if base else None
            self._places.append(
                _Place(
                    node=form,
                    schema=branch if schema is None else schema,
                    name=f"{place.name}({number})",
                    depth=place.depth + 1,
                    trail=below.trail,
                    entered=below.entered,
                    alone=branch,
                )
            )

    def _cut(self, place: _Place, shape: Shape, text: str, reason: str = "") -> None:
        """Writes a value of the right type that says nothing about its inside."""
        self.warnings.append(
            f"{place.name}: {reason or 'too large or too deep to describe'}; any value is accepted there"
        )
        if shape.alternatives or shape.types is None or len(shape.types) > 1:
            node = free_form()
        elif shape.types == ("array",):
            node: JsonObject = {"type": "array", "items": free_form()}
        else:
            node = {"type": "object", "properties": {}}
        text = join_sentences(text, "" if reason else "Not described further here.")
        self._finish(place, shape, node | _annotations(shape), text)

    def _affords(self, children: int, depth: int) -> bool:
        """Whether `children` nodes fit below a node of `depth`; takes them from the budget if so."""
        if depth >= self._budget.depth and children:
            return False
        if self._nodes + children > self._budget.nodes or self._bytes > self._budget.json_bytes:
            return False
        self._nodes += children
        return True

    def _later(
        self, below: "_Below", holder: JsonObject, key: str, schema: JsonValue, name: str, *, deeper: int = 1
    ) -> None:
        node = holder[key] = {}
        depth = below.place.depth + deeper
        self._places.append(_Place(node, schema, name, depth, below.trail, below.entered))

    def _finish(self, place: _Place, shape: Shape, node: JsonObject, text: str = "") -> None:
        """Puts the description with all its sentences into `node` and writes it to its place."""
        accepts_null = shape.nullable or shape.only_null
        description = join_sentences(
            clean_text(place.description) or shape.description,
            *shape.notes,
            text,
            describe_constraints(node),
            *place.notes,
            MAY_BE_NULL if accepts_null else "",
        )
        if "type" in node:
            place.node["type"] = node["type"]
        if description:
            place.node["description"] = description
        place.node.update(node)
        self._bytes += len(dump_json(place.node))
        if self._bytes > self._budget.json_bytes:
            self._strip(place)

    def _strip(self, place: _Place) -> None:
        if len(self.warnings) < 1 or not self.warnings[-1].endswith("(size)"):
            self.warnings.append(f"{place.name} and what follows: texts and value lists left out (size)")
        accepts_null = str(place.node.get("description")).endswith(MAY_BE_NULL)
        for key in (*ANNOTATIONS, "description", "enum", "pattern"):
            place.node.pop(key, None)
        if accepts_null:
            place.node["description"] = MAY_BE_NULL


@dataclass(frozen=True, slots=True)
class _Below:
    """What the children of a place share."""

    place: _Place
    trail: tuple[str, ...]
    entered: Mapping[str, str]


def _repeated(place: _Place, shape: Shape, entry: frozenset[str]) -> str:
    """The reference that closes a circle here; "" when there is none."""
    for ref in sorted(entry):
        if ref in place.entered:
            return ref
    return next((ref for ref in shape.refs if place.trail.count(ref) >= MAX_REPEATS), "")


def _annotations(shape: Shape) -> JsonObject:
    return {key: value for key, value in shape.keywords.items() if key in ANNOTATIONS}


def _declared(shape: Shape, additional: JsonValue) -> JsonObject:
    """The properties, with those that are required but described nowhere, as any value."""
    undescribed: JsonObject = {
        name: additional if isinstance(additional, dict) else {}
        for name in shape.required_names()
        if name not in shape.properties and additional is not False
    }
    return shape.properties | undescribed


def _listed(properties: JsonObject) -> str:
    return clean_text(f"Keys: {', '.join(properties)}", _LISTED_CHARS) if properties else ""
