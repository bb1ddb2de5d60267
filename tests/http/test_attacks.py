"""What an attacker tries at the bridge's doors, and what he sees. docs/explanation/security.md lists all."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import pytest
import pytest_asyncio
from multidict import CIMultiDict

from bridge.app.server import Bridge
from bridge.browser_protocol import SOCKET_MESSAGE_BYTES
from bridge.errors import BridgeError, ErrorCode
from bridge.timings import Timings
from tests.support.documents.compiled import document_text
from tests.support.raw_http import raw_answer
from tests.support.running_bridge import FakePage, json_answer, page_of, running_bridge
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, timings: Timings) -> AsyncGenerator[Bridge]:
    async with running_bridge(tmp_path, timings=timings, max_open_calls_per_user=20) as running:
        await running.components.registry.share_document("shop.json", document_text(), source_url=None)
        yield running


@pytest_asyncio.fixture
async def http() -> AsyncGenerator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


async def call(
    bridge: Bridge, http: aiohttp.ClientSession, arguments: Any = "{}", **more: Any
) -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {bridge.key}", **more.get("headers", {})}
    url = f"{bridge.base_url}/tools/listProducts"
    async with http.post(url, data=arguments, headers=headers) as response:
        return response.status, await response.json()


async def silence(_call: dict[str, Any]) -> dict[str, Any] | None:
    return None


def answering(outcome: dict[str, Any]) -> Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]:
    async def answer(_call: dict[str, Any]) -> dict[str, Any]:
        return outcome

    return answer


async def test_naming_anothers_session_in_a_call_reaches_only_ones_own_page(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """S0-117, W-26: Open WebUI sends X-Session-Id; what a caller names is not believed, in no place."""
    bob = await bridge.components.users.ensure_user("bob")
    mine_answers = answering(json_answer({"from": "mine"}))
    async with (
        page_of(bridge, bridge.local_user.id, mine_answers) as mine,
        page_of(bridge, bob.id, silence) as his,
    ):
        target = bridge.components.gateway.pages.newest_page(bob.id)
        assert target is not None
        sid = target.sid
        tries: list[tuple[dict[str, str], str]] = [
            ({"X-Session-Id": sid, "X-OpenWebUI-User-Id": bob.id}, "{}"),
            ({"X-OpenWebUI-Chat-Id": sid, "Cookie": f"sid={sid}"}, "{}"),
        ]
        for headers, arguments in tries:
            assert await call(bridge, http, arguments, headers=headers) == (200, {"from": "mine"})
        assert len(mine.calls) == 2
        assert his.calls == []


async def test_a_page_does_nothing_with_the_calls_servers_and_browsers_of_another_user(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Knowing every id is no right: nothing is told, stopped, decided or removed; the audit log knows."""
    bob = await bridge.components.users.ensure_user("bob")
    async with (
        page_of(bridge, bridge.local_user.id, silence) as mine,
        page_of(bridge, bob.id, silence) as his,
    ):
        secret = await mine.post(
            "/api/servers", {"text": document_text(), "base_url": "http://private.example"}
        )
        running = asyncio.create_task(call(bridge, http))
        await eventually(lambda: mine.calls)
        call_id, token = mine.calls[0]["id"], mine.calls[0]["bridge"]["result_token"]
        tries: list[tuple[str, str, Any]] = [
            ("GET", f"/api/calls/{call_id}", None),
            ("POST", f"/api/calls/{call_id}/cancel", None),
            ("POST", f"/api/calls/{call_id}/retry", None),
            ("GET", f"/api/calls/{call_id}/answer", None),
            ("GET", f"/api/servers/{secret['id']}", None),
            ("GET", f"/api/servers/{secret['id']}/plans", None),
            ("PUT", f"/api/servers/{secret['id']}/acceptance", {"operations": {}}),
            ("PATCH", f"/api/servers/{secret['id']}", {"base_url": "http://evil.example"}),
            ("DELETE", f"/api/servers/{secret['id']}", None),
            ("DELETE", f"/api/devices/{mine.device_id}", None),
            ("PATCH", f"/api/devices/{mine.device_id}", {"name": "x"}),
        ]
        for method, path, body in tries:
            status, refused = await his.request(method, path, body)
            assert (status, refused["error"]["code"]) == (404, ErrorCode.NOT_FOUND), path
        reply = await his.socket.call("bridge:decision", {"call_id": call_id, "decision": "once"}, timeout=20)
        assert reply == {"may_begin": False, "awaiting_slot": False, "deadline_ms": 0}
        await his.socket.emit("bridge:result", {"call_id": call_id, "outcome": json_answer({"forged": 1})})
        await eventually(lambda: his.receipts)
        assert not running.done()
        wrong = {
            "X-Result-Token": token[:-1] + ("A" if token[-1] != "A" else "B"),
            "Authorization": f"Bearer {his.token}",
        }
        async with http.put(f"{bridge.base_url}/api/calls/{call_id}/result", data=b"x", headers=wrong) as put:
            assert put.status == 401
        await mine.socket.emit("bridge:result", {"call_id": call_id, "outcome": json_answer({"true": 1})})
        assert await running == (200, {"true": 1})

        async def forgeries() -> set[str]:
            found = (await mine.get("/api/audit?users=all&kind=refused"))["entries"]
            endpoints = {entry["detail"]["door"] for entry in found if entry["detail"]["code"] == "forged"}
            return endpoints if len(endpoints) == 2 else set()

        assert await eventually(forgeries) == {"bridge:decision", "bridge:result"}


async def test_a_flood_of_calls_is_refused_early_and_leaves_nothing_behind(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """W-16: scaled proof for a million: beyond the limit each is refused at once, none is remembered."""
    async with page_of(bridge, bridge.local_user.id, silence):
        held = [asyncio.create_task(call(bridge, http)) for _ in range(20)]
        await eventually(lambda: len(bridge.components.dispatcher._open) == 20)  # pyright: ignore[reportPrivateUsage] - what memory holds
        started = asyncio.get_running_loop().time()
        codes = [(await call(bridge, http))[1]["error"]["code"] for _ in range(200)]
        assert set(codes) == {ErrorCode.QUEUE_FULL}
        assert asyncio.get_running_loop().time() - started < 20
        assert len(bridge.components.dispatcher._open) == 20  # pyright: ignore[reportPrivateUsage]
        for task in held:
            task.cancel()
        await eventually(lambda: not bridge.components.dispatcher._open)  # pyright: ignore[reportPrivateUsage]


async def test_an_oversized_message_ends_its_socket_and_no_other(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """The page that sends it is cut off; the user's other page goes on."""
    local = bridge.local_user.id
    async with (
        page_of(bridge, local, silence) as big,
        page_of(bridge, local, answering(json_answer({"ok": 1}))),
    ):
        await big.socket.emit("bridge:result", {"call_id": "c", "outcome": "x" * (SOCKET_MESSAGE_BYTES + 1)})
        await eventually(lambda: bridge.components.gateway.pages.count_pages(local) == 1)
        assert await call(bridge, http) == (200, {"ok": 1})


@pytest.mark.timings(body_s=0.2)
@pytest.mark.parametrize("path", ["/tools/listProducts", "/api/calls"])
async def test_a_body_that_trickles_is_not_waited_for(bridge: Bridge, path: str) -> None:
    """Slow loris: the connection is answered and closed; the wait is shortened here."""
    target = urlsplit(bridge.base_url)
    reader, writer = await asyncio.open_connection(target.hostname, target.port)
    head = f"POST {path} HTTP/1.1\r\nHost: {target.netloc}\r\nAuthorization: Bearer {bridge.key}\r\n"
    writer.write((head + "Content-Length: 100\r\n\r\n{").encode())
    async with asyncio.timeout(20):
        answer = await reader.readuntil(b"}}")
    writer.close()
    assert b" 400 " in answer.splitlines()[0]
    assert b"did not arrive within" in answer


@pytest.mark.parametrize("bomb", ["[" * 100_000, '{"a":' * 50_000, "[" * 50_000 + "]" * 50_000])
async def test_json_of_any_depth_is_refused_or_passed_on_and_breaks_nothing(
    bridge: Bridge, http: aiohttp.ClientSession, bomb: str
) -> None:
    """In arguments, in the body of a route, and in an API's answer."""
    deep = {**json_answer(0), "body": {"kind": "text", "text": bomb}}
    async with page_of(bridge, bridge.local_user.id, answering(deep)):
        status, body = await call(bridge, http, '{"x":' + bomb + "}")
        assert (status, body["error"]["code"]) == (400, ErrorCode.INVALID_ARGUMENTS)
        headers = {"Authorization": f"Bearer {bridge.key}"}
        async with http.post(f"{bridge.base_url}/api/calls", data=bomb[:60_000], headers=headers) as response:
            assert (await response.json())["error"]["code"] == ErrorCode.INVALID_REQUEST
        url = f"{bridge.base_url}/tools/listProducts"
        async with http.post(url, data=b"{}", headers=headers) as response:
            assert response.status == 200
            assert (
                bomb[:1000].replace('"', '\\"') in await response.text()
                or bomb[:1000] in await response.text()
            )


@pytest.mark.parametrize("levels", [254, 1_000])
async def test_a_body_that_is_nested_deeper_than_is_allowed_is_told_so(
    bridge: Bridge, http: aiohttp.ClientSession, levels: int
) -> None:
    """Finding house-H7: what was made of up to 1,024 levels could be written by some Pythons only."""
    body = '{"limit":' + "[" * levels + "]" * levels + "}"
    headers = {"Authorization": f"Bearer {bridge.key}"}
    async with http.post(f"{bridge.base_url}/api/calls", data=body, headers=headers) as response:
        error = (await response.json())["error"]
    assert error["code"] == ErrorCode.INVALID_REQUEST
    assert error["message"] == "The body cannot be read: it is nested more than 254 levels deep."


@pytest.mark.parametrize("name", ["__proto__", "constructor", "prototype", "toString"])
async def test_names_that_mean_something_to_javascript_mean_nothing(
    bridge: Bridge, http: aiohttp.ClientSession, name: str
) -> None:
    """As argument they travel as text or are refused; as names in a document they are names."""
    async with page_of(bridge, bridge.local_user.id, answering(json_answer({"ok": 1}))) as page:
        status, body = await call(bridge, http, json.dumps({name: {"polluted": True}}))
        assert status in (200, 400), body
        text = json.dumps(
            {
                "openapi": "3.1.0",
                "info": {"title": name, "version": "1"},
                "servers": [{"url": "http://api.example"}],
                "paths": {
                    f"/{name}": {
                        "get": {
                            "operationId": name,
                            "parameters": [{"name": name, "in": "query", "schema": {"type": "string"}}],
                        }
                    }
                },
                "components": {
                    "schemas": {
                        name: {
                            "type": "object",
                            "properties": {name: {"$ref": f"#/components/schemas/{name}"}},
                        }
                    }
                },
            }
        )
        status, added = await page.request("POST", "/api/servers", {"text": text})
        assert (status, added["title"]) == (201, name)


async def test_of_what_is_said_twice_one_counts_for_all(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """What one part checked, another could otherwise take from the other place.

    Of headers and queries the first counts, of names in JSON the last, as where the page reads it.
    """
    twice = "?origin=https://api.example&origin=https://evil.example"
    async with http.get(f"{bridge.base_url}/probe{twice}") as probe:
        assert "connect-src 'self' https://api.example;" in probe.headers["Content-Security-Policy"]
    good, bad = f"Bearer {bridge.key}", "Bearer tbk_wrong"
    for keys, status in (((good, bad), 200), ((bad, good), 401)):
        headers = CIMultiDict([("Authorization", key) for key in keys])
        async with http.get(f"{bridge.base_url}/api/me", headers=headers) as response:
            assert response.status == status
    async with page_of(bridge, bridge.local_user.id, answering(json_answer({"ok": 1}))) as page:
        assert (await call(bridge, http, '{"limit": 2, "limit": "many"}'))[0] == 400
        assert (await call(bridge, http, '{"limit": "many", "limit": 2}'))[0] == 200
        assert [json.loads(each["params"])["limit"] for each in page.calls] == [2]


async def test_a_body_changes_nothing_but_what_its_route_is_for(bridge: Bridge) -> None:
    """Members that other routes, other tables or other users have are no members here."""
    bob = await bridge.components.users.ensure_user("bob")
    async with page_of(bridge, bob.id, silence) as his:
        server = await his.post("/api/servers", {"text": document_text(), "owner_id": None, "id": "mine"})
        more = {"owner_id": bridge.local_user.id, "user_id": bridge.local_user.id, "text": "{}"}
        changed = {"id": "other", "source_url": "http://evil.example", "inline_html": True, **more}
        assert (await his.request("PATCH", f"/api/servers/{server['id']}", changed))[0] == 200
        (row,) = [each for each in (await his.get("/api/servers"))["servers"] if each["id"] == server["id"]]
        assert (row["inline_html"], row["source_url"], row["title"]) == (True, None, "Shop")
        named = {"name": "desk", "public_key": "x", **more}
        assert (await his.request("PATCH", f"/api/devices/{his.device_id}", named))[0] == 200
        assert [each["name"] for each in (await his.get("/api/devices"))["devices"]] == ["desk"]
        key = await his.post("/api/keys", {"label": "x", "key": "tbk_chosen", **more})
        assert key["key"] != "tbk_chosen"
        assert (await his.get("/api/me"))["user"] == "bob"
    keys = await bridge.components.users.list_keys(bob.id)
    assert [each.id for each in keys] == [key["id"]]


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/latest",
        "http://[::1]/latest",
        "http://2130706433/latest",
        "http://0x7f000001/latest",
        "http://0177.0000.0000.0001/latest",
        "http://[::ffff:127.0.0.1]/latest",
        "http://127.0.0.1.nip.io.invalid/",
        "http://localhost/",
        "file:///etc/passwd",
        "gopher://127.0.0.1/",
    ],
)
async def test_the_bridge_fetches_nothing_private_for_a_user(bridge: Bridge, url: str) -> None:
    """However this machine is written: one error, nothing of what is there.

    Other private addresses and metadata services: tests/documents/test_fetch.py, without a request.
    """
    async with page_of(bridge, bridge.local_user.id, silence) as page:
        status, refused = await page.request("POST", "/api/servers", {"url": url})
        assert status in (400, 502), refused
        assert refused["error"]["code"] in (ErrorCode.DOCUMENT_UNREACHABLE, ErrorCode.INVALID_REQUEST)


@pytest.mark.parametrize(
    "path",
    [
        "/static/../bridge.sqlite3",
        "/static/%2e%2e/%2e%2e/etc/passwd",
        "/static//etc/passwd",
        "/files/..%2f..%2fsecret.key",
        "/static/..%5c..%5cx",
        "/static/",
        "/static/vendor/",
        "/.git/config",
        "/static/.git/config",
    ],
)
async def test_no_path_leads_out_of_what_is_served(bridge: Bridge, path: str) -> None:
    """The address goes out as it is written, not tidied by a client library."""
    target = urlsplit(bridge.base_url)
    reader, writer = await asyncio.open_connection(target.hostname, target.port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {target.netloc}\r\nConnection: close\r\n\r\n".encode())
    async with asyncio.timeout(20):
        answer = await reader.read()
    writer.close()
    assert answer.split(maxsplit=2)[1] in (b"401", b"404"), answer[:200]
    assert b"SQLite" not in answer


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/audit"),
        ("GET", "/api/limits"),
        ("GET", "/api/calls"),
        ("POST", "/api/keys"),
        ("POST", "/api/devices"),
        ("POST", "/api/pairings"),
        ("POST", "/api/sessions/challenge"),
        ("GET", "/api/approval"),
        ("PUT", "/api/selection"),
        ("GET", "/static/app.js"),
        ("GET", "/probe"),
        ("GET", "/files/x"),
        ("GET", "/healthz"),
        ("GET", "/ws/socket.io/?EIO=4&transport=websocket"),
    ],
)
async def test_no_family_of_routes_answers_a_foreign_page_or_host(
    bridge: Bridge, http: aiohttp.ClientSession, method: str, path: str
) -> None:
    """DNS rebinding and pages of other sites: the same two errors everywhere."""
    url = bridge.base_url + path
    async with http.request(method, url, headers={"Host": "evil.example"}) as response:
        assert response.status == 421
        assert "access-control-allow-origin" not in response.headers
    async with http.request(method, url, headers={"Origin": "http://evil.example"}) as response:
        assert response.status == 403
        assert "access-control-allow-origin" not in response.headers


async def test_a_changed_document_runs_nothing_until_it_was_accepted_anew(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Whoever can change the document cannot change what the user accepted."""
    async with page_of(bridge, bridge.local_user.id, answering(json_answer({"ok": 1}))) as page:
        assert (await call(bridge, http))[0] == 200
        changed = document_text().replace("http://api.example", "http://evil.example")
        assert changed != document_text()
        await bridge.components.registry.share_document("shop.json", changed, source_url=None)
        seen = len(page.calls)
        status, body = await call(bridge, http)
        assert (status, body["error"]["code"], body["error"]["detail"]["changed"]) == (
            403,
            "not_accepted",
            True,
        )
        assert len(page.calls) == seen


async def test_a_page_of_one_user_cannot_wear_the_session_of_another(bridge: Bridge) -> None:
    """W-26: a token is signed; one with another user in it is not ours."""
    async with page_of(bridge, bridge.local_user.id, silence) as page:
        other = FakePage(page.base_url, page.http, page.device_id, page.key, token=page.token[:-4] + "AAAA")
        status, refused = await other.request("GET", "/api/me")
        assert (status, refused["error"]["code"]) == (401, ErrorCode.UNAUTHORIZED)
        with pytest.raises((BridgeError, Exception), match="session has ended"):
            await bridge.components.identity.caller_of_session(other.token)


OTHER_ORIGINS = (
    *("null", "", " ", "http://127.0.0.1", "https://127.0.0.1:{port}", "http://127.0.0.1:{port}/"),
    *("http://127.0.0.1:{port}.evil.example", "http://evil.example:{port}", "http://x@127.0.0.1:{port}"),
    *("http://127.0.0.1:{port}, http://evil.example", "http://evil.example http://127.0.0.1:{port}", "\xff"),
)


@pytest.mark.parametrize("origin", OTHER_ORIGINS)
async def test_no_form_of_another_origin_is_taken_for_the_pages_own(bridge: Bridge, origin: str) -> None:
    """The API, a session, the socket and MCP; a request with a second header after it is refused for that."""
    port, own = urlsplit(bridge.base_url).port, bridge.base_url
    key = f"Authorization: Bearer {bridge.key}\r\n"
    doors = (
        f"GET /api/me HTTP/1.1\r\n{key}",
        "POST /api/sessions/challenge HTTP/1.1\r\nContent-Length: 0\r\n",
        "GET /ws/socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nUpgrade: websocket\r\n",
        f"POST /mcp HTTP/1.1\r\nContent-Length: 0\r\n{key}",
    )
    for door in doors:
        for second in ("", f"Origin: {own}\r\n"):
            head = f"{door}Host: 127.0.0.1:{port}\r\nOrigin: {origin.format(port=port)}\r\n{second}\r\n"
            status, answer = await raw_answer(bridge.base_url, head.encode("latin-1"))
            refused = (400, b"several" in answer) if second else (403, b"foreign_origin" in answer)
            assert (status, True) == refused, (door, second)
