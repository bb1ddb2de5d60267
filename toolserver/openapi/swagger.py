"""Converts Swagger 2.0 to OpenAPI 3: the same paths, parameters, bodies and security in the newer form.

Receives the root of a Swagger 2.0 document. Its operations are read as they are written, with lookups for
what OpenAPI 3 keeps elsewhere; only documents that an OpenAPI 3 document refers to are converted as a whole.
Schemas are shared with the original, not copied. Broken parts are passed on unchanged, for the reader of
operations to report.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from toolserver.errors import ReferenceFailed, quote_text
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at
from toolserver.openapi.media_type import FORM, FORM_DATA, JSON, base_type
from toolserver.openapi.swagger_parameters import (
    BODY_PLACES,
    encoding_of,
    is_body_part,
    media_types_at,
    or_empty,
    parameter_of,
    schema_of,
)

_METHODS = frozenset(("get", "put", "post", "delete", "options", "head", "patch", "trace"))
_CONVERTED = frozenset(("parameters", "responses", "schemes", "consumes", "produces", "requestBody"))
_READ_STATUSES = ("2", "d")
"""Successes and "default": the types of other responses are never used."""

_MAX_ENTRIES = 1_000
"""Maximum parameters of one operation or path that are examined; the reader of operations refuses fewer."""

_FLOWS = {
    "implicit": "implicit",
    "password": "password",
    "application": "clientCredentials",
    "accessCode": "authorizationCode",
}
"""Swagger's names of OAuth flows to those of OpenAPI 3."""

Follow = Callable[[JsonValue], JsonValue]


def convert_envelope(root: JsonObject) -> JsonObject:
    """The root in the form of OpenAPI 3.0, except for the paths, which a `SwaggerReader` reads as written."""
    converted: JsonObject = {key: root[key] for key in ("info", "tags", "externalDocs") if key in root}
    converted["openapi"] = "3.0.4"
    converted["servers"] = list(servers_of(root, array_at(root, "schemes")))
    converted |= {key: root[key] for key in ("paths", "security") if key in root}
    converted["components"] = {"securitySchemes": _security_schemes(root)}
    return converted


class SwaggerReader:
    """Looks up what a Swagger 2.0 document states in other places than OpenAPI 3 does."""

    def __init__(self, root: JsonObject) -> None:
        self._root = root
        self._consumes = media_types_at(root, "consumes")
        self._produces = _produced(root)
        self._bodies: dict[tuple[tuple[int, ...], tuple[str, ...]], JsonObject] = {}
        """By identity of the parameters, which the document keeps alive, and media types."""

    def request_body(self, node: JsonObject, parts: list[JsonObject]) -> JsonObject:
        """The request body that some parameters of the operation form; equal ones share one object."""
        consumes = self._consumed_types(node)
        key = tuple(map(id, parts)), tuple(consumes)
        found = self._bodies.get(key)
        if found is None:
            found = self._bodies[key] = _request_body(parts, consumes)
        return found

    def list_left_out(self, node: JsonObject, parts: list[JsonObject]) -> Iterator[str]:
        """Sentences about what of these parameters and of `consumes` is not in their request body."""
        names = {place: dict.fromkeys(_names_at(place, parts)) for place in BODY_PLACES}
        bodies = list(names["body"])
        fields = list(names["formData"])
        if left := [*bodies[:-1], *(fields if bodies else ())]:
            named = ", ".join(map(quote_text, left))
            yield f"Only the body parameter {quote_text(bodies[-1])} is sent; {named} is left out."
        types = self._consumed_types(node)
        if fields and not bodies and types and not {*map(base_type, types)} & {FORM, FORM_DATA}:
            named = " or ".join(map(quote_text, types))
            yield f"Its form fields are sent as a form, not as {named}."

    def _consumed_types(self, node: JsonObject) -> list[str]:
        return media_types_at(node, "consumes") if "consumes" in node else self._consumes

    def produced_types(self, node: JsonObject) -> tuple[str, ...]:
        """The media types of every response of the operation that has a schema."""
        return _produced(node) if "produces" in node else self._produces

    def read_servers(self, node: JsonObject) -> JsonObject:
        """An object with the `servers` that the operation's own `schemes` mean; empty without schemes."""
        schemes = array_at(node, "schemes")
        return {"servers": servers_of(self._root, schemes)} if schemes else {}


def _names_at(place: str, parts: list[JsonObject]) -> Iterator[str]:
    return (text_at(part, "name") for part in parts if part.get("in") == place)


def _produced(holder: JsonObject) -> tuple[str, ...]:
    return tuple(media_types_at(holder, "produces")) or ("*/*",)


def as_openapi_3(root: JsonObject) -> JsonObject:
    """Converts a document that an OpenAPI 3 document refers to, so that everything it names is in its place.

    A parameter that belongs to the body has no counterpart and stays unchanged.
    """
    converter = _Converter(root, lambda node: node)
    produces = media_types_at(root, "produces") or ["*/*"]
    converted = dict(root)
    converted["paths"] = {path: converter.entry(item) for path, item in object_at(root, "paths").items()}
    converted["parameters"] = {
        name: parameter_of(node) if isinstance(node, dict) and _is_convertible(node) else node
        for name, node in object_at(root, "parameters").items()
    }
    converted["responses"] = {
        name: _response(node, produces) if isinstance(node, dict) and "$ref" not in node else node
        for name, node in object_at(root, "responses").items()
    }
    converted["securityDefinitions"] = _security_schemes(root)
    return converted


def _is_convertible(node: JsonObject) -> bool:
    return "$ref" not in node and not is_body_part(node)


def servers_of(root: JsonObject, schemes: list[JsonValue]) -> list[JsonValue]:
    """One server per scheme. Without schemes, the document's own scheme applies; without host, its host."""
    host = text_at(root, "host").strip()
    base_path = text_at(root, "basePath").strip()
    path = f"/{base_path.strip('/')}".rstrip("/")
    if "://" in host:
        return [{"url": f"{host.rstrip('/')}{path}"}]
    named = [scheme for scheme in schemes if scheme in ("http", "https")]
    if not host:  # "https:/v1" takes the host from the document's own address
        return [{"url": f"{scheme}:{path or '/'}"} for scheme in named] or [{"url": path or "/"}]
    urls = [f"{scheme}://{host}{path}" for scheme in named] or [f"//{host}{path}"]
    return [{"url": url} for url in urls]


@dataclass(slots=True)
class _Converter:
    root: JsonObject
    follow: Follow
    parameters: dict[int, JsonValue] = field(default_factory=dict[int, JsonValue])
    """Converted parameters by identity of the original: most are references to a few."""
    items: dict[int, JsonObject] = field(default_factory=dict[int, JsonObject])

    def entry(self, entry: JsonValue) -> JsonValue:
        """One entry of `paths`; fields beside a `$ref` win."""
        if not isinstance(entry, dict):
            return entry
        if "$ref" not in entry:
            return self._item(entry)
        try:
            target = self.follow(entry)
        except ReferenceFailed:
            return entry
        if not isinstance(target, dict):
            return target
        return {**self._item(target), **self._item(entry)} if len(entry) > 1 else self._item(target)

    def _item(self, item: JsonObject) -> JsonObject:
        if id(item) not in self.items:
            self.items[id(item)] = self._convert(item)
        return self.items[id(item)]

    def _convert(self, item: JsonObject) -> JsonObject:
        shared = self._followed(array_at(item, "parameters"))
        converted: JsonObject = {
            key: self._operation(value, shared) if isinstance(value, dict) else value
            for key, value in item.items()
            if key.lower() in _METHODS
        }
        if "parameters" in item:
            converted["parameters"] = [self._parameter(entry) for entry in shared if not is_body_part(entry)]
        return converted

    def _operation(self, node: JsonObject, shared: list[JsonValue]) -> JsonObject:
        entries = self._followed(array_at(node, "parameters"))
        parts = [entry for entry in (*shared, *entries) if isinstance(entry, dict) and is_body_part(entry)]
        converted: JsonObject = {key: value for key, value in node.items() if key not in _CONVERTED}
        converted["parameters"] = [self._parameter(entry) for entry in entries if not is_body_part(entry)]
        if parts:
            consumes = media_types_at(node if "consumes" in node else self.root, "consumes")
            converted["requestBody"] = _request_body(parts, consumes)
        converted["responses"] = self._responses(node)
        if schemes := array_at(node, "schemes"):
            converted["servers"] = servers_of(self.root, schemes)
        return converted

    def _followed(self, entries: list[JsonValue]) -> list[JsonValue]:
        """The parameters themselves; a broken reference stays, so that its operation reports why."""
        followed: list[JsonValue] = []
        for entry in entries[:_MAX_ENTRIES]:
            try:
                followed.append(self.follow(entry))
            except ReferenceFailed:
                followed.append(entry)
        return followed

    def _parameter(self, node: JsonValue) -> JsonValue:
        if not isinstance(node, dict) or "$ref" in node:
            return node
        if id(node) not in self.parameters:
            self.parameters[id(node)] = parameter_of(node)
        return self.parameters[id(node)]

    def _responses(self, node: JsonObject) -> JsonObject:
        produces = media_types_at(node if "produces" in node else self.root, "produces") or ["*/*"]
        converted: JsonObject = {}
        for status, entry in object_at(node, "responses").items():
            if not status.startswith(_READ_STATUSES):
                continue
            try:
                response = self.follow(entry)
            except ReferenceFailed:
                continue
            if isinstance(response, dict):
                converted[status] = _response(response, produces)
        return converted


def _response(response: JsonObject, produces: list[str]) -> JsonObject:
    converted: JsonObject = {"description": text_at(response, "description")}
    if "schema" in response:
        converted["content"] = {media_type: {"schema": response["schema"]} for media_type in produces}
    return converted


def _request_body(parts: list[JsonObject], consumes: list[str]) -> JsonObject:
    """The body of the last `body` parameter, or of all `formData` parameters."""
    body_parameters = [part for part in parts if part.get("in") == "body"]
    if not body_parameters:
        return _form_body(parts, consumes)
    body = body_parameters[-1]
    schema = schema_of(body)
    return {
        "description": text_at(body, "description"),
        "required": body.get("required") is True,
        "content": {media_type: {"schema": schema} for media_type in consumes or [JSON]},
    }


def _form_body(parts: list[JsonObject], consumes: list[str]) -> JsonObject:
    """One object schema; a later parameter replaces an earlier one, an operation's one of its path."""
    fields = {name: part for part in parts if (name := text_at(part, "name"))}
    properties: JsonObject = {}
    required: list[JsonValue] = []
    encoding: JsonObject = {}
    has_file = False
    for name, part in fields.items():
        kind = part.get("type")
        own = schema_of(part)
        properties[name] = or_empty(own) if part.get("allowEmptyValue") is True and kind != "file" else own
        if part.get("required") is True:
            required.append(name)
        has_file = has_file or kind == "file"
        if kind == "array" and (rule := encoding_of(part)):
            encoding[name] = rule
    schema: JsonObject = {"type": "object", "properties": properties, "required": required}
    return {
        "required": bool(required),
        "content": {_form_type(consumes, has_file): {"schema": schema, "encoding": encoding}},
    }


def _form_type(consumes: list[str], has_file: bool) -> str:
    """Multipart for files; else what the document prefers of the two, urlencoded if it names neither."""
    if has_file:
        return FORM_DATA
    offered = [base_type(media_type) for media_type in consumes]
    return FORM_DATA if FORM_DATA in offered and FORM not in offered else FORM


def _security_schemes(root: JsonObject) -> JsonObject:
    """Converts every definition; broken ones stay unchanged, for the reader of schemes to report."""
    return {name: _scheme(node) for name, node in object_at(root, "securityDefinitions").items()}


def _scheme(node: JsonValue) -> JsonValue:
    if not isinstance(node, dict):
        return node
    if node.get("type") == "basic":
        return {"type": "http", "scheme": "basic", "description": text_at(node, "description")}
    if node.get("type") != "oauth2":
        return node
    flow: JsonObject = {key: node[key] for key in ("authorizationUrl", "tokenUrl", "scopes") if key in node}
    named = _FLOWS.get(text_at(node, "flow"))
    return {
        "type": "oauth2",
        "description": text_at(node, "description"),
        "flows": {named: flow} if named else {},
    }
