"""The network address of a client, of which only a proxy that is trusted may tell."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from bridge.settings.network import ProxyNetwork

FORWARDED_HEADER = "X-Forwarded-For"

CLIENT_PREFIX = 64
"""Bits of an IPv6 address that one client cannot choose (RFC 4291 §2.5.4)."""

MAX_HOPS = 20
"""Maximum number of addresses that are read, from the last on; further ones are anybody's."""


def find_client(peer: str, forwarded: Sequence[str], proxies: Sequence[ProxyNetwork]) -> str:
    """Return the address of whoever sent a request to the first trusted proxy; without one, of the peer.

    `forwarded`: the lines of `X-Forwarded-For`. Each proxy adds whom it heard, at the end: so it is read from
    there, and as far as those who wrote it are trusted.
    """
    address = _read_address(peer)
    if address is None or not proxies:
        return peer
    hops = [hop for line in forwarded for hop in line.split(",")]
    for hop in reversed(hops[-MAX_HOPS:]):
        if not _is_trusted(address, proxies) or (before := _read_address(hop)) is None:
            break
        address = before
    return str(address)


def limit_key(address: str) -> str:
    """Return under which name to count what an address tries: an IPv6 client has a whole /64 of them."""
    found = _read_address(address)
    if not isinstance(found, IPv6Address):
        return address
    return str(IPv6Network((int(found), CLIENT_PREFIX), strict=False))


def _is_trusted(address: IPv4Address | IPv6Address, proxies: Sequence[ProxyNetwork]) -> bool:
    return any(address in network for network in proxies)


def _read_address(text: str) -> IPv4Address | IPv6Address | None:
    """Return an address as proxies write it: alone, with a port, or an IPv6 address in brackets.

    An IPv4 address that came over IPv6 is itself.
    """
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    text = text.partition("%")[0].lower()
    try:
        return ip_address(text.removeprefix("::ffff:") if "." in text else text)
    except ValueError:
        return None
