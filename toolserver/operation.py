"""The operations of a document, each complete in itself.

Receives a `Document`; gives operations with their parameters, body, servers and security, and a reason for
everything that became none. One broken operation never hides the others. Schemas are passed on as written:
what arguments look like is `definition`'s concern, what a request looks like is `plan`'s.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from toolserver.body import Body, read_body
from toolserver.document import Document, pointer_token
from toolserver.errors import DocumentError, ReferenceFailed, quote
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at
from toolserver.media_type import accept_of
from toolserver.parameter import (
    IGNORED_HEADERS,
    MAX_PROSE_CHARS,
    Parameter,
    read_parameter,
    unsendable_reason,
)
from toolserver.security import Requirements, SecurityScheme, read_requirements, read_security_schemes
from toolserver.servers import ServerUrl, read_servers

__all__ = [
    "Body",
    "Operation",
    "OperationList",
    "Parameter",
    "SecurityScheme",
    "ServerUrl",
    "Skipped",
    "read_operations",
    "unsendable_reason",
]

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_QUERY = "query"
"""A field of path items since OpenAPI 3.2."""

_FORBIDDEN_METHODS = frozenset(("CONNECT", "TRACE", "TRACK"))
"""Forbidden methods of the Fetch standard (§2.2.1)."""

_METHOD = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,40}")
_MAX_METHOD_CHARS = 40
_SAFE_METHODS = frozenset(("GET", "HEAD", "OPTIONS", "QUERY"))
_IDEMPOTENT_METHODS = _SAFE_METHODS | {"PUT", "DELETE"}
_MAX_PARAMETERS = 500
"""Per operation; keeps one path item that thousands of paths refer to from multiplying work."""

_MAX_TAGS = 50
_MAX_WARNINGS = 50


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one path, with everything its path item and document add to it."""

    key: str
    """"GET /pets/{id}": its identity inside the document."""
    method: str
    """As it is sent: upper case, but for methods of OpenAPI 3.2's `additionalOperations`."""
    path: str
    """As written, template expressions included."""
    operation_id: str | None
    summary: str
    description: str
    tags: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    """Path-level ones first, overridden in place by operation-level ones; document order. Without Accept,
    Content-Type and Authorization headers; with those a browser cannot send."""
    body: Body | None
    servers: tuple[ServerUrl, ...]
    """The operation's or path item's own; empty when the document's apply."""
    security: Requirements
    """Alternatives, each of schemes needed together. An empty alternative: anonymous is allowed, too.
    No alternatives: no security."""
    deprecated: bool
    pointer: str
    """"#/paths/~1pets~1{id}/get"."""
    safe: bool
    """GET, HEAD, OPTIONS, QUERY: may be sent again."""
    idempotent: bool
    """Safe, or PUT or DELETE."""
    accept: str = ""
    """What to send as Accept; "" leaves it to the browser."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """An operation that became no tool."""

    method: str
    path: str
    reason: str
    """A sentence for people."""


@dataclass(frozen=True, slots=True)
class OperationList:
    """What a document offers, in document order."""

    operations: tuple[Operation, ...]
    skipped: tuple[Skipped, ...]
    warnings: tuple[str, ...] = ()
    """What is wrong with the parts that operations share."""
    security_schemes: tuple[SecurityScheme, ...] = ()


class _Unusable(Exception):
    """Ends the reading of one operation; its text is the reason."""


@dataclass(frozen=True, slots=True)
class _Reader:
    """What every operation of one document shares."""

    document: Document
    schemes: dict[str, SecurityScheme]
    security: Requirements
    parameters: dict[int, Parameter | str] = field(default_factory=dict[int, Parameter | str])
    """By identity of the node: most parameters are references to a few."""


@dataclass(slots=True)
class _Place:
    """One method of one path item, while it is read."""

    method: str
    path: str
    item: JsonObject
    node: JsonObject
    pointer: str
    warnings: list[str] = field(default_factory=list[str])


def read_operations(document: Document) -> OperationList:
    """Every operation of `paths`, in document order.

    Raises:
        DocumentError: too_many_operations.
    """
    schemes, warnings = read_security_schemes(document)
    security, problems = read_requirements(document.root, schemes)
    reader = _Reader(document, schemes, security)
    operations: list[Operation] = []
    skipped: list[Skipped] = []
    for found in _find_places(document):
        if isinstance(found, Skipped):
            skipped.append(found)
        else:
            _read_into(reader, found, operations, skipped)
        if len(operations) + len(skipped) > document.limits.max_operations:
            raise DocumentError(
                "too_many_operations",
                f"The document has more than {document.limits.max_operations:,} operations.",
                pointer="#/paths",
            )
    return OperationList(
        tuple(operations), tuple(skipped), tuple(warnings + problems), tuple(schemes.values())
    )


def _find_places(document: Document) -> Iterator[_Place | Skipped]:
    for path, entry in object_at(document.root, "paths").items():
        if path.startswith("x-"):
            continue
        try:
            item = _path_item(document, entry)
        except ReferenceFailed as error:
            yield Skipped("*", path, error.message)
            continue
        except _Unusable as error:
            yield Skipped("*", path, str(error))
            continue
        yield from _find_methods(document, path, item)


def _find_methods(document: Document, path: str, item: JsonObject) -> Iterator[_Place | Skipped]:
    methods = (*_METHODS, _QUERY) if document.version == "3.2" else _METHODS
    for field_name, node in item.items():
        if field_name in methods:
            yield _place(field_name.upper(), path, item, node, f"/{field_name}")
        elif field_name.lower() in methods:
            reason = f"{quote(field_name)} is not a field of a path item; methods are lower case."
            yield Skipped(field_name.upper(), path, reason)
        elif field_name == "additionalOperations" and document.version == "3.2":
            yield from _find_additional(path, item)


def _find_additional(path: str, item: JsonObject) -> Iterator[_Place | Skipped]:
    """Operations of methods that have no field of their own; their case is kept."""
    for method, node in object_at(item, "additionalOperations").items():
        if method.lower() in (*_METHODS, _QUERY):
            reason = f"{quote(method)} has a field of its own and must not stand in additionalOperations."
            yield Skipped(method, path, reason)
        elif not _METHOD.fullmatch(method):
            yield Skipped(method[:_MAX_METHOD_CHARS], path, f"{quote(method)} is not an HTTP method.")
        else:
            yield _place(method, path, item, node, f"/additionalOperations/{pointer_token(method)}")


def _place(method: str, path: str, item: JsonObject, node: JsonValue, below: str) -> _Place | Skipped:
    if not isinstance(node, dict):
        return Skipped(method, path, "The operation is not an object.")
    if method.upper() in _FORBIDDEN_METHODS:
        return Skipped(method, path, f"A browser cannot send {method.upper()} requests.")
    if not path.startswith("/"):
        return Skipped(method, path, 'The path does not begin with "/".')
    return _Place(method, path, item, node, f"#/paths/{pointer_token(path)}{below}")


def _path_item(document: Document, entry: JsonValue) -> JsonObject:
    """The path item itself; fields beside a `$ref` win over the referenced ones."""
    if not isinstance(entry, dict):
        raise _Unusable("The path item is not an object.")
    if "$ref" not in entry:
        return entry
    target = document.follow(entry)
    if not isinstance(target, dict):
        raise _Unusable("The path item refers to something that is not an object.")
    return {**target, **{name: value for name, value in entry.items() if name != "$ref"}}


def _read_into(reader: _Reader, place: _Place, operations: list[Operation], skipped: list[Skipped]) -> None:
    try:
        operations.append(_read_operation(reader, place))
    except ReferenceFailed as error:
        skipped.append(Skipped(place.method, place.path, error.message))
    except _Unusable as error:
        skipped.append(Skipped(place.method, place.path, str(error)))


def _read_operation(reader: _Reader, place: _Place) -> Operation:
    node, method, path = place.node, place.method, place.path
    body = _read_body(reader.document, place)
    parameters = _read_parameters(reader, place)
    if body is not None and method in ("GET", "HEAD"):
        body = _leave_out_body(body, place)
    return Operation(
        key=f"{method} {path}",
        method=method,
        path=path,
        operation_id=text_at(node, "operationId").strip() or None,
        summary=_prose_at(node, place.item, "summary"),
        description=_prose_at(node, place.item, "description"),
        tags=tuple(tag for tag in array_at(node, "tags")[:_MAX_TAGS] if isinstance(tag, str)),
        parameters=parameters,
        body=body,
        servers=read_servers(node) or read_servers(place.item),
        security=_read_security(reader, place),
        deprecated=node.get("deprecated") is True,
        pointer=place.pointer,
        safe=method in _SAFE_METHODS,
        idempotent=method in _IDEMPOTENT_METHODS,
        accept=_read_accept(reader.document, node),
        warnings=tuple(place.warnings[:_MAX_WARNINGS]),
    )


def _prose_at(node: JsonObject, item: JsonObject, key: str) -> str:
    """The operation's own text, else its path item's."""
    return (text_at(node, key) or text_at(item, key))[:MAX_PROSE_CHARS].strip()


def _read_security(reader: _Reader, place: _Place) -> Requirements:
    if not isinstance(place.node.get("security"), list):
        return reader.security
    requirements, problems = read_requirements(place.node, reader.schemes)
    place.warnings += problems
    return requirements


def _read_parameters(reader: _Reader, place: _Place) -> tuple[Parameter, ...]:
    found: dict[tuple[str, str], Parameter] = {}
    for holder in (place.item, place.node):
        entries = array_at(holder, "parameters")
        if len(entries) > _MAX_PARAMETERS:
            raise _Unusable(f"The operation has more than {_MAX_PARAMETERS} parameters.")
        for entry in entries:
            parameter = _read_entry(reader, entry)
            if isinstance(parameter, str):
                place.warnings.append(f"{parameter} It is left out.")
            elif parameter.location != "header" or parameter.name.lower() not in IGNORED_HEADERS:
                found[_identity(parameter)] = parameter
    _match_template(found, place)
    if len(found) > _MAX_PARAMETERS:
        raise _Unusable(f"The operation has more than {_MAX_PARAMETERS} parameters.")
    return tuple(found.values())


def _read_entry(reader: _Reader, entry: JsonValue) -> Parameter | str:
    node = reader.document.follow(entry)
    if not isinstance(node, dict):
        return "A parameter is not an object."
    if id(node) not in reader.parameters:
        reader.parameters[id(node)] = read_parameter(reader.document, node)
    return reader.parameters[id(node)]


def _identity(parameter: Parameter) -> tuple[str, str]:
    """Header names are case-insensitive, all others are not."""
    name = parameter.name.lower() if parameter.location == "header" else parameter.name
    return name, parameter.location


def _match_template(found: dict[tuple[str, str], Parameter], place: _Place) -> None:
    """Makes path parameters and template expressions agree; else the operation could never be called."""
    expressions = dict.fromkeys(re.findall(r"\{([^{}]+)\}", place.path))
    for identity in [
        identity for identity in found if identity[1] == "path" and identity[0] not in expressions
    ]:
        del found[identity]
        place.warnings.append(f"The path has no place for {quote(identity[0])}; that parameter is left out.")
    for name in expressions:
        if (name, "path") not in found:
            found[name, "path"] = Parameter(
                name, "path", True, "", {"type": "string"}, "simple", False, False, None, False
            )
            place.warnings.append(
                f"The path parameter {quote(name)} is not described; it is taken as a string."
            )


def _read_body(document: Document, place: _Place) -> Body | None:
    if "requestBody" not in place.node:
        return None
    node = document.follow(place.node["requestBody"])
    if not isinstance(node, dict):
        place.warnings.append("The request body is not an object; it is left out.")
        return None
    body, warnings = read_body(document, node)
    place.warnings += warnings
    return body


def _leave_out_body(body: Body, place: _Place) -> None:
    reason = f"A browser cannot send a body with {place.method} requests"
    if body.required:
        raise _Unusable(f"{reason}, and the operation requires one.")
    place.warnings.append(f"{reason}; the optional body is left out.")


def _read_accept(document: Document, node: JsonObject) -> str:
    """From the success responses; a broken response costs nothing but its types."""
    statuses = object_at(node, "responses")
    successes = [
        entry for status, entry in statuses.items() if re.fullmatch(r"2(\d\d|XX)", status, re.IGNORECASE)
    ]
    contents = map(partial(_response_content, document), successes or [statuses.get("default")])
    return accept_of(contents)


def _response_content(document: Document, entry: JsonValue) -> JsonObject:
    try:
        response = document.follow(entry)
    except ReferenceFailed:
        return {}
    return object_at(response, "content") if isinstance(response, dict) else {}
