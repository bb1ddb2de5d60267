"""The bridge as an OAuth resource server: what its MCP endpoints are called, and what clients are told.

RFC 9728 (protected resource metadata), RFC 6750 (challenges), RFC 8707 (audiences). Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from bridge.errors import ErrorCode
from bridge.settings.path_prefix import prefix_of
from toolserver.json_types import JsonObject

METADATA_PATH = "/.well-known/oauth-protected-resource"
"""Path of the metadata at the origin; the path of an endpoint may follow (RFC 9728, 3.1)."""

_CHALLENGES: Mapping[ErrorCode, str] = {
    ErrorCode.UNAUTHORIZED: "invalid_token",
    ErrorCode.INSUFFICIENT_SCOPE: "insufficient_scope",
}
"""Errors that a client can mend by another token, and their names in RFC 6750."""


@dataclass(frozen=True, slots=True)
class ResourceServer:
    """The MCP endpoints of one bridge, for the clients of one authorization server."""

    issuer: str
    base_url: str
    audience: str | None = None
    """What the audience of a token must be at every endpoint; None: the endpoint's address."""
    scopes: tuple[str, ...] = ()
    """Scopes that a token must have."""

    def audience_at(self, server: str | None) -> str:
        """Return the audience that a token for an endpoint has: of one server's, or of all together."""
        return self.audience or self.base_url + endpoint_path(server)

    def metadata(self, server: str | None) -> JsonObject:
        """Return the metadata of an endpoint (RFC 9728, 2)."""
        found: JsonObject = {
            "resource": self.base_url + endpoint_path(server),
            "authorization_servers": [self.issuer],
            "bearer_methods_supported": ["header"],
            "resource_name": "Direct Tool Bridge",
        }
        return {**found, "scopes_supported": [*self.scopes]} if self.scopes else found

    def metadata_url(self, server: str | None) -> str:
        """Return where the metadata of an endpoint is: its place comes before a path prefix of the bridge."""
        prefix = prefix_of(self.base_url)
        origin = self.base_url.removesuffix(prefix)
        return f"{origin}{METADATA_PATH}{prefix}{endpoint_path(server)}"

    def challenge(self, code: ErrorCode, server: str | None, *, had_token: bool) -> str | None:
        """Return the value of `WWW-Authenticate` for an error; None where another token would not help."""
        error = _CHALLENGES.get(code)
        if error is None:
            return None
        parts = [f'resource_metadata="{self.metadata_url(server)}"']
        if self.scopes:
            parts.append(f'scope="{" ".join(self.scopes)}"')
        if had_token:  # RFC 6750, 3.1: a request without any token has made no mistake
            parts.insert(0, f'error="{error}"')
        return "Bearer " + ", ".join(parts)


def bearer_challenge(*, had_token: bool) -> str:
    """Return the value of `WWW-Authenticate` where a key of the bridge is all that would help."""
    return 'Bearer realm="Direct Tool Bridge"' + (', error="invalid_token"' if had_token else "")


def endpoint_path(server: str | None) -> str:
    """Return the path of the MCP endpoint of one server, or of all together."""
    return "/mcp" if server is None else f"/servers/{quote(server, safe='')}/mcp"
