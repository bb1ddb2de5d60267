"""A schema for readers of keywords, in which each fact stands once."""

from tests.support.documents.facts import lost_facts
from toolserver.json_types import JsonObject, JsonValue, dump_json, load_json
from toolserver.schema.compact import compact_schema

LONG = "What the shop calls it, in the language of the customer."


def compact(**properties: JsonObject) -> JsonObject:
    schema: JsonObject = {"type": "object", "properties": {**properties}, "required": []}
    made = load_json(compact_schema(dump_json(schema)).decode())
    assert isinstance(made, dict)
    assert lost_facts(schema, made) == []
    properties_made = made["properties"]
    assert isinstance(properties_made, dict)
    return properties_made


def test_what_a_keyword_says_is_not_said_in_words_once_more() -> None:
    """Constraints beside their keywords took 8 % of all tokens, and examples 5 %."""
    limit: JsonObject = {
        "type": "integer",
        "description": "How many. Default: 20. Value 1\N{EN DASH}100. Example: 5.",
        "minimum": 1,
        "maximum": 100,
        "default": 20,
        "examples": [5],
    }
    state: JsonObject = {
        "type": ["string", "null"],
        "description": "One of: a, b. May be null.",
        "enum": ["a", "b", None],
    }
    made = compact(limit=limit, state=state)
    assert made["limit"] == {**limit, "description": "How many."}
    assert made["state"] == {"type": ["string", "null"], "enum": ["a", "b", None]}


def test_words_without_a_keyword_stay() -> None:
    """A strict schema loses keywords, and then the words are all that is left."""
    node: JsonObject = {"type": "string", "description": "Its day. Format: date. Pattern: `^(?<=x)$`."}
    assert compact(day=node) == {"day": node}


def test_what_the_author_says_within_a_sentence_stays() -> None:
    """Only a sentence of its own is ours."""
    node: JsonObject = {
        "type": "integer",
        "description": "See Default: 5.x for more. Default: 5.",
        "default": 5,
    }
    assert compact(n=node) == {"n": {**node, "description": "See Default: 5.x for more."}}


def test_a_long_description_is_told_once_per_tool() -> None:
    """Inlined forms repeat theirs: an eighth of all tokens."""
    name: JsonObject = {"type": "string", "description": LONG}
    inner: JsonObject = {"type": "array", "items": {"type": "object", "properties": {"title": name}}}
    made = compact(name=name, parts=inner)
    assert made["name"] == name
    assert made["parts"] == {
        "type": "array",
        "items": {"type": "object", "properties": {"title": {"type": "string", "description": "As `name`."}}},
    }


def address(**more: JsonValue) -> JsonObject:
    street: JsonObject = {"type": "string", "description": "Street and number.", **more}
    city: JsonObject = {"type": "string", "description": "Where the street is.", "maxLength": 40}
    return {"type": "object", "properties": {"street": street, "city": city}, "required": ["city"]}


def test_parts_that_another_place_has_are_described_there() -> None:
    """One schema in several places repeated its descriptions, or a reference for each: 2 % of all tokens."""
    made = compact(home=address(), work={**address(), "description": "Where they work."})
    assert made["home"] == address()
    assert made["work"] == {
        "description": "Where they work. Parts: as in `home`.",
        "type": "object",
        "properties": {"street": {"type": "string"}, "city": {"type": "string", "maxLength": 40}},
        "required": ["city"],
    }


def test_parts_that_differ_in_anything_are_described_themselves() -> None:
    """A reference must be true at the place that refers, too."""
    made = compact(home=address(), work=address(maxLength=80))
    assert made == {"home": address(), "work": address(maxLength=80)}


def test_parts_of_parts_are_described_once() -> None:
    """The way to a description leads over the first place that has the whole."""
    person: JsonObject = {"type": "object", "properties": {"name": {"type": "string"}, "home": address()}}
    people: JsonObject = {"type": "array", "items": person}
    made = compact(office=address(), owner=person, staff=people)
    assert dump_json(made["owner"]).count(b"Parts: as in `office`.") == 1
    bare_home: JsonObject = {
        "type": "object",
        "properties": {"street": {"type": "string"}, "city": {"type": "string", "maxLength": 40}},
        "required": ["city"],
    }
    bare_person: JsonObject = {
        "description": "Parts: as in `owner`.",
        "type": "object",
        "properties": {"name": {"type": "string"}, "home": bare_home},
    }
    assert made["staff"] == {"type": "array", "items": bare_person}


def test_a_list_of_required_names_without_any_is_left_out() -> None:
    """It says nothing, in each tool that has no required argument."""
    schema: JsonObject = {"type": "object", "properties": {"a": {"type": "string"}}, "required": []}
    assert load_json(compact_schema(dump_json(schema)).decode()) == {
        "type": "object",
        "properties": {"a": {"type": "string"}},
    }
    strict: JsonObject = {**schema, "properties": {}, "additionalProperties": False}
    assert load_json(compact_schema(dump_json(strict)).decode()) == strict


def test_a_title_that_repeats_the_name_is_left_out() -> None:
    """Generators write one of every name."""
    assert compact(org_id={"type": "string", "title": "Org Id"}) == {"org_id": {"type": "string"}}
    kept: JsonObject = {"type": "string", "title": "Organisation"}
    assert compact(org_id=kept) == {"org_id": kept}


def test_properties_named_like_keywords_are_properties() -> None:
    """An API may well call an argument `description` or `items`."""
    named: JsonObject = {
        "type": "object",
        "properties": {"description": {"type": "string", "description": LONG}},
    }
    assert compact(items=named, title={"type": "string", "default": "description"}) == {
        "items": named,
        "title": {"type": "string", "default": "description"},
    }
