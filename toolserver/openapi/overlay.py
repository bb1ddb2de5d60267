"""Reads and applies OpenAPI Overlays, 1.0 and 1.1: edits of a document that other tools know, too.

Receives the texts of overlays and the root of a document or tool list; gives the edited root. Fetches
nothing: `extends` names a document and is passed over, and a `$ref` inside an update is data. Knows nothing
of OpenAPI. Overlay 1.1.0 §4.4, read 2026-11-30; 1.0 is applied by the same rules.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice
from typing import TypeAlias, cast

import jsonpath
from jsonpath.segments import JSONPathChildSegment
from jsonpath.selectors import NameSelector

from toolserver.errors import OverlayError, quote_text
from toolserver.json_types import JsonObject, JsonValue, dump_json, object_at, scalar_text_at, written_member
from toolserver.openapi.document import Document, DocumentLimits, parse_document, read_value
from toolserver.openapi.edited_tree import EditedTree, Incompatible, Location, kind_of
from toolserver.openapi.edits import IdleEdit

MAX_ACTIONS = 1_000
"""Maximum number of actions of all overlays of a document."""

MAX_SELECTED = 100_000
"""Maximum number of nodes that all their targets select."""

MAX_TEXT_BYTES = 1024 * 1024
"""Maximum size of one overlay's text in UTF-8 bytes."""

MAX_TARGET_CHARS = 4_000

MAX_TARGET_STEPS = 300
"""Maximum number of steps and terms of a JSONPath; with more it might depend on Python what becomes of it."""

MAX_TARGET_NESTING = 50
"""Maximum number of brackets within each other in a JSONPath."""

_VERSION = re.compile(r"1\.[01](\.\d+)?")

_FIELDS = frozenset(("target", "description", "update", "copy", "remove"))

_Place: TypeAlias = tuple[str, ...]


class _Paths(jsonpath.JSONPathEnvironment):
    """JSONPath as RFC 9535 has it, and nothing more."""

    max_recursion_depth = 512  # a document's own limit of nesting is below


_PATHS = _Paths(strict=True)


@dataclass(frozen=True, slots=True)
class Action:
    """One action of an overlay."""

    named: str
    """Which one it is: "Action 2 of the overlay 'Shop'"."""
    pointer: str
    """Its place in its overlay."""
    target: jsonpath.JSONPath
    target_text: str
    digest: str
    """Hex SHA-256 of the action."""
    removes: bool = False
    copies: jsonpath.JSONPath | None = None
    update: JsonObject = field(default_factory=dict[str, JsonValue])
    """The action itself if it has an update, as it holds how a plain value is written; otherwise empty."""

    def failure(self, why: str) -> OverlayError:
        """The error of an action that cannot be applied."""
        message = f"{self.named} cannot be applied: {why}"
        return OverlayError("overlay_failed", message, pointer=self.pointer)

    def as_idle(self) -> IdleEdit:
        """The action as one that found nothing."""
        text = f"{self.named} changes nothing: nothing is at {quote_text(self.target_text)}."
        return IdleEdit(text, self.digest, _place_of(self.target))


@dataclass(frozen=True, slots=True)
class Overlays:
    """The overlays of one document, in order; implements `DocumentEdits`."""

    actions: tuple[Action, ...]
    digest: str
    limits: DocumentLimits

    def edit_root(self, root: JsonObject) -> tuple[JsonObject, tuple[IdleEdit, ...]]:
        """Apply every action to the result of the one before.

        Raises:
            OverlayError: `overlay_failed`, with the action and the reason; too_deep or too_large.
        """
        work = _Work(EditedTree(root, self.limits))
        idle = tuple(action.as_idle() for action in self.actions if not work.apply_action(action))
        edited = work.tree.root
        if not isinstance(edited, dict):
            raise OverlayError("overlay_failed", "The overlays leave no object of the document.")
        work.tree.check_size()
        return edited, idle


def parse_overlays(texts: Sequence[str | bytes], *, limits: DocumentLimits | None = None) -> Overlays:
    """Read overlays in JSON or YAML. `limits` are those of the document that they will edit.

    Raises:
        OverlayError: `invalid_overlay`, with the action and the reason.
        DocumentError: a text is neither JSON nor YAML, or is too large or too deep.
    """
    limits = limits or DocumentLimits()
    actions: list[Action] = []
    hashed = hashlib.sha256()
    for number, text in enumerate(texts, 1):
        written = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
        hashed.update(hashlib.sha256(written).digest())
        actions += _actions_of(_read(written, number), number)
        if len(actions) > MAX_ACTIONS:
            raise OverlayError("invalid_overlay", f"The overlays have more than {MAX_ACTIONS:,} actions.")
    return Overlays(tuple(actions), hashed.hexdigest(), limits)


def parse_edited_document(text: str | bytes, overlays: Sequence[str | bytes]) -> Document:
    """The document of a text as its overlays leave it; none leave it as it is.

    Raises:
        DocumentError: as `parse_document`.
        OverlayError: as `parse_overlays` and `Overlays.edit_root`.
    """
    return parse_document(text, edits=parse_overlays(overlays) if overlays else None)


@dataclass(slots=True)
class _Work:
    """The application of overlays to one document."""

    tree: EditedTree
    selected: int = 0

    def apply_action(self, action: Action) -> bool:
        """Apply one action; returns whether its target selected anything."""
        found = self._select(action, action.target, action.target_text)
        if found and action.removes:
            self._remove(action, list(found))
        elif found and action.copies is not None:
            self._copy(action, action.copies, found)
        elif found and action.update:
            value, text = action.update["update"], written_member(action.update, "update")
            self._merge(action, found, value, text)
        return bool(found)

    def _select(self, action: Action, query: jsonpath.JSONPath, query_text: str) -> dict[Location, JsonValue]:
        """The nodes of a query by location, each once."""
        found: dict[Location, JsonValue] = {}
        try:
            for match in islice(query.finditer(cast("dict[str, object]", self.tree.root)), MAX_SELECTED + 1):
                self.selected += 1
                if self.selected > MAX_SELECTED:
                    raise action.failure(f"the overlays select more than {MAX_SELECTED:,} places.")
                found[match.parts] = cast(JsonValue, match.obj)
        except jsonpath.JSONPathError as error:
            why = f"{quote_text(query_text)} cannot be evaluated: {_first_line(error)}."
            raise action.failure(why) from None
        return found

    def _remove(self, action: Action, locations: list[Location]) -> None:
        if () in locations:
            raise action.failure("the whole document cannot be removed.")
        self.tree.remove_nodes(locations)

    def _copy(self, action: Action, query: jsonpath.JSONPath, found: dict[Location, JsonValue]) -> None:
        sources = list(self._select(action, query, str(query)))
        if len(sources) != 1:
            raise action.failure(f"what it copies has to be one node, and {len(sources):,} are there.")
        value, text = self.tree.read_node(sources[0])
        self._merge(action, found, value, text)
        self.tree.share_all()

    def _merge(
        self, action: Action, found: dict[Location, JsonValue], value: JsonValue, text: str | None
    ) -> None:
        kinds = {kind_of(node) for node in found.values()}
        if len(kinds) > 1:
            raise action.failure(f"its target selects {_and(sorted(kinds))}, which cannot be changed alike.")
        try:
            self.tree.count_merge(value, len(found))
            for location in found:
                self.tree.merge_node(location, value, text)
        except Incompatible as error:
            raise action.failure(str(error)) from None


def _read(text: bytes, number: int) -> JsonObject:
    if len(text) > MAX_TEXT_BYTES:
        raise OverlayError("invalid_overlay", f"Overlay {number} is larger than {MAX_TEXT_BYTES:,} bytes.")
    root = read_value(text)
    version = scalar_text_at(root, "overlay") if isinstance(root, dict) else ""
    if not isinstance(root, dict) or not version:
        message = f'Overlay {number} is not an OpenAPI Overlay: it has no "overlay" version.'
        raise OverlayError("invalid_overlay", message)
    if not _VERSION.fullmatch(version):
        message = f"Overlay {number} is of version {quote_text(version)}; 1.0 and 1.1 are supported."
        raise OverlayError("invalid_overlay", message, pointer="#/overlay")
    return root


def _actions_of(root: JsonObject, number: int) -> Iterator[Action]:
    title = scalar_text_at(object_at(root, "info"), "title")
    named = f"the overlay {quote_text(title)}" if title else f"overlay {number}"
    actions = root.get("actions")
    if not isinstance(actions, list):
        message = f"{named[:1].upper()}{named[1:]} has no array of actions."
        raise OverlayError("invalid_overlay", message, pointer="#/actions")
    for index, written in enumerate(islice(actions, MAX_ACTIONS + 1)):
        reader = _ActionReader(f"Action {index + 1} of {named}", f"#/actions/{index}")
        yield reader.read(written)


@dataclass(frozen=True, slots=True)
class _ActionReader:
    """Reads one action."""

    named: str
    pointer: str

    def read(self, written: JsonValue) -> Action:
        """The action of a value; raises OverlayError."""
        if not isinstance(written, dict):
            raise self._invalid("it is not an object.")
        for name in written:
            if name not in _FIELDS and not name.startswith("x-"):
                raise self._invalid(f"an action has no field {quote_text(name)}.")
        target = written.get("target")
        if not isinstance(target, str):
            raise self._invalid('it has no "target".')
        removes = written.get("remove", False)
        if not isinstance(removes, bool):
            raise self._invalid('"remove" is neither true nor false.')
        if "update" in written and "copy" in written:
            raise self._invalid('it has both "update" and "copy".')
        copied = written.get("copy")
        if copied is not None and not isinstance(copied, str):
            raise self._invalid('"copy" is not a JSONPath.')
        return Action(
            self.named,
            self.pointer,
            self._path(target),
            target,
            hashlib.sha256(dump_json(written)).hexdigest(),
            removes,
            None if copied is None else self._path(copied),
            written if "update" in written else {},
        )

    def _path(self, text: str) -> jsonpath.JSONPath:
        if len(text) > MAX_TARGET_CHARS:
            raise self._invalid(f"a JSONPath is longer than {MAX_TARGET_CHARS:,} characters.")
        if sum(map(text.count, ".[|&")) > MAX_TARGET_STEPS or _nesting_of(text) > MAX_TARGET_NESTING:
            raise self._invalid(f"the JSONPath {quote_text(text)} has too many steps, or nests too deeply.")
        try:
            path = _PATHS.compile(text)
        except (jsonpath.JSONPathError, OverflowError) as error:
            why = f"{quote_text(text)} is not a JSONPath of RFC 9535: {_first_line(error)}."
            raise self._invalid(why) from None
        if not isinstance(path, jsonpath.JSONPath):
            raise self._invalid(f"{quote_text(text)} is more than one JSONPath.")
        return path

    def _invalid(self, why: str) -> OverlayError:
        return OverlayError("invalid_overlay", f"{self.named} is not valid: {why}", pointer=self.pointer)


def _place_of(path: jsonpath.JSONPath) -> _Place:
    names: list[str] = []
    for segment in path.segments:
        selectors = tuple(segment.selectors) if isinstance(segment, JSONPathChildSegment) else ()
        if len(selectors) != 1 or not isinstance(selectors[0], NameSelector):
            break
        names.append(selectors[0].name)
    return tuple(names)


def _nesting_of(text: str) -> int:
    """How many brackets of a JSONPath are within each other; those in quotes count, too."""
    changes = (1 if char in "([" else -1 for char in text if char in "([)]")
    return max(accumulate(changes), default=0)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0].rstrip(".")[:200]


def _and(names: Sequence[str]) -> str:
    return ", ".join(names[:-1]) + f" and {names[-1]}"
