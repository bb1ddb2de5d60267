"""Addresses of a bridge with a path behind its host."""

import pytest

from bridge.settings.network import check_public_url
from bridge.settings.path_prefix import MAX_PREFIX_CHARS, check_prefix, prefix_of

LONGEST = "/" + "a" * (MAX_PREFIX_CHARS - 1)


@pytest.mark.parametrize(
    ("text", "origin", "prefix"),
    [
        ("https://tools.example", "https://tools.example", ""),
        ("https://tools.example/", "https://tools.example", ""),
        ("https://tools.example/bridge", "https://tools.example", "/bridge"),
        ("https://tools.example:8443/team_a/bridge-2.0/", "https://tools.example:8443", "/team_a/bridge-2.0"),
        ("http://[::1]:8765/B", "http://[::1]:8765", "/B"),
        (f"https://x.example{LONGEST}", "https://x.example", LONGEST),
    ],
)
def test_a_public_address_may_have_a_path(text: str, origin: str, prefix: str) -> None:
    """Finding W-47: teams with one host name for all their programs ask for it."""
    address = check_public_url(text)
    assert (address, prefix_of(address)) == (origin + prefix, prefix)


@pytest.mark.parametrize(
    "path",
    [
        "/a//b",
        "/../bridge",
        "/a/./b",
        "/.hidden",
        "/b%20c",
        "/bürgeramt",
        "/a b",
        "/a~b",
        "/a;v=1",
        f"/{'a' * MAX_PREFIX_CHARS}",
    ],
)
def test_what_something_on_the_way_would_write_otherwise_is_no_prefix(path: str) -> None:
    """Proxies and browsers resolve dots and encode characters: what arrives would begin otherwise."""
    with pytest.raises(ValueError, match="has a path that cannot be a prefix"):
        check_public_url(f"https://tools.example{path}")


@pytest.mark.parametrize("path", ["/tools", "/mcp/bridge", "/.well-known", "/api"])
def test_a_prefix_does_not_begin_as_paths_of_the_bridge_do(path: str) -> None:
    """Of `/tools/tools/x` it could not be known whether a proxy has taken the prefix away."""
    with pytest.raises(ValueError, match="has a path that"):
        check_prefix(path)


@pytest.mark.parametrize(
    "text", ["https://x.example/a?b=c", "https://x.example/a#b", "https://u@x.example/a"]
)
def test_nothing_else_belongs_to_a_public_address(text: str) -> None:
    """What follows a path is of one request, and a user's name is a secret in an address that is printed."""
    with pytest.raises(ValueError, match="must be an origin"):
        check_public_url(text)
