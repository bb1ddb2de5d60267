"""From where a client comes: by the connection, or by what a trusted proxy says."""

from ipaddress import ip_network
from pathlib import Path

import aiohttp
import pytest

from bridge.endpoints.api.pairing import PAIRINGS
from bridge.http.client_address import find_client, limit_key
from tests.support.running_bridge import new_browser, public_key_of, running_bridge

PROXIES = [ip_network("127.0.0.1"), ip_network("10.1.0.0/16"), ip_network("fd00::/8")]


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("127.0.0.1", ["203.0.113.7"], "203.0.113.7"),
        ("127.0.0.1", ["203.0.113.7, 10.1.2.3"], "203.0.113.7"),
        ("127.0.0.1", ["203.0.113.7", "10.1.2.3"], "203.0.113.7"),  # each proxy its own line
        ("127.0.0.1", ["198.51.100.1, 203.0.113.7"], "203.0.113.7"),  # the first one is anybody's
        ("127.0.0.1", ["198.51.100.1, 203.0.113.7:4711"], "203.0.113.7"),
        ("127.0.0.1", ["[2001:db8::1]:443"], "2001:db8::1"),
        ("::ffff:127.0.0.1", ["203.0.113.7"], "203.0.113.7"),
        ("fd00::1", ["2001:db8::1"], "2001:db8::1"),
        ("127.0.0.1", ["unknown"], "127.0.0.1"),
        ("127.0.0.1", ["203.0.113.7, nonsense"], "127.0.0.1"),
        ("127.0.0.1", [], "127.0.0.1"),
        ("203.0.113.9", ["198.51.100.1"], "203.0.113.9"),  # whoever is no proxy may say what it likes
        ("", ["198.51.100.1"], ""),
    ],
)
def test_only_trusted_proxies_say_from_where_a_client_comes(
    peer: str, forwarded: list[str], client: str
) -> None:
    """Finding S-L14: otherwise whoever is slowed down takes another address, or somebody else's."""
    assert find_client(peer, forwarded, PROXIES) == client


def test_a_client_comes_from_its_peer_where_no_proxy_is_trusted() -> None:
    """Finding S-L14: which is the default."""
    assert find_client("127.0.0.1", ["203.0.113.7"], []) == "127.0.0.1"


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "::ffff:203.0.113.7"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
    ],
)
def test_the_addresses_of_one_client_count_together(address: str, key: str) -> None:
    """Finding S-L14: whoever has an IPv6 address has 2^64, each with attempts of its own."""
    assert limit_key(address) == key


@pytest.mark.asyncio
async def test_a_stranger_behind_the_same_proxy_uses_up_his_own_attempts(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    """Finding S-L14: sixty codes a minute were all that everybody behind a proxy had together."""

    async def ask_for_code(bridge_url: str, address: str) -> int:
        body = {"public_key": public_key_of(new_browser(bridge_url, http).key)}
        headers = {"X-Forwarded-For": address}
        async with http.post(f"{bridge_url}/api/pairings", json=body, headers=headers) as answer:
            return answer.status

    async with running_bridge(tmp_path, trusted_proxies=(ip_network("127.0.0.1"),)) as bridge:
        url = bridge.base_url
        seen = {await ask_for_code(url, "203.0.113.7") for _ in range(PAIRINGS + 20)}
        assert seen == {201, 429}
        assert await ask_for_code(url, "203.0.113.8") == 201
