"""What stands beside a reference, before OpenAPI 3.1 and since."""

import pytest

from tests.support.documents.arguments import Argument, argument_of
from toolserver.json_types import JsonObject

BESIDE: list[tuple[str, str, JsonObject, str]] = [
    ("Amount", "type: number", {"type": "object"}, "is about number, and the reference object"),
    ("Amount", "type: number, enum: [1, 2], minimum: 0, default: 1", {"type": "object"}, "about number"),
    ("Amount", "enum: [a, b]", {"type": "object"}, "enum beside its reference contradicts it"),
    ("Amount", "minLength: 3", {"type": "object"}, "is about string, and the reference object"),
    ("Amount", "type: object, required: [currency]", {"type": "object", "required": ["currency"]}, ""),
    ("Month", "type: integer", {"type": "string", "enum": ["08", "09"]}, "about integer"),
    ("Month", "enum: [10, 11]", {"type": "string", "enum": ["08", "09"]}, "no value in common"),
    ("Month", "enum: [08]", {"type": "string", "enum": ["08"]}, ""),
    ("Month", "nullable: true", {"type": ["string", "null"], "enum": ["08", "09", None]}, ""),
    (
        "Text",
        "maxLength: 5, format: uuid",
        {"type": "string", "maxLength": 10, "format": "date"},
        "maxLength",
    ),
    ("Text", "default: 1.10", {"type": "string", "default": "1.10"}, "1.10 where a string belongs"),
    ("Either", "type: string", {}, "is about string, and the reference object or array"),
    ("Listed", "type: string", {"type": "array"}, "is about string, and the reference array"),
    ("Any", "type: string, enum: [08]", {"type": "string", "enum": ["08"]}, ""),
    ("Gone", "type: string", {"type": "string"}, "leads nowhere"),
]
COMPONENTS = (
    "{Amount: {type: object, properties: {currency: {type: string}, value: {type: number}}}, "
    "Month: {type: string, enum: [08, 09]}, Text: {type: string, maxLength: 10, format: date}, "
    "Either: {oneOf: [{$ref: HERE/Amount}, {type: array, items: {type: string}}]}, "
    "Listed: {allOf: [{type: array}, {items: {type: string}}]}, Any: {description: any}}"
)


def beside_reference(version: str, name: str, beside: str) -> Argument:
    """A property that refers to a schema, with something beside the reference."""
    where = "#/definitions" if version.startswith("swagger") else "#/components/schemas"
    components = COMPONENTS.replace("HERE/Amount", f"'{where}/Amount'")
    schema = f"{{type: object, properties: {{a: {{{beside}, $ref: '{where}/{name}'}}}}}}"
    if version.startswith("swagger"):
        parts, body = f"definitions: {components}", f"parameters: [{{name: b, in: body, schema: {schema}}}]"
    else:
        parts = f"components: {{schemas: {components}}}"
        body = f"requestBody: {{content: {{application/json: {{schema: {schema}}}}}}}"
    return argument_of(f"{version}\n{parts}\npaths: {{/x: {{post: {{{body}}}}}}}\n", key="POST /x")


@pytest.mark.parametrize("version", ["openapi: 3.0.3", "swagger: '2.0'"])
@pytest.mark.parametrize(("name", "beside", "expected", "said"), BESIDE)
def test_what_contradicts_a_reference_beside_it_counts_for_nothing(
    version: str, name: str, beside: str, expected: JsonObject, said: str
) -> None:
    """Finding O-2: 3.0.4 ignores it; what it adds is meant, what it contradicts hid the right arguments."""
    found = beside_reference(version, name, beside)
    assert {key: found.schema.get(key) for key in expected} == expected
    if name == "Amount":
        properties = found.schema["properties"]
        assert isinstance(properties, dict)
        assert [*properties] == ["currency", "value"]
    if name == "Either":
        forms = found.schema["anyOf"]
        assert isinstance(forms, list)
        assert [form["type"] for form in forms if isinstance(form, dict)] == ["object", "array"]
    if said:
        assert said in " ".join(found.warnings)
    else:
        assert not [each for each in found.warnings if "reference" in each]


def test_texts_beside_a_reference_are_those_of_the_place() -> None:
    """Finding O-2: authors describe a use of a schema beside its reference, in every version."""
    found = beside_reference("openapi: 3.0.3", "Text", "description: Here, title: T, example: 08")
    assert str(found.schema["description"]).startswith("Here.")
    assert (found.schema["title"], found.schema["examples"]) == ("T", ["08"])


def test_from_3_1_on_both_count() -> None:
    """Finding O-2: JSON Schema 2020-12 evaluates what stands there too, so the tighter bound holds."""
    found = beside_reference("openapi: 3.1.0", "Text", "maxLength: 5")
    assert (found.schema["maxLength"], found.warnings) == (5, ())
    assert beside_reference("openapi: 3.1.0", "Amount", "type: number").schema["type"] == "number"
