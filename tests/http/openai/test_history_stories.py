"""Stories of callers of the model API who keep, cut, repeat and fork their histories, in either protocol.

Whatever they send, the provider refuses no history as OpenAI would; only an output that answers nothing known
is refused, by the bridge, and in OpenAI's words.
"""

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bridge.app.server import Bridge
from tests.support.examples import seeds
from tests.support.models.messages_side import MESSAGES
from tests.support.models.model_answers import Answer
from tests.support.models.model_bridge import MODEL, products, shop_bridge
from tests.support.models.provider_harness import APIS
from tests.support.models.random_answers import PossibleCall, random_rounds
from tests.support.models.scripted_provider import ScriptedProvider, scripted_provider
from tests.support.running_bridge import page_of

pytestmark = pytest.mark.asyncio

Json = dict[str, Any]
STEPS = 14
CALLS: Sequence[PossibleCall] = (("listProducts", {}), ("mine", {"n": 1}), ("nothing", {}))
"""A tool of the bridge, one of the caller, and one that is not there."""
MINE: Json = {"type": "function", "name": "mine", "parameters": {"type": "object", "properties": {}}}
UNKNOWN = "No tool call found for function call output with call_id"


class Story:
    """Callers of one bridge, and what they were answered."""

    def __init__(
        self, bridge: Bridge, provider: ScriptedProvider, http: aiohttp.ClientSession, source: random.Random
    ) -> None:
        self._bridge, self._provider, self._http, self._source = bridge, provider, http, source
        self._number = 0
        self.hangs = False
        self.running = asyncio.Event()
        self.kept: list[tuple[str, list[Json]]] = []
        """Responses that can be gone on from, and the items of each."""
        self.items: list[Json] = []
        """History that the caller of the Responses API keeps."""
        self.messages: list[Json] = []
        """History that the caller of Chat Completions keeps."""

    async def run_in_page(self, call: Json) -> Json | None:
        """What the bridge's page does with a call: nothing, where the caller is about to hang up."""
        self.running.set()
        return None if self.hangs else await products(call)

    async def take_step(self) -> str:
        """One request; returns of which kind."""
        self._number += 1
        kind = self._source.choice(["chain", "chain", "stateless", "chat", "chat", "mixed", "cut"])
        self.hangs = self._source.random() < 0.25
        self._provider.forget_scripts()
        self._provider.play(*self._rounds())
        match kind:
            case "chain" if self.kept:
                await self._continue_response(*self._source.choice(self.kept[-4:]))
            case "chat":
                await self._chat()
            case "mixed":
                await self._respond({"messages": self.messages or None, "input": [_user("Mixed?")]})
            case "cut":
                self.items = self.items[self._source.randint(0, len(self.items)) :]
                self.messages = self.messages[self._source.randint(0, len(self.messages)) :]
            case _:
                self.items += [*self._outputs(self.items), _user(f"Question {self._number}?")]
                self.items += await self._respond({"input": self.items})
        return f"{kind}{' hung up' if self.hangs else ''}"

    async def _continue_response(self, response_id: str, items: list[Json]) -> None:
        sent = [*self._outputs(items), *self._source.choice([[], [_user("And?")]])]
        if self._source.random() < 0.3:  # some clients send what is stored once more
            sent = [*(item for item in items if item["type"] == "function_call"), *sent]
        if self._source.random() < 0.3:
            sent = [_user("Meanwhile."), *sent]
        await self._respond({"previous_response_id": response_id, "input": sent or [_user("Go on.")]})

    def _outputs(self, items: list[Json]) -> list[Json]:
        """Outputs of calls that have none: of all of them or some, in any order, one perhaps twice."""
        done = {item["call_id"] for item in items if item["type"] == "function_call_output"}
        made = [item["call_id"] for item in items if item["type"] == "function_call"]
        outputs = [_output(call_id) for call_id in made if call_id not in done]
        self._source.shuffle(outputs)
        if outputs and self._source.random() < 0.3:
            outputs.pop()
        if outputs and self._source.random() < 0.3:
            outputs.append(outputs[0])
        return outputs

    async def _respond(self, body: Json) -> list[Json]:
        """Ask for a response; returns its items, none when its caller hung up or was refused."""
        body = {name: value for name, value in body.items() if value is not None}
        body |= {"model": MODEL, "tools": [MINE]}
        answer = await self._post("/v1/responses", body)
        if answer is None:
            return []
        items: list[Json] = answer["output"]
        self.kept.append((answer["id"], items))
        return items

    async def _chat(self) -> None:
        self.messages.append({"role": "user", "content": f"Question {self._number}?"})
        tool = {"type": "function", "function": {"name": "mine", "parameters": MINE["parameters"]}}
        answer = await self._post(
            "/v1/chat/completions", {"model": MODEL, "messages": self.messages, "tools": [tool]}
        )
        if answer is None:
            return
        message = answer["choices"][0]["message"]
        self.messages.append({name: value for name, value in message.items() if value is not None})
        for call in message.get("tool_calls") or ():
            if self._source.random() < 0.8:
                self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": "mine"})

    async def _post(self, path: str, body: Json) -> Json | None:
        headers = {
            "Authorization": f"Bearer {self._bridge.key}",
            "X-Tool-Bridge-Markers": self._source.choice(["link", "zero_width", "off"]),
            "X-Tool-Bridge-Calls": self._source.choice(["items", "details", "hidden"]),
        }
        self.running.clear()
        asking = asyncio.create_task(self._ask(path, body, headers))
        if self.hangs:
            reaching = asyncio.create_task(self.running.wait())
            await asyncio.wait([asking, reaching], return_when=asyncio.FIRST_COMPLETED, timeout=20)
            reaching.cancel()
            asking.cancel()
        await asyncio.wait([asking], timeout=20)
        return None if asking.cancelled() else asking.result()

    async def _ask(self, path: str, body: Json, headers: Json) -> Json | None:
        async with self._http.post(self._bridge.base_url + path, json=body, headers=headers) as response:
            answer: Json = await response.json()
            if response.status == 400:
                assert UNKNOWN in answer["error"]["message"], answer
                return None
            assert response.status == 200, answer
            return answer

    def _rounds(self) -> list[Answer]:
        return random_rounds(self._source, CALLS, f"Answer {self._number}.")


def _user(words: str) -> Json:
    return {"type": "message", "role": "user", "content": words}


def _output(call_id: str) -> Json:
    return {"type": "function_call_output", "call_id": call_id, "output": "mine"}


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("seed", seeds(8))
async def test_no_story_of_callers_ends_in_a_refused_history(tmp_path: Path, api: Any, seed: int) -> None:
    """Finding I-H1: chains, forks, copies, cuts and markers of every form, as callers come by them."""
    async with (
        scripted_provider(MESSAGES) as provider,
        shop_bridge(tmp_path, provider, api) as bridge,
        aiohttp.ClientSession() as http,
    ):
        story = Story(bridge, provider, http, random.Random(f"{seed} {api}"))
        async with page_of(bridge, bridge.local_user.id, story.run_in_page):
            done: list[str] = []
            for _ in range(STEPS):
                done.append(await story.take_step())
                assert provider.refused == [], done
