"""Documents that the operator named or the bridge fetches for a user, with the files they refer to.

Whoever chose the document did not choose what it refers to. So files are read from below one folder only, and
only for the operator; addresses are fetched from the document's own origin, and from others only where that
was allowed explicitly. What may not or cannot be read is left out with the reason, which the operations that
need it then report.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit
from urllib.request import url2pathname

from bridge.documents.fetch import (
    DocumentFetch,
    FetchFailed,
    OperatorFetch,
    PublicFetch,
    read_document_file,
)
from bridge.settings.network import origin_of
from toolserver.errors import DocumentError
from toolserver.openapi.bundle import Bundle
from toolserver.openapi.document import DocumentLimits
from toolserver.openapi.source_text import decode_file

MAX_BYTES = DocumentLimits().max_bytes
"""Maximum bytes of all texts together."""

MAX_FETCHED = 50
"""Maximum number of addresses fetched for one document."""

FETCH_ALL_SECONDS = 60.0
"""Seconds for all addresses of one document together. Chosen."""


@dataclass(frozen=True, slots=True)
class GatherLimits:
    """How much is read along with one document."""

    max_bytes: int = MAX_BYTES
    max_fetched: int = MAX_FETCHED
    fetch_all_s: float = FETCH_ALL_SECONDS


LIMITS = GatherLimits()


class BundleDocument(Protocol):
    """`toolserver.openapi.bundle.bundle_document`, run where hostile texts can do no harm."""

    async def __call__(
        self, text: str, *, source_url: str | None, texts: Mapping[str, str], left_out: Mapping[str, str]
    ) -> Bundle:
        """Bundle a document; raises BridgeError `invalid_document`, also when time or memory runs out."""
        ...


@dataclass(frozen=True, slots=True)
class ReferenceRules:
    """Where files that a document refers to may come from."""

    root: Path | None = None
    """Folder below which files may be read; None: the folder of the document."""
    origins: frozenset[str] = frozenset()
    """Origins besides the document's own, such as `https://schemas.example`."""


OWN_ONLY = ReferenceRules()
"""The rules without any option that widens them."""


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A document and where it came from."""

    text: str
    """The text, with the files that it refers to bundled in."""
    source_url: str | None
    """None for a file."""


async def read_document(
    source: str, rules: ReferenceRules, bundle: BundleDocument, *, limits: GatherLimits = LIMITS
) -> SourceDocument:
    """Read the document at a path or address that the operator named, with what it refers to.

    Raises:
        BridgeError: `document_unreachable`; what `bundle` raises, when the document cannot be used at all.
    """
    async with OperatorFetch() as fetch:
        if source.startswith(("http://", "https://")):
            text, url = await fetch.fetch_document(source)
            gatherer = _Gatherer(fetch, rules.origins | {origin_of(url)}, None, limits)
            return SourceDocument(await gatherer.gather(text, url, bundle), url)
        path = _absolute(source)
        text = await asyncio.to_thread(read_document_file, path)
        folder = _absolute(rules.root) if rules.root else path.parent
        gatherer = _Gatherer(fetch, rules.origins, folder, limits)
        return SourceDocument(await gatherer.gather(text, path.as_uri(), bundle), None)


async def read_public_document(
    url: str, origins: Set[str], bundle: BundleDocument, *, fetch: PublicFetch | None = None
) -> SourceDocument:
    """Fetch the document at a public address, with what it refers to at its own origin and at `origins`.

    Every address that is fetched is public, also after redirects.

    Raises:
        BridgeError: `document_unreachable`; what `bundle` raises, when the document cannot be used at all.
    """
    async with fetch or PublicFetch() as fetching:
        text, address = await fetching.fetch_document(url)
        gatherer = _Gatherer(fetching, origins | {origin_of(address)}, None)
        return SourceDocument(await gatherer.gather(text, address, bundle), address)


def _absolute(path: str | Path) -> Path:
    """Return the absolute path with `..` resolved, because URLs resolve it too."""
    return Path(os.path.abspath(path))


class _LeftOut(Exception):
    """A file that is left out; the exception's text is the reason."""


@dataclass(slots=True)
class _Gatherer:
    """Gathers what one document refers to, round by round."""

    fetch: DocumentFetch
    origins: Set[str]
    folder: Path | None
    """None: no files are read, as for a document that came from an address."""
    limits: GatherLimits = LIMITS
    texts: dict[str, str] = field(default_factory=dict[str, str])
    left_out: dict[str, str] = field(default_factory=dict[str, str])
    fetched: int = 0
    chars: int = 0

    async def gather(self, text: str, url: str, bundle: BundleDocument) -> str:
        self.chars += len(text)
        deadline = asyncio.get_running_loop().time() + self.limits.fetch_all_s
        while True:
            result = await bundle(text, source_url=url, texts=self.texts, left_out=self.left_out)
            if result.text is not None:
                return result.text
            async with asyncio.TaskGroup() as group:
                for address in result.missing:
                    group.create_task(self._get(address, deadline), name=f"get {address[:100]}")

    async def _get(self, url: str, deadline: float) -> None:
        get = self._file if url.startswith("file:") else self._address
        try:
            async with asyncio.timeout_at(deadline):
                text = await get(url)
            self.chars += len(text)
            if self.chars > self.limits.max_bytes:
                raise _LeftOut(f"All files together would be larger than {self.limits.max_bytes:,} bytes.")
            self.texts[url] = text
        except _LeftOut as error:
            self.left_out[url] = str(error)
        except FetchFailed as error:
            self.left_out[url] = f"It could not be fetched: {error}."
        except ValueError:
            self.left_out[url] = "It is not an address."
        except TimeoutError:
            self.left_out[url] = f"All files together took longer than {self.limits.fetch_all_s:g} s."

    async def _address(self, url: str) -> str:
        origin = origin_of(url)
        if origin not in self.origins:
            how = self.fetch.how_to_allow(origin)
            raise _LeftOut(f"It is at {origin}, from which nothing is fetched; {how}.")
        self.fetched += 1
        if self.fetched > self.limits.max_fetched:
            raise _LeftOut(f"At most {self.limits.max_fetched} addresses are fetched for one document.")
        return (await self.fetch.fetch_within(url, within=self.origins))[0]

    async def _file(self, url: str) -> str:
        if self.folder is None:
            raise _LeftOut("A document from an address may not read files.")
        path = Path(url2pathname(urlsplit(url).path))
        if not path.is_relative_to(self.folder):
            raise _LeftOut("It is outside the folder that may be read; change that with --refs-root.")
        try:
            return await asyncio.to_thread(_text_below, self.folder, path, self.limits.max_bytes)
        except DocumentError as error:
            raise _LeftOut(error.message) from None
        except OSError as error:
            raise _LeftOut(f"It cannot be read: {error.strerror or error}.") from None


def _text_below(folder: Path, path: Path, max_bytes: int) -> str:
    """Read a file below `folder`; raises _LeftOut, OSError or DocumentError (not_utf8)."""
    real = path.resolve(strict=True)
    if not real.is_relative_to(folder.resolve()):
        raise _LeftOut("It is a link out of the folder that may be read; change that with --refs-root.")
    if not real.is_file():
        raise _LeftOut("It is not a file.")
    if real.stat().st_size > max_bytes:
        raise _LeftOut(f"It is larger than {max_bytes:,} bytes.")
    return decode_file(real.read_bytes())
