"""Keywords of JSON Schema 2020-12, from the document to the schema a model reads."""

from typing import cast

import orjson
import pytest

from tests.support.documents.arguments import json_property, yaml_property
from tests.support.documents.schemas import flat, flat_with_warnings
from toolserver.arguments.arguments import ArgumentValidator
from toolserver.errors import ArgumentError
from toolserver.json_types import JsonObject, JsonValue
from toolserver.schema.keywords import BOUNDS
from toolserver.schema.pattern import portable_pattern
from toolserver.schema.write import free_form


def ref(name: str) -> JsonObject:
    return {"$ref": f"#/components/schemas/{name}"}


def accepts(schema: JsonObject, value: JsonValue) -> bool:
    validator = ArgumentValidator(orjson.dumps({"type": "object", "properties": {"a": schema}}))
    try:
        validator.validate_arguments({"a": value})
    except ArgumentError:
        return False
    return True


def branches_of(schema: JsonObject) -> list[JsonObject]:
    return cast("list[JsonObject]", schema["anyOf"])


def kind_of(branch: JsonObject) -> JsonObject:
    return cast(JsonObject, cast(JsonObject, branch["properties"])["kind"])


def test_keys_by_pattern_keep_their_schemas_and_other_keys_stay_free() -> None:
    """The pattern says nothing about keys that do not match it."""
    schema = flat({"type": "object", "patternProperties": {"^x-": ref("Number")}}, Number={"type": "integer"})
    assert schema["patternProperties"] == {"^x-": {"type": "integer"}}
    assert schema["description"] == "Keys that match `^x-`: integer."
    assert accepts(schema, {"x-a": 1, "other": "text"})
    assert not accepts(schema, {"x-a": "text"})


def test_a_closed_object_takes_keys_of_its_patterns_and_no_others() -> None:
    """As the document says, to the letter."""
    closed: JsonObject = {"patternProperties": {"^x-": {}, "^y": False}, "additionalProperties": False}
    schema = flat({"type": "object", **closed})
    assert accepts(schema, {"x-a": [None]})
    assert not accepts(schema, {"z": 1})
    assert not accepts(schema, {"y": 1})


@pytest.mark.parametrize("pattern", ["^(?=a)", r"^\p{Print}+$", "["])
def test_a_pattern_that_some_reader_cannot_compile_is_told_and_no_keyword(pattern: str) -> None:
    """A caller compiles the schema as a whole: one such pattern would cost it the tool."""
    schema = flat({"type": "string", "pattern": pattern, "maxLength": 9})
    assert "pattern" not in schema
    assert schema["description"] == f"Length 0\N{EN DASH}9. Pattern: `{pattern}`."
    assert accepts(schema, "anything")
    assert not accepts(schema, "longer than nine")


def test_a_pattern_that_only_we_can_execute_is_still_enforced() -> None:
    """Python knows no Unicode classes and JavaScript no inline flags; the engine of linear time does."""
    letters = flat({"type": "string", "pattern": r"^\p{Lu}+$"})
    assert "pattern" not in letters
    assert accepts(letters, "ÄÖ")
    assert not accepts(letters, "äö")
    optional = flat({"type": "string", "nullable": True, "pattern": "(?i)^(all|none)$"})
    assert accepts(optional, "NONE")
    assert accepts(optional, None)
    assert not accepts(optional, "some")


def test_an_author_s_words_about_a_pattern_are_no_rule() -> None:
    """A description may quote the pattern of something else."""
    said = flat({"type": "string", "description": "As an address. Pattern: `^[a-z]+$`."})
    assert accepts(said, "123")


def test_a_told_pattern_is_whole_or_not_enforced() -> None:
    """Characters that nobody sees are escaped in words; what is executed must be what the document says."""
    long = r"^\p{L}+" + "x" * 1_000
    assert f"`{long}`" in str(flat({"type": "string", "pattern": long})["description"])
    unseen = flat({"type": "string", "pattern": "^(?i)a\u200b`b$"})
    assert unseen["description"] == r'Pattern: "^(?i)a\u200b`b$".'
    assert accepts(unseen, "other")


def test_a_pattern_beyond_all_measure_is_lost_with_a_warning() -> None:
    """Nobody reads it and no engine takes it."""
    schema, warnings = flat_with_warnings({"type": "string", "pattern": "a" * 2_001})
    assert schema == {"type": "string"}
    assert warnings == ["a: a pattern of 2,001 characters is left out"]


def test_a_pattern_between_slashes_is_told_and_refuses_nothing() -> None:
    """Finding W-38: neither ABC nor /ABC/ was accepted, and nobody was told."""
    schema, warnings = flat_with_warnings({"type": "string", "pattern": "/^[A-Z]{3}$/"})
    assert schema == {"type": "string", "description": "Pattern: `/^[A-Z]{3}$/`."}
    assert accepts(schema, "ABC")
    assert warnings == [
        "a: its pattern '/^[A-Z]{3}$/' stands between slashes, so that no value matches it; "
        "it is told to models, but not checked"
    ]


def test_a_pattern_for_keys_that_some_reader_cannot_compile_frees_the_keys() -> None:
    """It is left to the API; refusing every key would be wrong."""
    patterns: JsonObject = {"^(?!x)": {"type": "integer"}, "^y": {"type": "string"}}
    schema = flat({"type": "object", "patternProperties": patterns, "additionalProperties": False})
    assert schema["patternProperties"] == {"^y": {"type": "string"}}
    assert "additionalProperties" not in schema
    assert schema["description"] == "Keys that match `^(?!x)`: integer; `^y`: string. No other keys."
    assert accepts(schema, {"a": 1, "y": "b"})
    assert not accepts(schema, {"y": 1})


def test_rules_for_keys_are_kept_and_told() -> None:
    """Metadata maps limit their keys more often than their values."""
    names: JsonObject = {"maxLength": 3, "pattern": "^[a-z]+$"}
    schema = flat({"type": "object", "propertyNames": names, "additionalProperties": {"type": "string"}})
    assert schema["description"] == (
        "Each key: Length 0\N{EN DASH}3. Pattern: `^[a-z]+$`. Map: any keys; each value: string."
    )
    assert accepts(schema, {"abc": "x"})
    assert not accepts(schema, {"abcd": "x"})
    listed = flat({"propertyNames": ref("Key")}, Key={"enum": ["home", "work"]})
    assert str(listed["description"]).startswith("Each key: One of: home, work.")
    assert not accepts(listed, {"school": 1})


def test_a_rule_for_keys_that_refers_to_its_own_object_ends() -> None:
    """Nonsense, and documents hold it."""
    schema = flat(ref("Self"), Self={"type": "object", "propertyNames": ref("Self")})
    assert schema["type"] == "object"


def test_names_that_need_each_other_are_kept_and_told() -> None:
    """A credit card needs its address."""
    schema = flat(
        {
            "type": "object",
            "properties": {"card": {}, "street": {}, "id": {"readOnly": True}},
            "dependentRequired": {"card": ["street", "id"], "id": ["card"]},
        }
    )
    assert schema["dependentRequired"] == {"card": ["street"]}
    assert "`card` needs `street` and `id`" in str(schema["description"])
    assert not accepts(schema, {"card": "1"})
    assert accepts(schema, {"card": "1", "street": "2"})


TUPLES: list[tuple[JsonObject, str, JsonValue, bool]] = [
    ({"items": False}, "Items in order: string, integer. Number of items 0\N{EN DASH}2.", ["a", 1, 2], False),
    ({"items": {"type": "boolean"}}, "… Further items: boolean.", ["a", 1, True], True),
    ({"items": {"type": "boolean"}}, "… Further items: boolean.", ["a", 1, None], False),
    ({}, "… Further items: any.", ["a", 1, {"b": None}], True),
    (
        {"unevaluatedItems": False},
        "Items in order: string, integer. Number of items 0\N{EN DASH}2.",
        [1, "a"],
        True,
    ),
    ({"maxItems": 1}, "Items in order: string, integer. Number of items 0\N{EN DASH}1.", ["a"], True),
]


@pytest.mark.parametrize(("rest", "text", "value", "accepted"), TUPLES)
def test_a_tuple_says_its_order_and_what_may_follow(
    rest: JsonObject, text: str, value: JsonValue, accepted: bool
) -> None:
    """Items have one schema in the advertised form; order is told, and left to the API."""
    schema = flat({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], **rest})
    assert schema["description"] == text.replace("…", "Items in order: string, integer.")
    assert accepts(schema, value) == accepted


def test_no_items_at_all_is_an_empty_array() -> None:
    """`items: false` allows nothing else."""
    schema = flat({"type": "array", "items": False})
    assert accepts(schema, [])
    assert not accepts(schema, [1])


def test_a_discriminator_gives_each_form_its_values() -> None:
    """Else a model sees two objects and a word that tells them apart somewhere."""
    forms: JsonObject = {
        "Cat": {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}}},
        "Dog": {"type": "object", "properties": {"kind": {"type": "string", "description": "Which."}}},
        "Own": {"type": "object", "properties": {"kind": {"const": "own"}}},
        "Without": {"type": "object", "properties": {"a": {}}},
        "Number": {"type": "object", "properties": {"kind": {"type": "integer"}}},
    }
    mapping: JsonObject = {"cat": ref("Cat")["$ref"], "kitten": "Cat", "x": "Own", "n": "Number"}
    discriminator: JsonObject = {"propertyName": "kind", "mapping": mapping}
    union: JsonObject = {"oneOf": [ref(name) for name in forms], "discriminator": discriminator}
    schema = flat_with_warnings(union, forms)[0]
    cat, dog, own, without, number = branches_of(schema)
    assert kind_of(cat) == {
        "type": "string",
        "description": "One of: cat, kitten.",
        "enum": ["cat", "kitten"],
    }
    assert kind_of(dog) == {"type": "string", "description": "Which. Must be: Dog.", "enum": ["Dog"]}
    assert kind_of(own)["enum"] == ["own"]
    assert [form.get("required") for form in (cat, dog, own, without)] == [["kind"], ["kind"], ["kind"], None]
    assert "kind" not in cast(JsonObject, without["properties"])
    assert kind_of(number) == {"type": "integer"}
    assert str(schema["description"]) == "`kind` tells which form it is: cat, kitten, x, n."


def test_a_discriminator_narrows_a_list_of_all_forms_to_those_of_each() -> None:
    """A base often lists the values of all that extend it."""
    form: JsonObject = {"type": "object", "properties": {"kind": {"enum": ["cat", "dog"]}}}
    mapping: JsonObject = {"cat": "Cat", "dog": "Dog"}
    discriminator: JsonObject = {"propertyName": "kind", "mapping": mapping}
    schema = flat({"oneOf": [ref("Cat"), ref("Dog")], "discriminator": discriminator}, Cat=form, Dog=form)
    assert [kind_of(branch)["enum"] for branch in branches_of(schema)] == [["cat"], ["dog"]]


def test_a_default_form_needs_no_discriminator() -> None:
    """`defaultMapping` of OpenAPI 3.2 is for values without the property."""
    form: JsonObject = {"type": "object", "properties": {"kind": {"type": "string"}}}
    discriminator: JsonObject = {"propertyName": "kind", "defaultMapping": "Cat"}
    schema = flat({"oneOf": [ref("Cat"), ref("Dog")], "discriminator": discriminator}, Cat=form, Dog=form)
    assert [branch.get("required") for branch in branches_of(schema)] == [None, None]


def test_a_form_outside_its_union_keeps_its_own_rules() -> None:
    """What a discriminator says of a schema holds only where the discriminator stands."""
    cat: JsonObject = {"type": "object", "properties": {"kind": {"type": "string"}}}
    schema = flat(
        {
            "type": "object",
            "properties": {
                "either": {"oneOf": [ref("Cat"), ref("Dog")], "discriminator": {"propertyName": "kind"}},
                "cat": ref("Cat"),
            },
        },
        Cat=cat,
        Dog=cat,
    )
    properties = cast(JsonObject, schema["properties"])
    first = branches_of(cast(JsonObject, properties["either"]))[0]
    assert kind_of(first)["enum"] == ["Cat"]
    assert kind_of(cast(JsonObject, properties["cat"])) == {"type": "string"}


def test_a_discriminator_beside_shared_properties_reaches_every_form() -> None:
    """The property may stand in the part that all forms share."""
    form: JsonObject = {"type": "object", "properties": {"kind": {"type": "string"}}}
    union: JsonObject = {**form, "oneOf": [ref("Cat"), ref("Dog")], "discriminator": {"propertyName": "kind"}}
    schema = flat(union, Cat={"properties": {"lives": {}}}, Dog={"properties": {"tail": {}}})
    assert [kind_of(branch)["enum"] for branch in branches_of(schema)] == [["Cat"], ["Dog"]]


def test_a_dynamic_reference_is_read_as_the_anchor_it_names() -> None:
    """Trees are written so; the circle ends like any other."""
    tree: JsonObject = {
        "$dynamicAnchor": "node",
        "type": "object",
        "properties": {"inside": {"type": "array", "items": {"$dynamicRef": "#node"}}},
    }
    schema, warnings = flat_with_warnings(ref("Tree"), {"Tree": tree})
    inside = cast(JsonObject, cast(JsonObject, schema["properties"])["inside"])
    assert cast(JsonObject, inside["items"])["type"] == "object"
    assert any("circular reference" in warning for warning in warnings)


def test_anchors_and_definitions_inside_a_schema_are_found() -> None:
    """References need not lead to `components`."""
    holder: JsonObject = {
        "$defs": {"size": {"type": "integer"}, "named": {"$anchor": "colour", "enum": ["red"]}},
        "type": "object",
        "properties": {
            "size": {"$ref": "#/components/schemas/Holder/$defs/size"},
            "colour": {"$ref": "#colour"},
        },
    }
    schema = flat(ref("Holder"), Holder=holder)
    properties = cast(JsonObject, schema["properties"])
    assert properties["size"] == {"type": "integer"}
    assert cast(JsonObject, properties["colour"])["enum"] == ["red"]


def test_encodings_are_kept_and_told() -> None:
    """A model has to know that bytes travel as text."""
    image: JsonObject = {"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png"}
    assert flat(image) == {**image, "description": "Encoding: base64. Content: image/png."}


def test_boolean_schemas_are_any_value_or_none() -> None:
    """`true` says nothing, `false` forbids."""
    schema = flat({"type": "object", "properties": {"any": True, "never": False}, "required": ["any"]})
    assert schema["properties"] == {"any": {"description": "Free-form value.", **free_form()}}
    assert flat({"anyOf": [False, {"type": "string"}]}) == {"type": "string"}


NULLABLE: list[tuple[JsonObject, JsonObject]] = [
    ({**ref("Text"), "nullable": True}, {}),
    ({"allOf": [ref("Text")], "nullable": True}, {}),
    ({"type": "string", "nullable": True, "enum": ["a"]}, {}),
    ({"type": ["string", "null"], "enum": ["a", None]}, {}),
    ({"oneOf": [ref("Text"), {"type": "null"}]}, {}),
    (ref("Text"), {"nullable": True}),
]


@pytest.mark.parametrize(("schema", "target"), NULLABLE)
def test_null_is_allowed_wherever_a_document_says_so(schema: JsonObject, target: JsonObject) -> None:
    """Beside a reference, in 3.0 to the letter without effect, it is what the author meant."""
    made = flat(schema, Text={"type": "string", "enum": ["a"], **target})
    assert accepts(made, None)
    assert accepts(made, "a")
    assert not accepts(made, "b")
    assert str(made["description"]).endswith("May be null.")


def test_rules_in_words_leave_other_keys_alone() -> None:
    """`then` may allow a property that `unevaluatedProperties: false` would forbid without it."""
    schema = flat(
        {
            "type": "object",
            "properties": {"kind": {"type": "string"}},
            "if": {"properties": {"kind": {"const": "a"}}},
            "then": {"properties": {"more": {"type": "string"}}},
            "unevaluatedProperties": False,
        }
    )
    assert accepts(schema, {"kind": "a", "more": "b"})


def test_forms_of_a_closed_object_are_closed_each() -> None:
    """With the properties they share."""
    schema = flat(
        {
            "type": "object",
            "properties": {"id": {"type": "string"}},
            "anyOf": [{"properties": {"a": {}}, "required": ["a"]}, {"properties": {"b": {}}}],
            "unevaluatedProperties": False,
        }
    )
    assert accepts(schema, {"id": "1", "a": 2})
    assert not accepts(schema, {"id": "1", "c": 2})


def test_forms_that_only_require_stand_beside_forms_that_describe() -> None:
    """Leaving them out would refuse what they allow."""
    schema = flat(
        {
            "type": "object",
            "anyOf": [{"required": ["a"]}, {"properties": {"x": {"const": 1}}, "required": ["x"]}],
        }
    )
    assert accepts(schema, {"a": 1})
    assert accepts(schema, {"x": 1})
    assert not accepts(schema, {"b": 1})


def test_a_circle_that_ends_at_a_plain_value_keeps_its_type() -> None:
    """A union may name itself beside a string; what is cut there is a string, not an object."""
    union: JsonObject = {"type": "string", "anyOf": [ref("Loop"), {"maxLength": 3}]}
    schema = flat(ref("Loop"), Loop=union)
    assert accepts(schema, "long text")
    assert not accepts(schema, {})


@pytest.mark.parametrize("constant", ["NaN", "-Infinity", "1E400", "9" * 6_000])
def test_a_default_that_no_number_can_be_is_left_out_and_told(constant: str) -> None:
    """Finding O-16: "Default: null." sends null, and a text of 6,000 digits is no number either."""
    argument = json_property(f'{{"type": "number", "default": {constant}, "examples": [{constant}, 1]}}')
    assert argument.schema == {"type": "number", "description": "Example: 1.", "examples": [1]}
    assert "a: its default is no value that JSON has; left out" in argument.warnings


def test_yaml_s_own_words_for_no_number_are_no_default_either() -> None:
    """Finding O-16: the same rule for `.nan` and `.inf`; where a text is wanted they are meant as one."""
    for written in (".nan", ".inf"):
        assert "default" not in yaml_property(f"{{type: number, default: {written}}}").schema
        assert yaml_property(f"{{type: string, default: {written}}}").schema["default"] == written
    assert json_property('{"type": "string", "default": NaN}').schema["default"] == "NaN"


@pytest.mark.parametrize(
    ("bounds", "kept", "told"),
    [
        (
            {"minimum": -(2**63), "maximum": 2**63 - 1},
            {"minimum": -(2**63), "maximum": 2**63 - 1},
            str(2**63 - 1),
        ),
        ({"minimum": 0, "maximum": 2**64 - 1}, {"minimum": 0}, str(2**64 - 1)),
        ({"maximum": 1e30}, {}, "1e+30"),
        ({"exclusiveMinimum": -(2**70)}, {}, str(-(2**70))),
        ({"multipleOf": 2**65}, {}, str(2**65)),
    ],
)
def test_bounds_of_an_integer_are_integers_of_64_bits_or_words(
    bounds: JsonObject, kept: JsonObject, told: str
) -> None:
    """Finding O-16: validators of providers refuse `9.223372036854776e+18` beside `type: integer`."""
    for types in (["integer"], ["integer", "null"]):
        schema = flat({"type": list[JsonValue](types), **bounds})
        assert {key: value for key, value in schema.items() if key in BOUNDS} == kept
        assert told in str(schema["description"])
    number = flat({"type": "number", **bounds})
    assert {key: value for key, value in number.items() if key in BOUNDS} == {
        key: value if key in kept else float(cast(int, value)) for key, value in bounds.items()
    }


@pytest.mark.parametrize(
    ("pattern", "lengths"),
    [
        (".{16,1024}", {"minLength": 16}),
        ("^.{16,1024}$", {"minLength": 16, "maxLength": 1024}),
        (r"^[\p{L} ]{1,256}$", {"minLength": 1, "maxLength": 256}),
        (r"^[\u0020-\uD7FF\uE000-\uFFFD\uD800\uDC00-\uDBFF\uDFFF\r\n\t]{0,100000}$", {"maxLength": 100_000}),
        (r"^\p{L}{7}$", {"minLength": 7, "maxLength": 7}),
        (r"^\p{L}{3,}$", {"minLength": 3}),
        (r"\p{L}{3,}-[a-z]{2}", {}),
    ],
)
def test_a_pattern_that_is_only_told_keeps_the_lengths_that_it_asks_for(
    pattern: str, lengths: JsonObject
) -> None:
    """Finding O-16: AWS describes lengths so, and none of its patterns fits the engine."""
    schema = flat({"type": "string", "pattern": pattern})
    assert {key: value for key, value in schema.items() if key in ("minLength", "maxLength")} == lengths
    assert "pattern" not in schema
    assert "Pattern: " in str(schema["description"])


def test_the_pattern_of_a_pydantic_decimal_is_a_keyword() -> None:
    """Finding O-16: it is in every document of FastAPI that has amounts, and looks ahead for nothing."""
    schema = flat({"type": "string", "pattern": r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$"})
    assert "pattern" in schema
    for amount in ("0", "+1.50", "-.5", "007.", "12345678901234567890"):
        assert accepts(schema, amount), amount
    for wrong in ("", "-", ".", "+.", "1.2.3", "1e5", "--1", "a1"):
        assert not accepts(schema, wrong), wrong


@pytest.mark.parametrize("pattern", ["/^[A-Z]{3}$/", "/^[A-Z]{3}/i", "/[A-Z]+$/gu", r"/^\d\/$/", "/^(a|b)$/"])
def test_a_pattern_between_slashes_makes_no_argument_unusable(pattern: str) -> None:
    """Finding W-38: nothing can stand before `^` or behind `$`, so that no value could be sent."""
    schema, warnings = flat_with_warnings({"type": "string", "pattern": pattern})
    assert accepts(schema, "ABC")
    assert schema == {"type": "string", "description": f"Pattern: `{pattern}`."}
    assert ["between slashes" in warning for warning in warnings] == [True]


@pytest.mark.parametrize("pattern", ["/abc/", "/[a-z]+/", "^/a$", r"/a\$/", "/^a|b"])
def test_slashes_that_a_value_may_have_stay_as_they_are(pattern: str) -> None:
    """Finding W-38: paths have slashes; what may be meant to the letter is."""
    assert flat({"type": "string", "pattern": pattern})["pattern"] == portable_pattern(pattern)
