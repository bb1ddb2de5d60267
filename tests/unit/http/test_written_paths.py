"""What a request's path is read as, before anything looks at it."""

import pytest
from aiohttp.http_parser import RawRequestMessage
from aiohttp.http_writer import HttpVersion11
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from bridge.http.written_paths import without_prefix

PREFIX = "/team/bridge"


def asked(target: str) -> RawRequestMessage:
    """The head of a GET, as aiohttp parses it."""
    headers = CIMultiDictProxy(CIMultiDict[str]())
    url = URL(target, encoded=True) if "://" in target else URL.build(path=target, encoded=True)
    return RawRequestMessage("GET", target, HttpVersion11, headers, (), False, None, False, False, url)


@pytest.mark.parametrize(
    ("target", "read"),
    [
        ("/team/bridge", "/"),
        ("/team/bridge/", "/"),
        ("/team/bridge/mcp", "/mcp"),
        ("/team/bridge//openapi.json", "//openapi.json"),
        ("/team/bridge/tools/a%2Fb", "/tools/a%2Fb"),
        ("http://tools.example/team/bridge/mcp", "/mcp"),
        (
            "/.well-known/oauth-protected-resource/team/bridge/mcp",
            "/.well-known/oauth-protected-resource/mcp",
        ),
        ("/.well-known/oauth-protected-resource/team/bridge", "/.well-known/oauth-protected-resource"),
    ],
)
def test_paths_below_the_prefix_are_read_without_it(target: str, read: str) -> None:
    """Finding W-47: a proxy that passes paths unchanged; the place of RFC 9728 comes before the prefix."""
    assert without_prefix(asked(target), PREFIX).url.raw_path == read


@pytest.mark.parametrize(
    "target",
    [
        "/mcp",
        "/",
        "/team/bridges/mcp",
        "/team/Bridge/mcp",
        "/team%2Fbridge/mcp",
        "/team/other",
        "/tools/x/team/bridge/y",
        "/.well-known/other/team/bridge/mcp",
    ],
)
def test_other_paths_are_read_as_they_stand(target: str) -> None:
    """A proxy that takes the prefix away, a monitor on this machine, and what is of another program."""
    message = asked(target)
    assert without_prefix(message, PREFIX) is message


def test_one_prefix_is_taken_away_and_no_second_one() -> None:
    """Each address has one spelling below the prefix, besides that of a proxy which takes the prefix away."""
    assert without_prefix(asked("/team/bridge/team/bridge/mcp"), PREFIX).url.raw_path == "/team/bridge/mcp"
