"""A connection of Open WebUI 0.12.4 whose API type is *Responses*, beside the one by Chat Completions.

The double reads a stream as its code does: `event`s are emitted, `response.*` events become items of the
message, anything else is a chunk of Chat Completions. Each output is walked as a list of parts.
"""

import base64
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bridge.app.server import Bridge
from bridge.settings.chat.models import ModelSettings
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import MODEL, PNG, image_answer, models_file, products, shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider
from tests.support.models.search_bridge import SEARCHED, SEARCHER, asked, search_bridge, sent
from tests.support.running_bridge import json_answer, page_of

pytestmark = pytest.mark.asyncio

Json = dict[str, Any]
LIST = calls(("listProducts", {}))
SENT: dict[str, set[str]] = {
    "message": {"type", "role", "content"},
    "function_call": {"type", "call_id", "name", "arguments", "id"},
    "function_call_output": {"type", "call_id", "output"},
}
"""Members of a stored item that it sends back."""


@dataclass
class Connection:
    """A model connection, and a chat through it."""

    bridge: Bridge
    http: aiohttp.ClientSession
    display: str
    input: list[Json] = field(default_factory=list[Json])
    events: list[Json] = field(default_factory=list[Json])
    images: list[str] = field(default_factory=list[str])
    model: str = "seer"

    async def ask(self, question: str) -> list[Json]:
        """The items of the answer, as they are stored."""
        self.input.append({"type": "message", "role": "user", "content": [_part(question)]})
        headers = {
            "Authorization": f"Bearer {self.bridge.key}",
            "X-OpenWebUI-Chat-Id": "c1",
            "X-Tool-Bridge-Task": "",
            "X-Tool-Bridge-Calls": self.display,
        }
        body = {"model": self.model, "input": self.input, "stream": True}
        url = f"{self.bridge.base_url}/v1/responses"
        async with self.http.post(url, json=body, headers=headers) as response:
            assert response.status == 200, await response.text()
            output: list[Json] = []
            async for line in response.content:
                if line.startswith(b"data: {"):
                    output = self._take(json.loads(line.removeprefix(b"data: ")), output)
        for item in output:
            kept = {name: value for name, value in item.items() if name in SENT[item["type"]]}
            self.input.append(kept)
        return output

    def _take(self, data: Json, output: list[Json]) -> list[Json]:
        if "event" in data:
            self.events.append(data["event"])
        if data["type"] == "response.completed":
            return data["response"]["output"]
        if data["type"].startswith("response."):
            item = data.get("item", {})
            if item.get("type") == "function_call_output":
                assert all(part.get("type") == "input_text" for part in item["output"])
        else:
            for choice in data.get("choices", []):
                shown: list[Json] = choice["delta"].get("images") or []
                self.images += [image["image_url"]["url"] for image in shown]
        return output


def _part(words: str) -> Json:
    return {"type": "input_text", "text": words}


async def gone(_call: Json) -> Json:
    return json_answer({"message": "There is no shop."}, status=404)


@asynccontextmanager
async def connected(
    folder: Path, provider: ScriptedProvider, display: str, answer: Any = products
) -> AsyncGenerator[Connection]:
    named = ModelSettings(id="seer", provider="scripted", model=MODEL, sees_images=True)
    models = models_file(provider, model=(named,))
    async with shop_bridge(folder, provider, models=models) as bridge, aiohttp.ClientSession() as http:
        page = image_answer(bridge, http) if answer is PNG else answer
        async with page_of(bridge, bridge.local_user.id, page):
            yield Connection(bridge, http, display)


@pytest.mark.parametrize("display", ["items", "details"])
async def test_a_chat_goes_on_and_remembers_its_calls(
    tmp_path: Path, provider: ScriptedProvider, display: str
) -> None:
    """Finding I-M3: with calls as items the second message failed, for an output was no list of parts."""
    provider.play(LIST, text("Tea."), text("Yes."), text("Bye."))
    async with connected(tmp_path, provider, display) as chat:
        await chat.ask("What is there?")
        await chat.ask("Sure?")
        await chat.ask("Thanks.")
    for request in provider.requests[2:]:
        items = request.body["input"]
        kinds = [item["type"] for item in items if item["type"].startswith("function_call")]
        assert kinds == ["function_call", "function_call_output"]
        assert "<details" not in json.dumps(items)
        assert "[tb:" not in json.dumps(items)
    outputs = [item for item in provider.requests[3].body["input"] if "output" in item]
    assert "tea" in json.dumps(outputs)
    assert "Running List products…" in [event["data"].get("description") for event in chat.events]


@pytest.mark.parametrize("display", ["items", "details"])
async def test_a_picture_is_shown_and_no_part_of_the_chat(
    tmp_path: Path, provider: ScriptedProvider, display: str
) -> None:
    """Finding I-M3: it was nowhere, because its event meant nothing to Open WebUI."""
    provider.play(LIST, text("A cat."), text("Yes."))
    data_url = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
    async with connected(tmp_path, provider, display, PNG) as chat:
        await chat.ask("Show me.")
        assert chat.images == [data_url]
        assert "data:image" not in json.dumps(chat.input)
        await chat.ask("Sure?")
    assert data_url in json.dumps(provider.requests[2].body)  # from the bridge's memory


async def test_a_search_is_shown_as_a_call_of_a_function(tmp_path: Path, provider: ScriptedProvider) -> None:
    """It knows no other item; the model is sent its own ones from the bridge's memory (issue 41, 6)."""
    provider.play(*SEARCHED, text("Yes."))
    async with search_bridge(tmp_path, provider) as bridge, asked(bridge), aiohttp.ClientSession() as http:
        chat = Connection(bridge, http, "items", model=SEARCHER)
        output = await chat.ask("What is there?")
        await chat.ask("Sure?")
    kinds = ["function_call", "function_call_output"] * 2
    made = [item for item in output if item["type"] != "message"]
    assert [item["type"] for item in made] == kinds
    assert [item["name"] for item in made[::2]] == ["tool_search", "listProducts"]
    assert "listProducts" in json.loads(made[1]["output"][0]["text"])["loaded"]
    before = sent(provider, 2)["input"]
    assert sent(provider, 3)["input"][: len(before)] == before


async def test_a_call_that_failed_is_shown_as_failed(tmp_path: Path, provider: ScriptedProvider) -> None:
    """Finding I-M3: providers want "completed" of every output, people do not."""
    provider.play(LIST, text("It failed."))
    async with connected(tmp_path, provider, "items", gone) as chat:
        output = await chat.ask("What is there?")
    assert [item["status"] for item in output if item["type"] == "function_call_output"] == ["failed"]
    (sent,) = [item for item in provider.requests[1].body["input"] if "output" in item]
    assert sent["status"] == "completed"


async def test_other_programs_get_outputs_as_before(tmp_path: Path, provider: ScriptedProvider) -> None:
    """Finding I-M3: OpenAI's clients read a text as well, and expect no chunks of another protocol."""
    provider.play(LIST, text("Tea."))
    async with connected(tmp_path, provider, "items") as chat:
        headers = {"Authorization": f"Bearer {chat.bridge.key}", "X-Tool-Bridge-Calls": "items"}
        body = {"model": "seer", "input": "Hi"}
        url = f"{chat.bridge.base_url}/v1/responses"
        async with chat.http.post(url, json=body, headers=headers) as response:
            output = (await response.json())["output"]
    (found,) = [item for item in output if item["type"] == "function_call_output"]
    assert isinstance(found["output"], str)
    assert found["status"] == "completed"
