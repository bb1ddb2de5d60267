"""Authlib's grants and endpoints over the records of one server."""

from time import time
from typing import Any, Protocol
from uuid import uuid4

from authlib.oauth2.rfc6749 import InvalidGrantError, JsonRequest, OAuth2Request
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant, RefreshTokenGrant
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7591 import ClientRegistrationEndpoint
from authlib.oauth2.rfc8628 import DeviceAuthorizationEndpoint, DeviceCodeGrant, DeviceCredentialDict
from authlib.oidc.core import OpenIDCode

from tests.support.oauth.records import SCOPES, Client, Code, Token

POLL_S = 1
"""Seconds between questions of the device flow."""


class Records(Protocol):
    """What the grants read and write."""

    issuer: str
    clients: dict[str, Client]
    codes: dict[str, Code]
    tokens: list[Token]
    devices: dict[str, DeviceCredentialDict]
    confirmed: dict[str, bool]
    signing_key: Any

    def end_family(self, family: str) -> None: ...


class CodeGrant(AuthorizationCodeGrant):
    """Codes that work once; the second use ends what the first gave (RFC 6749 §4.1.2)."""

    TOKEN_ENDPOINT_AUTH_METHODS = ("client_secret_basic", "client_secret_post", "none")

    def save_authorization_code(self, code: str, request: OAuth2Request) -> None:
        assert request.payload is not None
        asked = request.payload.data
        self.server.records.codes[code] = Code(
            code,
            request.client.client_id,
            asked["redirect_uri"],
            request.scope,
            request.user,
            asked.get("code_challenge"),
            asked.get("code_challenge_method"),
            asked.get("nonce"),
            uuid4().hex,
        )

    def query_authorization_code(self, code: str, client: Client) -> Code | None:
        found = self.server.records.codes.get(code)
        if found is None or found.client_id != client.client_id:
            return None
        if found.is_used:
            self.server.records.end_family(found.family)
            raise InvalidGrantError("This code was used before.")
        self.request.authorization_code = found
        return found

    def delete_authorization_code(self, authorization_code: Code) -> None:
        authorization_code.is_used = True

    def authenticate_user(self, authorization_code: Code) -> str:
        return authorization_code.user


class RotatingGrant(RefreshTokenGrant):
    """Refresh tokens that work once; the second use ends the login (RFC 9700 §4.14.2)."""

    TOKEN_ENDPOINT_AUTH_METHODS = ("client_secret_basic", "client_secret_post", "none")
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token: str) -> Token | None:
        found = next(
            (token for token in self.server.records.tokens if token.refresh_token == refresh_token), None
        )
        if found is None or found.is_revoked:
            return None
        if found.is_renewed:
            self.server.records.end_family(found.family)
            raise InvalidGrantError("This refresh token was used before.")
        return found

    def authenticate_user(self, refresh_token: Token) -> str:
        return refresh_token.user

    def revoke_old_credential(self, refresh_token: Token) -> None:
        refresh_token.is_renewed = True


class DeviceGrant(DeviceCodeGrant):
    """The device flow; its one user is ada."""

    def query_device_credential(self, device_code: str) -> DeviceCredentialDict | None:
        return self.server.records.devices.get(device_code)

    def query_user_grant(self, user_code: str) -> tuple[str, bool] | None:
        allowed = self.server.records.confirmed.get(user_code)
        return None if allowed is None else ("ada", allowed)

    def should_slow_down(self, credential: DeviceCredentialDict) -> bool:
        del credential
        return False


class Revocation(RevocationEndpoint):
    """Ends a whole login by any token of it."""

    CLIENT_AUTH_METHODS = ("client_secret_basic", "client_secret_post", "none")

    def query_token(self, token_string: str, token_type_hint: str | None) -> Token | None:
        del token_type_hint
        return next(
            (
                one
                for one in self.server.records.tokens
                if token_string in (one.access_token, one.refresh_token)
            ),
            None,
        )

    def revoke_token(self, token: Token, request: OAuth2Request) -> None:
        del request
        self.server.records.end_family(token.family)


class Registration(ClientRegistrationEndpoint):
    """Any public client may register."""

    def authenticate_token(self, request: JsonRequest) -> str:
        del request
        return "everybody"

    def get_server_metadata(self) -> dict[str, Any]:
        return {"scopes_supported": SCOPES}

    def name_client(self, request: JsonRequest) -> dict[str, Any]:
        """A public client has no secret, not even an empty one."""
        del request
        return {"client_id": uuid4().hex, "client_id_issued_at": int(time())}

    generate_client_info = name_client

    def save_client(
        self, client_info: dict[str, Any], client_metadata: dict[str, Any], request: JsonRequest
    ) -> Client:
        del request
        client = Client(client_info["client_id"], tuple(client_metadata["redirect_uris"]))
        self.server.records.clients[client.client_id] = client
        return client


class DeviceAuthorization(DeviceAuthorizationEndpoint):
    """Hands out device codes."""

    INTERVAL = POLL_S

    def get_verification_uri(self) -> str:
        records = self.server.records
        return records.mischief.confirms_at or f"{records.issuer}/device"

    def save_device_credential(self, client_id: str, scope: str, data: dict[str, Any]) -> None:
        credential = DeviceCredentialDict(client_id=client_id, scope=scope, **data)
        self.server.records.devices[data["device_code"]] = credential


class Identity(OpenIDCode):
    """Identity tokens, for logins that ask for `openid`."""

    def __init__(self, records: Records) -> None:
        super().__init__()
        self.records = records

    def exists_nonce(self, nonce: str, request: OAuth2Request) -> bool:
        del request
        return any(code.nonce == nonce for code in self.records.codes.values())

    def resolve_client_private_key(self, client: Client) -> Any:
        del client
        return self.records.signing_key

    def get_client_algorithm(self, client: Client) -> str:
        del client
        return "RS256"

    def get_client_claims(self, client: Client) -> dict[str, Any]:
        return {"iss": self.records.issuer, "aud": [client.client_id]}

    def name_user(self, user: str, scope: str) -> dict[str, str]:
        del scope
        return {"sub": f"{user}-1", "preferred_username": user}

    generate_user_info = name_user
