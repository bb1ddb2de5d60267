"""Requests that fit the bridge's own OpenAPI document, but for a value here and there."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, cast
from urllib.parse import quote

from tests.fuzz.vocabulary import (
    ACCEPTED,
    BYTES,
    KNOWN,
    LOGIN_COOKIE,
    LOGIN_TICKET,
    NEVER,
    PUBLIC_KEY,
    SCALARS,
    TEXTS,
)

ODD_VALUES = 0.06
"""How often a value is one of another kind."""

ODD_HEADERS = 0.3
"""How often a request brings a cookie, and a wish for a format."""

MAX_DEPTH = 5


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the document."""

    method: str
    path: str
    parameters: Sequence[Mapping[str, Any]]
    body: Mapping[str, Any] | None
    """Its schema; None: it takes no JSON."""
    statuses: frozenset[str]
    """Those that its answers may have."""


METRICS = Operation("GET", "/metrics", (), None, frozenset({"200"}))


class FittingRequests:
    """Makes them. The same source makes the same request."""

    def __init__(self, document: Mapping[str, Any], credentials: Sequence[str]) -> None:
        self._schemas = cast("Mapping[str, Any]", document["components"]["schemas"])
        self._credentials = credentials
        self.operations = [
            _operation(method, path, operation, item.get("parameters", ()))
            for path, item in document["paths"].items()
            for method, operation in item.items()
            if "responses" in operation
        ]
        self.operations += [METRICS] * 2  # which is no part of the document

    def make(self, source: Random, host: str) -> tuple[bytes, Operation]:
        """A request with one of the credentials, and what it asks for."""
        operation = source.choice(self.operations)
        path, pairs = operation.path, list[str]()
        for parameter in operation.parameters:
            value = _quoted(self._value(parameter.get("schema", {}), source, 0))
            if parameter["in"] == "path":
                path = path.replace(f"{{{parameter['name']}}}", value or "x")
            elif parameter["in"] == "query" and source.random() < 0.5:
                pairs.append(f"{parameter['name']}={value}")
        target = f"{path}?{'&'.join(pairs)}" if pairs else path
        body = b"" if operation.body is None else self._body(operation.body, source)
        head = [
            f"{operation.method} {target} HTTP/1.1",
            f"Host: {host}",
            *_headers(source, source.choice(self._credentials)),
            f"Content-Length: {len(body)}",
            *(["Content-Type: application/json"] if body else []),
        ]
        return "\r\n".join([*head, "", ""]).encode("latin-1", "replace") + body, operation

    def _body(self, schema: Mapping[str, Any], source: Random) -> bytes:
        return json.dumps(self._value(schema, source, 0)).encode()

    def _value(self, schema: Mapping[str, Any], source: Random, depth: int) -> Any:
        if depth > MAX_DEPTH or source.random() < ODD_VALUES:
            return source.choice(SCALARS)
        if reference := schema.get("$ref"):
            return self._value(self._schemas[reference.rpartition("/")[2]], source, depth + 1)
        if allowed := schema.get("enum"):
            return source.choice(allowed)
        if "const" in schema:
            return schema["const"]
        for union in ("anyOf", "oneOf", "allOf"):
            if union in schema:
                return self._value(source.choice(schema[union]), source, depth + 1)
        return self._plain(schema, source, depth)

    def _plain(self, schema: Mapping[str, Any], source: Random, depth: int) -> Any:
        match schema.get("type"):
            case "object":
                return self._object(schema, source, depth)
            case "array":
                items = schema.get("items", {})
                return [self._value(items, source, depth + 1) for _ in range(source.choice([0, 1, 1, 3]))]
            case "integer" | "number":
                bounds = [schema[name] for name in ("minimum", "maximum") if name in schema]
                return source.choice([*bounds, 0, 1, 2, 7, 100])
            case "boolean":
                return source.random() < 0.5
            case "null":
                return None
            case _:
                return source.choice([*KNOWN, *KNOWN, *TEXTS])

    def _object(self, schema: Mapping[str, Any], source: Random, depth: int) -> dict[str, Any]:
        properties = cast("Mapping[str, Any]", schema.get("properties", {}))
        required = set(schema.get("required", ()))
        chosen = [name for name in properties if name in required or source.random() < 0.5]
        made = {
            name: self._value(properties[name], source, depth + 1) for name in chosen if not _is_never(name)
        }
        if "public_key" in made and source.random() > ODD_VALUES:
            made["public_key"] = PUBLIC_KEY
        if "ticket" in made and source.random() < 0.5:
            made["ticket"] = LOGIN_TICKET
        further = cast("Mapping[str, Any] | bool", schema.get("additionalProperties", False))
        if not isinstance(further, bool):
            made |= {
                source.choice(KNOWN): self._value(further, source, depth + 1)
                for _ in range(source.randrange(3))
            }
        return made


def _quoted(value: Any) -> str:
    return quote(str(value).encode("utf-8", "replace"), safe="")[:400]


def _headers(source: Random, credential: str) -> list[str]:
    """The headers that decide who asks, and for what; some bring bytes that are no text."""
    odd = source.choice(BYTES).decode("latin-1")
    made = [f"Authorization: Bearer {odd if source.random() < ODD_VALUES else credential}"]
    if source.random() < ODD_HEADERS:
        made.append(f"Cookie: {LOGIN_COOKIE}={odd}")
    if source.random() < ODD_HEADERS:
        made.append(f"Accept: {source.choice(ACCEPTED)}{source.choice(('', odd))}")
    return made


def _is_never(name: str) -> bool:
    return any(part in name for part in NEVER)


def _operation(
    method: str, path: str, operation: Mapping[str, Any], shared: Sequence[Mapping[str, Any]]
) -> Operation:
    content = operation.get("requestBody", {}).get("content", {})
    return Operation(
        method.upper(),
        path,
        [*shared, *operation.get("parameters", ())],
        content.get("application/json", {}).get("schema") if content else None,
        frozenset(operation["responses"]),
    )
