"""Long JSON answers, written in slices so that other requests are answered in between."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable

from aiohttp import web

from bridge.tasks import yield_to_loop

SLICE_BYTES = 64 * 1024
"""Bytes that are made and sent before other tasks get the event loop: a few milliseconds of work."""


def long_answer(start: bytes, entries: Iterable[bytes], end: bytes) -> web.Response:
    """Return JSON texts as one response, separated by commas, between `start` and `end`.

    An entry is made when it is its turn. What it is made of must not change while the answer is sent, and
    making it must not fail: the status has been sent by then.
    """
    return web.Response(body=_slices(start, entries, end), content_type="application/json")


async def _slices(start: bytes, entries: Iterable[bytes], end: bytes) -> AsyncIterator[bytes]:
    written = bytearray(start)
    comma = b""
    for entry in entries:
        written += comma + entry
        comma = b","
        if len(written) >= SLICE_BYTES:
            yield bytes(written)
            written.clear()
            await yield_to_loop()
    yield bytes(written + end)
