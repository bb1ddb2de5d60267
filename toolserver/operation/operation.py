"""Reads the operations of a document, each complete in itself.

Receives a `Document`; gives operations with their parameters, body, servers and security, and a reason for
everything that did not become one. One broken operation never hides the others. Schemas are passed on as
written: the form of arguments is the concern of `definition`, that of requests the concern of `request_plan`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeAlias

from msgspec import Struct

from toolserver.document.document import SWAGGER, Document, reference_of
from toolserver.document.media_type import accept_of
from toolserver.document.security import (
    RequirementReader,
    Requirements,
    Scopes,
    SecurityScheme,
    read_scopes,
    read_security_schemes,
)
from toolserver.document.servers import ServerUrl, read_servers
from toolserver.document.swagger import SwaggerReader
from toolserver.errors import DocumentError, ReferenceFailed, quote_text
from toolserver.json_types import JsonObject, JsonValue, text_at
from toolserver.operation.body import Body, BodyReader, UnwritableBody
from toolserver.operation.parameter import (
    MAX_PROSE_CHARS,
    BodyPart,
    Parameter,
    ParameterReader,
)
from toolserver.operation.path_item import PathMethod, Skipped, find_places

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
_MAX_PARAMETERS = 500
"""Maximum per operation; keeps one path item that thousands of paths refer to from multiplying the work."""

_MAX_TAGS = 50
_MAX_STATUSES = 100
"""Maximum number of an operation's responses that are examined; there are 64 registered status codes."""

_MAX_SUCCESSES = 20
_MAX_MEDIA_TYPES = 30
"""Maximum number per response; no document in use names that many."""

_MAX_WARNINGS = 50
_MAX_REASONS = 10
"""Maximum number of reasons that are given for an operation that is skipped."""


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


class _Unusable(Exception):
    """Ends the reading of one operation; the exception's text is the reason."""


_Read: TypeAlias = Parameter | BodyPart | str
"""An entry of `parameters`, or a sentence about its problem."""

_Produced: TypeAlias = tuple[str, ...] | None
"""The media types of all responses of a Swagger 2.0 operation."""


@dataclass(slots=True)
class _Reader:
    """State that all operations of one document share, so that everything referred to is read once.

    The dictionaries are keyed by the identity of nodes, which the document keeps alive.
    """

    document: Document
    security_reader: RequirementReader
    security: Requirements
    """The document's own requirements."""
    scopes: Scopes
    """Those of them that OAuth schemes name."""
    body_reader: BodyReader
    parameter_reader: ParameterReader
    remaining_parameters: int
    remaining_prose: int
    swagger: SwaggerReader | None
    parameters: dict[str, _Read] = field(default_factory=dict[str, "_Read"])
    """By reference: most are references to a few."""
    lists: dict[int, list[_Read]] = field(default_factory=dict[int, "list[_Read]"])
    """Whole `parameters` arrays of path items."""
    bodies: dict[int, tuple[Body | None, list[str]]] = field(
        default_factory=dict[int, tuple[Body | None, list[str]]]
    )
    servers: dict[int, tuple[ServerUrl, ...]] = field(default_factory=dict[int, tuple[ServerUrl, ...]])
    accepts: dict[tuple[str, ...], str] = field(default_factory=dict[tuple[str, ...], str])
    """By the media types of the responses."""


def read_operations(document: Document) -> OperationList:
    """Every operation of `paths`, in document order.

    Raises:
        DocumentError: too_many_operations.
    """
    schemes, warnings = read_security_schemes(document)
    security_reader = RequirementReader(document, schemes)
    security, problems = security_reader.read_security(document.root)
    limits = document.limits
    reader = _Reader(
        document=document,
        security_reader=security_reader,
        security=security,
        scopes=read_scopes(document.root),
        body_reader=BodyReader(document),
        parameter_reader=ParameterReader(document),
        remaining_parameters=limits.max_parameters,
        remaining_prose=limits.max_bytes,
        swagger=SwaggerReader(document.written) if document.version == SWAGGER else None,
    )
    operations: list[Operation] = []
    skipped: list[Skipped] = []
    for found in _places(document):
        if isinstance(found, Skipped):
            skipped.append(found)
        else:
            _read_into(reader, found, operations, skipped)
    return OperationList(
        tuple(operations), tuple(skipped), tuple(warnings + problems), tuple(schemes.values())
    )


def _places(document: Document) -> list[PathMethod | Skipped]:
    limit = document.limits.max_operations
    places = list(islice(find_places(document), limit + 1))
    if len(places) > limit:
        raise DocumentError(
            "too_many_operations", f"The document has more than {limit:,} operations.", pointer="#/paths"
        )
    return places


def _read_into(
    reader: _Reader, place: PathMethod, operations: list[Operation], skipped: list[Skipped]
) -> None:
    try:
        operations.append(_read_operation(reader, place))
    except (ReferenceFailed, _Unusable) as error:
        reasons = dict.fromkeys((_reason_of(error), *_further_reasons(reader, place)))
        skipped.append(Skipped(place.method, place.item.path, " ".join(islice(reasons, _MAX_REASONS))))


def _reason_of(error: ReferenceFailed | _Unusable) -> str:
    return error.message if isinstance(error, ReferenceFailed) else str(error)


def _further_reasons(reader: _Reader, place: PathMethod) -> Iterator[str]:
    """Why an operation that is skipped would be skipped all the same, once the first reason is gone."""
    lists = (holder.get("parameters") for holder in (place.item.node, place.node))
    shared = [entry for entries in lists if isinstance(entries, list) for entry in entries]
    for entry in shared[:_MAX_PARAMETERS]:
        try:
            _read_entry(reader, entry)
        except ReferenceFailed as error:
            yield _reason_of(error)
    try:
        body = _read_body(reader, place, [])
        if body is not None and place.method in ("GET", "HEAD"):
            _leave_out_body(body, place)
    except (ReferenceFailed, _Unusable) as error:
        yield _reason_of(error)


def _read_operation(reader: _Reader, place: PathMethod) -> Operation:
    node, method, item = place.node, place.method, place.item
    entries = _entries(reader, node) if "parameters" in node else []
    if "parameters" in item.node:
        entries = _shared_entries(reader, item.node) + entries
    body = _read_body(reader, place, entries) if reader.swagger is not None or "requestBody" in node else None
    parameters = _read_parameters(reader, place, entries) if entries or item.expressions else ()
    unsendable = _find_unsendable(place, parameters)
    if body is not None and method in ("GET", "HEAD"):
        body = _leave_out_body(body, place)
    identifier, tags = node.get("operationId"), node.get("tags")
    has_servers = reader.swagger is not None or "servers" in node or "servers" in item.node
    has_security = isinstance(node.get("security"), list)
    return Operation(
        f"{method} {item.path}",
        method,
        item.path,
        identifier.strip() or None if isinstance(identifier, str) else None,
        _prose_at(reader, place, "summary"),
        _prose_at(reader, place, "description"),
        _texts(tags[:_MAX_TAGS]) if isinstance(tags, list) else (),
        parameters,
        body,
        _read_servers(reader, node) or _read_servers(reader, item.node) if has_servers else (),
        _read_security(reader, place) if has_security else reader.security,
        node.get("deprecated") is True,
        method in _SAFE_METHODS,
        method in _IDEMPOTENT_METHODS,
        unsendable,
        read_scopes(node) if has_security else reader.scopes,
        _read_accept(reader, node),
        tuple(place.warnings[:_MAX_WARNINGS]) if place.warnings else (),
    )


def _texts(values: list[JsonValue]) -> tuple[str, ...]:
    return tuple([value for value in values if isinstance(value, str)])


def _prose_at(reader: _Reader, place: PathMethod, key: str) -> str:
    """The operation's own text, else its path item's; "" once the document has exceeded its total.

    Only a text that many operations share can exceed it.
    """
    text = place.node.get(key)
    if not isinstance(text, str) or not text:
        text = text_at(place.item.node, key)
    text = text[:MAX_PROSE_CHARS].strip()
    reader.remaining_prose -= len(text)
    return text if reader.remaining_prose >= 0 else ""


def _read_servers(reader: _Reader, holder: JsonObject) -> tuple[ServerUrl, ...]:
    if reader.swagger is not None:
        return read_servers(reader.swagger.read_servers(holder)) if "schemes" in holder else ()
    entries = holder.get("servers")
    if entries is None:
        return ()
    if id(entries) not in reader.servers:
        reader.servers[id(entries)] = read_servers(holder)
    return reader.servers[id(entries)]


def _read_security(reader: _Reader, place: PathMethod) -> Requirements:
    requirements, problems = reader.security_reader.read_security(place.node)
    place.warnings += problems
    return requirements


def _read_parameters(reader: _Reader, place: PathMethod, entries: list[_Read]) -> tuple[Parameter, ...]:
    """Parameters by name and place, without entries that stand for something else."""
    found = {
        entry.sending.identity: entry
        for entry in entries
        if isinstance(entry, Parameter) and not entry.sending.is_ignored
    }
    if len(found) < len(entries):
        place.warnings += [f"{entry} It is left out." for entry in entries if isinstance(entry, str)]
    _match_template(found, place, reader.parameter_reader)
    if len(found) > _MAX_PARAMETERS:
        raise _too_many()
    return tuple(found.values())


def _find_unsendable(place: PathMethod, parameters: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """Those that a browser cannot send. Warns of optional ones; required ones are the plan's concern."""
    unsendable = [parameter for parameter in parameters if parameter.sending.unsendable is not None]
    if not unsendable:
        return ()
    place.warnings += [
        f"The optional {sending.location} parameter {quote_text(sending.name)} is left out. "
        f"{sending.unsendable}"
        for parameter in unsendable
        if not (sending := parameter.sending).required
    ]
    return tuple(unsendable)


def _entries(reader: _Reader, holder: JsonObject) -> list[_Read]:
    """The entries under `parameters`.

    Raises:
        _Unusable: there are too many, here or in the document so far.
    """
    entries = holder.get("parameters")
    if not isinstance(entries, list):
        return []
    _count(reader, entries)
    read, known = reader.parameter_reader.read_parameter, reader.parameters
    found: list[_Read] = []
    for entry in entries:
        if isinstance(entry, dict) and "$ref" not in entry:
            found.append(read(entry))
        else:
            ref = reference_of(entry)
            found.append((known.get(ref) if ref is not None else None) or _read_entry(reader, entry))
    return found


def _shared_entries(reader: _Reader, item: JsonObject) -> list[_Read]:
    """The entries of a path item, read once for all its operations, but counted for each."""
    entries = item.get("parameters")
    if not isinstance(entries, list):
        return []
    found = reader.lists.get(id(entries))
    if found is None:
        found = reader.lists[id(entries)] = _entries(reader, item)
    else:
        _count(reader, entries)
    return found


def _count(reader: _Reader, entries: list[JsonValue]) -> None:
    if len(entries) > _MAX_PARAMETERS:
        raise _too_many()
    if len(entries) > reader.remaining_parameters:
        limit = reader.document.limits.max_parameters
        raise _Unusable(f"This and the operations before it have more than {limit:,} parameters together.")
    reader.remaining_parameters -= len(entries)


def _too_many() -> _Unusable:
    return _Unusable(f"The operation has more than {_MAX_PARAMETERS} parameters.")


def _read_entry(reader: _Reader, entry: JsonValue) -> _Read:
    ref = reference_of(entry)
    if ref is None:
        return _read_parameter(reader, entry)
    found = reader.parameters.get(ref)
    if found is None:
        found = reader.parameters[ref] = _read_parameter(reader, reader.document.follow_refs(entry))
    return found


def _read_parameter(reader: _Reader, node: JsonValue) -> _Read:
    return (
        reader.parameter_reader.read_parameter(node)
        if isinstance(node, dict)
        else "A parameter is not an object."
    )


def _match_template(
    found: dict[tuple[str, str], Parameter], place: PathMethod, reader: ParameterReader
) -> None:
    """Reconciles path parameters and template expressions; else the operation could never be called."""
    expressions = place.item.expressions
    for identity in [each for each in found if each[1] == "path" and each not in expressions]:
        del found[identity]
        place.warnings.append(
            f"The path has no place for {quote_text(identity[0])}; that parameter is left out."
        )
    for identity in expressions:
        if identity not in found:
            name = identity[0]
            found[identity] = reader.make_undescribed(name)
            place.warnings.append(
                f"The path parameter {quote_text(name)} is not described; it is taken as a string."
            )


def _read_body(reader: _Reader, place: PathMethod, entries: list[_Read]) -> Body | None:
    if reader.swagger is not None:
        parts = [entry.node for entry in entries if isinstance(entry, BodyPart)]
        if not parts:
            return None
        node = reader.swagger.request_body(place.node, parts)
    elif "requestBody" in place.node:
        node = reader.document.follow_refs(place.node["requestBody"])
    else:
        return None
    if not isinstance(node, dict):
        place.warnings.append("The request body is not an object; it is left out.")
        return None
    try:
        if id(node) not in reader.bodies:
            reader.bodies[id(node)] = reader.body_reader.read_body(node)
    except UnwritableBody as error:
        if node.get("required") is True:
            raise _Unusable(f"{error}, which is not supported yet.") from None
        place.warnings.append(f"{error}, which is not supported yet; the optional body is left out.")
        return None
    body, warnings = reader.bodies[id(node)]
    place.warnings += warnings
    return body


def _leave_out_body(body: Body, place: PathMethod) -> None:
    reason = f"A browser cannot send a body with {place.method} requests"
    if body.required:
        raise _Unusable(f"{reason}, and the operation requires one.")
    place.warnings.append(f"{reason}; the optional body is left out.")


def _read_accept(reader: _Reader, node: JsonObject) -> str:
    """The Accept header for the success responses; a broken response only loses its own types."""
    statuses = node.get("responses")
    if not isinstance(statuses, dict) or not statuses:
        return ""
    produced = reader.swagger.produced_types(node) if reader.swagger is not None else None
    looked_at = islice(statuses.items(), _MAX_STATUSES)
    successes = [entry for status, entry in looked_at if status[:1] == "2"]
    keys: list[str] = []
    for entry in successes[:_MAX_SUCCESSES] or [statuses.get("default")]:
        keys += _response_types(reader.document, entry, produced)
    media_types = tuple(keys)
    accept = reader.accepts.get(media_types)
    if accept is None:
        accept = reader.accepts[media_types] = accept_of(media_types)
    return accept


def _response_types(document: Document, entry: JsonValue, produced: _Produced) -> Iterable[str]:
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
    return islice(content, _MAX_MEDIA_TYPES) if isinstance(content, dict) else ()
