"""Encoding of stored bytes: compressed where that is shorter, encrypted where there is a key.

First compressed, then encrypted, as in the OpenRouter pipe. Keys are identified by an id, so that they can be
rotated. Ciphertext is bound to the place where it is stored, and cannot be decrypted elsewhere. Its first
byte tells the cipher: `0x81` AES-256-GCM, `0x80` Fernet, as it was written until 2026-11.
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

from bridge.settings.storage import KEYS_VARIABLE, StorageSettings

KEY_ID_CHARS = 16

_PLAIN, _COMPRESSED = b"\x00", b"\x01"

_GCM, _FERNET = b"\x81", b"\x80"
_NONCE_BYTES = 12

_FASTEST = 1
"""Level of compression. The default one takes two to four times as long for a tenth less (measured on answers
of APIs, 2026-11)."""

_log = logging.getLogger(__name__)


class Encrypted(NamedTuple):
    """Bytes as stored in the database."""

    content: bytes
    key_id: str | None
    """Id of the key; None: not encrypted."""


class _Ciphers(NamedTuple):
    """The ciphers of one key of the settings."""

    gcm: AESGCM
    fernet: Fernet


class Unreadable(Exception):
    """Stored bytes cannot be decrypted or decompressed with the keys at hand; the text says why."""


class Encryption:
    """Encrypts and decrypts. Safe to be used from several threads."""

    def __init__(self, settings: StorageSettings, *, encrypts: bool = True) -> None:
        """`encrypts` False: existing ciphertext is decrypted, but nothing new is encrypted."""
        self._settings = settings
        self._ciphers = {key_id(key): _ciphers(key) for key in settings.encryption_keys}
        self._first = next(iter(self._ciphers), None) if encrypts else None
        self._missed: set[str] = set()

    @property
    def key_ids(self) -> Sequence[str]:
        """Ids of the keys at hand, the one that encrypts first."""
        return list(self._ciphers)

    def key_for(self, *, is_reasoning: bool) -> str | None:
        """Return the id of the key to encrypt with; None: the content is not encrypted.

        `is_reasoning`: the content is a model's reasoning, which is encrypted even if nothing else is.
        """
        return self._first if is_reasoning or self._settings.encrypt_all else None

    def encrypt_bytes(self, content: bytes, place: str, *, is_reasoning: bool = True) -> Encrypted:
        """Encode bytes for the database. `place`: owner and location; `is_reasoning` as in `key_for`."""
        squeezed = self._squeezed(content)
        chosen = self.key_for(is_reasoning=is_reasoning)
        if chosen is None:
            return Encrypted(squeezed, None)
        nonce = os.urandom(_NONCE_BYTES)
        encrypted = self._ciphers[chosen].gcm.encrypt(nonce, squeezed, _bytes_of(place))
        return Encrypted(_GCM + nonce + encrypted, chosen)

    def decrypt_bytes(self, encrypted: Encrypted, place: str) -> bytes:
        """Return the bytes that were encoded for that place.

        Raises:
            Unreadable: the key is missing, the bytes were changed, or they were encoded for another place.
        """
        key_id = encrypted.key_id
        squeezed = encrypted.content if key_id is None else self._decrypted(encrypted, key_id, place)
        form, content = squeezed[:1], squeezed[1:]
        if form == _PLAIN:
            return content
        try:
            if form == _COMPRESSED:
                return zlib.decompress(content)
        except zlib.error as error:
            raise Unreadable(str(error)) from None
        raise Unreadable("unknown form")

    def is_first_miss(self, encrypted: Encrypted) -> bool:
        """Return whether to log a failure: True, except for a missing key that was reported before."""
        if encrypted.key_id is None or encrypted.key_id in self._ciphers:
            return True
        is_first = encrypted.key_id not in self._missed
        self._missed.add(encrypted.key_id)
        return is_first

    def _squeezed(self, content: bytes) -> bytes:
        if self._settings.compress and len(content) >= self._settings.min_compress_bytes:
            compressed = zlib.compress(content, _FASTEST)
            if len(compressed) < len(content):
                return _COMPRESSED + compressed
        return _PLAIN + content

    def _decrypted(self, encrypted: Encrypted, name: str, place: str) -> bytes:
        if name not in self._ciphers:
            raise Unreadable(f"{KEYS_VARIABLE} has no key with the id {name}")
        content, ciphers = encrypted.content, self._ciphers[name]
        try:
            if content[:1] == _FERNET:
                return ciphers.fernet.decrypt(base64.urlsafe_b64encode(content))
            nonce, ciphertext = content[1 : 1 + _NONCE_BYTES], content[1 + _NONCE_BYTES :]
            if content[:1] == _GCM and len(nonce) == _NONCE_BYTES:
                return ciphers.gcm.decrypt(nonce, ciphertext, _bytes_of(place))
        except (InvalidToken, InvalidTag):
            raise Unreadable("it was changed, or put somewhere else, after it was encrypted") from None
        raise Unreadable("it was changed after it was encrypted")


def key_id(key: str) -> str:
    """Return an id that distinguishes a key from others without revealing it."""
    return hashlib.sha256(_derived(key)).hexdigest()[:KEY_ID_CHARS]


def _derived(key: str) -> bytes:
    """Return Fernet's key, derived as the pipe does; the key's id is derived from it, too."""
    return base64.urlsafe_b64encode(hashlib.sha256(key.encode()).digest())


def _ciphers(key: str) -> _Ciphers:
    own = hashlib.sha256(b"tool-bridge AES-256-GCM\n" + key.encode()).digest()
    return _Ciphers(AESGCM(own), Fernet(_derived(key)))


def _bytes_of(place: str) -> bytes:
    return place.encode("utf-8", "surrogatepass")
