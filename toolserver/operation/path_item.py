"""Finds the operations of a document, and the reasons why some cannot be used.

Receives a `Document`; gives one `PathMethod` per method of a path, in document order, or a `Skipped` with the
reason. Callbacks and webhooks are ignored: they are requests that the API sends. Knows which methods a
browser can send, and nothing of the contents of an operation.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec import Struct

from toolserver.errors import ReferenceFailed, quote_text
from toolserver.json_types import JsonObject, JsonValue, object_at
from toolserver.openapi.document import Document

_METHODS = {
    name: name.upper() for name in ("get", "put", "post", "delete", "options", "head", "patch", "trace")
}
"""Fields of a path item that hold operations, and the methods as they are sent."""

_ADDED_IN_3_2 = ("query", "additionalOperations")
_SHARED = frozenset(("parameters", "servers", "summary", "description"))
_FIELDS = _SHARED.union(_METHODS, _ADDED_IN_3_2)
_FORBIDDEN_METHODS = frozenset(("CONNECT", "TRACE", "TRACK"))
"""Forbidden methods of the Fetch standard (§2.2.1)."""

_METHOD = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,40}")
_MAX_METHOD_CHARS = 40
_MAX_QUOTED_PATH_CHARS = 200
MAX_PATH_BYTES = 2_000
"""Maximum bytes of a path: hardly any server takes more, and a database must find an operation by method and
path."""

_MAX_BYTES_PER_CHARACTER = 4
_EXPRESSION = re.compile(r"\{([^{}]+)\}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_QUERY_OR_FRAGMENT = re.compile(r"[?#].*", re.DOTALL)
_ENCODED = re.compile(r"%(2e|2f|5c|25)", re.IGNORECASE)
_MAX_DECODINGS = 5
"""Rounds of percent-decoding in the search for dot segments, as in `static/request/request_url.js`."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """An operation that became no tool."""

    method: str
    path: str
    reason: str
    """A sentence for people."""


class UnusableOperation(Exception):
    """Ends the reading of one operation; the exception's text is the reason."""


class _Refusal(NamedTuple):
    """Why no operation of a path can be used."""

    shown_path: str
    reason: str


class PathItem(Struct, gc=False):
    """A path and its path item."""

    path: str
    expressions: tuple[tuple[str, str], ...]
    """Names in the braces of the path, each once, paired with "path": the key of their parameters."""
    node: JsonObject
    refusal: _Refusal | None


class PathMethod(Struct, gc=False):
    """One method of one path item, while it is read."""

    method: str
    item: PathItem
    node: JsonObject
    warnings: list[str]


@dataclass(slots=True)
class _Finder:
    document: Document
    fields: dict[int, tuple[str, ...]] = field(default_factory=dict[int, tuple[str, ...]])
    """The relevant fields of a path item, by its identity: thousands of paths may refer to one with thousands
    of other fields."""

    def find(self, path: str, entry: JsonValue) -> list[PathMethod | Skipped]:
        if not isinstance(entry, dict):
            return [Skipped("*", path, "The path item is not an object.")]
        item = entry
        if "$ref" in entry:
            try:
                target = self.document.follow_refs(entry)
            except ReferenceFailed as error:
                return [Skipped("*", path, error.message)]
            if not isinstance(target, dict):
                return [Skipped("*", path, "The path item refers to something that is not an object.")]
            item = self._joined(target, entry)
        expressions = expressions_of(path) if "{" in path else ()
        return self._operations(PathItem(path, expressions, item, _refusal_of(path)))

    def _joined(self, target: JsonObject, entry: JsonObject) -> JsonObject:
        """Both items merged; fields beside a `$ref` win over the referenced ones."""
        return {name: holder[name] for holder in (target, entry) for name in self._fields_of(holder)}

    def _fields_of(self, item: JsonObject) -> tuple[str, ...]:
        if id(item) not in self.fields:
            self.fields[id(item)] = tuple(
                name for name in item if name in _FIELDS or name.lower() in _METHODS
            )
        return self.fields[id(item)]

    def _operations(self, item: PathItem) -> list[PathMethod | Skipped]:
        found: list[PathMethod | Skipped] = []
        for name, node in item.node.items():
            method = _METHODS.get(name)
            if method is not None:
                found.append(_place(method, item, node))
            elif name not in _SHARED:
                found += self._others(name, item, node)
        return found

    def _others(self, name: str, item: PathItem, node: JsonValue) -> Iterable[PathMethod | Skipped]:
        if name in _ADDED_IN_3_2 and self.document.version == "3.2":
            return [_place("QUERY", item, node)] if name == "query" else _additional(item)
        if name.lower() not in _METHODS:
            return ()
        reason = f"{quote_text(name)} is not a field of a path item; methods are lower case."
        return [Skipped(name.upper(), item.path, reason)]


def expressions_of(path: str) -> tuple[tuple[str, str], ...]:
    """The names in the braces of a path, as `PathItem.expressions` has them."""
    names = _EXPRESSION.findall(path)
    return (
        ((names[0], "path"),) if len(names) == 1 else tuple([(name, "path") for name in dict.fromkeys(names)])
    )


def find_places(document: Document) -> Iterator[PathMethod | Skipped]:
    """Every operation of `paths`; extensions among its keys are left out."""
    finder = _Finder(document)
    try:
        paths = document.follow_refs(document.root.get("paths"))
    except ReferenceFailed as error:
        yield Skipped("*", "*", error.message)
        return
    for path, entry in paths.items() if isinstance(paths, dict) else ():
        if not path.startswith("x-"):
            yield from finder.find(path, entry)


def _additional(item: PathItem) -> Iterator[PathMethod | Skipped]:
    """Operations of methods that have no field of their own; the methods keep their case."""
    for method, node in object_at(item.node, "additionalOperations").items():
        if method.lower() in (*_METHODS, "query"):
            reason = (
                f"{quote_text(method)} has a field of its own and must not stand in additionalOperations."
            )
            yield Skipped(method, item.path, reason)
        elif not _METHOD.fullmatch(method):
            yield Skipped(
                method[:_MAX_METHOD_CHARS], item.path, f"{quote_text(method)} is not an HTTP method."
            )
        else:
            yield _place(method, item, node)


def _place(method: str, item: PathItem, node: JsonValue) -> PathMethod | Skipped:
    if not isinstance(node, dict):
        return Skipped(method, item.path, "The operation is not an object.")
    if method.upper() in _FORBIDDEN_METHODS:
        return Skipped(method, item.path, f"A browser cannot send {method.upper()} requests.")
    if item.refusal is not None:
        return Skipped(method, item.refusal.shown_path, item.refusal.reason)
    return PathMethod(method, item, node, [])


def _refusal_of(path: str) -> _Refusal | None:
    if reason := leads_elsewhere(path):
        return _Refusal(_CONTROL.sub(_escape, path), reason)
    is_long = len(path) > MAX_PATH_BYTES // _MAX_BYTES_PER_CHARACTER
    if is_long and len(path.encode("utf-8", "surrogatepass")) > MAX_PATH_BYTES:
        reason = f"The path is longer than {MAX_PATH_BYTES:,} bytes."
        return _Refusal(f"{path[:_MAX_QUOTED_PATH_CHARS]}…", reason)
    return None


def _is_unsuspicious(path: str) -> bool:
    """Whether a path needs no second look, as nearly all: it has no character that could lead elsewhere."""
    return (
        path.isprintable()
        and path.startswith("/")
        and not path.startswith("//")
        and not ("\\" in path or "%" in path or "/." in path)
    )


def leads_elsewhere(path: str) -> str:
    """Why a browser would send requests of this path to another one, as a sentence; "" if it would not."""
    if _is_unsuspicious(path):
        return ""
    if not path.startswith("/"):
        return 'The path does not begin with "/".'
    if _CONTROL.search(path):
        return "The path holds a control character."
    literal = _EXPRESSION.sub("x", _QUERY_OR_FRAGMENT.sub("", path))
    if "\\" in literal:
        return 'The path holds a backslash, which a browser reads as "/".'
    if literal.startswith("//"):
        return 'The path begins with "//", behind which a browser reads the name of a host.'
    if segment := _dot_segment(literal):
        return f'The path holds the segment "{segment}": a browser would send the request to another path.'
    return ""


def _dot_segment(path: str) -> str:
    """The first "." or ".." among the segments, percent-decoded as often as servers might; "" for none."""
    for _ in range(_MAX_DECODINGS):
        for segment in re.split(r"[/\\]", path):
            if segment in (".", ".."):
                return segment
        if "%" not in path:
            break
        path = _ENCODED.sub(lambda triple: chr(int(triple[1], 16)), path)
    return ""


def _escape(control: re.Match[str]) -> str:
    return f"\\x{ord(control[0]):02x}"
