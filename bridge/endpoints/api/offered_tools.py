"""`/api/selection/offered`: what clients and models receive of the tools, word for word, and its cost."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Literal, TypeAlias, cast, get_args

import orjson
from aiohttp import web
from pydantic import JsonValue

from bridge.catalog.registry import Registry
from bridge.catalog.server_view import UserView
from bridge.errors import BridgeError, ErrorCode
from bridge.http.access import caller_of
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, ok
from bridge.http.routing import NO_MODELS, ApiModel, compressed
from toolserver.json_types import JsonObject
from toolserver.tool.selection import Reader, estimated_tokens, tokens_for

Form = Literal["openapi", "mcp", "responses"]

DefineForModels: TypeAlias = Callable[[str], Awaitable[Mapping[str, JsonObject]]]
"""Returns the definitions that `/v1/responses` gives to a model of the tools of a user, by name."""


class OfferedTool(ApiModel):
    """One tool that is offered."""

    name: str
    tokens: int
    """Estimated tokens of its definition, at four characters a token."""


class OfferedTools(ApiModel):
    """The tools as one kind of client receives them, at the address of all servers."""

    form: Form
    tokens: int
    """Estimated tokens of all definitions together."""
    tools: list[OfferedTool]
    document: JsonValue
    """`openapi`: what `GET /openapi.json` gives. `mcp`: the result of `tools/list`. `responses`: the tools
    that `/v1/responses` gives to a model, of accepted operations only."""


class OfferedToolRoutes(DeclaredApiRoutes):
    """Handler of the preview."""

    def __init__(self, registry: Registry, define_for_models: DefineForModels | None) -> None:
        """`define_for_models`: None: this bridge serves no models."""
        self._registry = registry
        self._define_for_models = define_for_models

    @api_route(
        "GET /api/selection/offered",
        ok("The tools as they are sent.", OfferedTools),
        errors=(ErrorCode.INVALID_REQUEST, ErrorCode.INVALID_DOCUMENT, ErrorCode.NOT_FOUND),
        query={"form": "`openapi` (default), `mcp` or `responses`."},
    )
    async def show_offered_tools(self, request: web.Request) -> web.Response:
        """Show what clients and models receive of the tools."""
        view = await self._registry.view_of_user(caller_of(request).user.id)
        form = request.query.get("form", "openapi")
        if form not in get_args(Form):
            raise BridgeError(ErrorCode.INVALID_REQUEST, f"`form` is one of {', '.join(get_args(Form))}.")
        document, costs = await self._written(view, cast("Form", form))
        tools = [{"name": name, "tokens": tokens} for name, tokens in costs.items()]
        about = {"form": form, "tokens": sum(costs.values()), "tools": tools}
        body = orjson.dumps({**about, "document": orjson.Fragment(document)})
        return compressed(web.Response(body=body, content_type="application/json"))

    async def _written(self, view: UserView, form: Form) -> tuple[bytes, dict[str, int]]:
        """Return the document, and the tokens of each of its tools by name."""
        if form == "responses":
            if self._define_for_models is None:
                raise BridgeError(ErrorCode.NOT_FOUND, NO_MODELS)
            own = await self._define_for_models(view.user_id)
            written = {name: orjson.dumps(definition) for name, definition in own.items()}
            costs = {name: estimated_tokens("", "", definition) for name, definition in written.items()}
            return b"[%b]" % b",".join(written.values()), costs
        reader: Reader = "words" if form == "openapi" else "keywords"
        offered = await self._registry.lists.offer_tools(view, None, reader)
        costs = await self._registry.lists.count_tokens(view, offered.tools, reader)
        for meta in offered.meta_tools:
            costs[meta.name] = tokens_for(reader, meta.name, meta.description, meta.schema_json)
        if form == "openapi":
            return (await self._registry.lists.advertise_document(view, None)).body, costs
        return b'{"tools":%b}' % await self._registry.lists.list_mcp_tools(view, None), costs
