"""How what is kept stands in the database: compressed where that is shorter, encrypted where there is a key.

First compressed, then encrypted, as in the OpenRouter pipe. Keys are told apart by an id, so that they can be
changed one after the other. What is encrypted names the place where it stands, and opens nowhere else. The
first byte of what is encrypted says how: `0x81` AES-256-GCM, `0x80` Fernet, as it was written until 2026-11.
"""

from __future__ import annotations

import base64
import hashlib
import logging
import os
import zlib
from collections.abc import Sequence
from typing import NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from bridge.settings.bridge import StorageSettings

KEY_ID_CHARS = 16

_PLAIN, _COMPRESSED = b"\x00", b"\x01"

_GCM, _FERNET = b"\x81", b"\x80"
_NONCE_BYTES = 12

_FASTEST = 1
"""Level of compression. The default one takes two to four times as long for a tenth less (measured on answers
of APIs, 2026-11)."""

_log = logging.getLogger(__name__)


class Encrypted(NamedTuple):
    """Bytes as they stand in the database."""

    content: bytes
    key_id: str | None
    """None: not encrypted."""


class _Ciphers(NamedTuple):
    """What one key of the settings opens and seals with."""

    gcm: AESGCM
    fernet: Fernet


class Unreadable(Exception):
    """What is sealed cannot be opened with the keys at hand; the text says why."""


class Encryption:
    """Seals and opens. Safe to be used from several threads."""

    def __init__(self, settings: StorageSettings, *, encrypts: bool = True) -> None:
        """`encrypts` False: what is encrypted is opened, what is sealed is not encrypted."""
        self._settings = settings
        self._ciphers = {key_id(key): _ciphers(key) for key in settings.encryption_keys}
        self._first = next(iter(self._ciphers), None) if encrypts else None
        self._missed: set[str] = set()

    @property
    def key_ids(self) -> Sequence[str]:
        """Ids of the keys at hand, the one that encrypts first."""
        return list(self._ciphers)

    def key_for(self, *, thought: bool) -> str | None:
        """The id of the key that seals. `thought`: of a model; it is encrypted also where the rest is not."""
        return self._first if thought or self._settings.encrypt_all else None

    def encrypt_bytes(self, content: bytes, place: str, *, thought: bool = True) -> Encrypted:
        """Bytes for the database. `place`: whose they are and where they stand; `thought` as in `key_for`."""
        squeezed, chosen = self._squeezed(content), self.key_for(thought=thought)
        if chosen is None:
            return Encrypted(squeezed, None)
        nonce = os.urandom(_NONCE_BYTES)
        encrypted = self._ciphers[chosen].gcm.encrypt(nonce, squeezed, _bytes_of(place))
        return Encrypted(_GCM + nonce + encrypted, chosen)

    def decrypt_bytes(self, sealed: Encrypted, place: str) -> bytes:
        """What was sealed for that place.

        Raises:
            Unreadable: there is no such key, the bytes were changed, or they were sealed for another place.
        """
        squeezed = sealed.content if sealed.key_id is None else self._decrypted(sealed, sealed.key_id, place)
        form, content = squeezed[:1], squeezed[1:]
        if form == _PLAIN:
            return content
        try:
            if form == _COMPRESSED:
                return zlib.decompress(content)
        except zlib.error as error:
            raise Unreadable(str(error)) from None
        raise Unreadable("unknown form")

    def is_first_miss(self, sealed: Encrypted) -> bool:
        """Whether nobody has been told yet that the key of this is missing; true once for each key."""
        if sealed.key_id is None or sealed.key_id in self._ciphers:
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

    def _decrypted(self, sealed: Encrypted, name: str, place: str) -> bytes:
        if name not in self._ciphers:
            raise Unreadable(f"ARTIFACT_ENCRYPTION_KEY has no key with the id {name}")
        content, ciphers = sealed.content, self._ciphers[name]
        try:
            if content[:1] == _FERNET:
                return ciphers.fernet.decrypt(base64.urlsafe_b64encode(content))
            nonce, encrypted = content[1 : 1 + _NONCE_BYTES], content[1 + _NONCE_BYTES :]
            if content[:1] == _GCM and len(nonce) == _NONCE_BYTES:
                return ciphers.gcm.decrypt(nonce, encrypted, _bytes_of(place))
        except (InvalidToken, InvalidTag):
            raise Unreadable("it was changed, or put somewhere else, after it was encrypted") from None
        raise Unreadable("it was changed after it was encrypted")


def key_id(key: str) -> str:
    """What tells a key from others without giving it away."""
    return hashlib.sha256(_derived(key)).hexdigest()[:KEY_ID_CHARS]


def _derived(key: str) -> bytes:
    """Fernet's key, as the pipe derived it; the key's id follows from it, too."""
    return base64.urlsafe_b64encode(hashlib.sha256(key.encode()).digest())


def _ciphers(key: str) -> _Ciphers:
    own = hashlib.sha256(b"tool-bridge AES-256-GCM\n" + key.encode()).digest()
    return _Ciphers(AESGCM(own), Fernet(_derived(key)))


def _bytes_of(place: str) -> bytes:
    return place.encode("utf-8", "surrogatepass")
