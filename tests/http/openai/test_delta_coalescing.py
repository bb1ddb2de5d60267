"""Deltas that are joined for a reader who wants fewer events."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from bridge.endpoints.openai.delta_coalescing import CoalescedDeltas
from bridge.models.agent.model import ModelEvent
from bridge.models.agent.turn import ModelOutput, Notice, TurnEvent
from bridge.settings.chat.model_defaults import ModelDefaults
from tests.support.models.model_answers import text
from tests.support.models.model_bridge import MODEL, client_of, model_bridge
from tests.support.models.scripted_provider import ScriptedProvider, script

pytestmark = pytest.mark.asyncio

HELLO: Any = [{"role": "user", "content": "Say it."}]
LETTERS = [chr(ord("a") + place % 26) for place in range(500)]


class EventSink:
    """What a caller was told, and when."""

    def __init__(self) -> None:
        self.events: list[TurnEvent] = []
        self.times: list[float] = []

    async def take(self, event: TurnEvent) -> None:
        self.events.append(event)
        self.times.append(asyncio.get_running_loop().time())

    @property
    def words(self) -> list[str]:
        said = [event for event in self.events if isinstance(event, ModelOutput)]
        return [str(event.event.body.get("delta")) for event in said]


def delta(letters: str, index: int = 0, kind: str = "output_text", **more: Any) -> ModelOutput:
    return ModelOutput(
        0,
        ModelEvent({"type": f"response.{kind}.delta", "output_index": index, "delta": letters, **more}),
        False,
    )


@pytest.mark.looptime
async def test_a_delta_after_a_pause_does_not_wait_and_those_behind_it_wait_30_ms_at_most() -> None:
    """S0-154: the last words of a burst come soon after it, though nothing follows."""
    told = EventSink()
    async with CoalescedDeltas(told.take, 256, 0.03) as take:
        for letter in "Hello":
            await take(delta(letter))
        assert told.words == ["H"]
        await asyncio.sleep(1)
        assert told.words == ["H", "ello"]
        assert told.times[1] - told.times[0] <= 0.03
        await take(delta("!"))
        assert told.words == ["H", "ello", "!"]


@pytest.mark.looptime
async def test_so_many_characters_wait_and_no_more() -> None:
    """S0-154: a reader who takes nothing holds the turn up, not the memory."""
    told = EventSink()
    async with CoalescedDeltas(told.take, 4, 0.03) as take:
        for letter in "abcdefghij":
            await take(delta(letter))
        assert told.words == ["a", "bcde", "fghi"]
    assert told.words == ["a", "bcde", "fghi", "j"]


@pytest.mark.looptime
async def test_order_and_places_stay() -> None:
    """S0-154: thoughts and text apart, anything else in its place, probabilities with their tokens."""
    told = EventSink()
    notice = Notice("info", "Look.", in_answer=False)
    async with CoalescedDeltas(told.take, 256, 0.03) as take:
        for event in (
            delta("x"),
            delta("a"),
            delta("b"),
            delta("c", 1),
            delta("d", 1, "reasoning_summary_text", summary_index=0),
            delta("e", 1, "reasoning_summary_text", summary_index=1),
            notice,
            delta("f"),
            delta("g", logprobs=[{"token": "g"}]),
        ):
            await take(event)
    assert told.words == ["x", "ab", "c", "d", "e", "f", "g"]
    assert told.events[5] is notice


@pytest.mark.looptime
async def test_a_reader_who_is_gone_ends_the_turn() -> None:
    """What the timer meets must not be lost in its task."""
    told = EventSink()

    async def second(event: TurnEvent) -> None:
        if told.events:
            raise ConnectionResetError
        await told.take(event)

    async def turn() -> None:
        async with CoalescedDeltas(second, 256, 0.03) as take:
            await take(delta("a"))
            await take(delta("b"))
            await asyncio.Event().wait()

    with pytest.raises(ConnectionResetError):
        await turn()


async def test_none_is_joined_unless_it_is_wanted(tmp_path: Path, provider: ScriptedProvider) -> None:
    """S0-154: one for one by default."""
    told = EventSink()
    async with CoalescedDeltas(told.take, 0, 0.03) as take:
        for letter in "abc":
            await take(delta(letter))
    assert told.words == ["a", "b", "c"]


@pytest.mark.parametrize("endpoint", ["chat", "responses"])
async def test_five_hundred_letters_come_as_few_events(
    tmp_path: Path, provider: ScriptedProvider, endpoint: str
) -> None:
    """S0-154: the same text in far fewer events, the first letter at once, the rest soon after a pause."""
    defaults = ModelDefaults(streaming_delta_char_limit=256)
    release = asyncio.Event()
    async with (
        model_bridge(tmp_path, provider, model_defaults=defaults) as bridge,
        client_of(bridge) as client,
    ):
        provider.play(script(text(*LETTERS)).held(release, after=300))
        pieces: list[str] = []
        began = time.monotonic()
        if endpoint == "chat":
            chat = await client.chat.completions.create(model=MODEL, messages=HELLO, stream=True)
            async for chunk in chat:
                pieces += [words for choice in chunk.choices if (words := choice.delta.content)]
                _open(release, pieces)
        else:
            stream = await client.responses.create(model=MODEL, input="Say it.", stream=True)
            async for event in stream:
                pieces += [event.delta] if event.type == "response.output_text.delta" else []
                _open(release, pieces)
        assert time.monotonic() - began < 30
    assert pieces[0] == "a"
    assert "".join(pieces) == "".join(LETTERS)
    assert len(pieces) < 60


def _open(release: asyncio.Event, pieces: list[str]) -> None:
    """The provider goes on once all that it said before its pause is there: nothing may wait for more."""
    if len("".join(pieces)) >= 290:
        release.set()
