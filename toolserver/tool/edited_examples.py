"""Says which examples of an edited tool are calls that its API would not get.

Receives the schema of a tool's arguments and examples; gives sentences.
"""

from collections.abc import Iterator, Sequence

from toolserver.arguments.arguments import ArgumentValidator
from toolserver.errors import ArgumentError
from toolserver.json_types import JsonObject
from toolserver.openapi.edits import EXTENSION


def describe_misfits(schema_json: bytes, examples: Sequence[JsonObject]) -> tuple[str, ...]:
    """A sentence for each example that does not fit, which no model is shown."""
    return tuple(_misfits(schema_json, examples)) if examples else ()


def _misfits(schema_json: bytes, examples: Sequence[JsonObject]) -> Iterator[str]:
    validator = ArgumentValidator(schema_json, takes_more=False)
    for number, example in enumerate(examples, 1):
        try:
            validator.validate_arguments(example)
        except ArgumentError as error:
            yield f"`examples` of `{EXTENSION}`: models are not shown number {number}. {error.message}"
