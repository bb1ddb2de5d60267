"""Definitions for a model that calls functions, and the arguments that it gives."""

import json

import pytest

from tests.support.documents.compiled import document_text
from toolserver.errors import ArgumentError
from toolserver.openapi.document import parse_document
from toolserver.tool.compile import CompiledOperation, DocumentTools
from toolserver.tool.definition import ToolSchema
from toolserver.tool.function_calls import openai_tool, read_arguments


def tool(name: str) -> tuple[CompiledOperation, ToolSchema]:
    tools = DocumentTools(parse_document(document_text()), source_url=None)
    operation = next(each for each in tools.compiled.operations if each.suggested_name == name)
    return operation, tools.schema_of(operation.key)


def test_a_definition_has_the_form_of_chat_completions() -> None:
    """Finding house-H5: most agent frameworks take this form, and no other."""
    operation, schema = tool("listProducts")
    assert openai_tool(operation, schema) == {
        "type": "function",
        "function": {
            "name": "listProducts",
            "description": operation.description,
            "parameters": json.loads(schema.schema_json),
        },
    }


def test_arguments_are_parsed_and_nulls_that_mean_nothing_removed() -> None:
    """Models write null for what they leave out."""
    assert read_arguments(*tool("listProducts"), '{"limit": null}') == {}
    assert read_arguments(*tool("listProducts"), b"") == {}


@pytest.mark.parametrize(
    ("text", "argument"),
    [
        ('{"limit": 0}', "limit"),
        ('{"unknown": 1}', "unknown"),
        ("[]", None),
        ("{", None),
        ('{"limit": 100000}', None),
    ],
)
def test_arguments_that_an_operation_cannot_take_say_which(text: str, argument: str | None) -> None:
    """A model repairs its call by the sentence; a program by the name."""
    with pytest.raises(ArgumentError) as raised:
        read_arguments(*tool("listProducts"), text, max_bytes=16)
    assert raised.value.argument == argument
