"""What a call needs goes past the library's queue and tasks, and nothing overtakes anything by that."""

import asyncio
import json
from random import Random

import aiohttp
import pytest

from bridge.browsers.message_budget import BURST, RATE_PER_S
from bridge.browsers.straight_socket import (
    ARRIVED_BYTES,
    GATHERED_BYTES,
    JOINED_BYTES,
    MAX_ARRIVED_WEIGHT,
    MAX_GATHERED,
)
from tests.support.sockets.served_socket import Engine, served_socket
from tests.support.waiting import eventually

pytestmark = [pytest.mark.asyncio, pytest.mark.both_event_loops]

READ_S = 20


def result(value: object) -> str:
    return f"42{json.dumps(['bridge:result', value])}"


async def all_received(engine: Engine, count: int) -> None:
    await eventually(lambda: len(engine.received) >= count, what=f"{count} messages")


async def test_reports_are_handled_in_the_order_in_which_they_were_sent() -> None:
    """A result must not overtake the acknowledgement of its call, nor anything the message before it."""
    async with served_socket() as (socket, engine, page):
        socket.writer.send_event("events", {"n": 1}, of_call="call-1")
        assert (await page.receive_str(timeout=READ_S)) == '421["events",{"n":1}]'
        socket.reader.add_call_allowance()
        for text in ('431[{"call_id":"call-1"}]', result(1), '42["bridge:visibility",2]', result(3)):
            await page.send_str(text)
        await all_received(engine, 4)
    assert engine.received == [
        ("ack", "call-1", [{"call_id": "call-1"}]),
        ("result", 1),
        ["bridge:visibility", 2],
        ("result", 3),
    ]


async def test_a_report_waits_while_the_message_before_it_is_being_handled() -> None:
    """A decision is answered from the database; a result that comes meanwhile belongs behind it."""
    async with served_socket() as (socket, engine, page):
        socket.reader.add_call_allowance()
        engine.may_receive.clear()
        await page.send_str('42["bridge:decision",0]')
        await page.send_str(result(1))
        await page.send_str("3")
        before = socket.reader.heard_at
        await eventually(lambda: socket.reader.heard_at > before)
        assert engine.received == []
        engine.may_receive.set()
        await all_received(engine, 2)
    assert engine.received == [["bridge:decision", 0], ("result", 1)]


@pytest.mark.parametrize("chars", [10, ARRIVED_BYTES * 2, ARRIVED_BYTES * MAX_ARRIVED_WEIGHT + 1])
async def test_more_than_a_batch_of_reports_is_handled_in_order(chars: int) -> None:
    """The end of it is left to the task, so that others have their turn, and what comes later as well."""
    count = 3 * MAX_ARRIVED_WEIGHT
    async with served_socket() as (socket, engine, page):
        for _ in range(count):
            socket.reader.add_call_allowance()
        for number in range(count):
            await page.send_str(result([number, "x" * chars]))
        await all_received(engine, count)
    assert [payload[0] for _, payload in engine.received] == list(range(count))


@pytest.mark.straight
async def test_endings_that_arrive_together_are_written_together_before_anything_else_runs() -> None:
    """One write is enough for all of them, and no task may see an ending that is not written."""
    count, seen = 20, list[list[object]]()
    async with served_socket() as (socket, engine, page):

        async def look() -> None:
            while len(engine.received) < count:
                await asyncio.sleep(0)
                seen.append(list(engine.held))

        looking = asyncio.create_task(look())
        for number in range(count):
            socket.reader.add_call_allowance()
            await page.send_str(result(number))
        await looking
    assert [number for written in engine.writes for number in written] == list(range(count))
    assert len(engine.writes) < count / 2
    assert not any(seen)


async def test_reports_that_no_call_has_paid_for_are_read_at_a_pace() -> None:
    """The short way must not be a way around the limit."""
    extra = RATE_PER_S // 2
    async with served_socket() as (_, engine, page):
        began = asyncio.get_running_loop().time()
        for number in range(BURST + extra):
            await page.send_str(result(number))
        await all_received(engine, BURST + extra)
        assert asyncio.get_running_loop().time() - began >= (extra - 1) / RATE_PER_S
    assert [payload for _, payload in engine.received] == list(range(BURST + extra))


async def test_a_bug_in_handling_a_report_ends_nothing_else() -> None:
    """Other calls of the page go on."""
    async with served_socket() as (socket, engine, page):
        socket.reader.add_call_allowance()
        await page.send_str(result("a bug"))
        await page.send_str(result("fine"))
        await all_received(engine, 1)
    assert engine.received == [("result", "fine")]


async def test_an_acknowledgement_counts_once_and_only_for_its_call() -> None:
    """Numbers of acknowledgements are a page's to invent."""
    async with served_socket() as (socket, engine, page):
        socket.writer.send_event("events", {}, of_call="call-1")
        socket.reader.add_call_allowance()
        for text in ("432[2]", "431[3]", "431[4]", result("end")):
            await page.send_str(text)
        await all_received(engine, 2)
    assert engine.received == [("ack", "call-1", [3]), ("result", "end")]


async def test_a_page_that_reads_slowly_gets_everything_in_the_order_in_which_it_was_sent() -> None:
    """Some is written at once, some waits in the queue, some is in the hands of the writing task."""
    chance = Random(5)
    sizes = [chance.choice((1, 100, JOINED_BYTES, 70_000, 300_000)) for _ in range(300)]
    async with served_socket() as (socket, _, page):

        async def send() -> None:
            for number, size in enumerate(sizes):
                socket.writer.send_event("n", [number, "x" * size])
                for _ in range(chance.randrange(4)):
                    await asyncio.sleep(0)

        sending = asyncio.create_task(send())
        for number, size in enumerate(sizes):
            text = await page.receive_str(timeout=READ_S)
            assert json.loads(text[2:]) == ["n", [number, "x" * size]]
        await sending


async def test_a_message_of_any_length_is_one_frame() -> None:
    """The head of a frame has three forms, by its length."""
    around = (125, 126, 127, 65_535, 65_536, 65_537, JOINED_BYTES, JOINED_BYTES + 1)
    empty = len('42["n",""]')
    async with served_socket() as (socket, _, page):
        for length in around:
            socket.writer.send_event("n", "x" * (length - empty))
        for length in around:
            assert len(await page.receive_str(timeout=READ_S)) == length


async def test_a_socket_that_has_ended_is_sent_nothing() -> None:
    """Whoever sends need not know."""
    async with served_socket() as (socket, engine, page):
        await page.close()
        await eventually(lambda: engine.closed)
        socket.writer.send_event("n", 1)
        assert engine.queue.is_empty


async def test_a_page_that_answers_no_ping_is_cut_off_and_one_that_does_stays() -> None:
    """Nobody reads there; its calls are to be known as lost."""
    async with served_socket(ping_interval_s=0.1, ping_timeout_s=0.5) as (_, engine, page):
        for _ in range(2):
            assert await page.receive_str(timeout=READ_S) == "2"
            await page.send_str("3")
        assert await page.receive_str(timeout=READ_S) == "2"
        assert not engine.closed
        await eventually(lambda: engine.closed)
        assert (await page.receive(timeout=READ_S)).type is not aiohttp.WSMsgType.TEXT


async def test_a_frame_that_no_page_sends_cuts_the_connection() -> None:
    """A close frame would wait for an answer that the sender of such a frame need not give."""
    async with served_socket() as (_, engine, page):
        await page.send_str("42[")
        assert (await page.receive(timeout=READ_S)).data in (None, aiohttp.WSCloseCode.ABNORMAL_CLOSURE)
        await eventually(lambda: engine.closed)


async def test_whoever_waits_for_what_is_to_be_written_waits_no_longer_than_the_page_is_there() -> None:
    """The bridge stops in time beside a page that reads nothing."""
    async with served_socket() as (socket, engine, page):
        for _ in range(40):
            socket.writer.send_event("n", "x" * 900_000)
        assert not engine.queue.is_empty
        waiting = asyncio.create_task(engine.queue.join())
        await asyncio.sleep(0)
        assert not waiting.done()
        socket.cut_connection()
        await asyncio.wait_for(waiting, READ_S)
        del page


@pytest.mark.straight
async def test_what_was_sent_before_a_socket_is_closed_is_there_before_its_end() -> None:
    """Events of one turn of the event loop are written together at its end, and a close frame at once."""
    count = 2 * MAX_GATHERED + 1
    async with served_socket() as (socket, _, page):

        async def read() -> list[aiohttp.WSMessage]:
            return [await page.receive(timeout=READ_S) for _ in range(count + 1)]

        reading = asyncio.create_task(read())
        for number in range(count):
            socket.writer.send_event("n", number)
        await socket.close()
        *events, last = await reading
        assert [event.data for event in events] == [f'42["n",{number}]' for number in range(count)]
        assert last.type is aiohttp.WSMsgType.CLOSE


async def test_long_events_and_short_ones_keep_their_order() -> None:
    """A long one is written at once, after the short ones that were gathered before it."""
    sizes = [1, 1, GATHERED_BYTES, 1, JOINED_BYTES + 1, 1, 1]
    async with served_socket() as (socket, _, page):
        for number, size in enumerate(sizes):
            socket.writer.send_event("n", [number, "x" * size])
        for number, size in enumerate(sizes):
            text = await page.receive_str(timeout=READ_S)
            assert json.loads(text[2:]) == ["n", [number, "x" * size]]


@pytest.mark.parametrize("size", [1, GATHERED_BYTES])
async def test_a_call_that_is_withdrawn_before_it_is_written_never_reaches_its_page(size: int) -> None:
    """It could not be recorded, which is known only when all calls of the turn are recorded together."""
    async with served_socket() as (socket, engine, page):
        withdrawn = list[str]()

        def refuse() -> None:
            withdrawn.extend(
                call_id for call_id in ("call-2", "call-4") if socket.writer.withdraw_call(call_id)
            )

        engine.on_opening = refuse
        for number in range(1, 6):
            socket.writer.send_event("n", [number, "x" * size], of_call=f"call-{number}")
        for number in (1, 3, 5):
            text = await page.receive_str(timeout=READ_S)
            assert text.startswith(f'42{number}["n",[{number},')
        assert withdrawn == ["call-2", "call-4"]
        socket.reader.add_call_allowance()
        for text in ("432[2]", "433[3]", result("end")):
            await page.send_str(text)
        await all_received(engine, 2)
    assert engine.received == [("ack", "call-3", [3]), ("result", "end")]


async def test_calls_are_recorded_before_the_first_of_them_is_written() -> None:
    """Also those that must wait until the page has read more."""
    async with served_socket() as (socket, engine, page):
        recorded = list[int]()
        engine.on_opening = lambda: recorded.append(len(sent))
        sent = list[int]()
        for number in range(40):
            sent.append(number)
            socket.writer.send_event("n", "x" * 900_000, of_call=f"call-{number}")
        assert not engine.queue.is_empty
        assert recorded == list(range(1, 41))
        socket.cut_connection()
        del page
