"""What a bridge costs for each call, delta, request, page and stream: calls, bytes sent, bytes held."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Semaphore
from uuid import uuid4

from bench.payloads import ARGUMENTS_TEXT, CHAT_ID, MESSAGE_ID
from bridge.app.server import Bridge
from bridge.auth.identity import SESSION
from bridge.calls.request import CallContext, CallRequest
from bridge.calls.state_machine import CallPhase, CallState
from bridge.catalog.server_view import LoadedServer
from bridge.limits.settings import Deadline
from bridge.settings.models import ModelsFile, ProviderSettings
from bridge.storage.users import User
from examples.document_files import read_document_text
from tests.cost.counting import calls_of, traced_memory, waste_calls
from tests.cost.peers import MODELS, SILENT, Caller, Connection, Page, Provider
from tests.support.calls.dispatcher_harness import FreeSlot
from tests.support.calls.journal_harness import open_call
from tests.support.running_bridge import running_bridge
from tests.support.waiting import eventually

TIMES = 20
HELD = 8
"""Pages or streams that are opened at a time to measure their memory."""
TURNS = 100
"""Turns of the event loop in which what is being opened comes to rest."""

_OPERATION = "GET /products"
_LIMITS = {"CALLS_PER_MINUTE_PER_USER": 1_000_000}


@dataclass(frozen=True)
class Measured:
    """A bridge with one accepted server, one connected page and one provider of models."""

    bridge: Bridge
    server: LoadedServer
    page: Page
    provider: Provider

    async def ask(self, method: str, path: str, body: str = "", *, times: int = TIMES) -> bytes:
        """Send requests, one after another, on a connection of their own; returns the last answer's head."""

        def send() -> bytes:
            with closing(Caller(self.bridge.base_url, self.bridge.key)) as caller:
                return [caller.request(method, path, body) for _ in range(times)][-1]

        return await asyncio.to_thread(send)

    async def stream(self, path: str, body: str) -> None:
        """Read a stream of a model; each piece comes when the one before has been read."""
        pace = self.provider.pace = Semaphore()

        def read() -> None:
            with closing(Caller(self.bridge.base_url, self.bridge.key)) as caller:
                caller.stream(path, body, pace.release)

        await asyncio.to_thread(read)

    async def settle(self) -> None:
        """Return when the database has all calls."""
        await self.bridge.components.journal.list_calls(self.bridge.local_user.id, before=None, limit=1)


@asynccontextmanager
async def measured_bridge(folder: Path) -> AsyncGenerator[Measured]:
    """Start everything."""
    provider = Provider()
    models = ModelsFile(provider=(ProviderSettings(name="bench", base_url=provider.base_url),))
    threads = ThreadPoolExecutor(1)
    try:
        async with running_bridge(folder, models=models, limits=_LIMITS) as bridge:
            parts, user = bridge.components, bridge.local_user
            text = read_document_text("shop.json")
            server = await parts.registry.share_document(
                "shop.json", text, source_url="http://127.0.0.1:9/shop.json"
            )
            digests = {operation.key: operation.digest for operation in server.compiled.operations}
            await parts.registry.accept_operations(user.id, server.record.id, digests)
            page = await asyncio.to_thread(Page, bridge.base_url, await _session_of(bridge, user), "page")
            answering: Future[None] = threads.submit(page.answer_calls)
            yield Measured(bridge, server, page, provider)
        answering.result(10)
        page.close()
    finally:
        provider.close()
        threads.shutdown()


async def _session_of(bridge: Bridge, user: User) -> str:
    """A token with which a page of the user may connect."""
    device = await bridge.components.store.add_device(user.id, "{}", "cost")
    facts = {"sub": user.id, "name": user.name, "device": device.id}
    return bridge.components.identity.sign_token(SESSION, facts, 3600.0)


async def measure_tool_route(measured: Measured, waste: int) -> float:
    """Calls for one `POST /tools/NAME`, from the request to its answer."""

    async def ask() -> None:
        await measured.ask("POST", "/tools/listProducts", ARGUMENTS_TEXT)
        waste_calls(waste * TIMES)

    return await calls_of(ask, TIMES, measured.settle)


async def measure_dispatch(measured: Measured, waste: int) -> float:
    """Calls for one call of the dispatcher, to the page and back."""
    digest = next(each.digest for each in measured.server.compiled.operations if each.key == _OPERATION)
    request = CallRequest(
        CallContext(measured.bridge.local_user.id, CHAT_ID, MESSAGE_ID),
        tool_name="listProducts",
        server_id=measured.server.record.id,
        operation_key=_OPERATION,
        operation_digest=digest,
        origin="",
        safe=True,
        arguments_text=ARGUMENTS_TEXT,
    )

    async def dispatch() -> None:
        for _ in range(TIMES):
            slot = FreeSlot(Deadline(30, "call"))
            outcome = await measured.bridge.components.dispatcher.dispatch_call(request, slot)
            assert outcome.state is CallState.SUCCEEDED, outcome
            waste_calls(waste)

    return await calls_of(dispatch, TIMES, measured.settle)


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


async def measure_page_memory(measured: Measured, waste: int) -> float:
    """Bytes for one page that is connected and idle."""
    # A user whose pages connect over and over is read more slowly, so each measurement has one of its own.
    idle = await measured.bridge.components.store.ensure_user(str(uuid4()))
    token, base_url = await _session_of(measured.bridge, idle), measured.bridge.base_url
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
