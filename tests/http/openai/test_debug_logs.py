"""Logs of single requests to models, for those who made them."""

from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import aiohttp
import openai
import pytest
import pytest_asyncio
from openai import AsyncOpenAI

from bridge.app.server import Bridge
from bridge.endpoints.openai.debug_logs import (
    ALL_LOGS,
    KEEP_S,
    MAX_LINE_CHARS,
    MAX_LINES,
    USER_LOGS,
    RequestLogs,
)
from bridge.settings.chat.model_defaults import ModelDefaults
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import MODEL, client_of, products, shop_bridge
from tests.support.models.scripted_provider import KEY, ScriptedProvider, fails, script
from tests.support.running_bridge import page_of

HELLO: Any = [{"role": "user", "content": "Tell nobody: swordfish."}]
LIST = calls(("listProducts", {"limit": 4242}))
DEBUG = {"X-Tool-Bridge-Debug": "1"}
OPEN_WEBUI = {**DEBUG, "X-OpenWebUI-Chat-Id": "c1"}


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, provider: ScriptedProvider) -> AsyncIterator[Bridge]:
    async with shop_bridge(tmp_path, provider) as running:
        yield running


async def log_of(bridge: Bridge, request_id: str, key: str | None = None) -> tuple[int, Any]:
    async with aiohttp.ClientSession() as http:
        headers = {"Authorization": f"Bearer {key or bridge.key}"}
        url = f"{bridge.base_url}/v1/requests/{request_id}/log"
        async with http.get(url, headers=headers) as answer:
            return answer.status, await answer.json()


def attached(chunks: list[Any]) -> list[Any]:
    """Sources that Open WebUI is shown."""
    told = [extra["event"] for chunk in chunks if (extra := chunk.model_extra) and "event" in extra]
    return [event["data"] for event in told if event["type"] == "source"]


@pytest.mark.asyncio
async def test_a_request_with_the_header_has_a_log_that_tells_what_happened_and_nothing_said(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S4-12: rounds, tries, calls and the end; no words, no arguments, no results, no key."""
    provider.play(fails(503), LIST, text("There is tea."))
    async with page_of(bridge, bridge.local_user.id, products):
        raw = await client.chat.completions.with_raw_response.create(
            model=MODEL, messages=HELLO, temperature=0.5, user="annabel", extra_headers=DEBUG
        )
    status, log = await log_of(bridge, raw.headers["x-request-id"])
    told = "\n".join(log["lines"])
    assert (status, log["object"], log["has_ended"]) == (200, "request.log", True)
    for words in (
        f"/v1/chat/completions asks {MODEL} of scripted, 1 items",
        f"request to {MODEL}: 1 items,",
        "temperature=0.5",
        "try 1 failed, the next one in",
        "first event: response.created",
        "response.completed: 1 function_call; 11 input_tokens",
        "call listProducts (call_1_0) begins",
        "call listProducts (call_1_0) result: 21 characters",
        "completed with 2 turn_count, 1 function_call_count",
    ):
        assert words in told
    for secret in ("swordfish", "4242", "tea", "annabel", KEY, bridge.key):
        assert secret not in told


@pytest.mark.asyncio
async def test_without_the_header_there_is_none(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S4-12: off by default."""
    provider.play(text("A"))
    raw = await client.responses.with_raw_response.create(model=MODEL, input="Hi")
    status, refused = await log_of(bridge, raw.headers["x-request-id"])
    assert (status, refused["error"]["code"]) == (404, "not_found")
    with pytest.raises(openai.BadRequestError, match="X-Tool-Bridge-Debug must be 1 or 0"):
        await client.responses.create(model=MODEL, input="Hi", extra_headers={"X-Tool-Bridge-Debug": "yes!"})


@pytest.mark.asyncio
async def test_nobody_else_reads_a_log(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S4-12: another user is told that there is none."""
    ann = await bridge.components.users.ensure_user("ann")
    _, key = await bridge.components.users.add_key(ann.id, "hers")
    provider.play(text("A"))
    raw = await client.responses.with_raw_response.create(model=MODEL, input="Hi", extra_headers=DEBUG)
    request_id = raw.headers["x-request-id"]
    assert (await log_of(bridge, request_id))[0] == 200
    assert (await log_of(bridge, request_id, key))[0] == 404


@pytest.mark.asyncio
async def test_open_webui_shows_the_log_as_a_source(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S4-12: "Debug Logs" after an answer, "Error Logs" after one that broke; other clients get neither."""
    provider.play(text("A"), script(text("A", "B")).dropped(after=6), text("A"))
    found: list[Any] = []
    for headers in (OPEN_WEBUI, OPEN_WEBUI, DEBUG):
        stream = await client.chat.completions.create(
            model=MODEL, messages=HELLO, stream=True, extra_headers=headers
        )
        chunks: list[Any] = []
        with suppress(openai.APIError):
            async for chunk in stream:
                chunks.append(chunk)
        found.append(attached(chunks))
    [debug], [error], none = found
    assert debug["source"] == {"name": "Debug Logs"}
    assert "completed with 1 turn_count" in debug["document"][0]
    assert none == []
    assert error["source"] == {"name": "Error Logs"}
    assert "round failed: upstream_disconnected" in error["document"][0]


@pytest.mark.asyncio
async def test_a_request_that_fails_at_once_has_its_log_under_the_id_of_the_error(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S4-12, S0-156: the id that the user sees leads to it."""
    provider.play(fails(400, "Too long.", code="context_length_exceeded"))
    with pytest.raises(openai.BadRequestError) as refused:
        await client.chat.completions.create(model=MODEL, messages=HELLO, extra_headers=OPEN_WEBUI)
    _, log = await log_of(bridge, refused.value.response.headers["x-request-id"])
    assert "failed: context_length_exceeded (400): " in log["lines"][-1]


@pytest.mark.parametrize(
    ("defaults", "headers", "status"),
    [
        (ModelDefaults(log_level="debug"), {}, 200),
        (ModelDefaults(log_level="debug"), {"X-Tool-Bridge-Debug": "0"}, 404),
        (ModelDefaults(request_logs="off"), DEBUG, 404),
    ],
)
@pytest.mark.asyncio
async def test_settings_say_which_requests_have_a_log(
    tmp_path: Path, provider: ScriptedProvider, defaults: ModelDefaults, headers: Any, status: int
) -> None:
    """S4-12: TOOL_BRIDGE_LOG_LEVEL for all of them; a wish that is not met is named in the answer's head."""
    async with (
        shop_bridge(tmp_path, provider, model_defaults=defaults) as bridge,
        client_of(bridge) as client,
    ):
        provider.play(text("A"))
        raw = await client.responses.with_raw_response.create(model=MODEL, input="Hi", extra_headers=headers)
        assert (await log_of(bridge, raw.headers["x-request-id"]))[0] == status
    dropped = "X-Tool-Bridge-Debug" if headers == DEBUG else None
    assert raw.headers.get("X-Tool-Bridge-Dropped") == dropped


@pytest.mark.parametrize(("who", "status"), [("own", 404), ("all", 200)])
@pytest.mark.asyncio
async def test_users_behind_a_forwarder_have_logs_where_the_operator_says_so(
    tmp_path: Path, provider: ScriptedProvider, who: Any, status: int
) -> None:
    """S4-12: one header of a connection would switch it on for all of Open WebUI's users."""
    settings: Any = {"model_defaults": ModelDefaults(request_logs=who), "trust_user_headers": True}
    user = {"X-OpenWebUI-User-Id": "u1", "X-OpenWebUI-User-Name": "Ann", "X-OpenWebUI-User-Email": "a@x"}
    async with shop_bridge(tmp_path, provider, **settings) as bridge:
        _, key = await bridge.components.users.add_key(bridge.local_user.id, "all", forwarder=True)
        provider.play(text("A"))
        async with client_of(bridge, key=key, default_headers=user) as client:
            raw = await client.responses.with_raw_response.create(
                model=MODEL, input="Hi", extra_headers=DEBUG
            )
            request_id = raw.headers["x-request-id"]
            async with aiohttp.ClientSession() as http:
                url = f"{bridge.base_url}/v1/requests/{request_id}/log"
                async with http.get(url, headers={**user, "Authorization": f"Bearer {key}"}) as answer:
                    assert answer.status == status


class Clock:
    time = 0.0

    def __call__(self) -> float:
        return self.time


def test_memory_is_bounded() -> None:
    """S4-12: lines of a request, requests of a user, requests of all, and time."""
    clock = Clock()
    logs = RequestLogs(clock)
    log = logs.begin_log("ann", "r0")
    for number in range(MAX_LINES + 5):
        log.add_line(f"line {number}\n" + "x" * 1000)
    assert len(log.lines) == MAX_LINES
    assert "line 5 " in log.lines[0]
    assert max(map(len, log.lines)) <= MAX_LINE_CHARS + 20
    for number in range(1, USER_LOGS + 1):
        logs.begin_log("ann", f"r{number}")
    assert logs.find_log("ann", "r0") is None
    assert logs.find_log("ann", "r1") is not None
    for number in range(ALL_LOGS):
        logs.begin_log(f"user {number}", "r")
    assert logs.find_log("ann", f"r{USER_LOGS}") is None
    clock.time += KEEP_S + 1
    assert logs.find_log("user 99", "r") is None
