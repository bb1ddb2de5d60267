"""Reads YAML text as JSON values, from libyaml's events.

Receives text and limits; gives a value and warnings. Scalars follow the core schema of YAML 1.2 (no dates,
`on` and `yes` are strings, `1e9` is a number, `0o17` is fifteen), every mapping key becomes the text it was
written as, and `<<` merges. What holds a number or boolean that JSON writes in another way (`08`, `1.10`,
`TRUE`) keeps its text: an author may mean that. Knows nothing of OpenAPI.

Events are used instead of PyYAML's own constructor because nothing recurses, so no nesting depth can exhaust
the stack; because the expansion of aliases is counted without expanding them; and because it takes a third of
the time (docker-engine.yaml, 0.47 MB: 31 ms against 85 ms, 2 cores, 2026-11).
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

import yaml

from toolserver.errors import DocumentError, quote_text
from toolserver.json_types import (
    JsonObject,
    JsonValue,
    WrittenArray,
    WrittenObject,
    scalar_text,
)
from toolserver.openapi.json_text import MAX_DIGITS, MAX_TEXTS, TOO_MANY_TEXTS

_LOADER = cast("type[yaml.CSafeLoader]", getattr(yaml, "CSafeLoader", yaml.SafeLoader))

_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)\Z|\.(?:nan|NaN|NAN)\Z")
_RADIX = re.compile(r"0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_CONSTANTS: dict[str, JsonValue] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER_STARTS = frozenset("0123456789+-.")
LIBYAML_DEPTH = "exceeded maximum nesting depth"
"""What libyaml says of more than 1,000 levels, since PyYAML 6.0.4; before, it read on to ours."""

_WRITTEN = frozenset((WrittenObject, WrittenArray))
_ENDS = (yaml.DocumentEndEvent, yaml.StreamEndEvent)
_MAX_WARNINGS = 51
"""One more than a document keeps, so that its reader learns that there are more."""
_TAG = "tag:yaml.org,2002:"


def plain_scalar(text: str) -> JsonValue:
    """The value of an unquoted scalar; infinities and NaN, which JSON cannot express, become null."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    return _number(text)


def _number(text: str) -> JsonValue:
    if len(text) > MAX_DIGITS:
        return text
    if _INTEGER.match(text):
        return int(text)
    if _FLOAT.match(text):
        number = float(text)
        return number if math.isfinite(number) else None
    if _RADIX.match(text):
        return int(text, 0)
    return None if _NOT_FINITE.match(text) else text


def _tagged_scalar(text: str, tag: str) -> JsonValue:
    """A scalar with an explicit tag: `!!int "5"` is a number, `!!str 5` and custom tags are text."""
    if tag not in (_TAG + "int", _TAG + "float", _TAG + "bool", _TAG + "null"):
        return text
    return plain_scalar(text)


def _text_to_keep(text: str, value: JsonValue) -> str | None:
    """The text of a scalar that JSON writes in another way; null has many spellings, and none is meant."""
    if text in _CONSTANTS and value is None:
        return None
    return None if scalar_text(value) == text else text


@dataclass(slots=True)
class _Frame:
    """A mapping or sequence that is still open."""

    value: JsonObject | list[JsonValue]
    anchor: str | None
    nodes_before: int
    key: str | None = None
    """The mapping key whose value comes next."""
    merges: bool = False
    """Whether the next value belongs to an unquoted `<<`."""
    merged: list[JsonObject] = field(default_factory=list[JsonObject])
    height: int = 1
    """Nesting levels from this one down, aliases expanded."""

    def add(self, value: JsonValue, written: str | None) -> None:
        """Adds the next value where something has a text of its own: this value, or one before it."""
        if written is not None or type(value) in _WRITTEN:
            self._keep_text(written)
        elif isinstance(self.value, WrittenObject):
            self.value.texts.pop(cast(str, self.key), None)  # of a key that stands twice
        if isinstance(self.value, list):
            self.value.append(value)
        else:
            self.value[cast(str, self.key)] = value
            self.key = None

    def _keep_text(self, written: str | None) -> None:
        """Keeps the text of the value that is added next; None of one that holds texts itself."""
        if isinstance(self.value, list):
            if not isinstance(self.value, WrittenArray):
                self.value = WrittenArray(self.value)
            if written is not None:
                self.value.texts[len(self.value)] = written
            return
        if not isinstance(self.value, WrittenObject):
            self.value = WrittenObject(self.value)
        self.value.texts.pop(cast(str, self.key), None)
        if written is not None:
            self.value.texts[cast(str, self.key)] = written


@dataclass(frozen=True, slots=True)
class _Anchored:
    value: JsonValue
    nodes: int
    height: int
    written: str | None = None


class _Builder:
    """Builds one document's value; every method handles the event of that name."""

    def __init__(self, *, max_depth: int, max_nodes: int) -> None:
        self.root: JsonValue = None
        self.warnings: list[str] = []
        self._max_depth = max_depth
        self._max_nodes = max_nodes
        self.texts = 0
        self._nodes = 0
        self._expanded_by_alias = False
        self._stack: list[_Frame] = []
        self._anchors: dict[str, _Anchored | None] = {}

    def scalar(self, event: yaml.ScalarEvent) -> None:
        text = cast(str, event.value)
        plain = cast("tuple[bool, bool]", event.implicit)[0]
        tag = cast("str | None", event.tag)
        frame = self._stack[-1] if self._stack else None
        if frame is not None and frame.key is None and not frame.merges and isinstance(frame.value, dict):
            self._count(1, event)
            self._open_key(frame, frame.value, text, event, merges=plain and text == "<<")
            if event.anchor:
                self._anchors[cast(str, event.anchor)] = _Anchored(text, 1, 0)
            return
        if tag is not None and tag != "!":
            value = _tagged_scalar(text, tag)
        else:
            value = plain_scalar(text) if plain else text
        written = None
        if value is not text and self.texts < MAX_TEXTS:
            written = _text_to_keep(text, value)
            self.texts += written is not None
        self._count(1, event)
        if event.anchor:
            self._anchors[cast(str, event.anchor)] = _Anchored(value, 1, 0, written)
        self._place(value, height=0, event=event, written=written)

    def container(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        frame = self._stack[-1] if self._stack else None
        if frame is not None and isinstance(frame.value, dict) and frame.key is None and not frame.merges:
            raise _failure("A mapping key must be a plain value", event)
        if len(self._stack) >= self._max_depth:
            raise too_deep(self._max_depth)
        self._count(1, event)
        anchor = cast("str | None", event.anchor)
        if anchor:
            self._anchors[anchor] = None
        value: JsonObject | list[JsonValue] = {} if isinstance(event, yaml.MappingStartEvent) else []
        self._stack.append(_Frame(value, anchor, self._nodes - 1))

    def end(self, event: yaml.Event) -> None:
        frame = self._stack.pop()
        if frame.merged and isinstance(frame.value, dict):
            frame.value = _with_merges(frame.value, frame.merged)
        if frame.anchor:
            self._anchors[frame.anchor] = _Anchored(
                frame.value, self._nodes - frame.nodes_before, frame.height
            )
        self._place(frame.value, height=frame.height, event=event)

    def alias(self, event: yaml.AliasEvent) -> None:
        name = cast(str, event.anchor)
        if name not in self._anchors:
            raise _failure(f"The alias *{name} has no anchor", event)
        anchored = self._anchors[name]
        if anchored is None:
            raise DocumentError(
                "yaml_alias_bomb", f"The YAML alias *{name} contains itself{_place_of(event)}."
            )
        self._expanded_by_alias = True
        self._count(anchored.nodes, event)
        if len(self._stack) + anchored.height > self._max_depth:
            raise too_deep(self._max_depth)
        frame = self._stack[-1] if self._stack else None
        if frame is not None and isinstance(frame.value, dict) and frame.key is None and not frame.merges:
            if not isinstance(anchored.value, str):
                raise _failure("A mapping key must be a plain value", event)
            self._open_key(frame, frame.value, anchored.value, event, merges=False)
            return
        self._place(anchored.value, height=anchored.height, event=event, written=anchored.written)

    def _count(self, nodes: int, event: yaml.Event) -> None:
        self._nodes += nodes
        if self._nodes <= self._max_nodes:
            return
        if self._expanded_by_alias:
            raise DocumentError(
                "yaml_alias_bomb",
                f"The YAML aliases expand to more than {self._max_nodes:,} values{_place_of(event)}.",
            )
        raise too_many_nodes(self._max_nodes)

    def _open_key(
        self, frame: _Frame, value: JsonObject, key: str, event: yaml.Event, *, merges: bool
    ) -> None:
        if merges:
            frame.merges = True
            return
        if key in value and len(self.warnings) < _MAX_WARNINGS:
            where = _place_of(event)
            self.warnings.append(
                f"The key {quote_text(key)} appears twice in one mapping{where}; the last one counts."
            )
        frame.key = key

    def _place(self, value: JsonValue, *, height: int, event: yaml.Event, written: str | None = None) -> None:
        if not self._stack:
            self.root = value
            return
        frame = self._stack[-1]
        frame.height = max(frame.height, height + 1)
        if frame.merges:
            frame.merged.extend(_merge_sources(value, event))
            frame.merges = False
        elif written is not None or type(value) in _WRITTEN or type(frame.value) in _WRITTEN:
            frame.add(value, written)
        elif isinstance(frame.value, list):
            frame.value.append(value)
        else:
            frame.value[cast(str, frame.key)] = value
            frame.key = None


def _merge_sources(value: JsonValue, event: yaml.Event) -> list[JsonObject]:
    sources = value if isinstance(value, list) else [value]
    mappings = [source for source in sources if isinstance(source, dict)]
    if len(mappings) != len(sources):
        raise _failure("A merge key (<<) takes a mapping or a list of mappings", event)
    return mappings


def _with_merges(own: JsonObject, sources: list[JsonObject]) -> JsonObject:
    """`own` with what `sources` have: own keys win, then earlier sources; merged keys come first."""
    merged: JsonObject = {}
    texts: dict[str, str] = {}
    parts = (*reversed(sources), own)
    for part in parts:
        merged |= part
        texts = {key: text for key, text in texts.items() if key not in part}
        texts |= part.texts if isinstance(part, WrittenObject) else {}
    return WrittenObject(merged, texts) if any(isinstance(part, WrittenObject) for part in parts) else merged


def _place_of(event: yaml.Event) -> str:
    mark = cast("yaml.Mark | None", event.start_mark)
    return f" (line {mark.line + 1}, column {mark.column + 1})" if mark is not None else ""


def _failure(message: str, event: yaml.Event) -> DocumentError:
    return DocumentError("not_json_or_yaml", f"{message}{_place_of(event)}.")


def too_deep(max_depth: int) -> DocumentError:
    """The error for nesting beyond the limit."""
    return DocumentError("too_deep", f"The document is nested more than {max_depth} levels deep.")


def too_many_nodes(max_nodes: int) -> DocumentError:
    """The error for more values than the limit."""
    return DocumentError("too_large", f"The document holds more than {max_nodes:,} values.")


def read_yaml(text: str, *, max_depth: int, max_nodes: int) -> tuple[JsonValue, list[str]]:
    """The value of the first YAML document in `text`, and warnings.

    Time grows with the text, not with the expansion of its aliases.

    Raises:
        DocumentError: not YAML, too deep, too many values, or aliases that expand beyond `max_nodes`.
    """
    builder = _Builder(max_depth=max_depth, max_nodes=max_nodes)
    try:
        _feed(builder, text)
    except (yaml.YAMLError, UnicodeError) as error:
        if LIBYAML_DEPTH in str(error):
            raise too_deep(max_depth) from error
        raise DocumentError("not_json_or_yaml", _explain(error)) from error
    too_many = [TOO_MANY_TEXTS] if builder.texts == MAX_TEXTS else []
    return builder.root, builder.warnings + too_many


def _feed(builder: _Builder, text: str) -> None:
    takers: dict[type[object], Callable[[yaml.Event], None]] = {
        yaml.ScalarEvent: cast("Callable[[yaml.Event], None]", builder.scalar),
        yaml.MappingStartEvent: cast("Callable[[yaml.Event], None]", builder.container),
        yaml.SequenceStartEvent: cast("Callable[[yaml.Event], None]", builder.container),
        yaml.MappingEndEvent: builder.end,
        yaml.SequenceEndEvent: builder.end,
        yaml.AliasEvent: cast("Callable[[yaml.Event], None]", builder.alias),
    }
    loader = _LOADER(text)
    try:
        while (event := loader.get_event()) is not None and not isinstance(event, _ENDS):
            take = takers.get(type(event))
            if take is not None:
                take(event)
    finally:
        loader.dispose()


def _explain(error: Exception) -> str:
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
        return (
            f"The text is neither JSON nor YAML{place}: {error.problem or error.context or 'syntax error'}."
        )
    return f"The text is neither JSON nor YAML: {str(error).splitlines()[0]}."
