"""The only cookie of the bridge, as a browser gets it."""

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
