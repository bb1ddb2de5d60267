"""A small real authorization server: Authlib's flows behind aiohttp, with pages to log in and to consent."""

import json
import secrets
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from html import escape
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from aiohttp import web
from authlib.oauth2.rfc6749 import AuthorizationServer, JsonRequest, OAuth2Error, OAuth2Request
from authlib.oauth2.rfc6749.grants import ClientCredentialsGrant
from authlib.oauth2.rfc6749.requests import BasicOAuth2Payload
from authlib.oauth2.rfc6750 import BearerTokenGenerator
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc8628 import DeviceCredentialDict
from joserfc.jwk import RSAKey

from tests.support.oauth.client_documents import read_client_document
from tests.support.oauth.grants import (
    CodeGrant,
    DeviceAuthorization,
    DeviceGrant,
    Identity,
    Registration,
    Revocation,
    RotatingGrant,
)
from tests.support.oauth.records import DEVICE_GRANT, SCOPES, Client, Code, Mischief, Token
from tests.support.web_servers import serving

TOKEN_SECONDS = 3600

Answer = tuple[int, Any, list[tuple[str, str]]]


class FormRequest(OAuth2Request):
    """A request as Authlib reads it; its address is written as https, which Authlib insists on."""

    def __init__(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        query: Mapping[str, str],
        form: Mapping[str, str],
    ) -> None:
        super().__init__(method, url.replace("http:", "https:", 1), headers=headers)
        self._args, self._form = query, form
        self.payload = _payload({**query, **form})

    @property
    def args(self) -> Mapping[str, str]:
        return self._args

    @property
    def form(self) -> Mapping[str, str]:
        return self._form


class _Flows(AuthorizationServer):
    """Authlib's server over the records; its answers are tuples."""

    def __init__(self, records: "OAuthServer") -> None:
        super().__init__(scopes_supported=SCOPES)
        self.records = records
        self.register_token_generator(
            "default",
            BearerTokenGenerator(_new_token, _new_token, records.lifetime_of),
        )
        self.register_grant(CodeGrant, [CodeChallenge(required=True), Identity(records)])
        for grant in (RotatingGrant, DeviceGrant, ClientCredentialsGrant):
            self.register_grant(grant)
        for endpoint in (Revocation, Registration, DeviceAuthorization):
            self.register_endpoint(endpoint(self))

    def query_client(self, client_id: str) -> Client | None:
        return self.records.clients.get(client_id)

    def save_token(self, token: dict[str, Any], request: OAuth2Request) -> None:
        self.records.keep_token(token, request)

    def send_signal(self, name: str, *_args: Any, **_more: Any) -> None:
        """Nobody listens."""

    def create_oauth2_request(self, request: OAuth2Request) -> OAuth2Request:
        return request

    def create_json_request(self, request: JsonRequest) -> JsonRequest:
        return request

    def handle_response(self, status: int, body: Any, headers: list[tuple[str, str]]) -> Answer:
        return status, body, headers


class OAuthServer:
    """Issues tokens for whoever says a name; a test looks at what it remembers, and sets its mischief."""

    def __init__(self) -> None:
        self.issuer = ""
        self.clients: dict[str, Client] = {}
        self.codes: dict[str, Code] = {}
        self.tokens: list[Token] = []
        self.devices: dict[str, DeviceCredentialDict] = {}
        self.confirmed: dict[str, bool] = {}
        """User codes of the device flow to whether they were allowed."""
        self.signing_key = RSAKey.generate_key(2048)
        self.token_seconds = TOKEN_SECONDS
        self.reads_client_documents = False
        """A client id that is an https address is looked up there."""
        self.mischief = Mischief()
        self.token_requests: list[dict[str, str]] = []
        """Forms that reached the token endpoint, preflights aside."""
        self.callers: list[tuple[str, str, bool]] = []
        """Of each request but those of windows: path, origin, and whether a cookie came."""
        self._flows = _Flows(self)

    def lifetime_of(self, _client: Client, _grant_type: str) -> int:
        """Seconds for which a new token is good."""
        return self.token_seconds

    def end_family(self, family: str) -> None:
        """End all tokens of one login."""
        for token in self.tokens:
            if token.family == family:
                token.is_revoked = True

    def keep_token(self, token: dict[str, Any], request: OAuth2Request) -> None:
        """Remember what was given out."""
        before = request.authorization_code or request.refresh_token
        assert request.payload is not None
        self.tokens.append(
            Token(
                token["access_token"],
                token.get("refresh_token"),
                request.client.client_id,
                request.user or request.client.client_id,
                token.get("scope", ""),
                before.family if before else secrets.token_hex(8),
                time.time() + self.token_seconds,
                resource=request.payload.data.get("resource", ""),
            )
        )

    def _note_caller(self, request: web.Request) -> None:
        self.callers.append((request.path, request.headers.get("Origin", ""), "Cookie" in request.headers))

    def find_token(self, access_token: str) -> Token | None:
        """The token of that text, whether or not it is still good."""
        return next((token for token in self.tokens if token.access_token == access_token), None)

    def grants(self, kind: str) -> int:
        """How often the token endpoint was asked by this grant."""
        return sum(form.get("grant_type") == kind for form in self.token_requests)

    def metadata(self) -> dict[str, Any]:
        """What it says of itself (RFC 8414)."""
        said: dict[str, Any] = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "revocation_endpoint": f"{self.issuer}/revoke",
            "registration_endpoint": f"{self.issuer}/register",
            "device_authorization_endpoint": f"{self.issuer}/device_authorization",
            "jwks_uri": f"{self.issuer}/keys",
            "scopes_supported": list(SCOPES),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query", "fragment"],
            "grant_types_supported": [
                "authorization_code",
                "refresh_token",
                "client_credentials",
                DEVICE_GRANT,
            ],
            "token_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
            "client_id_metadata_document_supported": self.reads_client_documents,
            **self.mischief.metadata,
        }
        return {name: value for name, value in said.items() if value is not None}

    async def describe(self, request: web.Request) -> web.Response:
        """RFC 8414's and OpenID's place alike."""
        self._note_caller(request)
        return _readable(web.json_response(self.metadata()), self.mischief.metadata_cors)

    async def show_consent(self, request: web.Request) -> web.Response:
        """Ask who it is, and whether the client may."""
        client_id = request.query.get("client_id", "")
        if self.reads_client_documents and client_id.startswith("https://"):
            described = await read_client_document(client_id)
            if described is not None:
                self.clients[client_id] = described
        asked = FormRequest("GET", str(request.url), request.headers, dict(request.query), {})
        try:
            grant = self._flows.get_consent_grant(asked, None)
        except OAuth2Error as error:
            return web.Response(status=400, text=f"This client may not log in: {error}")
        client, scopes = escape(grant.client.client_id), escape(request.query.get("scope", ""))
        return _page(
            f"<h1>Log in</h1><p>{client} asks for: {scopes or 'nothing in particular'}</p>"
            f'<form method="post" action="/authorize?{escape(request.query_string)}">'
            '<label>Your name <input name="user" value="ada"></label>'
            '<button name="choice" value="allow">Allow</button>'
            '<button name="choice" value="deny">Deny</button></form>'
        )

    async def decide_consent(self, request: web.Request) -> web.Response:
        """Send the browser back with a code, or with a refusal."""
        form = await _form_of(request)
        asked = FormRequest("GET", str(request.url), request.headers, dict(request.query), {})
        user = form["user"] if form["choice"] == "allow" else None
        grant = self._flows.get_consent_grant(asked, user)
        status, body, headers = self._flows.create_authorization_response(asked, user, grant)
        location = dict(headers).get("Location")
        if location is None:
            return web.json_response(body, status=status)
        return web.Response(status=303, headers={"Location": self._answer_address(location, request.query)})

    def _answer_address(self, location: str, asked: Mapping[str, str]) -> str:
        """Authlib's answer with `iss`, where the client wants it, and with the mischief."""
        parts, mischief = urlsplit(location), self.mischief
        said = dict(parse_qsl(parts.query))
        if not mischief.leaves_out_iss:
            said["iss"] = mischief.iss or self.issuer
        if mischief.state is not None:
            said["state"] = mischief.state
        if mischief.replays_code:
            said["code"] = mischief.replays_code
        answer = urlencode({name: value for name, value in said.items() if value})
        if asked.get("response_mode") == "fragment":
            return urlunsplit(parts._replace(query="", fragment=answer))
        return urlunsplit(parts._replace(query=answer))

    async def give_token(self, request: web.Request) -> web.Response:
        """The token endpoint."""
        if request.method == "OPTIONS":
            return _readable(web.Response(), self.mischief.token_cors)
        self._note_caller(request)
        form = await _form_of(request)
        self.token_requests.append(form)
        if self.mischief.token_redirect:
            moved = web.Response(status=307, headers={"Location": self.mischief.token_redirect})
            return _readable(moved, self.mischief.token_cors)
        answer = self._flows.create_token_response(_request_of(request, form))
        return _readable(_response(answer), self.mischief.token_cors)

    async def serve_endpoint(self, request: web.Request) -> web.Response:
        """Revocation and device authorization, which read forms."""
        if request.method == "OPTIONS":
            return _readable(web.Response(), self.mischief.token_cors)
        self._note_caller(request)
        name = {"/revoke": "revocation"}.get(request.path, "device_authorization")
        asked = _request_of(request, await _form_of(request))
        return _readable(
            _response(self._flows.create_endpoint_response(name, asked)), self.mischief.token_cors
        )

    async def register_client(self, request: web.Request) -> web.Response:
        """Dynamic registration (RFC 7591)."""
        if request.method == "OPTIONS":
            return _readable(web.Response(), self.mischief.token_cors)
        asked = JsonRequest("POST", str(request.url), request.headers)
        asked.payload = _payload(await request.json())
        answer = self._flows.create_endpoint_response("client_registration", asked)
        return _readable(_response(answer), self.mischief.token_cors)

    async def show_device(self, request: web.Request) -> web.Response:
        """Where the user confirms a code on another device."""
        if request.method == "POST":
            form = await _form_of(request)
            self.confirmed[form["user_code"]] = form["choice"] == "allow"
            return _page("<h1>Done</h1><p>You can go back.</p>")
        code = escape(request.query.get("user_code", ""))
        return _page(
            f'<h1>Confirm a device</h1><form method="post"><input name="user_code" value="{code}">'
            '<button name="choice" value="allow">Allow</button>'
            '<button name="choice" value="deny">Deny</button></form>'
        )


@asynccontextmanager
async def oauth_server() -> AsyncGenerator[OAuthServer]:
    """An authorization server on this machine."""
    server = OAuthServer()
    app = web.Application()
    for path in ("oauth-authorization-server", "openid-configuration"):
        app.router.add_get(f"/.well-known/{path}", server.describe)
    app.router.add_get("/authorize", server.show_consent)
    app.router.add_post("/authorize", server.decide_consent)
    app.router.add_route("*", "/token", server.give_token)
    app.router.add_route("*", "/revoke", server.serve_endpoint)
    app.router.add_route("*", "/device_authorization", server.serve_endpoint)
    app.router.add_route("*", "/register", server.register_client)
    app.router.add_route("*", "/device", server.show_device)
    async with serving(app) as server.issuer:
        yield server


def _payload(data: Mapping[str, str]) -> Any:
    return BasicOAuth2Payload(dict(data))


def _request_of(request: web.Request, form: Mapping[str, str]) -> FormRequest:
    return FormRequest(request.method, str(request.url), request.headers, {}, form)


async def _form_of(request: web.Request) -> dict[str, str]:
    return {name: str(value) for name, value in (await request.post()).items()}


def _response(answer: Answer) -> web.Response:
    status, body, headers = answer
    text = body if isinstance(body, str) else json.dumps(body)
    kept = {name: value for name, value in headers if name.lower() not in ("content-type", "content-length")}
    return web.Response(status=status, text=text, content_type="application/json", headers=kept)


def _readable(response: web.Response, is_readable: bool) -> web.Response:
    """The same response, which pages of every origin may read, or not."""
    if is_readable:
        response.headers["Access-Control-Allow-Origin"] = "*"
        response.headers["Access-Control-Allow-Headers"] = "authorization, content-type"
    return response


def _page(body: str) -> web.Response:
    """A page that nobody may keep a hold of: many providers send this policy, which cuts `window.opener`."""
    headers = {"Cross-Origin-Opener-Policy": "same-origin"}
    text = f"<!doctype html><html lang=en><title>Login</title>{body}</html>"
    return web.Response(text=text, content_type="text/html", headers=headers)


def _new_token(**_about: Any) -> str:
    return secrets.token_urlsafe(24)
