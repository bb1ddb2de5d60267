"""Small OpenAPI documents for tests, written as the part that matters."""

import json

from toolserver.json_types import JsonObject, JsonValue
from toolserver.openapi.document import Document, DocumentLimits, parse_document
from toolserver.operation.operation import Operation, read_operations


def document_with(
    paths: JsonValue,
    root: JsonObject | None = None,
    *,
    openapi: str = "3.1.0",
    limits: DocumentLimits | None = None,
    **fields: JsonValue,
) -> Document:
    """A document with these paths; `root` and further keywords become fields of its root."""
    head: JsonObject = {"openapi": openapi, "info": {"title": "T", "version": "1"}, "paths": paths}
    text = json.dumps({**head, **(root or {}), **fields})
    return parse_document(text, limits=limits)


def operation_of(
    node: JsonObject, *, method: str = "get", path: str = "/things", **root: JsonValue
) -> Operation:
    """The one operation of a document; fails when it was skipped."""
    listed = read_operations(document_with({path: {method: node}}, root))
    assert listed.skipped == ()
    return listed.operations[0]
