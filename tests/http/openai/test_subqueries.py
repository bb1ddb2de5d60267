"""Sub-queries through the model routes: a model that gives tasks to itself, and a page that runs calls."""

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from openai import AsyncOpenAI

from bridge.app.server import Bridge
from bridge.settings.chat.models import ModelSettings
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import MODEL, client_of, models_file, products, shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider, script
from tests.support.running_bridge import page_of
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

ASK: Any = [
    {"role": "system", "content": "Be a pirate."},
    {"role": "user", "content": "First"},
    {"role": "assistant", "content": "Aye."},
    {"role": "user", "content": "Which products are there?"},
]
LIST = calls(("listProducts", {"limit": 2}))


def task(prompt: str, recent: int | None = None) -> tuple[str, object]:
    return "subquery", {"prompt": prompt, "include_recent_messages": recent}


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[Bridge]:
    named = ModelSettings(id="deep", provider="scripted", model=MODEL, subquery=True)
    async with shop_bridge(tmp_path, provider, models=models_file(provider, model=(named,))) as running:
        yield running


async def answered(bridge: Bridge, client: AsyncOpenAI, **options: Any) -> Any:
    """The completion of a question while a page is there."""
    async with page_of(bridge, bridge.local_user.id, products) as page:
        create: Any = client.chat.completions.create
        return await create(model="deep", messages=ASK, **options), page


def outputs(provider: ScriptedProvider, request: int) -> list[str]:
    items = provider.requests[request].body["input"]
    return [item["output"] for item in items if item["type"] == "function_call_output"]


def names(provider: ScriptedProvider, request: int) -> set[str]:
    return {tool["name"] for tool in provider.requests[request].body["tools"]}


def texts(provider: ScriptedProvider, request: int) -> list[str]:
    items = provider.requests[request].body["input"]
    return [
        part["text"]
        for item in items
        for part in ([{"text": item["content"]}] if isinstance(item["content"], str) else item["content"])
    ]


async def test_a_sub_query_works_by_itself_and_gives_back_only_its_answer(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S1-01, S1-05, S1-06, S1-17, S1-20: its own rounds, the same tools but itself, one text back."""
    provider.play(calls(task("List them.")), LIST, text("  Tea.  "), text("There is tea."))
    completion, page = await answered(bridge, client, temperature=0.5)
    assert completion.choices[0].message.content == "There is tea."
    assert len(page.calls) == 1
    outer, inner, _, last = (each.body for each in provider.requests)
    assert "subquery" in names(provider, 0)
    assert names(provider, 1) == names(provider, 0) - {"subquery"}
    assert (inner["temperature"], inner["model"]) == (0.5, outer["model"])
    assert inner["instructions"] == outer["instructions"] == "Be a pirate."
    assert texts(provider, 1) == ["List them."]
    assert outputs(provider, 3) == ["Tea."]
    assert "products" not in json.dumps(last["input"][-1])


async def test_it_reads_the_recent_messages_that_it_is_given(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S1-04: the last two messages, then its prompt."""
    provider.play(calls(task("Go on.", 2)), text("Tea."), text("There is tea."))
    await answered(bridge, client)
    assert texts(provider, 1) == ["Aye.", "Which products are there?", "Go on."]


async def test_images_of_recent_messages_go_along(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S1-07: a task about a picture needs the picture."""
    picture = {"type": "input_image", "image_url": "data:image/png;base64,AAAA", "detail": "auto"}
    said: Any = [{"role": "user", "content": [{"type": "input_text", "text": "What is this?"}, picture]}]
    provider.play(calls(task("Describe it.", 1)), text("A teapot."), text("It is a teapot."))
    async with page_of(bridge, bridge.local_user.id, products):
        await client.responses.create(model="deep", input=said)
    assert provider.requests[1].body["input"][0]["content"][1] == picture


async def test_it_ends_after_eight_rounds(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S1-02, S1-08: eight requests with calls, one for the answer; calls of the eighth do not run."""
    provider.play(calls(task("Loop.")), *[LIST] * 8, text("Enough."), text("Done."))
    _, page = await answered(bridge, client)
    assert len(page.calls) == 7
    assert len(provider.requests) == 11
    assert outputs(provider, 10)[0].startswith("Enough.\n\n[The sub-query reached its limit")


async def test_a_failure_inside_costs_nothing_outside(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S1-03, S1-13, S1-18, W-30: no such tool, a nested sub-query, no prompt: and the turn goes on."""
    wrong = calls(("nothing", {}), task("Deeper."))
    provider.play(calls(task(""), task("Try.")), wrong, text("No such tools."), text("Sorry."))
    completion, _ = await answered(bridge, client)
    assert completion.choices[0].message.content == "Sorry."
    inner = [json.loads(each)["error"]["code"] for each in outputs(provider, 2)]
    assert inner == ["unknown_tool", "unknown_tool"]
    first, second = outputs(provider, 3)
    assert "prompt" in json.loads(first)["error"]["message"]
    assert second == "No such tools."


async def test_several_run_together_and_everything_is_counted(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S0-62, S1-16: the second begins while the first is held; the usage has the tokens of all requests."""
    gate = asyncio.Event()
    both, tea = calls(task("One."), task("Two.")).costing(10, 2), text("Tea.").costing(10, 2)
    provider.play(both, *[script(tea).held(gate, after=1)] * 2, tea)
    asking = asyncio.create_task(answered(bridge, client))
    await eventually(lambda: len(provider.requests) == 3)
    gate.set()
    completion, _ = await asking
    assert outputs(provider, 3) == ["Tea.", "Tea."]
    usage = completion.usage.model_dump()
    assert (usage["prompt_tokens"], usage["turn_count"], usage["function_call_count"]) == (40, 4, 2)


async def test_the_user_sees_that_it_works_and_that_it_has_ended(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S1-19, S2-13: status lines in Open WebUI, the last of them done and hidden; its words stay inside."""
    provider.play(calls(task("List them.")), text("Hm."), text("There is tea."))
    headers = {"X-OpenWebUI-Chat-Id": "chat-1"}
    async with page_of(bridge, bridge.local_user.id, products):
        create: Any = client.chat.completions.create
        stream = await create(model="deep", messages=ASK, stream=True, extra_headers=headers)
        chunks: list[Any] = [chunk.model_dump() async for chunk in stream]
    events = [chunk["event"]["data"] for chunk in chunks if chunk.get("event")]
    assert events[0] == {"description": "Running Sub-query…", "done": False}
    assert events[-1] == {"description": "", "done": True, "hidden": True}
    said: list[Any] = [choice["delta"] for chunk in chunks for choice in chunk["choices"] or ()]
    words = "".join(str(delta["content"] or "") for delta in said)
    assert "Hm." not in words


async def test_a_model_that_was_not_given_it_has_none(tmp_path: Path, provider: ScriptedProvider) -> None:
    """S1-02: it multiplies requests, so that whoever pays has to want it."""
    async with shop_bridge(tmp_path, provider) as bridge, client_of(bridge) as client:
        provider.play(text("Hi."))
        async with page_of(bridge, bridge.local_user.id, products):
            await client.chat.completions.create(model=MODEL, messages=ASK)
    assert "subquery" not in names(provider, 0)


async def test_without_a_page_there_is_nothing_to_give_tasks_with(
    client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S0-01: no tools at all means no `tools` at all."""
    provider.play(text("Hi."))
    await client.chat.completions.create(model="deep", messages=ASK)
    assert "tools" not in provider.requests[0].body
