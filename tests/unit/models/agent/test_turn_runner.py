"""The stages of a turn: what is left behind by each way in which one ends."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from bridge.calls.call_watch import CallWatch
from bridge.calls.limits.circuit_breaker import BreakerKey, Breakers
from bridge.errors import BridgeError, ErrorCode
from bridge.models.agent.loop.subquery import NestingToolbox
from bridge.models.agent.model import ModelError
from bridge.models.agent.request_queue import RequestQueue
from bridge.models.agent.turn import Attached, Turn, TurnEvent, TurnRequest, TurnResult, TurnSettings
from bridge.models.agent.turn_runner import TurnRunner
from bridge.models.agent.turn_stages import TurnEnding
from tests.support.calls.memory_limits import controls
from tests.support.models.memory_harness import FakeNestingToolbox, MemoryHarness, SameToolbox
from tests.support.models.turn_harness import SETTINGS, ScriptedModel, Step, round_of, text, user

pytestmark = pytest.mark.asyncio

AWAY = ModelError("The provider is away.", code="upstream_unreachable", status=502)


@dataclass
class Log:
    """A log that notes when it is closed."""

    lines: Sequence[str] = ()
    is_closed: bool = False

    def add_line(self, text: str) -> None:
        self.lines = (*self.lines, text)

    def close_log(self) -> None:
        self.is_closed = True


class NoToolbox(SameToolbox):
    """Tools that a request may not have."""

    async def toolbox_of_turn(self, request: TurnRequest, settings: TurnSettings) -> NestingToolbox:
        raise BridgeError(ErrorCode.INVALID_REQUEST, "No such tool.")


@dataclass
class Played:
    """Turns of one user, and who hears of them."""

    has_tools: bool = True
    events: list[TurnEvent] = field(default_factory=list[TurnEvent])
    endings: list[TurnEnding] = field(default_factory=list[TurnEnding])
    log: Log = field(default_factory=Log)

    def __post_init__(self) -> None:
        harness = MemoryHarness()
        limits = controls().limits
        self.requests = RequestQueue(lambda: limits.now)
        self.breakers = Breakers(lambda: limits.now, harness.clock)
        tools = (SameToolbox if self.has_tools else NoToolbox)(FakeNestingToolbox())
        self.runner = TurnRunner(
            self.requests,
            self.breakers,
            harness.memory,
            tools,
            harness.pending,
            calls=CallWatch(),
            acts_for=lambda _: True,
            on_end=[lambda _provider, ending, _seconds: self.endings.append(ending)],
        )

    def turn_of(self, *steps: Step) -> Turn:
        asked = TurnRequest("ann", "turn 1", "gpt", (user("Hello"),), to_store="output")
        return Turn(asked, ScriptedModel([steps]), SETTINGS, self.log)

    async def run(self, *steps: Step) -> TurnResult:
        return await self.runner.run_turn(self.turn_of(*steps), self.take)

    async def take(self, event: TurnEvent) -> None:
        self.events.append(event)

    @property
    def failures(self) -> int:
        key = BreakerKey("ann", "request", provider=SETTINGS.provider)
        return sum(each.failures for each in self.breakers.list_breakers("ann") if each.key == key)


async def test_only_the_loop_stands_between_a_turn_and_its_model() -> None:
    """Finding house-H9: stages were calls within calls, and every delta was resumed through all of them."""
    played, is_asked, forever = Played(), asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        is_asked.set()
        await forever.wait()

    turn = played.runner.run_turn(played.turn_of(wait), played.take)
    task = asyncio.create_task(turn)
    await is_asked.wait()
    awaited: Any = turn.cr_await
    assert awaited.cr_code.co_filename.endswith("bridge/models/agent/loop/loop.py")
    task.cancel()
    await asyncio.wait([task])


async def test_a_turn_that_ends_is_told_stored_and_logged_before_its_place_is_free() -> None:
    """The result that observers hear of is the one that the caller gets, with what became of its storage."""
    played = Played()
    result = await played.run(*round_of(text("Tea.")))
    assert result.is_stored
    assert played.endings == [result]
    assert isinstance(played.events[-1], Attached)
    assert (played.log.is_closed, played.requests.running, played.failures) == (True, 0, 0)


async def test_a_provider_that_fails_counts_for_its_breaker_and_is_told() -> None:
    """Nothing is attached: there is no answer to attach it to."""
    played = Played()
    with pytest.raises(ModelError):
        await played.run(AWAY)
    assert played.endings == [AWAY]
    assert not played.events
    assert played.log.lines[-1] == "failed: upstream_unreachable (502): The provider is away."
    assert (played.log.is_closed, played.requests.running, played.failures) == (True, 0, 1)


async def test_a_turn_whose_tools_are_refused_leaves_every_stage_that_it_has_entered() -> None:
    """The last stage is not entered; the provider was not asked, so its breaker has nothing to count."""
    played = Played(has_tools=False)
    with pytest.raises(BridgeError) as refused:
        await played.run()
    assert played.endings == [refused.value]
    assert (played.log.is_closed, played.requests.running, played.failures) == (True, 0, 0)


async def test_a_turn_that_is_cancelled_is_not_told_and_keeps_no_place() -> None:
    """Its caller has left: that says nothing about the provider."""
    played, is_asked, forever = Played(), asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        is_asked.set()
        await forever.wait()

    task = asyncio.create_task(played.run(wait))
    await is_asked.wait()
    assert played.requests.running == 1
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert played.endings == []
    assert (played.log.is_closed, played.requests.running, played.failures) == (True, 0, 0)
