"""The MCP endpoint's messages over real HTTP: both eras, versions, headers, and what is refused."""

from typing import Any

import aiohttp
import orjson
import pytest

from bridge.app.server import Bridge
from tests.support.mcp_messages import LEGACY, MODERN, REQUESTS, legacy_request, modern_request, post_message
from tests.support.running_bridge import page_of
from toolserver.schema.compact import compact_schema

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize("era", ["modern", "legacy"])
async def test_the_tools_are_those_of_the_other_endpoints(
    bridge: Bridge, http: aiohttp.ClientSession, era: str
) -> None:
    """Same names, facts and order as `/openapi.json`, each fact once; annotations by method."""
    status, answer = await post_message(bridge, http, *REQUESTS[era]("tools/list"))
    assert status == 200
    headers = {"Authorization": f"Bearer {bridge.key}"}
    async with http.get(f"{bridge.base_url}/openapi.json", headers=headers) as response:
        paths = (await response.json())["paths"]
    advertised = {
        path.removeprefix("/tools/"): item["post"]["requestBody"]["content"]["application/json"]["schema"]
        for path, item in paths.items()
    }
    assert {tool["name"]: tool["inputSchema"] for tool in answer["result"]["tools"]} == {
        name: orjson.loads(compact_schema(orjson.dumps(schema))) for name, schema in advertised.items()
    }
    assert [tool["name"] for tool in answer["result"]["tools"]] == list(advertised)
    hints = {tool["name"]: tool["annotations"] for tool in answer["result"]["tools"]}
    assert hints["listProducts"] == {"readOnlyHint": True, "openWorldHint": True}
    assert hints["addProduct"] == {"readOnlyHint": False, "destructiveHint": True, "openWorldHint": True}


async def test_a_modern_client_may_keep_its_list_to_itself(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """`cacheScope: private`: two keys may see different tools at one address."""
    _, answer = await post_message(bridge, http, *modern_request("tools/list"))
    assert (answer["result"]["resultType"], answer["result"]["cacheScope"]) == ("complete", "private")
    assert isinstance(answer["result"]["ttlMs"], int)


async def test_the_server_says_what_it_speaks(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """`server/discover` of the modern era, `initialize` of the legacy one; no session is opened."""
    _, discovered = await post_message(bridge, http, *modern_request("server/discover"))
    assert discovered["result"]["supportedVersions"][0] == MODERN
    assert LEGACY in discovered["result"]["supportedVersions"]
    params = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    body, headers = legacy_request("initialize", params)
    headers.pop("MCP-Protocol-Version")
    status, opened = await post_message(bridge, http, body, headers)
    assert (status, opened["result"]["protocolVersion"]) == (200, "2025-06-18")
    body["params"]["protocolVersion"] = "1999-01-01"
    _, opened = await post_message(bridge, http, body, headers)
    assert opened["result"]["protocolVersion"] == LEGACY
    status, nothing = await post_message(
        bridge, http, {"jsonrpc": "2.0", "method": "notifications/initialized"}, legacy_request("ping")[1]
    )
    assert (status, nothing) == (202, None)
    assert (await post_message(bridge, http, *legacy_request("ping")))[1]["result"] == {}


def changed(**headers: str | None) -> tuple[dict[str, Any], dict[str, str]]:
    """A modern call, with some headers changed or left out."""
    body, sent = modern_request("tools/call", {"name": "listProducts"})
    sent.update({name.replace("_", "-"): value or "" for name, value in headers.items()})
    return body, {name: value for name, value in sent.items() if value}


@pytest.mark.parametrize(
    ("message", "status", "code"),
    [
        (changed(Mcp_Name="addProduct"), 400, -32020),
        (changed(Mcp_Name=None), 400, -32020),
        (changed(Mcp_Method="tools/list"), 400, -32020),
        (changed(Mcp_Method=None), 400, -32020),
        (changed(MCP_Protocol_Version="2025-11-25"), 400, -32020),
        (changed(MCP_Protocol_Version=None), 400, -32020),
        (modern_request("nothing/known"), 404, -32601),
        (modern_request("initialize"), 404, -32601),
        (modern_request("ping"), 404, -32601),
        (legacy_request("nothing/known"), 200, -32601),
        (modern_request("tools/list", {"cursor": "x"}), 400, -32602),
        (modern_request("tools/call", {"name": "noSuchTool"}), 400, -32602),
        (legacy_request("tools/call", {"name": "noSuchTool"}), 200, -32602),
        (modern_request("tools/call", {"name": "listProducts", "arguments": [1]}), 400, -32602),
        (modern_request("tools/call", {"name": "listProducts", "requestState": "forged"}), 400, -32602),
        (modern_request("tools/call", {"name": "listProducts", "inputResponses": {}}), 400, -32602),
    ],
)
async def test_what_is_wrong_with_a_request_has_its_own_status_and_code(
    bridge: Bridge,
    http: aiohttp.ClientSession,
    message: tuple[dict[str, Any], dict[str, str]],
    status: int,
    code: int,
) -> None:
    """The attacker's list: header and body that disagree are 400 and -32020."""
    seen, answer = await post_message(bridge, http, *message)
    assert (seen, answer["error"]["code"]) == (status, code)
    assert answer["id"] == 1


@pytest.mark.parametrize(
    "message",
    [
        modern_request("tools/list", {"cursor": None}),
        legacy_request("tools/list", {"cursor": None}),
        legacy_request("tools/list", {"_meta": None}),
        legacy_request("tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": None}}),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": None}, legacy_request("ping")[1]),
    ],
)
async def test_a_member_that_is_null_is_unset(
    bridge: Bridge, http: aiohttp.ClientSession, message: tuple[dict[str, Any], dict[str, str]]
) -> None:
    """Finding W-20: clients of typed languages write out what is unset, and had no tools for it."""
    status, answer = await post_message(bridge, http, *message)
    assert (status, answer["result"]["tools"][0]["name"]) == (200, "listProducts")


async def test_a_call_whose_unset_parameters_are_null_is_run(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Finding W-20: state and answers that the bridge never asked for are refused where there are any."""
    unset = {"requestState": None, "inputResponses": None, "_meta": None}
    call = legacy_request("tools/call", {"name": "listProducts", "arguments": {"limit": "many"}, **unset})
    async with page_of(bridge, bridge.local_user.id, never_asked):
        status, answer = await post_message(bridge, http, *call)
    assert (status, answer["result"]["isError"]) == (200, True)
    assert orjson.loads(answer["result"]["content"][0]["text"])["error"]["code"] == "invalid_arguments"


async def test_a_version_that_nobody_speaks_is_told_the_versions(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """-32022 with what is supported, whether body or header names it."""
    body, headers = modern_request("tools/list")
    body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2031-01-01"
    headers["MCP-Protocol-Version"] = "2031-01-01"
    for sent in (body, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}):
        status, answer = await post_message(bridge, http, sent, headers)
        assert (status, answer["error"]["code"]) == (400, -32022)
        assert MODERN in answer["error"]["data"]["supported"]


async def test_a_modern_request_without_its_meta_is_refused(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Version and capabilities are required in each request."""
    body, headers = modern_request("tools/list")
    del body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]
    status, answer = await post_message(bridge, http, body, headers)
    assert (status, answer["error"]["code"]) == (400, -32602)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", -32700),
        (b"\xff", -32700),
        (b"[]", -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b'{"id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32602),
    ],
)
async def test_what_is_no_message_is_refused(
    bridge: Bridge, http: aiohttp.ClientSession, body: bytes, code: int
) -> None:
    """A batch too: no version has them since 2025-06-18."""
    status, answer = await post_message(bridge, http, body, legacy_request("ping")[1])
    assert (status, answer["error"]["code"]) == (400, code)


async def test_a_message_of_four_megabytes_is_refused(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """413, in the shape of JSON-RPC, and without being read to its end."""
    body, headers = modern_request(
        "tools/call", {"name": "listProducts", "arguments": {"q": "x" * 4_000_000}}
    )
    status, answer = await post_message(bridge, http, body, headers)
    assert (status, answer["error"]["data"]["error"]["code"]) == (413, "too_large")


async def test_a_page_of_another_origin_may_not_ask_even_with_a_key(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Foreign Origin: 403, as MCP demands against DNS rebinding."""
    body, headers = modern_request("tools/list")
    for path in ("/mcp", "/servers/shop/mcp"):
        status, answer = await post_message(
            bridge, http, body, {**headers, "Origin": "https://evil.example"}, path=path
        )
        assert (status, answer["error"]["data"]["error"]["code"]) == (403, "foreign_origin")


async def test_without_a_key_nothing_is_told(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """401 in the shape of JSON-RPC."""
    status, answer = await post_message(bridge, http, *modern_request("tools/list"), key="tbk_wrong")
    assert (status, answer["error"]["data"]["error"]["code"]) == (401, "unauthorized")


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_there_is_no_session_to_listen_to_or_to_end(
    bridge: Bridge, http: aiohttp.ClientSession, method: str
) -> None:
    """405, which every client takes for: not offered."""
    headers = {"Authorization": f"Bearer {bridge.key}"}
    async with http.request(method, f"{bridge.base_url}/mcp", headers=headers) as response:
        assert response.status == 405
        assert response.headers["Allow"] == "POST"


async def test_one_server_has_an_address_of_its_own(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """`/servers/{server}/mcp` lists its tools; a server that does not exist is 404."""
    status, answer = await post_message(bridge, http, *modern_request("tools/list"), path="/servers/shop/mcp")
    assert (status, answer["result"]["tools"][0]["name"]) == (200, "listProducts")
    status, answer = await post_message(bridge, http, *modern_request("tools/list"), path="/servers/none/mcp")
    assert (status, answer["error"]["data"]["error"]["code"]) == (404, "not_found")


async def never_asked(_call: dict[str, Any]) -> None:
    """A page that performs nothing."""


async def test_a_name_in_base64_is_the_name(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """`Mcp-Name: =?base64?…?=` is decoded before it is compared."""
    body, headers = modern_request("tools/call", {"name": "listProducts", "arguments": {"limit": "many"}})
    headers["Mcp-Name"] = "=?base64?bGlzdFByb2R1Y3Rz?="
    async with page_of(bridge, bridge.local_user.id, never_asked):
        status, answer = await post_message(bridge, http, body, headers)
    assert (status, answer["result"]["isError"]) == (200, True)
    assert orjson.loads(answer["result"]["content"][0]["text"])["error"]["code"] == "invalid_arguments"
