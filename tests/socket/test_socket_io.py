"""What the task of a page's socket reads: reports for the gateway, everything else for the library."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import WSMessage, WSMsgType

from bridge.browser_protocol import EVENT_RESULT
from bridge.browsers.message_budget import BURST, MESSAGES_PER_CALL, RATE_PER_S, MessageBudget
from bridge.browsers.page_reader import AUTHENTICATION_S, HANDSHAKE_S, MAX_BATCH_WEIGHT, PageReader
from bridge.browsers.socket_frames import UnreadableFrame

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]

MESSAGE = f'42["{EVENT_RESULT}",{{}}]'


class Library:
    """What python-engineio has of a page, and the gateway."""

    def __init__(self) -> None:
        self.received: list[Any] = []

    async def receive(self, packet: Any) -> None:
        self.received.append(packet.data.content)

    def take_ack(self, sid: str, call_id: str, arguments: list[Any]) -> None:
        self.received.append((call_id, arguments))

    def take_result(self, sid: str, payload: Any = None) -> None:
        self.received.append([EVENT_RESULT, payload])


class Ping(bytes):
    """What comes in a ping of WebSocket, which browsers never send and programs may."""


class Socket:
    """aiohttp's side of a socket on which everything has arrived already, and then nothing more comes."""

    def __init__(self, *texts: str | bytes | None) -> None:
        self._texts = list(texts)
        self.pongs = 0

    async def receive(self) -> Any:
        if not self._texts:
            await asyncio.Event().wait()
        data = self._texts.pop(0)
        kinds = {"str": WSMsgType.TEXT, "bytes": WSMsgType.BINARY, "Ping": WSMsgType.PING}
        return WSMessage(kinds.get(type(data).__name__, WSMsgType.CLOSED), data, None)

    async def pong(self, _data: bytes) -> None:
        self.pongs += 1


def stranger(library: Library, *texts: str | bytes | None) -> PageReader:
    """What reads the messages of a page that has not said who it is."""
    return reader_of(library, Socket(*texts))


def page(library: Library, *texts: str | bytes | None) -> PageReader:
    """What reads the messages of a page that has said who it is and has greeted."""
    return greeted(library, Socket(*texts))


def greeted(library: Library, socket: Socket) -> PageReader:
    reader = reader_of(library, socket)
    reader.mark_authenticated("sid", MessageBudget(asyncio.get_running_loop().time), library)
    reader.mark_ready()
    return reader


def reader_of(library: Library, socket: Any) -> PageReader:
    reader = PageReader(library, {})
    reader.begin_reading(socket)
    return reader


@asynccontextmanager
async def others() -> AsyncGenerator[list[None]]:
    """Somebody else who uses every turn of the event loop; one entry for each."""
    turns: list[None] = []

    async def use() -> None:
        while True:
            turns.append(None)
            await asyncio.sleep(0)

    task = asyncio.create_task(use())
    yield turns
    task.cancel()


async def test_messages_are_handled_in_order_and_the_pong_goes_to_the_library() -> None:
    """Its timeout is for the pong: a page that only talks and never answers a ping is gone all the same."""
    library = Library()
    said = [f'42["{EVENT_RESULT}",{number}]' for number in range(3)]
    reader = page(library, said[0], said[1], "3", said[2], None)
    await reader.read_until_pong()
    assert library.received == [[EVENT_RESULT, 0], [EVENT_RESULT, 1]]
    with pytest.raises(OSError, match=r"^$"):
        await reader.read_until_pong()
    assert library.received[-1] == [EVENT_RESULT, 2]


async def test_a_page_with_much_to_say_lets_others_have_their_turn() -> None:
    """What has arrived together is never waited for, so nothing else would run until it is all handled."""
    async with others() as turns:
        await page(Library(), *[MESSAGE] * (MAX_BATCH_WEIGHT * 10), "3").read_until_pong()
        assert len(turns) >= 10


async def test_a_large_message_counts_as_many() -> None:
    """Two megabytes take as long as hundreds of small ones."""
    large = f'42["{EVENT_RESULT}","{"x" * 2_000_000}"]'
    async with others() as turns:
        await page(Library(), large, large, "3").read_until_pong()
        assert len(turns) >= 2


@pytest.mark.parametrize("frame", ["42[", b"\x00", "", "9", "40{}", "43[]", "430[]", "45-[]", "2probe"])
async def test_the_first_frame_that_no_page_sends_ends_its_socket(frame: str | bytes) -> None:
    """Three bytes were a traceback in the log, and the socket could send the next three."""
    library = Library()
    reader = page(library, frame, MESSAGE)
    with pytest.raises(UnreadableFrame):
        await reader.read_until_pong()
    assert library.received == []


@pytest.mark.parametrize("frame", [MESSAGE, "430[]", "41"])
async def test_a_socket_says_first_who_it_is(frame: str) -> None:
    """Nothing of a stranger reaches a handler."""
    library = Library()
    with pytest.raises(UnreadableFrame):
        await stranger(library, frame).read_until_pong()
    assert library.received == []


async def test_an_event_of_a_newer_page_is_passed_over() -> None:
    """A page that was loaded from a newer bridge still works with this one; reserved names mean nothing."""
    library = Library()
    frames = ['42["bridge:new",{}]', '42["disconnect","x"]', '42["connect"]', "3"]
    await page(library, *frames).read_until_pong()
    assert library.received == []


async def test_a_socket_that_does_not_say_who_it_is_is_ended() -> None:
    """Its pongs alone kept it for ever."""
    reader = stranger(Library(), "3")
    await reader.read_until_pong()
    with pytest.raises(TimeoutError):
        await reader.read_until_pong()
    assert asyncio.get_running_loop().time() == pytest.approx(AUTHENTICATION_S)


async def test_a_socket_without_a_handshake_is_closed() -> None:
    """It costs as much as a page and can run no call."""
    reader = stranger(library := Library())
    reader.mark_authenticated("sid", MessageBudget(), library)
    with pytest.raises(TimeoutError):
        await reader.read_until_pong()
    assert asyncio.get_running_loop().time() == pytest.approx(HANDSHAKE_S)


async def test_a_page_may_be_silent_after_its_handshake() -> None:
    """Most pages are, most of the time; the library's pings find those that are gone."""
    waiting = asyncio.create_task(page(Library()).read_until_pong())
    done, _ = await asyncio.wait({waiting}, timeout=10 * HANDSHAKE_S)
    assert not done
    waiting.cancel()


async def test_a_page_that_says_nothing_while_it_is_greeted_stays() -> None:
    """Its handshake came with the connection: it is answered while the socket waits for the next message."""
    reader = stranger(library := Library())
    reader.mark_authenticated("sid", MessageBudget(), library)
    waiting = asyncio.create_task(reader.read_until_pong())
    await asyncio.sleep(HANDSHAKE_S / 2)
    reader.mark_ready()
    done, _ = await asyncio.wait({waiting}, timeout=10 * HANDSHAKE_S)
    assert not done
    waiting.cancel()


async def test_what_a_page_says_unasked_is_read_at_a_pace() -> None:
    """What calls need comes with calls; the rest of a flood waits in the flooder's own socket."""
    reader = page(Library(), *[MESSAGE] * (BURST + 10 * RATE_PER_S), "3")
    await reader.read_until_pong()
    assert asyncio.get_running_loop().time() == pytest.approx(10, abs=0.1)


async def test_pages_of_one_user_share_what_they_may_say() -> None:
    """Else a hundred sockets would say a hundred times as much."""
    budget = MessageBudget(asyncio.get_running_loop().time)
    async with asyncio.TaskGroup() as group:
        for _ in range(10):
            reader = stranger(library := Library(), *[MESSAGE] * (BURST + RATE_PER_S), "3")
            reader.mark_authenticated("sid", budget, library)
            reader.mark_ready()
            group.create_task(reader.read_until_pong())
    spared_s = 10 * (BURST + RATE_PER_S) / RATE_PER_S
    assert asyncio.get_running_loop().time() == pytest.approx(spared_s - BURST / RATE_PER_S, rel=0.05)


async def test_pongs_are_counted_like_everything_else() -> None:
    """Each costs the library two tasks and a timer."""
    reader = page(Library(), *["3"] * (BURST + RATE_PER_S))
    for _ in range(BURST + RATE_PER_S):
        await reader.read_until_pong()
    assert asyncio.get_running_loop().time() == pytest.approx(1, abs=0.1)


async def test_pings_are_answered_and_give_others_their_turn() -> None:
    """Aiohttp answers as many as have arrived before anybody else runs: 43,000 took half a second."""
    socket = Socket(*[Ping(b"")] * (BURST - 1), "3")
    async with others() as turns:
        await greeted(Library(), socket).read_until_pong()
        assert socket.pongs == BURST - 1
        assert len(turns) >= BURST // MAX_BATCH_WEIGHT


async def test_pings_are_counted_like_everything_else() -> None:
    """Each is answered."""
    reader = page(Library(), *[Ping(b"")] * (BURST + RATE_PER_S), "3")
    await reader.read_until_pong()
    assert asyncio.get_running_loop().time() == pytest.approx(1, abs=0.1)


async def test_talking_is_no_way_to_stay_without_saying_who_one_is() -> None:
    """What has arrived already is read without a wait, in which a time limit could strike."""
    reader = stranger(Library(), *["3"] * 10_000)

    async def talk() -> None:
        while True:
            await reader.read_until_pong()

    with pytest.raises(TimeoutError):
        await talk()
    assert asyncio.get_running_loop().time() < 2 * AUTHENTICATION_S


async def test_a_page_that_runs_many_calls_is_never_kept_waiting() -> None:
    """What a call needs comes with it: ack, decision and the largest result."""
    calls = 500
    said = [MESSAGE, MESSAGE, f'42["{EVENT_RESULT}","{"x" * 300_000}"]'] * calls
    reader = page(Library(), *said, "3")
    for _ in range(calls):
        reader.add_call_allowance()
    assert calls * MESSAGES_PER_CALL <= 8_000
    await reader.read_until_pong()
    assert asyncio.get_running_loop().time() == 0
