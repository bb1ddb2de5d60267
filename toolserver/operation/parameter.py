"""Reads the parameters of an operation, and decides which of them a browser cannot send.

Receives parameter objects of OpenAPI 3 and Swagger 2.0; gives `Parameter` values. Schemas stay as written,
references included.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct, structs

from toolserver.errors import quote_text
from toolserver.json_types import JsonObject, JsonValue, dump_json, object_at, text_at, trim_bytes
from toolserver.openapi.document import MAX_PROSE_CHARS, SWAGGER, Document
from toolserver.openapi.edits import EXTENSION
from toolserver.openapi.media_type import FORM, base_type, choose_json
from toolserver.openapi.security import read_security_schemes
from toolserver.openapi.swagger_parameters import (
    BODY_PLACES,
    is_swagger_form,
    or_empty,
    parameter_of,
    schema_of,
    style_of,
)
from toolserver.operation.argument_names import Target, legal_name
from toolserver.operation.body import BodyField, read_query_fields
from toolserver.operation.body_field import rules_of
from toolserver.schema.argument_edit import read_argument_edit
from toolserver.schema.example import examples_of, with_examples

Location: TypeAlias = Literal["path", "query", "header", "cookie", "querystring"]

_STYLES: dict[Location, tuple[str, ...]] = {
    "path": ("simple", "label", "matrix"),
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
    "header": ("simple",),
    "cookie": ("form", "cookie"),
    "querystring": ("",),
}
"""Allowed styles by location, the default first (OpenAPI 3.2.0 §4.12.2.2; "cookie" is new there). A whole
query string (3.2) has content instead."""

_LOCATIONS: dict[str, Location] = {location: location for location in _STYLES}

_IGNORED_HEADERS = frozenset(("accept", "content-type", "authorization"))
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

_SENT_BY_BROWSERS = frozenset(("accept-encoding", "connection", "content-length", "host", "user-agent"))
"""Forbidden headers that a request has all the same; with a body, in the case of content-length."""

_FORBIDDEN_PREFIXES = ("proxy-", "sec-")
_ACCEPT_LANGUAGE = "accept-language"
_NO_FIELDS: Mapping[str, BodyField] = {}


@dataclass(slots=True)
class Sending:
    """How the value of a parameter is sent. Read-only: parameters that are sent alike share it."""

    name: str
    location: Location
    required: bool
    style: str
    """A style that its location allows; has no meaning when `content_type` is set."""
    explode: bool
    allow_reserved: bool = False
    content_type: str | None = None
    """The media type the value is serialized as, for parameters that have `content`."""
    fields: Mapping[str, BodyField] = field(default_factory=dict[str, BodyField])
    """For a whole query string encoded as a form: the fields with a rule of their own."""
    slashes: bool = False
    """Whether it is part of a path and may span several segments."""
    default: str | None = None
    """Sent when there is no argument; for Accept-Language only, for which a browser has a value of its
    own."""
    chosen: str = ""
    """The name of its argument that an edit chose; "": the name that follows from its own."""
    is_withheld: bool = False
    """Whether no argument fills it: an edit hides it or fixes its value."""
    fixed: tuple[JsonValue, ...] = ()
    """The value that is always sent; empty: none is fixed."""

    target: Target = field(init=False, compare=False)
    argument: str = field(init=False, compare=False)
    """Name of its argument, unless another argument has that name."""
    identity: tuple[str, str] = field(init=False, compare=False)
    """Equal for parameters of one operation that override each other: header names are case-insensitive."""
    is_ignored: bool = field(init=False, compare=False)
    """Whether it is a header that the body or security owns."""
    unsendable: str | None = field(init=False, compare=False)
    """Why a page's `fetch` cannot send it, as a sentence; None when it can."""
    planned: bytes = field(init=False, compare=False)
    """`to_json(argument)`, compact."""

    def __post_init__(self) -> None:
        name, location = self.name, self.location
        key = name.lower() if location == "header" else name
        self.target = (location, name)
        self.argument = self.chosen or legal_name(name)
        self.identity = (key, location)
        self.is_ignored = location == "header" and key in _IGNORED_HEADERS
        self.unsendable = _unsendable_reason(location, key)
        self.planned = trim_bytes(dump_json(self.to_json(self.argument)))

    @property
    def is_sent_by_browser(self) -> bool:
        """Whether every request has this header although no page can set it."""
        return self.location == "header" and self.name.lower() in _SENT_BY_BROWSERS

    def to_json(self, argument: str) -> JsonObject:
        """Its entry in a plan. Parameters with a content type have no style, as in the specification."""
        planned: JsonObject = {
            "argument": argument,
            "in": self.location,
            "name": self.name,
            "required": self.required,
        }
        if self.is_withheld:
            planned["withheld"] = True
        if self.fixed:
            planned["fixed"] = self.fixed[0]
        if self.default is not None:
            planned["default"] = self.default
        if self.content_type is None:
            planned["style"], planned["explode"] = self.style, self.explode
            planned["allow_reserved"] = self.allow_reserved
            if self.slashes:
                planned["slashes"] = True
            return planned
        planned["content_type"] = self.content_type
        if self.fields:
            planned["fields"] = rules_of(self.fields)
        return planned


class Described(NamedTuple):
    """What a model is shown of a parameter."""

    description: str
    schema: JsonValue
    """As written in the document, with the parameter's own examples if it has none; may be or contain a
    `$ref`; {} when there is none."""
    deprecated: bool
    may_be_empty: bool = False
    """Whether the empty value may be sent, which the schema then allows."""


class Parameter(Struct, gc=False):
    """One value that a request carries outside its body: treat as read-only."""

    sending: Sending
    node: JsonObject
    """As written."""
    description: str = ""
    """What stands beside a reference to it, or what an edit says, instead of its own description."""
    problems: tuple[str, ...] = ()
    """Sentences about edits that cannot be."""

    def with_slashes(self) -> "Parameter":
        """The same, spanning several segments of a path."""
        return Parameter(replace(self.sending, slashes=True), self.node, self.description, self.problems)

    def describe_parameter(self, document: Document) -> Described:
        """Reads the description anew on each call; a catalog needs none, and schema builders store theirs.

        `document` must be the one that has the parameter.
        """
        node = self.node
        if document.version == SWAGGER or is_swagger_form(node):
            node = parameter_of(node)
        schema = _schema_at(node)
        if schema is None:
            schema = _content_of(document, node)[1].get("schema")
        if not isinstance(schema, (dict, bool)):
            schema = {}
        examples = examples_of(document, node)
        if examples:
            schema = with_examples(schema, examples)
        may_be_empty = self._may_be_empty(node)
        return Described(
            (self.description or text_at(node, "description"))[:MAX_PROSE_CHARS],
            or_empty(schema) if may_be_empty else schema,
            node.get("deprecated") is True,
            may_be_empty,
        )

    def _may_be_empty(self, node: JsonObject) -> bool:
        """Whether `name=` may be sent; "n/a" in other styles (OpenAPI 3.0.4 §4.7.12.2.1)."""
        sending = self.sending
        if sending.location != "query" or sending.style != "form" or sending.content_type is not None:
            return False
        return node.get("allowEmptyValue") is True


class BodyPart(Struct, gc=False):
    """A parameter of Swagger 2.0 that belongs to the body."""

    node: JsonObject


_Alike: TypeAlias = "tuple[str, Location, bool, str | None, bool | None, bool]"

_SAYS_NO_MORE = (None, None, False)
"""The end of an `_Alike` whose style follows from its location."""


class ParameterReader:
    """Reads the parameters of one document."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._is_swagger = document.version == SWAGGER
        self._sendings: dict[_Alike, Sending] = {}
        self._plain: dict[tuple[JsonValue, JsonValue, bool], Sending] = {}
        """By name, place and whether the parameter says that it is required; most say no more."""
        self._key_places: frozenset[tuple[str, str]] | None = None

    def read_parameter(self, node: JsonObject) -> Parameter | BodyPart | str:
        """The parameter, or a sentence about its problem.

        Raises:
            ReferenceFailed: its media type, or the schema of Accept-Language, is a reference that leads
                nowhere.
        """
        try:
            place = node["in"]
            if self._is_swagger:
                if place in BODY_PLACES:
                    return BodyPart(node)
                is_plain = node.get("type") != "array"
            else:
                is_plain = type(node["schema"]) is dict
            sending = self._plain.get((node["name"], place, node.get("required") is True))
        except (KeyError, TypeError):  # it lacks what nearly all have, or its name is no text
            return self._read_closely(node)
        if sending is None or not is_plain or "style" in node or "explode" in node or "allowReserved" in node:
            return self._read_closely(node)
        if EXTENSION in node:
            return self._edit(sending, node)
        return Parameter(sending, node)  # an earlier one of this name said no more than this one

    def _read_closely(self, node: JsonObject) -> Parameter | str:
        name = node.get("name")
        place = node.get("in")
        location = _LOCATIONS.get(place) if isinstance(place, str) else None
        if location is None or not isinstance(name, str) or not name:
            return self._problem_of(node)
        style, explode = self._style_of(node)
        alike = (
            name,
            location,
            location == "path" or node.get("required") is True,
            style if isinstance(style, str) else None,
            explode if isinstance(explode, bool) else None,
            "allowReserved" in node and self._may_be_reserved(node, location),
        )
        sending = self._sendings.get(alike)
        if sending is None or not (self._is_swagger or isinstance(node.get("schema"), (dict, bool))):
            sending = self._new_sending(alike, node)
        if isinstance(sending, str):
            return sending
        return self._edit(sending, node) if EXTENSION in node else Parameter(sending, node)

    def _edit(self, sending: Sending, node: JsonObject) -> Parameter:
        """The parameter as its edit wants it."""
        is_swagger = self._is_swagger or is_swagger_form(node)
        schema = node if is_swagger else self._document.follow_refs(_schema_at(node))
        edit = read_argument_edit(
            node,
            sending.name,
            schema if isinstance(schema, dict) else {},
            is_required=sending.required,
            may_fix=self._document.is_edited,
        )
        if edit.fixed and sending.identity in self._keys():
            problem = f"{quote_text(sending.name)} is where a key of the API goes: save it under Credentials."
            edit = structs.replace(edit, is_withheld=False, fixed=(), problems=(*edit.problems, problem))
        edited = replace(sending, chosen=edit.name, is_withheld=edit.is_withheld, fixed=edit.fixed)
        return Parameter(edited, node, edit.description, edit.problems)

    def _keys(self) -> frozenset[tuple[str, str]]:
        """The identities of parameters that carry the keys of security schemes."""
        if self._key_places is None:
            schemes, _ = read_security_schemes(self._document)
            places = [(each.name or "", each.location or "") for each in schemes.values()]
            self._key_places = frozenset(
                (name.lower() if place == "header" else name, place) for name, place in places if place
            )
        return self._key_places

    def _style_of(self, node: JsonObject) -> tuple[JsonValue, JsonValue]:
        """What it says of how arrays are joined."""
        says_so = "style" in node or "explode" in node
        if not self._is_swagger and (says_so or not is_swagger_form(node)):
            return node.get("style"), node.get("explode")
        return style_of(node) if node.get("type") == "array" else (None, None)

    def _problem_of(self, node: JsonObject) -> str:
        name = text_at(node, "name")
        if not name:
            return "A parameter has no name."
        return f"The parameter {quote_text(name)} has an unknown location: {quote_text(text_at(node, 'in'))}."

    def make_undescribed(self, name: str) -> Parameter:
        """A parameter for a path expression that the document does not describe: any string."""
        sending = self._sendings.get((name, "path", True, None, None, False))
        if sending is None:
            sending = Sending(name, "path", required=True, style="simple", explode=False)
        return Parameter(sending, {"schema": {"type": "string"}})

    def _may_be_reserved(self, node: JsonObject, location: Location) -> bool:
        if self._is_swagger or node["allowReserved"] is not True:
            return False
        return location == "query" or self._document.version == "3.2"

    def _new_sending(self, alike: _Alike, node: JsonObject) -> Sending | str:
        """Builds it, and caches it if all of it follows from `alike`."""
        document = self._document
        name, location, required, style, explode, allow_reserved = alike
        schema = _schema_at(node)
        content_type, fields = None, _NO_FIELDS
        if schema is None and not self._is_swagger:
            content_type, media = _content_of(document, node)
            schema = media.get("schema")
            if location == "querystring" and base_type(content_type or "") == FORM:
                fields = read_query_fields(document, media)
        if location == "querystring" and content_type is None:
            return f"The parameter {quote_text(name)} is the whole query string, but has no content."
        if style is None or style not in _STYLES[location]:
            style = _STYLES[location][0]
        if explode is None:
            explode = style in ("form", "cookie")
        sending = Sending(name, location, required, style, explode, allow_reserved, content_type, fields)
        if name.lower() == _ACCEPT_LANGUAGE:
            is_swagger = self._is_swagger or is_swagger_form(node)
            schema = schema_of(node) if is_swagger else schema
            return replace(sending, default=_default_of(document, schema))
        if content_type is None:
            self._sendings[alike] = sending
            if alike[3:] == _SAYS_NO_MORE:
                self._plain[name, location, required] = sending
                if location == "path":  # required without saying so
                    self._plain[name, location, False] = sending
        return sending


def _schema_at(node: JsonObject) -> JsonValue:
    """The schema; None when there is none."""
    schema = node.get("schema")
    return schema if isinstance(schema, (dict, bool)) else None


def _unsendable_reason(location: Location, name: str) -> str | None:
    """Why a page cannot send it; names of headers in lower case."""
    if location == "cookie":
        return "A browser sends its own cookies and lets no page set them."
    if location == "header" and (name in _FORBIDDEN_HEADERS or name.startswith(_FORBIDDEN_PREFIXES)):
        return "A browser sets this header itself."
    return None


def _default_of(document: Document, schema: JsonValue) -> str | None:
    target = document.follow_refs(schema)
    default = target.get("default") if isinstance(target, dict) else None
    return default if isinstance(default, str) else None


def _content_of(document: Document, node: JsonObject) -> tuple[str | None, JsonObject]:
    """The media type and its object; None without any content."""
    content = object_at(node, "content")
    if not content:
        return None, {}
    media_type = choose_json(content) or next(iter(content))
    media = document.follow_refs(content[media_type])
    return media_type, media if isinstance(media, dict) else {}
