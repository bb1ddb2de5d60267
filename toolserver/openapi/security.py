"""Reads the security schemes and requirements of a document.

Receives the document and `security` arrays; gives schemes as values. Knows where a secret goes, never a
secret.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Literal, TypeAlias, cast, get_args

import orjson
from msgspec import Struct

from toolserver.errors import ReferenceFailed, quote_text
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at
from toolserver.openapi.document import Document

SchemeType: TypeAlias = Literal["apiKey", "http", "oauth2", "openIdConnect", "mutualTLS"]
Requirements: TypeAlias = "tuple[tuple[SecurityScheme, ...], ...]"

Scopes: TypeAlias = "tuple[tuple[str, tuple[str, ...]], ...]"
"""Schemes by name, each with the scopes that an operation needs of it."""

FlowKind: TypeAlias = Literal[
    "authorizationCode", "clientCredentials", "deviceAuthorization", "implicit", "password"
]

_Named: TypeAlias = "tuple[tuple[str, ...] | None, ...]"
"""The schemes of each alternative; None for one that is not an object."""

MAX_ALTERNATIVES = 20
"""Maximum number of alternatives that name different schemes; the most known to us are 3 (of 165 entries)."""

_MAX_TOGETHER = 10
_MAX_SCOPES = 500
"""Maximum number of scopes of one flow, or of one scheme and operation; Google's largest document has 60."""

_MAX_WARNINGS = 20
_NAMED_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class OAuthFlow:
    """One way to get a token (OAuth Flow Object, 3.2 §4.28). Addresses are as written, "" where none is."""

    kind: FlowKind
    authorization_url: str
    token_url: str
    refresh_url: str
    device_url: str
    """`deviceAuthorizationUrl`, new in 3.2."""
    scopes: tuple[tuple[str, str], ...]
    """Names and descriptions."""


@dataclass(frozen=True, slots=True)
class SecurityScheme:
    """One way to authenticate."""

    scheme: str
    """Its name in the document."""
    type: SchemeType
    location: str | None
    """apiKey: "header", "query" or "cookie"."""
    name: str | None
    """apiKey: the name of the header, query parameter or cookie."""
    http_scheme: str | None
    """http: lower case, such as "bearer" or "basic"."""
    description: str
    flows: tuple[OAuthFlow, ...] = ()
    """oauth2: the ways to get a token."""
    metadata_url: str = ""
    """`openIdConnectUrl`, or `oauth2MetadataUrl` (3.2): where the authorization server describes itself."""


def scheme_of_record(record: dict[str, Any]) -> SecurityScheme:
    """The scheme that `asdict` made a record of, after its way through JSON."""
    scheme = SecurityScheme(**record)
    return replace(scheme, flows=tuple(_flow_of_record(flow) for flow in record["flows"]))


def _flow_of_record(record: dict[str, Any]) -> OAuthFlow:
    flow = OAuthFlow(**record)
    return replace(flow, scopes=tuple((name, about) for name, about in flow.scopes))


def read_security_schemes(document: Document) -> tuple[dict[str, SecurityScheme], list[str]]:
    """The schemes by name, and a warning for each that cannot be used."""
    schemes: dict[str, SecurityScheme] = {}
    warnings: list[str] = []
    for name, entry in _listed(document, warnings).items():
        try:
            node = document.follow_refs(entry)
        except ReferenceFailed as error:
            warnings.append(f"The security scheme {quote_text(name)} is left out. {error.message}")
            continue
        scheme = _read_scheme(name, node) if isinstance(node, dict) else None
        if scheme is not None and (description := document.description_beside(entry)):
            scheme = replace(scheme, description=description)
        if scheme is None:
            warnings.append(f"The security scheme {quote_text(name)} is left out: it is incomplete.")
        else:
            schemes[name] = scheme
    return schemes, warnings


def _listed(document: Document, warnings: list[str]) -> JsonObject:
    """`securitySchemes`, which in many split documents is a reference itself, as is `components`."""
    try:
        components = document.follow_refs(document.root.get("components"))
        listed = document.follow_refs(
            components.get("securitySchemes") if isinstance(components, dict) else None
        )
    except ReferenceFailed as error:
        warnings.append(f"The security schemes are left out. {error.message}")
        return {}
    return listed if isinstance(listed, dict) else {}


def _read_scheme(name: str, node: JsonObject) -> SecurityScheme | None:
    kind = text_at(node, "type")
    location = text_at(node, "in")
    key_name = text_at(node, "name")
    http_scheme = text_at(node, "scheme")
    if kind not in get_args(SchemeType):
        return None
    if kind == "apiKey" and (location not in ("header", "query", "cookie") or not key_name):
        return None
    if kind == "http" and not http_scheme:
        return None
    return SecurityScheme(
        scheme=name,
        type=cast(SchemeType, kind),
        location=location if kind == "apiKey" else None,
        name=key_name if kind == "apiKey" else None,
        http_scheme=http_scheme.lower() if kind == "http" else None,
        description=text_at(node, "description"),
        flows=_read_flows(object_at(node, "flows")) if kind == "oauth2" else (),
        metadata_url=text_at(node, _METADATA.get(kind, "")),
    )


_METADATA = {"openIdConnect": "openIdConnectUrl", "oauth2": "oauth2MetadataUrl"}


def _read_flows(flows: JsonObject) -> tuple[OAuthFlow, ...]:
    read: list[OAuthFlow] = []
    for kind in get_args(FlowKind):
        flow = flows.get(kind)
        if isinstance(flow, dict):
            read.append(
                OAuthFlow(
                    kind,
                    text_at(flow, "authorizationUrl"),
                    text_at(flow, "tokenUrl"),
                    text_at(flow, "refreshUrl"),
                    text_at(flow, "deviceAuthorizationUrl"),
                    tuple(
                        (name, about if isinstance(about, str) else "")
                        for name, about in islice(object_at(flow, "scopes").items(), _MAX_SCOPES)
                    ),
                )
            )
    return tuple(read)


def read_scopes(holder: JsonObject) -> Scopes:
    """What the `security` array of a document or operation needs of each scheme, over all alternatives.

    They are for asking an authorization server, never for a plan: an API that renames a scope changes no
    operation.
    """
    needed = islice(_needed_scopes(holder).items(), MAX_ALTERNATIVES * _MAX_TOGETHER)
    return tuple((name, tuple(islice(scopes, _MAX_SCOPES))) for name, scopes in needed)


def _needed_scopes(holder: JsonObject) -> dict[str, dict[str, None]]:
    """The scopes by scheme, each once, in order."""
    found: dict[str, dict[str, None]] = {}
    for entry in array_at(holder, "security"):
        for name, scopes in islice(entry.items(), _MAX_TOGETHER) if isinstance(entry, dict) else ():
            named = [each for each in scopes if isinstance(each, str)] if isinstance(scopes, list) else []
            if named:
                found.setdefault(name, {}).update(dict.fromkeys(named))
    return found


def _scope_warnings(holder: JsonObject) -> list[str]:
    return [
        f"The scheme {quote_text(name)} needs {len(scopes):,} scopes; {_MAX_SCOPES} of them are asked for."
        for name, scopes in _needed_scopes(holder).items()
        if len(scopes) > _MAX_SCOPES
    ]


class Security(Struct, frozen=True, gc=False):
    """What the `security` array of a document or operation says."""

    requirements: Requirements
    scopes: Scopes
    warnings: list[str]
    """Not to be changed: operations with equal arrays share all of this."""


_NOTHING_REQUIRED = Security((), (), [])
_UNREADABLE = Security((), (), ["`security` is no array; it is left out."])
_NOT_IN_ARRAY = "`security` is an object where an array belongs; it is taken as its only entry."


@dataclass(slots=True)
class RequirementReader:
    """Reads the `security` arrays of one document, each distinct one once.

    Operations with equal requirements share one value, even where their scopes differ.
    """

    document: Document
    schemes: dict[str, SecurityScheme]
    _by_identity: dict[int, Security] = field(default_factory=dict[int, Security])
    """By identity of the array, which the document keeps alive: thousands of paths may refer to one."""
    _by_json: dict[bytes, Security] = field(default_factory=dict[bytes, Security])
    _by_names: dict[_Named, tuple[Requirements, list[str]]] = field(
        default_factory=dict[_Named, tuple[Requirements, list[str]]]
    )

    def read_security(self, written: JsonValue) -> Security:
        """What a value of `security` says; see `read_requirements` and `read_scopes`.

        Some authors forget the array around its only entry, which would leave requests without a credential.
        """
        if not isinstance(written, list | dict):
            return _NOTHING_REQUIRED if written is None else _UNREADABLE
        found = self._by_identity.get(id(written))
        if found is None:
            found = self._by_identity[id(written)] = self._find_equal(written)
        return found

    def _find_equal(self, entries: list[JsonValue] | JsonObject) -> Security:
        try:
            written = orjson.dumps(entries)
        except TypeError:  # what UTF-8 or 64 bits cannot hold, which is rare
            return self._read(entries)
        found = self._by_json.get(written)
        if found is None:
            found = self._by_json[written] = self._read(entries)
        return found

    def _read(self, written: list[JsonValue] | JsonObject) -> Security:
        entries: list[JsonValue] = written if isinstance(written, list) else [written]
        alone = [] if isinstance(written, list) else [_NOT_IN_ARRAY]
        named: _Named = tuple(
            [
                tuple(islice(entry, _MAX_TOGETHER + 1)) if isinstance(entry, dict) else None
                for entry in entries
            ]
        )
        holder: JsonObject = {"security": entries}
        found = self._by_names.get(named)
        if found is None:
            found = self._by_names[named] = read_requirements(self.document, holder, self.schemes)
        requirements, warnings = found
        return Security(requirements, read_scopes(holder), alone + warnings + _scope_warnings(holder))


def read_requirements(
    document: Document, holder: JsonObject, schemes: dict[str, SecurityScheme]
) -> tuple[Requirements, list[str]]:
    """The alternatives of a `security` array, each a set of schemes needed together, and warnings.

    An alternative that names an unknown scheme, or more than 10, is left out. Of more than 20 entries those
    with the same schemes are one, since they differ in scopes only, and the first 20 are taken. Fewer stay as
    they are, repeated or not: what users have accepted must not change for a reason that is none to them. A
    scheme that is named by its URI (3.2) is added to `schemes` under the last part of that.
    """
    alternatives: list[tuple[SecurityScheme, ...]] = []
    warnings: dict[str, None] = {}
    for entry in array_at(holder, "security"):
        together = _read_together(document, entry, schemes)
        if isinstance(together, str):
            warnings[f"A security requirement is left out: {together}."] = None
        else:
            alternatives.append(together)
    if len(alternatives) > MAX_ALTERNATIVES:
        distinct: dict[frozenset[str], tuple[SecurityScheme, ...]] = {}
        for each in alternatives:
            distinct.setdefault(frozenset(scheme.scheme for scheme in each), each)
        alternatives = [*distinct.values()]
    kept, others = alternatives[:MAX_ALTERNATIVES], alternatives[MAX_ALTERNATIVES:]
    told = [*warnings]
    if len(told) > _MAX_WARNINGS:
        told[_MAX_WARNINGS:] = [f"{len(told) - _MAX_WARNINGS} more security requirements are left out."]
    if others:
        names = dict.fromkeys(scheme.scheme for together in others for scheme in together)
        told.append(f"{len(others)} more ways to authenticate are left out: {_quoted(names)}.")
    if unasked := _unasked(array_at(holder, "security"), kept, " ".join(told)):
        told.append(f"No alternative that is left asks for {_quoted(unasked)}.")
    return tuple(kept), told


def _unasked(entries: list[JsonValue], kept: list[tuple[SecurityScheme, ...]], told: str) -> list[str]:
    """The schemes that entries name with others, and that nothing is left of."""
    asked = {scheme.scheme for together in kept for scheme in together}
    named = dict.fromkeys(name for entry in entries if isinstance(entry, dict) for name in entry)
    lost = [name for name in named if asked.isdisjoint((name, name.rpartition("/")[2]))]
    return [name for name in lost if quote_text(name) not in told]


def _read_together(
    document: Document, entry: JsonValue, schemes: dict[str, SecurityScheme]
) -> tuple[SecurityScheme, ...] | str:
    """The schemes of one alternative, or why it is none."""
    if not isinstance(entry, dict):
        return "it is not an object"
    if len(entry) > _MAX_TOGETHER:
        return f"it names more than {_MAX_TOGETHER} schemes: {_quoted(entry)}"
    together: list[SecurityScheme] = []
    for name in entry:
        scheme = schemes.get(name) or _by_uri(document, name, schemes)
        if scheme is None:
            return f"there is no usable scheme {quote_text(name)}"
        together.append(scheme)
    return tuple(together)


def _quoted(names: Iterable[str]) -> str:
    text = ", ".join(map(quote_text, names))
    return text if len(text) <= _NAMED_CHARS else f"{text[:_NAMED_CHARS]}…"


def clash_of(together: tuple[SecurityScheme, ...]) -> str:
    """A sentence about an alternative whose schemes go to the same place; "" when none do.

    A header has one value, and so has a query parameter: the page sends the first that is saved. Several
    bearer tokens are fine: they are ways to get the same one (all of Google's APIs have two).
    """
    schemes_by_place: dict[tuple[str | None, str], SecurityScheme] = {}
    for scheme in together:
        place = _place_of(scheme)
        if place is None:
            continue
        first = schemes_by_place.setdefault(place, scheme)
        if first is not scheme and not (_is_bearer(first) and _is_bearer(scheme)):
            one = quote_text(first.scheme)
            other = quote_text(scheme.scheme)
            where = quote_text(place[1])
            both = f"{one} and {other} both go to the {place[0]} {where}, which has one value"
            return f"{both}. The one you save is sent; if you save both, {one}."
    return ""


def _is_bearer(scheme: SecurityScheme) -> bool:
    return scheme.type in ("oauth2", "openIdConnect") or scheme.http_scheme == "bearer"


def _place_of(scheme: SecurityScheme) -> tuple[str | None, str] | None:
    if scheme.type in ("http", "oauth2", "openIdConnect"):
        return "header", "authorization"
    if scheme.type != "apiKey" or scheme.location == "cookie":
        return None
    name = scheme.name or ""
    return scheme.location, name.lower() if scheme.location == "header" else name


def _by_uri(document: Document, uri: str, schemes: dict[str, SecurityScheme]) -> SecurityScheme | None:
    """A scheme that is named by its URI (OpenAPI 3.2 §4.30); names of components take precedence."""
    if document.version != "3.2" or not uri:
        return None
    try:
        node = document.follow_refs({"$ref": uri})
    except ReferenceFailed:
        return None
    name = uri.rpartition("/")[2]
    scheme = _read_scheme(name, node) if isinstance(node, dict) else None
    if scheme is not None and schemes.setdefault(name, scheme) != scheme:
        scheme = replace(scheme, scheme=uri)
        schemes[uri] = scheme
    return scheme
