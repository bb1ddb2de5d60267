"""What edits keep from the callers of one operation, and how its plan says so.

Receives the parameters and body of an operation; gives a `Withheld`, which `amend_plan` writes into its plan:
fixed values, the places of a value where names are refused, and names that are refused as arguments.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

import orjson
from msgspec import Struct

from toolserver.json_types import JsonObject, JsonValue, array_at, dump_json, object_at, text_at
from toolserver.openapi.document import Document
from toolserver.operation.argument_names import Target, legal_name
from toolserver.operation.body import Body
from toolserver.operation.body_field import may_be_object, rules_of
from toolserver.operation.parameter import Parameter, Sending
from toolserver.schema.withheld import Place, PlaceFinder

EDITED_VERSION = 2
"""Of a plan from which something is withheld. A page from before such plans refuses it."""

_EDITED_START = b'{"version":%d,' % EDITED_VERSION
_LOCATIONS_OF_QUERIES = ("query", "querystring")


class Withheld(Struct, gc=False):
    """What edits keep from the callers of one operation: treat as read-only."""

    fixed: tuple[Sending, ...]
    """Parameters with a fixed value."""
    names: tuple[str, ...]
    """Names that are refused as arguments, unless another argument has one of them."""
    places: tuple[Place, ...]
    by_parameter: tuple[tuple[Target, int], ...]
    """The places of parameters' values."""
    body: int | None
    """The place of the body."""
    fields: tuple[JsonValue, ...]
    """How fixed properties of a form are written, as its plan says of others."""


class Withholding:
    """Reads what is withheld in the operations of one document."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._finder = PlaceFinder(document.resolve_ref, may_fix=document.is_edited)

    def read_withheld(
        self, parameters: Sequence[Parameter], withheld: Sequence[Sending], body: Body | None
    ) -> tuple[Withheld | None, list[str]]:
        """Find what is withheld of an operation, None for nothing; and sentences about edits that cannot be.

        `parameters`: those that arguments fill.

        Raises:
            TooManyPlaces: see there.
        """
        problems: list[str] = []
        places: list[Place] = []
        by_parameter: list[tuple[Target, int]] = []
        for each in parameters:
            schema = each.describe_parameter(self._document).schema
            index = self._finder.find_places(schema, places, problems)
            if may_be_object(self._document, schema):
                index = _with_names(_spread_names(each.sending, withheld), index, places, each.sending)
            if index is not None:
                by_parameter.append((each.sending.target, index))
        at_body = None if body is None else self._finder.find_places(body.schema, places, problems)
        renamed = [each.sending for each in parameters if each.sending.chosen]
        root = None if at_body is None else places[at_body]
        of_body = [] if root is None else root.refused
        if body is not None:
            of_body = [*of_body, *self._finder.renamed_in(body.schema)]
        if not (withheld or places or renamed or of_body):
            return None, problems
        names = dict.fromkeys(name for each in (*withheld, *renamed) for name in _names_of(each))
        names |= dict.fromkeys(each for name in of_body for each in (name, legal_name(name)))
        return (
            Withheld(
                tuple([each for each in withheld if each.fixed]),
                tuple(names),
                tuple(places),
                tuple(by_parameter),
                at_body,
                _rules_of(body, root),
            ),
            problems,
        )


def amend_plan(plan_json: bytes, withheld: Withheld) -> bytes:
    """The plan of an operation with what is withheld of it."""
    plan = cast(JsonObject, orjson.loads(plan_json)) | {"version": EDITED_VERSION}
    places = dict(withheld.by_parameter)
    parameters = [each for each in array_at(plan, "parameters") if isinstance(each, dict)]
    for entry in parameters:
        index = places.get(cast(Target, (text_at(entry, "in"), text_at(entry, "name"))))
        if index is not None:
            entry["place"] = index
    plan["parameters"] = [*parameters, *map(_fixed_entry, withheld.fixed)]
    body = object_at(plan, "body")
    if body and withheld.body is not None:
        body["place"] = withheld.body
        if withheld.fields and "properties" in body:
            body["fields"] = list(withheld.fields)
    declared = {
        text_at(entry, "argument")
        for entry in (*parameters, *array_at(body, "properties"), body)
        if isinstance(entry, dict)
    }
    plan["withheld"] = {
        "names": [name for name in withheld.names if name not in declared],
        "places": [place.to_json() for place in withheld.places],
    }
    return dump_json(plan)


def version_of_plan(plan_json: bytes) -> int:
    """The version of a plan: who knows only lower ones would send a request without what edits fix."""
    return EDITED_VERSION if plan_json.startswith(_EDITED_START) else 1


class FixedValue(NamedTuple):
    """A value that every request of an operation carries."""

    place: str
    """"body", or where a parameter is."""
    name: str
    """Its name; further down with the names above it, "*" for those that no schema knows."""
    value: JsonValue


def fixed_values(plan_json: bytes) -> list[FixedValue]:
    """The values that edits have fixed, as a plan carries them."""
    if version_of_plan(plan_json) < EDITED_VERSION:
        return []
    plan = cast(JsonObject, orjson.loads(plan_json))
    parameters = [each for each in array_at(plan, "parameters") if isinstance(each, dict)]
    found = [
        FixedValue(text_at(each, "in"), text_at(each, "name"), each["fixed"])
        for each in parameters
        if "fixed" in each
    ]
    starts = [(text_at(each, "in"), each.get("place"), f"{text_at(each, 'name')}.") for each in parameters]
    waiting = [*starts, ("body", object_at(plan, "body").get("place"), "")]
    places = array_at(object_at(plan, "withheld"), "places")
    seen: set[int] = set()
    while waiting:
        where, index, above = waiting.pop(0)
        if not isinstance(index, int) or index in seen:
            continue
        seen.add(index)
        place = cast(JsonObject, places[index])
        found += [FixedValue(where, f"{above}{name}", value) for name, value in _pairs(place, "fixed")]
        waiting += [(where, below, f"{above}{name}.") for name, below in _pairs(place, "members")]
        waiting += [(where, place.get("others"), f"{above}*."), (where, place.get("items"), above)]
    return found


def _pairs(place: JsonObject, key: str) -> Iterator[tuple[JsonValue, JsonValue]]:
    for pair in array_at(place, key):
        if isinstance(pair, list):
            yield pair[0], pair[1]


def _fixed_entry(sending: Sending) -> JsonObject:
    entry = sending.to_json("")
    del entry["argument"], entry["withheld"]
    return entry


def _names_of(sending: Sending) -> Iterator[str]:
    """The names that its argument has, or might have beside others."""
    for name in (sending.name, legal_name(sending.name)):
        yield name
        yield f"{name}__{sending.location}"


def _spread_names(sending: Sending, withheld: Sequence[Sending]) -> list[str]:
    """The keys of an object by which a parameter would become one of the withheld ones."""
    if sending.content_type is not None and sending.location != "querystring":
        return []
    names = [each.name for each in withheld if each.location in _LOCATIONS_OF_QUERIES]
    if sending.location == "querystring" or (sending.style == "form" and sending.explode):
        return names if sending.location in _LOCATIONS_OF_QUERIES else []
    if sending.style != "deepObject":
        return []
    start = f"{sending.name}["
    return [name[len(start) : -1] for name in names if name.startswith(start) and name.endswith("]")]


def _with_names(names: list[str], index: int | None, places: list[Place], sending: Sending) -> int | None:
    """The index of a place that also refuses these names."""
    if not names:
        return index
    own = Place() if index is None else places[index]
    refused = list(dict.fromkeys((*own.refused, *names)))
    takes_text = index is None and sending.location != "querystring"
    places.append(Place(refused, own.fixed, own.members, own.others, own.items, takes_text))
    return len(places) - 1


def _rules_of(body: Body | None, root: Place | None) -> tuple[JsonValue, ...]:
    if body is None or root is None:
        return ()
    fixed = {name: body.fields[name] for name, _ in root.fixed if name in body.fields}
    return tuple(rules_of(fixed))
