"""The public keys of an authorization server: found through its metadata, cached, and fetched again.

Known keys never wait for the network. A key that is not known is looked for at most once in
`FETCH_PAUSE_S`, so that tokens which name unknown keys cannot make the bridge flood the authorization server.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from bridge.errors import BridgeError, ErrorCode
from bridge.log_lines import OncePerMinute
from bridge.settings.oauth import is_safe_address
from bridge.tasks import Tasks
from toolserver.json_types import JsonObject, JsonValue, array_at, text_at

FRESH_S = 600.0
"""Seconds after which keys are fetched again; a key that was withdrawn is accepted that much longer."""

AWAY_S = 3600.0
"""Seconds for which keys are used while the authorization server does not answer: about the life of the
tokens that it signed before."""

FETCH_PAUSE_S = 30.0
"""Minimum seconds between two fetches, whatever tokens name."""

FETCH_S = 10.0
"""Seconds for metadata and keys together."""

MAX_KEYS = 100
"""Maximum number of keys that are read; servers publish two or three."""

MIN_RSA_BITS = 2048

RSA_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")

CURVE_ALGORITHMS = {"secp256r1": "ES256", "secp384r1": "ES384", "secp521r1": "ES512"}

PublicKey: TypeAlias = rsa.RSAPublicKey | ec.EllipticCurvePublicKey | ed25519.Ed25519PublicKey

_log = logging.getLogger(__name__)
_log.addFilter(OncePerMinute())


class UnusableAnswer(Exception):
    """Nothing usable came from an address; the text is the reason, without a full stop."""


FetchJson: TypeAlias = Callable[[str], Awaitable[JsonValue]]
"""Returns the JSON at an address, or raises `UnusableAnswer`: no redirects, bounded size and time."""


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A public key, and the algorithms that a signature by it may have."""

    public_key: PublicKey
    algorithms: tuple[str, ...]
    """Never more than fit the kind of key, so that no signature is checked by another method than it was
    made with."""


@dataclass(frozen=True, slots=True)
class _Fetched:
    keys: Mapping[str, SigningKey] = field(default_factory=dict[str, SigningKey])
    at: float = float("-inf")


class SigningKeys:
    """The keys of one issuer."""

    def __init__(
        self, issuer: str, fetch: FetchJson, tasks: Tasks, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._issuer = issuer
        self._fetch = fetch
        self._tasks = tasks
        self._clock = clock
        self._fetched = _Fetched()
        self._next_fetch_at = float("-inf")
        self._fetching: asyncio.Event | None = None
        """Set when the fetch that runs now has ended."""

    async def find_key(self, key_id: str) -> SigningKey | None:
        """Return the key with an id, or None when there is none; waits for `FETCH_S` at most.

        Raises:
            BridgeError: `authorization_unavailable`: the keys could not be fetched, and there are none that
                could still be used.
        """
        if self._age() >= FRESH_S or key_id not in self._fetched.keys:
            self._start_fetch()
            if self._fetching is not None and (self._age() >= AWAY_S or key_id not in self._fetched.keys):
                await self._fetching.wait()
        if self._age() >= AWAY_S:
            raise _unavailable(self._issuer)
        return self._fetched.keys.get(key_id)

    def _age(self) -> float:
        return self._clock() - self._fetched.at

    def _start_fetch(self) -> None:
        """Start a fetch, unless one is running or ended too short a time ago."""
        if self._fetching is None and self._clock() >= self._next_fetch_at:
            self._fetching = asyncio.Event()
            self._tasks.start_task(self._refresh(self._fetching), "keys of the authorization server")

    async def _refresh(self, done: asyncio.Event) -> None:
        try:
            async with asyncio.timeout(FETCH_S):
                keys = await fetch_keys(self._issuer, self._fetch)
            self._fetched = _Fetched(keys, self._clock())
        except UnusableAnswer as error:
            _log.warning("The signing keys of %s cannot be fetched: %s.", self._issuer, error)
        except TimeoutError:
            _log.warning("The signing keys of %s did not come within %g s.", self._issuer, FETCH_S)
        finally:
            self._next_fetch_at = self._clock() + FETCH_PAUSE_S
            self._fetching = None
            done.set()


async def fetch_keys(issuer: str, fetch: FetchJson) -> Mapping[str, SigningKey]:
    """Return the usable keys that an issuer's metadata leads to, by their ids.

    Raises:
        UnusableAnswer: there is no such metadata, or none with usable keys.
    """
    address = _key_address(*await find_metadata(issuer, fetch))
    keys = dict(_read_keys(await fetch(address)))
    if not keys:
        raise UnusableAnswer(f"{address} has no key that can be used")
    return keys


async def find_metadata(issuer: str, fetch: FetchJson) -> tuple[JsonObject, str]:
    """Return the metadata of an issuer, which are its own (RFC 8414, 3.3), and their address.

    Raises:
        UnusableAnswer: there are none.
    """
    reasons: list[str] = []
    for address in metadata_addresses(issuer):
        try:
            metadata = await fetch(address)
        except UnusableAnswer as error:
            reasons.append(str(error))
            continue
        if isinstance(metadata, dict) and metadata.get("issuer") == issuer:
            return metadata, address
        reasons.append(f"{address} is not the metadata of {issuer}")
    raise UnusableAnswer("; ".join(reasons))


def metadata_addresses(issuer: str) -> Iterator[str]:
    """Return where an issuer's metadata may be: RFC 8414, OpenID Connect, in the order of MCP's clients."""
    parts = urlsplit(issuer)
    origin, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    yield f"{origin}/.well-known/oauth-authorization-server{path}"
    yield f"{origin}/.well-known/openid-configuration{path}"
    if path:
        yield f"{origin}{path}/.well-known/openid-configuration"


def _key_address(metadata: JsonObject, address: str) -> str:
    key_address = text_at(metadata, "jwks_uri")
    if not is_safe_address(key_address):
        raise UnusableAnswer(f"{address} names no https address of keys")
    return key_address


def _read_keys(key_set: JsonValue) -> Iterator[tuple[str, SigningKey]]:
    for entry in array_at(key_set, "keys")[:MAX_KEYS] if isinstance(key_set, dict) else ():
        if isinstance(entry, dict) and (key := _read_key(entry)) is not None:
            yield text_at(entry, "kid"), key


def _read_key(entry: JsonObject) -> SigningKey | None:
    """Return a key as a JSON Web Key gives it; None if it is secret, weak, unknown or not for signatures."""
    if not text_at(entry, "kid") or entry.get("use", "sig") != "sig":
        return None
    try:
        public_key = jwt.PyJWK(entry).key
    except (jwt.PyJWTError, ValueError, TypeError, KeyError):
        return None
    algorithms = tuple(name for name in _algorithms_of(public_key) if entry.get("alg", name) == name)
    return SigningKey(public_key, algorithms) if algorithms else None


def _algorithms_of(public_key: Any) -> tuple[str, ...]:
    match public_key:
        case rsa.RSAPublicKey() if public_key.key_size >= MIN_RSA_BITS:
            return RSA_ALGORITHMS
        case ec.EllipticCurvePublicKey() if public_key.curve.name in CURVE_ALGORITHMS:
            return (CURVE_ALGORITHMS[public_key.curve.name],)
        case ed25519.Ed25519PublicKey():
            return ("EdDSA",)
        case _:
            return ()


def _unavailable(issuer: str) -> BridgeError:
    message = (
        f"The bridge cannot check tokens now: the signing keys of {issuer} cannot be fetched. "
        "Try again in a minute; the log of the bridge says why."
    )
    return BridgeError(ErrorCode.AUTHORIZATION_UNAVAILABLE, message, retryable=True)
