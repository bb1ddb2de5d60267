"""What each keyword of a schema adds to a `Shape`.

Receives the parts of a schema (itself, what it refers to, what is in its `allOf`) one after the other;
changes the shape. Knows nothing of references. `read` handles the few keywords that need them.
"""

from collections.abc import Callable, Mapping

from toolserver.json_types import (
    JsonObject,
    JsonValue,
    array_at,
    equality_key,
    has_null,
    names_at,
    object_at,
    only_value,
    scalar_text,
    select_items,
    text_at,
    written_items,
    written_member,
)
from toolserver.schema.alternatives import discriminator_of
from toolserver.schema.fit import fit_enum
from toolserver.schema.hints import clean_text, describe_choice, value_text
from toolserver.schema.keywords import (
    NO_VALUE,
    PLAIN,
    combine_keywords,
    describe_unread_type,
    list_unread,
    read_keywords,
    read_types,
    types_by_signs,
)
from toolserver.schema.rules import RULES, describe_rules
from toolserver.schema.shape import Alternatives, Shape

_EVALUATES = frozenset({"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "contains"})
"""Keywords that may describe items, so that `unevaluatedItems` does not cover all that are left."""

_INTEGER_FORMATS = ("int32", "int64")


def combine_schemas(first: JsonValue, second: JsonValue) -> JsonValue:
    """A schema that requires both."""
    return first if first is second or first == second else {"allOf": [first, second]}


def _take_types(shape: Shape, part: JsonObject) -> None:
    if part.get("nullable") is True or part.get("x-nullable") is True:
        shape.nullable = True
    types = read_types(part.get("type"))
    if types is None:
        if problem := describe_unread_type(part.get("type")):
            shape.problems += (problem,)
        return
    if "null" in types:
        shape.nullable = True
        types = tuple(name for name in types if name != "null")
    if not types:
        shape.only_null = True
    elif shape.types is None:
        shape.types = types
    elif common := types_of_both(shape.types, types):
        shape.types = common
    else:
        shape.problems += ("its parts contradict each other about the type; the first one counts",)


def types_of_both(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    """The types of values that have one of each."""
    common = [name for name in first if name in second or (name == "integer" and "number" in second)]
    if "number" in first and "integer" in second:
        common.append("integer")
    return tuple(common)


def take_enum(shape: Shape, part: JsonObject) -> None:
    """Narrows the allowed values to those of this part.

    Without a common one the earlier values stay, as types do: no tool can say that nothing is allowed.
    """
    values = only_value(part, "const") if "const" in part else part.get("enum")
    if not isinstance(values, list):
        if values is not None:
            shape.problems += ("its `enum` is no list of values; left out",)
        return
    if shape.enum is None:
        shape.enum = values
        return
    if (common := _values_of_both(shape.enum, values)) is not None:
        shape.enum = common
    elif shape.enum and values:
        shape.problems += ("its parts have no value in common; the list of the first one counts",)


def _values_of_both(first: list[JsonValue], second: list[JsonValue]) -> list[JsonValue] | None:
    """The values of the first list that are in the second, else those that both can be written as."""
    allowed = {equality_key(value) for value in second}
    places = [place for place, value in enumerate(first) if equality_key(value) in allowed]
    if not places:
        texts = _texts_of(first)
        others = {*_texts_of(second)}
        places = [place for place, text in enumerate(texts) if text is not None and text in others]
    return select_items(first, places) if places else None


def _texts_of(values: list[JsonValue]) -> list[str | None]:
    written = written_items(values)
    return [scalar_text(value, written.get(place)) for place, value in enumerate(values)]


def _take_required(shape: Shape, part: JsonObject) -> None:
    if names := names_at(part, "required"):
        shape.required = tuple(dict.fromkeys((*shape.required, *names)))
    elif not isinstance(part["required"], list) and part["required"] not in (False, None):
        shape.problems += ("its `required` is no list of names, so that it is taken as optional",)


def take_needed(shape: Shape, branches: list[list[str]], *, exclusive: bool) -> None:
    """Adds alternatives that only require names: those of every branch are required, the choice is a note."""
    if not all(branches):
        return
    common = [name for name in branches[0] if all(name in names for names in branches)]
    shape.required = tuple(dict.fromkeys((*shape.required, *common)))
    if len(branches) > 1:
        shape.add_note(describe_choice(branches, exclusive=exclusive))


def _take_description(shape: Shape, part: JsonObject) -> None:
    shape.description = shape.description or clean_text(text_at(part, "description"))


def _take_keywords(shape: Shape, part: JsonObject) -> None:
    read = read_keywords(part)
    if "default" in part and "default" not in shape.keywords:
        shape.default_text = written_member(part, "default")
        if "default" not in read:
            shape.problems += (NO_VALUE,)
    if unread := list_unread(part, read):
        shape.problems += (f"left out, because its value is none that it can have: {', '.join(unread)}",)
    combine_keywords(shape.keywords, read)


def take_further_keys(shape: Shape, part: JsonObject) -> None:
    """Adds the rule for further keys; to be called for a part that has one of `KEYS_OF_OBJECTS`."""
    stated = part.get("additionalProperties")
    unevaluated = part.get("unevaluatedProperties")
    if stated is None and isinstance(unevaluated, dict):
        stated = unevaluated
    if isinstance(stated, str | list | int) and not isinstance(stated, bool):
        shape.problems += ("its `additionalProperties` is no schema; any further key is accepted",)
        stated = None
    if stated is not None or not _NAMES.isdisjoint(part):
        shape.additional += (stated,)
    shape.closed = shape.closed or unevaluated is False


def _take_needs(shape: Shape, part: JsonObject) -> None:
    stated = object_at(part, "dependentRequired")
    needs = dict(shape.needs or {})
    rules: list[str] = []
    for name in stated:
        if needed := names_at(stated, name):
            needs[name] = tuple(dict.fromkeys((*needs.get(name, ()), *needed)))
            rules.append(f"`{name}` needs {' and '.join(f'`{each}`' for each in needed)}")
    if rules:
        shape.needs = needs
        shape.add_note("; ".join(rules) + ".")


def _take_items(shape: Shape, part: JsonObject) -> None:
    items = part.get("items")
    prefix = items if isinstance(items, list) else array_at(part, "prefixItems")
    further_items = part.get("additionalItems") if isinstance(items, list) else items
    if further_items is None and _EVALUATES.isdisjoint(part):
        further_items = part.get("unevaluatedItems")
    if prefix and not shape.prefix_items:
        shape.prefix_items = prefix
    if further_items is False:
        combine_keywords(shape.keywords, {"maxItems": len(prefix)})
    elif isinstance(further_items, str | int | float) and further_items is not True:
        shape.problems += ("its `items` is no schema; any item is accepted",)
    elif isinstance(further_items, dict) or further_items is True:
        shape.items = further_items if shape.items is None else combine_schemas(shape.items, further_items)


def _take_rules(shape: Shape, part: JsonObject) -> None:
    shape.is_incomplete = shape.is_incomplete or "if" in part or "dependentSchemas" in part
    sentences, lost = describe_rules(part)
    shape.add_note(" ".join(sentences))
    if lost:
        shape.problems += (f"the rules in {', '.join(dict.fromkeys(lost))} are not part of the schema",)


def _take_discriminator(shape: Shape, part: JsonObject) -> None:
    if discriminator := discriminator_of(part):
        name = text_at(discriminator, "propertyName")
        shape.discriminator = shape.discriminator or discriminator
        names = ", ".join(value_text(key) for key in object_at(discriminator, "mapping"))
        shape.add_note(f"`{clean_text(name)}` tells which form it is{': ' + names if names else ''}.")


def _take_all(shape: Shape, part: JsonObject) -> None:
    """Tells what is no list; the parts of a list are read as the schema itself is."""
    if not isinstance(part["allOf"], list):
        shape.problems += ("its `allOf` is no list of schemas; left out",)


def take_alternatives(shape: Shape, part: JsonObject) -> None:
    """Adds the branches of `anyOf` and `oneOf`, to be settled when all parts are read."""
    for key in ("anyOf", "oneOf"):
        branches = part.get(key)
        if isinstance(branches, list) and branches:
            shape.alternatives += (Alternatives(list(branches), exclusive=key == "oneOf"),)
        elif branches is not None and branches != []:
            shape.problems += (f"its `{key}` is no list of schemas; left out",)


def take_subtypes(shape: Shape, branches: list[JsonValue], at_most: int) -> None:
    """Adds the schemas that extend this one as alternatives distinguished by a discriminator."""
    if len(branches) > at_most:
        shape.problems += (f"more than {at_most} schemas extend it; only what they share is described",)
    elif branches:
        shape.alternatives += (Alternatives(branches, exclusive=True),)


Taker = Callable[[Shape, JsonObject], None]
TAKERS: Mapping[str, Taker] = {
    **dict.fromkeys(PLAIN, _take_keywords),
    **dict.fromkeys(("type", "nullable", "x-nullable"), _take_types),
    **dict.fromkeys(("enum", "const"), take_enum),
    **dict.fromkeys(("items", "prefixItems", "additionalItems", "unevaluatedItems"), _take_items),
    **dict.fromkeys(RULES, _take_rules),
    "allOf": _take_all,
    "dependentRequired": _take_needs,
    "description": _take_description,
    "required": _take_required,
    "discriminator": _take_discriminator,
}
"""Functions by keyword; each is called once per part, however many of its keywords the part has."""

_NAMES = frozenset({"properties", "additionalProperties", "patternProperties"})
KEYS_OF_OBJECTS = _NAMES | {"unevaluatedProperties"}
"""Keywords that name keys or restrict other ones."""


def settle_types(shape: Shape) -> None:
    """Reconciles types and values; a type that no part states is inferred from the keywords."""
    if shape.enum is not None and shape.types == ("array",):
        _settle_listed_items(shape)
    if shape.enum is not None:
        holds_null = has_null(shape.enum)
        shape.nullable = shape.nullable or (holds_null and shape.types is None)
        shape.enum, shape.types, problems = fit_enum(shape.enum, shape.types, nullable=shape.nullable)
        if problems:
            shape.problems += problems
        shape.only_null = shape.only_null or (holds_null and not shape.enum)
        shape.enum = shape.enum or None
    if shape.types is None and not shape.alternatives:  # each of those has a type of its own
        shape.types = implied_types(shape)


def _settle_listed_items(shape: Shape) -> None:
    """Moves a list of values beside an array, none of which is one, to the items, which its author means."""
    listed = shape.enum or []
    values = select_items(listed, [place for place, value in enumerate(listed) if value is not None])
    if not values or any(isinstance(value, list) for value in values):
        return
    allowed: JsonObject = {"enum": values}
    shape.items = allowed if shape.items is None else combine_schemas(shape.items, allowed)
    shape.enum = None
    shape.problems += ("its list of values holds no array; they are taken as values of its items",)


def implied_types(shape: Shape) -> tuple[str, ...] | None:
    """The types that its keywords are about; None when there are none."""
    keys = set(shape.keywords)
    if shape.keywords.get("format") in _INTEGER_FORMATS:
        return ("integer",)
    if shape.properties or shape.required or shape.additional or shape.needs or shape.key_schema is not None:
        keys.add("properties")
    if shape.items is not None or shape.prefix_items:
        keys.add("items")
    return types_by_signs(keys)
