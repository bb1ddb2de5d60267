"""The Pipe in a stand-in for Open WebUI, against a real bridge: what it lists, shows and remembers."""

import asyncio
import json

import pytest

from bridge.app.server import Bridge
from tests.support.fake_open_webui import Browser, Chat, callable_tool, direct, tools_by_name
from tests.support.loaded_plugins import CITY, load_pipe, weather
from tests.support.models.model_answers import calls, reasoning, text
from tests.support.models.model_bridge import MODEL, client_of, products
from tests.support.models.scripted_provider import ScriptedProvider
from tests.support.running_bridge import accept_everything, page_of

pytestmark = pytest.mark.asyncio

WEATHER = tools_by_name(direct("get_weather", **CITY))
ASK = calls(("get_weather", {"city": "Paris"}))


async def test_the_models_of_the_bridge_are_the_pipes(bridge: Bridge) -> None:
    """S2-01, S4-26: under their own ids; a bridge that is away is not the end of it."""
    pipe = load_pipe(bridge)
    assert MODEL in [model["id"] for model in await pipe.pipes()]
    pipe.valves.BRIDGE_URL = "http://127.0.0.1:9"
    assert MODEL in [model["id"] for model in await pipe.pipes()]
    away = load_pipe(bridge, BRIDGE_URL="http://127.0.0.1:9")
    assert "not reachable" in (await away.pipes())[0]["name"]


async def test_models_of_the_pipe_have_other_names_than_those_of_a_connection(bridge: Bridge) -> None:
    """Open WebUI shows the Pipe's name before its models': both may be connected to one bridge."""
    pipe = load_pipe(bridge)
    shown = {f"{pipe.name}{model['name']}" for model in await pipe.pipes()}
    async with client_of(bridge) as client:
        connected = {model.to_dict().get("name") or model.id async for model in client.models.list()}
    assert shown == {f"Tool Bridge: {name}" for name in connected}
    away = load_pipe(bridge, BRIDGE_URL="http://127.0.0.1:9")
    assert [f"{away.name}{model['name']}" for model in await away.pipes()] == [
        "Tool Bridge: not reachable, see its valves"
    ]


async def test_a_direct_tool_runs_in_open_webuis_browser(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S0-110, S0-112, W-05: as Open WebUI's page knows it; the model reads the data, not the headers."""
    provider.play(ASK, text("It is 22 degrees."))
    browser = Browser(weather)
    answer = await Chat(load_pipe(bridge), MODEL, browser, WEATHER).ask("How is the weather?")
    (executed,) = browser.executed
    assert executed["name"] == "get_weather"
    assert executed["params"] == {"city": "Paris"}
    assert executed["session_id"] == "sid-1"
    assert executed["server"]["url"] == "http://127.0.0.1:9"
    assert "specs" not in executed["server"]
    assert provider.requests[1].body["input"][-1]["output"] == '{"city": "Paris", "temp": 22}'
    assert answer.error is None
    assert "It is 22 degrees." in answer.content


async def test_a_call_that_ran_is_stored_and_never_left_to_be_run(
    bridge: Bridge, provider: ScriptedProvider
) -> None:
    """S2-05, S2-06: Open WebUI runs what has no output, again and again; one `stop` comes last."""
    provider.play(ASK, text("It is 22 degrees."))
    browser = Browser(weather)
    answer = await Chat(load_pipe(bridge), MODEL, browser, WEATHER).ask("How is the weather?")
    assert len(browser.executed) == 1
    (call,), (output,) = answer.items("function_call"), answer.items("function_call_output")
    assert call["call_id"] == output["call_id"]
    assert call["status"] == output["status"] == "completed"
    assert output["output"] == [{"type": "input_text", "text": '{"city": "Paris", "temp": 22}'}]
    assert answer.finish_reasons == ["stop"]
    assert answer.chunks[-1] == {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    assert not any("tool_calls" in json.dumps(chunk) for chunk in answer.chunks)
    assert answer.usage["turn_count"] == 2


async def test_tools_of_the_bridge_and_of_open_webui_share_a_round(
    bridge: Bridge, provider: ScriptedProvider
) -> None:
    """S0-45, W-17, W-18: each runs where it can, once; one output for each call, in their order."""
    provider.play(calls(("get_weather", {"city": "Rome"}), ("listProducts", {})), text("Both."), text("Yes."))
    browser = Browser(weather)
    chat = Chat(load_pipe(bridge), MODEL, browser, WEATHER)
    async with page_of(bridge, bridge.local_user.id, products) as page:
        answer = await chat.ask("Both?")
        assert (len(page.calls), len(browser.executed)) == (1, 1)
        await chat.ask("Sure?")
    items = provider.requests[1].body["input"]
    called = [item["call_id"] for item in items if item["type"] == "function_call"]
    assert [item["call_id"] for item in items if item["type"] == "function_call_output"] == called
    assert provider.requests[2].body["input"][: len(items)] == items
    assert {item["name"] for item in answer.items("function_call")} == {"get_weather", "listProducts"}
    assert len(answer.items("function_call_output")) == 2


async def test_the_next_turn_begins_with_all_that_was(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S0-134, S0-135, S4-16, S4-17, S4-19: thoughts, too, which are not sent; no model sees a marker."""
    provider.play(reasoning("Where?") + ASK, text("It is 22 degrees."), text("Yes."))
    chat = Chat(load_pipe(bridge), MODEL, Browser(weather), WEATHER)
    answer = await chat.ask("How is the weather?")
    assert "[tb:" in answer.content
    await chat.ask("Sure?")
    before, after = provider.requests[1].body["input"], provider.requests[2].body["input"]
    assert [item.get("type") for item in before] == [
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
    ]
    assert after[: len(before)] == before
    assert after[len(before)]["content"][0]["text"] == "It is 22 degrees."
    assert "[tb:" not in json.dumps(after)


async def test_calls_of_the_bridge_come_back_once(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S4-16, W-29: Open WebUI sends them as messages, markers name them; the model reads each once."""
    provider.play(reasoning("Which?") + calls(("listProducts", {})), text("Tea."), text("Yes."))
    chat = Chat(load_pipe(bridge), MODEL, Browser())
    async with page_of(bridge, bridge.local_user.id, products):
        await chat.ask("Which?")
    await chat.ask("Sure?")
    before, after = provider.requests[1].body["input"], provider.requests[2].body["input"]
    assert after[: len(before)] == before
    assert [item.get("type") for item in after[len(before) :]] == ["message", "message"]


async def test_an_edited_answer_is_what_the_model_reads(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S4-17, W-29: whoever changes the text that is seen; calls stay, the words are the new ones."""
    provider.play(ASK, text("It is 22 degrees."), text("Yes."))
    chat = Chat(load_pipe(bridge), MODEL, Browser(weather), WEATHER)
    answer = await chat.ask("How is the weather?")
    for item in answer.items("message"):
        item["content"][0]["text"] = item["content"][0]["text"].replace("22", "72")
    await chat.ask("Sure?")
    sent = provider.requests[2].body["input"]
    assert "It is 72 degrees." in json.dumps(sent)
    assert "It is 22 degrees." not in json.dumps(sent)
    assert [item["type"] for item in sent[1:3]] == ["function_call", "function_call_output"]


@pytest.mark.parametrize("own", [False, True])
async def test_memory_can_be_switched_off(bridge: Bridge, provider: ScriptedProvider, *, own: bool) -> None:
    """S4-23, S0-130: by administrator or user; then there are no markers, and the turn has its tools."""
    provider.play(ASK, text("It is 22 degrees."))
    switched = {"PERSIST_TOOL_RESULTS": False}
    pipe = load_pipe(bridge, **({} if own else switched))
    chat = Chat(pipe, MODEL, Browser(weather), WEATHER, own_valves=switched if own else {})
    answer = await chat.ask("How is the weather?")
    assert "[tb:" not in answer.content
    kinds = [item.get("type") for item in provider.requests[1].body["input"]]
    assert kinds == ["message", "function_call", "function_call_output"]


async def test_calls_run_together_and_no_more_than_allowed(
    bridge: Bridge, provider: ScriptedProvider
) -> None:
    """S0-71, S1-16: five calls, two at once; their outputs in the order of the calls."""
    running, most = 0, 0

    async def count(**params: int) -> tuple[dict[str, int], dict[str, str]]:
        nonlocal running, most
        running, most = running + 1, max(most, running + 1)
        await asyncio.sleep(0)
        running -= 1
        return params, {}

    provider.play(calls(*(("count", {"n": n}) for n in range(5))), text("Done."))
    tools = tools_by_name(callable_tool("count", count, n={"type": "integer"}))
    pipe = load_pipe(bridge, MAX_PARALLEL_TOOLS_PER_REQUEST=2)
    await Chat(pipe, MODEL, Browser(), tools).ask("Count.")
    outputs = [item["output"] for item in provider.requests[1].body["input"] if "output" in item]
    assert outputs == [f'{{"n": {n}}}' for n in range(5)]
    assert most == 2


async def test_statuses_say_what_runs_and_end(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S2-13: the last one is done, or it would shimmer for ever."""
    provider.play(ASK, text("It is 22 degrees."))
    browser = Browser(weather)
    await Chat(load_pipe(bridge), MODEL, browser, WEATHER).ask("How is the weather?")
    events = browser.events_of("status")
    assert events[0] == {"description": "Running Get Weather…", "done": False}
    assert events[-1] == {"description": "", "done": True, "hidden": True}


async def test_a_missing_page_of_the_bridge_is_said_and_stays_said(
    bridge: Bridge, provider: ScriptedProvider
) -> None:
    """Its user has to open it; a model that calls a tool all the same reads that, too."""
    await accept_everything(bridge, bridge.local_user.id)
    provider.play(calls(("listProducts", {})), text("I cannot."))
    browser = Browser()
    message = await Chat(load_pipe(bridge), MODEL, browser).ask("Which products?")
    last = browser.events_of("status")[-1]
    assert last["description"].startswith("No bridge page of this user is open")
    assert not last.get("hidden")
    (output,) = message.items("function_call_output")
    assert json.loads(output["output"][0]["text"])["error"]["code"] == "no_browser"


async def test_a_task_has_no_tools_and_leaves_no_trace(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S4-06, S2-01: a title: one round, its text alone."""
    provider.play(text("Weather"))
    chat = Chat(
        load_pipe(bridge), MODEL, Browser(weather), WEATHER, messages=[{"role": "user", "content": "Title?"}]
    )
    async with page_of(bridge, bridge.local_user.id, products):
        assert await chat.called(stream=False, task="title_generation") == "Weather"
    assert "tools" not in provider.requests[0].body


async def test_markers_of_older_pipes_are_understood(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S4-22, S4-18: in chats that other pipes wrote; the model sees none of them."""
    old = "[0001HTHEHGE10BKXZSRC]: #"
    older = "[openai_responses:v2:reasoning:0123456789ABCDEF]: #"
    provider.play(text("Yes."))
    chat = Chat(load_pipe(bridge), MODEL, Browser())
    said = {"role": "assistant", "content": f"Tea.\n\n{old}\n{older}\n"}
    chat.messages = [{"role": "user", "content": "Which?"}, said]
    await chat.ask("Sure?")
    assert provider.requests[0].body["input"][1]["content"] in (
        "Tea.",
        [{"type": "output_text", "text": "Tea."}],
    )


async def test_without_a_browser_direct_tools_are_not_offered(
    bridge: Bridge, provider: ScriptedProvider
) -> None:
    """S0-07, S2-14: nobody could perform them; tools of Open WebUI's server are there."""

    async def search(**_params: str) -> str:
        return "found"

    provider.play(text("Hi."))
    tools = tools_by_name(direct("get_weather", **CITY), callable_tool("search", search, "builtin"))
    await Chat(load_pipe(bridge), MODEL, None, tools).ask("Hi")
    assert [tool["name"] for tool in provider.requests[0].body["tools"]] == ["search"]


async def test_options_of_the_chat_reach_the_model(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S4-15: under their new names; what no response has is left out."""
    provider.play(text("Hi."))
    body = {"temperature": 0.2, "max_tokens": 50, "reasoning_effort": "low", "seed": 5, "stop": ["x"]}
    await Chat(load_pipe(bridge, TRUNCATION="auto"), MODEL, Browser(), body=body).ask("Hi")
    sent = provider.requests[0].body
    assert (sent["temperature"], sent["max_output_tokens"], sent["truncation"]) == (0.2, 50, "auto")
    assert sent["reasoning"]["effort"] == "low"
    assert not {"seed", "stop", "max_tokens"} & sent.keys()
