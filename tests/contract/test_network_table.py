"""The table of networks, known twice: where the bridge fetches for users, and where the page runs calls."""

import json
import random
import subprocess
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_network
from pathlib import Path

from bridge.documents.network_table import METADATA_NAMES, NETWORKS
from bridge.documents.networks import network_of
from tests.network_script import SCRIPT, script

ROOT = Path(__file__).parents[2]
NODE = ROOT / ".venv/bin/node"
CONCLUDER = ROOT / "tests/page/support/conclude_hosts.js"

Host = tuple[str, str]
"""As Python and as a URL write it."""

MAPPED = IPv6Address("::ffff:0:0")


def test_the_page_has_the_table_of_the_bridge() -> None:
    """Else one of the two lists grows old: `python -m tests.network_script`."""
    assert SCRIPT.read_text(encoding="utf-8") == script()


def test_page_and_bridge_conclude_alike_about_thousands_of_addresses() -> None:
    """One table, but two programs that read it: edges, chance, and IPv6 in several writings."""
    chance = random.Random(20261122)
    hosts = [*edges(), *drawn(chance, 6000)]
    concluded = by_the_page([in_url for _, in_url in hosts])
    differing = {
        host: (theirs, str(ours))
        for (host, _), (theirs, _) in zip(hosts, concluded, strict=True)
        if theirs != (ours := network_of(host).conclusion)
    }
    assert differing == {}
    assert {theirs for theirs, _ in concluded} == {"public", "private", "metadata"}


def test_the_page_places_addresses_where_local_network_access_does() -> None:
    """By the rows of that specification alone; of the ways to carry IPv4 it knows the mapped one."""
    spaces = {ip_network(network.cidr): network.space for network in NETWORKS if network.space}
    hosts = [*edges(), *drawn(random.Random(7), 2000)]
    concluded = by_the_page([in_url for _, in_url in hosts])
    for (host, _), (_, space) in zip(hosts, concluded, strict=True):
        address = IPv6Address(host) if ":" in host else IPv4Address(host)
        if isinstance(address, IPv6Address) and int(address) >> 32 == int(MAPPED) >> 32:
            address = IPv4Address(int(address) & 0xFFFFFFFF)
        expected = next((spaces[network] for network in spaces if address in network), "public")
        assert space == expected, host


def test_names_of_metadata_services_are_known_to_both() -> None:
    """A page sees no address behind a name."""
    assert {"metadata", "instance-data"} <= METADATA_NAMES.keys()  # short, in networks of Google and AWS
    assert {theirs for theirs, _ in by_the_page(list(METADATA_NAMES))} == {"metadata"}
    assert by_the_page(["api.example", "metadata.google.internal.example"])[0][0] == "public"


def by_the_page(hosts: Sequence[str]) -> list[tuple[str, str]]:
    """Conclusion and address space of each."""
    ended = subprocess.run(
        [NODE, CONCLUDER],
        input=json.dumps(hosts),
        encoding="utf-8",
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def edges() -> list[Host]:
    found: list[Host] = []
    for network in NETWORKS:
        whole = ip_network(network.cidr)
        first, last, ceiling = int(whole[0]), int(whole[-1]), 2**whole.max_prefixlen
        numbers = [number for number in (first - 1, first, last, last + 1) if 0 <= number < ceiling]
        found += [written(number, whole.max_prefixlen) for number in numbers]
    return found


def drawn(chance: random.Random, count: int) -> list[Host]:
    """From all networks alike, so that small ones are met as often as large ones."""
    found: list[Host] = []
    for _ in range(count):
        whole = ip_network(chance.choice(NETWORKS).cidr)
        number = chance.randrange(int(whole[0]), int(whole[-1]) + 1)
        if whole.max_prefixlen == 128 and chance.random() < 0.2:
            number = number >> 64 << 64 | 0x5EFE << 32 | chance.getrandbits(32)
        found.append(written(number, whole.max_prefixlen, chance))
    return found


def written(number: int, bits: int, chance: random.Random | None = None) -> Host:
    if bits == 32:
        text = str(IPv4Address(number))
        return text, chance.choice(
            [text, str(number), hex(number), oct(number).replace("o", "")]
        ) if chance else text
    address = IPv6Address(number)
    text = address.compressed
    return text, f"[{chance.choice([text, address.exploded, address.exploded.upper()]) if chance else text}]"
