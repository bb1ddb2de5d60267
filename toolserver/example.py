"""Examples that stand beside a schema: of a parameter, and of a media type.

Receives the object that has `example` or `examples`; gives the values, as they are written.
"""

from collections.abc import Iterator
from contextlib import suppress

from toolserver.document import Document
from toolserver.errors import ReferenceFailed
from toolserver.json_types import JsonObject, JsonValue, object_at

_MAX_EXAMPLES = 5


def examples_of(document: Document, node: JsonObject) -> list[JsonValue]:
    """At most five. An example that cannot be read costs nothing but itself."""
    if "example" in node:
        return [node["example"]]
    return list(_values_of(document, node)) if "examples" in node else []


def with_examples(schema: JsonValue, values: list[JsonValue]) -> JsonValue:
    """`schema` itself where it has examples of its own, or there are none."""
    if not values or not isinstance(schema, dict) or "example" in schema or "examples" in schema:
        return schema
    return {**schema, "examples": values}


def _values_of(document: Document, node: JsonObject) -> Iterator[JsonValue]:
    for entry in list(object_at(node, "examples").values())[:_MAX_EXAMPLES]:
        with suppress(ReferenceFailed):
            example = document.follow(entry)
            for key in ("dataValue", "value"):  # the first is OpenAPI 3.2's
                if isinstance(example, dict) and key in example:
                    yield example[key]
                    break
