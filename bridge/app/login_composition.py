"""What logs people in, where a provider is set."""

from __future__ import annotations

from bridge.auth.id_tokens import IdTokens
from bridge.auth.identity import Identity
from bridge.auth.logins import Logins
from bridge.auth.openid_provider import ClientCredentials, OpenIdProvider, ProviderRequests
from bridge.auth.signing_keys import SigningKeys
from bridge.http.json_fetch import fetch_json, fetch_json_as, send_form
from bridge.settings.login import LoginSettings
from bridge.storage.accounts.logins import LoginTable
from bridge.storage.store import Store
from bridge.storage.users import UserTables
from bridge.tasks import Tasks


def compose_provider(settings: LoginSettings) -> OpenIdProvider | None:
    """Build the provider that is set; None without one."""
    issuer, client_id = settings.oidc_issuer, settings.oidc_client_id
    if issuer is None or client_id is None:
        return None
    client = ClientCredentials(client_id, settings.oidc_client_secret)
    return OpenIdProvider(issuer, client, ProviderRequests(fetch_json, fetch_json_as, send_form))


def compose_logins(
    settings: LoginSettings, identity: Identity, store: Store, base_url: str, tasks: Tasks
) -> Logins | None:
    """Build it; None without a provider. Nothing is fetched before somebody logs in."""
    provider = compose_provider(settings)
    if provider is None:
        return None
    keys = SigningKeys(provider.issuer, fetch_json, tasks)
    tokens = IdTokens(provider.issuer, provider.client.client_id, keys)
    return Logins(
        provider,
        tokens,
        settings,
        identity,
        table=LoginTable(store),
        users=UserTables(store),
        base_url=base_url,
    )
