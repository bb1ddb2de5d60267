"""Request and response bodies of `/api/servers` and `/api/tools`, and how they are built. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import orjson
from pydantic import Field

from bridge.catalog.server_rights import may_change, may_share
from bridge.catalog.server_view import LoadedServer, UserView
from bridge.http.routing import ApiModel
from toolserver.openapi.security import FlowKind, SecurityScheme
from toolserver.operation.withheld import EDITED_VERSION, fixed_values, version_of_plan
from toolserver.tool.catalog import Tool
from toolserver.tool.compile import CompiledOperation
from toolserver.tool.selection import Absence

MAX_OVERLAYS = 20
"""Maximum number of overlays of a server; chosen."""

MAX_REFERENCE_ORIGINS = 20
"""Maximum origins, besides its own, from which the bridge may fetch a document's references; chosen."""


class ValidationReport(ApiModel):
    """The report of openapi-core on the whole document."""

    state: Literal["pending", "valid", "invalid", "failed"]
    problems: list[str]


class ServerFacts(ApiModel):
    """A server: a document with its user's settings."""

    id: str
    title: str
    description: str
    version: str
    kind: Literal["openapi", "mcp"]
    """What its tools come from: an OpenAPI document, or the tools of an MCP server."""
    openapi: str
    """The version of OpenAPI as written; of an MCP server that of the protocol."""
    base_url: str
    base_url_chosen: bool
    """Whether that was chosen in place of what the document says."""
    source_url: str | None
    """Where the document is from, in the words of whoever added it."""
    shared: bool
    """Whether every user is offered it."""
    shared_by: str | None
    """Name of the other user who shares it, empty where an operator has disabled that user; null: no other
    user does."""
    may_change: bool
    """Whether the caller may change its document and settings."""
    may_remove: bool
    may_share: bool
    """Whether the caller may share it with every user, or take that back."""
    accept_on_open: bool
    """Whether opening the page by ticket accepts it."""
    decided: bool
    """Whether the user has accepted or declined any of its operations."""
    digest: str
    origins: list[str]
    operations: int
    accepted: int
    changed: int
    inline_html: bool
    idempotency_key: bool
    trace_context: bool
    overlays: int
    """How many overlays edit its document."""
    validation: ValidationReport


class Server(ServerFacts):
    """A server in a list."""

    skipped: int
    """The number of operations that did not become tools."""


class UnsendablePart(ApiModel):
    """A part of an operation's request that a browser cannot send."""

    location: str = Field(serialization_alias="in")
    name: str
    required: bool
    reason: str


class OriginalTool(ApiModel):
    """A tool before the edits of its document."""

    name: str | None
    """null: it is the same."""
    description: str | None
    """null: it is the same."""


class FixedArgument(ApiModel):
    """A value that an edit has fixed."""

    location: str = Field(serialization_alias="in")
    """"body", or where a parameter is."""
    name: str
    value: Any


class ServerTool(ApiModel):
    """An operation, for the user who decides about it."""

    name: str
    key: str
    operation_id: str | None
    method: str
    path: str
    tags: list[str]
    """As the document groups it."""
    summary: str
    description: str
    safe: bool
    digest: str
    accepted_digest: str | None
    origin: str
    warnings: list[str]
    """Those of arguments are known once their schema is compiled: soon after loading, or with the plans."""
    unsendable: list[UnsendablePart]
    """The parts without which it is sent."""
    advertised: bool
    """Whether models are offered it at the address of all servers."""
    left_out: Absence | None
    """Why it is not advertised."""
    scopes: dict[str, tuple[str, ...]]
    """OAuth scopes that it needs, by security scheme."""
    always_asks: bool
    """Whether each call waits for its user, whatever was allowed."""
    fixed: list[FixedArgument]
    """Values that every request carries."""
    original: OriginalTool | None
    """What edits have changed; null: neither name nor description, nor which arguments there are."""


class SkippedOperation(ApiModel):
    """An operation that did not become a tool."""

    method: str
    path: str
    reason: str


class OAuthFlowFacts(ApiModel):
    """A way to get a token that the document names; its addresses are as written, "" where none is."""

    kind: FlowKind
    authorization_url: str
    token_url: str
    refresh_url: str
    device_url: str
    scopes: dict[str, str]
    """Names to descriptions."""


class SecuritySchemeFacts(ApiModel):
    """A security scheme of the document."""

    scheme: str
    type: str
    location: str | None = Field(default=None, serialization_alias="in")
    name: str | None = None
    http_scheme: str | None = None
    description: str = ""
    flows: list[OAuthFlowFacts]
    metadata_url: str
    """Where the authorization server describes itself; "" unless the document says so."""


class ServerDetail(ServerFacts):
    """A server with its operations."""

    tools: list[ServerTool]
    skipped: list[SkippedOperation]
    warnings: list[str]
    security_schemes: list[SecuritySchemeFacts]


class ServerList(ApiModel):
    """All servers of the caller."""

    servers: list[Server]
    revision: str
    """Another one after every change of servers, tools or selection."""


class ResponseContent(ApiModel):
    """One media type of a response."""

    media_type: str
    response_schema: dict[str, Any] | bool | None = Field(default=None, serialization_alias="schema")
    """With references resolved, as far as a person reads; absent: not described."""
    example: Any = None
    """The document's first example, unless it is long."""


class ResponseFacts(ApiModel):
    """A response that the document describes."""

    status: str
    """A status, a range such as "4XX", or "default"."""
    description: str
    content: list[ResponseContent]


class ToolEntry(ApiModel):
    """A tool of the caller's catalog."""

    name: str
    server_id: str
    key: str
    method: str
    path: str
    origin: str
    """Where its requests go; empty while the document names no server."""
    description: str
    tags: list[str]
    accepted: bool
    safe: bool
    advertised: bool
    """Whether models are offered it at the address of all servers."""
    left_out: Absence | None
    """Why it is not advertised."""
    tool_schema: dict[str, Any] | None = Field(default=None, serialization_alias="schema")
    """Schema of its arguments; absent unless requested."""
    responses: list[ResponseFacts] | None = None
    """What the document says about its responses; absent unless requested."""


class ToolList(ApiModel):
    """The caller's catalog."""

    tools: list[ToolEntry]
    revision: str
    """As in the list of servers."""


class OperationPlan(ApiModel):
    """What a page pins of one operation."""

    name: str
    digest: str
    plan: dict[str, Any]
    argument_schema: dict[str, Any] = Field(serialization_alias="schema")


class ServerPlans(ApiModel):
    """The request plans of one server."""

    server_id: str
    digest: str
    operations: dict[str, OperationPlan]


class NewServer(ApiModel):
    """A document to add: its text, or the public address from which the bridge is to fetch it."""

    text: str | None = None
    url: str | None = None
    reference_origins: list[str] = Field(default_factory=list, max_length=MAX_REFERENCE_ORIGINS)
    """Of `url`: origins, beside its own, from which the bridge may fetch what the document refers to."""
    source_url: str | None = None
    base_url: str | None = None


class NewDocument(ApiModel):
    """A newer text of a server's document."""

    text: str
    source_url: str | None = None


class ServerOverlays(ApiModel):
    """The overlays of a server, in order; each the text of an OpenAPI Overlay, in JSON or YAML."""

    overlays: list[str] = Field(max_length=MAX_OVERLAYS)
    version: str
    """Another one after every change of them."""


class NewOverlays(ApiModel):
    """The overlays that replace those of a server."""

    overlays: list[str] = Field(max_length=MAX_OVERLAYS)
    version: str | None = None
    """That of the overlays that they replace; another one is refused. Absent: whatever is there."""


class ServerChange(ApiModel):
    """Settings to change; omitted ones are unchanged."""

    base_url: str | None = None
    inline_html: bool | None = None
    idempotency_key: bool | None = None
    trace_context: bool | None = None


class ServerSharing(ApiModel):
    """Whether a server is offered to every user."""

    shared: bool


class Acceptance(ApiModel):
    """The operations that the user accepts of a server; replaces those accepted before."""

    operations: dict[str, str]


@dataclass(frozen=True, slots=True)
class Onlooker:
    """What the answer about a server depends on, besides the user's view."""

    is_operator: bool
    may_begin_sharing: bool
    """Whether the bridge lets the user share what is the user's."""
    sharers: Mapping[str, str]
    """Names of the users who share servers with this one, by their ids."""


def server_model(view: UserView, server: LoadedServer, onlooker: Onlooker) -> Server:
    """Return a server as its user sees it."""
    return Server(**server_facts(view, server, onlooker).model_dump(), skipped=len(server.compiled.skipped))


def server_facts(view: UserView, server: LoadedServer, onlooker: Onlooker) -> ServerFacts:
    """Return the facts that list and detail have in common."""
    record, compiled = server.record, server.compiled
    accepted, changed = view.count_accepted(server)
    may_be_changed = may_change(record, view.user_id, is_operator=onlooker.is_operator)
    return ServerFacts(
        id=record.id,
        title=compiled.title,
        description=compiled.description,
        version=compiled.version_text,
        kind=compiled.kind,
        openapi=compiled.openapi,
        base_url=compiled.base_url,
        base_url_chosen=record.base_url is not None,
        source_url=record.source_url,
        shared=record.audience is None,
        shared_by=None if record.owner_id in (None, view.user_id) else onlooker.sharers[record.owner_id],
        may_change=may_be_changed,
        may_remove=may_be_changed and record.owner_id is not None,
        may_share=may_share(
            record, view.user_id, is_allowed=onlooker.may_begin_sharing, is_operator=onlooker.is_operator
        ),
        accept_on_open=view.may_accept_on_open(server),
        decided=view.is_decided(server),
        digest=compiled.digest,
        origins=list(compiled.origins),
        operations=len(compiled.operations),
        accepted=accepted,
        changed=changed,
        inline_html=record.inline_html,
        idempotency_key=record.idempotency_key,
        trace_context=record.trace_context,
        overlays=len(record.overlays),
        validation=ValidationReport(state=server.validation.state, problems=list(server.validation.problems)),
    )


def tool_model(view: UserView, server: LoadedServer, tool: Tool, left_out: Absence | None) -> ServerTool:
    """Return an operation of `server` for the user who decides about it."""
    operation = tool.operation
    return ServerTool(
        name=tool.name,
        key=operation.key,
        operation_id=operation.operation_id,
        method=operation.method,
        path=operation.path,
        tags=list(operation.tags),
        summary=operation.summary,
        description=operation.description,
        safe=operation.safe,
        digest=operation.digest,
        accepted_digest=view.decision_about(tool) or None,
        origin=operation.origin,
        warnings=[*operation.warnings, *server.schema_warnings.get(operation.key, ())],
        unsendable=_unsendable(operation.plan_json),
        advertised=left_out is None,
        left_out=left_out,
        scopes=dict(operation.scopes),
        always_asks=operation.always_asks,
        fixed=[
            FixedArgument(location=place, name=name, value=value)
            for place, name, value in fixed_values(operation.plan_json)
        ],
        original=_original(operation, is_edited=bool(server.record.overlays)),
    )


def _original(operation: CompiledOperation, *, is_edited: bool) -> OriginalTool | None:
    original = operation.original
    if original is None:
        edits_arguments = is_edited and version_of_plan(operation.plan_json) == EDITED_VERSION
        return OriginalTool(name=None, description=None) if edits_arguments else None
    return OriginalTool(
        name=None if original.name == operation.suggested_name else original.name,
        description=None if original.description == operation.description else original.description,
    )


def scheme_model(scheme: SecurityScheme) -> SecuritySchemeFacts:
    """Return a security scheme with the ways to get a token for it."""
    return SecuritySchemeFacts(
        scheme=scheme.scheme,
        type=scheme.type,
        location=scheme.location,
        name=scheme.name,
        http_scheme=scheme.http_scheme,
        description=scheme.description,
        flows=[
            OAuthFlowFacts(
                kind=flow.kind,
                authorization_url=flow.authorization_url,
                token_url=flow.token_url,
                refresh_url=flow.refresh_url,
                device_url=flow.device_url,
                scopes=dict(flow.scopes),
            )
            for flow in scheme.flows
        ],
        metadata_url=scheme.metadata_url,
    )


def _unsendable(plan_json: bytes) -> list[UnsendablePart]:
    if b'"unsendable"' not in plan_json:  # as with nearly all: thousands of plans need not be read
        return []
    parts: list[dict[str, Any]] = orjson.loads(plan_json).get("unsendable", [])
    return [
        UnsendablePart(location=p["in"], name=p["name"], required=p["required"], reason=p["reason"])
        for p in parts
    ]
