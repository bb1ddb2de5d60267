"""What recognizes callers at the MCP endpoints, with or without an authorization server."""

from __future__ import annotations

from dataclasses import dataclass

from bridge.auth.access_tokens import AccessTokens
from bridge.auth.identity import Identity
from bridge.auth.mcp_callers import McpCallers
from bridge.auth.resource_server import ResourceServer
from bridge.auth.signing_keys import SigningKeys
from bridge.http.json_fetch import fetch_json
from bridge.settings.oauth import OAuthSettings
from bridge.tasks import Tasks


@dataclass(frozen=True, slots=True)
class OAuthComponents:
    """The bridge as an OAuth resource server."""

    resource: ResourceServer | None
    """None where keys are the only way in."""
    callers: McpCallers


def compose_oauth(
    settings: OAuthSettings, identity: Identity, base_url: str, tasks: Tasks
) -> OAuthComponents:
    """Build it; nothing is fetched before the first token comes."""
    issuer = settings.oauth_issuer
    if issuer is None:
        return OAuthComponents(None, McpCallers(identity, None))
    resource = ResourceServer(issuer, base_url, settings.oauth_audience, settings.oauth_scopes)
    keys = SigningKeys(issuer, fetch_json, tasks)
    tokens = AccessTokens(resource, keys, user_claim=settings.oauth_user_claim)
    return OAuthComponents(resource, McpCallers(identity, tokens))
