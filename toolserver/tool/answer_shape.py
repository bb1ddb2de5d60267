"""The shape of an operation's answer in one line, such as `{page, results: [{id, title}]}`.

Receives a `Document` and an operation's path and method; gives names of fields, two levels of them, without
types: `[…]` is an array, `{…}` an object. Of alternatives it has the fields of all. Bounded: what is too much
is left out, as nothing but a reader and a search depend on it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from toolserver.errors import ReferenceFailed
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at
from toolserver.openapi.document import Document, reference_of, schema_reference_of
from toolserver.schema.hints import clean_text
from toolserver.tool.responses import success_of

MAX_CHARS = 2_000
"""Maximum characters of a line; 99 % of a measured 5,800 have fewer."""

_LEVELS = 2
_MAX_NAME_CHARS = 100
_MAX_PARTS = 20
_MAX_NODES = 1_000
"""Maximum number of schemas that are looked at for one line."""
_MAX_ALL_NODES = 1_000_000
"""Maximum number for all lines of a document; those of its other operations are empty."""

_COMPOSED = ("allOf", "anyOf", "oneOf")


@dataclass(slots=True)
class AnswerShapes:
    """The lines of one document's operations; those of equal references are made once."""

    document: Document
    _lines: dict[str, str] = field(default_factory=dict[str, str])
    _taken: int = 0
    _last: int = 0
    """What `_taken` may reach for the line that is being made."""

    def line_of(self, path: str, method: str) -> str:
        """The line for the first answer that means success; "" where the document describes none."""
        media_type, schema = success_of(self.document, path, method)
        if schema is None or self._taken >= _MAX_ALL_NODES:
            return clean_text(media_type, _MAX_NAME_CHARS)
        ref = reference_of(schema)
        if ref is None:
            return self._line(schema)
        if ref not in self._lines:
            self._lines[ref] = self._line(schema)
        return self._lines[ref]

    def line_of_root(self, schema: JsonObject) -> str:
        """The line for a schema that is a document of its own, as an MCP tool's `outputSchema` is."""
        if self._taken >= _MAX_ALL_NODES:
            return ""
        whole, self.document = self.document, self.document.with_root(schema)
        try:
            return self._line(schema)
        finally:
            self.document = whole

    def _line(self, schema: JsonValue) -> str:
        self._last = self._taken + _MAX_NODES
        line = self._shape(schema, _LEVELS) or self._type(schema)
        return line if len(line) <= MAX_CHARS else line[: MAX_CHARS - 1] + "…"

    def _shape(self, schema: JsonValue, levels: int) -> str:
        """The shape of a value; "" for one that is neither object nor array."""
        fields: dict[str, JsonValue] = {}
        items: list[JsonValue] = []
        more: list[JsonValue] = []
        for part in self._parts(schema, ()):
            fields |= object_at(part, "properties")
            items += [part["items"]] if "items" in part else []
            more += [each] if isinstance(each := part.get("additionalProperties"), dict) else []
        if fields or more:
            return self._object(fields, more, levels)
        if items:
            return f"[{self._shape(items[0], levels)}]"
        return ""

    def _type(self, schema: JsonValue) -> str:
        types = [part["type"] for part in self._parts(schema, ()) if isinstance(part.get("type"), str)]
        return str(types[0]) if types else "any value"

    def _object(self, fields: dict[str, JsonValue], more: list[JsonValue], levels: int) -> str:
        if levels == 0:
            return "{…}"
        names = [(clean_text(name, _MAX_NAME_CHARS), schema) for name, schema in fields.items()]
        names += [("*", more[0])] if more else []
        written: list[str] = []
        for name, schema in names:
            if self._taken >= self._last:
                written.append("…")
                break
            shape = self._shape(schema, levels - 1)
            written.append(f"{name}: {shape}" if shape else name)
        return "{" + ", ".join(written) + "}"

    def _parts(self, schema: JsonValue, above: tuple[str | None, ...]) -> Iterator[JsonObject]:
        """The schema and what it is composed of, references followed; those that lead back are left out."""
        self._taken += 1
        ref = schema_reference_of(schema)
        if (ref is not None and ref in above) or len(above) >= _MAX_PARTS:
            return
        target = self._followed(schema) if ref is not None else schema
        if not isinstance(target, dict) or self._taken >= self._last:
            return
        yield target
        inner = (*above, ref)
        for key in _COMPOSED:
            if key in target:
                for each in array_at(target, key)[:_MAX_PARTS]:
                    yield from self._parts(each, inner)

    def _followed(self, schema: JsonValue) -> JsonValue:
        try:
            return self.document.follow_refs(schema)
        except ReferenceFailed:
            return None
