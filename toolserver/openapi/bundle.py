"""Bundles several files into one document: references to other files become internal references.

Receives a document's text, its address and the texts of files it refers to; gives one text, or the addresses
of files that are still missing. Fetches nothing: the caller fetches them and calls again until nothing is
missing, and names files that it cannot supply with the reason; then only the operations that need those are
lost, and report it.
"""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import unquote, urljoin, urlsplit

from toolserver.errors import DocumentError
from toolserver.json_types import JsonObject, JsonValue, dump_json, scalar_text_at, text_at
from toolserver.openapi.document import OMITTED_FIELD, DocumentLimits, is_tool_list, read_value
from toolserver.openapi.references import (
    FileReferences,
    FoundReference,
    Resource,
    find_references,
    join_uri,
    starts_within,
)
from toolserver.openapi.swagger import as_openapi_3
from toolserver.openapi.written_scalars import TEXTS_FIELD, list_texts

MAX_FILES = 2_000
"""Maximum number of files besides the document, missing ones included. The largest split documents in use
have about 1,500."""

_BUNDLED = "x-bundled"
"""Field of the root that holds the other files, by name."""

_DEPTH_OF_FILES = 2
"""Number of levels between the root and a bundled file."""

_SCHEMES = ("http", "https", "file")
_MAX_REFERENCE_CHARS = 4000
_OWN_NAME = re.compile(r"\$(?:self|id)\b")
_EXTERNAL = re.compile(r"""\$ref["']?\s*:\s*["']?(?!["'#\s])|\$id|\$self|openapi["']?\s*:\s*["']?3\.2""")
"""Patterns in a text that suggest something to bundle."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that was supplied but cannot be used; references to it lead nowhere."""

    url: str
    reason: str
    """A sentence for people."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """The result of bundling a document and its files."""

    text: str | None
    """The document unchanged if it refers to nothing outside, else JSON that contains the files. None while
    files are missing."""
    missing: tuple[str, ...]
    """Absolute http, https and file addresses, without fragments, of files that are referred to but were
    neither supplied nor declared unavailable."""
    problems: tuple[Problem, ...]


def bundle_document(
    text: str,
    *,
    source_url: str | None,
    texts: Mapping[str, str],
    omitted: Mapping[str, str] | None = None,
    limits: DocumentLimits | None = None,
) -> Bundle:
    """Bundles the files of `texts` (by absolute address) that the document needs into it.

    Without `source_url` only absolute references can be followed; for files without an address any `file:`
    URL will do. `left_out` names files that cannot be supplied, with the reason that operations needing them
    report. Files that nothing refers to are ignored. Time grows with the size of all texts together.

    Raises:
        DocumentError: the document refers to files and cannot be read; too_large (all files together, as they
            came or written into one, against `limits.max_bytes`) or too_many_files.
    """
    if not _EXTERNAL.search(text):
        return Bundle(text, (), ())
    if len(texts) > MAX_FILES:
        raise _too_many_files()
    usable = {address: file for address, file in texts.items() if _is_address(address)}
    reasons = {address: reason for address, reason in (omitted or {}).items() if _is_address(address)}
    bundler = _Bundler(usable, reasons, limits or DocumentLimits())
    return bundler.bundle(text, source_url if source_url and _is_address(source_url) else "")


@dataclass(slots=True)
class _Bundler:
    texts: Mapping[str, str]
    omitted: dict[str, str]
    limits: DocumentLimits
    own: FileReferences = field(default_factory=lambda: FileReferences("", ""))
    """References of the document itself."""
    is_swagger: bool = False
    uri_security: bool = False
    bundled_field: str = _BUNDLED
    resources: dict[str, Resource] = field(default_factory=dict[str, Resource])
    """By URI; pointers are relative to the bundle."""
    files: JsonObject = field(default_factory=dict[str, JsonValue])
    waiting: list[FoundReference] = field(default_factory=list[FoundReference])
    missing: dict[str, None] = field(default_factory=dict[str, None])
    problems: list[Problem] = field(default_factory=list[Problem])
    gaps: dict[str, str] = field(default_factory=dict[str, str])
    """Unavailable targets, as references spell them, and the reasons."""
    own_names: dict[str, str] | None = None
    """Addresses of texts by their own `$self` or `$id`; built on first use."""
    joined: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    size: int = 0

    def bundle(self, text: str, address: str) -> Bundle:
        root = read_value(text, limits=self.limits)
        if not isinstance(root, dict) or is_tool_list(root):  # schemas of MCP tools may not refer outside
            return Bundle(text, (), ())
        self._begin(root, address, text)
        changed = self._rewrite_all(asking=True)
        changed |= self._rewrite_all(asking=False)
        if self.missing:
            return Bundle(None, tuple(self.missing), tuple(self.problems))
        if not changed and not self.gaps:
            return Bundle(text, (), tuple(self.problems))
        return Bundle(self._written(root), (), tuple(self.problems))

    def _begin(self, root: JsonObject, address: str, text: str) -> None:
        self.is_swagger = "swagger" in root
        self.uri_security = scalar_text_at(root, "openapi").startswith("3.2")
        while self.bundled_field in root:
            self.bundled_field += "-more"
        self._count(text)
        self.own = find_references(root, address, uri_security=self.uri_security)
        self._register(self.own, "")

    def _register(self, found: FileReferences, prefix: str) -> None:
        for uri, resource in found.names.items():
            self.resources.setdefault(uri, replace(resource, pointer=prefix + resource.pointer))
        self.waiting += found.references

    def _rewrite_all(self, *, asking: bool) -> bool:
        """Rewrites all references; whether any changed that the document alone does not resolve.

        The list grows during the loop: by every file that a required reference adds.
        """
        changed = False
        for found in self.waiting:
            if found.may_fetch is asking:
                new = self._rewritten(found)
                if new is not None and new != found.ref:
                    _replace_reference(found, new)
                    changed = changed or not self._is_plain(found)
        return changed

    def _is_plain(self, found: FoundReference) -> bool:
        """Whether the document's reader understands the reference as it is written."""
        base = found.ref.partition("#")[0]
        return (
            found.file == self.own.address
            and found.base == self.own.base
            and (not base or base in self.own.identifiers)
        )

    def _rewritten(self, found: FoundReference) -> str | None:
        """The reference as it should be in the bundle; None to leave it unchanged."""
        base, _, fragment = found.ref.partition("#")
        if len(found.ref) > _MAX_REFERENCE_CHARS:
            return None
        uri = self._join(found.base, base) if base else found.base
        if uri not in self.resources and base:
            uri = self._find_resource(uri, self._join(found.file, base), may_fetch=found.may_fetch)
        resource = self.resources.get(uri)
        if resource is None:
            ending = f"#{fragment}" if fragment else ""
            return self._displayed_address(uri) + ending if _is_address(uri) else None
        if not fragment:
            return f"#{resource.pointer}"
        if fragment.startswith("/"):
            return f"#{self._with(resource, fragment).pointer}{fragment}"
        named = self.resources.get(f"{uri}#{unquote(fragment)}")
        return None if named is None else f"#{named.pointer}"

    def _join(self, base: str, reference: str) -> str:
        """`join_uri`, cached: documents refer to few files many times, and parsing addresses is slow."""
        if (base, reference) not in self.joined:
            self.joined[base, reference] = join_uri(base, reference)
        return self.joined[base, reference]

    def _with(self, resource: Resource, fragment: str) -> Resource:
        """The resource that a pointer starts from."""
        if starts_within(resource, fragment):
            return resource
        return self.resources.get(resource.file, resource)

    def _find_resource(self, uri: str, by_file: str, *, may_fetch: bool) -> str:
        """Adds the file of a URI, if it was supplied; gives the URI under which it is known.

        `by_file` is the reference resolved against its file. It is used where an `$id` says otherwise but
        only the file was supplied.
        """
        if by_file in self.resources:
            return by_file
        if uri in self.missing:
            return uri
        for candidate in (uri, by_file):
            if address := self._address_of(candidate):
                if may_fetch and address not in self.omitted:
                    self._add(address)
                return candidate if candidate in self.resources else address
        if uri in self.omitted:
            self.gaps[self._displayed_address(uri)] = self.omitted[uri]
        elif may_fetch and _is_address(uri):
            self.missing[uri] = None
            self._check_count()
        return uri

    def _address_of(self, uri: str) -> str | None:
        """The address of the text that a URI means: the URI itself, or that of a text with this name."""
        if uri in self.texts:
            return uri
        if self.own_names is None:
            named = {self._own_name(address, text): address for address, text in self.texts.items()}
            self.own_names = {name: address for name, address in named.items() if name}
        return self.own_names.get(uri)

    def _own_name(self, address: str, text: str) -> str:
        if not _OWN_NAME.search(text):
            return ""
        try:
            value = read_value(text, limits=self.limits)
        except DocumentError:
            return ""
        own = text_at(value, "$self") or text_at(value, "$id") if isinstance(value, dict) else ""
        return join_uri(address, own) if own else ""

    def _add(self, address: str) -> None:
        self._count(self.texts[address])
        try:
            value = read_value(
                self.texts[address],
                limits=replace(self.limits, max_depth=self.limits.max_depth - _DEPTH_OF_FILES),
            )
        except DocumentError as error:
            self._skip_address(address, error.message)
            return
        if not isinstance(value, dict | list):
            self._skip_address(address, "The text is not an object in JSON or YAML.")
            return
        if isinstance(value, dict) and "swagger" in value and not self.is_swagger:
            value = as_openapi_3(value)
        name = self._new_name(address)
        self.files[name] = value
        found = find_references(value, address, uri_security=self.uri_security)
        self._register(found, f"/{self.bundled_field}/{name}")
        self._check_count()
        _resolve_servers(found)

    def _skip_address(self, address: str, reason: str) -> None:
        self.problems.append(Problem(address, reason))
        self.omitted[address] = self.gaps[self._displayed_address(address)] = reason

    def _new_name(self, address: str) -> str:
        """A unique name for the file, without its extension; it appears in names of schemas."""
        stem = unquote(urlsplit(address).path).rpartition("/")[2].partition(".")[0]
        stem = name = re.sub(r"[^A-Za-z0-9_-]+", "-", stem)[:60] or "file"
        number = 1
        while name in self.files:
            number += 1
            name = f"{stem}-{number}"
        return name

    def _displayed_address(self, uri: str) -> str:
        """An address as the bundle's references show it; files relative to the document, to hide paths."""
        parts = urlsplit(uri)
        own = urlsplit(self.own.address)
        if parts.scheme != "file" or own.scheme != "file":
            return uri
        return posixpath.relpath(parts.path, posixpath.dirname(own.path))

    def _written(self, root: JsonObject) -> str:
        if self.files:
            root[self.bundled_field] = self.files
        if self.gaps:
            root[OMITTED_FIELD] = dict[str, JsonValue](self.gaps)
        self._check_written(root)
        texts = list_texts(root)
        of_files: JsonObject = {name: own for name, file in self.files.items() if (own := list_texts(file))}
        if texts or of_files:
            root[TEXTS_FIELD] = {**texts, **({self.bundled_field: of_files} if of_files else {})}
            self._check_written(root)
        return dump_json(root).decode("utf-8")

    def _check_written(self, root: JsonObject) -> None:
        if _written_size(root, {}) > self.limits.max_bytes:
            raise self._too_large()

    def _count(self, text: str) -> None:
        self.size += len(text.encode("utf-8", "replace"))
        if self.size > self.limits.max_bytes:
            raise self._too_large()

    def _check_count(self) -> None:
        if len(self.files) + len(self.problems) + len(self.missing) > MAX_FILES:
            raise _too_many_files()

    def _too_large(self) -> DocumentError:
        limit = self.limits.max_bytes
        return DocumentError("too_large", f"The document and its files are larger than {limit:,} bytes.")


def _is_address(uri: str) -> bool:
    """Whether the URI could be fetched."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return False
    return parts.scheme in _SCHEMES and (parts.scheme == "file" or bool(parts.hostname))


def _too_many_files() -> DocumentError:
    return DocumentError("too_many_files", f"The document refers to more than {MAX_FILES:,} other files.")


def _replace_reference(found: FoundReference, new: str) -> None:
    if not found.is_key:
        found.holder[found.key] = new
        return
    entries = list(found.holder.items())
    found.holder.clear()
    found.holder.update((new if key == found.key else key, value) for key, value in entries)


def _resolve_servers(found: FileReferences) -> None:
    """Makes relative servers of a file relative to that file (OpenAPI 3.1 §4.8.5), not the document."""
    if not found.base.startswith(("http://", "https://")):
        return
    for server in found.servers:
        url = text_at(server, "url")
        if url and not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:|\{", url):
            server["url"] = urljoin(found.base, url)


def _written_size(value: JsonValue, sizes: dict[int, int]) -> int:
    """Approximate size of the value as JSON, in characters; nodes shared by YAML aliases count each time."""
    if isinstance(value, str):
        return len(value) + 2
    if not isinstance(value, dict | list):
        return 4
    if id(value) not in sizes:
        below = value.values() if isinstance(value, dict) else value
        keys = sum(map(len, value)) + 3 * len(value) if isinstance(value, dict) else 0
        sizes[id(value)] = 2 + keys + len(value) + sum(_written_size(entry, sizes) for entry in below)
    return sizes[id(value)]
