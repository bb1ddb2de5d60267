"""What the companion performs for a page, which no page could: the facts that its design relies on."""

import asyncio
import json

import pytest

from tests.browser.extension.conftest import Stage
from tests.support.tcp_servers import serving_connections
from tests.support.waiting import eventually

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

METHODS = ["GET", "HEAD", "OPTIONS", "QUERY", "POST", "PUT", "PATCH", "DELETE"]


@pytest.mark.parametrize("method", METHODS)
async def test_an_api_without_cors_is_called_by_any_method_without_a_preflight(
    stage: Stage, method: str
) -> None:
    """Secrets in headers and JSON bodies make a page ask first; the API here would not even answer that."""
    bridge = await stage.companion.open_bridge({"api": stage.origin, "methods": "all"})
    path = f"/any/{method}"
    headers = [["Authorization", "Bearer x"], ["X-Api-Key", "k"], ["Content-Type", "application/json"]]
    body = {} if method in ("GET", "HEAD") else {"text": "{}"}
    answer = await bridge.call(f"{stage.origin}{path}#kept-out", method, headers=headers, **body)
    assert (answer["type"], answer["status"], answer["status_text"]) == ("end", 200, "OK")
    [arrival] = stage.api.at(path)
    assert (arrival["method"], arrival["bytes"]) == (method, 2 if body else 0)
    sent = arrival["headers"]
    assert (sent["authorization"], sent["x-api-key"]) == ("Bearer x", "k")
    assert "cookie" not in sent
    assert "referer" not in sent


async def test_every_header_of_an_answer_is_read_but_cookies(stage: Stage) -> None:
    """Retry-After and ids are hidden from pages without CORS; a session is nobody's to read."""
    bridge = await stage.companion.open_bridge({"api": stage.origin})
    answer = await bridge.call(f"{stage.origin}/headers")
    assert answer["headers"].items() >= {"retry-after": "7", "x-request-id": "r-1"}.items()
    assert "set-cookie" not in answer["headers"]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_told_with_its_target_and_not_followed(stage: Stage, status: int) -> None:
    """Followed, custom headers and on 307 the body would go along to a host that nobody granted."""
    bridge = await stage.companion.open_bridge({"api": stage.origin, "methods": "all"})
    target = f"{stage.neighbour_origin}/stolen/{status}"
    answer = await bridge.call(
        f"{stage.origin}/redirect?status={status}&to={target}",
        "POST",
        text="secret",
        headers=[["X-Api-Key", "k"]],
    )
    assert (answer["type"], answer["status"], answer["location"]) == ("end", status, target)
    relative = await bridge.call(f"{stage.origin}/redirect?to=../moved")
    assert (relative["location"], relative["ip"]) == (f"{stage.origin}/moved", "127.0.0.1")
    assert stage.neighbour.at(f"/stolen/{status}") == stage.api.at("/moved") == []


async def test_headers_that_a_page_cannot_send_are_each_request_s_own(stage: Stage) -> None:
    """Rules by URL gave 19 of 20 parallel requests another one's header."""
    bridge = await stage.companion.open_bridge({"api": stage.origin})

    def headers(number: int) -> list[list[str]]:
        return [
            ["User-Agent", f"agent/{number}"],
            ["Referer", f"https://r.test/{number}"],
            ["Cookie", f"n={number}"],
        ]

    numbers = range(20)
    answers = await asyncio.gather(
        *(bridge.call(f"{stage.origin}/agents", headers=headers(number)) for number in numbers)
    )
    sent = [json.loads(answer["text"])["headers"] for answer in answers]
    assert [[each["user-agent"], each["referer"], each["cookie"]] for each in sent] == [
        [value for _, value in headers(number)] for number in numbers
    ]
    plain = await bridge.call(f"{stage.origin}/agents")
    assert "cookie" not in json.loads(plain["text"])["headers"]
    own = await stage.companion.own_page()
    assert await own.evaluate("chrome.declarativeNetRequest.getSessionRules()") == []
    await own.close()


async def test_two_parallel_requests_to_one_address_get_their_own_answers(stage: Stage) -> None:
    """An extension of others gave both the answer that came first."""
    bridge = await stage.companion.open_bridge({"api": stage.origin})
    answers = await asyncio.gather(
        *(bridge.call(f"{stage.origin}/twins", headers=[["X-Twin", name]]) for name in ("one", "two"))
    )
    assert [json.loads(answer["text"])["headers"]["x-twin"] for answer in answers] == ["one", "two"]


async def test_an_event_is_read_when_it_comes(stage: Stage) -> None:
    """A stream whose answer came whole at its end would be of no use."""
    bridge = await stage.companion.open_bridge({"api": stage.origin})
    call = asyncio.create_task(bridge.call(f"{stage.origin}/events", id="stream"))
    await bridge.page.evaluate("nextMessage(({ type, id }) => type === 'chunk' && id === 'stream')")
    stage.api.release.set()
    assert (await call)["text"] == "data: 1\n\ndata: 2\n\n"
    stage.api.release.clear()


async def test_twenty_megabytes_are_sent(stage: Stage) -> None:
    """In parts, because one message holds less and a streamed body fails over HTTP/1.1."""
    bridge = await stage.companion.open_bridge({"api": stage.origin, "methods": "all"})
    answer = await bridge.call(f"{stage.origin}/upload", "PUT", upload=20_000_000)
    assert (answer["type"], answer["status"]) == ("end", 200)
    [arrival] = stage.api.at("/upload")
    assert arrival["bytes"] == 20_000_000


async def test_a_download_waits_for_a_page_that_does_not_keep_up(stage: Stage) -> None:
    """What is not acknowledged would pile up in the page's memory."""
    bridge = await stage.companion.open_bridge({"api": stage.origin})
    await bridge.page.evaluate("unacknowledged.add('large')")
    call = asyncio.create_task(bridge.call(f"{stage.origin}/large?kilobytes=8192", id="large"))
    await bridge.page.evaluate("nextMessage(({ type, seq }) => type === 'chunk' && seq === 7)")
    for _ in range(5):
        await bridge.exchange({"type": "ping"})
    assert await bridge.page.evaluate("heard.filter(({ type }) => type === 'chunk').length") == 8
    await bridge.page.evaluate("unacknowledged.clear(); post({ type: 'ack', id: 'large', seq: 7 })")
    answer = await call
    assert (answer["type"], answer["bytes"], answer["size"]) == ("end", 8_388_608, 8_388_608)
    assert answer["largest"] <= 262_144


async def test_a_cancelled_call_is_aborted_at_the_server(stage: Stage) -> None:
    """A user who stops a call stops the work."""
    bridge = await stage.companion.open_bridge({"api": stage.origin})
    call = asyncio.create_task(bridge.call(f"{stage.origin}/hang/cancelled", id="stopped"))
    await eventually(lambda: stage.api.at("/hang/cancelled"))
    await bridge.page.evaluate("post({ type: 'cancel', id: 'stopped' })")
    answer = await call
    assert (answer["type"], answer["net_error"], answer["delivered"]) == ("failed", "cancelled", "unknown")
    await eventually(lambda: "/hang/cancelled" in stage.api.closed)


@pytest.mark.parametrize("leave", ["close", "reload"])
async def test_a_page_that_leaves_takes_its_calls_along(stage: Stage, leave: str) -> None:
    """As a closed tab does; the fetch would otherwise go on for nobody."""
    bridge = await stage.companion.open_bridge({"api": stage.origin})
    path = f"/hang/{leave}"
    await bridge.page.evaluate(
        "url => void performCall({ url, method: 'GET', headers: [], body: null, login: false })",
        stage.origin + path,
    )
    await eventually(lambda: stage.api.at(path))
    await getattr(bridge.page, leave)()
    await eventually(lambda: path in stage.api.closed)


async def test_a_wrong_password_is_an_answer_and_no_dialog(stage: Stage) -> None:
    """A dialog would hang in a worker that has no window."""
    bridge = await stage.companion.open_bridge({"api": stage.origin})
    answer = await bridge.call(f"{stage.origin}/basic")
    assert (answer["type"], answer["status"]) == ("end", 401)
    assert answer["headers"]["www-authenticate"] == 'Basic realm="test"'


@pytest.mark.parametrize(
    ("origin", "name"),
    [
        ("http://closed.test:{closed}", "ERR_CONNECTION_REFUSED"),
        ("http://nowhere.invalid", "ERR_NAME_NOT_RESOLVED"),
        ("https://tls.test:{tls}", "ERR_CERT_AUTHORITY_INVALID"),
    ],
)
async def test_what_never_left_is_said_so_by_its_name(stage: Stage, origin: str, name: str) -> None:
    """A page reads "Failed to fetch" for all of them, and cannot tell whether the request arrived."""
    api = origin.format(closed=stage.closed_port, tls=stage.tls_port)
    bridge = await stage.companion.open_bridge({"api": api, "methods": "all"})
    answer = await bridge.call(f"{api}/", "POST")
    assert (answer["type"], answer["net_error"], answer["delivered"]) == ("failed", name, "no")
    assert api in answer["message"]


async def test_a_server_that_hangs_up_may_have_acted(stage: Stage) -> None:
    """Only what is proven is called not delivered."""

    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.close()

    async with serving_connections(hang_up) as port:
        api = f"http://broken.test:{port}"
        bridge = await stage.companion.open_bridge({"api": api, "methods": "all"})
        answer = await bridge.call(f"{api}/", "POST")
    assert (answer["type"], answer["net_error"]) == ("failed", "ERR_EMPTY_RESPONSE")
    assert answer["delivered"] == "unknown"


@pytest.mark.parametrize("is_updated", [False, True])
async def test_a_refused_connection_proves_nothing_once_the_api_has_answered(
    stage: Stage, is_updated: bool
) -> None:
    """A browser sends again when its kept connection breaks, and names only the second attempt's error.

    Connections outlive an update of the extension, so what it knows of them must as well.
    """
    bodies: list[bytes] = []
    listening: list[asyncio.Server] = []

    async def answer_once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        await writer.drain()
        bodies.append(await reader.readuntil(b"\r\n\r\n"))
        listening[0].close()
        writer.transport.abort()

    listening.append(await asyncio.start_server(answer_once, "127.0.0.1", 0))
    api = f"http://broken.test:{listening[0].sockets[0].getsockname()[1]}"
    bridge = await stage.companion.open_bridge({"api": api, "methods": "all"})
    assert (await bridge.call(f"{api}/"))["text"] == "ok"
    if is_updated:
        await stage.companion.update(bridge)
    answer = await bridge.call(f"{api}/act", "POST")
    assert [body.split(b" ")[:2] for body in bodies] == [[b"POST", b"/act"]]
    assert (answer["type"], answer["net_error"]) == ("failed", "ERR_CONNECTION_REFUSED")
    assert answer["delivered"] == "unknown"
