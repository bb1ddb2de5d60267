"""Compiled sample documents for tests of the rooms above `toolserver`."""

import json
from collections.abc import Iterable, Sequence

from toolserver.json_types import JsonObject, JsonValue
from toolserver.openapi.overlay import parse_edited_document
from toolserver.tool.compile import CompiledDocument, DocumentTools
from toolserver.tool.compiled_lines import CompiledReader


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


def paths_with_odd_tool() -> JsonObject:
    """The paths of `getA`, which each provider takes as it is, and of `2fa`, which Gemini does not."""
    count: JsonObject = {"type": ["integer", "string"], "exclusiveMinimum": 0}
    odd: JsonObject = {"name": "n", "in": "query", "schema": count}
    return {
        "/a": {"get": {"operationId": "getA", "responses": {}}},
        "/b": {"get": {"operationId": "2fa", "parameters": [odd], "responses": {}}},
    }


def compiled(
    text: str,
    *,
    source_url: str | None = None,
    base_url: str | None = None,
    overlays: Sequence[str] = (),
) -> CompiledDocument:
    """The text, as its overlays leave it, compiled in this process."""
    return tools_of(text, source_url=source_url, base_url=base_url, overlays=overlays).compiled


def tools_of(
    text: str,
    *,
    source_url: str | None = None,
    base_url: str | None = None,
    overlays: Sequence[str] = (),
) -> DocumentTools:
    """The same, with its schemas at hand."""
    document = parse_edited_document(text, overlays)
    return DocumentTools(document, source_url=source_url, base_url=base_url)


def overlay_text(*actions: JsonValue, title: str = "Edits") -> str:
    """An overlay with these actions."""
    return json.dumps(
        {"overlay": "1.1.0", "info": {"title": title, "version": "1"}, "actions": list(actions)}
    )


def read_compiled(lines: Iterable[bytes]) -> CompiledDocument:
    """The document that `compiled_to_lines` wrote."""
    reader = CompiledReader()
    for line in lines:
        reader.feed_line(line)
    return reader.finish_document()
