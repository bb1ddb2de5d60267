"""Schemas of documents in the form that tools advertise."""

from typing import cast

import pytest

from tests.support.documents.schemas import flat, flat_with_warnings
from toolserver.json_types import JsonObject, JsonValue, dump_json
from toolserver.schema.write import free_form
from toolserver.tool.argument_schemas import Budget

DASH = "\N{EN DASH}"


def ref(name: str) -> JsonObject:
    return {"$ref": f"#/components/schemas/{name}"}


ANY = {**free_form(), "description": "Free-form value."}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, {"type": "string"}),
        (
            {"type": "string", "description": "Account name", "maxLength": 39},
            {"type": "string", "maxLength": 39, "description": f"Account name. Length 0{DASH}39."},
        ),
        (
            {"type": "string", "nullable": True, "enum": ["open", "closed"], "default": "open"},
            {
                "type": ["string", "null"],
                "enum": ["open", "closed", None],
                "default": "open",
                "description": "One of: open, closed. Default: open. May be null.",
            },
        ),
        (
            {"type": "integer", "minimum": 0, "exclusiveMinimum": True, "maximum": "1e2"},
            {
                "type": "integer",
                "exclusiveMinimum": 0,
                "maximum": 100,
                "description": "Value <= 100. Value > 0.",
            },
        ),
        ({"const": "x"}, {"type": "string", "enum": ["x"], "description": "Must be: x."}),
        ({"type": "string", "enum": [1, True]}, {"type": "string", "enum": ["1", "true"]}),
        ({"type": "integer", "enum": ["a"]}, {"type": "string", "enum": ["a"], "description": "Must be: a."}),
        ({"enum": [1, None]}, {"type": ["integer", "null"], "enum": [1, None]}),
        ({"type": ["integer", "string"]}, {"type": ["integer", "string"]}),
        ({"type": "file"}, {"type": "string"}),
        ({}, ANY),
        (True, ANY),
        (False, ANY),
        (None, ANY),
        ({"description": "whatever"}, {**free_form(), "description": "whatever"}),
        ({"anyOf": [{"type": "string"}, {}]}, ANY),
        ({"type": "array"}, {"type": "array", "items": free_form()}),
        ({"items": {"type": "string"}}, {"type": "array", "items": {"type": "string"}}),
        ({"minLength": 2}, {"type": "string", "minLength": 2, "description": "Length >= 2."}),
        ({"type": "null"}, {"type": ["string", "null"], "enum": [None]}),
        ({"anyOf": [{"type": "null"}]}, {"type": ["string", "null"], "enum": [None]}),
        ({"oneOf": [{"const": None}, {"enum": [None]}]}, {"type": ["string", "null"], "enum": [None]}),
    ],
)
def test_simple_schemas_become_the_measured_form(schema: JsonValue, expected: JsonObject) -> None:
    """Both converters of Open WebUI were measured with exactly this form."""
    result = flat(schema)
    if "description" not in expected:
        result.pop("description", None)
    assert result == expected


def test_a_nullable_object_says_so_in_words_only() -> None:
    """A type list would cost the object its properties in Open WebUI's browser converter."""
    for schema in (
        {"type": ["object", "null"], "properties": {"x": {"type": "string"}}},
        {"type": "object", "nullable": True, "properties": {"x": {"type": "string"}}},
        {"oneOf": [{"type": "object", "properties": {"x": {"type": "string"}}}, {"type": "null"}]},
    ):
        assert flat(cast(JsonObject, schema)) == {
            "type": "object",
            "description": "May be null.",
            "properties": {"x": {"type": "string"}},
        }


def test_all_of_is_merged_with_the_tighter_bound() -> None:
    """A reader that ignores `allOf` would lose every property of an inherited schema."""
    merged = flat(
        {
            "allOf": [
                ref("Base"),
                {"type": "object", "required": ["b"], "properties": {"b": {"type": "integer", "maximum": 5}}},
            ]
        },
        Base={
            "type": "object",
            "description": "Base.",
            "required": ["a"],
            "properties": {"a": {"type": "string"}, "b": {"minimum": 1, "maximum": 9}},
        },
    )
    assert merged == {
        "type": "object",
        "description": "Base.",
        "properties": {
            "a": {"type": "string"},
            "b": {"type": "integer", "minimum": 1, "maximum": 5, "description": f"Value 1{DASH}5."},
        },
        "required": ["a", "b"],
    }


def test_one_of_becomes_any_of_with_the_common_part_in_each_branch() -> None:
    """`oneOf` beside `properties` is lost by one converter and mangled by the other."""
    union = flat(
        {
            "type": "object",
            "properties": {"id": {"type": "string"}},
            "oneOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "string"}}}],
        }
    )
    assert union == {
        "anyOf": [
            {"type": "object", "properties": {"id": {"type": "string"}, "a": {"type": "string"}}},
            {"type": "object", "properties": {"id": {"type": "string"}, "b": {"type": "string"}}},
        ]
    }


def test_a_subtype_that_extends_its_union_does_not_contain_its_siblings() -> None:
    """The usual inheritance of OpenAPI 3.0: the parent lists the children, each child extends the parent."""
    schema, warnings = flat_with_warnings(
        ref("Pet"),
        {
            "Pet": {
                "type": "object",
                "properties": {"kind": {"type": "string"}},
                "oneOf": [ref("Cat"), ref("Dog")],
                "discriminator": {"propertyName": "kind", "mapping": {"cat": "#/components/schemas/Cat"}},
            },
            "Cat": {"allOf": [ref("Pet"), {"properties": {"lives": {"type": "integer"}}}]},
            "Dog": {"allOf": [ref("Pet"), {"properties": {"bark": {"type": "boolean"}}}]},
        },
    )
    branches = cast("list[JsonObject]", schema["anyOf"])
    assert [list(cast(JsonObject, branch["properties"])) for branch in branches] == [
        ["kind", "lives"],
        ["kind", "bark"],
    ]
    assert schema["description"] == "`kind` tells which form it is: cat."
    assert warnings == []


def test_branches_that_only_require_become_a_sentence() -> None:
    """They carry no type; the browser converter turns them into empty schemas."""
    schema = flat(
        {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
         "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}
    )  # fmt: skip
    assert schema["description"] == "Needs exactly one of: `a`; `b`."
    assert "anyOf" not in schema


def test_alternatives_of_single_values_become_one_list_with_their_meanings() -> None:
    """`oneOf` of `const` is how newer documents describe what each value of a list means."""
    schema = flat({"oneOf": [{"const": "a", "title": "First"}, {"const": "b", "description": "Second."}]})
    assert schema == {
        "type": "string",
        "enum": ["a", "b"],
        "description": "a = First; b = Second. One of: a, b.",
    }


def test_several_types_become_branches_when_one_of_them_has_an_inside() -> None:
    """A type list with an object loses the object's properties on the way."""
    schema = flat(
        {"type": ["string", "integer", "array", "null"], "items": {"type": "integer"}, "maxLength": 2}
    )
    assert schema == {
        "description": "May be null.",
        "anyOf": [
            {"type": ["string", "integer"], "maxLength": 2, "description": f"Length 0{DASH}2."},
            {"type": "array", "items": {"type": "integer"}},
        ],
    }


def test_a_tuple_becomes_a_list_of_its_kinds_of_items() -> None:
    """`prefixItems` is lost by one converter, `items: false` mangled by the other."""
    schema = flat(
        {
            "type": "array",
            "prefixItems": [{"type": "string"}, {"type": "number"}],
            "items": False,
            "minItems": 2,
        }
    )
    assert schema == {
        "type": "array",
        "minItems": 2,
        "maxItems": 2,
        "items": {"anyOf": [{"type": "string"}, {"type": "number"}]},
        "description": "Items in order: string, number. Number of items 2.",
    }


def test_a_map_says_what_its_values_are() -> None:
    """The browser converter keeps nothing of `additionalProperties`."""
    assert flat(
        {"type": "object", "description": "Labels by key.", "additionalProperties": {"type": "string"}}
    ) == {
        "type": "object",
        "properties": {},
        "additionalProperties": {"type": "string"},
        "description": "Labels by key. Map: any keys; each value: string.",
    }


def test_properties_and_further_keys_stand_together() -> None:
    """The browser converter keeps the named ones only, so the words have to say that there are more."""
    schema = flat(
        {"properties": {"a": {"type": "string"}}, "additionalProperties": {"type": ["integer", "null"]}}
    )
    assert schema["description"] == "Further keys are allowed; each value: integer."
    assert schema["additionalProperties"] == {"type": ["integer", "null"], "description": "May be null."}
    loose = flat({"properties": {"a": {"type": "string"}}, "additionalProperties": True})
    assert loose["description"] == "Further keys are allowed; any value."
    assert "additionalProperties" not in loose


def test_whole_objects_and_lists_may_be_listed_as_values() -> None:
    """Rare, but legal, and kept by every reader that keeps value lists at all."""
    assert flat({"type": "array", "items": {"type": "integer"}, "enum": [[1], [2]]})["enum"] == [[1], [2]]
    assert flat({"type": "object", "enum": [{"a": 1}]})["enum"] == [{"a": 1}]


def test_read_only_properties_are_not_asked_for() -> None:
    """A server ignores or refuses them, and a model would make them up when they are required."""
    schema = flat(
        {
            "type": "object",
            "required": ["id", "made", "name"],
            "properties": {
                "id": {"type": "integer", "readOnly": True},
                "made": ref("Stamp"),
                "name": {"type": "string"},
            },
        },
        Stamp={"type": "string", "readOnly": True},
    )
    assert list(cast(JsonObject, schema["properties"])) == ["name"]
    assert schema["required"] == ["name"]


def test_a_required_property_that_is_described_nowhere_is_any_value() -> None:
    """Without it the model could never make a valid call."""
    schema = flat({"type": "object", "required": ["x"], "properties": {"y": {"type": "string"}}})
    assert cast(JsonObject, schema["properties"])["x"] == ANY


def test_a_circle_is_cut_where_it_closes() -> None:
    """A schema that contains itself overflows the browser converter, and all of the user's servers vanish."""
    schema, warnings = flat_with_warnings(
        ref("Node"),
        {
            "Node": {
                "type": "object",
                "properties": {
                    "value": {"type": "string"},
                    "next": ref("Node"),
                    "all": {"items": ref("Node")},
                },
            }
        },
    )
    cut: JsonObject = {"type": "object", "properties": {}, "description": "Same form as `Node`."}
    assert schema["description"] == "This form is called `Node`."
    assert schema["properties"] == {
        "value": {"type": "string"},
        "next": cut,
        "all": {"type": "array", "items": cut},
    }
    assert warnings == [
        "a.next: circular reference to Node; any value is accepted there",
        "a.all[]: circular reference to Node; any value is accepted there",
    ]


def test_a_shared_base_is_no_circle() -> None:
    """Money inside money: one documents' `amount` extends the schema that its own parts are made of."""
    schema, warnings = flat_with_warnings(
        {"allOf": [ref("Money"), {"properties": {"tax": ref("Money")}}]},
        {"Money": {"type": "object", "properties": {"value": {"type": "string"}}}},
    )
    tax = cast(JsonObject, cast(JsonObject, schema["properties"])["tax"])
    assert list(cast(JsonObject, tax["properties"])) == ["value"]
    assert warnings == []


def test_a_form_that_returns_is_named_where_it_stands_first() -> None:
    """Names of schemas are nowhere in the result; a model can only be sent to a form that has one."""
    node: JsonObject = {"oneOf": [{"type": "string"}, {"properties": {"and": {"items": ref("F")}}}]}
    schema = flat({"properties": {"filter": {"items": ref("F")}}}, F=node)
    text = dump_json(schema).decode()
    assert text.index("This form is called `F`.") < text.index("Same form as `F`.")


def test_a_base_that_returns_level_after_level_is_cut() -> None:
    """A circle that closes only through `allOf` parts would go on until the budget is spent."""
    base: JsonObject = {"properties": {"x": {"allOf": [ref("B"), {"properties": {"y": {}}}]}}}
    schema, warnings = flat_with_warnings({"allOf": [ref("B"), {"properties": {"z": {}}}]}, {"B": base})
    assert warnings == ["a.x.x.x: `B` is part of 3 schemas above it; any value is accepted there"]
    cut = '"x":{"type":"object","description":"Keys: x, y. Not described further here.","properties":{}}'
    assert cut in dump_json(schema).decode()


def test_circles_of_references_without_a_schema_are_any_value() -> None:
    """`A` that refers to `B` that refers to `A` says nothing about its value."""
    assert flat(ref("A"), A=ref("B"), B=ref("A")) == ANY


def test_a_reference_that_leads_nowhere_is_any_value_and_reported() -> None:
    """One dead reference must not cost the operation, nor be silent."""
    schema, warnings = flat_with_warnings(ref("Nowhere"))
    assert schema == ANY
    assert len(warnings) == 1
    assert "Nowhere" in warnings[0]


def test_depth_and_nodes_run_out_among_the_deepest_first() -> None:
    """All arguments must stay usable; what is deep inside one of them matters least."""
    deep: JsonValue = {"type": "string"}
    for level in range(12):
        deep = {"type": "object", "properties": {f"level{level}": deep}}
    schema, warnings = flat_with_warnings(deep, None, Budget(depth=3))
    inner = cast(JsonObject, cast(JsonObject, schema["properties"])["level11"])
    cut = cast(JsonObject, cast(JsonObject, inner["properties"])["level10"])
    assert cut == {
        "type": "object",
        "properties": {},
        "description": "Keys: level9. Not described further here.",
    }
    assert warnings == ["a.level11.level10: too large or too deep to describe; any value is accepted there"]


def test_a_wide_object_beyond_the_node_budget_names_its_keys() -> None:
    """The names are the most useful part for a model, and cost little."""
    wide: JsonObject = {"type": "object", "properties": {f"k{index}": {} for index in range(50)}}
    schema = flat(wide, budget=Budget(nodes=20))
    assert str(schema["description"]).startswith("Keys: k0, k1, ")


def test_a_map_beyond_the_budget_has_no_keys_to_name() -> None:
    """Nothing is known of them."""
    schema = flat({"additionalProperties": {"type": "string"}}, budget=Budget(nodes=1))
    assert schema == {"type": "object", "properties": {}, "description": "Not described further here."}


def test_a_list_beyond_the_budget_stays_a_list() -> None:
    """A caller must still know that the API wants several values."""
    schema = flat({"type": "array", "items": {"type": "string"}}, budget=Budget(nodes=1))
    assert schema["type"] == "array"
    assert schema["items"] == free_form()


def test_alternatives_beyond_the_budget_are_any_value() -> None:
    """Nothing can be said about the type of a value with several forms."""
    schema = flat({"oneOf": [{"type": "string"}, {"type": "integer"}]}, budget=Budget(nodes=2))
    assert schema["anyOf"] == free_form()["anyOf"]


def test_texts_run_out_by_bytes() -> None:
    """A document of a few schemas can hold megabytes of text, which every chat would carry."""
    properties: JsonObject = {
        f"k{index}": {
            "type": "string",
            "nullable": index == 99,
            "description": "x" * 3_000,
            "enum": ["y" * 900],
        }
        for index in range(100)
    }
    schema, warnings = flat_with_warnings(
        {"type": "object", "properties": properties}, None, Budget(json_bytes=50_000)
    )
    assert len(dump_json(schema)) < 70_000
    assert warnings == ["a: texts and value lists are shortened (size)"]
    assert cast(JsonObject, schema["properties"])["k99"] == {
        "type": ["string", "null"],
        "description": f"{'x' * 119}… May be null.",
    }
    shorter, warnings = flat_with_warnings(
        {"type": "object", "properties": properties}, None, Budget(json_bytes=10_000)
    )
    assert len(dump_json(shorter)) < 10_000
    assert warnings == ["a: texts and value lists are left out (size)"]
    assert cast(JsonObject, shorter["properties"])["k99"] == {
        "type": ["string", "null"],
        "description": "May be null.",
    }


def test_exponential_composition_ends_at_once() -> None:
    """Thirty levels of `allOf` with two references each are 2^30 parts when followed one by one."""
    schemas: JsonObject = {
        f"L{level}": {"allOf": [ref(f"L{level + 1}"), ref(f"L{level + 1}")]} for level in range(30)
    }
    schemas["L30"] = {"type": "object", "properties": {"x": {"type": "string"}}}
    assert flat_with_warnings(ref("L0"), schemas)[0]["properties"] == {"x": {"type": "string"}}


def test_an_extended_base_deep_inside_itself_names_its_keys() -> None:
    """Four resources of one API inside each other, each extending the same base: nothing is circular."""
    base: JsonObject = {"type": "object", "required": ["type"], "properties": {"type": {"type": "string"}}}
    level: JsonObject = {"properties": {"name": {"type": "string"}}}
    for name in ("repository", "project", "owner"):
        level = {"properties": {name: {"allOf": [ref("Base"), level]}}}
    base["discriminator"] = {"propertyName": "type"}
    extending: JsonObject = {"allOf": [ref("Base"), level]}
    schema, warnings = flat_with_warnings({"allOf": [ref("Base"), level]}, {"Base": base, "Sub": extending})
    assert 'Keys: type (required), name. Not described further here."' in dump_json(schema).decode()
    assert warnings == [
        "a.owner.project.repository: `Base` is part of 3 schemas above it; "
        "only the keys that it needs are told"
    ]


@pytest.mark.parametrize(
    ("required", "is_told"), [(True, True), ("true", True), (False, False), (None, False)]
)
def test_a_need_that_stands_in_the_property_is_told(required: JsonValue, is_told: bool) -> None:
    """Finding W-49: so draft 3 wrote it; here it means nothing, and the property is optional."""
    schema, warnings = flat_with_warnings(
        {"type": "object", "properties": {"a": {"type": "string", "required": required}}}
    )
    assert schema["properties"] == {"a": {"type": "string"}}
    assert "required" not in schema
    told = "a.a: its `required` is no list of names, so that it is taken as optional"
    assert warnings == ([told] if is_told else [])
