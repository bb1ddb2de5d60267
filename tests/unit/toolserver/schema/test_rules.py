"""Rules without a keyword of their own, in words."""

import pytest

from toolserver.json_types import JsonObject, JsonValue
from toolserver.schema.rules import describe_rules

US: JsonObject = {"properties": {"country": {"const": "US"}}, "required": ["country"]}
RULES: list[tuple[JsonObject, str]] = [
    ({"not": {"required": ["a", "b"]}}, "Not allowed: `a` is given and `b` is given."),
    ({"not": {"enum": ["a", "b c"]}}, "Not allowed: the value is a or b c."),
    ({"not": {"type": "null"}}, "Not allowed: the value is null."),
    ({"not": {"pattern": "^x", "x-note": 1}}, 'Not allowed: the value fits `{"pattern":"^x"}`.'),
    (
        {"if": US, "then": {"required": ["state"]}, "else": {"properties": {"state": False}}},
        "If `country` is US, then `state` is given; otherwise `state`, if given, is not there.",
    ),
    (
        {"if": US, "then": {"properties": {"zip": {"pattern": "^[0-9]{5}$"}}}},
        'If `country` is US, then `zip`, if given, fits `{"pattern":"^[0-9]{5}$"}`.',
    ),
    (
        {"if": US, "then": True, "else": {"required": ["vat"]}},
        "Unless `country` is US, `vat` is given.",
    ),
    ({"contains": {"const": 1}}, "Of the items, at least 1 must fit this: the value is 1."),
    (
        {"contains": {"type": "string"}, "minContains": 2, "maxContains": 3},
        "Of the items, 2 to 3 must fit this: the value is string.",
    ),
    ({"dependentSchemas": {"card": {"required": ["cvc"]}}}, "If `card` is given: `cvc` is given."),
    ({"dependencies": {"card": ["cvc"]}}, "If `card` is given: `cvc` is given."),
    ({"not": {"properties": {"a": {"const": "{x}"}}}}, "Not allowed: `a`, if given, is {x}."),
]


@pytest.mark.parametrize(("schema", "sentence"), RULES)
def test_a_rule_is_one_sentence(schema: JsonObject, sentence: str) -> None:
    """A model that knows the rule repairs a call before the API has to refuse it."""
    assert describe_rules(schema) == ([sentence], [])


LOST: list[tuple[str, JsonObject]] = [
    ("not", {"not": {"$ref": "#/x"}}),
    ("not", {"not": {"enum": ["x" * 400]}}),
    ("not", {"not": {}}),
    ("not", {"not": False}),
    ("if", {"if": {"anyOf": [{"const": "x" * 400}]}, "then": US}),
    ("if", {"if": US, "then": {"properties": {"a": {"$ref": "#/x"}}}}),
    ("contains", {"contains": True}),
    ("dependentSchemas", {"dependentSchemas": {"a": {"required": ["b" * 400]}}}),
]


@pytest.mark.parametrize(("keyword", "schema"), LOST)
def test_a_rule_that_no_short_sentence_tells_is_named_as_lost(keyword: str, schema: JsonObject) -> None:
    """`check` reports it; half a rule would mislead."""
    assert describe_rules(schema) == ([], [keyword])


NO_RULES: list[JsonValue] = [
    {"if": US},
    {"if": US, "then": True},
    {"then": US},
    {"dependentSchemas": []},
    {"type": "object"},
]


@pytest.mark.parametrize("schema", NO_RULES)
def test_half_a_condition_is_no_rule(schema: JsonObject) -> None:
    """`if` alone, or `then` alone, restricts nothing."""
    assert describe_rules(schema) == ([], [])
