"""The samples that the end-to-end test sends: worth something only if they are valid and hard to carry."""

import pytest

from tests.support.documents.argument_samples import NoSample, sample_arguments
from toolserver.json_types import JsonObject, JsonValue


def schema_of(properties: JsonObject, *required: str) -> JsonObject:
    return {"type": "object", "properties": properties, "required": list[JsonValue](required)}


def sample_of(node: JsonObject, *, full: bool = True) -> JsonValue:
    return sample_arguments(schema_of({"a": node}, "a"), full=full)["a"]


def test_only_what_is_required_or_everything() -> None:
    """Optional arguments must be left out once and given once."""
    schema = schema_of({"a": {"type": "integer"}, "b": {"type": "boolean"}}, "a")
    assert sample_arguments(schema, full=False).keys() == {"a"}
    assert sample_arguments(schema, full=True).keys() == {"a", "b"}


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize(
    "node",
    [
        {"type": "string", "minLength": 30, "maxLength": 31},
        {"type": "string", "maxLength": 0},
        {"type": "string", "pattern": "^arn:[a-z]{2}:[0-9]{12}$"},
        {"type": "string", "pattern": "^.*$", "minLength": 28, "maxLength": 32},
        {"type": "integer", "minimum": 7, "maximum": 8},
        {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
        {"type": "number", "exclusiveMaximum": 0, "multipleOf": 0.25},
        {
            "type": "array",
            "items": {"type": "string", "enum": ["x", "y"]},
            "minItems": 2,
            "uniqueItems": True,
        },
        {"type": "object", "properties": {}, "additionalProperties": {"type": "integer"}, "minProperties": 2},
        {"anyOf": [{"type": "string", "format": "uuid"}, {"type": "array", "items": {"type": "number"}}]},
        {"type": ["string", "null"], "enum": [None, "x"]},
    ],
)
def test_samples_are_valid(node: JsonObject, full: bool) -> None:
    """An invalid one would be refused before it travels; `sample_arguments` itself checks each."""
    sample_of(node, full=full)


def test_texts_hold_what_goes_wrong_on_the_way() -> None:
    """Letters and digits alone would arrive right even without any encoding."""
    assert set(" &=/%+é") <= set(str(sample_of({"type": "string"})))


def test_a_schema_that_nothing_fits_is_told() -> None:
    """A sample that breaks the schema would blame the bridge for the sampler's mistake."""
    with pytest.raises(NoSample):
        sample_of({"type": "string", "pattern": "^a{5}$", "maxLength": 3})
    with pytest.raises(NoSample):
        sample_of({"type": "integer", "minimum": 3, "maximum": 2})
