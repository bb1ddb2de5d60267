"""Reads the operations of a document, each complete in itself.

Receives a `Document`; gives operations with their parameters, body, servers and security, and a reason for
everything that did not become one. One broken operation never hides the others. Schemas are passed on as
written: the form of arguments is the concern of `definition`, that of requests the concern of `request_plan`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, repeat
from typing import TypeAlias

from msgspec import Struct

from toolserver.errors import DocumentError, ReferenceFailed, limit_warnings, quote_text
from toolserver.json_types import JsonObject, JsonValue, text_at
from toolserver.openapi.document import MAX_PROSE_CHARS, SWAGGER, Document
from toolserver.openapi.media_type import accept_of
from toolserver.openapi.security import (
    RequirementReader,
    Requirements,
    Scopes,
    Security,
    SecurityScheme,
    read_security_schemes,
)
from toolserver.openapi.servers import ServerUrl, Values, read_servers, variables_of
from toolserver.openapi.swagger import SwaggerReader
from toolserver.operation.body import Body, BodyReader, UnwritableBody
from toolserver.operation.parameter import Parameter
from toolserver.operation.parameter_list import (
    MAX_PARAMETERS,
    NO_ENTRIES,
    NO_SENDINGS,
    Entries,
    ParameterLists,
    ReadParameters,
    SendingList,
    has_authorization,
)
from toolserver.operation.path_item import PathMethod, Skipped, UnusableOperation, find_places
from toolserver.operation.tool_edit import NO_EDIT, ToolEdit, read_edit
from toolserver.operation.withheld import Withheld, Withholding
from toolserver.schema.withheld import TooManyPlaces

__all__ = [
    "Body",
    "Operation",
    "OperationList",
    "Parameter",
    "SecurityScheme",
    "ServerUrl",
    "Skipped",
    "read_operations",
]

_SAFE_METHODS = frozenset(("GET", "HEAD", "OPTIONS", "QUERY"))
_IDEMPOTENT_METHODS = _SAFE_METHODS | {"PUT", "DELETE"}
_MAX_TAGS = 50
_MAX_STATUSES = 100
"""Maximum number of an operation's responses that are examined; there are 64 registered status codes."""

_MAX_SUCCESSES = 20
_MAX_MEDIA_TYPES = 30
"""Maximum number per response; no document in use names that many."""

_MAX_WARNINGS = 50
_MAX_REASONS = 10
"""Maximum number of reasons that are given for an operation that is skipped."""

_AT_A_TIME = 200
"""Number of operations read together: few enough that the nodes they were read from stay cached, too."""


class Operation(Struct, gc=False):
    """One method of one path, with everything that its path item and document add: treat as read-only."""

    key: str
    """"GET /pets/{id}": its identity inside the document."""
    method: str
    """Method as it is sent: upper case, except for methods of OpenAPI 3.2's `additionalOperations`."""
    path: str
    """Path as written, template expressions included."""
    operation_id: str | None
    summary: str
    description: str
    tags: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    """Path-level ones first, overridden in place by operation-level ones, in document order. Accept,
    Content-Type and Authorization headers and parts of the body are left out; parameters that a browser
    cannot send are included."""
    body: Body | None
    servers: tuple[ServerUrl, ...]
    """Servers of the operation or its path item; empty when the document's apply."""
    security: Requirements
    """Alternatives, each a set of schemes needed together. An empty alternative means that anonymous requests
    are allowed, too. No alternatives: no security."""
    deprecated: bool
    safe: bool
    """Whether the method is GET, HEAD, OPTIONS or QUERY, so that the request may be repeated."""
    idempotent: bool
    """Whether the method is safe, or PUT or DELETE."""
    unsendable: tuple[Parameter, ...] = ()
    """The `parameters` that a browser cannot send."""
    scopes: Scopes = ()
    """What is needed of each OAuth scheme."""
    accept: str = ""
    """Value of the Accept header; "" leaves it to the browser."""
    warnings: tuple[str, ...] = ()
    sendings: SendingList = NO_SENDINGS
    """Names and plans of the sendable parameters."""
    template: str = ""
    """The path with names in braces, where `path` is written as a gateway or framework does."""
    edit: ToolEdit = NO_EDIT
    withheld: Withheld | None = None
    """What its edits keep from callers in parameters and body; None: nothing."""

    def sendable_parameters(self) -> Sequence[Parameter]:
        """The `parameters` that an argument can fill."""
        if not self.unsendable:
            return self.parameters
        return [parameter for parameter in self.parameters if parameter.sending.unsendable is None]


@dataclass(frozen=True, slots=True)
class OperationList:
    """The operations of a document, in document order."""

    operations: tuple[Operation, ...]
    skipped: tuple[Skipped, ...]
    warnings: tuple[str, ...] = ()
    """Problems with the parts that operations share."""
    security_schemes: tuple[SecurityScheme, ...] = ()


_Produced: TypeAlias = tuple[str, ...] | None
"""The media types of all responses of a Swagger 2.0 operation."""


@dataclass(slots=True)
class _Reader:
    """State that all operations of one document share, so that everything referred to is read once.

    The dictionaries are keyed by the identity of nodes, which the document keeps alive.
    """

    document: Document
    security_reader: RequirementReader
    security: Security
    """The document's own."""
    body_reader: BodyReader
    parameter_lists: ParameterLists
    remaining_prose: int
    swagger: SwaggerReader | None
    server_values: Values
    """Values of the variables of the document's own servers."""
    bodies: dict[int, tuple[Body | None, list[str]]] = field(
        default_factory=dict[int, tuple[Body | None, list[str]]]
    )
    servers: dict[int, tuple[ServerUrl, ...]] = field(default_factory=dict[int, tuple[ServerUrl, ...]])
    accepts: dict[tuple[str, ...], str] = field(default_factory=dict[tuple[str, ...], str])
    """By the media types of the responses."""
    successes: dict[tuple[str, ...], tuple[str, ...]] = field(
        default_factory=dict[tuple[str, ...], tuple[str, ...]]
    )
    """By the statuses of the responses."""
    withholding: Withholding | None = None
    """None: nothing in the document edits arguments."""
    unsecured: list[str] = field(default_factory=list[str])
    """Keys of operations that take `Authorization` as a parameter and demand no credential."""


def read_operations(document: Document) -> OperationList:
    """Every operation of `paths`, in document order.

    Raises:
        DocumentError: too_many_operations.
    """
    schemes, warnings = read_security_schemes(document)
    security_reader = RequirementReader(document, schemes)
    security = security_reader.read_security(document.root.get("security"))
    limits = document.limits
    reader = _Reader(
        document=document,
        security_reader=security_reader,
        security=security,
        body_reader=BodyReader(document),
        parameter_lists=ParameterLists(document),
        remaining_prose=limits.max_bytes,
        swagger=SwaggerReader(document.written) if document.version == SWAGGER else None,
        server_values=variables_of(document.root),
        withholding=Withholding(document) if document.may_edit else None,
    )
    places = _places(document)
    operations: list[Operation] = []
    skipped: list[Skipped] = []
    for start in range(0, len(places), _AT_A_TIME):
        for outcome in _read_together(reader, places[start : start + _AT_A_TIME]):
            if isinstance(outcome, Operation):
                operations.append(outcome)
            else:
                skipped.append(outcome)
    warnings += security.warnings + _unsecured_warning(reader.unsecured)
    return OperationList(tuple(operations), tuple(skipped), tuple(warnings), tuple(schemes.values()))


def _unsecured_warning(keys: Sequence[str]) -> list[str]:
    """One for the document, because one credential is enough for all of them."""
    if not keys:
        return []
    have = "An operation has" if len(keys) == 1 else f"{len(keys):,} operations have"
    return [
        f"{have} the header parameter `Authorization`, such as {quote_text(keys[0])}, and the document "
        "demands no credential there. No model is asked for that argument: if the API wants a credential, "
        "enter it in the page under Credentials (Custom)."
    ]


def _places(document: Document) -> list[PathMethod | Skipped]:
    limit = document.limits.max_operations
    places = list(islice(find_places(document), limit + 1))
    if len(places) > limit:
        raise DocumentError(
            "too_many_operations", f"The document has more than {limit:,} operations.", pointer="#/paths"
        )
    return places


class _Draft(Struct, gc=False):
    """An operation while it is read."""

    place: PathMethod
    entries: Entries = NO_ENTRIES
    body: Body | None = None
    skipped: Skipped | None = None


_Unusable: TypeAlias = ReferenceFailed | UnusableOperation
_UNUSABLE = (ReferenceFailed, UnusableOperation)


def _read_together(reader: _Reader, places: list[PathMethod | Skipped]) -> list[Operation | Skipped]:
    """What becomes of each place: first the parameters of all are read, then all bodies, then the rest.

    Reading one operation after the other takes a quarter longer where many have a body: what is repeated
    stays in the processor's caches, which do not hold the code for all of an operation.
    """
    drafts = [_Draft(place) for place in places if isinstance(place, PathMethod)]
    _add_entries(reader, drafts)
    _add_bodies(reader, drafts)
    finished = map(_finish, repeat(reader), drafts)
    return [place if isinstance(place, Skipped) else next(finished) for place in places]


def _add_entries(reader: _Reader, drafts: list[_Draft]) -> None:
    for draft in drafts:
        try:
            draft.entries = reader.parameter_lists.read_entries(draft.place)
        except _UNUSABLE as error:
            draft.skipped = _skip(reader, draft.place, error)


def _add_bodies(reader: _Reader, drafts: list[_Draft]) -> None:
    for draft in drafts:
        has_body = reader.swagger is not None or "requestBody" in draft.place.node
        if has_body and draft.skipped is None:
            try:
                draft.body = _read_body(reader, draft.place, draft.entries.parts)
            except _UNUSABLE as error:
                draft.skipped = _skip(reader, draft.place, error)


def _finish(reader: _Reader, draft: _Draft) -> Operation | Skipped:
    try:
        return draft.skipped or _read_operation(reader, draft.place, draft.entries, draft.body)
    except _UNUSABLE as error:
        return _skip(reader, draft.place, error)


def _skip(reader: _Reader, place: PathMethod, error: _Unusable) -> Skipped:
    reasons = dict.fromkeys((_reason_of(error), *_further_reasons(reader, place)))
    return Skipped(place.method, place.item.path, " ".join(islice(reasons, _MAX_REASONS)))


def _reason_of(error: _Unusable) -> str:
    return error.message if isinstance(error, ReferenceFailed) else str(error)


def _further_reasons(reader: _Reader, place: PathMethod) -> Iterator[str]:
    """Why an operation that is skipped would be skipped all the same, once the first reason is gone."""
    lists = (holder.get("parameters") for holder in (place.item.node, place.node))
    shared = [entry for entries in lists if isinstance(entries, list) for entry in entries]
    for entry in shared[:MAX_PARAMETERS]:
        try:
            reader.parameter_lists.read_entry(entry)
        except ReferenceFailed as error:
            yield _reason_of(error)
    try:
        body = _read_body(reader, place, [])
        if body is not None and place.method in ("GET", "HEAD"):
            _leave_out_body(body, place)
    except _UNUSABLE as error:
        yield _reason_of(error)


def _read_operation(reader: _Reader, place: PathMethod, entries: Entries, body: Body | None) -> Operation:
    node, method, item = place.node, place.method, place.item
    parameters = reader.parameter_lists.read_parameters(place, entries)
    if body is not None and method in ("GET", "HEAD"):
        body = _leave_out_body(body, place)
    identifier = node.get("operationId")
    tags = node.get("tags")
    servers = "servers" if reader.swagger is None else "schemes"
    has_servers = servers in node or servers in item.node
    security = _read_security(reader, place) if "security" in node else reader.security
    is_shorter = len(parameters.all) < len(entries.parameters)
    if is_shorter and not any(security.requirements) and has_authorization(entries):
        reader.unsecured.append(f"{method} {item.path}")
    summary, description = _read_prose(reader, place)
    edit = read_edit(node, may_loosen=reader.document.is_edited)
    if edit.problems:
        place.warnings += edit.problems
    withheld = _read_withheld(reader, place, parameters, body)
    return Operation(
        f"{method} {item.path}",
        method,
        item.path,
        identifier.strip() or None if isinstance(identifier, str) else None,
        summary,
        description,
        _texts(tags[:_MAX_TAGS]) if isinstance(tags, list) else (),
        parameters.all,
        body,
        _read_servers(reader, node) or _read_servers(reader, item.node) if has_servers else (),
        security.requirements,
        node.get("deprecated") is True,
        method in _SAFE_METHODS,
        method in _IDEMPOTENT_METHODS,
        parameters.unsendable,
        security.scopes,
        _read_accept(reader, node),
        limit_warnings(place.warnings, _MAX_WARNINGS) if place.warnings else (),
        parameters.sendings,
        parameters.template,
        edit,
        withheld,
    )


def _read_withheld(
    reader: _Reader, place: PathMethod, parameters: ReadParameters, body: Body | None
) -> Withheld | None:
    if reader.withholding is None:
        return None
    try:
        sendable = [each for each in parameters.all if each.sending.unsendable is None]
        withheld, problems = reader.withholding.read_withheld(sendable, parameters.withheld, body)
    except TooManyPlaces as error:
        raise UnusableOperation(str(error)) from None
    place.warnings += problems
    return withheld


def _texts(values: list[JsonValue]) -> tuple[str, ...]:
    return tuple([value for value in values if isinstance(value, str)])


def _read_prose(reader: _Reader, place: PathMethod) -> tuple[str, str]:
    """Summary and description: the operation's own text, else its path item's.

    "" once the document has exceeded its total, which only texts that many operations share can do.
    """
    node, item = place.node, place.item.node
    summary = node.get("summary")
    description = node.get("description")
    if not isinstance(summary, str) or not summary:
        summary = text_at(item, "summary")
    if not isinstance(description, str) or not description:
        description = text_at(item, "description")
    summary = summary[:MAX_PROSE_CHARS].strip()
    description = description[:MAX_PROSE_CHARS].strip()
    before_description = reader.remaining_prose - len(summary)
    reader.remaining_prose = before_description - len(description)
    if reader.remaining_prose >= 0:
        return summary, description
    return summary if before_description >= 0 else "", ""


def _read_servers(reader: _Reader, holder: JsonObject) -> tuple[ServerUrl, ...]:
    if reader.swagger is not None:
        return read_servers(reader.swagger.read_servers(holder)) if "schemes" in holder else ()
    entries = holder.get("servers")
    if entries is None:
        return ()
    if id(entries) not in reader.servers:
        reader.servers[id(entries)] = read_servers(holder, reader.server_values)
    return reader.servers[id(entries)]


def _read_security(reader: _Reader, place: PathMethod) -> Security:
    written = place.node["security"]
    security = reader.security_reader.read_security(written)
    if security.warnings:
        place.warnings += security.warnings
    return security if isinstance(written, list | dict) else reader.security


def _read_body(reader: _Reader, place: PathMethod, parts: list[JsonObject]) -> Body | None:
    if reader.swagger is not None:
        if not parts:
            return None
        node = reader.swagger.request_body(place.node, parts)
        place.warnings += reader.swagger.list_left_out(place.node, parts)
    elif "requestBody" in place.node:
        node = reader.document.follow_refs(place.node["requestBody"])
    else:
        return None
    if not isinstance(node, dict):
        place.warnings.append("The request body is not an object; it is left out.")
        return None
    try:
        found = reader.bodies.get(id(node))
        if found is None:
            found = reader.bodies[id(node)] = reader.body_reader.read_body(node)
    except UnwritableBody as error:
        if node.get("required") is True:
            raise UnusableOperation(f"{error}, which is not supported yet.") from None
        place.warnings.append(f"{error}, which is not supported yet; the optional body is left out.")
        return None
    body, warnings = found
    place.warnings += warnings
    if not isinstance(node.get("required", False), bool):
        place.warnings.append("`required` of the body is neither true nor false; it is taken as optional.")
    if body is None or "requestBody" not in place.node:
        return body
    description = reader.document.description_beside(place.node["requestBody"])
    return replace(body, description=description[:MAX_PROSE_CHARS]) if description else body


def _leave_out_body(body: Body, place: PathMethod) -> None:
    reason = f"A browser cannot send a body with {place.method} requests"
    if body.required:
        raise UnusableOperation(f"{reason}, and the operation requires one.")
    place.warnings.append(f"{reason}; the optional body is left out.")


def _read_accept(reader: _Reader, node: JsonObject) -> str:
    """The Accept header for the success responses; a broken response only loses its own types."""
    statuses = node.get("responses")
    if not isinstance(statuses, dict) or not statuses:
        return ""
    produced = reader.swagger.produced_types(node) if reader.swagger is not None else None
    looked_at = tuple(statuses if len(statuses) <= _MAX_STATUSES else islice(statuses, _MAX_STATUSES))
    successes = reader.successes.get(looked_at)
    if successes is None:
        successes = reader.successes[looked_at] = _successes_of(looked_at)
    media_types: tuple[str, ...] = ()
    for status in successes:
        media_types += _response_types(reader.document, statuses.get(status), produced)
    accept = reader.accepts.get(media_types)
    if accept is None:
        accept = reader.accepts[media_types] = accept_of(media_types)
    return accept


def _successes_of(statuses: tuple[str, ...]) -> tuple[str, ...]:
    """Those whose responses tell the Accept header; never empty."""
    return tuple([status for status in statuses if status[:1] == "2"][:_MAX_SUCCESSES]) or ("default",)


def _response_types(document: Document, entry: JsonValue, produced: _Produced) -> tuple[str, ...]:
    response = entry
    if isinstance(entry, dict) and "$ref" in entry:
        try:
            response = document.follow_refs(entry)
        except ReferenceFailed:
            return ()
    if not isinstance(response, dict):
        return ()
    if produced is not None:
        return produced if "schema" in response else ()
    content = response.get("content")
    if not isinstance(content, dict):
        return ()
    return tuple(content if len(content) <= _MAX_MEDIA_TYPES else islice(content, _MAX_MEDIA_TYPES))
