"""Long JSON answers, written in slices so that other requests are answered in between."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable

from aiohttp import web

from bridge.tasks import yield_to_loop

SLICE_BYTES = 64 * 1024
"""Bytes that are made and sent before other tasks get the event loop: a few milliseconds of work."""

MAX_AT_ONCE_BYTES = 1024 * 1024
"""Maximum bytes of content that is sent at once."""


def long_answer(start: bytes, entries: Iterable[bytes], end: bytes, *, between: bytes = b",") -> web.Response:
    """Return JSON texts as one response, separated by commas or what is given, between `start` and `end`.

    An entry is made when it is its turn. What it is made of must not change while the answer is sent, and
    making it must not fail: the status has been sent by then.
    """
    return web.Response(body=_slices(start, entries, end, between), content_type="application/json")


def body_of(content: bytes) -> bytes | AsyncIterator[bytes]:
    """Return content as a response takes it: in slices if sending it at once would keep the event loop."""
    return content if len(content) <= MAX_AT_ONCE_BYTES else _cut(content)


async def _cut(content: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(content), SLICE_BYTES):
        yield content[start : start + SLICE_BYTES]
        await yield_to_loop()


async def _slices(start: bytes, entries: Iterable[bytes], end: bytes, between: bytes) -> AsyncIterator[bytes]:
    written = bytearray(start)
    before = b""
    for entry in entries:
        written += before + entry
        before = between
        if len(written) >= SLICE_BYTES:
            yield bytes(written)
            written.clear()
            await yield_to_loop()
    yield bytes(written + end)
