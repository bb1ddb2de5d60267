"""What the authorization server remembers: clients, codes and tokens."""

from dataclasses import dataclass, field
from time import time

from authlib.oauth2.rfc6749 import AuthorizationCodeMixin, ClientMixin, TokenMixin

DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
SCOPES = ("openid", "offline_access", "read:notes", "write:notes")


@dataclass
class Client(ClientMixin):
    """A client; without a secret a public one."""

    client_id: str
    redirect_uris: tuple[str, ...] = ()
    secret: str = ""
    grants: tuple[str, ...] = ("authorization_code", "refresh_token", DEVICE_GRANT)

    def get_client_id(self) -> str:
        return self.client_id

    def get_default_redirect_uri(self) -> str:
        return self.redirect_uris[0]

    def get_allowed_scope(self, scope: str | None) -> str:
        return " ".join(name for name in (scope or "").split() if name in SCOPES)

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return redirect_uri in self.redirect_uris

    def check_client_secret(self, client_secret: str) -> bool:
        return client_secret == self.secret

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        del endpoint
        return (method == "none") == (self.secret == "")

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type in self.grants


@dataclass
class Code(AuthorizationCodeMixin):
    """An authorization code."""

    code: str
    client_id: str
    redirect_uri: str
    scope: str
    user: str
    code_challenge: str | None
    code_challenge_method: str | None
    nonce: str | None
    family: str
    is_used: bool = False

    def get_redirect_uri(self) -> str:
        return self.redirect_uri

    def get_scope(self) -> str:
        return self.scope

    def get_nonce(self) -> str | None:
        return self.nonce

    def get_auth_time(self) -> int:
        return int(time())

    def get_acr(self) -> None:
        return None

    def get_amr(self) -> None:
        return None


@dataclass
class Token(TokenMixin):
    """An access token and the refresh token that came with it."""

    access_token: str
    refresh_token: str | None
    client_id: str
    user: str
    scope: str
    family: str
    """Tokens of one login; the reuse of a refresh token ends them all."""
    expires_at: float
    is_revoked: bool = False
    is_renewed: bool = False
    """Its refresh token was used."""
    resource: str = ""

    def check_client(self, client: Client) -> bool:
        return client.client_id == self.client_id

    def get_scope(self) -> str:
        return self.scope

    @property
    def is_good(self) -> bool:
        return not self.is_revoked and time() < self.expires_at


@dataclass
class Mischief:
    """What the server does wrong, or does not do; by default nothing."""

    token_cors: bool = True
    metadata_cors: bool = True
    iss: str | None = None
    """`iss` of answers, in place of the issuer."""
    leaves_out_iss: bool = False
    state: str | None = None
    """`state` of answers; "" leaves it out."""
    replays_code: str = ""
    """A code that was used before, given out again."""
    token_redirect: str = ""
    """Where the token endpoint sends its callers."""
    confirms_at: str = ""
    """Another server's page, where users confirm the device codes that it hands out."""
    metadata: dict[str, object] = field(default_factory=dict[str, object])
    """What its metadata say differently; None leaves out."""
