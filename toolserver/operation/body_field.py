"""Fields of forms and multipart bodies that do not follow the default rule: files and encodings.

Receives the schema and `encoding` of a media type object; gives `BodyField`s by name. Looks into schemas only
as far as needed to find properties and to recognize a file.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from toolserver.errors import ReferenceFailed, quote_text
from toolserver.json_types import (
    JsonObject,
    JsonValue,
    array_at,
    object_at,
    only_value,
    scalar_text,
    text_at,
    written_items,
)
from toolserver.openapi.document import Document, reference_of
from toolserver.openapi.media_type import (
    OCTETS,
    body_kind,
    is_json_range,
    is_media_type,
    types_to_choose,
)

_STYLES = ("form", "spaceDelimited", "pipeDelimited", "deepObject")
_MAX_SCHEMAS = 500
"""Maximum number of schemas examined for fields; a body with more branches keeps the default rule for the
rest."""

_MAX_HEADERS = 20


@dataclass(frozen=True, slots=True)
class BodyField:
    """A field of a form, multipart body or query string that does not follow the default rule."""

    name: str
    file: bool = False
    """Whether it is a file, or an array of files."""
    accepts: str = ""
    """Media types that the document names for it, as written, such as "image/png, image/jpeg"."""
    content_type: str | None = None
    content_types: tuple[str, ...] = ()
    """Of a file, where the document lists several: types and ranges among which the file's name decides."""
    style: str | None = None
    """Style as for a query parameter; replaces `content_type`."""
    explode: bool = False
    allow_reserved: bool = False
    headers: tuple[tuple[str, str], ...] = ()
    """Headers of its part whose value the document fixes; names in lower case."""

    def to_json(self) -> JsonObject:
        """The rule without the name; absent keys have their defaults."""
        planned: JsonObject = {}
        if self.file:
            planned["file"] = True
        if self.style is not None:
            planned |= {"style": self.style, "explode": self.explode, "allow_reserved": self.allow_reserved}
        if self.content_type is not None:
            planned["content_type"] = self.content_type
        if self.content_types:
            planned["content_types"] = list(self.content_types)
        if self.headers:
            planned["headers"] = [[name, value] for name, value in self.headers]
        return planned


def rules_of(fields: Mapping[str, BodyField]) -> list[JsonValue]:
    """The rules with their names, as a plan carries them."""
    return [{"name": name, **rule} for name, entry in fields.items() if (rule := entry.to_json())]


def read_fields(
    document: Document, kind: Literal["form", "multipart"], media: JsonObject
) -> tuple[dict[str, BodyField], list[str]]:
    """Every field of a media type object with a rule of its own, and warnings."""
    if kind == "form" and not media.get("encoding"):
        return {}, []
    reader = _FieldReader(document, kind, media)
    return reader.read_fields(), reader.warnings


def read_item(document: Document, schema: JsonValue, encoding: JsonObject) -> BodyField:
    """The rule of the parts of a body whose parts have no names; styles do not apply to them."""
    reader = _FieldReader(document, "multipart", {})
    unstyled: JsonObject = {key: encoding[key] for key in ("contentType", "headers") if key in encoding}
    return reader.read_field("", schema, unstyled)


@dataclass(slots=True)
class _FieldReader:
    """Reads the fields of one media type object."""

    document: Document
    kind: Literal["form", "multipart"]
    media: JsonObject
    warnings: list[str] = field(default_factory=list[str])

    def read_fields(self) -> dict[str, BodyField]:
        """Properties first, then encodings of other names."""
        encodings = object_at(self.media, "encoding")
        schemas: dict[str, JsonValue] = dict.fromkeys(encodings)
        schemas |= first_properties(self.document, self.media.get("schema"))
        fields = (
            self.read_field(name, schema, object_at(encodings, name)) for name, schema in schemas.items()
        )
        return {found.name: found for found in fields if found.accepts or found.to_json()}

    def read_field(self, name: str, schema: JsonValue, encoding: JsonObject) -> BodyField:
        """The rule of one field or part."""
        accepts = text_at(encoding, "contentType").strip()
        headers = () if self.kind == "form" else tuple(self._fixed_headers(name, encoding))
        file = self.kind == "multipart" and (
            is_binary(self.document, schema) or self._is_encoded_file(schema, accepts)
        )
        if file or not self._is_styled(encoding):
            listed = accepts.split(",")
            content_type = next((name.strip() for name in listed if is_media_type(name)), None)
            choice = types_to_choose(listed) if file and content_type is not None else ()
            if content_type is None and self.kind == "multipart":
                content_type = self._stated_type(schema, file)
            return BodyField(name, file, accepts, content_type, choice, headers=headers)
        style = text_at(encoding, "style")
        style = style if style in _STYLES else "form"
        explode = encoding.get("explode")
        return BodyField(
            name,
            accepts=accepts,
            style=style,
            explode=explode if isinstance(explode, bool) else style == "form",
            allow_reserved=encoding.get("allowReserved") is True,
            headers=headers,
        )

    def _is_styled(self, encoding: JsonObject) -> bool:
        """Whether a style applies.

        OpenAPI 3.0 ignores styles outside of forms (3.0.4 §4.7.15.1); 3.1 and Swagger 2.0 do not.
        """
        if self.kind == "multipart" and self.document.version == "3.0":
            return False
        return bool(encoding.keys() & {"style", "explode", "allowReserved"})

    def _is_encoded_file(self, schema: JsonValue, accepts: str) -> bool:
        """Whether it is an untyped property encoded as bytes, which is how OpenAPI 3.1 describes files."""
        first = accepts.partition(",")[0]
        if not first or schema is None or is_json_range(first) or body_kind(first) != "binary":
            return False
        telling_keys = {"type", "enum", "const", "properties", "contentEncoding"}
        return not any(part.keys() & telling_keys for part in list_branches(self.document, schema))

    def _stated_type(self, schema: JsonValue, file: bool) -> str | None:
        """The content type that the schema itself states for its part (OpenAPI 3.1.0 §4.8.14.5).

        JSON in a text is left to be a text: the value is written as it is. Octets state nothing of a file.
        """
        for part in filter(_may_be_text, _value_branches(self.document, schema)):
            stated = text_at(part, "contentMediaType").strip()
            if is_media_type(stated) and stated != (OCTETS if file else "text/plain"):
                return stated if file or body_kind(stated) != "json" else None
            if not file and text_at(part, "contentEncoding"):
                return OCTETS
        return None

    def _fixed_headers(self, field_name: str, encoding: JsonObject) -> Iterator[tuple[str, str]]:
        """Headers whose value the document fixes; no argument fills other headers."""
        for name, entry in list(object_at(encoding, "headers").items())[:_MAX_HEADERS]:
            if name.lower() in ("content-type", "content-disposition"):
                continue
            header = self._followed(entry)
            value = _fixed_value(self._followed(header.get("schema")))
            if value is not None:
                yield name.lower(), value
            elif header.get("required") is True:
                what = f"The part {quote_text(field_name)} needs a header {quote_text(name)}"
                self.warnings.append(f"{what}, which is not sent.")

    def _followed(self, node: JsonValue) -> JsonObject:
        try:
            target = self.document.follow_refs(node)
        except ReferenceFailed:
            return {}
        return target if isinstance(target, dict) else {}


def _fixed_value(schema: JsonObject) -> str | None:
    """The only value that the schema allows, else its default; as it is written."""
    allowed = array_at(schema, "enum")
    for holder in (
        only_value(schema, "const") if "const" in schema else [],
        allowed if len(allowed) == 1 else [],
        only_value(schema, "default") if "default" in schema else [],
    ):
        text = scalar_text(holder[0], written_items(holder).get(0)) if holder else None
        if text is not None and text.isprintable():
            return text
    return None


def list_branches(document: Document, schema: JsonValue) -> Iterator[JsonObject]:
    """A schema and those that it combines by `$ref`, `allOf`, `oneOf` and `anyOf`; each once, at most 500."""
    waiting, seen = [schema], set[int]()
    while waiting and len(seen) < _MAX_SCHEMAS:
        node = waiting.pop(0)
        if not isinstance(node, dict) or id(node) in seen:
            continue
        seen.add(id(node))
        if (ref := reference_of(node)) is not None:
            try:
                waiting.append(document.resolve_ref(ref))
            except ReferenceFailed:
                continue
        yield node
        for keyword in ("allOf", "oneOf", "anyOf"):
            waiting += array_at(node, keyword)[:_MAX_SCHEMAS]


def first_properties(document: Document, schema: JsonValue) -> JsonObject:
    """The schemas of all properties at the root; of duplicates the first."""
    found: JsonObject = {}
    for part in list_branches(document, schema):
        for name, value in object_at(part, "properties").items():
            found.setdefault(name, value)
    return found


def is_structured(document: Document, schema: JsonValue) -> bool:
    """Whether values may be objects or arrays."""
    for part in list_branches(document, schema):
        types = part.get("type")
        names = types if isinstance(types, list) else [types]
        if "object" in names or "array" in names or object_at(part, "properties"):
            return True
    return False


def may_be_object(document: Document, schema: JsonValue) -> bool:
    """Whether values may be objects: some branch says so, or none says what they are."""
    types: list[JsonValue] = []
    for part in list_branches(document, schema):
        stated = part.get("type")
        types += stated if isinstance(stated, list) else [] if stated is None else [stated]
        if object_at(part, "properties"):
            return True
    return not types or "object" in types


def is_binary(document: Document, schema: JsonValue) -> bool:
    """Whether a value is a file or an array of files: raw bytes, which JSON and forms cannot carry."""
    return any(map(_is_binary_string, _value_branches(document, schema)))


def _value_branches(document: Document, schema: JsonValue) -> Iterator[JsonObject]:
    """The branches of a value, or of the items of an array, which are parts of their own."""
    for part in list_branches(document, schema):
        if "items" in part:
            yield from list_branches(document, part["items"])
        else:
            yield part


def _may_be_text(part: JsonObject) -> bool:
    types = part.get("type")
    return types in (None, "string", "file") or (isinstance(types, list) and "string" in types)


def _is_binary_string(part: JsonObject) -> bool:
    if not _may_be_text(part):
        return False
    if part.get("type") == "file" or part.get("format") in ("binary", "file"):
        return True
    media_type = text_at(part, "contentMediaType")
    return bool(media_type) and "contentEncoding" not in part and body_kind(media_type) == "binary"
