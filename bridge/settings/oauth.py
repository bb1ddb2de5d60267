"""Whose access tokens are accepted at `/mcp`: those of one external authorization server, or nobody's."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from bridge.settings.declaration import Names, Section, SpaceSeparated
from bridge.settings.network import LOOPBACK_NAMES

_SCOPE = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]{1,100}", re.ASCII)
"""Pattern of RFC 6749, 3.3, which also makes a scope safe in a quoted string."""

_IDENTIFIER = re.compile(r"[\x21-\x7e]{1,500}", re.ASCII)


def is_safe_address(url: str) -> bool:
    """Return whether keys and metadata may be read from `url`: over TLS, or on this machine."""
    try:
        parts = urlsplit(url)
        secure = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK_NAMES)
    except ValueError:
        return False
    return secure and bool(parts.hostname) and parts.username is None and not parts.fragment


def check_issuer(text: str) -> str:
    """Return the address that a server calls its issuer.

    Raises:
        ValueError: it cannot be one.
    """
    if not is_safe_address(text) or "?" in text or not _IDENTIFIER.fullmatch(text):
        raise ValueError("must be the https address that the authorization server calls its issuer")
    return text


def _check_audience(text: str) -> str:
    if not _IDENTIFIER.fullmatch(text):
        raise ValueError("must be an identifier without spaces")
    return text


def check_scopes(scopes: tuple[str, ...]) -> tuple[str, ...]:
    """Return names of scopes.

    Raises:
        ValueError: one of them cannot be a scope.
    """
    if not all(_SCOPE.fullmatch(scope) for scope in scopes):
        raise ValueError("must be names of scopes, without spaces and quotation marks")
    return scopes


class OAuthSettings(Section):
    """The authorization server whose access tokens open `/mcp`, and what a token must say."""

    title: ClassVar[str] = "OAuth at /mcp"

    oauth_issuer: Annotated[
        Annotated[str, AfterValidator(check_issuer)] | None,
        Names(
            "TOOL_BRIDGE_OAUTH_ISSUER",
            "--oauth-issuer",
            "URL",
            range="an https address, letter by letter as in the server's own metadata; http on this machine",
            default="none: only API keys",
            see="[OAuth for MCP](../how-to/oauth-for-mcp.md)",
        ),
    ] = Field(
        default=None,
        description="authorization server whose access tokens are accepted at `/mcp`, beside API keys",
    )
    oauth_audience: Annotated[
        Annotated[str, AfterValidator(_check_audience)] | None,
        Names(
            "TOOL_BRIDGE_OAUTH_AUDIENCE",
            "--oauth-audience",
            "ID",
            range="text without spaces",
            default="the address of the endpoint, such as `https://bridge.example/mcp`",
        ),
    ] = Field(
        default=None,
        description="what the claim `aud` of a token must contain, if the authorization server writes "
        "something else there than the address that clients ask a token for; valid at every MCP endpoint",
    )
    oauth_scopes: Annotated[
        tuple[str, ...],
        SpaceSeparated,
        AfterValidator(check_scopes),
        Names("TOOL_BRIDGE_OAUTH_SCOPES", "--oauth-scope", "SCOPE", range="names of scopes"),
    ] = Field(default=(), description="scopes that a token must have, all of them")
    oauth_user_claim: Annotated[
        str, Names("TOOL_BRIDGE_OAUTH_USER_CLAIM", "--oauth-user-claim", "CLAIM", range="the name of a claim")
    ] = Field(
        default="sub",
        pattern=r"^[A-Za-z0-9_.:/-]{1,100}$",
        description="claim with the id of the user; the authorization server must never give a value to "
        "somebody else, and its users must not be able to choose it",
    )
