"""WebSockets of pages that are at home in another replica: frames go through as they are."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeAlias

from aiohttp import ClientWebSocketResponse, WSCloseCode, WSMsgType, web

from bridge.browser_protocol import SOCKET_MESSAGE_BYTES

CLOSE_S = 1.0
"""Seconds for a page to confirm that its socket is closed."""

_Socket: TypeAlias = web.WebSocketResponse | ClientWebSocketResponse


async def pump_frames(request: web.Request, upstream: ClientWebSocketResponse) -> web.WebSocketResponse:
    """Accept a page's socket and connect it with that of its home until either ends.

    A slow page slows the home down: nothing is kept here but what the operating system keeps. When the home
    is lost, the page is cut off, and connects again; of a page that is lost its home learns at once.
    Cancelling it cuts both.
    """
    page = web.WebSocketResponse(
        timeout=CLOSE_S, max_msg_size=SOCKET_MESSAGE_BYTES, autoping=False, compress=False
    )
    await page.prepare(request)
    try:
        await _run_until_one_ends(_forward_frames(page, upstream), _forward_frames(upstream, page))
        if upstream.closed and upstream.close_code not in (None, WSCloseCode.ABNORMAL_CLOSURE):
            await page.close(code=upstream.close_code or WSCloseCode.GOING_AWAY)
    finally:
        if not page.closed and request.transport is not None:
            request.transport.abort()
    return page


async def _forward_frames(source: _Socket, sink: _Socket) -> None:
    """Forward frames until the source closes or breaks, or the sink does not take them."""
    with suppress(ConnectionError):
        while True:
            message = await source.receive()
            match message.type:
                case WSMsgType.TEXT:
                    await sink.send_str(message.data)
                case WSMsgType.BINARY:
                    await sink.send_bytes(message.data)
                case WSMsgType.PING:
                    await sink.ping(message.data)
                case WSMsgType.PONG:
                    await sink.pong(message.data)
                case _:
                    return


async def _run_until_one_ends(first: Coroutine[Any, Any, None], second: Coroutine[Any, Any, None]) -> None:
    try:
        async with asyncio.TaskGroup() as group:
            running = {group.create_task(each, name="frames of a page") for each in (first, second)}
            await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for each in running:
                each.cancel()
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
