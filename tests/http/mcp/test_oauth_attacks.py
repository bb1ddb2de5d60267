"""What an attacker tries with access tokens, and with the keys that check them; security.md lists all."""

import asyncio
import base64
import json
import logging
import time
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import HMACAlgorithm

from bridge.http.json_fetch import MAX_JSON_BYTES
from tests.support.authorization_server import (
    KEYS_PATH,
    AuthorizationServer,
    new_key,
    public_jwk,
)
from tests.support.mcp_messages import modern_request
from tests.support.oauth_client import CALL, OAuthClient, oauth_client
from tests.support.running_bridge import pair_browser
from tests.support.stores.databases import Where, content_of

pytestmark = pytest.mark.asyncio


async def test_a_token_of_a_foreign_issuer_is_refused(
    client: OAuthClient, server: AuthorizationServer
) -> None:
    """By its `iss`, were it signed by the right key, and by its key."""
    assert await client.reason(server.sign(iss="https://evil.example")) == (401, "issuer")
    foreign = AuthorizationServer(issuer="https://evil.example", audience=server.audience, key_id="evil")
    assert await client.reason(foreign.sign()) == (401, "unknown_key")
    foreign.issuer = server.issuer
    assert await client.reason(foreign.sign()) == (401, "unknown_key")


async def test_a_token_for_another_audience_is_refused(
    client: OAuthClient, server: AuthorizationServer
) -> None:
    """Whoever runs another service could else use here what people gave to it."""
    for audience in ("https://other.example/mcp", ["account", "https://other.example/mcp"], "claude"):
        assert await client.reason(server.sign(aud=audience)) == (401, "audience")
    assert await client.reason(server.sign(aud=None)) == (401, "missing_claim")


async def test_a_token_for_the_host_alone_is_refused(
    client: OAuthClient, server: AuthorizationServer
) -> None:
    """Another service may have that name behind the same proxy; the resource is the endpoint."""
    base_url = client.bridge.base_url
    for audience in (base_url, f"{base_url}/", f"{base_url}/mcp/", f"{base_url}/MCP", f"{base_url}/mcp?x"):
        assert await client.reason(server.sign(aud=audience)) == (401, "audience")


async def test_a_token_is_for_one_endpoint(client: OAuthClient, server: AuthorizationServer) -> None:
    """A client that was given one server's tools has not been given all, nor another's."""
    base_url = client.bridge.base_url
    of_shop = server.sign(aud=f"{base_url}/servers/shop/mcp")
    for path in ("/servers/shop/mcp", "/servers/%73hop/mcp"):
        assert (await client.send(of_shop, path=path))[0] != 401
    assert await client.reason(of_shop) == (401, "audience")
    assert await client.reason(of_shop, path="/servers/other/mcp") == (401, "audience")
    assert await client.reason(server.sign(), path="/servers/shop/mcp") == (401, "audience")


async def test_an_audience_that_the_operator_names_opens_every_endpoint(
    tmp_path: Path, server: AuthorizationServer
) -> None:
    """For authorization servers that write no address there; then the address is no audience any more."""
    async with oauth_client(tmp_path, server, oauth_audience="api://bridge") as client:
        assert await client.status(server.sign(aud="api://bridge")) == 200
        assert await client.reason(server.sign()) == (401, "audience")


async def test_an_expired_token_is_refused(client: OAuthClient, server: AuthorizationServer) -> None:
    """Half a minute is for clocks that differ."""
    now = int(time.time())
    assert await client.reason(server.sign(exp=now - 60)) == (401, "expired")
    assert await client.reason(server.sign(exp=None)) == (401, "missing_claim")
    assert await client.status(server.sign(exp=now - 5)) == 200


async def test_a_token_that_is_not_valid_yet_is_refused(
    client: OAuthClient, server: AuthorizationServer
) -> None:
    """By `nbf`, and by `iat`: nobody has issued it yet."""
    later = int(time.time()) + 120
    assert await client.reason(server.sign(nbf=later)) == (401, "not_yet_valid")
    assert await client.reason(server.sign(iat=later, exp=later + 60)) == (401, "not_yet_valid")


def part(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


async def test_a_token_without_a_signature_is_refused(
    client: OAuthClient, server: AuthorizationServer
) -> None:
    """`alg: none`."""
    claims = server.sign().split(".")[1]
    unsigned = f"{part({'alg': 'none', 'typ': 'at+jwt', 'kid': server.key_id})}.{claims}."
    assert await client.reason(unsigned) == (401, "algorithm")


async def test_the_public_key_is_no_secret_to_sign_with(
    client: OAuthClient, server: AuthorizationServer
) -> None:
    """HS256, with the public key in the form of most libraries as the secret."""
    key = rsa.generate_private_key(65537, 2048)
    server.published = [public_jwk(key, server.key_id)]
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    header = part({"alg": "HS256", "typ": "at+jwt", "kid": server.key_id})
    signed = f"{header}.{server.sign().split('.')[1]}"
    signature = HMACAlgorithm(HMACAlgorithm.SHA256).sign(signed.encode(), public)
    forged = f"{signed}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"
    assert await client.reason(forged) == (401, "algorithm")
    assert await client.status(server.sign(key=key, algorithm="RS256")) == 200


@pytest.mark.two_replicas
async def test_a_client_whose_name_is_no_text_is_a_client_like_any_other(
    client: OAuthClient, server: AuthorizationServer
) -> None:
    """Finding S-L1: JSON can escape half a character, and what stands for a client is a hash of its name."""
    status, _, _ = await client.send(server.sign(client_id="\ud800"))
    assert status == 200


async def test_a_token_of_an_unknown_key_is_refused_and_costs_the_server_nothing(
    client: OAuthClient, server: AuthorizationServer
) -> None:
    """Whoever invents key ids makes the bridge ask twice a minute at most."""
    assert await client.status(server.sign()) == 200
    for number in range(20):
        assert await client.reason(server.sign(header={"kid": f"x{number}"})) == (401, "unknown_key")
    assert await client.reason(server.sign(key=new_key())) == (401, "invalid")
    assert server.requested.count(KEYS_PATH) == 1


async def test_a_huge_token_is_refused(client: OAuthClient, server: AuthorizationServer) -> None:
    """Unread; beyond 8 KiB the HTTP server itself refuses the header, and the connection."""
    assert await client.reason(server.sign().ljust(8_001, "x")) == (401, "too_long")
    body, headers = modern_request("tools/list")
    headers["Authorization"] = f"Bearer {server.sign(groups='x' * 20_000)}"
    url = f"{client.bridge.base_url}/mcp"
    async with client.http.post(url, json=body, headers=headers) as response:
        assert response.status == 400
    assert server.requested == []


async def test_an_opaque_token_is_refused_and_says_what_is_wanted(client: OAuthClient) -> None:
    """Nobody is asked about it: no introspection, and the operator must learn that."""
    for token in ("c2VjcmV0", "tbk", "a.b", "a.b.c.d.e"):
        assert await client.reason(token) == (401, "opaque")


async def test_a_token_in_the_address_is_refused(client: OAuthClient, server: AuthorizationServer) -> None:
    """Addresses are logged; also where a good token stands in the header as well."""
    path = f"/mcp?access_token={server.sign()}"
    for token in (None, server.sign(), client.bridge.key):
        status, answer, challenge = await client.send(token, path=path)
        assert (status, challenge) == (400, None)
        assert answer["error"]["data"]["error"]["code"] == "invalid_request"


async def test_a_session_of_the_page_is_no_access_token(client: OAuthClient) -> None:
    """It has two dots, too, and is signed with the bridge's own secret."""
    bridge = client.bridge
    async with aiohttp.ClientSession() as http:
        page = await pair_browser(
            bridge.base_url, http, await bridge.components.users.add_ticket(bridge.local_user.id)
        )
        await page.open_session()
        assert await client.reason(page.token) == (401, "unknown_key")


async def test_keys_that_are_redirected_are_not_followed(
    client: OAuthClient, server: AuthorizationServer
) -> None:
    """A redirect could lead into the bridge's own network, or away from TLS."""

    async def elsewhere(_request: web.Request) -> web.StreamResponse:
        raise web.HTTPFound("/more-keys")

    server.answer_keys = elsewhere
    await refused_for_want_of_keys(client, server)
    assert "/more-keys" not in server.requested


async def test_keys_that_never_end_are_not_read_to_the_end(
    client: OAuthClient, server: AuthorizationServer
) -> None:
    """Memory of the bridge is for calls."""
    sent = 0

    async def endless(request: web.Request) -> web.StreamResponse:
        nonlocal sent
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        while True:
            await response.write(b" " * 65_536)
            sent += 65_536

    server.answer_keys = endless
    await refused_for_want_of_keys(client, server)
    assert sent < 100 * MAX_JSON_BYTES


@pytest.mark.parametrize(
    "text", ["", "no JSON", "[" * 100_000, '{"keys": 7}', "[]", "null", '"keys"'], ids=len
)
async def test_keys_that_are_none_are_not_used(
    client: OAuthClient, server: AuthorizationServer, text: str
) -> None:
    """Whatever stands there."""

    async def nonsense(_request: web.Request) -> web.StreamResponse:
        return web.Response(text=text)

    server.answer_keys = nonsense
    await refused_for_want_of_keys(client, server)


@pytest.mark.slow
async def test_keys_that_do_not_come_are_waited_for_once(
    client: OAuthClient, server: AuthorizationServer
) -> None:
    """Others who come meanwhile wait for the same fetch; keys of the bridge do not wait at all."""

    async def never(_request: web.Request) -> web.StreamResponse:
        await asyncio.Event().wait()
        raise AssertionError

    server.answer_keys = never
    async with asyncio.TaskGroup() as group:
        waiting = [group.create_task(client.status(server.sign())) for _ in range(3)]
        assert await client.status(client.bridge.key) == 200
    assert [each.result() for each in waiting] == [503] * 3
    assert server.requested.count(KEYS_PATH) == 1


async def test_known_keys_work_on_when_the_authorization_server_is_gone(
    client: OAuthClient, server: AuthorizationServer
) -> None:
    """For an hour, see the tests of the keys; unknown ones are unknown, not unavailable."""
    assert await client.status(server.sign()) == 200

    async def gone(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    server.answer_keys = gone
    assert await client.status(server.sign()) == 200
    assert await client.reason(server.sign(header={"kid": "other"})) == (401, "unknown_key")


async def refused_for_want_of_keys(client: OAuthClient, server: AuthorizationServer) -> None:
    """503 without a challenge: the client must not throw its token away and bother its user."""
    status, answer, challenge = await client.send(server.sign())
    assert (status, challenge) == (503, None)
    error = answer["error"]["data"]["error"]
    assert (error["code"], error["retryable"]) == ("authorization_unavailable", True)


async def test_no_token_is_stored_or_logged(
    client: OAuthClient, server: AuthorizationServer, database: Where, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither a good one nor a bad one: whoever reads the log or the database could use it."""
    good, bad = server.sign(), server.sign(aud="https://other.example")
    with caplog.at_level(logging.DEBUG):
        await client.send(good, method=CALL)
        await client.send(bad, method=CALL)
    for token in (good, bad):
        assert token.split(".")[2] not in caplog.text
        assert token.split(".")[2].encode() not in content_of(database)
