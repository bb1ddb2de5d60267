"""What a null in arguments means: the value null, or that an optional property is left out.

Receives argument schemas as `argument_schemas` writes them, and values. A null is "left out" where the
property is optional and takes no null. Where a schema has several forms, all forms that a value may have are
read together: a null that one of them takes is a value. `find_clash` names the property for which two forms
that look alike disagree.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product
from typing import TypeVar, cast

from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at
from toolserver.schema.hints import MAY_BE_NULL, NEEDED_WITH_BODY
from toolserver.schema.keywords import type_of
from toolserver.schema.write import FREE_FORM_BRANCHES

HolderT = TypeVar("HolderT", bound="JsonObject | list[JsonValue]")


def takes_null(schema: JsonValue) -> bool:
    """Whether null is a value of the schema, by its values, its types, its forms or the words at its end."""
    if not isinstance(schema, dict):
        return schema is not False
    if schema.get("anyOf") == FREE_FORM_BRANCHES or ends_with_null(schema):
        return True
    values = schema.get("enum")
    if isinstance(values, list):
        return None in values
    if "anyOf" in schema:
        return any(map(takes_null, array_at(schema, "anyOf")))
    return _is_typed(schema, "null")


def ends_with_null(schema: JsonObject) -> bool:
    """Whether the last words of the description say that it takes null; of objects only they do."""
    return text_at(schema, "description").endswith(MAY_BE_NULL)


def may_be_left_out(name: str, form: JsonObject) -> bool:
    """Whether a call is complete without this property of an object.

    Those of an optional body are required by keyword, but may be left out together.
    """
    schema = object_at(object_at(form, "properties"), name)
    return name not in array_at(form, "required") or NEEDED_WITH_BODY in text_at(schema, "description")


def without_added_nulls(value: HolderT, schema: JsonObject) -> HolderT:
    """Arguments, or one of them, without nulls that mean "left out", at any depth. Nothing else changes.

    `schema` is the original schema, not the strict one.
    """
    return cast(HolderT, _without_nulls(value, (schema,)))


def find_clash(branches: Sequence[JsonValue], place: str) -> str:
    """The property that null leaves out in one of several forms at `place` and sets in another; "" for none.

    Only forms that a strict value does not tell apart count.
    """
    pairs = combinations(branches, 2)
    return next((found for one, other in pairs for found in _clashes(one, other, place)), "")


def _without_nulls(value: JsonValue, schemas: Iterable[JsonValue]) -> JsonValue:
    if not isinstance(value, dict | list):
        return value
    forms = [*_forms(schemas)]
    if not all(forms):  # one takes any value, so that each null may be meant
        return value
    if isinstance(value, list):
        items = [form["items"] for form in forms if "items" in form]
        return [_without_nulls(item, items) for item in value]
    forms = _candidates(value, forms)
    return {
        name: _without_nulls(inner, [schema for form in forms for schema in _schemas_of(name, form)])
        for name, inner in value.items()
        if inner is not None or not _is_left_out(name, forms)
    }


def _forms(schemas: Iterable[JsonValue]) -> Iterator[JsonObject]:
    """The schemas with each of their alternatives by itself; an empty one for any value."""
    for schema in schemas:
        if not isinstance(schema, dict) or schema.get("anyOf") == FREE_FORM_BRANCHES:
            yield {}
        elif branches := array_at(schema, "anyOf"):
            yield from _forms(branches)
        else:
            yield schema


def _schemas_of(name: str, form: JsonObject) -> Iterator[JsonValue]:
    """What a form says of a property: all that it may mean, where patterns decide."""
    properties = object_at(form, "properties")
    if name in properties:
        yield properties[name]
        return
    yield from object_at(form, "patternProperties").values()
    if isinstance(further := form.get("additionalProperties"), dict):
        yield further


def _candidates(value: JsonObject, forms: Iterable[JsonObject]) -> list[JsonObject]:
    """The forms that an object may be of; of these preferably such as know all of its names."""
    objects = [form for form in forms if _is_typed(form, "object")]
    fitting = [form for form in objects if _fits(value, form)]
    knowing = [form for form in fitting if value.keys() <= object_at(form, "properties").keys()]
    return knowing or fitting or objects


def _fits(value: JsonObject, form: JsonObject) -> bool:
    """Whether an object may be of a form, as far as its names, their types and their listed values tell."""
    properties = object_at(form, "properties")
    if form.get("additionalProperties") is False and not value.keys() <= properties.keys():
        return False
    for name in map(str, array_at(form, "required")):
        if name not in value or (value[name] is None and not takes_null(properties.get(name))):
            return False
    return all(inner is None or _may_be(inner, properties.get(name)) for name, inner in value.items())


def _may_be(value: JsonValue, schema: JsonValue) -> bool:
    if not isinstance(schema, dict) or "anyOf" in schema:
        return True
    values = schema.get("enum")
    kind = type_of(value)
    if isinstance(values, list) and kind not in ("object", "array"):
        return any(each == value and type_of(each) == kind for each in values)
    return _is_typed(schema, kind) or (kind == "integer" and _is_typed(schema, "number"))


def _is_typed(schema: JsonObject, name: str) -> bool:
    types = schema.get("type")
    return types is None or name in (types if isinstance(types, list) else (types,))


def _is_left_out(name: str, forms: Iterable[JsonObject]) -> bool:
    meanings = {_meaning(name, form) for form in forms}
    return "left out" in meanings and "null" not in meanings


def _meaning(name: str, form: JsonObject) -> str:
    """What a null under this name means in a form: "null" or "left out"; "" where it has no meaning."""
    properties = object_at(form, "properties")
    if name not in properties:
        return ""
    if takes_null(properties[name]):
        return "null"
    return "" if name in array_at(form, "required") else "left out"


def _clashes(one: JsonValue, other: JsonValue, place: str) -> Iterator[str]:
    """The places at which two schemas, of which a value has one, read a null in two ways."""
    for first, second in product(_forms((one,)), _forms((other,))):
        if "items" in first and "items" in second:
            yield from _clashes(first["items"], second["items"], f"{place}[]")
        if not (_looks_like(first, second) or _looks_like(second, first)):
            continue
        mine = object_at(first, "properties")
        others = object_at(second, "properties")
        for name in filter(others.__contains__, mine):
            inner = f"{place}.{name}"
            if {_meaning(name, first), _meaning(name, second)} == {"null", "left out"}:
                yield inner
            yield from _clashes(mine[name], others[name], inner)


def _looks_like(first: JsonObject, second: JsonObject) -> bool:
    """Whether a strict value of the first form, which has all of its names, may be taken for the second's."""
    mine = object_at(first, "properties")
    others = object_at(second, "properties")
    if not ({*map(str, array_at(second, "required"))} <= mine.keys() <= others.keys()):
        return False
    needed = map(str, array_at(first, "required"))
    return not any(_are_apart(mine.get(name), others.get(name)) for name in needed)


def _are_apart(one: JsonValue, other: JsonValue) -> bool:
    """Whether no value of the first schema has the second, as far as types and listed values tell."""
    if not isinstance(one, dict) or not isinstance(other, dict) or "anyOf" in one or takes_null(one):
        return False
    for listing, against in ((one, other), (other, one)):
        if values := array_at(listing, "enum"):
            return not any(value is not None and _may_be(value, against) for value in values)
    mine = _kinds(one)
    others = _kinds(other)
    return bool(mine and others) and mine.isdisjoint(others)


def _kinds(schema: JsonObject) -> frozenset[JsonValue]:
    """The types of a schema, whole numbers as numbers; none where it states none."""
    types = schema.get("type")
    stated = types if isinstance(types, list) else [types] if types else []
    return frozenset("number" if name == "integer" else name for name in stated if isinstance(name, str))
