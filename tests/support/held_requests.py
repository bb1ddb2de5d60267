"""Requests of programs whose answers take long: what came of one so far, and how it ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp


@dataclass
class HeldRequest:
    """A request that is being answered."""

    status: int = 0
    """Of its answer, once that has begun."""
    received: bytearray = field(default_factory=bytearray)
    is_over: bool = False
    """The bridge has ended the answer, in order or not."""
    was_cut: bool = False
    """The connection broke instead."""


@asynccontextmanager
async def held_request(
    base_url: str, method: str, path: str, key: str, body: Any = None, headers: dict[str, str] | None = None
) -> AsyncGenerator[HeldRequest]:
    """A request that is read until its answer ends, or the context is left."""
    held = HeldRequest()
    sent = {"Authorization": f"Bearer {key}", **(headers or {})}
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None)) as http:

        async def read() -> None:
            try:
                async with http.request(method, base_url + path, json=body, headers=sent) as answer:
                    held.status = answer.status
                    async for piece in answer.content.iter_any():
                        held.received += piece
            except aiohttp.ClientError:
                held.was_cut = True
            held.is_over = True

        reading = asyncio.create_task(read())
        try:
            yield held
        finally:
            reading.cancel()
            await asyncio.wait({reading})
