"""Answers that take long: proxies cut a silent line, so white space goes ahead of the JSON (ruling 9)."""

from __future__ import annotations

import asyncio
from typing import Any

from aiohttp import hdrs, web

SILENCE_S = 15.0
"""What takes longer gets its 200 and headers now, and white space, so that proxies keep the line."""

KEEP_ALIVE_S = 10.0


async def kept_alive(request: web.Request, running: asyncio.Task[Any]) -> web.StreamResponse | None:
    """Wait until `running` has ended, however; None if that was soon.

    Else a response that has begun: 200, JSON, so far nothing but white space. The caller writes the rest.
    Raises what writing to a caller who is gone raises.
    """
    done, _ = await asyncio.wait({running}, timeout=SILENCE_S)
    if done:
        return None
    response = web.StreamResponse(headers={hdrs.CONTENT_TYPE: "application/json", "X-Accel-Buffering": "no"})
    await response.prepare(request)
    while not running.done():
        await response.write(b" ")
        await asyncio.wait({running}, timeout=KEEP_ALIVE_S)
    return response
