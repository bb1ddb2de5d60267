"""Server objects and the base URL they come to."""

import pytest

from toolserver.json_types import JsonObject, JsonValue
from toolserver.openapi.document import read_value
from toolserver.openapi.servers import (
    ServerUrl,
    absolute_url,
    choose_base_url,
    origin_of,
    read_servers,
    variables_of,
)


def urls_of(*servers: JsonValue) -> list[str]:
    return [server.url for server in read_servers({"servers": list(servers)})]


def test_variables_take_their_defaults() -> None:
    """OpenAPI: the default SHALL be sent when no other value is given; documents without one list an enum."""
    server: JsonValue = {
        "url": "https://{host}:{port}/{base}/{open}",
        "description": "D",
        "variables": {
            "host": {"default": "api.example"},
            "port": {"default": 8443},
            "base": {"enum": [1, "v1", "v2"]},
            "open": {"default": "", "enum": ["x"]},
        },
    }
    said = "The default of the server variable 'port' is no text; '8443' is taken, as it is written."
    assert read_servers({"servers": [server]}) == (
        ServerUrl("https://api.example:8443/1/", "D", ("host", "port", "base", "open"), problems=(said,)),
    )


@pytest.mark.parametrize("text", ["8443", "1.10", "08", "TRUE", "1e3", "0x1F"])
def test_a_default_that_yaml_reads_as_a_number_is_taken_as_it_is_written(text: str) -> None:
    """Finding W-3: server variables are texts; version 1.10 is not 1.1."""
    variables = f"{{v: {{default: {text}}}, w: {{enum: [{text}]}}}}"
    root = read_value(f"servers: [{{url: 'https://a.example/{{v}}/{{w}}', variables: {variables}}}]")
    assert isinstance(root, dict)
    (server,) = read_servers(root)
    assert server.url == f"https://a.example/{text}/{text}"
    assert f"{text!r} is taken, as it is written." in server.problems[0]


@pytest.mark.parametrize("variable", ["no object", {}, {"default": None}, {"default": []}, {"enum": [None]}])
def test_a_variable_without_a_value_leaves_the_address_unknown(variable: JsonValue) -> None:
    """Finding W-34: "https://.a.example" is nobody's address; it is asked for instead."""
    template: JsonObject = {"url": "https://{tenant}.a.example", "variables": {"tenant": variable}}
    (server,) = read_servers({"servers": [template]})
    assert (server.url, server.variables, server.unknown) == ("https://{tenant}.a.example", (), ("tenant",))
    assert choose_base_url((server,), "https://docs.example") == ""
    other = ServerUrl("https://b.example", "")
    assert choose_base_url((server, other), None) == "https://b.example"


def test_a_variable_takes_the_value_that_the_documents_servers_give_its_name() -> None:
    """Finding O-9: authors describe a variable once, where they name the document's own server."""
    root: JsonObject = {
        "servers": [
            {"url": "https://a.example", "variables": "none"},
            "no server",
            {"url": "https://{region}.a.example", "variables": {"region": {"default": "eu"}, "odd": {}}},
            {"url": "https://{region}.b.example", "variables": {"region": {"default": "us"}}},
        ]
    }
    inherited = variables_of(root)
    assert inherited == {"region": "eu"}
    own: JsonObject = {"servers": [{"url": "https://{region}.c.example/{odd}"}]}
    (server,) = read_servers(own, inherited)
    assert (server.url, server.variables) == ("https://{region}.c.example/{odd}", ("region",))
    stated: JsonObject = {"url": "https://{region}.c.example", "variables": {"region": {"default": "ap"}}}
    assert read_servers({"servers": [stated]}, inherited)[0].url == "https://ap.c.example"


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
        ("https://", "https://docs.example/specs/openapi.json", ""),
        ("https:/v1", "https://docs.example/specs/openapi.json", "https://docs.example/v1"),
        ("http:/", "https://docs.example/specs/openapi.json", "http://docs.example"),
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
