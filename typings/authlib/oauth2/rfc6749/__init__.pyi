"""The part of Authlib that the tests' authorization server uses; Authlib has no types of its own."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

class OAuth2Error(Exception): ...
class InvalidGrantError(OAuth2Error): ...
class ClientMixin: ...
class TokenMixin: ...

class OAuth2Payload:
    data: Mapping[str, str]
    client_id: str
    redirect_uri: str
    scope: str
    state: str | None

class OAuth2Request:
    payload: OAuth2Payload | None
    client: Any
    user: Any
    scope: str
    authorization_code: Any
    refresh_token: Any
    credential: Any
    auth_method: str | None
    def __init__(
        self, method: str, uri: str, body: None = None, headers: Mapping[str, str] | None = None
    ) -> None: ...

class JsonRequest:
    payload: Any
    def __init__(self, method: str, uri: str, headers: Mapping[str, str] | None = None) -> None: ...

class Grant:
    client: Any
    request: OAuth2Request

class AuthorizationServer:
    def __init__(self, scopes_supported: Sequence[str] | None = None) -> None: ...
    def register_grant(self, grant_cls: type, extensions: Sequence[Any] | None = None) -> None: ...
    def register_endpoint(self, endpoint: Any) -> None: ...
    def register_token_generator(self, grant_type: str, func: Any) -> None: ...
    def get_consent_grant(self, request: Any, end_user: Any = None) -> Grant: ...
    def create_authorization_response(
        self, request: Any, grant_user: Any = None, grant: Any = None
    ) -> Any: ...
    def create_token_response(self, request: Any) -> Any: ...
    def create_endpoint_response(self, name: str, request: Any) -> Any: ...

class AuthorizationCodeMixin: ...

class BaseGrant:
    TOKEN_ENDPOINT_AUTH_METHODS: ClassVar[Sequence[str]]
    request: OAuth2Request
    server: Any
    def save_token(self, token: dict[str, Any]) -> Any: ...
