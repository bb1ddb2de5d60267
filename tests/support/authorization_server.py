"""An authorization server of a test's own: metadata, keys, and tokens signed by them."""

import base64
import hashlib
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

import jwt
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from bridge.auth.signing_keys import UnusableAnswer
from tests.support.web_servers import serving

ISSUER = "https://login.example/realms/main"
AUDIENCE = "https://bridge.example/mcp"
KEYS_PATH = "/keys"

PrivateKey = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey
Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


def new_key() -> ec.EllipticCurvePrivateKey:
    """A key for ES256, which is made a thousand times faster than one for RS256."""
    return ec.generate_private_key(ec.SECP256R1())


def public_jwk(key: PrivateKey, key_id: str, **more: Any) -> dict[str, Any]:
    """The JSON Web Key that a server publishes."""
    public = (
        RSAAlgorithm.to_jwk(key.public_key())
        if isinstance(key, rsa.RSAPrivateKey)
        else ECAlgorithm.to_jwk(key.public_key())
    )
    return {**json.loads(public), "kid": key_id, "use": "sig", **more}


@dataclass
class AuthorizationServer:
    """Issues tokens for the user `ada`; a test changes what it publishes."""

    issuer: str = ISSUER
    audience: str = AUDIENCE
    key: PrivateKey = field(default_factory=new_key)
    key_id: str = "key-1"
    published: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """JSON Web Keys; the server's own one at first."""
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    """What its metadata say differently."""
    metadata_path: str = ""
    """Where they are; "" for RFC 8414's place."""
    requested: list[str] = field(default_factory=list[str])
    """Paths that were asked for."""
    answer_keys: Answer | None = None
    """How it answers for its keys over HTTP, if not as it should."""
    granted: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    """Resource and scope of each code that was redeemed."""
    _codes: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    """Codes to what was asked for with them."""

    def __post_init__(self) -> None:
        self.published = [public_jwk(self.key, self.key_id)]

    def rotate_key(self, key_id: str) -> None:
        """Sign by a new key from now on, and publish no other."""
        self.key, self.key_id = new_key(), key_id
        self.published = [public_jwk(self.key, key_id)]

    def sign(
        self,
        *,
        key: Any = None,
        algorithm: str = "ES256",
        header: dict[str, Any] | None = None,
        **claims: Any,
    ) -> str:
        """An access token; None leaves a claim out, and in `header` a field."""
        now = int(time.time())
        said = {
            "iss": self.issuer,
            "aud": self.audience,
            "sub": "ada-1",
            "name": "Ada",
            "client_id": "claude",
            "iat": now,
            "exp": now + 300,
            **claims,
        }
        given = {name: value for name, value in said.items() if value is not None}
        headers = {"kid": self.key_id, "typ": "at+jwt", **(header or {})}
        return jwt.encode(given, self.key if key is None else key, algorithm, headers)

    def document(self, path: str) -> Any:
        """What it publishes at a path, or None."""
        issuer = urlsplit(self.issuer)
        place = self.metadata_path or f"/.well-known/oauth-authorization-server{issuer.path.rstrip('/')}"
        if path == place:
            origin = f"{issuer.scheme}://{issuer.netloc}"
            return {
                "issuer": self.issuer,
                "jwks_uri": f"{origin}{KEYS_PATH}",
                "authorization_endpoint": f"{origin}/authorize",
                "token_endpoint": f"{origin}/token",
                "registration_endpoint": f"{origin}/register",
                "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
                "authorization_response_iss_parameter_supported": True,
                **self.metadata,
            }
        return {"keys": self.published} if path == KEYS_PATH else None

    async def fetch(self, url: str) -> Any:
        """What the bridge would fetch, without a network."""
        path = urlsplit(url).path
        self.requested.append(path)
        found = self.document(path)
        if found is None:
            raise UnusableAnswer(f"{url} answered with status 404")
        return found

    async def respond(self, request: web.Request) -> web.StreamResponse:
        """The same over HTTP."""
        self.requested.append(request.path)
        if request.path == KEYS_PATH and self.answer_keys is not None:
            return await self.answer_keys(request)
        found = self.document(request.path)
        return web.Response(status=404) if found is None else web.json_response(found)

    async def register_client(self, request: web.Request) -> web.Response:
        """Any client may register (RFC 7591)."""
        return web.json_response({**await request.json(), "client_id": "registered-1"}, status=201)

    async def authorize(self, request: web.Request) -> web.Response:
        """Its one user is always signed in, and always agrees."""
        asked, code = dict(request.query), f"code-{len(self._codes)}"
        self._codes[code] = asked
        said = urlencode({"code": code, "state": asked["state"], "iss": self.issuer})
        return web.Response(status=302, headers={"Location": f"{asked['redirect_uri']}?{said}"})

    async def redeem_code(self, request: web.Request) -> web.Response:
        """A token for the resource that was asked for, to whoever knows the verifier (RFC 7636)."""
        form = await request.post()
        asked = self._codes.pop(str(form["code"]))
        digest = hashlib.sha256(str(form["code_verifier"]).encode()).digest()
        assert asked["code_challenge"] == base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        assert form["resource"] == asked["resource"]
        self.granted.append({name: asked[name] for name in ("resource", "scope")})
        token = self.sign(aud=asked["resource"], scope=asked["scope"], client_id=asked["client_id"])
        return web.json_response({"access_token": token, "token_type": "Bearer", "expires_in": 300})


@asynccontextmanager
async def authorization_server() -> AsyncGenerator[AuthorizationServer]:
    """An authorization server that listens on this machine."""
    server = AuthorizationServer()
    app = web.Application()
    app.router.add_post("/register", server.register_client)
    app.router.add_get("/authorize", server.authorize)
    app.router.add_post("/token", server.redeem_code)
    app.router.add_get("/{path:.*}", server.respond)
    async with serving(app, notices_hang_up=True) as origin:
        server.issuer = origin
        yield server
