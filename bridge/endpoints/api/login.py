"""Login by OpenID Connect: `/login`, `/login/callback` and `/logout`, which browsers open as pages."""

from __future__ import annotations

from aiohttp import hdrs, web

from bridge.audit import Audit, AuditKind
from bridge.auth.attempts import Attempts
from bridge.auth.logins import LOGIN_SECONDS, LoginFailed, LoginFailure, Logins
from bridge.errors import BridgeError, ErrorCode
from bridge.http.declared_routes import DeclaredRoutes, route
from bridge.http.login_cookie import LoginCookie
from bridge.http.routing import address_of, limit_key_of
from bridge.http.static_page import COMMON_HEADERS
from bridge.settings.login import ISSUER_VARIABLE
from bridge.settings.network import page_url
from bridge.storage.users import LOGIN_TICKET_SECONDS

LOGIN_PATH = "/login"

STRAY_ANSWERS = 60
STRAY_ANSWERS_IN_ALL = 600
"""Maximum answers that cost the provider nothing, of one address and of all, in a minute: for logins that the
browser has not begun, and those that say themselves that they failed. What a provider vouches for is not
counted with them: behind a proxy all come from one address."""

TRIES_OF_A_LOGIN = 5
"""Maximum answers for one login that was begun."""

FAILED_LOGINS = 300
FAILED_LOGINS_IN_ALL = 3000
"""Maximum logins that were begun and refused by the provider, of one address and of all, in a minute: each
costs the provider a request."""


class LoginRoutes(DeclaredRoutes):
    """Handlers of the login. Every answer leads to the provider or to the page, whatever the query says."""

    def __init__(self, logins: Logins | None, attempts: Attempts, audit: Audit, base_url: str) -> None:
        """`logins`: None where no provider is set, so that nobody can log in."""
        self._given = logins
        self._audit = audit
        self._base_url = base_url
        self._cookie = LoginCookie(base_url)
        self._stray = attempts.limit_attempts(
            "attempts to log in", per_key=STRAY_ANSWERS, in_all=STRAY_ANSWERS_IN_ALL, window_s=60
        )
        self._tries = attempts.limit_attempts(
            "answers for this login", per_key=TRIES_OF_A_LOGIN, window_s=LOGIN_SECONDS
        )
        self._failed = attempts.limit_attempts(
            "logins that failed", per_key=FAILED_LOGINS, in_all=FAILED_LOGINS_IN_ALL, window_s=60
        )

    @property
    def _logins(self) -> Logins:
        if self._given is None:
            message = f"Nobody can log in here: the bridge has no {ISSUER_VARIABLE}."
            raise BridgeError(ErrorCode.NOT_FOUND, message)
        return self._given

    @route(f"GET {LOGIN_PATH}", access="public")
    async def begin_login(self, _request: web.Request) -> web.Response:
        """Send a browser to the provider. Nothing is stored of it, nor asked elsewhere: it is not counted."""
        try:
            begun = await self._logins.begin_login()
        except LoginFailed as error:
            return self._show_failure(error.failure)
        response = _redirect(begun.url)
        self._cookie.set_cookie(response, begun.cookie, LOGIN_SECONDS)
        return response

    @route(f"GET {LOGIN_PATH}/callback", access="public")
    async def finish_login(self, request: web.Request) -> web.Response:
        """Take a browser back that was at the provider, and pair it by a ticket of its own."""
        cookie = self._cookie.read_cookie(request)
        address = address_of(request)
        limited = limit_key_of(request)
        has_begun = self._logins.has_begun(request.query, cookie)
        if has_begun:
            await self._tries.take_attempt(cookie)
            await self._failed.check_attempts(limited)
        else:
            await self._stray.take_attempt(limited)
        try:
            finished = await self._logins.finish_login(request.query, cookie)
        except LoginFailed as error:
            if has_begun:
                await (self._stray if error.is_free else self._failed).take_attempt(limited)
            self._audit.add_entry(
                AuditKind.LOGIN, None, f"address {address}", detail={"failure": error.failure}
            )
            return self._show_failure(error.failure)
        self._audit.add_entry(AuditKind.LOGIN, finished.user.id, f"address {address}")
        response = _redirect(page_url(self._base_url, finished.ticket))
        self._cookie.set_cookie(response, cookie, LOGIN_TICKET_SECONDS)
        return response

    @route("GET /logout", access="public")
    async def end_session(self, _request: web.Request) -> web.Response:
        """Send a browser where its session with the provider ends. The bridge itself has none to end."""
        return _redirect(await self._logins.logout_url())

    def _show_failure(self, failure: LoginFailure) -> web.Response:
        response = _redirect(f"{self._base_url}/#login_failed={failure}")
        self._cookie.delete_cookie(response)
        return response


def _redirect(url: str) -> web.Response:
    headers = {**COMMON_HEADERS, hdrs.LOCATION: url, hdrs.CACHE_CONTROL: "no-store"}
    return web.Response(status=302, headers=headers)
