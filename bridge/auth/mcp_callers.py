"""Who asks at the MCP endpoints: holders of API keys, and of access tokens where OAuth is set up."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Container

from multidict import CIMultiDictProxy

from bridge.auth.access_tokens import AccessTokens
from bridge.auth.forwarded_users import user_at_issuer
from bridge.auth.identity import Caller, Identity, bearer_token
from bridge.errors import BridgeError, ErrorCode
from bridge.storage.users import KEY_PREFIX

QUERY_TOKEN = "access_token"
"""Name of RFC 6750's parameter for a token in an address, where logs and histories would keep it."""

CLIENT_KEY_CHARS = 32
"""Characters of the id that stands for a client, as many as the id of a key has."""


class McpCallers:
    """Recognizes the callers at the MCP endpoints."""

    def __init__(self, identity: Identity, tokens: AccessTokens | None) -> None:
        """`tokens`: None where keys are the only way in."""
        self._identity = identity
        self._tokens = tokens

    def authenticate(
        self, headers: CIMultiDictProxy[str], query: Container[str], server: str | None
    ) -> Awaitable[Caller]:
        """Await this for the caller at the endpoint of one server, or of all together.

        Raises:
            BridgeError: `unauthorized`, `unverified_user`; with OAuth also `insufficient_scope`,
                `authorization_unavailable`, and `invalid_request` for a token in the address.
        """
        if self._tokens is None:
            return self._identity.authenticate_reader(headers)
        return self._authenticate_by_token(self._tokens, headers, query, server)

    async def _authenticate_by_token(
        self, tokens: AccessTokens, headers: CIMultiDictProxy[str], query: Container[str], server: str | None
    ) -> Caller:
        if QUERY_TOKEN in query:
            message = (
                "A token in an address would be stored in logs: send it as Authorization: Bearer <token>."
            )
            raise BridgeError(ErrorCode.INVALID_REQUEST, message)
        token = bearer_token(headers)
        if not token or token.startswith(KEY_PREFIX):
            return await self._identity.authenticate_reader(headers)
        said = await tokens.read_token(token, server)
        user = await self._identity.ensure_user(
            user_at_issuer(tokens.issuer, said.subject, said.display_name)
        )
        key_id = _client_key(said.client)
        client = said.client.encode("utf-8", "replace").decode()  # half a character travels to no replica
        return Caller(user, None, key_id=key_id, client=client, ends_at=said.expires_at)


def _client_key(client: str) -> str:
    """Return what stands for a client where the id of a key would: client ids may be long."""
    named = f"oauth client {client}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(named).hexdigest()[:CLIENT_KEY_CHARS]
