"""What a bridge costs for each call, delta, request, page and stream: calls, bytes sent, bytes held."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Semaphore
from uuid import uuid4

from bench.payloads import ARGUMENTS_TEXT
from bench.shop_bridge import TOOL, ShopBridge, open_shop
from bridge.calls.limits.settings import Deadline
from bridge.calls.state_machine import CallPhase, CallState
from bridge.settings.chat.models import ModelsFile, ProviderSettings
from tests.cost.counting import ROUNDS, calls_of, traced_memory, waste_calls
from tests.cost.peers import MODELS, NONE, SILENT, Caller, Connection, Page, Provider
from tests.support.calls.dispatcher_harness import FreeSlot
from tests.support.calls.journal_harness import open_call
from tests.support.mcp_messages import legacy_request, modern_request
from tests.support.running_bridge import running_bridge
from tests.support.waiting import eventually

TIMES = 20
HELD = 8
"""Pages or streams that are opened at a time to measure their memory."""
TURNS = 100
"""Turns of the event loop in which what is being opened comes to rest."""

_LIMITS = {"CALLS_PER_MINUTE_PER_USER": 1_000_000}

CALL = {"name": TOOL, "arguments": json.loads(ARGUMENTS_TEXT)}
"""Parameters of `tools/call`."""


@dataclass(frozen=True)
class Measured(ShopBridge):
    """A bridge with the shop, one connected page and one provider of models."""

    page: Page
    provider: Provider

    async def ask(
        self,
        method: str,
        path: str,
        body: str = "",
        headers: Mapping[str, str] = NONE,
        *,
        times: int = TIMES,
    ) -> bytes:
        """Send requests, one after another, on a connection of their own; returns the last answer's head."""

        def send() -> bytes:
            with closing(Caller(self.bridge.base_url, self.bridge.key)) as caller:
                return [caller.request(method, path, body, headers) for _ in range(times)][-1]

        return await asyncio.to_thread(send)

    async def stream(self, path: str, body: str) -> None:
        """Read a stream of a model; each piece comes when the one before has been read."""
        pace = self.provider.pace = Semaphore()

        def read() -> None:
            with closing(Caller(self.bridge.base_url, self.bridge.key)) as caller:
                caller.stream(path, body, pace.release)

        await asyncio.to_thread(read)


@asynccontextmanager
async def measured_bridge(folder: Path) -> AsyncGenerator[Measured]:
    """Start everything."""
    provider = Provider()
    models = ModelsFile(provider=(ProviderSettings(name="bench", base_url=provider.base_url),))
    threads = ThreadPoolExecutor(1)
    try:
        async with running_bridge(folder, models=models, limits=_LIMITS) as bridge:
            shop = await open_shop(bridge)
            _, token = await shop.open_session(bridge.local_user)
            page = await asyncio.to_thread(Page, bridge.base_url, token, "page")
            answering: Future[None] = threads.submit(page.answer_calls)
            yield Measured(bridge, shop.server, page, provider)
        answering.result(10)
        page.close()
    finally:
        provider.close()
        threads.shutdown()


async def measure_tool_route(measured: Measured, waste: int) -> float:
    """Calls for one `POST /tools/NAME`, from the request to its answer."""

    async def ask() -> None:
        await measured.ask("POST", f"/tools/{TOOL}", ARGUMENTS_TEXT)
        waste_calls(waste * TIMES)

    return await calls_of(ask, TIMES, measured.settle)


async def measure_mcp_call(measured: Measured, waste: int) -> float:
    """Calls for the same call through `/mcp`, from a modern client."""
    return await _measure_mcp(measured, waste, modern_request("tools/call", CALL))


async def measure_legacy_mcp_call(measured: Measured, waste: int) -> float:
    """Calls for the same call from a legacy client, which outlasts its connection."""
    return await _measure_mcp(measured, waste, legacy_request("tools/call", CALL))


async def measure_mcp_list(measured: Measured, waste: int) -> float:
    """Calls for a list of tools through `/mcp` that is not the first one."""
    return await _measure_mcp(measured, waste, modern_request("tools/list"))


async def _measure_mcp(
    measured: Measured, waste: int, message: tuple[Mapping[str, object], Mapping[str, str]]
) -> float:
    body, headers = message

    async def ask() -> None:
        await measured.ask("POST", "/mcp", json.dumps(body), headers)
        waste_calls(waste * TIMES)

    return await calls_of(ask, TIMES, measured.settle)


async def measure_dispatch(measured: Measured, waste: int) -> float:
    """Calls for one call of the dispatcher, to the page and back."""
    return await calls_of(partial(dispatch_calls, measured, waste, safe=True), TIMES, measured.settle)


async def dispatch_calls(measured: Measured, waste: int, *, safe: bool) -> None:
    """Make `TIMES` calls by the dispatcher, one after another."""
    request = measured.compose_call(safe=safe)
    for _ in range(TIMES):
        slot = FreeSlot(Deadline(30, "call"))
        outcome = await measured.bridge.components.dispatcher.dispatch_call(request, slot)
        assert outcome.state is CallState.SUCCEEDED, outcome
        waste_calls(waste)


async def measure_safe_journal(measured: Measured, waste: int) -> float:
    """Calls for recording one safe call."""
    return await _measure_journal(measured, waste, safe=True)


async def measure_unsafe_journal(measured: Measured, waste: int) -> float:
    """Calls for recording one unsafe call, before it is sent and when it has ended."""
    return await _measure_journal(measured, waste, safe=False)


async def _measure_journal(measured: Measured, waste: int, *, safe: bool) -> float:
    journal, user = measured.bridge.components.journal, measured.bridge.local_user
    opened = partial(open_call, user, safe=safe, arguments=ARGUMENTS_TEXT)

    async def record() -> None:
        for _ in range(TIMES):
            call_id = str(uuid4())
            if not safe:
                await journal.record_opened(opened(call_id), 1.0, may_begin=True)
            journal.record_ended(opened(call_id, phase=CallPhase.SUCCEEDED), may_begin=True)
            waste_calls(waste)

    return await calls_of(record, TIMES, measured.settle)


async def measure_list(measured: Measured, waste: int) -> float:
    """Calls for one list of the API: all tools, without their schemas."""

    async def ask() -> None:
        await measured.ask("GET", "/api/tools?schemas=no")
        waste_calls(waste * TIMES)

    return await calls_of(ask, TIMES, measured.settle)


async def measure_responses_delta(measured: Measured, waste: int) -> float:
    """Calls for one delta of a stream of the Responses API, from the provider to the client."""
    return await _measure_delta(measured, waste, "/v1/responses", {"input": "Hello"})


async def measure_chat_delta(measured: Measured, waste: int) -> float:
    """Calls for one delta of a stream of Chat Completions, from the provider to the client."""
    messages = [{"role": "user", "content": "Hello"}]
    return await _measure_delta(measured, waste, "/v1/chat/completions", {"messages": messages})


async def _measure_delta(measured: Measured, waste: int, path: str, asked: dict[str, object]) -> float:
    """The difference between a long stream and a short one, for one delta."""
    counts: dict[str, float] = {}
    for model in ("short", "long"):
        body = json.dumps({"model": model, "stream": True, **asked})

        async def ask(body: str = body, pieces: int = MODELS[model]) -> None:
            await measured.stream(path, body)
            waste_calls(waste * pieces)

        counts[model] = await calls_of(ask, 1, measured.settle)
    return (counts["long"] - counts["short"]) / (MODELS["long"] - MODELS["short"])


async def measure_connecting(measured: Measured, waste: int) -> float:
    """Calls for the first page of a user that connects."""
    waiting = iter([await _new_page(measured) for _ in range((ROUNDS + 1) * HELD)])

    async def connect() -> None:
        for _ in range(HELD):
            page = await asyncio.to_thread(next(waiting))
            page.close()
            waste_calls(waste)

    return await calls_of(connect, HELD, measured.settle)


async def _new_page(measured: Measured) -> Callable[[], Page]:
    """What connects the page of a new user."""
    user = await measured.bridge.components.users.ensure_user(str(uuid4()))
    _, token = await measured.open_session(user)
    return partial(Page, measured.bridge.base_url, token, str(uuid4()))


async def measure_page_memory(measured: Measured, waste: int) -> float:
    """Bytes for one page that is connected and idle."""
    # A user whose pages connect over and over is read more slowly, so each measurement has one of its own.
    idle = await measured.bridge.components.users.ensure_user(str(uuid4()))
    _, token = await measured.open_session(idle)
    base_url = measured.bridge.base_url
    return await _measure_held(measured, lambda: Page(base_url, token, str(uuid4())), waste)


async def measure_stream_memory(measured: Measured, waste: int) -> float:
    """Bytes for one stream of a model that has begun and waits for its provider."""
    body = json.dumps({"model": SILENT, "stream": True, "input": "Hello"})

    def open_stream() -> Connection:
        caller = Caller(measured.bridge.base_url, measured.bridge.key)
        caller.begin("POST", "/v1/responses", body)
        caller.take_until(b"response.output_text.delta")
        return caller

    return await _measure_held(measured, open_stream, waste)


async def _measure_held(measured: Measured, open_one: Callable[[], Connection], waste: int) -> float:
    """Bytes for each further connection. Ends when the bridge has forgotten them all."""
    wasted: list[bytes] = []
    others = _count_connections()
    connections: list[Connection] = []

    def open_some() -> None:
        for _ in range(HELD):
            connections.append(open_one())
            wasted.append(bytes(waste))

    try:
        with traced_memory() as held:
            sizes: list[int] = []
            for _ in range(4):  # the first ones pay for what all share
                await asyncio.to_thread(open_some)
                await measured.settle()
                for _ in range(TURNS):
                    await asyncio.sleep(0)
                sizes.append(held())
            return (sizes[-1] - sizes[0]) / (len(sizes) - 1) / HELD
    finally:
        for connection in connections:
            connection.close()
        await eventually(lambda: _count_connections() <= others, what="the end of every connection")


def _count_connections() -> int:
    """Connections that aiohttp serves: each has a task of its own."""
    return sum("RequestHandler.start" in repr(task.get_coro()) for task in asyncio.all_tasks())
