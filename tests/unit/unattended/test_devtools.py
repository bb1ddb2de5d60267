"""The DevTools protocol over pipes: a browser is played at their other ends."""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import orjson
import pytest

from bridge.tasks import Tasks
from bridge.unattended.devtools import BrowserLost, CommandRefused, DevTools, Event
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio


@dataclass
class PlayedBrowser:
    """The ends of the pipes that a browser has, and the events that came from it."""

    devtools: DevTools
    read: int
    write: int
    events: list[Event] = field(default_factory=list[Event])

    async def next_command(self) -> dict[str, object]:
        """The next command that it is sent."""
        return orjson.loads((await asyncio.to_thread(os.read, self.read, 100_000)).rstrip(b"\0"))

    def say(self, *messages: object) -> None:
        """Send messages, all in one piece."""
        os.write(self.write, b"".join(orjson.dumps(message) + b"\0" for message in messages))

    def end(self) -> None:
        """End as a process does."""
        os.close(self.write)
        self.write = -1


@asynccontextmanager
async def played_browser() -> AsyncGenerator[PlayedBrowser]:
    tasks = Tasks()
    (its_read, our_write), (our_read, its_write) = os.pipe(), os.pipe()
    events: list[Event] = []
    devtools = DevTools(tasks, events.append)
    await devtools.open(our_read, our_write)
    browser = PlayedBrowser(devtools, its_read, its_write, events)
    try:
        yield browser
    finally:
        devtools.close()
        await tasks.close()
        os.close(its_read)
        if browser.write >= 0:
            os.close(browser.write)


async def test_answers_find_their_commands_in_whatever_order_they_come() -> None:
    """A long command does not hold up a short one."""
    async with played_browser() as browser, asyncio.TaskGroup() as group:
        slow = group.create_task(browser.devtools.send_command("Page.slow", session="tab"))
        first = await browser.next_command()
        quick = group.create_task(browser.devtools.send_command("Browser.quick", {"a": 1}))
        second = await browser.next_command()
        assert first == {"id": 1, "method": "Page.slow", "params": {}, "sessionId": "tab"}
        assert second == {"id": 2, "method": "Browser.quick", "params": {"a": 1}}
        browser.say({"id": 2, "result": {"x": 2}}, {"id": 1, "result": {"x": 1}}, {"id": 9, "result": {}})
        assert (await slow, await quick) == ({"x": 1}, {"x": 2})


async def test_events_are_told_with_the_tab_they_are_of() -> None:
    """What comes in two pieces is one event; what comes in one piece may be several."""
    async with played_browser() as browser:
        text = orjson.dumps({"method": "A.b", "params": {"c": "é" * 70_000}, "sessionId": "tab"}) + b"\0"
        await asyncio.to_thread(os.write, browser.write, text[:50_001])
        await asyncio.to_thread(os.write, browser.write, text[50_001:] + b'{"method":"C.d"}\0')
        await eventually(lambda: len(browser.events) == 2)
        assert browser.events[0] == Event("tab", "A.b", {"c": "é" * 70_000})
        assert browser.events[1] == Event("", "C.d", {})


async def test_a_command_that_is_refused_says_why() -> None:
    """The page may be leaving just now."""
    async with played_browser() as browser, asyncio.TaskGroup() as group:
        sent = group.create_task(_refusal_of(browser.devtools))
        await browser.next_command()
        browser.say({"id": 1, "error": {"code": -32000, "message": "Cannot find context"}})
        assert await sent == "Cannot find context"


async def _refusal_of(devtools: DevTools) -> str:
    with pytest.raises(CommandRefused) as refused:
        await devtools.send_command("Runtime.evaluate")
    return str(refused.value)


@pytest.mark.parametrize("last_words", [b"", b"no JSON\0", b'{"id": 1'])
async def test_a_browser_that_ends_or_talks_nonsense_is_lost_to_whoever_waits(last_words: bytes) -> None:
    """Nobody waits for an answer that cannot come."""
    async with played_browser() as browser, asyncio.TaskGroup() as group:
        waiting = group.create_task(_loss_of(browser.devtools))
        await browser.next_command()
        os.write(browser.write, last_words)
        browser.end()
        assert "has ended" in await waiting
        assert browser.devtools.lost.is_set()
        assert "has ended" in await _loss_of(browser.devtools)


async def test_a_browser_that_does_not_answer_is_given_up() -> None:
    """Its silence is told with the command and the time."""
    async with played_browser() as browser:
        with pytest.raises(BrowserLost, match=r"has not answered Page\.x for 0\.05 s"):
            await browser.devtools.send_command("Page.x", within_s=0.05)


async def _loss_of(devtools: DevTools) -> str:
    with pytest.raises(BrowserLost) as lost:
        await devtools.send_command("Page.x")
    return str(lost.value)
