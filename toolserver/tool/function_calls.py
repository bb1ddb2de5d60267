"""Tools as function calling has them: the definition that a model gets, and the arguments that it gives.

For programs that speak to a model themselves; the bridge has more to say about its tools
(`bridge/models/agent`).
"""

from typing import cast

import orjson

from toolserver.arguments.arguments import ArgumentValidator, parse_arguments
from toolserver.json_types import JsonObject
from toolserver.operation.request_plan import optional_body_arguments
from toolserver.request.argument_check import withheld_check
from toolserver.tool.compile import CompiledOperation
from toolserver.tool.definition import ToolSchema

_MAX_BYTES = 1024 * 1024
"""As many as the bridge takes."""


def openai_tool(operation: CompiledOperation, schema: ToolSchema) -> JsonObject:
    """The definition of a tool for OpenAI's Chat Completions API, and for what speaks its language.

    `{"type": "function", "function": {"name", "description", "parameters"}}`. The name has at most 64
    letters, digits, `_` and `-`, and is unique within its document. The Responses API wants the members of
    `function` beside `type`.
    """
    parameters = cast(JsonObject, orjson.loads(schema.schema_json))
    name, description = operation.suggested_name, operation.description
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


def read_arguments(
    operation: CompiledOperation, schema: ToolSchema, text: str | bytes, *, max_bytes: int = _MAX_BYTES
) -> JsonObject:
    """The arguments in a model's text, validated; nulls that only mean "left out" are removed.

    Integers of any size stay exact. `max_bytes` is measured in UTF-8. Compiling the schema takes about 1 ms.

    Raises:
        ArgumentError: its text says what is wrong and what is allowed, so that the model can repair it.
    """
    validator = ArgumentValidator(
        schema.schema_json,
        takes_more=operation.takes_more,
        optional_body=optional_body_arguments(operation.plan_json),
        check=withheld_check(operation.plan_json),
    )
    arguments = parse_arguments(text, max_bytes=max_bytes)
    return validator.validate_arguments(validator.without_added_nulls(arguments))
