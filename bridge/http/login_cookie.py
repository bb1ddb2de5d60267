"""The cookie of a browser that is logging in: the only one of the bridge, and gone after minutes."""

from __future__ import annotations

from urllib.parse import urlsplit

from aiohttp import web

from bridge.auth.logins import secret_of_cookie
from bridge.storage.users import LOGIN_TICKET_PREFIX, bind_ticket

_NAME = "tool-bridge-login"


class LoginCookie:
    """Sets and reads it. Scripts cannot read it, and other sites' requests do not carry it."""

    def __init__(self, base_url: str) -> None:
        address = urlsplit(base_url)
        self._is_secure = address.scheme == "https"
        of_port = f"{_NAME}-{address.port}" if address.port else _NAME
        of_bridge = of_port + address.path.replace("/", "~")  # which no path prefix has
        self.name = f"__Host-{of_bridge}" if self._is_secure else of_bridge
        """With `__Host-`, no other host below the same domain can set it. Browsers keep cookies by
        host, whatever the port: another bridge of the host, or of its origin, needs another name."""
        self._path = "/" if self._is_secure else address.path or "/"
        """`__Host-` demands the whole host, so that no path is given up for it (ADR 66)."""

    def set_cookie(self, response: web.Response, value: str, seconds: int) -> None:
        """Have the browser store it for some seconds."""
        response.set_cookie(
            self.name,
            value,
            max_age=seconds,
            path=self._path,
            secure=self._is_secure,
            httponly=True,
            samesite="Lax",
        )

    def delete_cookie(self, response: web.Response) -> None:
        """Have the browser forget it."""
        response.del_cookie(self.name, path=self._path, secure=self._is_secure, httponly=True, samesite="Lax")

    def read_cookie(self, request: web.Request) -> str:
        """Return its value; "" if the browser has none."""
        return request.cookies.get(self.name, "")

    def complete_ticket(self, request: web.Request, ticket: str) -> str:
        """Return what a ticket stands for: that of a login is worth nothing without the browser's cookie."""
        if not ticket.startswith(LOGIN_TICKET_PREFIX):
            return ticket
        return bind_ticket(ticket, secret_of_cookie(self.read_cookie(request)))
