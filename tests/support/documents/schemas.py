"""Argument schemas of small documents, as values."""

from typing import cast

import orjson

from tests.support.documents.openapi import document_with
from toolserver.json_types import JsonObject, JsonValue
from toolserver.schema.flatten import Flattening
from toolserver.tool.argument_schemas import ArgumentSchemas, ArgumentSource, Budget


def flat_with_warnings(
    schema: JsonValue, schemas: JsonObject | None = None, budget: Budget | None = None
) -> tuple[JsonObject, list[str]]:
    """The schema of the one argument `a`, in a document with these components."""
    document = document_with({}, components={"schemas": schemas or {}})
    budget = budget or Budget()
    flattening = Flattening(document.resolve_ref, max_nodes=budget.nodes)
    made = ArgumentSchemas(flattening, budget).build_schema([ArgumentSource("a", schema)])
    properties = cast(JsonObject, orjson.loads(made.schema_json)["properties"])
    return cast(JsonObject, properties["a"]), list(made.warnings)


def flat(schema: JsonValue, *, budget: Budget | None = None, **schemas: JsonValue) -> JsonObject:
    """The schema alone."""
    return flat_with_warnings(schema, schemas, budget)[0]
