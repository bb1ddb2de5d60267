"""`/api/servers` and `/api/tools`: documents, acceptances and tools, for the page and the commands."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Set
from urllib.parse import urlsplit

import orjson
from aiohttp import web

from bridge.audit import AuditKind
from bridge.catalog.registry import Registry
from bridge.catalog.server_rights import check_sharing
from bridge.catalog.server_view import LoadedServer, UserView
from bridge.documents.sources import SourceDocument
from bridge.endpoints.api.document_bodies import SplitBodyOf, read_document_body
from bridge.endpoints.api.server_schemas import (
    Acceptance,
    NewDocument,
    NewServer,
    Onlooker,
    Server,
    ServerChange,
    ServerDetail,
    ServerList,
    ServerPlans,
    ServerSharing,
    SkippedOperation,
    ToolEntry,
    ToolList,
    scheme_model,
    server_facts,
    server_model,
    tool_model,
)
from bridge.errors import BridgeError, ErrorCode
from bridge.http.access import caller_of
from bridge.http.audit import set_audit_detail
from bridge.http.body import DECISION_BODY_BYTES, read_body
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, created, ok
from bridge.http.long_lists import long_answer
from bridge.http.routing import Confirmation, compressed, json_answer
from bridge.settings.network import origin_of
from bridge.settings.users import Sharing, allows_sharing
from bridge.storage.user_mapping import User
from toolserver.errors import quote_text
from toolserver.tool.catalog import Tool

FetchDocument = Callable[[str, Set[str]], Awaitable[SourceDocument]]
"""Takes an address and origins: gives the document there with what it refers to at its own origin and these.

For public addresses only; raises BridgeError `document_unreachable` or `invalid_document`.
"""

ReadResponses = Callable[[LoadedServer, str], Awaitable[bytes]]
"""Takes a server and an operation's key: gives its described responses, as JSON."""

FindUser = Callable[[str], Awaitable[User | None]]
"""Takes an id: gives the user; None if there is none, or an operator has disabled the user."""

_ONE = "/api/servers/{id}"
_SERVER_NOW = ok("The server as it is now.", Server)
_NOT_FOUND = (ErrorCode.NOT_FOUND,)
_DOCUMENT = (ErrorCode.INVALID_DOCUMENT, ErrorCode.INVALID_REQUEST)
_GROWING = (*_DOCUMENT, ErrorCode.QUOTA_EXCEEDED)


class ServerRoutes(DeclaredApiRoutes):
    """Handlers of servers and tools."""

    def __init__(
        self,
        registry: Registry,
        fetch_document: FetchDocument,
        read_responses: ReadResponses,
        split_body: SplitBodyOf,
        *,
        find_user: FindUser,
        sharing: Sharing,
    ) -> None:
        self._registry = registry
        self._fetch_document = fetch_document
        self._read_responses = read_responses
        self._split_body = split_body
        self._find_user = find_user
        self._sharing: Sharing = sharing

    @api_route("GET /api/servers", ok("Servers.", ServerList))
    async def list_servers(self, request: web.Request) -> web.Response:
        """List servers. They come in the order of the catalog."""
        view = await self._view(request)
        onlooker = await self._onlooker(request, view)
        servers = [server_model(view, server, onlooker) for server in view.servers]
        return compressed(json_answer(ServerList(servers=servers, revision=view.revision)))

    @api_route(
        "POST /api/servers",
        created("Added; nothing of it is accepted yet.", Server),
        body=NewServer,
        access="page",
        errors=(*_GROWING, ErrorCode.DOCUMENT_UNREACHABLE, ErrorCode.TOO_LARGE),
        audited=AuditKind.DOCUMENT_ADDED,
    )
    async def add_server(self, request: web.Request) -> web.Response:
        """Add a document."""
        caller = caller_of(request)
        offered = await read_document_body(request, NewServer, self._split_body)
        text, source_url = offered.text, offered.source_url or offered.url
        if text is None:
            if offered.url is None:
                raise BridgeError(ErrorCode.INVALID_REQUEST, "Send the document's `text`, or its `url`.")
            fetched = await self._fetch_document(offered.url, _origins(offered.reference_origins))
            text, source_url = fetched.text, offered.source_url or fetched.source_url
        added = await self._registry.add_server(
            caller.user.id, text, source_url=source_url, base_url=offered.base_url or None
        )
        set_audit_detail(
            request, server_id=added.record.id, digest=added.compiled.digest, source=_bare(source_url)
        )
        return await self._answer(request, added.record.id, status=201)

    @api_route(f"GET {_ONE}", ok("The server.", ServerDetail), errors=_NOT_FOUND)
    async def show_server(self, request: web.Request) -> web.Response:
        """Show a server with its operations."""
        view = await self._view(request)
        server = view.find_server(request.match_info["id"])
        tools = view.catalog.of_server(server.record.id)
        absences = (await self._registry.lists.offer_tools(view, None)).explain_absences(tools)
        detail = ServerDetail(
            **server_facts(view, server, await self._onlooker(request, view)).model_dump(),
            tools=[],  # the longest part: added below
            skipped=[
                SkippedOperation(method=s.method, path=s.path, reason=s.reason)
                for s in server.compiled.skipped
            ],
            warnings=[*filter(None, (server.trouble,)), *server.compiled.warnings],
            security_schemes=[scheme_model(s) for s in server.compiled.security_schemes],
        )
        facts = detail.model_dump_json(by_alias=True, exclude={"tools"}).encode().removesuffix(b"}")
        models = (tool_model(view, server, tool, absences.get(tool.name)) for tool in tools)
        listed = (model.model_dump_json(by_alias=True).encode() for model in models)
        return long_answer(b'%b,"tools":[' % facts, listed, b"]}")

    @api_route(
        f"PATCH {_ONE}",
        _SERVER_NOW,
        body=ServerChange,
        access="page",
        errors=(*_NOT_FOUND, *_DOCUMENT, ErrorCode.OPERATOR_ONLY, ErrorCode.DOCUMENT_CHANGED),
        audited=AuditKind.SETTINGS,
    )
    async def change_server(self, request: web.Request) -> web.Response:
        """Change a server's settings."""
        caller = caller_of(request)
        change = await read_body(request, ServerChange)
        await self._registry.change_server(
            caller.user.id,
            request.match_info["id"],
            as_operator=caller.user.is_operator,
            base_url=change.base_url,
            inline_html=change.inline_html,
            idempotency_key=change.idempotency_key,
            trace_context=change.trace_context,
        )
        set_audit_detail(
            request,
            base_url=_bare(change.base_url),
            inline_html=change.inline_html,
            idempotency_key=change.idempotency_key,
            trace_context=change.trace_context,
        )
        return await self._answer(request, request.match_info["id"])

    @api_route(
        f"DELETE {_ONE}",
        ok("Removed.", Confirmation),
        access="page",
        errors=(*_NOT_FOUND, ErrorCode.OPERATOR_ONLY, ErrorCode.INVALID_REQUEST),
        audited=AuditKind.DOCUMENT_REMOVED,
    )
    async def remove_server(self, request: web.Request) -> web.Response:
        """Remove a server."""
        user = caller_of(request).user
        await self._registry.remove_server(user.id, request.match_info["id"], as_operator=user.is_operator)
        return json_answer(Confirmation())

    @api_route(
        f"PUT {_ONE}/sharing",
        ok("It is shared, or no more.", Confirmation),
        body=ServerSharing,
        access="page",
        errors=(
            *_NOT_FOUND,
            ErrorCode.OPERATOR_ONLY,
            ErrorCode.INVALID_REQUEST,
            ErrorCode.DOCUMENT_CHANGED,
        ),
        audited=AuditKind.SETTINGS,
    )
    async def share_server(self, request: web.Request) -> web.Response:
        """Share a server with every user, or take that back. The caller stays its owner."""
        user, server_id = caller_of(request).user, request.match_info["id"]
        wanted = await read_body(request, ServerSharing)
        record = (await self._registry.view_of_user(user.id)).find_server(server_id).record
        check_sharing(
            record,
            user.id,
            is_shared=wanted.shared,
            is_allowed=allows_sharing(self._sharing, is_operator=user.is_operator),
            is_operator=user.is_operator,
        )
        await self._registry.change_server(
            user.id, server_id, as_operator=user.is_operator, is_shared=wanted.shared
        )
        set_audit_detail(request, shared=wanted.shared)
        return json_answer(Confirmation())

    @api_route(f"GET {_ONE}/plans", ok("Plans and schemas by operation key.", ServerPlans), errors=_NOT_FOUND)
    async def show_plans(self, request: web.Request) -> web.Response:
        """Show the request plans that a page pins."""
        view = await self._view(request)
        server = view.find_server(request.match_info["id"])
        schemas = await self._registry.load_schemas(server, server.by_key)
        tools = view.catalog.of_server(server.record.id)
        about = orjson.dumps({"server_id": server.record.id, "digest": server.compiled.digest})
        planned = (_plan_member(tool, schemas[tool.operation.key]) for tool in tools)
        return long_answer(b'%b,"operations":{' % about.removesuffix(b"}"), planned, b"}}")

    @api_route(
        f"PUT {_ONE}/acceptance",
        _SERVER_NOW,
        body=Acceptance,
        access="page",
        errors=(*_NOT_FOUND, ErrorCode.DOCUMENT_CHANGED, ErrorCode.INVALID_REQUEST),
        audited=AuditKind.ACCEPTANCE,
    )
    async def accept_operations(self, request: web.Request) -> web.Response:
        """Accept operations as they were shown."""
        caller = caller_of(request)
        acceptance = await read_body(request, Acceptance, max_bytes=DECISION_BODY_BYTES)
        await self._registry.accept_operations(
            caller.user.id, request.match_info["id"], acceptance.operations
        )
        set_audit_detail(request, operations=len(acceptance.operations))
        return await self._answer(request, request.match_info["id"])

    @api_route(
        f"PUT {_ONE}/document",
        _SERVER_NOW,
        body=NewDocument,
        access="page",
        errors=(*_NOT_FOUND, *_GROWING, ErrorCode.OPERATOR_ONLY, ErrorCode.DOCUMENT_CHANGED),
        audited=AuditKind.DOCUMENT_CHANGED,
    )
    async def replace_document(self, request: web.Request) -> web.Response:
        """Replace the document of a server."""
        caller = caller_of(request)
        document = await read_document_body(request, NewDocument, self._split_body)
        await self._registry.replace_document(
            caller.user.id,
            request.match_info["id"],
            document.text,
            document.source_url,
            as_operator=caller.user.is_operator,
        )
        set_audit_detail(request, source=_bare(document.source_url))
        return await self._answer(request, request.match_info["id"])

    @api_route(
        "GET /api/tools",
        ok("Tools.", ToolList),
        errors=(ErrorCode.INVALID_DOCUMENT,),
        query={"schemas": "`no`: omit the schemas of the arguments."},
    )
    async def list_tools(self, request: web.Request) -> web.Response:
        """List tools. Their schemas come along unless they are declined: they are most of it."""
        view = await self._view(request)
        offered = await self._registry.lists.offer_tools(view, None)
        tools = view.catalog.tools
        declined = request.query.get("schemas") == "no"
        schemas = {} if declined else await self._registry.lists.ready_schemas(view, tools)
        absences = offered.explain_absences(tools)
        listed = (
            orjson.dumps(_tool_entry(view, tool, absences.get(tool.name), schemas.get(tool.name)))
            for tool in tools
        )
        end = b'],"revision":%b}' % orjson.dumps(view.revision)
        return compressed(long_answer(b'{"tools":[', listed, end))

    @api_route(
        "GET /api/tools/{name}",
        ok(
            "The tool with the schema of its arguments; with `?responses=yes` also what "
            "its document says about its responses.",
            ToolEntry,
        ),
        errors=(ErrorCode.NOT_FOUND, ErrorCode.INVALID_DOCUMENT),
    )
    async def show_tool(self, request: web.Request) -> web.Response:
        """Show a tool."""
        view = await self._view(request)
        name = request.match_info["name"]
        tool = view.catalog.by_name(name)
        if tool is None:
            raise BridgeError(ErrorCode.NOT_FOUND, f"There is no tool {quote_text(name)}.")
        absences = (await self._registry.lists.offer_tools(view, None)).explain_absences((tool,))
        schemas = await self._registry.lists.schemas_of(view, (tool,))
        entry = _tool_entry(view, tool, absences.get(tool.name), schemas[tool.name])
        if request.query.get("responses") == "yes":
            server = view.find_server(tool.server_id)
            responses = await self._read_responses(server, tool.operation.key)
            entry["responses"] = orjson.Fragment(responses)
        return web.Response(body=orjson.dumps(entry), content_type="application/json")

    async def _view(self, request: web.Request) -> UserView:
        caller = caller_of(request)
        return await self._registry.view_of_user(caller.user.id)

    async def _answer(self, request: web.Request, server_id: str, *, status: int = 200) -> web.Response:
        view = await self._view(request)
        onlooker = await self._onlooker(request, view)
        return json_answer(server_model(view, view.find_server(server_id), onlooker), status=status)

    async def _onlooker(self, request: web.Request, view: UserView) -> Onlooker:
        user = caller_of(request).user
        sharers: dict[str, str] = {}
        for owner_id in {server.record.owner_id for server in view.servers} - {None, user.id}:
            if owner_id is not None:
                owner = await self._find_user(owner_id)
                sharers[owner_id] = "" if owner is None else owner.name
        return Onlooker(
            is_operator=user.is_operator,
            may_begin_sharing=allows_sharing(self._sharing, is_operator=user.is_operator),
            sharers=sharers,
        )


def _bare(url: str | None) -> str | None:
    """Return the source of a document without the parts of a URL that may hold secrets."""
    if url is None:
        return None
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _origins(names: list[str]) -> frozenset[str]:
    """Raises BridgeError `invalid_request`."""
    for name in names:
        try:
            is_origin = name.startswith(("http://", "https://")) and origin_of(name) == name
        except ValueError:
            is_origin = False
        if not is_origin:
            message = (
                f"{quote_text(name)} in `reference_origins` is not an origin such as https://schemas.example."
            )
            raise BridgeError(ErrorCode.INVALID_REQUEST, message)
    return frozenset(names)


def _plan_member(tool: Tool, schema: bytes) -> bytes:
    """The operation's key and its `OperationPlan`, plan and schema spliced as they were made."""
    plan = {
        "name": tool.name,
        "digest": tool.operation.digest,
        "plan": orjson.Fragment(tool.operation.plan_json),
        "schema": orjson.Fragment(schema),
    }
    return b"%b:%b" % (orjson.dumps(tool.operation.key), orjson.dumps(plan))


def _tool_entry(view: UserView, tool: Tool, left_out: str | None, schema: bytes | None) -> dict[str, object]:
    """A `ToolEntry`, its schema spliced as it was made."""
    entry: dict[str, object] = {
        "name": tool.name,
        "server_id": tool.server_id,
        "key": tool.operation.key,
        "method": tool.operation.method,
        "path": tool.operation.path,
        "origin": tool.operation.origin,
        "description": tool.operation.description,
        "tags": tool.operation.tags,
        "accepted": view.is_accepted(tool),
        "safe": tool.operation.safe,
        "advertised": left_out is None,
        "left_out": left_out,
    }
    return entry if schema is None else {**entry, "schema": orjson.Fragment(schema)}
