"""When the keys of an authorization server are fetched, which are used, and for how long."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm

from bridge.auth.signing_keys import (
    AWAY_S,
    FETCH_PAUSE_S,
    FETCH_S,
    FRESH_S,
    SigningKeys,
    UnusableAnswer,
    fetch_keys,
    metadata_addresses,
)
from bridge.errors import BridgeError
from bridge.tasks import Tasks
from tests.support.authorization_server import ISSUER, KEYS_PATH, AuthorizationServer, new_key, public_jwk

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]


@pytest_asyncio.fixture
async def tasks() -> AsyncIterator[Tasks]:
    owned = Tasks()
    yield owned
    await owned.close()


class Network:
    """The way to an authorization server, which may be down or hang."""

    def __init__(self, server: AuthorizationServer) -> None:
        self.server = server
        self.is_down = False
        self.hangs = False

    async def fetch(self, url: str) -> Any:
        if self.hangs:
            await asyncio.Event().wait()
        if self.is_down:
            self.server.requested.append("down")
            raise UnusableAnswer(f"{url} cannot be reached")
        return await self.server.fetch(url)

    def keys(self, tasks: Tasks) -> SigningKeys:
        return SigningKeys(ISSUER, self.fetch, tasks, clock=asyncio.get_running_loop().time)


def fetches(server: AuthorizationServer) -> int:
    return server.requested.count(KEYS_PATH)


async def found(keys: SigningKeys, key_id: str) -> bool:
    return await keys.find_key(key_id) is not None


async def code(keys: SigningKeys, key_id: str) -> str:
    with pytest.raises(BridgeError) as refused:
        await keys.find_key(key_id)
    return refused.value.error.code


async def test_many_tokens_at_once_cost_one_fetch(tasks: Tasks) -> None:
    """The first calls of all clients come together after a start."""
    server = AuthorizationServer()
    keys = Network(server).keys(tasks)
    async with asyncio.TaskGroup() as group:
        looking = [group.create_task(found(keys, "key-1")) for _ in range(20)]
    assert all(each.result() for each in looking)
    assert fetches(server) == 1


async def test_a_new_key_is_found_without_a_restart(tasks: Tasks) -> None:
    """Authorization servers rotate their keys; the pause since the last fetch must have passed."""
    server = AuthorizationServer()
    keys = Network(server).keys(tasks)
    assert await found(keys, "key-1")
    server.rotate_key("key-2")
    await asyncio.sleep(FETCH_PAUSE_S)
    assert await found(keys, "key-2")
    assert not await found(keys, "key-1")


async def test_unknown_keys_cannot_make_the_bridge_flood_the_server(tasks: Tasks) -> None:
    """Anybody may send tokens with invented key ids."""
    server = AuthorizationServer()
    keys = Network(server).keys(tasks)
    for number in range(100):
        assert not await found(keys, f"invented-{number}")
    assert fetches(server) == 1
    await asyncio.sleep(FETCH_PAUSE_S)
    for number in range(100):
        assert not await found(keys, f"invented-{number}")
    assert fetches(server) == 2


async def test_a_withdrawn_key_is_forgotten_after_a_while(tasks: Tasks) -> None:
    """It may have been stolen; a key that is known must not be believed for ever."""
    server = AuthorizationServer()
    keys = Network(server).keys(tasks)
    assert await found(keys, "key-1")
    server.rotate_key("key-2")
    await asyncio.sleep(FRESH_S)
    assert await found(keys, "key-1")  # This one starts the fetch, and does not wait for it.
    await asyncio.sleep(1)
    assert not await found(keys, "key-1")


async def test_known_keys_do_not_wait_for_a_server_that_hangs(tasks: Tasks) -> None:
    """What works without the network must go on without it."""
    network = Network(AuthorizationServer())
    keys = network.keys(tasks)
    assert await found(keys, "key-1")
    network.hangs = True
    await asyncio.sleep(FRESH_S)
    before = asyncio.get_running_loop().time()
    assert await found(keys, "key-1")
    assert asyncio.get_running_loop().time() == before


async def test_known_keys_work_for_an_hour_while_the_server_is_away(tasks: Tasks) -> None:
    """So long live the tokens it signed; after that nobody knows what it withdrew."""
    network = Network(AuthorizationServer())
    keys = network.keys(tasks)
    assert await found(keys, "key-1")
    network.is_down = True
    await asyncio.sleep(AWAY_S - 1)
    assert await found(keys, "key-1")
    await asyncio.sleep(FETCH_PAUSE_S)
    assert await code(keys, "key-1") == "authorization_unavailable"
    network.is_down = False
    await asyncio.sleep(FETCH_PAUSE_S)
    assert await found(keys, "key-1")


async def test_whoever_comes_while_the_server_has_never_answered_is_told_so(tasks: Tasks) -> None:
    """Not that the token is bad: the client would throw it away and ask its user to sign in again."""
    network = Network(AuthorizationServer())
    network.is_down = True
    keys = network.keys(tasks)
    for _ in range(10):
        assert await code(keys, "key-1") == "authorization_unavailable"
    assert network.server.requested == ["down"] * 3


async def test_a_server_that_hangs_is_waited_for_once_and_not_long(tasks: Tasks) -> None:
    """Else every caller would hold a connection for as long as it likes."""
    network = Network(AuthorizationServer())
    network.hangs = True
    keys = network.keys(tasks)
    loop = asyncio.get_running_loop()
    began = loop.time()
    assert await code(keys, "key-1") == "authorization_unavailable"
    assert loop.time() - began == FETCH_S
    assert await code(keys, "key-1") == "authorization_unavailable"
    assert loop.time() - began == FETCH_S


async def test_a_caller_that_hangs_up_does_not_end_the_fetch_of_the_others(tasks: Tasks) -> None:
    """They share it."""
    server = AuthorizationServer()
    keys = Network(server).keys(tasks)
    async with asyncio.TaskGroup() as group:
        leaving = group.create_task(keys.find_key("key-1"))
        staying = group.create_task(found(keys, "key-1"))
        await asyncio.sleep(0)
        leaving.cancel()
    assert staying.result()


@pytest.mark.parametrize(
    ("issuer", "places"),
    [
        (
            "https://a.example",
            [
                "https://a.example/.well-known/oauth-authorization-server",
                "https://a.example/.well-known/openid-configuration",
            ],
        ),
        (
            "https://a.example/",
            [
                "https://a.example/.well-known/oauth-authorization-server",
                "https://a.example/.well-known/openid-configuration",
            ],
        ),
        (
            "https://a.example/t/v2.0",
            [
                "https://a.example/.well-known/oauth-authorization-server/t/v2.0",
                "https://a.example/.well-known/openid-configuration/t/v2.0",
                "https://a.example/t/v2.0/.well-known/openid-configuration",
            ],
        ),
    ],
)
async def test_metadata_are_looked_for_where_the_specification_says(issuer: str, places: list[str]) -> None:
    """MCP 2026-07-28, authorization server discovery; Auth0's issuer ends in a slash, Entra's has a path."""
    assert list(metadata_addresses(issuer)) == places


@pytest.mark.parametrize(
    "place",
    [
        "/.well-known/openid-configuration/realms/main",
        "/realms/main/.well-known/openid-configuration",
    ],
)
async def test_metadata_of_openid_connect_will_do(place: str) -> None:
    """Many servers publish no others."""
    server = AuthorizationServer(metadata_path=place)
    assert list(await fetch_keys(ISSUER, server.fetch)) == ["key-1"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"issuer": "https://evil.example"},
        {"issuer": ISSUER + "/"},
        {"issuer": None},
        {"jwks_uri": None},
        {"jwks_uri": "http://login.example/keys"},
        {"jwks_uri": "https://user@login.example/keys"},
        {"jwks_uri": "file:///etc/passwd"},
        {"jwks_uri": "https://["},
        {"jwks_uri": ["https://login.example/keys"]},
    ],
    ids=str,
)
async def test_metadata_that_are_not_the_issuers_or_lead_astray_are_not_used(wrong: dict[str, Any]) -> None:
    """RFC 8414, 3.3: letter by letter the same issuer; keys come over TLS only."""
    server = AuthorizationServer(metadata=wrong)
    with pytest.raises(UnusableAnswer):
        await fetch_keys(ISSUER, server.fetch)
    assert fetches(server) == 0


@pytest.mark.parametrize("keys", [[], "keys", {}, None, [1, "x", None], [{"kid": "a"}]], ids=str)
async def test_a_key_set_without_a_usable_key_is_a_failure(keys: Any) -> None:
    """The keys from before are better than none."""
    server = AuthorizationServer()
    server.published = keys
    with pytest.raises(UnusableAnswer):
        await fetch_keys(ISSUER, server.fetch)


async def test_keys_that_are_secret_weak_or_for_something_else_are_left_out() -> None:
    """A symmetric key in a public set would let everybody sign; the others are no signature keys of ours."""
    good, private = new_key(), new_key()
    weak = rsa.generate_private_key(65537, 1024)
    odd = ec.generate_private_key(ec.SECP256K1())
    server = AuthorizationServer()
    server.published = [
        {"kty": "oct", "k": "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0", "kid": "symmetric", "alg": "HS256"},
        public_jwk(weak, "weak"),
        public_jwk(odd, "odd curve"),
        public_jwk(new_key(), "for encryption", use="enc"),
        public_jwk(new_key(), "other algorithm", alg="HS256"),
        {**public_jwk(private, "private"), **json.loads(ECAlgorithm.to_jwk(private))},
        {**public_jwk(new_key(), "broken"), "x": "AQ"},
        public_jwk(good, "good"),
    ]
    assert list(await fetch_keys(ISSUER, server.fetch)) == ["good"]


async def test_a_key_is_for_the_algorithms_of_its_kind_alone() -> None:
    """RFC 8725, 2.1: what a token says of its algorithm must never choose how it is checked."""
    big = rsa.generate_private_key(65537, 2048)
    server = AuthorizationServer()
    server.published = [
        public_jwk(new_key(), "curve"),
        public_jwk(big, "rsa"),
        public_jwk(big, "rsa with algorithm", alg="PS256"),
    ]
    keys = await fetch_keys(ISSUER, server.fetch)
    assert {key_id: key.algorithms for key_id, key in keys.items()} == {
        "curve": ("ES256",),
        "rsa": ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
        "rsa with algorithm": ("PS256",),
    }
