"""Compiled sample documents for tests of the rooms above `toolserver`."""

import json
from collections.abc import Iterable

from toolserver.document.document import parse_document
from toolserver.json_types import JsonObject
from toolserver.tool.compile import CompiledDocument, CompiledReader, DocumentTools


def document_text(
    title: str = "Shop", *, paths: JsonObject | None = None, server: str = "http://api.example/v1"
) -> str:
    """A small OpenAPI document; by default one safe and one unsafe operation."""
    standard: JsonObject = {
        "/products": {
            "get": {
                "operationId": "listProducts",
                "parameters": [{"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1}}],
                "responses": {"200": {"description": "ok"}},
            },
            "post": {
                "operationId": "addProduct",
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {"name": {"type": "string"}},
                            }
                        }
                    },
                },
                "responses": {"201": {"description": "ok"}},
            },
        }
    }
    return json.dumps(
        {
            "openapi": "3.1.0",
            "info": {"title": title, "version": "1"},
            "servers": [{"url": server}],
            "paths": paths if paths is not None else standard,
        }
    )


def operation(operation_id: str) -> JsonObject:
    """A path item with one GET of that id."""
    return {"get": {"operationId": operation_id, "responses": {"200": {"description": "ok"}}}}


def compiled(text: str, *, source_url: str | None = None, base_url: str | None = None) -> CompiledDocument:
    """The text, compiled in this process."""
    return tools_of(text, source_url=source_url, base_url=base_url).compiled


def tools_of(text: str, *, source_url: str | None = None, base_url: str | None = None) -> DocumentTools:
    """The same, with its schemas at hand."""
    return DocumentTools(parse_document(text), source_url=source_url, base_url=base_url)


def read_compiled(lines: Iterable[bytes]) -> CompiledDocument:
    """The document that `compiled_to_lines` wrote."""
    reader = CompiledReader()
    for line in lines:
        reader.feed_line(line)
    return reader.finish_document()
