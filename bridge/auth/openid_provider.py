"""An OpenID Connect provider as its client sees it: where to send browsers, and what a code is worth.

What the provider says of itself is fetched when the first person logs in, and again every `FRESH_S`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import quote, urlencode

from bridge.auth.signing_keys import FRESH_S, FetchJson, UnusableAnswer, find_metadata
from bridge.settings.oauth import is_safe_address
from toolserver.json_types import JsonObject, JsonValue, array_at, text_at

RETRY_S = 1.0
"""Seconds for which a provider is not asked again what it is that did not say so."""


class SendForm(Protocol):
    """Sends a form and returns the JSON that answers it, or raises `UnusableAnswer`."""

    async def __call__(
        self, url: str, form: Mapping[str, str], *, basic: tuple[str, str] | None
    ) -> JsonValue:
        """Send it. `basic`: name and password for HTTP Basic authentication."""
        ...


class FetchAs(Protocol):
    """Returns the JSON at an address for the holder of a token, or raises `UnusableAnswer`."""

    async def __call__(self, url: str, *, token: str) -> JsonValue:
        """Fetch it."""
        ...


@dataclass(frozen=True, slots=True)
class ProviderRequests:
    """How the provider is reached: over TLS or on this machine, without redirects, in bounded time."""

    fetch: FetchJson
    fetch_as: FetchAs
    send_form: SendForm


@dataclass(frozen=True, slots=True)
class ClientCredentials:
    """As whom the bridge speaks to the provider."""

    client_id: str
    secret: str | None
    """None: a public client."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a code was worth."""

    id_token: str
    access_token: str


@dataclass(frozen=True, slots=True)
class _Endpoints:
    authorization: str
    token: str
    user_info: str
    """"" if there is none."""
    end_session: str
    takes_basic: bool
    """Whether the client may show its secret by HTTP Basic authentication, as it does by default."""
    names_itself: bool
    """Whether every answer names its issuer (RFC 9207)."""
    read_at: float


class OpenIdProvider:
    """One provider, for one client.

    Raises, every coroutine:
        UnusableAnswer: it cannot be reached, or answers with something else; the text is for the operator.
    """

    def __init__(
        self,
        issuer: str,
        client: ClientCredentials,
        requests: ProviderRequests,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.issuer = issuer
        self.client = client
        self._requests = requests
        self._clock = clock
        self._known: _Endpoints | None = None
        self._asking = asyncio.Lock()
        self._asked_in_vain = (float("-inf"), "")
        """When it last did not say what it is, and why."""

    async def authorization_url(self, parameters: Mapping[str, str]) -> str:
        """Return the address at which a person logs in."""
        return _with_query((await self._endpoints()).authorization, parameters)

    async def end_session_url(self, parameters: Mapping[str, str]) -> str | None:
        """Return the address at which a person ends the session with the provider; None if it has none."""
        address = (await self._endpoints()).end_session
        return _with_query(address, parameters) if address else None

    async def is_its_own(self, answer_issuer: str | None) -> bool:
        """Return whether an answer that names this issuer, or none, can be this provider's (RFC 9207)."""
        if answer_issuer is None:
            return not (await self._endpoints()).names_itself
        return answer_issuer == self.issuer

    async def redeem_code(self, code: str, verifier: str, redirect_uri: str) -> Tokens:
        """Return the tokens for a code; a code can be redeemed once."""
        endpoints = await self._endpoints()
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": verifier,
        }
        client_id, secret = self.client.client_id, self.client.secret
        basic = None
        if secret is None:
            form["client_id"] = client_id
        elif endpoints.takes_basic:
            basic = (quote(client_id, safe=""), quote(secret, safe=""))  # RFC 6749, 2.3.1
        else:
            form |= {"client_id": client_id, "client_secret": secret}
        answer = await self._requests.send_form(endpoints.token, form, basic=basic)
        id_token = text_at(answer, "id_token") if isinstance(answer, dict) else ""
        if not isinstance(answer, dict) or not id_token:
            raise UnusableAnswer(f"{endpoints.token} sent no ID token")
        return Tokens(id_token, text_at(answer, "access_token"))

    async def read_further_claims(self, tokens: Tokens, subject: str) -> JsonObject:
        """Return the further claims of a user; none if the provider tells them nowhere else."""
        address = (await self._endpoints()).user_info
        if not address or not tokens.access_token:
            return {}
        claims = await self._requests.fetch_as(address, token=tokens.access_token)
        if not isinstance(claims, dict) or claims.get("sub") != subject:  # OpenID Connect Core, 5.3.2
            raise UnusableAnswer(f"{address} answered for another user")
        return claims

    async def _endpoints(self) -> _Endpoints:
        """Return what is known, fetched anew if it is old; older than that while the provider is away."""
        if (known := self._known) is not None and self._clock() < known.read_at + FRESH_S:
            return known
        async with self._asking:  # anybody may begin a login, and each is one request at most
            return await self._ask_anew()

    async def _ask_anew(self) -> _Endpoints:
        known, (failed_at, why) = self._known, self._asked_in_vain
        if known is not None and self._clock() < known.read_at + FRESH_S:  # another one has asked meanwhile
            return known
        if self._clock() >= failed_at + RETRY_S:
            try:
                metadata, address = await find_metadata(self.issuer, self._requests.fetch)
            except UnusableAnswer as error:
                why = str(error)
                self._asked_in_vain = (self._clock(), why)
            else:
                self._known = _read_endpoints(metadata, address, self._clock())
                return self._known
        if known is None:
            raise UnusableAnswer(why)
        return known


def _read_endpoints(metadata: JsonObject, address: str, now: float) -> _Endpoints:
    required = {name: text_at(metadata, name) for name in ("authorization_endpoint", "token_endpoint")}
    for name, url in required.items():
        if not is_safe_address(url):
            raise UnusableAnswer(f"{address} names no https address as {name}")
    methods = array_at(metadata, "token_endpoint_auth_methods_supported")
    return _Endpoints(
        authorization=required["authorization_endpoint"],
        token=required["token_endpoint"],
        user_info=_optional(metadata, "userinfo_endpoint"),
        end_session=_optional(metadata, "end_session_endpoint"),
        takes_basic=not methods or "client_secret_basic" in methods,
        names_itself=metadata.get("authorization_response_iss_parameter_supported") is True,
        read_at=now,
    )


def _optional(metadata: JsonObject, name: str) -> str:
    url = text_at(metadata, name)
    return url if is_safe_address(url) else ""


def _with_query(address: str, parameters: Mapping[str, str]) -> str:
    return f"{address}{'&' if '?' in address else '?'}{urlencode(parameters)}"
