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
        ("https://tools.example/team/bridge", "__Host-tool-bridge-login~team~bridge"),
        ("https://tools.example:8443/bridge", "__Host-tool-bridge-login-8443~bridge"),
        ("http://127.0.0.1:8765/bridge", "tool-bridge-login-8765~bridge"),
    ],
)
def test_the_cookie_is_named_by_what_browsers_do_not_tell_apart(base_url: str, name: str) -> None:
    """Two bridges of one host would otherwise overwrite each other's logins."""
    assert LoginCookie(base_url).name == name


@pytest.mark.parametrize(
    ("base_url", "path"),
    [("http://127.0.0.1:8765/bridge", "/bridge"), ("https://tools.example/bridge", "/")],
)
def test_a_cookie_is_for_the_path_of_its_bridge_unless_its_name_guards_it_better(
    base_url: str, path: str
) -> None:
    """`__Host-` wants the whole host: without it a sibling of the domain could log users in as himself."""
    cookie = LoginCookie(base_url)
    kept = web.Response()
    deleted = web.Response()
    cookie.set_cookie(kept, "signed", 600)
    cookie.delete_cookie(deleted)
    written = [each["path"] for response in (kept, deleted) for each in response.cookies.values()]
    assert written == [path, path]
