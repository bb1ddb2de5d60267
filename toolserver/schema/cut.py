"""What is left of a schema where its description ends: its type, and of an object the keys that it needs.

Receives a shape and a way to read the schemas below it; gives plain JSON. A caller that reads keywords only
sends what is required then, and one that sends less is refused before the API does it. What a needed key
holds is told by its type: of an object nothing further, of an array what its items are, since it may be the
circle again. Whatever the schema allows, these forms allow.
"""

from collections.abc import Iterable

from toolserver.json_types import JsonObject, JsonValue, dump_json
from toolserver.schema.hints import MAY_BE_NULL, clean_text
from toolserver.schema.keywords import unique_values
from toolserver.schema.read import ShapeReader
from toolserver.schema.shape import Shape

MAX_KEPT = 20
"""Maximum number of keys that a cut object keeps; what needs more of them has 400 nodes anyway."""

_ENUM_BYTES = 60
"""Maximum bytes of a list of values that a kept key keeps: about 15 tokens, as the value of a
discriminator takes. Formats and bounds are left out; a model can read neither where nothing is described."""

_LISTED_CHARS = 400


def free_form() -> JsonObject:
    """A schema for any value, in a form that survives all readers: neither boolean nor empty."""
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


def cut_form(reader: ShapeReader, shape: Shape, trail: Iterable[str], *, with_keys: bool) -> JsonObject:
    """The schema for anything of a shape's type; `trail` as in `ShapeReader.read_shape`.

    `with_keys`: an object keeps what it needs, and says by `additionalProperties` that there may be more.
    """
    (name, *others) = shape.types or ("",)
    if not name or others or shape.alternatives:
        return free_form()
    if name == "array":
        return {"type": name, "items": free_form()}
    if name != "object":
        return {"type": name}
    declared = declared_properties(shape, shape.additional_schema())
    needed = [key for key in dict.fromkeys(shape.required_names()) if key in declared][:MAX_KEPT]
    if not needed or not with_keys:
        return {"type": "object", "properties": {}}
    kept: JsonObject = {key: _kept_form(reader, declared[key], trail) for key in needed}
    names: list[JsonValue] = [*needed]
    return {"type": "object", "properties": kept, "required": names, "additionalProperties": True}


def _kept_form(
    reader: ShapeReader, schema: JsonValue, trail: Iterable[str], *, in_array: bool = False
) -> JsonObject:
    shape = reader.read_shape(schema, trail)
    types, nullable = _types_of(reader, shape, trail)
    if types == ("object",):
        form: JsonObject = {"type": "object", "properties": {}}
    elif types == ("array",):
        has_form = isinstance(shape.items, dict) and not (
            shape.prefix_items or shape.alternatives or in_array
        )
        items = _kept_form(reader, shape.items, trail, in_array=True) if has_form else free_form()
        form = {"type": "array", "items": items}
    elif types is None or not {"object", "array"}.isdisjoint(types):
        return free_form()
    else:
        return _scalar_form(types, shape, nullable=nullable)
    return {**form, "description": MAY_BE_NULL} if nullable else form


def _types_of(reader: ShapeReader, shape: Shape, trail: Iterable[str]) -> tuple[tuple[str, ...] | None, bool]:
    """The types of a schema and whether it may be null, alternatives counted in; None: any."""
    if not shape.alternatives:
        return shape.types, shape.nullable
    branches = [reader.read_shape(branch, trail) for branch in shape.alternatives[0].branches]
    nullable = shape.nullable or any(branch.nullable or branch.only_null for branch in branches)
    types: dict[str, None] = {}
    for branch in branches:
        if branch.types is None or branch.alternatives:
            return None, nullable
        types.update(dict.fromkeys(branch.types))
    return tuple(types), nullable


def _scalar_form(types: tuple[str, ...], shape: Shape, *, nullable: bool) -> JsonObject:
    names: list[JsonValue] = [*types, "null"] if nullable else [*types]
    form: JsonObject = {"type": names[0] if len(names) == 1 else names}
    if shape.enum and not shape.alternatives:
        values = unique_values([*shape.enum, *([None] if nullable else [])])
        if len(dump_json(values)) <= _ENUM_BYTES:
            form["enum"] = values
    return form


def declared_properties(shape: Shape, additional: JsonValue) -> JsonObject:
    """The properties, including those that are required but not described, as any value."""
    undescribed: JsonObject = {
        name: additional if isinstance(additional, dict) else {}
        for name in shape.required_names()
        if name not in shape.properties and additional is not False
    }
    return shape.properties | undescribed if undescribed else shape.properties


def list_keys(shape: Shape) -> str:
    """The names of an object's keys, those that it needs marked; "" for anything else."""
    properties = declared_properties(shape, shape.additional_schema())
    if shape.types != ("object",) or shape.alternatives or not properties:
        return ""
    required = frozenset(shape.required_names())
    names = [f"{name} (required)" if name in required else name for name in properties]
    return clean_text(f"Keys: {', '.join(names)}", _LISTED_CHARS)
