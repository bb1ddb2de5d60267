"""How XML bodies are written, by the examples of the specification's XML Object."""

import pytest

from tests.support.documents.openapi import document_with
from toolserver.json_types import JsonObject, JsonValue
from toolserver.operation.xml_body import xml_node


def tree_of(schema: JsonValue, **schemas: JsonValue) -> JsonObject:
    return xml_node(document_with({}, {"components": {"schemas": schemas}}), schema)


def property_of(schema: JsonObject) -> JsonValue:
    return tree_of({"properties": {"animals": schema}, "xml": {"name": "x"}})["properties"]


TEXT: JsonObject = {"type": "string"}


@pytest.mark.parametrize(
    ("schema", "node"),
    [
        (TEXT, {"name": "animals"}),
        ({**TEXT, "xml": {"name": "animal"}}, {"name": "animal"}),
        ({**TEXT, "xml": {"attribute": True}}, {"name": "animals", "node": "attribute"}),
        (
            {**TEXT, "xml": {"prefix": "s", "namespace": "http://x.example"}},
            {"name": "animals", "prefix": "s", "namespace": "http://x.example"},
        ),
        ({"type": "array", "items": TEXT}, {"name": "animals", "items": {"name": "animals"}}),
        (
            {"type": "array", "items": {**TEXT, "xml": {"name": "animal"}}},
            {"name": "animals", "items": {"name": "animal"}},
        ),
        (
            {"type": "array", "items": {**TEXT, "xml": {"name": "animal"}}, "xml": {"name": "aliens"}},
            {"name": "animals", "items": {"name": "animal"}},
        ),
        (
            {"type": "array", "items": TEXT, "xml": {"name": "aliens", "wrapped": True}},
            {"name": "aliens", "wrapped": True, "items": {"name": "aliens"}},
        ),
        (
            {"type": "array", "items": TEXT, "xml": {"wrapped": True}},
            {"name": "animals", "wrapped": True, "items": {"name": "animals"}},
        ),
        (
            {"type": "array", "items": TEXT, "xml": {"nodeType": "element"}},
            {"name": "animals", "wrapped": True, "items": {"name": "animals"}},
        ),
        ({**TEXT, "xml": {"nodeType": "cdata"}}, {"name": "animals", "node": "cdata"}),
        ({**TEXT, "xml": {"name": "not a name"}}, {"name": "animals"}),
    ],
)
def test_names_and_places_are_as_the_specification_shows(schema: JsonObject, node: JsonObject) -> None:
    """XML Object Examples of 3.0.4, 3.1.2 and, for nodeType, 3.2.0."""
    assert property_of(schema) == [{"property": "animals", **node}]


def test_the_root_is_named_after_its_component() -> None:
    """Schema name "Pet" makes <Pet>; its own xml.name wins; an inline root has no name of its own."""
    assert tree_of({"$ref": "#/components/schemas/Pet"}, Pet={})["name"] == "Pet"
    assert tree_of({"$ref": "#/components/schemas/Pet"}, Pet={"xml": {"name": "p"}})["name"] == "p"
    assert tree_of({})["name"] == "root"


def test_a_nameless_root_of_one_property_is_that_property() -> None:
    """As in Amazon's documents: an inline root names no element, the property's schema does."""
    assert tree_of({"properties": {"Upload": {"xml": {"namespace": "http://s3.example"}}}}) == {
        "name": "root",
        "node": "none",
        "properties": [{"property": "Upload", "name": "Upload", "namespace": "http://s3.example"}],
    }


def test_a_root_array_is_wrapped() -> None:
    """A document has one root element."""
    assert tree_of({"type": "array", "items": {"xml": {"name": "pet"}}, "xml": {"name": "pets"}}) == {
        "name": "pets",
        "wrapped": True,
        "items": {"name": "pet"},
    }


def test_combined_schemas_are_one_element() -> None:
    """Properties keep the order in which they stand."""
    schema: JsonObject = {
        "properties": {"a": {}},
        "allOf": [{"$ref": "#/components/schemas/B"}, {"properties": {"a": {"xml": {"name": "x"}}, "c": {}}}],
    }
    tree = tree_of(schema, B={"properties": {"b": {}}})
    assert tree["properties"] == [
        {"property": "a", "name": "a"},
        {"property": "b", "name": "b"},
        {"property": "c", "name": "c"},
    ]


def test_recursive_schemas_end() -> None:
    """Deeper values are written by their keys."""
    tree = tree_of(
        {"$ref": "#/components/schemas/N"},
        N={"properties": {"next": {"$ref": "#/components/schemas/N"}, "gone": {"$ref": "#/x"}}},
    )
    assert tree == {
        "name": "N",
        "properties": [
            {
                "property": "next",
                "name": "next",
                "properties": [
                    {"property": "next", "name": "next"},
                    {"property": "gone", "name": "gone"},
                ],
            },
            {"property": "gone", "name": "gone"},
        ],
    }


def test_a_tree_has_at_most_400_nodes() -> None:
    """Plans are sent to pages; a schema that multiplies must not make one of megabytes."""
    schemas: dict[str, JsonValue] = {
        f"L{level}": {
            "properties": {f"p{n}": {"$ref": f"#/components/schemas/L{level + 1}"} for n in range(10)}
        }
        for level in range(8)
    }
    tree = tree_of({"$ref": "#/components/schemas/L0"}, **schemas)
    assert str(tree).count("'property'") < 400
