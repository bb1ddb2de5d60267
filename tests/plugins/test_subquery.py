"""The Subquery tool in a stand-in for Open WebUI, against a real bridge."""

import asyncio
import inspect
import json
from types import SimpleNamespace
from typing import Any

import pytest

from bridge.app.server import Bridge
from tests.support.fake_open_webui import Browser, Chat, callable_tool, direct, tools_by_name
from tests.support.loaded_plugins import CITY, load_pipe, load_subquery, weather
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import MODEL, products
from tests.support.models.scripted_provider import ScriptedProvider, fails
from tests.support.running_bridge import page_of

pytestmark = pytest.mark.asyncio

WEATHER = direct("get_weather", **CITY)
ASK = calls(("get_weather", {"city": "Paris"}))


async def asked(
    tool: Any, prompt: str = "Find out.", *tools: Any, browser: Browser | None = None, **given: Any
) -> str:
    """Call the tool as Open WebUI does, in a chat with these other tools."""
    metadata: dict[str, Any] = {
        "tools": tools_by_name(*tools),
        "session_id": "sid-1",
        "params": given.pop("params", {}),
        "tool_servers": [],
    }
    browser = browser or Browser(weather)
    context: dict[str, Any] = {
        "__request__": object(),
        "__user__": {"id": "u-1", "name": "Ada"},
        "__model__": {"id": MODEL},
        "__metadata__": metadata,
        "__event_emitter__": browser.emit,
        "__event_call__": browser.call,
        "__id__": "my_subquery",
    }
    return await tool.subquery(prompt, **{**context, **given})


async def test_it_has_one_method_with_what_open_webui_gives() -> None:
    """S1-01, S1-02: a prompt, a number of messages; everything else is injected. Eight rounds."""
    tool = subquery_of_nothing()
    public = [name for name, _ in inspect.getmembers(tool, inspect.iscoroutinefunction) if name[0] != "_"]
    assert public == ["subquery"]
    parameters = inspect.signature(tool.subquery).parameters
    assert [name for name in parameters if not name.startswith("__")] == ["prompt", "include_recent_messages"]
    assert parameters["include_recent_messages"].default == 0
    assert tool.max_rounds == 8


def subquery_of_nothing() -> Any:
    return load_subquery(SimpleNamespace(base_url="http://127.0.0.1:9", key="k"))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("missing", "words"),
    [
        ({"__request__": None}, "[Subquery] __request__ was not injected"),
        ({"__user__": None}, "[Subquery] __user__ was not injected"),
        ({"__model__": {}}, "[Subquery] could not determine current model id from __model__"),
    ],
)
async def test_what_is_missing_is_named(missing: dict[str, Any], words: str) -> None:
    """S1-03: in this order, before anything is asked."""
    with pytest.raises(RuntimeError) as refused:
        await asked(subquery_of_nothing(), **missing)
    assert str(refused.value) == words


async def test_only_the_answer_comes_back(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S1-12, S1-14, S1-17, S1-20: its own rounds with the chat's tools; trimmed; nothing of it is kept."""
    provider.play(text("Let me see.") + ASK, text("  It is 22 degrees. \n"))
    browser = Browser(weather)
    answer = await asked(load_subquery(bridge), "How warm is it?", WEATHER, browser=browser)
    assert answer == "It is 22 degrees."
    assert browser.executed[0]["params"] == {"city": "Paris"}
    sent = provider.requests[1].body["input"]
    assert [item.get("type") for item in sent[-2:]] == ["function_call", "function_call_output"]
    assert sent[-1]["output"] == '{"city": "Paris", "temp": 22}'


async def test_recent_messages_are_chosen_after_filtering(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S1-04, W-30: two that say something, then the prompt; by default the prompt alone."""
    messages = [
        {"role": "user", "content": "One", "id": 1},
        {"role": "assistant", "content": "Two"},
        {"role": "tool", "content": "x", "tool_call_id": "c"},
        {"role": "assistant", "content": ""},
    ]
    provider.play(text("A"), text("B"))
    await asked(load_subquery(bridge), include_recent_messages=2, __messages__=messages)
    await asked(load_subquery(bridge), __messages__=messages)
    roles = [[item["role"] for item in request.body["input"]] for request in provider.requests]
    assert roles == [["user", "assistant", "user"], ["user"]]


async def test_options_and_files_go_along(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S1-05, S1-07: the chat's temperature; images as they are, other files as their text."""
    provider.play(text("A"))
    files = [
        {"type": "image", "url": "data:image/png;base64,iVBORw0KGgo="},
        {"type": "file", "name": "a.txt", "file": {"data": {"content": "Tea is green."}}},
    ]
    await asked(
        load_subquery(bridge), params={"temperature": 0.1, "function_calling": "legacy"}, __files__=files
    )
    sent = provider.requests[0].body
    assert sent["temperature"] == 0.1
    assert "function_calling" not in sent
    parts = sent["input"][-1]["content"]
    assert parts[0]["type"] == "input_image"
    assert "Tea is green." in parts[1]["text"]


async def test_it_never_sees_itself(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S1-06, W-30: by its id and its name; and if it is reached in any other way, it refuses."""
    tool = load_subquery(bridge)

    async def again(**given: Any) -> str:
        return await asked(tool, **given)

    renamed = {**callable_tool("ask_yourself", again), "tool_id": "my_subquery"}
    other = callable_tool("another_way", again, "builtin")
    provider.play(calls(("another_way", {})), text("Alone."))
    assert await asked(tool, "Go.", callable_tool("subquery", again), renamed, other) == "Alone."
    assert [offered["name"] for offered in provider.requests[0].body["tools"]] == ["another_way"]
    assert "cannot start another one" in provider.requests[1].body["input"][-1]["output"]


async def test_rounds_without_end_are_ended(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S1-02, S1-08: two rounds as the attribute says, then what it has by then."""
    tool = load_subquery(bridge)
    tool.max_rounds = 2
    provider.play(ASK, ASK, text("Perhaps 22."))
    answer = await asked(tool, "Go.", WEATHER)
    assert answer.startswith("Perhaps 22.")
    assert "reached max_rounds=2" in answer
    assert len(provider.requests) == 3


async def test_a_call_that_fails_is_a_result_of_its_own(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S1-13, S1-18, W-30: an unknown tool, broken arguments, a tool that raises: the loop goes on."""

    async def boom() -> str:
        raise ValueError("broken")

    provider.play(calls(("nothing", {}), ("boom", {}), ("get_weather", "{x")), text("All failed."))
    assert await asked(load_subquery(bridge), "Go.", WEATHER, callable_tool("boom", boom)) == "All failed."
    outputs = {
        item["call_id"]: item["output"] for item in provider.requests[1].body["input"] if "output" in item
    }
    assert len(outputs) == 3
    assert "broken" in json.dumps(outputs)
    assert "unable to parse" in json.dumps(outputs)


async def test_calls_of_a_round_run_together(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S1-16, S1-21: both are under way before one ends; outputs in call order; arguments typed."""
    both = asyncio.Barrier(2)

    async def meet(n: int) -> str:
        await both.wait()
        return f"{n + 1}"

    provider.play(calls(("meet", {"n": 1}), ("meet", {"n": 2})), text("Met."))
    tool = callable_tool("meet", meet, "builtin", n={"type": "integer"})
    assert await asked(load_subquery(bridge), "Go.", tool) == "Met."
    assert [item["output"] for item in provider.requests[1].body["input"] if "output" in item] == ["2", "3"]


async def test_statuses_begin_and_end(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S1-19: readable names, and a last one that is done and hidden, on failures too."""
    browser = Browser(weather)
    provider.play(calls(("get_weather", {}), ("get_weather", {})), text("Done."))
    await asked(load_subquery(bridge), "Go.", WEATHER, browser=browser)
    events = browser.events_of("status")
    assert events[0]["done"] is False
    assert "Running 2 tools: Get Weather, Get Weather…" in [each["description"] for each in events]
    assert events[-1] == {"description": "", "done": True, "hidden": True}
    away = Browser(weather)
    answer = await asked(load_subquery(bridge, BRIDGE_URL="http://127.0.0.1:9"), browser=away)
    assert answer.startswith("[Subquery] failed: ")
    assert away.events_of("status")[-1]["done"] is True


async def test_a_failing_model_is_said(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S1-18: the outer model reads a sentence, not a traceback."""
    provider.play(*[fails(400, "Too long.")] * 3)
    assert "Too long." in await asked(load_subquery(bridge))


@pytest.mark.parametrize(
    ("valve", "model"),
    [
        ("", {"id": MODEL}),
        ("", {"id": f"tool_bridge.{MODEL}"}),
        ("", {"id": "my-assistant", "info": {"base_model_id": f"tool_bridge.{MODEL}"}}),
        (MODEL, {"id": "gpt-of-somebody-else"}),
    ],
)
async def test_it_is_the_chats_model_or_the_valves(
    bridge: Bridge, provider: ScriptedProvider, valve: str, model: dict[str, Any]
) -> None:
    """S1-08: through the Pipe, through a connection, as a model of the workspace; the valve wins."""
    provider.play(text("Hi."))
    assert await asked(load_subquery(bridge, MODEL=valve), __model__=model) == "Hi."
    assert provider.requests[0].body["model"] == MODEL


async def test_a_model_that_the_bridge_has_not_is_said(bridge: Bridge) -> None:
    """S1-18: and which ones the valve takes."""
    answer = await asked(load_subquery(bridge), __model__={"id": "gpt-of-somebody-else"})
    assert "no model 'gpt-of-somebody-else'" in answer
    assert MODEL in answer


async def test_the_bridges_own_tools_are_there_too(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S1-20: text before its calls is no answer."""
    provider.play(text("First.") + calls(("listProducts", {})), text("Tea."))
    async with page_of(bridge, bridge.local_user.id, products) as page:
        assert await asked(load_subquery(bridge)) == "Tea."
        assert len(page.calls) == 1


async def test_it_works_as_a_tool_of_the_pipe(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S1-20: the main chat has the call and its answer, and nothing of what went on inside."""
    inner = load_subquery(bridge)

    async def subquery(prompt: str) -> str:
        return await asked(inner, prompt, WEATHER)

    provider.play(calls(("subquery", {"prompt": "How warm?"})), ASK, text("22."), text("It is 22."))
    tools = tools_by_name(callable_tool("subquery", subquery, "", prompt={"type": "string"}))
    answer = await Chat(load_pipe(bridge), MODEL, Browser(weather), tools).ask("How warm is it?")
    assert "It is 22." in answer.content
    assert provider.requests[3].body["input"][-1]["output"] == "22."
    assert "get_weather" not in json.dumps(provider.requests[3].body["input"])
