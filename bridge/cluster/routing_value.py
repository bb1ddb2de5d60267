"""Routing values: which user a socket or an upload belongs to, before anybody has signed in.

A value says where a request goes and nothing else: whoever has one is still nobody. It is signed so that
nobody can make replicas look for the homes of users who do not exist, and it has no end.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from hashlib import blake2s

ROUTE_PARAMETER = "route"
"""Name of the query parameter."""

_USER_BYTES, _SEAL_BYTES = 16, 16


class RoutingValues:
    """Makes and reads routing values."""

    def __init__(self, secret: bytes) -> None:
        """`secret`: the same in all replicas."""
        self._key = blake2s(secret, person=b"routing").digest()

    def make_value(self, user_id: str) -> str:
        """Return the value of a user; `user_id`: 32 hexadecimal digits."""
        content = bytes.fromhex(user_id)
        return base64.urlsafe_b64encode(self._seal(content) + content).rstrip(b"=").decode()

    def read_value(self, value: str) -> str | None:
        """Return the id of the user; None: it is none of ours."""
        try:
            raw = base64.b64decode(value + "=" * (-len(value) % 4), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            return None
        seal, content = raw[:_SEAL_BYTES], raw[_SEAL_BYTES:]
        if len(content) != _USER_BYTES or not hmac.compare_digest(seal, self._seal(content)):
            return None
        return content.hex()

    def _seal(self, content: bytes) -> bytes:
        return blake2s(content, key=self._key, digest_size=_SEAL_BYTES).digest()
