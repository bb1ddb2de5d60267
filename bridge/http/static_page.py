"""The bridge page, the executor worker's script, the probe frame, and the page to which logins return.

Each has its own content policy. The page itself may talk to the bridge alone. Only the worker that performs
calls may reach the user's accepted origins and those where his logins are renewed, and a probe frame the one
origin it was made for (ruling 21).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from urllib.parse import urlsplit

from aiohttp import hdrs, web
from pydantic import Field

from bridge.auth.identity import EXECUTOR, Identity
from bridge.browser_protocol import MAX_ORIGINS, OTHER_VERSION
from bridge.bundled import bundled_folder
from bridge.catalog.registry import Registry
from bridge.catalog.server_view import UserView
from bridge.errors import BridgeError, ErrorCode
from bridge.http.access import caller_of
from bridge.http.body import read_body
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, ok, route
from bridge.http.page_files import PageFiles, SaidName
from bridge.http.routing import ApiModel, json_answer
from bridge.http.security_headers import FILE_POLICY
from bridge.settings.network import origin_of
from bridge.settings.path_prefix import prefix_of

STATIC = bundled_folder("static")
BUILT_PAGE = bundled_folder("built_page")
"""Folder of the built page in an installed wheel."""

_ORIGIN = re.compile(r"https?://(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")
"""Pattern of an origin that is safe in a content policy: no wildcard, nothing that ends the directive."""

MAX_LOGIN_ORIGINS = 20
"""Maximum origins at which one browser renews logins; chosen."""

CALLBACK = "/oauth/callback"
"""Path to which authorization servers send a browser back."""

CLIENT_DOCUMENT = "/oauth/client.json"
"""Path of what the page says of itself to authorization servers."""

SCRIPT_SECONDS = 300
"""Seconds for which a worker script's address is valid; the page loads it at once."""

WORKER_SCRIPT = 'import "{prefix}/static/{digest}/{file}";\n'

PERMISSIONS = (
    "loopback-network=(self), local-network=(self), local-network-access=(self), "
    "camera=(), microphone=(), geolocation=()"
)

COMMON_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": PERMISSIONS,
}

DOCUMENT_HEADERS = {**COMMON_HEADERS, hdrs.CACHE_CONTROL: "private, no-cache"}
"""Headers of what names the present version of the files. With `no-store` a browser could not keep the page
for *Back*."""


class ExecutorRequest(ApiModel):
    """Which page asks."""

    version: str = Field(default="", description="digest in the addresses of the page's own files")
    login_origins: list[str] = Field(
        default_factory=list,
        max_length=MAX_LOGIN_ORIGINS,
        description="origins at which this browser renews its logins; the bridge keeps none of them",
    )


class ExecutorScript(ApiModel):
    """The address of the page's executor worker, and the origins that the worker may reach."""

    script_url: str
    """Good for 300 s."""
    origins: list[str]
    revision: str
    """As in the list of servers."""


class PageRoutes(DeclaredApiRoutes):
    """Handlers of everything the page consists of."""

    def __init__(
        self,
        identity: Identity,
        registry: Registry,
        base_url: str,
        *,
        said: Mapping[SaidName, str],
        built_in_clone: Path | None = None,
    ) -> None:
        """`said`: of the bridge, in the page's tags; `built_in_clone`: the page of `make run`."""
        self._said = said
        self._identity = identity
        self._registry = registry
        self._origin = origin_of(base_url)
        self._prefix = prefix_of(base_url)
        self._base_url = self._origin + self._prefix
        self._files = PageFiles(STATIC, BUILT_PAGE, built_in_clone, prefix=self._prefix)
        self._socket_origin = self._origin.replace("http", "ws", 1)

    @api_route(
        "POST /api/executor",
        ok("The script's address.", ExecutorScript),
        body=ExecutorRequest,
        body_required=False,
    )
    async def open_executor(self, request: web.Request) -> web.Response:
        """Get the executor worker's script for the user's accepted origins."""
        caller = caller_of(request)
        asking = await read_body(request, ExecutorRequest)
        logins = [_checked_origin("login_origins", origin) for origin in asking.login_origins]
        version = asking.version or self._files.digest
        offered = await self.offer_executor(caller.user.id, version, logins)
        if offered is None:
            raise BridgeError(ErrorCode.INVALID_REQUEST, OTHER_VERSION)
        return json_answer(offered)

    @route("GET /", access="public", answers_head=True)
    async def serve_index(self, request: web.Request) -> web.StreamResponse:
        """Serve the page at its canonical address: browser storage is per origin (ruling 25)."""
        if origin_of(f"{urlsplit(self._origin).scheme}://{request.host}") != self._origin:
            raise web.HTTPTemporaryRedirect(self._base_url + "/")
        policy = self._policy(["'self'", self._socket_origin], frames="'self'", ancestors="'none'")
        said: dict[SaidName, str] = {**self._said, "session-nonce": self._identity.issue_challenge()}
        return self._document("index.html", policy, said)

    @route("GET /probe", access="public", answers_head=True)
    async def serve_probe(self, request: web.Request) -> web.StreamResponse:
        """Serve a frame that may reach one more origin, to load a document or diagnose why it cannot."""
        origin = _checked_origin("origin", request.query.get("origin", ""))
        policy = self._policy(["'self'", origin], frames="'none'", ancestors="'self'")
        return self._document("probe.html", policy)

    @route(f"GET {CALLBACK}", access="public", answers_head=True)
    async def serve_callback(self, _request: web.Request) -> web.StreamResponse:
        """Serve the page to which a login returns. It reaches nothing; the bridge reads none of the query."""
        policy = self._policy(["'none'"], frames="'none'", ancestors="'none'")
        return self._document("oauth.html", policy)

    @route(f"GET {CLIENT_DOCUMENT}", access="public", answers_head=True)
    async def serve_client_document(self, _request: web.Request) -> web.StreamResponse:
        """Serve what authorization servers may fetch of this page (Client ID Metadata Document)."""
        is_public = self._base_url.startswith("https:")
        about = {
            "client_id": self._base_url + CLIENT_DOCUMENT,
            "client_name": "Tool Bridge",
            "client_uri": self._base_url + "/",
            "redirect_uris": [self._base_url + CALLBACK],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
            "application_type": "web" if is_public else "native",
        }
        return web.json_response(about, headers={**COMMON_HEADERS, hdrs.CACHE_CONTROL: "public, max-age=300"})

    async def offer_executor(
        self, user_id: str, version: str, login_origins: Sequence[str] = ()
    ) -> ExecutorScript | None:
        """Return the executor for a user's page; None: that page is not of the present `version`."""
        if version != self._files.digest:
            return None
        claims = {"sub": user_id, "logins": list(login_origins)}
        token = self._identity.sign_token(EXECUTOR, claims, SCRIPT_SECONDS)
        view = await self._registry.view_of_user(user_id)
        return ExecutorScript(
            script_url=f"{self._prefix}/executor/{token}.js", origins=_reachable(view), revision=view.revision
        )

    @route("GET /executor/{token}.js", access="public", answers_head=True)
    async def serve_script(self, request: web.Request) -> web.Response:
        """Serve the worker's script; its content security policy binds the worker."""
        claims = self._identity.read_token(EXECUTOR, request.match_info["token"])
        accepted = _reachable(await self._registry.view_of_user(claims["sub"]))
        origins = dict.fromkeys([*accepted, *claims.get("logins", ())])  # a token may be of an older replica
        return self._worker_script("executor_worker.js", ["'self'", self._socket_origin, *origins])

    @route("GET /document-worker/{digest}.js", access="public", answers_head=True)
    async def serve_document_worker(self, request: web.Request) -> web.Response:
        """Serve the script of the worker in which a page parses documents. It reaches nothing."""
        if request.match_info["digest"] != self._files.digest:
            raise BridgeError(ErrorCode.NOT_FOUND, OTHER_VERSION)
        return self._worker_script("document_worker.js", ["'none'"])

    def _worker_script(self, file: str, reachable: Iterable[str]) -> web.Response:
        policy = self._policy(reachable, frames="'none'", ancestors="'none'")
        headers = {**COMMON_HEADERS, "Content-Security-Policy": policy, hdrs.CACHE_CONTROL: "no-store"}
        script = WORKER_SCRIPT.format(prefix=self._prefix, digest=self._files.digest, file=file)
        return web.Response(text=script, content_type="text/javascript", headers=headers)

    @route("GET /static/{digest}/{path:.+}", access="public", answers_head=True)
    async def serve_file(self, request: web.Request) -> web.StreamResponse:
        """Serve a file of the page, of the present version only: a mixture of two would not run."""
        headers = {**COMMON_HEADERS, "Content-Security-Policy": FILE_POLICY}
        if request.match_info["digest"] != self._files.digest:
            raise BridgeError(ErrorCode.NOT_FOUND, OTHER_VERSION)
        answer = self._files.open_file(request.match_info["path"], headers)
        if answer is None:
            raise BridgeError(ErrorCode.NOT_FOUND, f"There is no file {request.path}.")
        return answer

    def _document(
        self, name: str, policy: str, said: Mapping[SaidName, str] = MappingProxyType({})
    ) -> web.Response:
        headers = {**DOCUMENT_HEADERS, "Content-Security-Policy": policy}
        text = self._files.read_document(name, said)
        response = web.Response(text=text, content_type="text/html", charset="utf-8", headers=headers)
        response.enable_compression()
        return response

    def _policy(self, reachable: Iterable[str], *, frames: str, ancestors: str) -> str:
        rules = {
            "default-src": "'none'",
            "script-src": "'self'",
            "style-src": "'self'",
            "img-src": "'self' data: blob:",
            "media-src": "'self'",
            "manifest-src": "'self'",
            "connect-src": " ".join(reachable),
            "worker-src": "'self'",
            "frame-src": frames,
            "frame-ancestors": ancestors,
            "base-uri": "'none'",
            "form-action": "'none'",
            "require-trusted-types-for": "'script'",
            "trusted-types": "tool-bridge-executor",
        }
        return "; ".join(f"{name} {value}" for name, value in rules.items())


def _checked_origin(field: str, text: str) -> str:
    try:
        origin = origin_of(text)
    except ValueError:
        origin = ""
    if origin != text or not _ORIGIN.fullmatch(text):
        message = f"`{field}` must be an http or https origin, such as http://localhost:8080."
        raise BridgeError(ErrorCode.INVALID_REQUEST, message)
    return origin


def _reachable(view: UserView) -> list[str]:
    return [origin for origin in view.accepted_origins() if _ORIGIN.fullmatch(origin)][:MAX_ORIGINS]
