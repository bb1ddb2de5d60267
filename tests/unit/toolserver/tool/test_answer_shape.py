"""The shape of an answer in one line."""

from tests.support.documents.openapi import document_with
from toolserver.json_types import JsonObject, JsonValue
from toolserver.tool.answer_shape import MAX_CHARS, AnswerShapes


def shape(schema: JsonValue, components: JsonObject | None = None) -> str:
    return shape_of(
        {"200": {"description": "", "content": {"application/json": {"schema": schema}}}}, components
    )


def shape_of(responses: JsonValue, components: JsonObject | None = None) -> str:
    document = document_with({"/it": {"get": {"responses": responses}}}, {"components": components or {}})
    return AnswerShapes(document).line_of("/it", "GET")


def test_two_levels_of_names_tell_what_comes_back() -> None:
    """Models choose by what an operation answers; more levels would cost more than they tell."""
    person: JsonObject = {"type": "object", "properties": {"id": {}, "home": {"properties": {"city": {}}}}}
    page: JsonObject = {"properties": {"page": {}, "people": {"type": "array", "items": person}}}
    assert shape(page) == "{page, people: [{id, home: {…}}]}"
    assert shape({"type": "array", "items": {"type": "string"}}) == "[]"
    assert shape({"type": "object", "additionalProperties": person}) == "{*: {id, home: {…}}}"
    assert shape({"type": "integer"}) == "integer"
    assert shape({}) == "any value"


def test_references_and_compositions_are_followed_and_circles_end() -> None:
    """Answers are mostly references, and a tree refers to itself."""
    tree: JsonObject = {
        "allOf": [{"$ref": "#/components/schemas/Named"}, {"$ref": "#/components/schemas/Tree"}],
        "properties": {"children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}},
    }
    schemas: JsonObject = {"Tree": tree, "Named": {"properties": {"name": {}}}}
    line = shape({"$ref": "#/components/schemas/Tree"}, components={"schemas": schemas})
    assert line == "{children: [{children: [{…}], name}], name}"
    assert shape({"$ref": "#/nowhere"}) == "any value"


def test_the_first_success_counts_and_json_before_other_types() -> None:
    """An error has a shape, too, which is not that of the answer."""
    error: JsonObject = {"content": {"application/json": {"schema": {"properties": {"message": {}}}}}}
    image: JsonObject = {"content": {"image/png": {}}}
    assert shape_of({"400": error, "204": {"description": ""}}) == ""
    assert shape_of({"400": error, "200": image}) == "image/png"
    both: JsonObject = {"content": {"text/xml": {}, "application/json": {"schema": {"type": "string"}}}}
    assert shape_of({"200": both}) == "string"
    assert shape_of({"default": error}) == "{message}"


def test_a_huge_answer_gives_a_line_of_bounded_length() -> None:
    """A document is a stranger's."""
    wide: JsonObject = {"properties": {f"name_{n}": {} for n in range(5_000)}}
    assert len(shape(wide)) == MAX_CHARS
    three: JsonObject = {}
    for n in range(40):
        below: JsonValue = {"$ref": f"#/components/schemas/S{n + 1}"}
        three[f"S{n}"] = {"anyOf": [below, below, below]}
    assert shape({"$ref": "#/components/schemas/S0"}, components={"schemas": three}) == "any value"
