"""Tools of small documents."""

from tests.support.documents.openapi import document_with
from toolserver.json_types import JsonObject
from toolserver.tool.catalog import Tool
from toolserver.tool.compile import compile_document


def tools_named(*names: str, server: str = "s", **fields: JsonObject) -> list[Tool]:
    """One GET per name; `fields` are more of an operation, by its name."""
    paths: JsonObject = {f"/{name}": {"get": {"operationId": name, **fields.get(name, {})}} for name in names}
    compiled = compile_document(document_with(paths), source_url=None)
    return [Tool(operation.suggested_name, server, operation) for operation in compiled.operations]
