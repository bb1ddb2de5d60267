"""Several files as one document: references to other files become references inside.

Receives a document's text, its address and the texts of files it refers to; gives one text and the addresses
that are still wanted. Fetches nothing: whoever can fetch calls it again until nothing is wanted, or gives up,
and then only the operations that need the missing files are lost.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urldefrag, urljoin, urlsplit

from toolserver.document import Limits, containers, read_value, reference_of
from toolserver.errors import DocumentError, quote
from toolserver.json_types import JsonObject, JsonValue, text_at

MAX_FILES = 200
"""Files beside the document. The largest split documents known to us have some hundred small ones."""

_BUNDLED = "x-bundled"
"""The field of the root that holds the other files, by number."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """What became of a document and its files."""

    text: str
    """The document as it came if it refers to nothing outside, else JSON with the files in it."""
    missing: tuple[str, ...]
    """Absolute http(s) addresses of files that are referred to but were not supplied, without fragments."""
    problems: tuple[str, ...]
    """Sentences about files that could not be read; references to them stay as they are."""


def bundle_document(
    text: str, *, source_url: str | None, texts: Mapping[str, str], limits: Limits | None = None
) -> Bundle:
    """Puts the files of `texts` (by absolute address) that the document needs into it.

    Without `source_url` only absolute references can be followed. Files that nothing refers to are ignored.

    Raises:
        DocumentError: the document itself cannot be read; too_large (all files together, against
            `limits.max_bytes`) or too_many_files.
    """
    limits = limits or Limits()
    bundler = _Bundler(texts, limits)
    root = read_value(text, limits=limits)
    if not isinstance(root, dict):
        return Bundle(text, (), ())
    bundler.add_document(root, source_url, len(text))
    while bundler.waiting:
        url, node = bundler.waiting.pop(0)
        bundler.rewrite(node, url)
    if not bundler.files:
        return Bundle(text, tuple(bundler.missing), tuple(bundler.problems.values()))
    root[_BUNDLED] = {str(number): value for number, value in bundler.files.values()}
    return Bundle(
        json.dumps(root, ensure_ascii=False), tuple(bundler.missing), tuple(bundler.problems.values())
    )


@dataclass(slots=True)
class _Bundler:
    texts: Mapping[str, str]
    limits: Limits
    own_urls: tuple[str, ...] = ()
    identifiers: set[str] = field(default_factory=set[str])
    """Absolute `$id`s of the document, which references may name."""
    files: dict[str, tuple[int, JsonValue]] = field(default_factory=dict[str, tuple[int, JsonValue]])
    waiting: list[tuple[str, JsonValue]] = field(default_factory=list[tuple[str, JsonValue]])
    missing: dict[str, None] = field(default_factory=dict[str, None])
    problems: dict[str, str] = field(default_factory=dict[str, str])
    characters: int = 0

    def add_document(self, root: JsonObject, source_url: str | None, characters: int) -> None:
        base = urldefrag(source_url or "").url
        own = urljoin(base, urldefrag(text_at(root, "$self")).url)
        self.own_urls = (own, base)
        self.characters = characters
        for _, level in containers(root):
            self.identifiers |= {text_at(node, "$id") for node in level if isinstance(node, dict)}
        self.waiting.append((own, root))

    def rewrite(self, root: JsonValue, url: str) -> None:
        """Makes every reference of one file lead to where its target stands in the bundle."""
        seen: set[int] = set()
        for _, level in containers(root):
            for node in level:
                if isinstance(node, dict) and id(node) not in seen:
                    seen.add(id(node))
                    if (ref := reference_of(node)) is not None:
                        node["$ref"] = self._rewritten(ref, url)

    def _rewritten(self, ref: str, url: str) -> str:
        base, _, fragment = ref.partition("#")
        if base in self.identifiers and base:
            return ref
        try:
            target = urldefrag(urljoin(url, base)).url if base else url
        except ValueError:
            return ref
        if target in self.own_urls:
            return f"#{fragment}" if base else ref
        prefix = self._prefix(target)
        if prefix is None:
            return ref
        is_name = bool(fragment) and not fragment.startswith("/")
        return f"#{fragment}" if is_name else f"#{prefix}{fragment}"

    def _prefix(self, url: str) -> str | None:
        """Where the file stands in the bundle; None for one that is not there."""
        if url not in self.files and not self._add(url):
            return None
        return f"/{_BUNDLED}/{self.files[url][0]}"

    def _add(self, url: str) -> bool:
        if url in self.problems:
            return False
        if url not in self.texts:
            if urlsplit(url).scheme in ("http", "https"):
                self.missing[url] = None
            return False
        self._check_limits(len(self.texts[url]))
        try:
            value = read_value(self.texts[url], limits=self.limits)
        except DocumentError as error:
            self.problems[url] = f"The file {quote(url)} cannot be read. {error.message}"
            return False
        self.files[url] = (len(self.files) + 1, value)
        self.waiting.append((url, value))
        return True

    def _check_limits(self, characters: int) -> None:
        self.characters += characters
        if self.characters > self.limits.max_bytes:
            message = f"The document and its files are larger than {self.limits.max_bytes:,} bytes."
            raise DocumentError("too_large", message)
        if len(self.files) >= MAX_FILES:
            message = f"The document refers to more than {MAX_FILES} other files."
            raise DocumentError("too_many_files", message)
