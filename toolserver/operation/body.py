"""Reads request bodies: the one media type that is sent, and how it is encoded.

Receives request body objects of OpenAPI 3; gives `Body` values. Schemas stay as written; their form for a
model is the concern of `definition`. Knows nothing of operations and arguments.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec import Struct, structs

from toolserver.errors import quote_text
from toolserver.json_types import JsonObject, JsonValue, object_at, text_at
from toolserver.openapi.document import MAX_PROSE_CHARS, Document, reference_of
from toolserver.openapi.media_type import (
    EVENTS,
    FORM_DATA,
    BodyKind,
    base_type,
    body_kind,
    choose_json,
    is_json_range,
    is_media_range,
    sent_type,
    types_to_choose,
)
from toolserver.operation.body_field import (
    BodyField,
    first_properties,
    is_binary,
    is_structured,
    read_fields,
    read_item,
)
from toolserver.operation.odd_forms import describe_odd_media
from toolserver.operation.xml_body import xml_node

__all__ = ["Body", "BodyField", "BodyReader", "read_query_fields"]

_BY_POSITION = ("prefixEncoding", "itemEncoding", "itemSchema")
"""Fields of a multipart media type (OpenAPI 3.2 §4.14.5) whose parts are identified by position, not name."""

_PREFERENCE: tuple[BodyKind, ...] = ("json", "form", "multipart", "text", "xml", "sequence", "binary")
_MAX_NAMED = 10
"""Maximum number of properties that a warning names."""


@dataclass(slots=True)
class Body:
    """The request body in the one media type that is sent: treat as read-only."""

    content_type: str
    """Content type to send; for files possibly a range such as "image/*", since they have a type of their
    own."""
    content_types: tuple[str, ...] = field(default=(), kw_only=True)
    """Of a file, where the document offers several: types and ranges among which the file decides."""
    schema: JsonValue
    """As written in the document; may be or contain a `$ref`; {} when there is none."""
    required: bool
    description: str
    kind: BodyKind = "json"
    fields: Mapping[str, BodyField] = field(default_factory=dict[str, BodyField])
    """For forms and multipart bodies: the fields that do not follow the default rule, by name."""
    parts: BodyField | None = None
    """For multipart bodies whose parts have no names: the rule of each; the body is an array of them."""
    xml: JsonObject | None = None
    """For XML bodies: names and places of elements (see `xml_body`)."""
    media: JsonObject = field(default_factory=dict[str, JsonValue], repr=False, compare=False)
    """The media type object, which contains examples of whole bodies."""


class UnwritableBody(Exception):
    """A body that no request can carry; the exception's text is the reason, without a full stop."""


class _Choice(Struct, gc=False):
    kind: BodyKind
    media_type: str
    media: JsonObject


class _Offer(NamedTuple):
    """What the keys of a `content` object offer, without regard to its schemas."""

    json: str | None
    """The key of a JSON type, or of a range that includes JSON."""
    json_is_range: bool
    best: str
    kinds: dict[str, BodyKind]
    files: tuple[str, ...]
    """The types and ranges of files that leave a choice."""


class _Written(NamedTuple):
    """Everything about a body that follows from its media type and schema."""

    content_type: str
    kind: BodyKind
    schema: JsonValue
    fields: Mapping[str, BodyField]
    parts: BodyField | None
    xml: JsonObject | None
    warnings: list[str]


@dataclass(slots=True)
class BodyReader:
    """Reads the request bodies of one document; bodies shared by reference are read once."""

    document: Document
    _written: dict[tuple[str, str | int, int], _Written] = field(
        default_factory=dict[tuple[str, "str | int", int], _Written]
    )
    _offers: dict[tuple[str, ...], _Offer] = field(default_factory=dict[tuple[str, ...], _Offer])
    _with_files: dict[str | int, bool] = field(default_factory=dict["str | int", bool])
    _names: dict[str | int, tuple[str, ...]] = field(default_factory=dict["str | int", "tuple[str, ...]"])
    """The properties of media types, by `_key_of`."""
    _left_out: dict[int, tuple[JsonObject, list[str]]] = field(
        default_factory=dict[int, tuple[JsonObject, list[str]]]
    )
    """What is said of the types that are not sent, by identity of `content`, each with it so that the
    identity is not reused."""

    def read_body(self, node: JsonObject) -> tuple[Body | None, list[str]]:
        """The body that a request body object describes, and warnings; None when it names no content type.

        Raises:
            ReferenceFailed: a media type is a reference that leads nowhere.
            UnwritableBody: its parts are identified by position instead of name.
        """
        content = object_at(node, "content")
        if not content:
            return None, ["The request body names no content type; it is left out."]
        choice = self._choose(content)
        placed = [key for key in _BY_POSITION if key in choice.media]
        if choice.kind == "multipart" and placed and not _has_like_parts(choice):
            named = quote_text(choice.media_type)
            raise UnwritableBody(
                f"The parts of the {named} body are identified by position ({', '.join(placed)})"
            )
        encoding = choice.media.get("encoding")
        key = (choice.media_type, _key_of(choice.media), id(encoding) if encoding else 0)
        written = self._written.get(key)
        if written is None:
            written = self._written[key] = _write(self.document, choice)
        body = Body(
            written.content_type,
            written.schema,
            node.get("required") is True,
            text_at(node, "description")[:MAX_PROSE_CHARS],
            written.kind,
            written.fields,
            written.parts,
            written.xml,
            choice.media,
            content_types=self._offers[tuple(content)].files if written.kind == "binary" else (),
        )
        return body, [*written.warnings, *self._about_others(content, choice)]

    def _choose(self, content: JsonObject) -> _Choice:
        """The media type to send: by kind, then in the document's order."""
        keys = tuple(content)
        offer = self._offers.get(keys)
        if offer is None:
            offer = self._offers[keys] = _weigh(keys)
        if offer.json is not None:
            media = _media(self.document, content, offer.json)
            is_file = offer.json_is_range and is_binary(self.document, media.get("schema"))
            return _Choice("binary" if is_file else "json", offer.json, media)
        if offer.kinds[offer.best] == "form":
            for media_type, kind in offer.kinds.items():
                if kind == "multipart" and self._has_files(
                    media := _media(self.document, content, media_type)
                ):
                    return _Choice("multipart", media_type, media)
        return _Choice(offer.kinds[offer.best], offer.best, _media(self.document, content, offer.best))

    def _about_others(self, content: JsonObject, choice: _Choice) -> list[str]:
        """A warning for each type that is not sent and has properties that the sent one has not."""
        if len(content) == 1:
            return []
        if id(content) not in self._left_out:
            self._left_out[id(content)] = content, [*self._warn_of_others(content, choice)]
        return self._left_out[id(content)][1]

    def _warn_of_others(self, content: JsonObject, choice: _Choice) -> Iterator[str]:
        known = self._names_of(choice.media)
        for media_type in content if known else ():
            others = self._names_of(_media(self.document, content, media_type))
            if only := [quote_text(name) for name in others if name not in known]:
                more = ", …" if len(only) > _MAX_NAMED else ""
                yield (
                    f"The body is sent as {quote_text(choice.media_type)}; what only "
                    f"{quote_text(media_type)} has is left out: {', '.join(only[:_MAX_NAMED])}{more}."
                )

    def _names_of(self, media: JsonObject) -> tuple[str, ...]:
        """The properties that a caller may fill."""
        key = _key_of(media)
        if key not in self._names:
            found = first_properties(self.document, media.get("schema"))
            self._names[key] = tuple(name for name, schema in found.items() if not _is_read_only(schema))
        return self._names[key]

    def _has_files(self, media: JsonObject) -> bool:
        """Whether only a multipart body can carry everything in it."""
        key = _key_of(media)
        if key not in self._with_files:
            properties = first_properties(self.document, media.get("schema"))
            self._with_files[key] = any(is_binary(self.document, schema) for schema in properties.values())
        return self._with_files[key]


def _is_read_only(schema: JsonValue) -> bool:
    return isinstance(schema, dict) and schema.get("readOnly") is True


def _weigh(keys: tuple[str, ...]) -> _Offer:
    kinds: dict[str, BodyKind] = {media_type: body_kind(media_type) for media_type in keys}
    best = min(keys, key=lambda key: _PREFERENCE.index(kinds[key]))
    json = choose_json(keys)
    files = types_to_choose(key for key in keys if kinds[key] == "binary")
    return _Offer(json, json is not None and is_json_range(json), best, kinds, files)


def _key_of(media: JsonObject) -> str | int:
    """A key that is equal for media types with the same schema: its reference, or the holder's identity."""
    if not media.keys().isdisjoint(_BY_POSITION):
        return id(media)
    return reference_of(media.get("schema")) or id(media)


def _write(document: Document, choice: _Choice) -> _Written:
    if choice.kind == "multipart" and _has_like_parts(choice):
        return _write_parts(document, choice)
    odd = describe_odd_media(choice.media, "request body")
    choice, undescribed = _with_fields(document, choice)
    kind, warnings = _kind_by_schema(document, choice)
    warnings += undescribed
    content_type = sent_type(choice.media_type, kind)
    if not is_media_range(choice.media_type) and not warnings:
        named = quote_text(choice.media_type)
        warnings.append(
            f"The content type of the request body, {named}, is invalid; {content_type} is sent in its place."
        )
    if odd and not undescribed:
        warnings.append(odd)
    schema = _schema_of(choice, kind)
    fields: Mapping[str, BodyField] = {}
    if kind in ("form", "multipart"):
        fields, field_warnings = read_fields(document, kind, choice.media)
        warnings += field_warnings
    xml = xml_node(document, schema) if kind == "xml" else None
    return _Written(content_type, kind, schema, fields, None, xml, warnings)


def _has_like_parts(choice: _Choice) -> bool:
    """Whether the parts have no names and are all described alike, so that a body is an array of them."""
    if "prefixEncoding" in choice.media or base_type(choice.media_type) == FORM_DATA:
        return False
    return "itemSchema" in choice.media or "itemEncoding" in choice.media


def _write_parts(document: Document, choice: _Choice) -> _Written:
    whole = document.follow_refs(choice.media.get("schema"))
    item = choice.media.get("itemSchema", whole.get("items") if isinstance(whole, dict) else None)
    schema: JsonObject = {"type": "array", "items": item if isinstance(item, dict | bool) else {}}
    parts = read_item(document, item, object_at(choice.media, "itemEncoding"))
    content_type = (
        "multipart/mixed" if "*" in choice.media_type else sent_type(choice.media_type, "multipart")
    )
    return _Written(content_type, "multipart", schema, {}, parts, None, [])


def read_query_fields(document: Document, media: JsonObject) -> dict[str, BodyField]:
    """The fields of a whole query string that is written as a form."""
    return read_fields(document, "form", media)[0]


def _with_fields(document: Document, choice: _Choice) -> tuple[_Choice, list[str]]:
    """Makes sure that a multipart body has fields, even if its schema is empty or a string."""
    schema = choice.media.get("schema")
    if choice.kind != "multipart" or is_structured(document, schema):
        return choice, []
    is_file = is_binary(document, schema)
    file: JsonValue = schema if is_file else {"type": "string", "format": "binary"}
    fields: JsonObject = {"type": "object", "properties": {"file": file}, "additionalProperties": not is_file}
    if is_file:
        fields["required"] = ["file"]
    warning = "The fields of the multipart request body are not described; a file is sent as 'file'."
    return structs.replace(choice, media={**choice.media, "schema": fields}), [warning]


def _schema_of(choice: _Choice, kind: BodyKind) -> JsonValue:
    if kind == "sequence" and "itemSchema" in choice.media:
        return {"type": "array", "items": choice.media["itemSchema"]}
    schema = choice.media.get("schema")
    return schema if isinstance(schema, dict | bool) else {}


def _media(document: Document, content: JsonObject, media_type: str) -> JsonObject:
    media = document.follow_refs(content[media_type])
    return media if isinstance(media, dict) else {}


def _kind_by_schema(document: Document, choice: _Choice) -> tuple[BodyKind, list[str]]:
    """Text and bytes with a structured schema are encoded as JSON; XML whose schema is a string, as text."""
    if choice.kind not in ("text", "binary", "xml"):
        return choice.kind, []
    if base_type(choice.media_type) == EVENTS and "itemSchema" in choice.media:
        return "sequence", []
    structured = is_structured(document, choice.media.get("schema"))
    if choice.kind == "xml":
        return ("xml" if structured else "text"), []
    if not structured:
        return choice.kind, []
    named = quote_text(choice.media_type)
    return "json", [f"The request body is {named}, but described as a structure; it is written as JSON."]
