"""Schemas of documents in the form that tools advertise."""

import json
from typing import cast

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.openapi import document_with
from toolserver.json_types import JsonObject, JsonValue, dump_json
from toolserver.schema_flattening import ArgumentSource, Budget, flatten, free_form

DASH = "\N{EN DASH}"
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def flat(schema: JsonValue, *, budget: Budget | None = None, **schemas: JsonValue) -> JsonObject:
    return flat_with_warnings(schema, schemas, budget)[0]


def flat_with_warnings(
    schema: JsonValue, schemas: JsonObject | None = None, budget: Budget | None = None
) -> tuple[JsonObject, list[str]]:
    document = document_with({}, components={"schemas": schemas or {}})
    flattened, warnings = flatten([ArgumentSource("a", schema)], document.resolve, budget)
    return flattened["a"], warnings


def ref(name: str) -> JsonObject:
    return {"$ref": f"#/components/schemas/{name}"}


def count_nodes(schema: JsonValue) -> int:
    if isinstance(schema, list):
        return sum(map(count_nodes, schema))
    if not isinstance(schema, dict):
        return 0
    inner = [*cast(JsonObject, schema.get("properties", {})).values()]
    inner += [schema[key] for key in ("items", "additionalProperties", "anyOf") if key in schema]
    return 1 + sum(map(count_nodes, inner))


def has_keyword(schema: JsonValue, keyword: str) -> bool:
    if isinstance(schema, list):
        return any(has_keyword(item, keyword) for item in schema)
    if not isinstance(schema, dict):
        return False
    inner = [*cast(JsonObject, schema.get("properties", {})).values()]
    inner += [schema[key] for key in ("items", "additionalProperties", "anyOf") if key in schema]
    return keyword in schema or any(has_keyword(item, keyword) for item in inner)


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
    cut: JsonObject = {"type": "object", "properties": {}, "description": "Same form as Node above."}
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
    assert warnings == ["a.k10 and what follows: texts and value lists left out (size)"]
    assert cast(JsonObject, schema["properties"])["k99"] == {
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


NAMES = ("A", "B", "C")
REFS = tuple(f"#/components/schemas/{name}" for name in NAMES)


def as_schema(drawn: object) -> JsonObject:
    return cast(JsonObject, drawn)


def both_of(plain: JsonObject, more: object) -> JsonObject:
    return plain | as_schema(more)


PLAIN = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(
            ["string", "integer", "object", "array", "null", "any", ["string", "null"], ["object", "array"]]
        ),
        "nullable": st.booleans(),
        "enum": st.lists(st.sampled_from([1, "a", None, True, 1.5, "b", {"x": 1}]), max_size=4),
        "const": st.sampled_from([1, "a", None]),
        "minimum": st.sampled_from([0, "1e3", "x", True, 2**70, 1.5]),
        "exclusiveMinimum": st.sampled_from([True, 3, "4"]),
        "maxLength": st.sampled_from([3, -1, "5", 2.0, 1.5]),
        "pattern": st.sampled_from(["^a", "(", 3]),
        "required": st.sampled_from([["p"], ["p", "p", 1], True, None]),
        "readOnly": st.booleans(),
        "default": st.sampled_from([None, "x", 2**70, [1]]),
        "description": st.text(max_size=5),
        "format": st.sampled_from(["int32", "date", 4]),
        "$ref": st.sampled_from([*REFS, "#/nowhere", "x.yaml#/y"]),
    },
)  # fmt: skip
SCHEMAS = st.recursive(
    PLAIN.map(as_schema) | st.booleans() | st.sampled_from(["text", 1, None]),
    lambda inner: st.builds(
        both_of,
        PLAIN.map(as_schema),
        st.fixed_dictionaries(
            {},
            optional={
                "properties": st.dictionaries(st.sampled_from(["p", "q", "$ref", ""]), inner, max_size=3),
                "additionalProperties": inner,
                "items": inner | st.lists(inner, max_size=2),
                "prefixItems": st.lists(inner, max_size=2),
                "anyOf": st.lists(inner, max_size=3),
                "oneOf": st.lists(inner, max_size=3),
                "allOf": st.lists(inner, max_size=3),
            },
        ),
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(schema=SCHEMAS, schemas=st.fixed_dictionaries(dict.fromkeys(NAMES, SCHEMAS)))
def test_any_schema_becomes_a_valid_finite_one_without_references(
    schema: JsonValue, schemas: JsonObject
) -> None:
    """Foreign documents hold every combination, circles included; none may break or bloat a tool."""
    budget = Budget(nodes=60, depth=5)
    result, _ = flat_with_warnings(schema, schemas, budget)
    assert count_nodes(result) <= 8 * budget.nodes
    assert jsonschema_rs.meta.is_valid({**result, "$schema": DIALECT})
    for keyword in ("$ref", "allOf", "oneOf", "const", "nullable", "not"):
        assert not has_keyword(result, keyword)
    jsonschema_rs.Draft202012Validator(without_patterns(result), offline=True)


def without_patterns(schema: JsonValue) -> JsonObject:
    text = dump_json(schema).replace(b'"pattern":"("', b'"pattern":"x"')
    return cast(JsonObject, json.loads(text))
