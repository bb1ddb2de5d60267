"""Arguments from a model: parsed, and held to a schema with words it can act on."""

import json
from collections.abc import Iterable
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.documents.interpreters import INTERPRETERS, python_that_reads
from tests.support.documents.schemas import flat
from toolserver.arguments.arguments import ArgumentValidator, parse_arguments
from toolserver.errors import ArgumentError
from toolserver.json_types import JsonObject, JsonValue, dump_json


def validator(properties: JsonObject, required: Iterable[str] = ()) -> ArgumentValidator:
    """A validator for arguments with these schemas, flattened as a definition does it."""
    schema: JsonObject = {
        "type": "object",
        "properties": {name: flat(schema) for name, schema in properties.items()},
        "required": list[JsonValue](required),
    }
    return ArgumentValidator(dump_json(schema))


def refusal(checked: ArgumentValidator, arguments: JsonObject) -> ArgumentError:
    with pytest.raises(ArgumentError) as caught:
        checked.validate_arguments(arguments)
    return caught.value


CIRCLES: JsonObject = {
    "oneOf": [
        {
            "type": "object",
            "required": ["kind", "radius"],
            "properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}},
        },
        {
            "type": "object",
            "required": ["kind", "side"],
            "properties": {"kind": {"const": "square"}, "side": {"type": "number"}},
        },
    ]
}

REFUSALS: list[tuple[JsonValue, JsonValue, str]] = [
    ({"type": "integer"}, "x", '`a` must be integer, not "x".'),
    ({"type": ["integer", "null"]}, "03", '`a` must be integer or null, not "03".'),
    ({"enum": ["open", "closed"]}, "opened", '`a` must be one of open, closed, not "opened".'),
    ({"type": "integer", "minimum": 1}, 0, "`a` must be at least 1, but is 0."),
    ({"type": "string", "maxLength": 2}, "abc", '`a` must have a length of at most 2, but is "abc".'),
    ({"type": "array", "items": {"type": "string"}, "maxItems": 1}, ["x", "y"],
     '`a` must have at most this many items: 1, but is ["x", "y"].'),
    ({"type": "array", "items": {"type": "string"}}, ["x", 2], "`a[1]` must be string, not 2."),
    ({"type": "string", "pattern": "^x"}, "y", '`a` must match the pattern `^x`, but is "y".'),
    ({"type": "object", "properties": {"b": {}}, "required": ["b"]}, {}, "`a` lacks the required `b`."),
    ({"type": "object", "properties": {"b": {}}, "additionalProperties": False}, {"b": 1, "c": 2},
     "`a` has no c; only the described keys are allowed."),
    ({"type": "array", "items": {"type": "string"}, "uniqueItems": True}, ["x", "x"],
     '`a` is refused: ["x","x"] has non-unique elements.'),
    ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, True,
     "`a` matches none of its allowed forms: (1) it must be string, not true; "
     "(2) it must be integer, not true."),
    (CIRCLES, {"kind": "square"}, "`a` is invalid: it lacks the required `side`."),
    (CIRCLES, {"kind": "circle", "radius": "x"}, '`a` is invalid: `a.radius` must be number, not "x".'),
    (CIRCLES, 5, "`a` is invalid: it must be object, not 5."),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "value", "message"), REFUSALS)
def test_an_error_names_the_argument_and_what_is_allowed(
    schema: JsonValue, value: JsonValue, message: str
) -> None:
    """The model reads this sentence and nothing else before its next attempt."""
    error = refusal(validator({"a": schema}), {"a": value})
    assert error.message == message
    assert error.argument == "a"


def test_a_missing_argument_is_named() -> None:
    """There is no path to it, only the name in the rule."""
    error = refusal(validator({"q": {"type": "string"}}, ["q"]), {})
    assert (error.message, error.argument, error.pointer) == ("The call lacks the required `q`.", "q", "")


def test_the_pointer_leads_to_the_place() -> None:
    """A page marks the field at fault by it."""
    checked = validator({"a/b": {"type": "array", "items": {"properties": {"c~": {"type": "string"}}}}})
    error = refusal(checked, {"a/b": [{"c~": 1}]})
    assert (error.argument, error.pointer) == ("a/b", "/a~1b/0/c~0")


def test_five_problems_are_named_at_most() -> None:
    """A list of a hundred would fill the model's context with one cause."""
    properties: JsonObject = {f"k{index}": {"type": "string"} for index in range(9)}
    error = refusal(validator(properties), dict.fromkeys(properties, 1))
    assert error.message.count("must be string") == 5
    assert error.message.endswith(" There are more problems.")


def test_long_values_and_lists_are_shortened_in_errors() -> None:
    """The value may be a file."""
    names: list[JsonValue] = [f"name{index}" for index in range(200)]
    error = refusal(validator({"a": {"enum": names}}), {"a": "x" * 10_000})
    assert len(error.message) < 500
    assert ", … (200 values), not " in error.message


NULLABLE: list[JsonValue] = [
    {"type": ["object", "null"], "properties": {"x": {"type": "string"}}},
    {"type": "array", "items": {"type": "string"}, "nullable": True},
    {"anyOf": [{"type": "string"}, {"type": "object"}, {"type": "null"}]},
    {"type": ["string", "null"], "enum": ["a"]},
    {"type": "object", "nullable": True, "enum": [{"x": 1}]},
]


CHOICE: JsonObject = {
    "type": "object",
    "properties": {"url": {}, "id": {}, "revision": {}, "title": {}},
    "oneOf": [{"required": ["url"]}, {"required": ["id", "revision"]}],
}


def test_exactly_one_of_several_sets_of_names_is_needed() -> None:
    """No keyword for it reaches every reader of tools, so it is told in words; the call is held to it."""
    checked = validator({"a": CHOICE})
    checked.validate_arguments({"a": {"url": "u", "title": "t", "id": 1}})
    checked.validate_arguments({"a": {"id": 1, "revision": 2}})
    assert str(refusal(checked, {"a": {"id": 1}})) == (
        "`a` matches none of its allowed forms: (1) it lacks the required `url`; "
        "(2) it lacks the required `revision`."
    )
    assert str(refusal(checked, {"a": {"url": "u", "id": 1, "revision": 2}})) == (
        "`a` matches several of its allowed forms, but must match exactly one; leave something out."
    )


def test_at_least_one_of_several_sets_of_names_is_needed() -> None:
    """Both are fine, neither is not; null is, where it may be."""
    any_of: JsonObject = {**CHOICE, "anyOf": CHOICE["oneOf"], "nullable": True}
    del any_of["oneOf"]
    checked = validator({"a": any_of, "b": {**CHOICE, "nullable": True}})
    checked.validate_arguments({"a": {"url": "u", "id": 1, "revision": 2}, "b": None})
    checked.validate_arguments({"a": None})
    assert "it lacks the required `url`" in str(refusal(checked, {"a": {"title": "t"}}))


def test_a_choice_of_names_that_are_no_arguments_is_left_to_the_api() -> None:
    """A read-only property is not the caller's to send."""
    hidden: JsonObject = {**CHOICE, "properties": {"id": {}, "revision": {}, "url": {"readOnly": True}}}
    validator({"a": hidden}).validate_arguments({"a": {"id": 1}})


@pytest.mark.parametrize("schema", NULLABLE)
def test_null_is_taken_wherever_the_description_says_so(schema: JsonValue) -> None:
    """Objects and lists say it in words only, because a type list would lose their inside on the way."""
    validator({"a": schema}).validate_arguments({"a": None})


@pytest.mark.parametrize("schema", [{"type": "object"}, {"type": "array"}, {"type": "string"}, CIRCLES])
def test_null_is_refused_elsewhere(schema: JsonValue) -> None:
    """An optional argument is left out, not null."""
    refusal(validator({"a": schema}), {"a": None})


@pytest.mark.parametrize("value", [None, 1, "x", [[1], None, {"a": []}], {"a": None}])
def test_a_free_form_value_is_anything(value: JsonValue) -> None:
    """The advertised five branches are words for readers; lists of lists are not among them."""
    validator({"a": {}}).validate_arguments({"a": value})
    validator({"a": {"type": "array"}}).validate_arguments({"a": [value]})


def test_undeclared_arguments_pass_only_where_the_body_takes_them() -> None:
    """A model's typo would otherwise go nowhere, and the answer would be to another question."""
    schema = b'{"type":"object","properties":{"page_size":{"type":"integer"}},"required":[]}'
    ArgumentValidator(schema).validate_arguments({"other": 1})
    closed = ArgumentValidator(schema, takes_more=False)
    closed.validate_arguments({"page_size": 1})
    with pytest.raises(ArgumentError) as refused:
        closed.validate_arguments({"page_size": 1, "page[size]": 1})
    assert refused.value.message == "There is no argument `page[size]`; the arguments are page_size."
    assert (refused.value.argument, refused.value.pointer) == ("page[size]", "/page[size]")
    none = ArgumentValidator(b'{"type":"object","properties":{},"required":[]}', takes_more=False)
    with pytest.raises(ArgumentError, match="takes no arguments"):
        none.validate_arguments({"x": 1})


def test_integers_of_any_size_are_integers() -> None:
    """Identifiers beyond 64 bits travel as digits."""
    validator({"a": {"type": "integer"}}).validate_arguments({"a": 10**40})


def test_a_pattern_that_cannot_be_read_costs_only_itself() -> None:
    """ECMAScript and Rust patterns differ; a tool must not be lost over one of them."""
    checked = validator({"a": {"type": "string", "pattern": "("}, "b": {"type": "string", "pattern": "^x"}})
    checked.validate_arguments({"a": "anything", "b": "x"})
    assert "pattern" in refusal(checked, {"b": "y"}).message


@pytest.mark.parametrize("pattern", [r"^(a+)+$", r"^(a|aa)+$", r"^(?:a?){60}a{60}$"])
def test_a_pattern_takes_linear_time(pattern: str) -> None:
    """Pattern and text come from strangers; an engine that backtracks would stand still here."""
    checked = validator({"a": {"type": "array", "items": {"type": "string", "pattern": pattern}}})
    refusal(checked, {"a": [text for text in ("a" * 2000 + "!",) for _ in range(50)]})


@pytest.mark.parametrize("pattern", [r"^(?=a)", r"^(a)\1$", r"^(?:a{1000}){1000}$"])
def test_a_pattern_beyond_the_linear_engine_is_left_to_the_api(pattern: str) -> None:
    """Look-around, back-references and giant repetitions; the rest of the schema still holds."""
    checked = validator({"a": {"type": "string", "pattern": pattern, "maxLength": 3}})
    checked.validate_arguments({"a": "xyz"})
    refusal(checked, {"a": "long"})


def test_references_inside_a_schema_are_never_fetched() -> None:
    """A schema that leads to another machine would make the bridge ask it."""
    schema = b'{"type":"object","properties":{"a":{"$ref":"https://127.0.0.1:9/x"}},"required":[]}'
    with pytest.raises(Exception, match="x"):
        ArgumentValidator(schema)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        (" \n", {}),
        (b"", {}),
        ('{"a": 1, "a": 2}', {"a": 2}),
        ('{"n": 123456789012345678901234567890}', {"n": 123456789012345678901234567890}),
        ('\ufeff{"a": 1.5e3}', {"a": 1500.0}),
        (b'{"a": "\xc3\xa9"}', {"a": "é"}),
        (r'{"a": "\ud83d\ude00"}', {"a": "😀"}),
    ],
)
def test_the_text_of_a_model_becomes_an_object(text: str | bytes, expected: JsonObject) -> None:
    """Models send nothing for tools without arguments, and numbers larger than any machine word."""
    assert parse_arguments(text, max_bytes=1_000) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[1]", "one JSON object, not an array"),
        ('"{}"', "one JSON object, not a string"),
        ("null", "one JSON object, not null"),
        ("3", "one JSON object, not an integer"),
        ("{'a': 1}", "not valid JSON"),
        ('{"a": NaN}', "NaN is not a JSON value"),
        ('{"a": -Infinity}', "-Infinity is not a JSON value"),
        ('{"a": 1e999}', "1e999 is too large a number"),
        ('{"a": "\\ud800"}', "half of a surrogate pair"),
        ('{"a": "\ud800"}', "not UTF-8"),
        (b'{"a": "\xff"}', "not UTF-8"),
        ('{"a":' * 200_000, "nested too deeply"),
        ('{"a":' * 255 + "1" + "}" * 255, "nested too deeply"),
        ('{"n": ' + "9" * 5_000 + "}", "not valid JSON"),
    ],
    ids=range(14),
)
def test_text_that_is_no_object_is_refused_with_the_reason(text: str | bytes, reason: str) -> None:
    """The model can repair what it is told."""
    with pytest.raises(ArgumentError, match=reason):
        parse_arguments(text, max_bytes=10_000_000)


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_arguments_of_as_many_levels_as_are_allowed_are_judged_like_any_other(interpreter: int) -> None:
    """Finding house-H7: how deep a value is described was a matter of the interpreter, and of its caller."""
    deep = '{"a":' * 252 + '{"b": "%s"}' + "}" * 252
    checked = validator({"a": {"type": "object", "properties": {"a": {"type": "integer"}}}})
    loose = validator({"a": {"type": "object"}, "n": {"type": "array", "items": {"type": "object"}}})
    with python_that_reads(interpreter):
        assert refusal(checked, parse_arguments(deep % "x", max_bytes=10_000)).pointer == "/a/a"
        loose.validate_arguments(parse_arguments(deep % "x", max_bytes=10_000))
        encoded: JsonObject = {"n": ['{"a":' * 252 + "1" + "}" * 252]}
        assert loose.validate_arguments(encoded) != encoded
        too_deep = parse_arguments('{"n": ["%s"]}' % ("[" * 254 + "]" * 254), max_bytes=10_000)
        assert "must be object" in refusal(loose, too_deep).message


def test_large_text_is_refused_before_it_is_read() -> None:
    """The size is measured in bytes, as it is on the wire."""
    with pytest.raises(ArgumentError, match="larger than 10 bytes"):
        parse_arguments('{"é":"ééé"}', max_bytes=10)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_parsing_undoes_writing(arguments: dict[str, object]) -> None:
    """What a caller means must be what the page gets."""
    value = cast(JsonObject, arguments)
    assert parse_arguments(json.dumps(value), max_bytes=1_000_000) == value


OPTIONAL_BODY = dump_json(
    {
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "q": {"type": "string"},
            "a": {"type": "integer"},
            "b": {"type": "string"},
        },
        "required": ["id", "a"],
    }
)


@pytest.mark.parametrize("arguments", [{"id": "1"}, {"id": "1", "q": "x"}, {"id": "1", "a": 1, "b": "x"}])
def test_an_optional_body_is_given_whole_or_not_at_all(arguments: JsonObject) -> None:
    """The schema asks for its required properties; the API takes a call without any body."""
    ArgumentValidator(OPTIONAL_BODY, optional_body=frozenset("ab")).validate_arguments(arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"id": "1", "b": "x"}, "The call lacks the required `a`."),
        ({"id": "1", "further": "x"}, "The call lacks the required `a`."),
        ({"q": "x"}, "The call lacks the required `id`."),
        ({"id": "1", "b": 2}, "`b` must be string, not 2. The call lacks the required `a`."),
    ],
)
def test_a_part_of_an_optional_body_needs_the_rest(arguments: JsonObject, message: str) -> None:
    """The API would refuse it, one request later."""
    checked = ArgumentValidator(OPTIONAL_BODY, optional_body=frozenset("ab"))
    assert refusal(checked, arguments).message == message


def test_a_tool_of_nothing_but_an_optional_body_can_be_called_without_it() -> None:
    """No argument at all is the call without a body."""
    schema = b'{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}'
    checked = ArgumentValidator(schema, takes_more=False, optional_body=frozenset("a"))
    checked.validate_arguments({})
    assert refusal(checked, {"a": 1}).message == "`a` must be string, not 1."


def test_null_for_an_optional_argument_that_takes_none_means_left_out() -> None:
    """Models write null for what they do not want to say; the API's document forbids it there."""
    properties: JsonObject = {
        "inner": {"type": "object", "properties": {"deep": {"type": "string"}}},
        "maybe": {"type": ["string", "null"]},
        "any": {},
        "text": {"type": "string"},
        "needed": {"type": "string"},
    }
    checked = validator(properties, ["needed"])
    sent: JsonObject = {"inner": {"deep": None}, "maybe": None, "any": None, "text": None, "needed": None}
    assert checked.without_added_nulls(sent) == {"inner": {}, "maybe": None, "any": None, "needed": None}
    untouched: JsonObject = {"text": "x"}
    assert checked.without_added_nulls(untouched) is untouched


def test_null_for_every_property_of_an_optional_body_means_no_body() -> None:
    """Required by keyword, they are needed only together."""
    checked = ArgumentValidator(OPTIONAL_BODY, optional_body=frozenset("ab"))
    assert checked.without_added_nulls({"id": "1", "a": None, "b": None}) == {"id": "1"}
