"""The DevTools protocol over two pipes: commands and their results, events. Knows nothing of the bridge page.

Messages are JSON, each ended by a zero byte. A pipe belongs to who started the browser: unlike the usual
port, no other program of the machine can reach it.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from bridge.operating_system import give_pipe_to_loop
from bridge.tasks import Tasks

READ_LIMIT = 64 * 1024 * 1024
"""Maximum bytes of one message."""

ANSWER_S = 20.0
"""Seconds within which the browser answers a command that does not wait for something itself."""


class BrowserLost(Exception):
    """The browser has ended, or does not answer; the text says what was seen."""


class CommandRefused(Exception):
    """The browser refused a command."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in the browser."""

    session: str
    """Of which tab; empty: of the browser itself."""
    method: str
    parameters: Mapping[str, Any]


class DevTools:
    """One connection to a browser; close it to end the browser."""

    def __init__(self, tasks: Tasks, notice: Callable[[Event], None]) -> None:
        """`notice` is called for every event, must not wait, and must not fail."""
        self._tasks = tasks
        self._notice = notice
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._writer: asyncio.WriteTransport | None = None
        self._reader: asyncio.ReadTransport | None = None
        self.lost = asyncio.Event()

    async def open(self, read: int, write: int) -> None:
        """Take over both ends of the pipes, and begin to read."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=READ_LIMIT)
        self._reader, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), give_pipe_to_loop(read, "rb", loop)
        )
        self._writer, _ = await loop.connect_write_pipe(
            asyncio.Protocol, give_pipe_to_loop(write, "wb", loop)
        )
        self._tasks.start_task(self._read(reader), "read from the browser")

    async def send_command(
        self,
        method: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        session: str = "",
        within_s: float = ANSWER_S,
    ) -> dict[str, Any]:
        """Send a command and return its result.

        Raises:
            BrowserLost: the browser has ended, or does not answer within the time.
            CommandRefused: the browser refused it.
        """
        if self.lost.is_set() or self._writer is None:
            raise BrowserLost("the browser has ended")
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters or {}}
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        self._writer.write(orjson.dumps({**message, "sessionId": session} if session else message) + b"\0")
        try:
            async with asyncio.timeout(within_s):
                return await answer
        except TimeoutError:
            raise BrowserLost(f"the browser has not answered {method} for {within_s:g} s") from None
        finally:
            self._waiting.pop(number, None)

    def close(self) -> None:
        """Close the pipes, which ends the browser."""
        for transport in (self._reader, self._writer):
            if transport is not None:
                transport.close()
        self._lose()

    async def _read(self, reader: asyncio.StreamReader) -> None:
        try:
            while True:
                self._receive(orjson.loads((await reader.readuntil(b"\0"))[:-1]))
        except (OSError, EOFError, asyncio.LimitOverrunError, orjson.JSONDecodeError):
            self._lose()

    def _receive(self, message: dict[str, Any]) -> None:
        if "id" not in message:
            self._notice(Event(message.get("sessionId", ""), message["method"], message.get("params", {})))
            return
        answer = self._waiting.get(message["id"])
        if answer is None or answer.done():
            return
        if "error" in message:
            answer.set_exception(CommandRefused(message["error"].get("message", "")))
        else:
            answer.set_result(message.get("result", {}))

    def _lose(self) -> None:
        self.lost.set()
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(BrowserLost("the browser has ended"))
