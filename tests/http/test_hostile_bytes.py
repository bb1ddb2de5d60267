"""Bytes that no client of ours sends: each gets an answer that says what is wrong, and disturbs nobody."""

import asyncio
import json
import logging
import re
import sys
import zlib
from collections.abc import AsyncGenerator
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from tests.support.mcp_messages import legacy_request, modern_request
from tests.support.raw_http import raw_answer
from tests.support.running_bridge import new_browser, public_key_of, running_bridge

pytestmark = [pytest.mark.asyncio, pytest.mark.both_event_loops, pytest.mark.slow]

BOMB_BYTES = 2_000_000
"""Of each bomb on the wire; unpacked it is a thousand times as long."""

UNHURT_S = 1.0
"""What `/healthz` may take meanwhile: it takes milliseconds, on a busy machine 0.3 s."""

ROUNDS = 4
"""The machine of a test is busy by itself; unpacking takes seconds every time."""


@pytest_asyncio.fixture
async def bridge(tmp_path: Path) -> AsyncGenerator[Bridge]:
    async with running_bridge(tmp_path) as running:
        yield running


@pytest.fixture(scope="module")
def bomb() -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    first, again = (packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return first + again * (BOMB_BYTES // len(again))


def request_of(bridge: Bridge, line: str, *headers: bytes, body: bytes = b"") -> bytes:
    host = urlsplit(bridge.base_url).netloc.encode()
    head = [
        line.encode(),
        b"Host: " + host,
        *headers,
        b"Content-Length: %d" % len(body),
        b"Connection: close",
    ]
    return b"\r\n".join([*head, b"Connection: close", b"", body])


@pytest.mark.parametrize("path", ["/tools/x", "/api/sessions", "/v1/responses", "/"])
async def test_a_packed_body_is_refused_in_the_form_of_its_route(
    bridge: Bridge, http: aiohttp.ClientSession, path: str
) -> None:
    """Whatever is in it, and also if it is not packed at all; who asks does not matter."""
    for encoding in ("gzip", "deflate", "br", "zstd", "x-made-up", "gzip, identity"):
        headers = {"Content-Encoding": encoding}
        async with http.post(bridge.base_url + path, data=b"no gzip", headers=headers) as response:
            error = (await response.json())["error"]
            assert (response.status, error["code"]) == (415, "unsupported_encoding")
            assert encoding in error["message"]


async def test_a_body_that_says_it_is_not_packed_is_read(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """`identity` is what a careful proxy may write."""
    headers = {"Content-Encoding": "Identity", "Authorization": f"Bearer {bridge.key}"}
    async with http.post(bridge.base_url + "/tools/x", data=b"{}", headers=headers) as response:
        assert response.status == 404


@pytest.mark.parametrize("where", ["/api/sessions", "/tools/x", "/v1/chat/completions"])
async def test_bombs_of_unauthenticated_clients_keep_nobody_waiting(
    bridge: Bridge, http: aiohttp.ClientSession, bomb: bytes, where: str
) -> None:
    """Four of them stalled everybody for six seconds, with whatever Host and key; nobody counted them."""
    times = [await slowest_health_s(http, bridge.base_url, where, bomb) for _ in range(ROUNDS)]
    assert min(times) < UNHURT_S, times


async def slowest_health_s(http: aiohttp.ClientSession, base_url: str, where: str, bomb: bytes) -> float:
    """The longest that `/healthz` takes while four bombs are on their way, sent by another process."""
    sender = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SENDER, str(urlsplit(base_url).port), where, stdin=asyncio.subprocess.PIPE
    )
    sending = asyncio.create_task(sender.communicate(bomb))
    loop, slowest = asyncio.get_running_loop(), 0.0
    while not sending.done():
        asked = loop.time()
        async with http.get(base_url + "/healthz") as response:
            assert response.status == 200
        slowest = max(slowest, loop.time() - asked)
    await sending
    assert sender.returncode == 0
    return slowest


SENDER = """
import socket, sys, threading
port, path, bomb = int(sys.argv[1]), sys.argv[2], sys.stdin.buffer.read()
head = f"POST {path} HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\nContent-Encoding: gzip\\r\\n"
head += f"Content-Length: {len(bomb)}\\r\\nConnection: close\\r\\n\\r\\n"
def send():
    with socket.create_connection(("127.0.0.1", port)) as line:
        try:
            line.sendall(head.encode() + bomb)
            while line.recv(65536):
                pass
        except OSError:
            pass
threads = [threading.Thread(target=send) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""
"""Also reads what comes, as an attacker does who keeps the connection."""


async def test_a_key_of_other_characters_is_an_unknown_key(
    bridge: Bridge, caplog: pytest.LogCaptureFixture
) -> None:
    """It was a bug of the bridge with 1,794 bytes of traceback, and no stranger was counted."""
    for path in ("/api/me", "/openapi.json", "/v1/models", "/conversations"):
        for key in (b"\xff", b"\xff.\xff.\xff", b"tbk_\xc3\xa9", b"a.b.\xed\xa0\x80"):
            request = request_of(bridge, f"GET {path} HTTP/1.1", b"Authorization: Bearer " + key)
            assert (await raw_answer(bridge.base_url, request))[0] == 401
    assert not [record for record in caplog.records if record.exc_info]


async def test_an_unauthenticated_client_with_such_keys_is_counted(tmp_path: Path) -> None:
    """As with every other wrong key."""
    async with running_bridge(tmp_path, limits={"UNAUTHENTICATED_PER_MINUTE_PER_ADDRESS": 10}) as bridge:
        request = request_of(bridge, "GET /api/me HTTP/1.1", b"Authorization: Bearer \xff")
        statuses = [(await raw_answer(bridge.base_url, request))[0] for _ in range(11)]
    assert statuses == [*[401] * 10, 429]


METRICS_TOKEN = "a-token-for-prometheus-alone"
NO_TEXT = (b"\xff", b"\xed\xa0\x80", b"\xc2\xb2", b"a\x85b")
"""Half a character, half a surrogate pair, a digit that is none, and a control character of Latin-1."""


async def test_no_bytes_of_a_reader_of_metrics_are_a_bug_of_the_bridge(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Finding S-L1: no key was needed, any `Host` did, and no stranger was counted."""
    async with running_bridge(tmp_path, metrics_token=METRICS_TOKEN) as bridge:
        for odd in NO_TEXT:
            line = b"Authorization: Bearer " + odd
            request = request_of(bridge, "GET /metrics HTTP/1.1", line)
            assert (await raw_answer(bridge.base_url, request))[0] == 401, odd
        token = b"Authorization: Bearer " + METRICS_TOKEN.encode()
        for odd in (*NO_TEXT, b"x", b"1.x", b"", b"9" * 4000, b"..", b"1.0.0"):
            for kind in (b"application/openmetrics-text", b"text/plain"):
                accept = b"Accept: " + kind + b";version=" + odd + b";escaping=" + odd
                request = request_of(bridge, "GET /metrics HTTP/1.1", token, accept)
                status, body = await raw_answer(bridge.base_url, request)
                assert (status, b"tool_bridge_build_info" in body) == (200, True), accept
    assert not [record for record in caplog.records if record.exc_info]


async def test_a_login_cookie_that_is_no_text_is_worth_nothing(
    bridge: Bridge, http: aiohttp.ClientSession, caplog: pytest.LogCaptureFixture
) -> None:
    """Finding S-L1: the ticket of a login is hashed with the cookie, which anybody may write."""
    port = str(urlsplit(bridge.base_url).port).encode()
    public_key = public_key_of(new_browser(bridge.base_url, http).key)
    body = json.dumps({"ticket": "login-x", "public_key": public_key}).encode()
    for odd in NO_TEXT:
        cookie = b"Cookie: tool-bridge-login-" + port + b"=" + odd
        request = request_of(
            bridge, "POST /api/devices HTTP/1.1", cookie, b"Content-Type: application/json", body=body
        )
        assert (await raw_answer(bridge.base_url, request))[0] == 401, odd
    assert not [record for record in caplog.records if record.exc_info]


@pytest.mark.parametrize("header", [b"MCP-Protocol-Version", b"Mcp-Method", b"Mcp-Name"])
async def test_a_header_of_mcp_that_is_no_text_is_refused_in_the_form_of_mcp(
    bridge: Bridge, caplog: pytest.LogCaptureFixture, header: bytes
) -> None:
    """Finding S-L1: the refusal repeats the header, and JSON has no half characters."""
    key = b"Authorization: Bearer " + bridge.key.encode()
    for make in (legacy_request, modern_request):
        body, told = make("tools/call", {"name": "x"})
        others = [f"{name}: {value}".encode() for name, value in told.items() if name.encode() != header]
        for odd in NO_TEXT:
            lines = [key, *others, header + b": " + odd]
            request = request_of(bridge, "POST /mcp HTTP/1.1", *lines, body=json.dumps(body).encode())
            status, answer = await raw_answer(bridge.base_url, request)
            assert status in (200, 400), (odd, status)
            assert json.loads(answer)["jsonrpc"] == "2.0"
    assert not [record for record in caplog.records if record.exc_info]


READ_HEADERS = re.findall(
    r"\S+",
    """
    Accept Accept-Encoding Access-Control-Request-Headers Access-Control-Request-Method Authorization
    Content-Disposition Content-Encoding Content-Type Cookie Expect Host If-Modified-Since If-None-Match
    If-Range Idempotency-Key Last-Event-ID MCP-Protocol-Version Mcp-Method Mcp-Name Origin Range
    Sec-Fetch-Mode Sec-Fetch-Site Sec-WebSocket-Extensions Sec-WebSocket-Key Sec-WebSocket-Protocol TE
    User-Agent Via X-Forwarded-For X-OpenWebUI-Chat-Id X-OpenWebUI-Message-Id X-OpenWebUI-User-Id
    X-OpenWebUI-User-Jwt X-OpenWebUI-User-Name X-Result-Kind X-Result-Token X-Session-Id
    X-Tool-Bridge-Calls X-Tool-Bridge-Debug X-Tool-Bridge-Markers X-Tool-Bridge-Task X-Tool-Deadline
    traceparent tracestate
    """,
)
"""Every header that the bridge or its libraries read."""

DOORS = (
    *("GET / ", "GET /healthz ", "GET /metrics ", "GET /system ", "GET /openapi.json ", "GET /login "),
    *("GET /login/finished?state=x&code=y ", "GET /api/me ", "GET /conversations ", "GET /v1/models "),
    *("GET /ws/socket.io/?EIO=4&transport=websocket ", "POST /mcp ", "POST /tools/listProducts "),
    *("POST /v1/responses ", "POST /v1/chat/completions ", "POST /api/devices ", "POST /conversations "),
    *("OPTIONS /openapi.json ", "OPTIONS /mcp ", "GET /static/app.js "),
)


@pytest.mark.parametrize("door", DOORS)
async def test_no_header_of_any_door_is_a_bug_of_the_bridge_when_it_is_no_text(
    bridge: Bridge, caplog: pytest.LogCaptureFixture, door: str
) -> None:
    """Finding S-L1: each reader of a header had to think of it alone; this asks all of them."""
    for name in READ_HEADERS:
        for odd in (b"\xff", b"\xc2\xb2"):
            lines = [name.encode() + b": " + odd]
            if name != "Authorization":
                lines.append(b"Authorization: Bearer " + bridge.key.encode())
            request = request_of(bridge, f"{door}HTTP/1.1", *lines, body=b"{}")
            status, answer = await raw_answer(bridge.base_url, request)
            assert status != 500, (name, odd, answer)
    assert not [record for record in caplog.records if record.exc_info and record.name.startswith("bridge")]


ODD_HOSTS = (
    *(
        "{netloc}:x",
        "{netloc}:1",
        "{netloc}:",
        "user@{netloc}",
        "{netloc}/a",
        "{netloc}#a",
        "[{netloc}]",
        "[",
    ),
    *(
        "",
        ":",
        "127.0.0.1:99999",
        "127.0.0.1:8 0",
        "\N{FULLWIDTH DIGIT ONE}27.0.0.1",
        "\xff",
        "box.lan:70000",
    ),
    "box.lan:1:2",
)


async def test_an_odd_host_is_no_host_of_the_bridge(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Two ports passed the check, and the page's route failed on them."""
    async with running_bridge(tmp_path, allowed_hosts=("box.lan",)) as bridge:
        netloc = urlsplit(bridge.base_url).netloc
        for host in ODD_HOSTS:
            line = f"Host: {host.format(netloc=netloc)}".encode("latin-1", "replace")
            for path in ("/", "/healthz", "/api/me"):
                request = f"GET {path} HTTP/1.1\r\n".encode() + line + b"\r\nConnection: close\r\n\r\n"
                assert (await raw_answer(bridge.base_url, request))[0] in (400, 421), host
    assert not [record for record in caplog.records if record.exc_info and record.name.startswith("bridge")]


@pytest.mark.parametrize("path", ["/api/me", "/v1/models", "/nowhere"])
async def test_an_odd_expectation_is_an_invalid_request(bridge: Bridge, path: str) -> None:
    """The library quoted it in its answer, and failed on bytes that are no text."""
    for expected, status in ((b"\xff\xed", 400), (b"200-ok", 400), (b"100-Continue", 100)):
        request = request_of(bridge, f"GET {path} HTTP/1.1", b"Expect: " + expected)
        assert (await raw_answer(bridge.base_url, request))[0] == status


@pytest.mark.parametrize("path", ["/api/me", "/tools/x", "/mcp", "/v1/models", "/healthz"])
async def test_a_request_of_two_origins_or_hosts_is_refused(bridge: Bridge, path: str) -> None:
    """The first counted, and whoever stands before the bridge may have believed the second."""
    for second in (bridge.base_url, "http://evil.test", "null"):
        for origins in ((bridge.base_url, second), (second, bridge.base_url)):
            lines = [f"Origin: {origin}".encode() for origin in origins]
            status, body = await raw_answer(
                bridge.base_url, request_of(bridge, f"GET {path} HTTP/1.1", *lines)
            )
            assert (status, b"one Origin header" in body) == (400, True)
    hosts = request_of(bridge, f"GET {path} HTTP/1.1", b"Host: evil.test")
    assert (await raw_answer(bridge.base_url, hosts))[0] == 400


async def test_a_request_without_a_host_is_not_answered(bridge: Bridge) -> None:
    """The library would ask DNS for the machine's own name, and everybody would wait."""
    status, _ = await raw_answer(bridge.base_url, b"GET /healthz HTTP/1.0\r\n\r\n")
    assert status == 421


CHUNKS = b"0\r\n\r\nGET /healthz HTTP/1.1\r\n"
"""An empty body in chunks; whoever believes a length of 5 takes what follows for another request."""

UNCLEAR: tuple[tuple[bytes, ...], ...] = (
    (b"Content-Length: 5", b"Transfer-Encoding: chunked"),
    (b"Transfer-Encoding: chunked", b"Content-Length: 5"),
    (b"Content-Length: 5", b"Content-Length: 6"),
    (b"Content-Length: 5, 6",),
    (b"Content-Length: +5",),
    (b"Content-Length: 0x5",),
    (b"Transfer-Encoding: chunked", b"Transfer-Encoding: identity"),
    (b"Transfer-Encoding: chunked, identity",),
    (b"Transfer-Encoding: xchunked",),
    (b"Transfer-Encoding : chunked",),
    (b" Transfer-Encoding: chunked",),
)


@pytest.mark.parametrize("lines", UNCLEAR, ids=lambda lines: b", ".join(lines).decode())
async def test_a_request_whose_end_is_unclear_is_refused(bridge: Bridge, lines: tuple[bytes, ...]) -> None:
    """A proxy in front that reads it another way would take one user's request for the end of another's."""
    host = b"Host: " + urlsplit(bridge.base_url).netloc.encode()
    for header, status in ((lines, 400), ([b"Transfer-Encoding: chunked"], 401)):
        request = b"\r\n".join([b"POST /tools/x HTTP/1.1", host, *header, b"", CHUNKS])
        assert (await raw_answer(bridge.base_url, request))[0] == status


KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
NO_HANDSHAKES: tuple[tuple[str, list[str]], ...] = (
    ("EIO=4&transport=websocket", ["Upgrade: websocket", KEY]),
    ("EIO=4&transport=websocket", ["Upgrade: websocket", "Connection: xupgrade", KEY]),
    ("EIO=4&transport=websocket", ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: x"]),
    ("EIO=4&transport=websocket", ["Upgrade: websocket", "Upgrade: websocket", "Connection: Upgrade", KEY]),
    ("EIO=4&transport=websocket&sid=x", ["Upgrade: websocket", "Connection: Upgrade", KEY]),
    ("EIO=4&EIO=3&transport=websocket", ["Upgrade: websocket", "Connection: Upgrade", KEY]),
    ("EIO=4&transport=polling&j=%c2%b2", ["Connection: Upgrade", KEY]),
    ("EIO=4&transport=polling", []),
    ("", []),
)


async def test_what_is_no_handshake_opens_no_socket(bridge: Bridge, caplog: pytest.LogCaptureFixture) -> None:
    """The library answered some with a 500, and remembered others as sockets for a minute."""
    host = urlsplit(bridge.base_url).netloc
    for query, headers in NO_HANDSHAKES:
        lines = [
            f"GET /ws/socket.io/?{query} HTTP/1.1",
            f"Host: {host}",
            "Sec-WebSocket-Version: 13",
            *headers,
        ]
        with caplog.at_level(logging.WARNING):
            status, body = await raw_answer(bridge.base_url, "\r\n".join([*lines, "", ""]).encode())
        assert (status, b"invalid_request" in body) == (400, True)
    assert not caplog.records
