"""Reads the examples beside a schema: those of a parameter or of a media type.

Receives the object that has `example` or `examples`; gives the values as they are written.
"""

from collections.abc import Iterator
from contextlib import suppress

from toolserver.errors import ReferenceFailed
from toolserver.json_types import (
    JsonObject,
    JsonValue,
    join_arrays,
    object_at,
    only_value,
    select_items,
    with_texts_of,
)
from toolserver.openapi.document import Document

_MAX_EXAMPLES = 5
_STRUCTURES = ("array", "object")


def examples_of(document: Document, node: JsonObject) -> list[JsonValue]:
    """At most five examples. One that cannot be read is left out."""
    if "example" in node:
        return only_value(node, "example")
    if "examples" not in node:
        return []
    return join_arrays(_values_of(document, node))


def with_examples(schema: JsonValue, values: list[JsonValue]) -> JsonValue:
    """`schema` with these values in place of its own (OpenAPI 3.1.2 §4.8.12.2.2 and §4.8.14).

    A text is left out if the value is not a string: it shows the value as it is sent, which no caller has to
    write.
    """
    if not isinstance(schema, dict):
        return schema
    examples = values
    if schema.get("type") in _STRUCTURES:
        examples = select_items(
            values, [place for place, value in enumerate(values) if not isinstance(value, str)]
        )
    return with_texts_of(schema, {**schema, "examples": examples}) if examples else schema


def _values_of(document: Document, node: JsonObject) -> Iterator[list[JsonValue]]:
    for entry in list(object_at(node, "examples").values())[:_MAX_EXAMPLES]:
        with suppress(ReferenceFailed):
            example = document.follow_refs(entry)
            for key in ("dataValue", "value"):  # the first is OpenAPI 3.2's
                if isinstance(example, dict) and key in example:
                    yield only_value(example, key)
                    break
