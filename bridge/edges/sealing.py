"""How what is kept stands in the database: compressed where that is shorter, encrypted where there is a key.

The derivation of keys and the order (first compress, then encrypt) are those of the OpenRouter pipe. Keys are
told apart by an id, so that they can be changed one after the other.
"""

from __future__ import annotations

import base64
import hashlib
import logging
import zlib
from collections.abc import Sequence
from typing import NamedTuple

from cryptography.fernet import Fernet, InvalidToken

from bridge.config import KeptSettings

KEY_ID_CHARS = 16

_PLAIN, _COMPRESSED = b"\x00", b"\x01"

_FASTEST = 1
"""Level of compression. The default one takes two to four times as long for a tenth less (measured on answers
of APIs, 2026-11)."""

_log = logging.getLogger(__name__)


class Sealed(NamedTuple):
    """Bytes as they stand in the database."""

    content: bytes
    key_id: str | None
    """None: not encrypted."""


class Unreadable(Exception):
    """What is sealed cannot be opened with the keys at hand; the text says why."""


class Sealing:
    """Seals and opens. Safe to be used from several threads."""

    def __init__(self, settings: KeptSettings, *, encrypts: bool = True) -> None:
        """`encrypts` False: what is encrypted is opened, what is sealed is not encrypted."""
        self._settings = settings
        self._fernets = {key_id(key): Fernet(_derived(key)) for key in settings.encryption_keys}
        self._first = next(iter(self._fernets), None) if encrypts else None
        self._missed: set[str] = set()

    @property
    def key_ids(self) -> Sequence[str]:
        """Ids of the keys at hand, the one that encrypts first."""
        return list(self._fernets)

    def key_for(self, *, thought: bool) -> str | None:
        """The id of the key that seals. `thought`: of a model; it is encrypted also where the rest is not."""
        return self._first if thought or self._settings.encrypt_all else None

    def seal(self, content: bytes, *, thought: bool = True) -> Sealed:
        """Bytes for the database. `thought` as in `key_for`."""
        squeezed, chosen = self._squeezed(content), self.key_for(thought=thought)
        if chosen is None:
            return Sealed(squeezed, None)
        token = self._fernets[chosen].encrypt(squeezed)
        return Sealed(base64.urlsafe_b64decode(token), chosen)

    def open(self, sealed: Sealed) -> bytes:
        """What was sealed.

        Raises:
            Unreadable: there is no such key, or the bytes were changed.
        """
        squeezed = sealed.content if sealed.key_id is None else self._decrypted(sealed.content, sealed.key_id)
        form, content = squeezed[:1], squeezed[1:]
        if form == _PLAIN:
            return content
        try:
            if form == _COMPRESSED:
                return zlib.decompress(content)
        except zlib.error as error:
            raise Unreadable(str(error)) from None
        raise Unreadable("unknown form")

    def is_first_miss(self, sealed: Sealed) -> bool:
        """Whether nobody has been told yet that the key of this is missing; true once for each key."""
        if sealed.key_id is None or sealed.key_id in self._fernets:
            return True
        is_first = sealed.key_id not in self._missed
        self._missed.add(sealed.key_id)
        return is_first

    def _squeezed(self, content: bytes) -> bytes:
        if self._settings.compress and len(content) >= self._settings.min_compress_bytes:
            compressed = zlib.compress(content, _FASTEST)
            if len(compressed) < len(content):
                return _COMPRESSED + compressed
        return _PLAIN + content

    def _decrypted(self, content: bytes, name: str) -> bytes:
        if name not in self._fernets:
            raise Unreadable(f"ARTIFACT_ENCRYPTION_KEY has no key with the id {name}")
        try:
            return self._fernets[name].decrypt(base64.urlsafe_b64encode(content))
        except InvalidToken:
            raise Unreadable("it was changed after it was encrypted") from None


def key_id(key: str) -> str:
    """What tells a key from others without giving it away."""
    return hashlib.sha256(_derived(key)).hexdigest()[:KEY_ID_CHARS]


def _derived(key: str) -> bytes:
    return base64.urlsafe_b64encode(hashlib.sha256(key.encode()).digest())
