"""Where a bridge listens, under which addresses it answers, and what runs its connections."""

from __future__ import annotations

import re
from ipaddress import IPv4Network, IPv6Network
from typing import Annotated, ClassVar, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from bridge.settings.declaration import Choice, CommaSeparated, Names, Section
from bridge.settings.path_prefix import check_prefix
from bridge.settings.running_bridge import DEFAULT_PORT

SAMPLES_PORT = 8766
"""Port of the demo's sample API, if it is free."""

SAMPLE_MCP_PORT = 8767
"""Port of the demo's sample MCP server, if it is free."""

SAMPLE_INTRANET_PORT = 8768
"""Port of the demo's sample intranet, if it is free."""

MAX_PORT = 65535

LOOPBACK_NAMES = frozenset({"127.0.0.1", "::1", "localhost"})
"""Hosts by which this machine is named: nothing that goes there leaves it, with or without TLS."""

_OWN_ADDRESS = re.compile(r"127(\.[0-9]{1,3}){3}")

EventLoopName: TypeAlias = Literal["auto", "uvloop", "asyncio"]


def check_origin(text: str) -> str:
    """Return an http or https origin without a path, such as `https://bridge.example`.

    Raises:
        ValueError: it is something else.
    """
    parts = urlsplit(text)
    bare = not (parts.path.strip("/") or parts.query or parts.fragment or parts.username)
    if parts.scheme not in ("http", "https") or not parts.hostname or not bare:
        raise ValueError("must be an origin such as https://bridge.example")
    return text.rstrip("/")


Origin = Annotated[str, AfterValidator(check_origin)]


def check_public_url(text: str) -> str:
    """Return the address of a bridge: an origin, and perhaps a path prefix without a slash at its end.

    Raises:
        ValueError: it is something else, or the path cannot be a prefix.
    """
    parts = urlsplit(text)
    prefix = parts.path.rstrip("/")
    if not prefix or parts.query or parts.fragment:
        return check_origin(text)
    return check_origin(f"{parts.scheme}://{parts.netloc}") + check_prefix(prefix)


PublicUrl = Annotated[str, AfterValidator(check_public_url)]


ProxyNetwork: TypeAlias = IPv4Network | IPv6Network
"""Addresses of proxies."""


class NetworkSettings(Section):
    """Addresses of a bridge, and its event loop."""

    title: ClassVar[str] = "Network"

    host: Annotated[str, Names("TOOL_BRIDGE_HOST", "--host", "HOST", range="an address of this machine")] = (
        Field(default="127.0.0.1", min_length=1, description="address to listen on; `0.0.0.0` for all")
    )
    port: Annotated[int, Names("TOOL_BRIDGE_PORT", "--port", "PORT")] = Field(
        default=DEFAULT_PORT, ge=0, le=MAX_PORT, description="port to listen on; 0: any free one"
    )
    public_url: Annotated[
        PublicUrl | None,
        Names(
            "TOOL_BRIDGE_PUBLIC_URL",
            "--public-url",
            "URL",
            range="`http(s)://host[:port]`, with or without a path",
            default="`http://HOST:PORT`",
            see="[run behind a proxy](../how-to/run-behind-a-proxy.md)",
        ),
    ] = Field(default=None, description="canonical address of the page, if it is behind a proxy")
    allowed_hosts: Annotated[
        tuple[str, ...],
        CommaSeparated,
        Names(
            "TOOL_BRIDGE_ALLOWED_HOSTS",
            "--allow-host",
            "HOST[:PORT]",
            range="host names; without a port any port matches",
        ),
    ] = Field(default=(), description="further `Host` headers to answer")
    allowed_origins: Annotated[
        tuple[Origin, ...],
        CommaSeparated,
        Names(
            "TOOL_BRIDGE_ALLOWED_ORIGINS",
            "--allow-origin",
            "ORIGIN",
            range="`http(s)://host[:port]` without a path; no `*`",
        ),
    ] = Field(
        default=(),
        description="origins whose pages may use the tool routes (Open WebUI's, for direct tool servers)",
    )
    trusted_proxies: Annotated[
        tuple[ProxyNetwork, ...],
        CommaSeparated,
        Names(
            "TOOL_BRIDGE_TRUSTED_PROXIES",
            "--trust-proxy",
            "ADDRESS",
            range="IP addresses and networks, such as `127.0.0.1` or `10.1.0.0/16`",
            see="[run behind a proxy](../how-to/run-behind-a-proxy.md#tell-people-apart)",
        ),
    ] = Field(
        default=(),
        description="proxies whose `X-Forwarded-For` says from where somebody came: what strangers may try "
        "is limited by that address, and not by the proxy's",
    )
    event_loop: Annotated[EventLoopName, Choice, Names("TOOL_BRIDGE_EVENT_LOOP", "--event-loop", "NAME")] = (
        Field(
            default="auto",
            description="what runs the bridge's connections; auto: uvloop where it is installed, which it is "
            "on Linux and macOS, else asyncio's own loop. The log says which at the start",
        )
    )


def is_own_host(host: str) -> bool:
    """Return whether a host is this machine by its loopback interface, as people and settings write it."""
    return host in LOOPBACK_NAMES or _OWN_ADDRESS.fullmatch(host) is not None


def lacks_tls(network: NetworkSettings) -> bool:
    """Return whether other machines can reach the bridge, and nothing says that a proxy before it has TLS."""
    return not is_own_host(network.host) and not (network.public_url or "").startswith("https://")


def origin_of(url: str) -> str:
    """Return scheme, host and port of `url` as a browser writes an origin: lower case, no default port."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    default = {"http": 80, "https": 443}.get(parts.scheme.lower())
    port = "" if parts.port in (None, default) else f":{parts.port}"
    return f"{parts.scheme.lower()}://{host}{port}"


def page_url(base_url: str, ticket: str) -> str:
    """Return the page's address with a one-time ticket."""
    return f"{base_url}/#ticket={ticket}"
