"""Parses the text of an OpenAPI document, or a list of MCP tools, into a value with references that resolve.

Receives text; gives a `Document`: its root, version, digest and `resolve_ref`. Knows the envelope (openapi,
info; mcp, server) and references, not paths, tools, operations or schemas. Does not validate, on purpose:
many documents in use break the rules somewhere, and one broken place must not cost the whole document.
"""

import hashlib
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import cast
from urllib.parse import unquote

from toolserver.errors import DocumentError, ReferenceFailed, limit_warnings, quote_text
from toolserver.json_types import (
    MAX_NESTING,
    JsonObject,
    JsonValue,
    object_at,
    scalar_text_at,
    text_at,
)
from toolserver.openapi.document_marks import mark_document
from toolserver.openapi.edits import EXTENSION, DocumentEdits, IdleEdit
from toolserver.openapi.foreign_formats import name_root, name_text
from toolserver.openapi.json_pointer import token_key
from toolserver.openapi.references import rebase_references, walk_containers
from toolserver.openapi.source_text import SourceText
from toolserver.openapi.source_value import read_source
from toolserver.openapi.swagger import convert_envelope
from toolserver.openapi.written_scalars import TEXTS_FIELD, restore_texts

_MAX_HOPS = 100
"""Maximum number of references followed in a row before a chain counts as circular; no real document comes
near."""

_MAX_REFERENCE_CHARS = 4000

MAX_PROSE_CHARS = 50_000
"""Maximum characters of one summary or description; no model reads more, and it would only cost time."""

_MAX_WARNINGS = 50

OMITTED_FIELD = "x-left-out"
"""Field of the root in which `bundle` records why files are missing, by reference."""

_FAMILIES = ("3.0", "3.1", "3.2")
_SINCE_3_1 = ("3.1", "3.2")
"""Families in which `$id` is a base, as in JSON Schema, and a description beside a reference counts."""

SWAGGER = "2.0"
MCP = "mcp"
"""Family of a tool list: what a page read from an MCP server (`docs/reference/request-plan.md`)."""


UNTITLED = "Untitled API"
"""Title of a document without one; a name is what users click on."""


@dataclass(frozen=True, slots=True)
class DocumentLimits:
    """Limits on a document. The largest in use known to us has 20 MB and 11,422 operations."""

    max_bytes: int = 32 * 1024 * 1024
    """Maximum size of the text in UTF-8 bytes."""
    max_depth: int = MAX_NESTING
    """Maximum nesting depth, YAML aliases expanded."""
    max_nodes: int = 5_000_000
    """Maximum number of values (and, in YAML, keys), aliases expanded."""
    max_operations: int = 20_000
    max_parameters: int = 300_000
    """Maximum number of all operations' parameters, shared ones counted each time; later operations are
    skipped."""
    max_compiled_bytes: int = 256 * 1024 * 1024
    """Maximum size of all tools' schemas, plans and descriptions; shared parts count each time they
    appear."""
    max_schema_steps: int = 10_000_000
    """Maximum work for all tools' schemas together (see `toolserver.schema.steps`), ten seconds or so. The
    largest of 62 known to us takes 9,000."""


@dataclass(frozen=True, slots=True)
class Document:
    """One parsed OpenAPI document, or list of MCP tools.

    `root` may share nodes (YAML aliases): treat everything in it as read-only.
    """

    root: JsonObject
    """The root; for a Swagger 2.0 document converted to OpenAPI 3.0, except for the paths; of a tool list
    only its endpoint, as a server."""
    version: str
    """Family of the version: "2.0" (Swagger), "3.0", "3.1" or "3.2"; `MCP`."""
    openapi: str
    """The version as written, such as "3.0.3" or "2.0"; of a tool list the protocol version."""
    title: str
    version_text: str
    """`info.version`."""
    description: str
    digest: str
    """Hex SHA-256 of the text with LF line ends and without a byte order mark, and of its edits; equal texts
    with equal edits have equal digests."""
    warnings: tuple[str, ...]
    limits: DocumentLimits
    written: JsonObject = field(repr=False)
    """The root as written and edited, which references point into."""
    unedited: JsonObject | None = field(default=None, repr=False)
    """The root without edits, whose nodes `written` shares where they change nothing; None: not edited."""
    idle_edits: tuple[IdleEdit, ...] = ()
    """Edits that found nothing to change."""
    may_edit: bool = False
    """Whether it may say more of a tool than OpenAPI does: then arguments are looked at for that."""
    _names: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue], repr=False, compare=False)
    _resolved: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue], repr=False, compare=False)
    _holders: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject], repr=False, compare=False)
    """What holds the targets of plain pointers: nearly all references name a part of few objects."""

    def resolve_ref(self, ref: str) -> JsonValue:
        """The node that `ref` names: by JSON pointer ("#/components/…"), `$anchor` or `$id` of this document.

        The node may itself be a reference; `follow_refs` goes to the end of a chain. Never loops, never
        leaves the document.

        Raises:
            ReferenceFailed: external_reference, unresolved_reference or circular_reference.
        """
        if ref in self._resolved:
            return self._resolved[ref]
        if len(ref) > _MAX_REFERENCE_CHARS:
            raise _unresolved(ref, f"it is longer than {_MAX_REFERENCE_CHARS} characters")
        node = self._resolved[ref] = self._step_down(ref) or self._look_up(ref, itertools.count())
        return node

    def follow_refs(self, node: JsonValue) -> JsonValue:
        """The node at the end of the chain of `$ref`s from `node`; `node` itself if it is no reference.

        Raises:
            ReferenceFailed: as `resolve_ref`, and circular_reference for a chain that returns to itself.
        """
        ref = node.get("$ref") if isinstance(node, dict) else None
        hops = 0
        while isinstance(ref, str):
            if hops == _MAX_HOPS:
                raise _circular(ref)
            node = self._resolved[ref] if ref in self._resolved else self.resolve_ref(ref)
            ref = node.get("$ref") if isinstance(node, dict) else None
            hops += 1
        return node

    def description_beside(self, node: JsonValue) -> str:
        """What overrides the description of that which a reference leads to (OpenAPI 3.1.2 §4.8.23).

        "" for none, before 3.1, and for what is no reference. Raises as `follow_refs`, and only if that does.
        """
        if self.version not in _SINCE_3_1:
            return ""
        description, hops = "", 0
        while isinstance(node, dict) and (ref := reference_of(node)) is not None and hops < _MAX_HOPS:
            if description := text_at(node, "description"):
                break
            node = self.resolve_ref(ref)
            hops += 1
        return description

    def with_root(self, root: JsonObject) -> "Document":
        """A document of which nothing but `root` is left to refer to."""
        return replace(self, root=root, written=root, _names={}, _resolved={}, _holders={})

    @property
    def is_edited(self) -> bool:
        """Whether overlays of the server's owner edit it."""
        return self.unedited is not None

    def before_edits(self) -> "Document | None":
        """The same document as its author gave it; None: nothing edits it."""
        if self.unedited is None:
            return None
        before = replace(self.with_root(self.unedited), unedited=None, idle_edits=())
        return replace(before, root=convert_envelope(self.unedited)) if self.version == SWAGGER else before

    def refers_into_paths(self) -> bool:
        """Whether a reference that was followed names, or may name, something below `paths`."""
        return not all(ref.startswith("#/") and not ref.startswith(_IN_PATHS) for ref in self._resolved)

    def _step_down(self, ref: str) -> JsonObject | None:
        """The object at the end of a plain pointer, the usual case; None for any other reference."""
        if "%" in ref or "~" in ref:
            return None
        pointer, _, token = ref.rpartition("/")
        holder = self._holders.get(pointer)
        if holder is None:
            holder = self._holders[pointer] = self._object_at(pointer)
        node = holder.get(token)
        return node if isinstance(node, dict) else None

    def _object_at(self, pointer: str) -> JsonObject:
        start, *tokens = pointer.split("/")
        node: JsonValue = self.written if start == "#" else None
        for token in tokens:
            node = node.get(token) if isinstance(node, dict) else None
        return node if isinstance(node, dict) else {}

    def _look_up(self, ref: str, hops: Iterator[int]) -> JsonValue:
        """The node of a reference; all steps share one hop counter, as a limit per branch is exponential."""
        base, _, fragment = ref.partition("#")
        start: JsonValue = self.written
        if base and base != text_at(self.written, "$self"):
            start = self._named(base, ref)
        if not fragment:
            return start
        if not fragment.startswith("/"):
            return self._named("#" + unquote(fragment), ref)
        node = start
        for token in fragment[1:].split("/"):
            while not _has(node, token) and (onward := reference_of(node)) is not None:
                if next(hops) >= _MAX_HOPS:
                    raise _circular(ref)
                node = self._look_up(onward, hops)
            node = _step(node, token, ref)
        return node

    def _named(self, name: str, ref: str) -> JsonValue:
        if not self._names:
            self._names.update(_named_nodes(self.written))
            self._names.setdefault("", None)
        if name in self._names:
            return self._names[name]
        if name.startswith("#"):
            raise _unresolved(ref, "nothing has that name")
        reason = text_at(object_at(self.written, OMITTED_FIELD), name)
        raise ReferenceFailed(
            "external_reference",
            f"The reference {quote_text(ref)} leads to another file, which "
            + (f"is left out: {reason}" if reason else "did not come with it."),
            pointer=ref,
        )


def reference_of(node: JsonValue) -> str | None:
    """The `$ref` of a reference object, None for every other node."""
    if isinstance(node, dict):
        ref = node.get("$ref")
        return ref if isinstance(ref, str) else None
    return None


def schema_reference_of(node: JsonValue) -> str | None:
    """The `$ref` of a schema, else its `$dynamicRef`, which is treated as if nothing overrode its anchor."""
    if not isinstance(node, dict):
        return None
    ref = node.get("$ref")
    if ref is None:
        ref = node.get("$dynamicRef")
    return ref if isinstance(ref, str) else None


def _circular(ref: str) -> ReferenceFailed:
    return ReferenceFailed(
        "circular_reference", f"The reference {quote_text(ref)} leads back to itself.", pointer=ref
    )


def _unresolved(ref: str, why: str) -> ReferenceFailed:
    message = f"The reference {quote_text(ref)} leads nowhere: {why}."
    return ReferenceFailed("unresolved_reference", message, pointer=ref)


def _spellings(token: str) -> Iterator[str]:
    """The keys a token may mean: percent-decoded as RFC 6901 §6 asks, else as written (authors forget)."""
    yield token_key(unquote(token))
    if "%" in token:
        yield token_key(token)


def _has(node: JsonValue, token: str) -> bool:
    return isinstance(node, list) or (
        isinstance(node, dict) and any(spelling in node for spelling in _spellings(token))
    )


def _step(node: JsonValue, token: str, ref: str) -> JsonValue:
    if isinstance(node, dict):
        for spelling in _spellings(token):
            if spelling in node:
                return node[spelling]
    elif isinstance(node, list) and re.fullmatch(r"0|[1-9][0-9]{0,8}", token) and int(token) < len(node):
        return node[int(token)]
    raise _unresolved(ref, f"there is no {quote_text(next(_spellings(token)))}")


def _named_nodes(root: JsonObject) -> dict[str, JsonValue]:
    """Every node with an `$anchor` (as "#name") or an absolute `$id`; of duplicates the first counts."""
    named: dict[str, JsonValue] = {}
    for _, level in walk_containers(root):
        for container in level:
            if not isinstance(container, dict):
                continue
            for keyword, prefix in (("$anchor", "#"), ("$dynamicAnchor", "#"), ("$id", "")):
                name = container.get(keyword)
                if isinstance(name, str):
                    named.setdefault(prefix + name.removesuffix("#"), container)
    return named


def parse_document(
    text: str | bytes, *, limits: DocumentLimits | None = None, edits: DocumentEdits | None = None
) -> Document:
    """Parses an OpenAPI document or a tool list, in JSON or else YAML, as `edits` leave it.

    Time is bounded by the size of the text; 3.7 MB of JSON take about 30 ms.

    Bytes must be UTF-8 and are faster than a string.

    Raises:
        DocumentError: the text cannot be used at all; see the class for the codes.
    """
    limits = limits or DocumentLimits()
    source = SourceText(text, limits.max_bytes)
    root, warnings = read_source(source, max_depth=limits.max_depth, max_nodes=limits.max_nodes)
    if not isinstance(root, dict):
        raise _not_a_document(source, root, "its root is not an object")
    digest = hashlib.sha256(source.encoded).hexdigest()
    if TEXTS_FIELD in root and not is_tool_list(root):
        root = cast(JsonObject, restore_texts(root, root[TEXTS_FIELD]))
    unedited, idle = None, ()
    if edits is not None:
        unedited = root
        digest = hashlib.sha256(f"{digest} {edits.digest}".encode()).hexdigest()
        root, idle = edits.edit_root(mark_document(root))
        warnings += [edit.text for edit in idle]
    may_edit = edits is not None or EXTENSION.encode() in source.encoded
    if is_tool_list(root):
        listed = _tool_list(root, digest, limit_warnings(warnings, _MAX_WARNINGS), limits)
        return replace(listed, unedited=unedited, idle_edits=idle, may_edit=may_edit)
    openapi, family = _versions(source, root)
    if family in _SINCE_3_1:
        has_ids = b"$id" in source.encoded
        root = rebase_references(root) if has_ids or edits is not None else root
        unedited = rebase_references(unedited) if has_ids and unedited is not None else unedited
    info = object_at(root, "info")
    if not isinstance(root.get("paths"), dict):
        warnings.append("The document has no paths, so there is nothing to call.")
    for name, reason in object_at(root, OMITTED_FIELD).items():
        warnings.append(f"The file {quote_text(name)} is left out: {reason}")
    document = Document(
        root=root,
        written=root,
        version=family,
        openapi=openapi,
        title=_shown(text_at(info, "title")) or UNTITLED,
        version_text=_shown(scalar_text_at(info, "version")),
        description=text_at(info, "description"),
        digest=digest,
        warnings=limit_warnings(warnings, _MAX_WARNINGS),
        limits=limits,
        unedited=unedited,
        idle_edits=idle,
        may_edit=may_edit,
    )
    return replace(document, root=convert_envelope(root)) if family == SWAGGER else document


_IN_PATHS = ("#/paths", "#/%")
"""What references begin with that lead below `paths`, as written or encoded."""

_JOINERS = "\u200c\u200d"
"""Words of Persian and Hindi are written with them."""


def _shown(name: str) -> str:
    """A name in one line, without what nobody sees in it: users decide by it whom they trust."""
    return "".join(char for char in " ".join(name.split()) if char.isprintable() or char in _JOINERS)


def is_tool_list(root: JsonValue) -> bool:
    """Whether the root of a text is that of a tool list."""
    return isinstance(root, dict) and "mcp" in root and not ("openapi" in root or "swagger" in root)


def _tool_list(root: JsonObject, digest: str, warnings: tuple[str, ...], limits: DocumentLimits) -> Document:
    if not isinstance(root.get("tools"), list):
        raise DocumentError(
            "not_a_document", 'The list of MCP tools has no array "tools".', pointer="#/tools"
        )
    server = object_at(root, "server")
    return Document(
        root={"servers": [{"url": text_at(root, "endpoint")}]},
        written=root,
        version=MCP,
        openapi=scalar_text_at(root, "mcp"),
        title=_shown(text_at(server, "title") or text_at(server, "name")) or "MCP server",
        version_text=_shown(scalar_text_at(server, "version")),
        description=text_at(root, "instructions"),
        digest=digest,
        warnings=warnings,
        limits=limits,
    )


def read_value(text: str | bytes, *, limits: DocumentLimits | None = None) -> JsonValue:
    """The value of JSON or YAML text that need not be a document, such as a file that a document refers to.

    Raises:
        DocumentError: not_json_or_yaml, too_large, too_deep, yaml_alias_bomb.
    """
    limits = limits or DocumentLimits()
    source = SourceText(text, limits.max_bytes)
    return read_source(source, max_depth=limits.max_depth, max_nodes=limits.max_nodes)[0]


def _not_a_document(source: SourceText, root: JsonValue, why: str) -> DocumentError:
    named = name_root(root) or name_text(source.text)
    return DocumentError("not_a_document", named or f"The text is not an OpenAPI document: {why}.")


def _versions(source: SourceText, root: JsonObject) -> tuple[str, str]:
    """The version as written and its family."""
    openapi = scalar_text_at(root, "openapi").strip()
    if not openapi:
        swagger = scalar_text_at(root, "swagger").strip()
        if first := scalar_text_at(root, "swaggerVersion").strip():
            raise _unsupported(f"Swagger {first}, a form of 2014 in several files,", "swaggerVersion")
        if swagger == SWAGGER:
            return swagger, SWAGGER
        if swagger:
            raise _unsupported(f"Swagger {swagger}", "swagger")
        raise _not_a_document(source, root, 'it has no "openapi" or "swagger" version')
    family = ".".join(openapi.split(".")[:2])
    if family not in _FAMILIES:
        raise _unsupported(f"OpenAPI {openapi}", "openapi")
    return openapi, family


def _unsupported(version: str, field_name: str) -> DocumentError:
    supported = f"Swagger {SWAGGER} and OpenAPI {', '.join(_FAMILIES)}"
    return DocumentError(
        "unsupported_version",
        f"{version} is not supported; the supported versions are {supported}.",
        pointer=f"#/{field_name}",
    )
