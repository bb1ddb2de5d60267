"""Links to stored answers: `/files/` and a sealed text of user, call, media type and file name.

A link is short because models have to copy it. It names the user, so that any replica can verify it and tell
who has the file; it needs no end of its own, because it cannot outlive the file.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from dataclasses import dataclass
from hashlib import blake2s

from bridge.auth.identity import FILE, SESSION_TOKEN_DOTS, Identity
from bridge.calls.call_ids import PREFIX
from bridge.errors import BridgeError, ErrorCode

FILES_PREFIX = "/files/"
"""Beginning of the path of every link."""

_ID_BYTES, _SEAL_BYTES = 16, 16
_TEXT_STARTS = 2 * _ID_BYTES


@dataclass(frozen=True, slots=True)
class LinkedFile:
    """What a link stands for."""

    file_id: str
    """User id, `/`, call id and ending; the ids with 32 hexadecimal digits."""
    mime: str
    filename: str
    """"" when the API gave it none."""


class FileLinks:
    """Makes and reads links.

    The seal is a keyed BLAKE2 (RFC 7693) of 128 bits, so that links can be neither guessed nor altered.
    """

    def __init__(self, secret: bytes, identity: Identity) -> None:
        """`secret` belongs to the data folder; with another one, earlier links count as forged."""
        self._key = blake2s(secret, person=b"filelink").digest()
        self._identity = identity

    def make_link(self, linked: LinkedFile) -> str:
        """Return the path of a link."""
        user_id, _, name = linked.file_id.partition("/")
        call_id, _, ending = name.partition(".")
        text = "\0".join((ending, linked.mime, linked.filename)).encode("utf-8", "replace")
        content = bytes.fromhex(user_id) + bytes.fromhex(call_id.removeprefix(PREFIX)) + text
        sealed = base64.urlsafe_b64encode(self._seal(content) + content)
        return f"{FILES_PREFIX}{sealed.rstrip(b'=').decode()}"

    def read_link(self, token: str) -> LinkedFile:
        """Return what the last part of a link's path stands for.

        Raises:
            BridgeError: `unauthorized`: it is forged, or of the earlier form and expired.
        """
        if token.count(".") == SESSION_TOKEN_DOTS:
            return self._read_earlier_form(token)
        try:
            raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            raise _forged_link() from None
        seal, content = raw[:_SEAL_BYTES], raw[_SEAL_BYTES:]
        if not secrets.compare_digest(seal, self._seal(content)):
            raise _forged_link()
        ending, mime, filename = content[_TEXT_STARTS:].decode().split("\0", 2)
        user = content[:_ID_BYTES].hex()
        call = content[_ID_BYTES:_TEXT_STARTS].hex()
        return LinkedFile(f"{user}/{PREFIX}{call}.{ending}", mime, filename)

    def _read_earlier_form(self, token: str) -> LinkedFile:
        """Read a JSON Web Token, which links were before; the last ones expire a day after the update."""
        claims = self._identity.read_token(FILE, token)
        return LinkedFile(claims["file"], claims["mime"], claims.get("name", ""))

    def _seal(self, content: bytes) -> bytes:
        return blake2s(content, key=self._key, digest_size=_SEAL_BYTES).digest()


def _forged_link() -> BridgeError:
    message = "This link to a file is not one of this bridge's. Copy it whole, without any change."
    return BridgeError(ErrorCode.UNAUTHORIZED, message)
