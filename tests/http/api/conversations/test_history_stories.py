"""Stories of conversations: windows, edits, other tries, retries, deleted messages and stops, in any order.

Whatever was done, the provider refuses no history as OpenAI would.
"""

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.conversation_client import ConversationClient, open_conversation
from tests.support.examples import seeds
from tests.support.models.messages_side import MESSAGES
from tests.support.models.model_answers import Answer
from tests.support.models.model_bridge import products, shop_bridge
from tests.support.models.provider_harness import APIS
from tests.support.models.random_answers import PossibleCall, random_rounds
from tests.support.models.scripted_provider import ScriptedProvider, scripted_provider
from tests.support.running_bridge import page_of

pytestmark = pytest.mark.asyncio

Json = dict[str, Any]
STEPS = 16
CALLS: Sequence[PossibleCall] = (("listProducts", {}), ("listProducts", {"limit": 1}), ("nothing", {}))
CHANGES = (
    *("none", "none", "window", "window", "stop", "stop", "edit", "another try"),
    *("delete", "go back", "retry", "add call"),
)


class HangingPage:
    """What the bridge's page does with calls: nothing, while the user is about to stop."""

    def __init__(self) -> None:
        self.is_hanging = False
        self.running = asyncio.Event()
        self.calls = 0

    async def answer(self, call: Json) -> Json | None:
        self.calls += 1
        self.running.set()
        return None if self.is_hanging else await products(call)


class Story:
    """One conversation, and what its user does to it."""

    def __init__(
        self,
        client: ConversationClient,
        provider: ScriptedProvider,
        page: HangingPage,
        source: random.Random,
    ) -> None:
        self.client = client
        self._provider, self._page, self._source = provider, page, source
        self._number = 0

    async def take_step(self) -> str:
        """One change, and an answer after it; returns what was done."""
        self._number += 1
        self._provider.forget_scripts()
        self._provider.play(*self._rounds(), *self._rounds())
        change = self._source.choice(CHANGES)
        messages = await self.client.messages()
        await self._change(change, messages)
        if change == "stop":
            await self._say_and_stop()
        answered = await self.client.ask(
            "POST", f"/conversations/{self.client.id}/chat", {"content": f"Question {self._number}?"}
        )
        assert answered[0] == 200, answered
        return change

    async def _change(self, change: str, messages: list[Json]) -> None:
        of_user = [each for each in messages if each["role"] == "user"]
        outputs = [each for each in messages if each["role"] == "tool"]
        one = self._source.choice(messages) if messages else {"id": "none"}
        match change:
            case "window":
                size = {
                    "max_messages": self._source.choice([1, 2, 3, 4, 5, 100]),
                    "max_tokens": self._source.choice([1, 30, 20_000]),
                }
                await self._ask("PATCH", "", size)
            case "edit" if of_user:
                edited = self._source.choice(of_user)["id"]
                await self._ask("PATCH", f"/messages/{edited}", {"content": "Edited?"})
                await self._ask("POST", "/chat", {"content": None})
            case "another try" if of_user:
                question = self._source.choice(of_user)["id"]
                await self._ask("POST", "/chat", {"content": None, "parent_id": question})
            case "delete":
                await self._ask("DELETE", f"/messages/{one['id']}", None)
            case "go back":
                await self._ask("PATCH", "", {"head_id": one["id"]})
            case "retry" if outputs:
                call_id = self._source.choice(outputs)["tool_call_id"]
                await self._ask("POST", f"/calls/{call_id}/retry", {})
            case "add call":
                await self._add_call()
            case _:
                pass

    async def _add_call(self) -> None:
        """Add a call, perhaps with its output, that another program has made."""
        call_id = f"call_own_{self._number}"
        call = {"id": call_id, "type": "function", "function": {"name": "mine", "arguments": "{}"}}
        await self._ask("POST", "/messages", {"role": "user", "content": "Elsewhere?"})
        await self._ask("POST", "/messages", {"role": "assistant", "tool_calls": [call]})
        if self._source.random() < 0.5:
            output = {"role": "tool", "content": "mine", "tool_call_id": call_id}
            await self._ask("POST", "/messages", output)

    async def _say_and_stop(self) -> None:
        self._page.is_hanging = True
        self._page.running.clear()
        asking = asyncio.create_task(self._ask("POST", "/chat", {"content": "Stop it."}))
        reaching = asyncio.create_task(self._page.running.wait())
        await asyncio.wait([asking, reaching], return_when=asyncio.FIRST_COMPLETED, timeout=20)
        reaching.cancel()
        await self._ask("POST", "/stop", None)
        await asyncio.wait_for(asking, 20)
        self._page.is_hanging = False

    async def _ask(self, method: str, path: str, body: Any) -> None:
        """Ask for what the conversation may refuse, as something that is not there any more."""
        status, answer = await self.client.ask(method, f"/conversations/{self.client.id}{path}", body)
        assert status < 500, answer

    def _rounds(self) -> list[Answer]:
        return random_rounds(self._source, CALLS, f"Answer {self._number}.")


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("seed", seeds(6))
async def test_no_story_of_a_conversation_ends_in_a_refused_history(
    tmp_path: Path, api: Any, seed: int
) -> None:
    """Finding I-H1: whatever window, branch or stop, calls and outputs are sent in whole pairs."""
    page = HangingPage()
    async with (
        scripted_provider(MESSAGES) as provider,
        shop_bridge(tmp_path, provider, api) as bridge,
        page_of(bridge, bridge.local_user.id, page.answer),
        open_conversation(bridge) as client,
    ):
        story = Story(client, provider, page, random.Random(f"{seed} {api}"))
        done: list[str] = []
        for _ in range(STEPS):
            done.append(await story.take_step())
            assert provider.refused == [], done
        assert page.calls > 0
