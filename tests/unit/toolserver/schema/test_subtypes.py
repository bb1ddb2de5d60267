"""A base schema with a discriminator stands for the schemas that extend it."""

import json
from typing import cast

import pytest

from tests.support.documents.openapi import document_with
from toolserver.json_types import JsonObject, JsonValue
from toolserver.openapi.document import parse_document
from toolserver.schema.subtypes import MAX_SUBTYPES
from toolserver.tool.compile import DocumentTools


def ref(name: str) -> JsonObject:
    return {"$ref": f"#/components/schemas/{name}"}


def extension(base: str, **properties: JsonValue) -> JsonObject:
    return {"allOf": [ref(base), {"type": "object", "properties": properties}]}


def pet(**discriminator: JsonValue) -> JsonObject:
    return {
        "type": "object",
        "required": ["name"],
        "properties": {"name": {"type": "string"}, "kind": {"type": "string"}},
        "discriminator": {"propertyName": "kind", **discriminator},
    }


def argument(schema: JsonValue, **schemas: JsonValue) -> JsonObject:
    """What a model reads of a body property of this schema."""
    return argument_and_warnings(schema, schemas)[0]


def argument_and_warnings(schema: JsonValue, schemas: JsonObject) -> tuple[JsonObject, tuple[str, ...]]:
    body: JsonObject = {"type": "object", "properties": {"pet": schema}}
    node: JsonObject = {"requestBody": {"content": {"application/json": {"schema": body}}}}
    tools = DocumentTools(
        document_with({"/a": {"post": node}}, components={"schemas": schemas}), source_url=None
    )
    made = tools.schema_of("POST /a")
    return json.loads(made.schema_json)["properties"]["pet"], made.warnings


def forms_of(schema: JsonObject) -> list[tuple[list[str], list[str]]]:
    """Of each form the values of `kind` and its properties."""
    return [
        (form["properties"]["kind"]["enum"], list(form["properties"]))
        for form in cast("list[dict[str, dict[str, dict[str, list[str]]]]]", schema["anyOf"])
    ]


CAT = (["Cat"], ["name", "kind", "lives"])
DOG = (["Dog"], ["name", "kind", "size"])
PUPPY = (["Puppy"], ["name", "kind", "size", "age"])


@pytest.mark.parametrize("use", [ref("Pet"), {"allOf": [ref("Pet")], "description": "His."}])
def test_who_may_send_a_base_may_send_what_extends_it(use: JsonObject) -> None:
    """Else a model is told of a Pet, and the properties of a Cat are nowhere."""
    schema = argument(
        use,
        Pet=pet(),
        Cat=extension("Pet", lives={"type": "integer"}),
        Dog=extension("Pet", size={"type": "string"}),
        Puppy=extension("Dog", age={"type": "integer"}),
    )
    assert forms_of(schema) == [CAT, DOG, PUPPY, (["Pet"], ["name", "kind"])]


def test_a_mapping_names_the_forms_and_their_values() -> None:
    """The base is none of them when the mapping leaves it out; what leads nowhere is passed over."""
    schema = argument(
        ref("Pet"),
        Pet=pet(mapping={"dog": "Dog", "cat": ref("Cat")["$ref"], "gone": "Gone", "odd": 1}),
        Cat=extension("Pet", lives={"type": "integer"}),
        Dog=extension("Pet", size={"type": "string"}),
        Puppy=extension("Dog", age={"type": "integer"}),
    )
    assert forms_of(schema) == [(["dog"], DOG[1]), (["cat"], CAT[1]), PUPPY]


def test_swagger_2_names_the_property_and_nothing_else() -> None:
    """There was no `oneOf` in Swagger 2.0: extension was the only way to write alternatives."""
    base: JsonObject = {"$ref": "#/definitions/Pet"}
    cat: JsonObject = {"allOf": [base, {"type": "object", "properties": {"lives": {"type": "integer"}}}]}
    body: JsonObject = {"in": "body", "name": "pet", "schema": base}
    document: JsonObject = {
        "swagger": "2.0",
        "paths": {"/a": {"post": {"parameters": [body]}}},
        "definitions": {"Pet": {**pet(), "discriminator": "kind"}, "Cat": cat},
    }
    tools = DocumentTools(parse_document(json.dumps(document)), source_url=None)
    schema = json.loads(tools.schema_of("POST /a").schema_json)["properties"]["body"]
    assert forms_of(schema) == [CAT, (["Pet"], ["name", "kind"])]


def test_a_form_for_itself_is_none_of_its_siblings() -> None:
    """A Cat extends the base; it does not become a choice among all that do."""
    cat = argument(ref("Cat"), Pet=pet(), Cat=extension("Pet", lives={}), Dog=extension("Pet"))
    assert list(cast(JsonObject, cat["properties"])) == CAT[1]


def test_forms_that_hold_the_base_again_end_like_any_circle() -> None:
    """A Cat may have Pets as friends."""
    schema = argument(ref("Pet"), Pet=pet(), Cat=extension("Pet", friend=ref("Pet")))
    cat = cast("list[dict[str, dict[str, JsonObject]]]", schema["anyOf"])[0]
    assert "Same form as `Pet`." in str(cat["properties"]["friend"]["description"])


@pytest.mark.parametrize("discriminator", [{}, {"propertyName": ""}, 5, "kind", {"propertyName": "kind"}])
def test_a_base_that_nothing_extends_stays_as_it_is(discriminator: JsonValue) -> None:
    """Broken discriminators tell nothing apart."""
    schema = argument(ref("Pet"), Pet={**pet(), "discriminator": discriminator})
    assert list(cast(JsonObject, schema["properties"])) == ["name", "kind"]


def test_a_base_with_too_many_forms_is_told_alone() -> None:
    """Each of hundreds would be told so little that none could be sent; the report says so."""
    forms: JsonObject = {f"Form{number}": extension("Pet") for number in range(MAX_SUBTYPES + 1)}
    schema, warnings = argument_and_warnings(ref("Pet"), {"Pet": pet(), **forms})
    assert list(cast(JsonObject, schema["properties"])) == ["name", "kind"]
    assert warnings == ("pet: more than 50 schemas extend it; only what they share is described",)
