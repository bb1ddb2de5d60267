"""Relay tokens: what one replica vouches for towards another, sealed for one request.

A token is bound to method, path and query of its request. It is no credential of a user: only replicas, which
share the secret, can make one, and only on the listener of a replica it counts. Pure but for the caller's
clock.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from dataclasses import dataclass
from hashlib import blake2s
from typing import Literal, TypeAlias

from pydantic import TypeAdapter, ValidationError

from bridge.auth.identity import Caller

RELAY_PROTOCOL = 1
"""Major version of what replicas say to each other; a replica refuses every other one."""

TOKEN_S = 30.0
"""Seconds for which a token counts, by clocks that agree."""

CLOCK_SKEW_S = 60.0
"""Seconds by which the clocks of two replicas may differ."""

MEMORY_S = TOKEN_S + 2 * CLOCK_SKEW_S
"""Seconds after which no clock takes a token any more."""

KEPT_EPOCH = 0
"""Epoch in a pass for an answer that the target keeps, wherever its user is at home; no claim has it."""

Refusal: TypeAlias = Literal["protocol", "forged", "expired"]


class RelayTokenRefused(Exception):
    """A token that does not count."""

    def __init__(self, reason: Refusal) -> None:
        """`protocol`: of another major version; `forged`: by another secret, or for another request."""
        super().__init__(reason)
        self.reason: Refusal = reason


@dataclass(frozen=True, slots=True)
class RelayPass:
    """What a replica says of a request that it passes on."""

    user_id: str
    """The user who must be at home in `target`."""
    caller: Caller | None
    """Who asks, authenticated; None where the home itself finds out (sockets, signed links, uploads)."""
    address: str
    """Network address of the client."""
    target: str
    """Id of the replica that it is meant for."""
    epoch: int
    """Epoch of the home, as far as the sender knows, or `KEPT_EPOCH`."""
    request_id: str
    """Random id of the request; a home serves it once."""
    expires_at: float
    """Unix time."""


@dataclass(frozen=True, slots=True)
class RelayedRequest:
    """What a token is bound to."""

    method: str
    target: str
    """Path and query, as they are encoded in the request."""


class RelayTokens:
    """Makes and reads tokens."""

    def __init__(self, secret: bytes) -> None:
        """`secret`: the same in all replicas."""
        self._key = blake2s(secret, person=b"relay").digest()
        self._passes = TypeAdapter(RelayPass)

    def sign_pass(self, vouched: RelayPass, request: RelayedRequest) -> str:
        """Return the token of a request."""
        content = self._passes.dump_json(vouched)
        seal = self._seal(content, request)
        return f"{RELAY_PROTOCOL}.{base64.urlsafe_b64encode(seal + content).decode()}"

    def read_token(self, token: str, request: RelayedRequest, now: float) -> RelayPass:
        """Return what a token says; `now`: Unix time.

        Raises:
            RelayTokenRefused: it does not count for this request, or not now.
        """
        version, _, sealed = token.partition(".")
        if version != str(RELAY_PROTOCOL):
            raise RelayTokenRefused("protocol" if version.isdecimal() else "forged")
        try:
            raw = base64.b64decode(sealed, altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            raise RelayTokenRefused("forged") from None
        seal, content = raw[:_SEAL_BYTES], raw[_SEAL_BYTES:]
        is_canonical = base64.urlsafe_b64encode(raw).decode() == sealed
        if not is_canonical or not hmac.compare_digest(seal, self._seal(content, request)):
            raise RelayTokenRefused("forged")
        try:
            vouched = self._passes.validate_json(content)
        except ValidationError:
            raise RelayTokenRefused("protocol") from None
        if not -CLOCK_SKEW_S - TOKEN_S <= now - vouched.expires_at <= CLOCK_SKEW_S:
            raise RelayTokenRefused("expired")
        return vouched

    def _seal(self, content: bytes, request: RelayedRequest) -> bytes:
        bound = f"{RELAY_PROTOCOL}\n{request.method}\n{request.target}\n".encode("utf-8", "surrogateescape")
        return hmac.digest(self._key, bound + content, "sha256")


_SEAL_BYTES = 32
