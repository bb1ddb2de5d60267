"""What the client of a provider adds to a stream, beside the SDK alone and beside a plain HTTP client.

The provider answers at once and in one piece, from a process of its own, so that nothing is measured but the
programs that read it. Variants take turns; every connection is warm.
"""

import asyncio
import statistics
import sys
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

import aiohttp
import orjson
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionMessageParam

from bench.report import print_table
from bridge.models.agent.model import Model, ModelRequest
from bridge.models.providers.http_provider import HttpProvider
from bridge.models.providers.models import ChatModel, ResponsesModel
from bridge.settings.chat.models import ProviderSettings

ROUNDS = 300
_QUESTION = "Hello"
_REQUEST = ModelRequest("m", ({"role": "user", "content": _QUESTION},))
_DELTAS = ("response.output_text.delta", "chat.completion.chunk")

Ask = Callable[[], AsyncIterator[str]]
"""One round; gives the kind of each event."""


async def compare_model_streams() -> dict[str, object]:
    """Measure every variant, print a table and give the figures."""
    async with _peer() as url:
        responses = HttpProvider(ProviderSettings(name="bench", base_url=url), "sk-bench")
        chat = HttpProvider(ProviderSettings(name="bench", base_url=url, api="chat"), "sk-bench")
        async with (
            AsyncOpenAI(api_key="sk-bench", base_url=url, max_retries=0) as sdk,
            aiohttp.ClientSession(headers={"Authorization": "Bearer sk-bench"}) as session,
        ):
            variants: dict[str, Ask] = {
                "floor, Responses": lambda: _floor(session, f"{url}/responses", "type"),
                "SDK, Responses": lambda: _sdk_responses(sdk),
                "client, Responses": lambda: _of_model(ResponsesModel(responses)),
                "floor, chat": lambda: _floor(session, f"{url}/chat/completions", "object"),
                "SDK, chat": lambda: _sdk_chat(sdk),
                "client, chat": lambda: _of_model(ChatModel(chat)),
            }
            figures = await _measure(variants)
        await responses.close_client()
        await chat.close_client()
    rows = [[name, f"{first:.2f}", f"{whole:.2f}"] for name, (first, whole) in figures.items()]
    print_table("Model streams, median ms", ["variant", "first delta", "whole"], rows)
    return {name: {"first_ms": first, "whole_ms": whole} for name, (first, whole) in figures.items()}


async def _measure(variants: Mapping[str, Ask]) -> dict[str, tuple[float, float]]:
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in variants}
    for number in range(ROUNDS + ROUNDS // 10):
        for name, ask in variants.items():
            timed = await _timed(ask)
            if number >= ROUNDS // 10:
                times[name].append(timed)
    return {
        name: (statistics.median(first for first, _ in all_), statistics.median(whole for _, whole in all_))
        for name, all_ in times.items()
    }


async def _timed(ask: Ask) -> tuple[float, float]:
    """Milliseconds to the first delta and to the end."""
    begun = time.perf_counter()
    first = 0.0
    async for kind in ask():
        if not first and kind in _DELTAS:
            first = time.perf_counter()
    return (first - begun) * 1000, (time.perf_counter() - begun) * 1000


async def _floor(session: aiohttp.ClientSession, url: str, kind: str) -> AsyncIterator[str]:
    """As little as one can do: lines that are read as JSON."""
    async with session.post(url, json={"model": "m", "input": _QUESTION, "stream": True}) as response:
        async for line in response.content:
            if line.startswith(b"data: "):
                yield orjson.loads(line[6:])[kind]


async def _of_model(model: Model) -> AsyncIterator[str]:
    async for event in model.stream_round(_REQUEST):
        yield event.type


async def _sdk_responses(sdk: AsyncOpenAI) -> AsyncIterator[str]:
    async for event in await sdk.responses.create(model="m", input=_QUESTION, stream=True):
        yield event.type


async def _sdk_chat(sdk: AsyncOpenAI) -> AsyncIterator[str]:
    messages: list[ChatCompletionMessageParam] = [{"role": "user", "content": _QUESTION}]
    async for chunk in await sdk.chat.completions.create(model="m", messages=messages, stream=True):
        yield chunk.object


@asynccontextmanager
async def _peer() -> AsyncGenerator[str]:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.model_peer", stdin=pipe, stdout=pipe
    )
    assert process.stdin is not None
    assert process.stdout is not None
    port = int(await process.stdout.readline())
    try:
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.stdin.close()
        await process.wait()
