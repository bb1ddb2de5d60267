"""Parameters of an operation, and which of them a browser cannot send.

Receives parameter objects of OpenAPI 3; gives `Parameter` values. Schemas stay as they are written,
references included.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from toolserver.body import BodyField, read_query_fields
from toolserver.document import Document
from toolserver.errors import quote
from toolserver.example import examples_of, with_examples
from toolserver.json_types import JsonObject, JsonValue, object_at, text_at
from toolserver.media_type import FORM, base_type, choose_json

Location: TypeAlias = Literal["path", "query", "header", "cookie", "querystring"]

_STYLES: dict[Location, tuple[str, ...]] = {
    "path": ("simple", "label", "matrix"),
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
    "header": ("simple",),
    "cookie": ("form", "cookie"),
    "querystring": ("",),
}
"""Per location the styles it allows, its default first (OpenAPI 3.2.0 §4.12.2.2; "cookie" is new there).
A whole query string (3.2) has content instead."""

_LOCATIONS: dict[str, Location] = {location: location for location in _STYLES}

MAX_PROSE_CHARS = 50_000
"""Of one summary or description; more would only cost time, no model reads it."""

IGNORED_HEADERS = frozenset(("accept", "content-type", "authorization"))
"""Header parameters that "SHALL be ignored" (Parameter Object, 3.1.2): the body and security own them."""

_FORBIDDEN_HEADERS = frozenset(
    [
        "accept-charset",
        "accept-encoding",
        "access-control-request-headers",
        "access-control-request-local-network",
        "access-control-request-method",
        "access-control-request-private-network",
        "connection",
        "content-length",
        "cookie",
        "cookie2",
        "date",
        "dnt",
        "expect",
        "host",
        "keep-alive",
        "origin",
        "referer",
        "set-cookie",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "via",
        "user-agent",
    ]
)
"""Forbidden request headers of the Fetch standard (§2.2.2), and user-agent, which Chromium replaces."""

_FORBIDDEN_PREFIXES = ("proxy-", "sec-")
_NO_FIELDS: Mapping[str, BodyField] = {}


@dataclass(slots=True)
class Parameter:
    """One value that a request carries outside its body.

    Treat as read-only: it is not frozen because making thousands would take twice as long.
    """

    name: str
    location: Location
    required: bool
    description: str
    schema: JsonValue
    """As written in the document, with the parameter's own examples where it has none; may hold or be a
    `$ref`; {} when there is none."""
    style: str
    """One that its location allows; no meaning when `content_type` is set."""
    explode: bool
    allow_reserved: bool
    content_type: str | None
    """The media type the value is serialized as, for parameters that have `content`."""
    deprecated: bool
    fields: Mapping[str, BodyField] = field(default_factory=dict[str, BodyField])
    """Of a whole query string written as a form: fields with a rule of their own."""
    default: str | None = None
    """Sent where no argument is given: of Accept-Language, for which a browser has a value of its own."""


def unsendable_reason(parameter: Parameter) -> str | None:
    """Why a page's `fetch` cannot send this parameter, as a sentence; None when it can."""
    location = parameter.location
    if location == "cookie":
        return "A browser sends its own cookies and lets no page set them."
    if location == "header":
        name = parameter.name.lower()
        if name in _FORBIDDEN_HEADERS or name.startswith(_FORBIDDEN_PREFIXES):
            return "A browser sets this header itself."
    return None


def read_parameter(document: Document, node: JsonObject) -> Parameter | str:
    """The parameter, or what is wrong with it as a sentence.

    Raises:
        ReferenceFailed: its media type, or the schema of Accept-Language, is a reference that leads nowhere.
    """
    name, place = node.get("name"), node.get("in")
    if not isinstance(name, str) or not name:
        return "A parameter has no name."
    location = _LOCATIONS.get(place) if isinstance(place, str) else None
    if location is None:
        return f"The parameter {quote(name)} has no known place: in is {quote(text_at(node, 'in'))}."
    schema, content_type, fields = node.get("schema"), None, _NO_FIELDS
    if not isinstance(schema, (dict, bool)):
        content_type, media = _content_of(document, node)
        schema = media.get("schema")
        if location == "querystring" and base_type(content_type or "") == FORM:
            fields = read_query_fields(document, media)
    if location == "querystring" and content_type is None:
        return f"The parameter {quote(name)} is the whole query string, but has no content."
    style, explode = _style_of(node, location)
    return Parameter(
        name,
        location,
        location == "path" or node.get("required") is True,
        text_at(node, "description")[:MAX_PROSE_CHARS],
        with_examples(schema if isinstance(schema, (dict, bool)) else {}, examples_of(document, node)),
        style,
        explode,
        node.get("allowReserved") is True and (location == "query" or document.version == "3.2"),
        content_type,
        node.get("deprecated") is True,
        fields,
        _default_of(document, schema) if name.lower() == "accept-language" else None,
    )


def _default_of(document: Document, schema: JsonValue) -> str | None:
    target = document.follow(schema)
    default = target.get("default") if isinstance(target, dict) else None
    return default if isinstance(default, str) else None


def _style_of(node: JsonObject, location: Location) -> tuple[str, bool]:
    """Style and explode."""
    styles = _STYLES[location]
    style, explode = node.get("style"), node.get("explode")
    if not isinstance(style, str) or style not in styles:
        style = styles[0]
    return style, explode if isinstance(explode, bool) else style in ("form", "cookie")


def _content_of(document: Document, node: JsonObject) -> tuple[str | None, JsonObject]:
    """Media type and its object; None without any content."""
    content = object_at(node, "content")
    if not content:
        return None, {}
    media_type = choose_json(content) or next(iter(content))
    media = document.follow(content[media_type])
    return media_type, media if isinstance(media, dict) else {}
