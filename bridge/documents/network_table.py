"""The table of special networks: which the bridge may fetch from for users, and which no tool may call.

The standard library has such tables, but they differ between patch releases of Python, and none knows the
addresses of cloud metadata. The page reads the same rows: `python -m tests.network_script` writes them to
static/base/network_table.js, and a test fails when the two differ. (The page has no build step; JSON modules
need browsers of 2025 and fall under another directive of the content policy.)

The rows are all of IANA's special-purpose registries (iana.org/assignments/iana-ipv4-special-registry and
iana-ipv6-special-registry, as of 2026-07-18), and what RFC 4291 and RFC 5771 say about the rest. Two
decisions are stricter than "globally reachable" there: an anycast address of the nearest relay or sink may
lead into our own network and serves no documents; 6to4 and Teredo reach whatever IPv4 addresses their relays
reach.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias


class Conclusion(StrEnum):
    """Who may reach an address, from mildest to severest."""

    PUBLIC = "public"
    """The bridge may fetch from it for a user, unless the address carries an IPv4 address that may not be
    fetched."""
    PRIVATE = "private"
    """Only the user's browser may reach it."""
    METADATA = "metadata"
    """Nobody may reach it: it hands out the identity of a machine, or controls it."""


SEVERITY = tuple(Conclusion)
"""Order of severity: of several conclusions about one address, the last one counts."""

Space: TypeAlias = Literal["loopback", "local"]


@dataclass(frozen=True, slots=True)
class Carried:
    """Where an IPv6 address holds an IPv4 address: ranges of bits (first, end), counted from the left."""

    pieces: tuple[tuple[int, int], ...]
    flipped: bool = False
    """Whether every bit of the IPv4 address is inverted."""


@dataclass(frozen=True, slots=True)
class Network:
    """A row of the table; `name` and `source` tell people what it is, and which RFC or vendor says so."""

    cidr: str
    name: str
    source: str
    conclusion: Conclusion = Conclusion.PRIVATE
    space: Space | None = None
    """Address space in the table of wicg.github.io/local-network-access; 0.0.0.0 and :: as Chromium treats
    them."""
    carries: tuple[Carried, ...] = ()


_AT_END = (Carried(((96, 128),)),)
_6TO4 = (Carried(((16, 48),)),)
_TEREDO = (Carried(((32, 64),)), Carried(((96, 128),), flipped=True))
"""The server's, then the client's address (RFC 4380, section 4)."""
_LOCAL_NAT64 = (
    Carried(((48, 64), (72, 88))),
    Carried(((56, 64), (72, 96))),
    Carried(((72, 104),)),
    Carried(((96, 128),)),
)
"""The prefix lengths of RFC 6052, section 2.2, from 48 on: 48, 56, 64, 96. Bits 64 to 71 are not part of the
address."""

_IPV4 = (
    Network("0.0.0.0/0", "the rest of IPv4", "RFC 791", Conclusion.PUBLIC),
    Network("0.0.0.0/8", "this network", "RFC 791"),
    Network("0.0.0.0/32", "this host", "RFC 1122", space="loopback"),
    Network("10.0.0.0/8", "private use", "RFC 1918", space="local"),
    Network("100.64.0.0/10", "shared address space", "RFC 6598", space="local"),
    Network("127.0.0.0/8", "loopback", "RFC 1122", space="loopback"),
    Network("169.254.0.0/16", "link-local", "RFC 3927", space="local"),
    Network("172.16.0.0/12", "private use", "RFC 1918", space="local"),
    Network("192.0.0.0/24", "IETF protocol assignments", "RFC 6890"),
    Network("192.0.0.0/29", "IPv4 service continuity", "RFC 7335"),
    Network("192.0.0.8/32", "IPv4 dummy address", "RFC 7600"),
    Network("192.0.0.9/32", "Port Control Protocol anycast", "RFC 7723"),
    Network("192.0.0.10/32", "TURN anycast", "RFC 8155"),
    Network("192.0.0.170/32", "NAT64 and DNS64 discovery", "RFC 7050"),
    Network("192.0.0.171/32", "NAT64 and DNS64 discovery", "RFC 7050"),
    Network("192.0.2.0/24", "documentation", "RFC 5737"),
    Network("192.31.196.0/24", "AS112 anycast", "RFC 7535"),
    Network("192.52.193.0/24", "AMT relay anycast", "RFC 7450"),
    Network("192.88.99.0/24", "6to4 relay anycast", "RFC 7526"),
    Network("192.88.99.2/32", "6a44 relay anycast", "RFC 6751"),
    Network("192.168.0.0/16", "private use", "RFC 1918", space="local"),
    Network("192.175.48.0/24", "AS112 anycast", "RFC 7534"),
    Network("198.18.0.0/15", "benchmarking", "RFC 2544", space="local"),
    Network("198.51.100.0/24", "documentation", "RFC 5737"),
    Network("203.0.113.0/24", "documentation", "RFC 5737"),
    Network("224.0.0.0/4", "multicast", "RFC 5771"),
    Network("240.0.0.0/4", "reserved", "RFC 1112"),
    Network("255.255.255.255/32", "limited broadcast", "RFC 919"),
)

_IPV6 = (
    Network("::/0", "not assigned for global use", "RFC 4291"),
    Network("2000::/3", "global unicast", "RFC 4291", Conclusion.PUBLIC),
    Network("::/96", "IPv4-compatible", "RFC 4291", carries=_AT_END),
    Network("::/128", "unspecified", "RFC 4291", space="loopback"),
    Network("::1/128", "loopback", "RFC 4291", space="loopback"),
    Network("::ffff:0:0/96", "IPv4-mapped", "RFC 4291", Conclusion.PUBLIC, carries=_AT_END),
    Network("::ffff:0:0:0/96", "IPv4-translated (SIIT)", "RFC 2765", carries=_AT_END),
    Network("64:ff9b::/96", "NAT64", "RFC 6052", Conclusion.PUBLIC, carries=_AT_END),
    Network("64:ff9b:1::/48", "local NAT64", "RFC 8215", carries=_LOCAL_NAT64),
    Network("100::/64", "discard-only", "RFC 6666"),
    Network("100:0:0:1::/64", "dummy prefix", "RFC 9780"),
    Network("2001::/23", "IETF protocol assignments", "RFC 2928"),
    Network("2001::/32", "Teredo", "RFC 4380", carries=_TEREDO),
    Network("2001:1::1/128", "Port Control Protocol anycast", "RFC 7723"),
    Network("2001:1::2/128", "TURN anycast", "RFC 8155"),
    Network("2001:1::3/128", "DNS-SD registration anycast", "RFC 9665"),
    Network("2001:2::/48", "benchmarking", "RFC 5180"),
    Network("2001:3::/32", "AMT relay anycast", "RFC 7450"),
    Network("2001:4:112::/48", "AS112 anycast", "RFC 7535"),
    Network("2001:10::/28", "ORCHID", "RFC 4843"),
    Network("2001:20::/28", "ORCHIDv2", "RFC 7343"),
    Network("2001:30::/28", "drone remote identity", "RFC 9374"),
    Network("2001:db8::/32", "documentation", "RFC 3849"),
    Network("2002::/16", "6to4", "RFC 3056", carries=_6TO4),
    Network("2620:4f:8000::/48", "AS112 anycast", "RFC 7534"),
    Network("3fff::/20", "documentation", "RFC 9637"),
    Network("5f00::/16", "segment routing identifiers", "RFC 9602"),
    Network("fc00::/7", "unique local", "RFC 4193", space="local"),
    Network("fe80::/10", "link-local", "RFC 4291", space="local"),
    Network("fec0::/10", "site-local", "RFC 3879"),
    Network("ff00::/8", "multicast", "RFC 4291"),
)

_AWS = "docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html"
_ECS = "docs.aws.amazon.com/AmazonECS/latest/developerguide/task-iam-roles.html"
_EKS = "docs.aws.amazon.com/eks/latest/userguide/pod-id-agent-setup.html"
_AZURE = "learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16"
_GOOGLE = "cloud.google.com/compute/docs/metadata/querying-metadata"
_ORACLE_CLASSIC = "docs.oracle.com/en/cloud/iaas/compute-iaas-cloud/stcsg/retrieving-instance-metadata.html"
_ORACLE = "docs.oracle.com/iaas/Content/Compute/Tasks/gettingmetadata.htm"
_ALIBABA = "www.alibabacloud.com/help/en/ecs/user-guide/view-instance-metadata"
_TENCENT = "cloud.tencent.com/document/product/213/4934"
_SCALEWAY = "www.scaleway.com/en/developers/api/instance/user-data"
_AKAMAI = "techdocs.akamai.com/cloud-computing/docs/metadata-service-api"
_OPENSTACK = "docs.openstack.org/nova/latest/admin/metadata-service.html"
_IBM = "cloud.ibm.com/apidocs/vpc-identity"


def _metadata(address: str, name: str, source: str) -> Network:
    length = 128 if ":" in address else 32
    return Network(f"{address}/{length}", name, source, Conclusion.METADATA)


_METADATA = (
    _metadata("169.254.169.254", "AWS, Azure, Google, Oracle, IBM, DigitalOcean, OpenStack and others", _AWS),
    _metadata("169.254.170.2", "credentials of AWS ECS", _ECS),
    _metadata("169.254.170.23", "credentials of AWS EKS", _EKS),
    _metadata("169.254.0.23", "Tencent Cloud", _TENCENT),
    _metadata("169.254.42.42", "Scaleway", _SCALEWAY),
    _metadata("100.100.100.200", "Alibaba Cloud", _ALIBABA),
    _metadata("168.63.129.16", "wire server of Azure", _AZURE),
    _metadata("192.0.0.192", "Oracle Cloud Classic", _ORACLE_CLASSIC),
    _metadata("fd00:ec2::254", "AWS", _AWS),
    _metadata("fd00:ec2::23", "credentials of AWS EKS", _EKS),
    _metadata("fd20:ce::254", "Google Cloud", _GOOGLE),
    _metadata("fd00:c1::a9fe:a9fe", "Oracle Cloud", _ORACLE),
    _metadata("fd00:100::100:200", "Alibaba Cloud", _ALIBABA),
    _metadata("fd00:42::42", "Scaleway", _SCALEWAY),
    _metadata("fd00:a9fe:a9fe::1", "Akamai", _AKAMAI),
    _metadata("fe80::a9fe:a9fe", "OpenStack", _OPENSTACK),
)
"""Without the clouds' name servers and time servers, which hand out no identity."""

NETWORKS = (*_IPV4, *_IPV6, *_METADATA)

METADATA_NAMES: Mapping[str, str] = {
    "metadata.google.internal": _GOOGLE,
    "metadata.goog": _GOOGLE,
    "metadata": _GOOGLE,
    "instance-data.ec2.internal": _AWS,
    "instance-data": _AWS,
    "metadata.tencentyun.com": _TENCENT,
    "api.metadata.cloud.ibm.com": _IBM,
}
"""Names that vendors give to metadata addresses, with their source; for the page, which sees no addresses."""
