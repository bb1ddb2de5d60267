"""An OpenID Connect provider of a test's own, which says whatever the test wants it to say."""

import base64
import hashlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from aiohttp import encode_basic_auth, web

from tests.support.authorization_server import AuthorizationServer
from tests.support.web_servers import serving

CLIENT_ID = "tool-bridge"
CLIENT_SECRET = "s3cret/+"


@dataclass
class LoginProvider(AuthorizationServer):
    """Everybody who comes is Ada, and has agreed."""

    claims: dict[str, Any] = field(default_factory=dict[str, Any])
    """What its ID tokens say differently; None leaves a claim out."""
    user_info: dict[str, Any] | None = None
    """What it tells of a user elsewhere; None: nothing."""
    denial: str = ""
    """The error with which it sends browsers back."""
    redeemed: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    """Forms that came to its token endpoint."""
    _asked: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])

    def document(self, path: str) -> Any:
        """What it publishes at a path, or None."""
        self.metadata_path = "/.well-known/openid-configuration"
        more = {} if self.user_info is None else {"userinfo_endpoint": f"{self.issuer}/userinfo"}
        found = super().document(path)
        return {**found, **more} if path == self.metadata_path else found

    async def authorize(self, request: web.Request) -> web.Response:
        """Send the browser back, with a code or an error."""
        asked, code = dict(request.query), f"code-{len(self._asked)}"
        self._asked[code] = asked
        said = {"error": self.denial} if self.denial else {"code": code}
        said |= {"state": asked["state"], "iss": self.issuer}
        raise web.HTTPFound(f"{asked['redirect_uri']}?{urlencode(said)}")

    async def redeem_code(self, request: web.Request) -> web.Response:
        """An ID token for the code, once, to the client that knows its secret and the verifier."""
        form = {name: str(value) for name, value in (await request.post()).items()}
        self.redeemed.append(form)
        shown = request.headers["Authorization"]
        asked = self._asked.pop(form["code"], None)
        if asked is None or shown != encode_basic_auth(CLIENT_ID, "s3cret%2F%2B"):
            return web.json_response({"error": "invalid_grant"}, status=400)
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        assert asked["code_challenge"] == base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        claims: dict[str, Any] = {"aud": CLIENT_ID, "nonce": asked["nonce"], "client_id": None, **self.claims}
        token = self.sign(header={"typ": "JWT"}, **claims)
        return web.json_response({"id_token": token, "access_token": "opaque", "token_type": "Bearer"})

    async def respond(self, request: web.Request) -> web.StreamResponse:
        """Metadata, keys, and what it tells of the holder of an access token."""
        if request.path == "/userinfo":
            assert request.headers["Authorization"] == "Bearer opaque"
            return web.json_response(self.user_info)
        return await super().respond(request)


@asynccontextmanager
async def login_provider() -> AsyncGenerator[LoginProvider]:
    """A provider that listens on this machine."""
    provider = LoginProvider()
    app = web.Application()
    app.router.add_get("/authorize", provider.authorize)
    app.router.add_post("/token", provider.redeem_code)
    app.router.add_get("/{path:.*}", provider.respond)
    async with serving(app, notices_hang_up=True) as origin:
        provider.issuer = origin
        yield provider
