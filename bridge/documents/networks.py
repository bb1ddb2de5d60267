"""Classifies an address by the table of networks: a pure function of its bits, the same on every Python.

`ipaddress` is used only to parse the text. static/base/networks.js decides in the same way.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass

from bridge.documents.network_table import NETWORKS, SEVERITY, Carried, Network

_IPV4_BITS, _IPV6_BITS = 32, 128
_IPV4_MASK = 0xFFFF_FFFF
_ISATAP, _ISATAP_MASK = 0x0000_5EFE, 0xFCFF_FFFF
"""The half of an interface identifier before an IPv4 address, in any network (RFC 5214, section 6.1)."""


@dataclass(frozen=True, slots=True)
class _Row:
    network: Network
    bits: int
    length: int
    first: int

    def contains(self, bits: int, value: int) -> bool:
        return bits == self.bits and not (value ^ self.first) >> (bits - self.length)


def network_of(host: str) -> Network:
    """Return the network that decides about an address without zone, or about an IPv4 address it carries.

    For each of these addresses the narrowest network counts; of these networks, the one with the severest
    conclusion is returned.

    Raises:
        ValueError: `host` is not an IP address.
    """
    address = ipaddress.ip_address(host)
    bits, value = address.max_prefixlen, int(address)
    found = [_narrowest(bits, value)]
    if bits == _IPV6_BITS:
        found += [_narrowest(_IPV4_BITS, carried) for carried in _carried(value)]
    return max(found, key=lambda network: SEVERITY.index(network.conclusion))


def _narrowest(bits: int, value: int) -> Network:
    return next(row.network for row in _ROWS if row.contains(bits, value))


def _carried(value: int) -> Iterator[int]:
    """Yield the IPv4 addresses that an IPv6 address may lead to."""
    for row in _ROWS:
        if row.network.carries and row.contains(_IPV6_BITS, value):
            yield from (_joined(carried, value) for carried in row.network.carries)
    if (value >> _IPV4_BITS) & _ISATAP_MASK == _ISATAP:
        yield value & _IPV4_MASK


def _joined(carried: Carried, value: int) -> int:
    joined = 0
    for start, stop in carried.pieces:
        width = stop - start
        joined = joined << width | value >> (_IPV6_BITS - stop) & ((1 << width) - 1)
    return joined ^ _IPV4_MASK if carried.flipped else joined


def _row(network: Network) -> _Row:
    first, _, length = network.cidr.partition("/")
    address = ipaddress.ip_address(first)
    return _Row(network, address.max_prefixlen, int(length), int(address))


_ROWS = sorted((_row(network) for network in NETWORKS), key=lambda row: -row.length)
