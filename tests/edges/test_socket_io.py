"""Reading of a page's socket: messages where they come in, everything else to the library."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from bridge.edges.socket_io import BREATH, PageSocket

pytestmark = pytest.mark.asyncio


class Library:
    """What python-engineio has of a page."""

    def __init__(self) -> None:
        self.received: list[Any] = []

    async def serve(self, _socket: object) -> None:
        return None

    async def receive(self, packet: Any) -> None:
        self.received.append(packet.data)


class Arrived(PageSocket):
    """A socket on which everything has arrived already: reading never waits."""

    def __init__(self, library: Library, *texts: str | None) -> None:
        super().__init__(library.serve, None)
        self._sock: Any = self
        self._texts = list(texts)

    async def receive(self) -> Any:
        return SimpleNamespace(data=self._texts.pop(0))


async def test_messages_are_handled_in_order_and_the_pong_goes_to_the_library() -> None:
    """Its timeout is for the pong: a page that only talks and never answers a ping is gone all the same."""
    library = Library()
    socket = Arrived(library, "42first", "42second", "3", "42third", None)
    assert await socket.wait() == "3"
    assert library.received == ["2first", "2second"]
    with pytest.raises(OSError, match=r"^$"):
        await socket.wait()
    assert library.received == ["2first", "2second", "2third"]


async def test_a_page_with_much_to_say_lets_others_have_their_turn() -> None:
    """What has arrived together is never waited for, so nothing else would run until it is all handled."""
    library, turns = Library(), 0

    async def somebody_else() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    other = asyncio.create_task(somebody_else())
    assert await Arrived(library, *["42x"] * (BREATH * 10), "3").wait() == "3"
    other.cancel()
    assert turns >= 10
