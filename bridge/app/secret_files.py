"""The bridge's own files in the data folder: the secret that signs, the local user's key, its address.

A file is written under a temporary name and renamed, so that a bridge that is killed leaves all of it or
nothing. Only its owner may read it.
"""

from __future__ import annotations

import logging
import secrets
from pathlib import Path

from bridge.operating_system import close_to_others, replace_private_file
from bridge.storage.errors import StoreError

SECRET_BYTES = 32

_log = logging.getLogger(__name__)


def choose_secret(digits: str | None, path: Path) -> bytes:
    """Return the secret that the settings give as hexadecimal digits, else that of a file, as below."""
    return load_or_create_secret(path) if digits is None else bytes.fromhex(digits)


def load_or_create_secret(path: Path) -> bytes:
    """Return the secret of a file; a new file gets a new one.

    Raises:
        StoreError: the file holds something else, or cannot be read or written.
    """
    text = read_private(path)
    if text is None:
        secret = secrets.token_bytes(SECRET_BYTES)
        write_private(path, secret.hex())
        return secret
    try:
        secret = bytes.fromhex(text)
    except ValueError:
        secret = b""
    if len(secret) < SECRET_BYTES:
        message = f"is damaged: it must hold {2 * SECRET_BYTES} hexadecimal digits"
        raise StoreError(f"{path} {message}. Restore it, or delete it to end all sessions and links to files")
    return secret


def read_private(path: Path) -> str | None:
    """Return the text of a file; None if there is none. Others who may read it may not any more.

    Raises:
        StoreError: it cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8", errors="replace").strip()
        if close_to_others(path):
            _log.warning("%s could be read by others; now only its owner can.", path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"{path} cannot be used: {error.strerror}") from None
    return text


def write_private(path: Path, text: str) -> None:
    """Create or replace a file that only its owner may read.

    Raises:
        StoreError: it cannot be written.
    """
    try:
        replace_private_file(path, text)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from None
