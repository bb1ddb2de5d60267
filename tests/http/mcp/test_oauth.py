"""OAuth at the MCP endpoints: metadata, challenges, whom a token is, and what an attacker sees."""

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from yarl import URL

from bridge.app.server import Bridge
from tests.support.authorization_server import (
    AuthorizationServer,
)
from tests.support.oauth_client import CALL, OAuthClient, oauth_client
from tests.support.running_bridge import json_answer, page_of, pair_browser, running_bridge
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

METADATA = "/.well-known/oauth-protected-resource"


def answering(value: Any) -> Any:
    async def answer(_call: object) -> dict[str, Any]:
        return json_answer(value)

    return answer


async def get(http: aiohttp.ClientSession, url: str, **headers: str) -> tuple[int, Any, Any]:
    async with http.get(url, headers=headers) as response:
        return response.status, await response.json(), response.headers


async def ids_of_users(bridge: Bridge) -> dict[str, str]:
    return {user.name.partition(":")[2]: user.id for user in await bridge.components.users.list_users()}


async def test_without_an_authorization_server_keys_are_the_only_way(
    tmp_path: Path, http: aiohttp.ClientSession, server: AuthorizationServer
) -> None:
    """Off by default: no metadata, a challenge that wants a key, and a token is an unknown key."""
    async with running_bridge(tmp_path) as plain:
        server.audience = f"{plain.base_url}/mcp"
        client = OAuthClient(plain, http)
        for token in (None, "tbk_wrong", server.sign()):
            status, _, challenge = await client.send(token)
            assert (status, str(challenge).startswith("Bearer realm=")) == (401, True)
        assert await client.status(plain.key) == 200
        for path in ("", "/mcp", "/servers/shop/mcp"):
            status, answer, _ = await get(http, plain.base_url + METADATA + path)
            assert (status, answer["error"]["code"]) == (404, "not_found")
    assert server.requested == []


async def test_metadata_name_the_endpoint_and_the_authorization_server(
    client: OAuthClient, http: aiohttp.ClientSession, server: AuthorizationServer
) -> None:
    """RFC 9728: `resource` is the address from which the place of the metadata was made."""
    for path, resource in (
        ("", "/mcp"),
        ("/mcp", "/mcp"),
        ("/servers/shop/mcp", "/servers/shop/mcp"),
        ("/servers/none%20such%22/mcp", "/servers/none%20such%22/mcp"),
    ):
        url = client.bridge.base_url + METADATA + path
        status, answer, headers = await get(http, url, Origin="https://claude.example")
        assert (status, headers["Content-Type"]) == (200, "application/json")
        assert headers["Access-Control-Allow-Origin"] == "*"
        assert answer == {
            "resource": client.bridge.base_url + resource,
            "authorization_servers": [server.issuer],
            "bearer_methods_supported": ["header"],
            "resource_name": "Direct Tool Bridge",
        }


async def test_a_page_of_any_origin_may_ask_for_metadata(
    client: OAuthClient, http: aiohttp.ClientSession
) -> None:
    """MCP clients in a browser send a header that makes the browser ask first."""
    headers = {
        "Origin": "https://claude.example",
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "mcp-protocol-version",
    }
    async with http.options(f"{client.bridge.base_url}{METADATA}/mcp", headers=headers) as response:
        assert response.status == 204
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        assert response.headers["Access-Control-Allow-Headers"] == "*"


async def test_a_request_without_a_token_is_told_where_to_get_one(client: OAuthClient) -> None:
    """RFC 6750, 3.1: without an error, as the client has made none."""
    for path in ("/mcp", "/servers/shop/mcp"):
        status, _, challenge = await client.send(None, path=path)
        base = URL(client.bridge.base_url)
        metadata = f"{base.origin()}{METADATA}{base.path.rstrip('/')}{path}"
        assert (status, challenge) == (401, f'Bearer resource_metadata="{metadata}"')
        assert (await get(client.http, metadata))[0] == 200


async def test_needed_scopes_stand_in_metadata_and_challenges(
    tmp_path: Path, http: aiohttp.ClientSession, server: AuthorizationServer
) -> None:
    """A client asks for what it is told to ask for; 403 says that another token would do."""
    async with oauth_client(tmp_path, server, oauth_scopes=("tools", "tools:call")) as client:
        base_url = client.bridge.base_url
        place = f"{URL(base_url).origin()}{METADATA}{URL(base_url).path.rstrip('/')}/mcp"
        where = f'resource_metadata="{place}", scope="tools tools:call"'
        status, answer, _ = await get(http, base_url + METADATA)
        assert (status, answer["scopes_supported"]) == (200, ["tools", "tools:call"])
        status, _, challenge = await client.send(None)
        assert (status, challenge) == (401, f"Bearer {where}")
        status, answer, challenge = await client.send(server.sign(scope="tools"))
        assert (status, challenge) == (403, f'Bearer error="insufficient_scope", {where}')
        assert answer["error"]["data"]["error"]["code"] == "insufficient_scope"
        assert await client.status(server.sign(scope="openid tools:call tools")) == 200
        assert await client.status(client.bridge.key) == 200


@pytest.mark.parametrize("era", ["modern", "legacy"])
async def test_a_token_opens_the_endpoint_beside_keys(
    client: OAuthClient, server: AuthorizationServer, era: str
) -> None:
    """Keys stay the default; a forwarder's key works as ever, and names its user."""
    assert await client.status(server.sign(), era=era) == 200
    assert await client.status(client.bridge.key, era=era) == 200
    assert await client.status("tbk_unknown", era=era) == 401


async def test_a_token_opens_nothing_but_the_endpoint(
    client: OAuthClient, server: AuthorizationServer
) -> None:
    """Who may call tools through a chat may not read what else the bridge has of its user."""
    token = server.sign()
    assert await client.status(token) == 200
    headers = {"Authorization": f"Bearer {token}"}
    for method, path in (
        ("POST", "/tools/listProducts"),
        ("GET", "/openapi.json"),
        ("GET", "/v1/models"),
        ("GET", "/api/me"),
        ("GET", "/api/servers"),
        ("POST", "/api/calls"),
        ("GET", "/servers/shop/openapi.json"),
    ):
        url = client.bridge.base_url + path
        async with client.http.request(method, url, headers=headers, json={}) as response:
            assert response.status == 401, path
            assert "resource_metadata" not in response.headers["WWW-Authenticate"]


async def test_each_person_of_the_authorization_server_has_pages_of_their_own(
    client: OAuthClient, server: AuthorizationServer
) -> None:
    """A token of another user cannot reach this user's page, whatever it calls itself."""
    tokens = {name: server.sign(sub=name, name="Ada") for name in ("ada-1", "bob-1")}
    for token in tokens.values():
        assert await client.status(token) == 200
    ids = await ids_of_users(client.bridge)
    async with (
        page_of(client.bridge, ids["ada-1"], answering({"page": "Ada's"})) as ada,
        page_of(client.bridge, ids["bob-1"], answering({"page": "Bob's"})) as bob,
    ):
        _, answer, _ = await client.send(tokens["bob-1"], method=CALL)
        assert answer["result"]["structuredContent"] == {"page": "Bob's"}
        assert (len(ada.calls), len(bob.calls)) == (0, 1)


async def test_a_subject_is_never_a_user_of_the_bridge_by_name(
    client: OAuthClient, server: AuthorizationServer
) -> None:
    """Not the operator, not a forwarded user, and not the same subject of another issuer."""
    operator = client.bridge.local_user
    subjects = ("local", operator.id, f"oauth:{operator.id}", "open-webui:b5d012b2")
    for subject in subjects:
        assert await client.status(server.sign(sub=subject, name="local")) == 200
    users = await client.bridge.components.users.list_users()
    digest = hashlib.sha256(server.issuer.encode()).hexdigest()[:8]
    assert [user.name for user in users[1:]] == [f"oauth-{digest}:{subject}" for subject in subjects]


async def test_the_first_call_carries_a_link_that_pairs_the_users_page(
    client: OAuthClient, server: AuthorizationServer
) -> None:
    """So a person who comes from a chat gets a page; the call then runs there."""
    token = server.sign()
    _, answer, _ = await client.send(token, method=CALL)
    ticket = ticket_in(answer, "not_accepted", client.bridge.base_url)
    async with aiohttp.ClientSession() as http:
        page = await pair_browser(client.bridge.base_url, http, ticket)
        await page.open_session()
        await page.accept_everything()
        _, answer, _ = await client.send(token, method=CALL)
        ticket_in(answer, "no_browser", client.bridge.base_url)
        await page.connect(answering({"products": []}))
        _, answer, _ = await client.send(token, method=CALL)
        assert answer["result"]["structuredContent"] == {"products": []}
        await page.close()


async def test_people_see_which_client_asked_for_whom(
    client: OAuthClient, server: AuthorizationServer
) -> None:
    """Client ids and names are foreign text, which must neither mislead nor fill a card."""
    token = server.sign(client_id="https://claude.example/\u202eclient.json" + "x" * 200, name="Ada\n" * 99)
    assert await client.status(token) == 200
    (_, user) = await client.bridge.components.users.list_users()
    assert user.display_name == "Ada" * 16 + "Ad at 127.0.0.1"
    async with page_of(client.bridge, user.id, answering({})) as page:
        await client.send(token, method=CALL)
        calls = await page.get("/api/calls")
    (call,) = calls["calls"]
    assert call["asked_by"] == "client https://claude.example/client.json" + "x" * 46


def ticket_in(answer: Any, code: str, base_url: str) -> str:
    """The ticket of the page link in a failed call's answer."""
    assert answer["result"]["isError"]
    error = json.loads(answer["result"]["content"][0]["text"])["error"]
    assert error["code"] == code
    address, _, ticket = error["detail"]["pairing_url"].partition("/#ticket=")
    assert address == base_url
    return ticket


async def test_a_client_cancels_no_call_of_another_client_of_the_same_user(
    client: OAuthClient, server: AuthorizationServer
) -> None:
    """Ruling 39: callers are told apart by subject and client, as others are by the id of their key."""
    claude, chatgpt = server.sign(client_id="claude"), server.sign(client_id="chatgpt")
    assert await client.status(claude) == 200
    ids = await ids_of_users(client.bridge)

    async def silence(_call: dict[str, Any]) -> None:
        return None

    async with page_of(client.bridge, ids["ada-1"], silence) as page, asyncio.TaskGroup() as group:
        running = group.create_task(client.send(claude, method=CALL, era="legacy"))
        await eventually(lambda: len(page.calls) == 1)
        assert await client.cancel(chatgpt, 1) == 202
        assert await client.status(chatgpt) == 200
        assert (running.done(), page.cancelled) == (False, [])
        assert await client.cancel(claude, 1) == 202
        assert (await running)[1]["error"]["code"] == -32000
