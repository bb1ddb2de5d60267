"""Stories of chats through the Pipe: questions, stops, edits, forks and other tries, in any order.

Whatever happens, the provider refuses no history as OpenAI would, and no answer ends in an error.
"""

import asyncio
import random
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from bridge.app.server import Bridge
from tests.support.examples import seeds
from tests.support.fake_open_webui import Browser, Chat, Message, direct, tools_by_name
from tests.support.loaded_plugins import CITY, load_pipe, weather
from tests.support.models.messages_side import MESSAGES
from tests.support.models.model_answers import Answer
from tests.support.models.model_bridge import MODEL, products, shop_bridge
from tests.support.models.provider_harness import APIS
from tests.support.models.random_answers import PossibleCall, random_rounds
from tests.support.models.scripted_provider import ScriptedProvider, scripted_provider
from tests.support.running_bridge import page_of

pytestmark = pytest.mark.asyncio

Json = dict[str, Any]
STEPS = 12
WEATHER = tools_by_name(direct("get_weather", **CITY))
CALLS: Sequence[PossibleCall] = (("listProducts", {}), ("get_weather", {"city": "Rome"}), ("nothing", {}))
"""A tool of the bridge, one of Open WebUI, and one that is not there."""

CHANGES = (
    "none",
    "none",
    "stop",
    "stop",
    "another try",
    "fork",
    "edit question",
    "edit text",
    "remove text",
    "remove call",
    "other valves",
)


class Story:
    """One chat, and what its user does to it."""

    def __init__(self, bridge: Bridge, provider: ScriptedProvider, source: random.Random) -> None:
        self._bridge, self._provider, self._source = bridge, provider, source
        self._number = 0
        self.hangs = False
        self.running = asyncio.Event()
        self.chat = Chat(load_pipe(bridge), MODEL, Browser(self.run_direct), WEATHER)

    async def run_in_page(self, call: Json) -> Json | None:
        """What the bridge's page does with a call: nothing, where the user is about to stop."""
        self.running.set()
        return None if self.hangs else await products(call)

    async def run_direct(self, name: str, params: Json) -> Any:
        """What Open WebUI's browser does with a call."""
        self.running.set()
        if self.hangs:
            await asyncio.Event().wait()
        return await weather(name, params)

    async def take_step(self) -> str:
        """One change, and an answer after it; returns what was done."""
        change = self._source.choice(CHANGES)
        answers = [each for each in self.chat.messages if isinstance(each, Message)]
        answer = self._source.choice(answers) if answers else None
        stops = change == "stop"
        self._change(change, answer)
        if self.chat.messages and not isinstance(self.chat.messages[-1], Message):
            await self._answer(stops=stops)
        self._number += 1
        self.chat.messages.append({"role": "user", "content": f"Question {self._number}?"})
        await self._answer(stops=stops)
        return change

    def _change(self, change: str, answer: Message | None) -> None:
        messages = self.chat.messages
        if change == "other valves":
            self.chat.pipe = load_pipe(
                self._bridge,
                SHOW_TOOL_CARDS=self._source.choice(["items", "details", "off"]),
                TOOL_EXECUTION_MODE=self._source.choice(["Pipeline", "Open-WebUI"]),
                PERSIST_TOOL_RESULTS=self._source.random() < 0.7,
            )
        if answer is None:
            return
        place = next(place for place, each in enumerate(messages) if each is answer)
        match change:
            case "another try":
                messages[place:] = []
            case "fork":
                messages[place + 1 :] = []
            case "edit question":
                messages[place - 1 :] = [{"role": "user", "content": "Edited question?"}]
            case "edit text" | "remove text":
                self._edit_text(answer, removes=change == "remove text")
            case "remove call":
                self._remove_call(answer)
            case _:
                pass

    def _edit_text(self, answer: Message, *, removes: bool) -> None:
        """Edit one of the texts of an answer, markers included, or remove it, as Open WebUI lets its user."""
        if not (texts := answer.items("message")):
            return
        chosen = self._source.choice(texts)
        if removes:
            answer.output.remove(chosen)
            return
        lines = chosen["content"][0]["text"].splitlines()
        self._source.shuffle(lines)
        chosen["content"][0]["text"] = "\n".join(lines[self._source.randint(0, 1) :])

    def _remove_call(self, answer: Message) -> None:
        """Remove a call, or only its output."""
        if outputs := answer.items("function_call_output"):
            call_id = self._source.choice(outputs)["call_id"]
            kinds = self._source.choice(
                [("function_call", "function_call_output"), ("function_call_output",)]
            )
            answer.output[:] = [
                item for item in answer.output if item.get("call_id") != call_id or item["type"] not in kinds
            ]

    def _rounds(self) -> list[Answer]:
        return random_rounds(self._source, CALLS, f"Answer {self._number}.")

    async def _answer(self, *, stops: bool) -> None:
        self._provider.forget_scripts()
        self._provider.play(*self._rounds())
        message = Message()
        self.chat.messages.append(message)
        self.hangs = stops
        self.running.clear()
        listening = asyncio.create_task(self._listen(message))
        if stops:
            reaching = asyncio.create_task(self.running.wait())
            await asyncio.wait([listening, reaching], return_when=asyncio.FIRST_COMPLETED, timeout=20)
            reaching.cancel()
            listening.cancel()
        await asyncio.wait([listening], timeout=20)
        assert listening.done()
        assert message.error is None

    async def _listen(self, message: Message) -> None:
        async with aclosing(self.chat.coming(message)) as chunks:
            async for _ in chunks:
                pass


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("seed", seeds(8))
async def test_no_story_of_a_chat_ends_in_a_refused_history(tmp_path: Path, api: Any, seed: int) -> None:
    """Finding I-H1: edits, forks, stops and other tries, in every mode of the valves."""
    async with scripted_provider(MESSAGES) as provider, shop_bridge(tmp_path, provider, api) as bridge:
        story = Story(bridge, provider, random.Random(f"{seed} {api}"))
        async with page_of(bridge, bridge.local_user.id, story.run_in_page):
            done: list[str] = []
            for _ in range(STEPS):
                done.append(await story.take_step())
                assert provider.refused == [], done
