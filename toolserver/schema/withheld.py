"""Finds the places of a value where edits keep properties from callers, at any depth.

Receives a schema as written; gives `Place`s: a finite graph, also of a schema that contains itself. Of
alternatives and parts all count together, so that a name is refused wherever one of them withholds it.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TypeAlias

from msgspec import Struct, field

from toolserver.errors import ReferenceFailed, quote_text
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at
from toolserver.openapi.document import schema_reference_of
from toolserver.openapi.edits import EXTENSION
from toolserver.schema.argument_edit import chosen_name, withheld_properties

MAX_PLACES = 500
"""Maximum number of places of one operation; chosen, as no hand-made edit needs a tenth."""

MAX_SCHEMAS = 500_000
"""Maximum number of schemas of a document that are looked at for edits."""

_SAME_VALUE = ("allOf", "anyOf", "oneOf")
_SAME_VALUE_ALONE = ("if", "then", "else", "not")
_ITEMS = ("items", "contains", "additionalItems", "unevaluatedItems")
_FURTHER = ("additionalProperties", "unevaluatedProperties")

_NOT_AN_ARGUMENT = "The property {} keeps its name: an edit can only choose that of an argument."

_Schemas: TypeAlias = tuple[JsonObject, ...]


class TooManyPlaces(Exception):
    """Edits withhold properties in more places than are kept; its text says so."""


class Place(Struct, gc=False):
    """One place of a value: what is withheld there, and where the places below it are."""

    refused: list[str] = field(default_factory=list[str])
    """Names of properties that no caller may send there."""
    fixed: list[tuple[str, JsonValue]] = field(default_factory=list[tuple[str, JsonValue]])
    """Those of them that are sent with a value."""
    members: dict[str, int] = field(default_factory=dict[str, int])
    """The places of properties, by name."""
    others: int | None = None
    """The place of properties that have no name in the schema."""
    items: int | None = None
    takes_text: bool = False
    """Whether a text there is only a text, because names are refused for how an object would be written."""

    def to_json(self) -> JsonObject:
        """The place as a plan has it, without what is empty."""
        written: JsonObject = {"takes_text": True} if self.takes_text else {}
        if self.refused:
            written["refused"] = list[JsonValue](self.refused)
        if self.fixed:
            written["fixed"] = [[name, value] for name, value in self.fixed]
        if self.members:
            written["members"] = [[name, index] for name, index in self.members.items()]
        if self.others is not None:
            written["others"] = self.others
        if self.items is not None:
            written["items"] = self.items
        return written


class PlaceFinder:
    """Finds the places of the schemas of one document."""

    def __init__(self, resolve: Callable[[str], JsonValue], *, may_fix: bool) -> None:
        """`resolve` gives the node of a reference or raises `ReferenceFailed`; `may_fix` as in edits."""
        self._resolve = resolve
        self._may_fix = may_fix
        self._clean: dict[int, JsonObject] = {}
        """Schemas below which nothing is edited, by identity, each so that the identity is not reused."""
        self._telling: dict[int, JsonObject] = {}
        """Schemas below which something is."""
        self._left = MAX_SCHEMAS

    def find_places(self, schema: JsonValue, places: list[Place], problems: list[str]) -> int | None:
        """The index of the schema's place among `places`, which gets it; None: nothing is withheld there.

        Raises:
            TooManyPlaces: see there.
        """
        if not isinstance(schema, dict):
            return None
        return _Graph(self, places, problems).add(schema)

    def tells(self, schema: JsonObject) -> bool:
        """Whether anything below a schema is withheld."""
        if id(schema) not in self._clean and id(schema) not in self._telling:
            self._look_through(schema)
        return id(schema) in self._telling

    def renamed_in(self, schema: JsonValue) -> Iterator[str]:
        """The properties of a schema for whose arguments an edit chose a name.

        Raises:
            TooManyPlaces: see there.
        """
        if isinstance(schema, dict) and self.tells(schema):
            for branch in self.branches_of((schema,)):
                properties = object_at(branch, "properties")
                yield from (name for name, each in properties.items() if chosen_name(each))

    def branches_of(self, schemas: _Schemas) -> list[JsonObject]:
        """The schemas and all that they combine, each once."""
        found: dict[int, JsonObject] = {}
        waiting = list(schemas)
        while waiting:
            schema = waiting.pop()
            if id(schema) not in found:
                found[id(schema)] = schema
                waiting += self._combined(schema)
        return list(found.values())

    def withheld_in(self, holder: JsonObject, problems: list[str]) -> dict[str, tuple[JsonValue, ...]]:
        """See `withheld_properties`."""
        found, new = withheld_properties(holder, may_fix=self._may_fix)
        problems += [problem for problem in new if problem not in problems]
        return found

    def _combined(self, schema: JsonObject) -> Iterator[JsonObject]:
        ref = schema_reference_of(schema)
        if ref is not None:
            with suppress(ReferenceFailed):
                yield from _objects((self._resolve(ref),))
        for keyword in _SAME_VALUE:
            yield from _objects(array_at(schema, keyword))
        yield from _objects(schema.get(keyword) for keyword in _SAME_VALUE_ALONE)
        yield from _objects(object_at(schema, "dependentSchemas").values())

    def _look_through(self, root: JsonObject) -> None:
        above: dict[int, list[int]] = {id(root): []}
        """The schemas that lead to each."""
        seen: dict[int, JsonObject] = {}
        waiting, found = [root], list[int]()
        while waiting:
            schema = waiting.pop()
            self._left -= 1
            if self._left < 0:
                raise TooManyPlaces("The document has too many schemas to look at each for edits.")
            if id(schema) in self._telling or _is_edited(schema):
                found.append(id(schema))
            seen[id(schema)] = schema
            for below in (*self._combined(schema), *_below(schema)):
                if id(below) not in above and id(below) not in self._clean:
                    waiting.append(below)
                above.setdefault(id(below), []).append(id(schema))
        telling: set[int] = set()
        while found:
            schema_id = found.pop()
            if schema_id not in telling:
                telling.add(schema_id)
                found += above.get(schema_id, ())
        self._telling |= {each: schema for each, schema in seen.items() if each in telling}
        self._clean |= {each: schema for each, schema in seen.items() if each not in telling}


class _Graph:
    """The places of one value while they are found."""

    def __init__(self, finder: PlaceFinder, places: list[Place], problems: list[str]) -> None:
        self._finder = finder
        self._places = places
        self._problems = problems
        self._indexes: dict[frozenset[int], int] = {}
        self._waiting: list[tuple[Place, _Schemas]] = []
        self._root = Place()

    def add(self, schema: JsonObject) -> int | None:
        """The index of the schema's place."""
        before = len(self._places)
        index = self._index_of((schema,))
        while self._waiting:
            self._fill(*self._waiting.pop())
        if not any(place.refused for place in self._places[before:]):  # edits of texts alone
            del self._places[before:]
            return None
        return index

    def _index_of(self, schemas: _Schemas) -> int | None:
        if not any(map(self._finder.tells, schemas)):
            return None
        key = frozenset(map(id, schemas))
        if key not in self._indexes:
            if len(self._places) >= MAX_PLACES:
                raise TooManyPlaces(f"Edits withhold properties in more than {MAX_PLACES} places of it.")
            place = Place() if self._indexes else self._root
            self._indexes[key] = len(self._places)
            self._places.append(place)
            self._waiting.append((place, schemas))
        return self._indexes[key]

    def _fill(self, place: Place, schemas: _Schemas) -> None:
        withheld: dict[str, tuple[JsonValue, ...]] = {}
        named: dict[str, list[JsonObject]] = {}
        items: list[JsonObject] = []
        others: list[JsonObject] = []
        for branch in self._finder.branches_of(schemas):
            for name, value in self._finder.withheld_in(branch, self._problems).items():
                withheld[name] = withheld.get(name) or value
            for name, schema in object_at(branch, "properties").items():
                named.setdefault(name, []).extend(_objects((schema,)))
                if place is not self._root and chosen_name(schema):
                    self._problems.append(_NOT_AN_ARGUMENT.format(quote_text(name)))
            items += _items_of(branch)
            others += _others_of(branch)
        place.refused = list(withheld)
        place.fixed = [(name, value[0]) for name, value in withheld.items() if value]
        for name, below in named.items():
            index = None if name in withheld else self._index_of(tuple(below))
            if index is not None:
                place.members[name] = index
        place.items = self._index_of(tuple(items))
        place.others = self._index_of(tuple(others))


def _is_edited(schema: JsonObject) -> bool:
    properties = object_at(schema, "properties").values()
    return any(isinstance(each, dict) and EXTENSION in each for each in properties)


def _below(schema: JsonObject) -> Iterator[JsonObject]:
    yield from _objects(object_at(schema, "properties").values())
    yield from _items_of(schema)
    yield from _others_of(schema)


def _items_of(schema: JsonObject) -> Iterator[JsonObject]:
    yield from _objects(schema.get(keyword) for keyword in _ITEMS)
    yield from _objects(array_at(schema, "prefixItems"))
    yield from _objects(array_at(schema, "items"))


def _others_of(schema: JsonObject) -> Iterator[JsonObject]:
    yield from _objects(schema.get(keyword) for keyword in _FURTHER)
    yield from _objects(object_at(schema, "patternProperties").values())


def _objects(values: Iterable[JsonValue]) -> Iterator[JsonObject]:
    for value in values:
        if isinstance(value, dict):
            yield value
