"""Values that a schema lists, as its types want them."""

import json

import pytest

from tests.support.documents.arguments import (
    Argument,
    argument_of,
    json_property,
    yaml_argument,
    yaml_property,
)
from toolserver.json_types import JsonValue, WrittenArray
from toolserver.schema.fit import fit_enum

ENUMS: list[tuple[list[JsonValue], tuple[str, ...] | None, list[JsonValue], tuple[str, ...] | None, str]] = [
    (["a", None], None, ["a"], ("string",), ""),
    ([1, "a"], None, [1, "a"], ("integer", "string"), ""),
    ([None], None, [], None, ""),
    ([None], ("string",), [], ("string",), ""),
    (["a", 1], ("string",), ["a", "1"], ("string",), '1 where a string belongs; taken as "1"'),
    (["a", None], ("string",), ["a"], ("string",), "null where a string belongs; left out"),
    ([1, True, 1.5], ("string",), ["1", "true", "1.5"], ("string",), 'taken as "1", "true", "1.5"'),
    (["1"], ("integer",), ["1"], ("string",), "nothing that is an integer, its type; taken as a string"),
    (["1", 2, "x", "03"], ("integer",), [1, 2], ("integer",), '"x", "03" where an integer belongs; left out'),
    (
        ["1.5", 2, "1e2"],
        ("number",),
        [1.5, 2, 100],
        ("number",),
        '"1.5" where a number belongs; taken as 1.5',
    ),
    (
        ["0", "true", False],
        ("boolean",),
        [True, False],
        ("boolean",),
        '"0" where a boolean belongs; left out',
    ),
    ([1, 1.5, True], ("integer",), [1], ("integer",), "1.5, true where an integer belongs; left out"),
    ([{"a": 1}], ("string",), [{"a": 1}], ("object",), "taken as an object"),
    ([{"a": 1}, "a"], ("string",), ["a"], ("string",), '{"a":1} where a string belongs; left out'),
    ([1, 2.0], ("number",), [1, 2.0], ("number",), ""),
    (["a", 1.5, 1], ("string", "integer"), ["a", "1.5", 1], ("string", "integer"), 'taken as "1.5"'),
    ([1, float("inf")], ("number",), [1], ("number",), "null where a number belongs; left out"),
]


@pytest.mark.parametrize(("values", "types", "fitted", "fitted_types", "said"), ENUMS)
def test_allowed_values_and_types_agree_in_the_end(
    values: list[JsonValue],
    types: tuple[str, ...] | None,
    fitted: list[JsonValue],
    fitted_types: tuple[str, ...] | None,
    said: str,
) -> None:
    """Finding O-1: every call with a value that is dropped is refused, and nobody knows why."""
    found = fit_enum(values, types)
    assert (found.values, [*map(type, found.values)]) == (fitted, [*map(type, fitted)])
    assert found.types == fitted_types
    assert said in " ".join(found.problems) if said else found.problems == ()


def test_null_is_told_only_where_it_is_not_allowed() -> None:
    """A nullable list names null, too; the writer adds it."""
    assert fit_enum(["a", None], ("string",), nullable=True).problems == ()


def test_a_text_that_yaml_reads_as_nothing_is_a_text() -> None:
    """`.nan` is null to JSON and has a text; `~` has none, because no spelling of null means a word."""
    values = WrittenArray(["a", None, None], {2: ".nan"})
    assert fit_enum(values, ("string",)).values == ["a", ".nan"]


@pytest.mark.parametrize("place", ["query", "path", "header"])
def test_months_of_a_list_are_texts_as_they_were_written(place: str) -> None:
    """Finding W-3: YAML reads 08 as a number; without it the API cannot be called in August."""
    found = yaml_argument("{type: string, enum: ['07', 08, 09, '10']}", place=place)
    assert found.schema["enum"] == ["07", "08", "09", "10"]
    assert found.warnings == ('a: its list of values has 08, 09 where a string belongs; taken as "08", "09"',)


@pytest.mark.parametrize(
    ("schema", "enum"),
    [
        ("{type: string, enum: [1, auto]}", ["1", "auto"]),
        (
            "{type: string, enum: [1.10, 1.1, TRUE, 1e3, 0x1F, on, yes, 2024-01-02]}",
            ["1.10", "1.1", "TRUE", "1e3", "0x1F", "on", "yes", "2024-01-02"],
        ),
        ("{type: string, enum: [08, 09]}", ["08", "09"]),
        ("{type: string, enum: [!!int '08', !!str 09, &v 1.10, *v]}", ["08", "09", "1.10"]),
        ("{enum: [08, '09']}", ["08", "09"]),
        ("{type: string, nullable: true, enum: [08, ~]}", ["08", None]),
        ("{type: string, const: 08}", ["08"]),
        ("{oneOf: [{const: 1.10, title: Old}, {const: latest}], type: string}", ["1.10", "latest"]),
        ("{allOf: [{type: string}, {enum: [08, 09]}]}", ["08", "09"]),
        ("{allOf: [{type: string, enum: [08, 09]}, {enum: ['09']}]}", ["09"]),
        ("{type: integer, enum: [08, 09]}", [8, 9]),
        ("{type: boolean, enum: ['0', '1', 'true', false]}", [True, False]),
    ],
)
def test_a_list_of_values_keeps_what_the_author_wrote(schema: str, enum: list[JsonValue]) -> None:
    """Finding W-3, O-1: where a text is wanted, the text of the document is meant."""
    for found in (yaml_argument(schema), yaml_property(schema)):
        assert found.schema["enum"] == enum


def test_numbers_of_json_keep_their_text_too() -> None:
    """Finding O-1: versions and codes are numbers to generators; 1.10 and 1.1 are two versions."""
    found = json_property('{"type": "string", "nullable": true, "enum": [4.1, 4.10, 4, "3_lite", 1E2, null]}')
    assert found.schema["enum"] == ["4.1", "4.10", "4", "3_lite", "1E2", None]
    assert found.warnings == (
        "a: its list of values has 4.1, 4.10, 4, 1E2 where a string belongs; "
        'taken as "4.1", "4.10", "4", "1E2"',
    )


@pytest.mark.parametrize("size", [0, 1_100_000])
def test_large_texts_keep_them_as_small_ones_do(size: int) -> None:
    """Another reader takes large texts."""
    schema = '{"type": "string", "enum": [1.10], "x-more": "%s"}' % ("x" * size)
    assert json_property(schema).schema["enum"] == ["1.10"]


@pytest.mark.parametrize(
    ("schema", "key", "value", "said"),
    [
        ("{type: string, default: 1.10}", "default", "1.10", "its default has 1.10 where a string belongs"),
        ("{type: string, default: NO}", "default", "NO", ""),
        ("{type: integer, default: '10'}", "default", 10, 'has "10" where an integer belongs; taken as 10'),
        ("{type: boolean, default: 'true'}", "default", True, "where a boolean belongs; taken as true"),
        ("{type: integer, default: many}", "default", "many", ""),
        ("{type: string, example: 08}", "examples", ["08"], "its examples have 08"),
        ("{type: number, example: '1.5'}", "examples", [1.5], 'its examples have "1.5"'),
        ("{type: array, items: {type: string}, default: [08, 1.10]}", "default", ["08", "1.10"], "08, 1.10"),
        ("{type: array, items: {type: string}, default: [1, a]}", "default", ["1", "a"], "1 where"),
        ("{type: array, items: {type: integer}, default: [08]}", "default", [8], ""),
        ("{allOf: [{$ref: '#/components/schemas/V'}], default: 1.10}", "default", "1.10", "1.10"),
        ("{nullable: true, type: string, default: null}", "default", None, ""),
    ],
)
def test_defaults_and_examples_are_what_their_type_says(
    schema: str, key: str, value: JsonValue, said: str
) -> None:
    """Finding W-3: a model repeats a default and copies an example; both have to be sendable, or be told."""
    text = (
        "openapi: 3.0.3\ncomponents: {schemas: {V: {type: string}}}\n"
        f"paths: {{/x: {{get: {{parameters: [{{name: a, in: query, schema: {schema}}}]}}}}}}\n"
    )
    found = argument_of(text)
    assert found.schema[key] == value
    assert type(found.schema[key]) is type(value)
    assert said in " ".join(found.warnings) if said else found.warnings == ()


def test_an_example_of_an_object_has_the_texts_of_its_members() -> None:
    """Finding W-3: a sibling two levels deep; what JSON writes alike is left alone."""
    found = yaml_property(
        "{type: object, properties: {month: {type: string}, n: {type: number}, v: {type: array, items: "
        "{type: string}}}, additionalProperties: {type: string}, "
        "example: {month: 08, n: 1.50, v: [1.10], more: TRUE, plain: 5}}"
    )
    expected: JsonValue = [{"month": "08", "n": 1.5, "v": ["1.10"], "more": "TRUE", "plain": 5}]
    assert found.schema["examples"] == expected


@pytest.mark.parametrize("stated", ["example: 08", "examples: {one: {value: 08}}"])
def test_examples_beside_a_schema_keep_their_texts(stated: str) -> None:
    """Finding W-3: examples of parameters and of bodies stand outside of the schema."""
    parameter = f"{{name: a, in: query, schema: {{type: string}}, {stated}}}"
    found = argument_of(f"openapi: 3.1.0\npaths: {{/x: {{get: {{parameters: [{parameter}]}}}}}}\n")
    assert found.schema["examples"] == ["08"]
    media = stated.replace("08", "{a: 08}")
    schema = "{type: object, properties: {a: {type: string}}}"
    body = f"{{content: {{application/json: {{schema: {schema}, {media}}}}}}}"
    text = f"openapi: 3.1.0\npaths: {{/x: {{post: {{requestBody: {body}}}}}}}\n"
    assert argument_of(text, key="POST /x").schema["examples"] == ["08"]


def test_a_parameter_of_swagger_2_keeps_them_beside_its_type() -> None:
    """Finding O-1, W-3: 2.0 has no schema there; lists stand at the parameter and at its items."""
    parameters = (
        "[{name: a, in: query, type: string, enum: [08, '09'], default: 08},"
        " {name: b, in: formData, type: array, items: {type: string, enum: [1.10, x]}},"
        " {name: c, in: formData, type: string, default: 1.10}]"
    )
    text = f"swagger: '2.0'\npaths: {{/x: {{post: {{parameters: {parameters}}}}}}}\n"
    found = argument_of(text, key="POST /x")
    assert (found.schema["enum"], found.schema["default"]) == (["08", "09"], "08")
    items = argument_of(text, key="POST /x", name="b").schema["items"]
    assert isinstance(items, dict)
    assert items["enum"] == ["1.10", "x"]
    assert argument_of(text, key="POST /x", name="c").schema["default"] == "1.10"


def test_equal_values_that_are_written_in_two_ways_are_two_schemas() -> None:
    """Finding W-3: schemas that are equal as JSON share one flattened form; these must not."""
    parameters = ", ".join(
        f"{{name: {name}, in: query, schema: {{type: string, default: {text}}}}}"
        for name, text in {"a": "1.1", "b": "1.10", "c": "'1.1'"}.items()
    )
    text = f"openapi: 3.0.3\npaths: {{/x: {{get: {{parameters: [{parameters}]}}}}}}\n"
    assert [argument_of(text, name=name).schema["default"] for name in "abc"] == ["1.1", "1.10", "1.1"]


def test_names_in_lists_are_texts_like_the_keys_that_they_name() -> None:
    """Finding W-3: a sibling of allowed values; a key 08 is the text "08", and so is the one required."""
    found = yaml_property("{type: object, properties: {08: {type: string}}, required: [08]}")
    assert found.schema["required"] == ["08"]
    found = yaml_property("{type: object, propertyNames: {enum: [08, a]}, additionalProperties: true}")
    names = found.schema["propertyNames"]
    assert isinstance(names, dict)
    assert names["enum"] == ["08", "a"]
    assert "One of: 08, a." in str(found.schema["description"])


def discriminated(kind: str, mapping: str) -> Argument:
    """A property of one of two forms, told apart by `kind`."""
    form = f"{{type: object, properties: {{kind: {kind}, n: {{type: number}}}}}}"
    schema = (
        "{oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}], "
        f"discriminator: {{propertyName: kind, mapping: {mapping}}}}}"
    )
    parts = f"components: {{schemas: {{A: {form}, B: {form}}}}}"
    parameter = f"{{name: a, in: query, schema: {schema}}}"
    return argument_of(f"openapi: 3.1.0\n{parts}\npaths: {{/x: {{get: {{parameters: [{parameter}]}}}}}}\n")


TO_A, TO_B = "'#/components/schemas/A'", "'#/components/schemas/B'"


@pytest.mark.parametrize(
    ("kind", "keys", "values", "said"),
    [
        ("{type: string}", ["08", "1.10"], ["08", "1.10"], ""),
        (
            "{type: string, enum: [08, 1.10]}",
            ["08", "1.10"],
            ["08", "1.10"],
            "08 where a string belongs",
        ),
        (
            "{type: integer}",
            ["1", "2"],
            [1, 2],
            'its discriminator has "1" where an integer belongs; taken as 1',
        ),
        ("{type: boolean}", ["true", "false"], [True, False], "taken as true"),
        ("{type: integer}", ["one", "two"], [None, None], "has one, which `kind` may not be; left out"),
        (
            "{type: string, enum: [DOG, CAT]}",
            ["dog", "cat"],
            [None, None],
            "has dog, which `kind` may not be",
        ),
    ],
)
def test_a_discriminator_has_values_of_its_property(
    kind: str, keys: list[str], values: list[JsonValue], said: str
) -> None:
    """Finding W-3: keys of a mapping are texts, and what they select is what `kind` says of itself."""
    found = discriminated(kind, f"{{{keys[0]}: {TO_A}, {keys[1]}: {TO_B}}}")
    forms = found.schema["anyOf"]
    assert isinstance(forms, list)
    for form, value in zip(forms, values, strict=True):
        assert isinstance(form, dict)
        properties = form["properties"]
        assert isinstance(properties, dict)
        described = properties["kind"]
        assert isinstance(described, dict)
        if value is not None:
            assert (described["enum"], type(value)) == ([value], type(value))
    assert said in " ".join(found.warnings) if said else found.warnings == ()


def test_a_long_list_is_told_in_few_words() -> None:
    """Thousands of numbers would bury all other warnings."""
    schema = json.dumps({"type": "string", "enum": [*range(5_000)]})
    (warning,) = json_property(schema).warnings
    assert len(warning) < 4_200
