"""Documents whose schemas all lead to each other, which is the most work for a small text."""

from collections.abc import Callable
from typing import TypeAlias

from toolserver.json_types import JsonObject, JsonValue

Property: TypeAlias = "Callable[[int, int], JsonValue]"
"""Makes a property from the number of its schema and of the one that it leads to."""


def ref(number: int) -> JsonObject:
    return {"$ref": f"#/components/schemas/S{number}"}


def circles(
    schemas: int, operations: int, leads_to: Property = lambda _, other: ref(other), *, title: str = "Circles"
) -> JsonObject:
    """A document with a POST for each schema, over and over; each schema has a property for each schema."""
    described: JsonObject = {
        f"S{number}": {
            "type": "object",
            "properties": {f"p{other}": leads_to(number, other) for other in range(schemas)},
        }
        for number in range(schemas)
    }
    paths: JsonObject = {
        f"/{number}": {
            "post": {"requestBody": {"content": {"application/json": {"schema": ref(number % schemas)}}}}
        }
        for number in range(operations)
    }
    return {
        "openapi": "3.0.3",
        "info": {"title": title, "version": "1"},
        "servers": [{"url": "https://circles.example"}],
        "paths": paths,
        "components": {"schemas": described},
    }
