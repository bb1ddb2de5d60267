"""What a server's tools would be without the page's edits, where edits find them, and the tokens of each."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any, Literal

import orjson
from aiohttp import web
from pydantic import Field

from bridge.catalog.registry import Registry
from bridge.catalog.server_view import LoadedServer
from bridge.documents.reader import DocumentReader
from bridge.endpoints.api.overlays import find_own_server
from bridge.errors import BridgeError, ErrorCode
from bridge.http.access import caller_of
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, ok
from bridge.http.routing import ApiModel, compressed, json_answer
from toolserver.errors import quote_text
from toolserver.tool.catalog import Tool
from toolserver.tool.compile import CompiledDocument, CompiledOperation
from toolserver.tool.selection import tokens_for

MAX_COUNTED = 1_000
"""Operations of one server whose schemas are made only to count their tokens; chosen. Of a larger server
those count that have been made for something else."""

_COUNT = re.compile("[0-9]{1,4}")
_OF_SERVER = "/api/servers/{id}"
_OF_OWNER = (
    ErrorCode.NOT_FOUND,
    ErrorCode.OPERATOR_ONLY,
    ErrorCode.INVALID_REQUEST,
    ErrorCode.INVALID_DOCUMENT,
)


class DefaultPlace(ApiModel):
    """Where a document has the default of an argument."""

    target: str
    """JSONPath for an overlay; empty: no path names it."""
    path: list[str]
    """The names below the target."""
    shared: bool


class ArgumentPlace(ApiModel):
    """Where a document describes an argument."""

    name: str
    location: Literal["path", "query", "querystring", "header", "cookie", "body", "body_property"] = Field(
        serialization_alias="in"
    )
    sent_as: str
    """What the API calls it."""
    target: str
    """JSONPath for an overlay; empty: no path names it."""
    description: str
    """As the document has it."""
    shared: bool
    """Whether a change there may change other tools as well."""
    default: DefaultPlace


class EditableTool(ApiModel):
    """A tool as a document and some of its overlays make it."""

    key: str
    name: str
    description: str
    """Summary and description, which an edit replaces."""
    tokens: int
    """Estimated tokens of its definition, at four characters a token."""
    warnings: list[str]
    """Those of the document itself."""
    tool_schema: dict[str, Any] = Field(serialization_alias="schema")
    target: str
    """JSONPath of the operation for an overlay; empty: no path names it."""
    arguments: list[ArgumentPlace]


class OriginalTokens(ApiModel):
    """What a server's tools, the first thousand of them, would take without its overlays."""

    tokens: int
    tools: dict[str, int]
    """By key of the operation."""


class ToolTokens(ApiModel):
    """What each of the user's tools takes of a request that lists it."""

    tools: dict[str, int]
    """Estimated tokens by name; absent while its schema is not ready, and for most tools of a server that has
    more than a thousand."""
    revision: str
    """As in the list of servers."""


class OriginalToolRoutes(DeclaredApiRoutes):
    """Handlers for who edits tools."""

    def __init__(self, registry: Registry, reader: DocumentReader) -> None:
        self._registry = registry
        self._reader = reader

    @api_route("GET /api/tokens", ok("Tokens.", ToolTokens), errors=(ErrorCode.INVALID_DOCUMENT,))
    async def show_tokens(self, request: web.Request) -> web.Response:
        """Estimate the tokens of each tool."""
        view = await self._registry.view_of_user(caller_of(request).user.id)
        servers = {server.record.id: server for server in view.servers}
        counted = [tool for tool in view.catalog.tools if _may_be_counted(servers[tool.server_id], tool)]
        tokens = await self._registry.lists.count_tokens(view, counted)
        return compressed(json_answer(ToolTokens(tools=tokens, revision=view.revision)))

    @api_route(
        f"GET {_OF_SERVER}/original",
        ok("The tool without the later overlays.", EditableTool),
        access="page",
        errors=_OF_OWNER,
        query={"key": "Key of the operation.", "overlays": "How many overlays are applied; default: 0."},
    )
    async def show_original(self, request: web.Request) -> web.Response:
        """Show an operation as the first overlays leave it, and where an edit finds it.

        Only its owner sees it.
        """
        server = await find_own_server(self._registry, request)
        key = request.query.get("key", "")
        overlays = server.record.overlays[: _count_of(request)]
        compiled = await self._compile(server, overlays)
        found = next((operation for operation in compiled.operations if operation.key == key), None)
        if found is None:
            raise BridgeError(ErrorCode.NOT_FOUND, f"There is no operation {quote_text(key)}.")
        text, digest = server.record.text, compiled.digest
        schemas = await self._reader.compile_schemas(text, digest, [key], overlays=overlays)
        schema_json = schemas[key].schema_json
        places = await self._reader.read_places(text, digest, key, overlays=overlays)
        original = {
            "key": key,
            "name": found.suggested_name,
            "tokens": _tokens_of(found, schema_json),
            "warnings": [*found.warnings, *schemas[key].warnings],
            "schema": orjson.Fragment(schema_json),
            **orjson.loads(places),
        }
        return web.Response(body=orjson.dumps(original), content_type="application/json")

    @api_route(
        f"GET {_OF_SERVER}/original/tokens",
        ok("Tokens without overlays.", OriginalTokens),
        access="page",
        errors=_OF_OWNER,
    )
    async def show_original_tokens(self, request: web.Request) -> web.Response:
        """Estimate what a server's tools would take without its overlays. Only its owner sees it."""
        server = await find_own_server(self._registry, request)
        compiled = await self._compile(server, ())
        operations = compiled.operations[:MAX_COUNTED]
        keys = [operation.key for operation in operations]
        schemas = await self._reader.compile_schemas(server.record.text, compiled.digest, keys)

        def count() -> dict[str, int]:
            return {each.key: _tokens_of(each, schemas[each.key].schema_json) for each in operations}

        tools = await asyncio.to_thread(count)
        return compressed(json_answer(OriginalTokens(tokens=sum(tools.values()), tools=tools)))

    async def _compile(self, server: LoadedServer, overlays: Sequence[str]) -> CompiledDocument:
        """The document with these overlays; with all of them it is mostly loaded already."""
        record = server.record
        if overlays == record.overlays and server.compiled.operations:
            return server.compiled
        return await self._reader.compile_document(
            record.text, source_url=record.source_url, base_url=record.base_url, overlays=overlays
        )


def _tokens_of(operation: CompiledOperation, schema_json: bytes) -> int:
    """As the tools of today are counted, so that only edits make a difference."""
    return tokens_for("keywords", operation.suggested_name, operation.description, schema_json)


def _may_be_counted(server: LoadedServer, tool: Tool) -> bool:
    return len(server.compiled.operations) <= MAX_COUNTED or tool.operation.key in server.schemas


def _count_of(request: web.Request) -> int:
    written = request.query.get("overlays", "0")
    if not _COUNT.fullmatch(written):
        raise BridgeError(ErrorCode.INVALID_REQUEST, "`overlays` is a number.")
    return int(written)
