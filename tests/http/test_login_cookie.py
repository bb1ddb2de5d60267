"""The only cookie of the bridge, as a browser gets it."""

import pytest
from aiohttp import web

from bridge.http.login_cookie import LoginCookie


def test_over_https_no_other_host_can_set_the_cookie_and_plain_http_never_carries_it() -> None:
    """A sibling below the same domain could log somebody's browser in as himself."""
    response = web.Response()
    LoginCookie("https://bridge.example").set_cookie(response, "signed", 600)
    (written,) = response.cookies.values()
    assert written.key == "__Host-tool-bridge-login"
    assert {"Secure", "HttpOnly", "SameSite=Lax", "Path=/"} <= set(written.OutputString().split("; "))
    assert "Domain" not in written.OutputString()


@pytest.mark.parametrize(
    ("base_url", "name"),
    [
        ("https://bridge.example:8443", "__Host-tool-bridge-login-8443"),
        ("http://127.0.0.1:8765", "tool-bridge-login-8765"),
        ("http://[::1]:8765", "tool-bridge-login-8765"),
        ("http://bridge.local", "tool-bridge-login"),
    ],
)
def test_the_cookie_is_named_by_the_port_that_browsers_do_not_tell_apart(base_url: str, name: str) -> None:
    """Two bridges of one host would otherwise overwrite each other's logins."""
    assert LoginCookie(base_url).name == name
