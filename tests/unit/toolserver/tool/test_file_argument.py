"""The schema of a file as an argument."""

from typing import cast

import orjson
import pytest

from tests.support.documents.schemas import flat
from toolserver.arguments.arguments import ArgumentValidator
from toolserver.errors import ArgumentError
from toolserver.json_types import JsonObject, JsonValue
from toolserver.schema.strict import strict_schema
from toolserver.tool.file_argument import file_schema


def validator(*, many: bool = False) -> ArgumentValidator:
    schema = {"type": "object", "properties": {"file": flat(file_schema(many=many))}, "required": ["file"]}
    return ArgumentValidator(orjson.dumps(schema))


@pytest.mark.parametrize(
    "file",
    [
        {"base64": "aGk="},
        {"text": "hi", "filename": "hi.txt", "content_type": "text/plain"},
        {"url": "https://files.example/hi.txt"},
    ],
)
def test_a_file_is_given_in_one_of_three_ways(file: JsonObject) -> None:
    """A model has text, bytes in base64, or an address."""
    validator().validate_arguments({"file": file})
    validator(many=True).validate_arguments({"file": [file, file]})


@pytest.mark.parametrize("file", ["aGk=", {}, {"path": "/etc/passwd"}, {"base64": 1}, [{"text": "hi"}]])
def test_anything_else_is_refused_before_a_page_sees_it(file: JsonValue) -> None:
    """A path on the user's disk is no way to give a file."""
    with pytest.raises(ArgumentError):
        validator().validate_arguments({"file": file})


def test_the_description_says_how_a_file_is_given() -> None:
    """Some readers keep descriptions and drop the rules."""
    schema = file_schema()
    assert schema["description"] == "A file: exactly one of base64, text or url."
    properties = cast(JsonObject, schema["properties"])
    assert list(properties) == ["base64", "text", "url", "filename", "content_type"]


def test_a_file_can_be_strict() -> None:
    """Providers then enforce the form."""
    schema: JsonObject = {"type": "object", "properties": {"file": flat(file_schema())}, "required": []}
    assert strict_schema(orjson.dumps(schema)).is_strict


def test_every_caller_gets_the_same_object() -> None:
    """Schemas are known by identity while they are flattened."""
    assert file_schema() is file_schema()
    assert file_schema(many=True)["items"] is file_schema()
