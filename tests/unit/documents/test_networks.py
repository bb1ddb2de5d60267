"""What an address is: the table of networks from inside and outside, and every way to carry IPv4 in IPv6."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bridge.documents.network_table import NETWORKS, SEVERITY, Conclusion, Network
from bridge.documents.networks import network_of

PUBLIC, PRIVATE, METADATA = Conclusion.PUBLIC, Conclusion.PRIVATE, Conclusion.METADATA

each_network = pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.cidr)

LAST_BEFORE_AND_FIRST_AFTER = [
    ("1.0.0.0", "9.255.255.255"),
    ("11.0.0.0", "100.63.255.255"),
    ("100.128.0.0", "126.255.255.255"),
    ("128.0.0.0", "168.63.129.15"),
    ("168.63.129.17", "169.253.255.255"),
    ("169.255.0.0", "172.15.255.255"),
    ("172.32.0.0", "191.255.255.255"),
    ("192.0.1.0", "192.0.1.255"),
    ("192.0.3.0", "192.31.195.255"),
    ("192.31.197.0", "192.52.192.255"),
    ("192.52.194.0", "192.88.98.255"),
    ("192.88.100.0", "192.167.255.255"),
    ("192.169.0.0", "192.175.47.255"),
    ("192.175.49.0", "198.17.255.255"),
    ("198.20.0.0", "198.51.99.255"),
    ("198.51.101.0", "203.0.112.255"),
    ("203.0.114.0", "223.255.255.255"),
    ("2001:200::", "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2001:db9::", "2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2003::", "2620:4f:7fff:ffff:ffff:ffff:ffff:ffff"),
    ("2620:4f:8001::", "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("3fff:1000::", "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
]
"""Everything that is public and carries nothing, from and to: written by hand, as the registries read."""

WRONGLY_ALLOWED = [
    "192.0.0.192",
    "192.0.0.8",
    "64:ff9b:1::7f00:1",
    "64:ff9b:1::a00:1",
    "::ffff:0:7f00:1",
    "::ffff:0:a9fe:a9fe",
    "5f00::1",
    "3fff::1",
    "fec0::1",
    "192.88.99.1",
    "168.63.129.16",
]
"""By the tables of Python 3.11.7 (all of them) and of every Python (the last)."""

METADATA_ADDRESSES = [
    "169.254.169.254", "169.254.170.2", "169.254.170.23", "169.254.0.23", "169.254.42.42", "100.100.100.200",
    "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:c1::a9fe:a9fe",
    "fd00:100::100:200", "fd00:42::42", "fd00:a9fe:a9fe::1", "fe80::a9fe:a9fe",
]  # fmt: skip


def conclusion(address: str | IPv4Address | IPv6Address) -> Conclusion:
    return network_of(str(address)).conclusion


def is_within(one: Network, other: Network) -> bool:
    inner, outer = ip_network(one.cidr), ip_network(other.cidr)
    return inner.version == outer.version and inner[0] in outer and inner.prefixlen >= outer.prefixlen


@each_network
def test_a_network_holds_its_first_and_its_last_address(network: Network) -> None:
    """There it decides itself, or a network in it, or an IPv4 address that is carried and worse."""
    whole = ip_network(network.cidr)
    for boundary in (whole[0], whole[-1]):
        deciding = network_of(str(boundary))
        is_worse = SEVERITY.index(deciding.conclusion) > SEVERITY.index(network.conclusion)
        assert is_within(deciding, network) or is_worse


@each_network
def test_a_network_ends_at_its_edges(network: Network) -> None:
    """The address before the first and the one after the last are decided by another row."""
    whole = ip_network(network.cidr)
    kind, ceiling = type(whole[0]), 2**whole.max_prefixlen
    for beyond in (int(whole[0]) - 1, int(whole[-1]) + 1):
        if 0 <= beyond < ceiling:
            assert network_of(str(kind(beyond))) != network


@pytest.mark.parametrize(("first", "last"), LAST_BEFORE_AND_FIRST_AFTER)
def test_what_lies_between_the_special_networks_is_public_to_its_edges(first: str, last: str) -> None:
    """A row that is too wide costs users documents, one that is too narrow opens a network."""
    assert [conclusion(first), conclusion(last)] == [PUBLIC, PUBLIC]
    before, after = ip_address(int(ip_address(first)) - 1), ip_address(int(ip_address(last)) + 1)
    if before.version == ip_address(first).version:
        assert conclusion(before) is not PUBLIC
    assert conclusion(after) is not PUBLIC


@pytest.mark.parametrize("address", WRONGLY_ALLOWED)
def test_what_tables_of_python_let_through_is_refused(address: str) -> None:
    """The bridge's own table decides, whatever Python it runs on."""
    assert conclusion(address) is not PUBLIC


@pytest.mark.parametrize("address", METADATA_ADDRESSES)
def test_addresses_of_cloud_metadata_are_known_as_such(address: str) -> None:
    """They hand out the machine's identity: neither the bridge nor a tool may ask."""
    assert conclusion(address) is METADATA


@pytest.mark.parametrize("address", METADATA_ADDRESSES)
def test_neighbours_of_metadata_addresses_are_none(address: str) -> None:
    """They are APIs like others, in the user's network or on the internet."""
    number, kind = int(ip_address(address)), type(ip_address(address))
    assert METADATA not in [conclusion(kind(number - 1)), conclusion(kind(number + 1))]


@pytest.mark.parametrize(
    "address",
    [
        "::", "::1", "::2:0:0", "::fffe:808:808", "::1:0:808:808", "64:ff9b::1:808:808",
        "64:ff9b:0:1::808:808", "100::1", "100:0:0:1::1", "200::1",
        "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "4000::", "5f00::1",
        "fbff::1", "fc00::1", "fdff::1", "fe00::1", "fe80::1", "fec0::1", "ff02::1",
        "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    ],
)  # fmt: skip
def test_outside_of_global_unicast_nothing_is_public(address: str) -> None:
    """What is not assigned today may lead anywhere tomorrow; nobody translates beside a prefix."""
    assert conclusion(address) is PRIVATE


@pytest.mark.parametrize(
    "text", ["", "localhost", "127.1", "010.0.0.1", "2130706433", "0x7f000001", "1.2.3.4.", "[::1]"]
)
def test_only_whole_addresses_are_read(text: str) -> None:
    """What a resolver might read as an address is a name here: what it resolves to is checked."""
    with pytest.raises(ValueError, match="does not appear to be an IPv4 or IPv6 address"):
        network_of(text)


def carriers(number: int) -> dict[str, int]:
    """IPv6 addresses that lead to an IPv4 address."""
    high, low = number >> 16, number & 0xFFFF
    nat64_local = 0x0064_FF9B_0001 << 80
    return {
        "mapped": 0xFFFF << 32 | number,
        "compatible": number,
        "translated": 0xFFFF << 48 | number,
        "NAT64": 0x0064_FF9B << 96 | number,
        "local NAT64 /48": nat64_local | high << 64 | low << 40,
        "local NAT64 /56": nat64_local | 7 << 72 | (number >> 24) << 64 | (number & 0xFFFFFF) << 32,
        "local NAT64 /64": nat64_local | 7 << 64 | number << 24,
        "local NAT64 /96": nat64_local | 7 << 64 | number,
        "6to4": 0x2002 << 112 | number << 80 | 1,
        "Teredo server": 0x2001_0000 << 96 | number << 64 | (0x08080808 ^ 0xFFFFFFFF),
        "Teredo client": 0x2001_0000 << 96 | 0x08080808 << 64 | (number ^ 0xFFFFFFFF),
        "ISATAP": 0x2606_4700 << 96 | 0x5EFE << 32 | number,
        "ISATAP of a global address": 0x2606_4700 << 96 | 0x0200_5EFE << 32 | number,
    }


WAYS = tuple(carriers(0))


@given(number=st.integers(0, 2**32 - 1), way=st.sampled_from(WAYS))
@example(number=0x7F000001, way="ISATAP")
@example(number=0xA9FEA9FE, way="Teredo client")
def test_no_way_to_carry_an_address_makes_it_more_public(number: int, way: str) -> None:
    """A relay or translator on the way would reach what the bridge itself must not."""
    plain, carried = conclusion(IPv4Address(number)), conclusion(IPv6Address(carriers(number)[way]))
    assert SEVERITY.index(carried) >= SEVERITY.index(plain)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("address", [address for address in METADATA_ADDRESSES if "." in address])
def test_metadata_is_known_however_it_is_carried(address: str, way: str) -> None:
    """The reason has to be the right one; the page refuses metadata and nothing else."""
    assert conclusion(IPv6Address(carriers(int(IPv4Address(address)))[way])) is METADATA


@pytest.mark.parametrize(
    ("way", "expected"),
    [("mapped", PUBLIC), ("NAT64", PUBLIC), ("ISATAP", PUBLIC), ("compatible", PRIVATE), ("6to4", PRIVATE)],
)
def test_a_public_address_stays_public_where_the_way_is_still_used(way: str, expected: Conclusion) -> None:
    """A bridge in a network with IPv6 alone reaches IPv4 by NAT64; the old ways serve nobody."""
    assert conclusion(IPv6Address(carriers(0x08080808)[way])) is expected
