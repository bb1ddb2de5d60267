"""Server objects and the base URL they come to."""

import pytest

from toolserver.document.servers import ServerUrl, absolute_url, choose_base_url, origin_of, read_servers
from toolserver.json_types import JsonValue


def urls_of(*servers: JsonValue) -> list[str]:
    return [server.url for server in read_servers({"servers": list(servers)})]


def test_variables_take_their_defaults() -> None:
    """OpenAPI: the default SHALL be sent when no other value is given; documents without one list an enum."""
    server: JsonValue = {
        "url": "https://{host}:{port}/{base}/{open}{odd}",
        "description": "D",
        "variables": {
            "host": {"default": "api.example"},
            "port": {"default": 8443},
            "base": {"enum": [1, "v1", "v2"]},
            "open": {"default": "", "enum": ["x"]},
            "odd": "no object",
        },
    }
    assert read_servers({"servers": [server]}) == (
        ServerUrl("https://api.example:8443/v1/", "D", ("host", "port", "base", "open", "odd")),
    )


def test_broken_servers_are_left_out() -> None:
    """One broken entry must not cost the others."""
    assert urls_of("text", {}, {"url": 5}, {"url": "/" * 5000}, {"url": " /v1 "}) == ["/v1"]
    assert read_servers({"servers": {"url": "https://a.example"}}) == ()
    many: list[JsonValue] = [{"url": "/"}] * 90
    assert len(urls_of(*many)) == 50


def test_a_user_name_and_password_are_taken_out_and_told() -> None:
    """They are the author's, or a secret: neither is sent, shown nor stored as part of an address."""
    for url in ("https://user:pw@a.example/v1", "//user@a.example/v1", "ftp://u:p@w@a.example/v1"):
        (server,) = read_servers({"servers": [{"url": url}]})
        assert server.url in ("https://a.example/v1", "//a.example/v1", "ftp://a.example/v1")
        assert server.had_login
    (plain,) = read_servers({"servers": [{"url": "https://a.example/@me"}]})
    assert (plain.url, plain.had_login) == ("https://a.example/@me", False)


@pytest.mark.parametrize(
    ("url", "source", "base"),
    [
        ("https://API.example/v1/", None, "https://api.example/v1"),
        ("http://api.example:80", None, "http://api.example"),
        ("https://api.example:8443/", None, "https://api.example:8443"),
        ("https://user:secret@api.example/v1?x=1#f", None, "https://api.example/v1"),
        ("http://[::1]:9000/a", None, "http://[::1]:9000/a"),
        ("https://bücher.example", None, "https://xn--bcher-kva.example"),
        ("/api/v3", "https://docs.example:444/specs/openapi.json", "https://docs.example:444/api/v3"),
        ("/", "http://127.0.0.1:8000/openapi.json", "http://127.0.0.1:8000"),
        ("../v2", "https://docs.example/a/b/openapi.json", "https://docs.example/a/v2"),
        ("./", "https://docs.example/a/openapi.json?x#y", "https://docs.example/a"),
        ("//cdn.example/x", "https://docs.example/", "https://cdn.example/x"),
        ("", "https://docs.example/a/openapi.json", "https://docs.example/a/openapi.json"),
        ("/api/v3", None, ""),
        ("/api/v3", "file:///home/me/openapi.json", ""),
        ("api.example/v1", None, ""),
        ("ftp://api.example", None, ""),
        ("wss://api.example", None, ""),
        ("https://", None, ""),
        ("https://a b.example", None, ""),
        ("https://[::1", None, ""),
        ("https://api.example:port", None, ""),
        ("https://api.example:99999", None, ""),
        ("https://" + "ü" * 70 + ".example", None, ""),
    ],
)
def test_a_server_url_becomes_absolute_where_it_can(url: str, source: str | None, base: str) -> None:
    """RFC 3986 §5 against the document's address; what a browser's fetch refuses is no address."""
    assert absolute_url(url, source) == base


def test_the_first_usable_server_is_chosen() -> None:
    """Documents list socket addresses first; the order of the rest is the author's preference."""
    urls = ("wss://a.example", "https://b.example", "https://c.example")
    servers = tuple(ServerUrl(url, "") for url in urls)
    assert choose_base_url(servers, None) == "https://b.example"
    assert choose_base_url(servers[:1], None) == ""


def test_https_is_preferred_where_the_same_server_offers_both() -> None:
    """A page served by https may not call http; AWS documents list http first."""
    servers = (ServerUrl("http://a.example/v1", ""), ServerUrl("https://b.example", ""))
    assert choose_base_url(servers, None) == "http://a.example/v1"
    assert choose_base_url((*servers, ServerUrl("https://a.example/v1/", "")), None) == "https://a.example/v1"


def test_no_server_means_the_root_of_where_the_document_was_found() -> None:
    """OpenAPI: without servers there is one with the URL "/"."""
    assert choose_base_url((), "https://docs.example/specs/openapi.json") == "https://docs.example"
    assert choose_base_url((), None) == ""


def test_an_origin_is_scheme_host_and_unusual_port() -> None:
    """What a user accepts and what a Content-Security-Policy names."""
    assert origin_of("https://api.example:8443/v1") == "https://api.example:8443"
    assert origin_of("") == ""
