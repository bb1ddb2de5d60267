"""Calls of the Pipe that go wrong, are refused, are stopped, or give more than text."""

import asyncio
import base64
import json
import logging
import re
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bridge.app.server import Bridge
from bridge.settings.chat.models import ModelSettings
from tests.support.fake_open_webui import Browser, Chat, Message, callable_tool, direct, tools_by_name
from tests.support.loaded_plugins import CITY, load_pipe, weather
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import MODEL, PNG, image_answer, models_file, products, shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider, script
from tests.support.running_bridge import page_of
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

WEATHER = tools_by_name(direct("get_weather", **CITY))
ASK = calls(("get_weather", {"city": "Paris"}))
PIXEL = "data:image/png;base64,iVBORw0KGgo="


async def result_of(
    bridge: Bridge, provider: ScriptedProvider, tool: Any, arguments: object = None, **valves: Any
) -> tuple[Any, Message]:
    """What the model reads of a call of this tool, and the message."""
    name = tool["spec"]["name"]
    provider.play(calls((name, {} if arguments is None else arguments)), text("Done."))
    answer = await Chat(load_pipe(bridge, **valves), MODEL, Browser(weather), tools_by_name(tool)).ask("Go.")
    assert "Done." in answer.content
    return provider.requests[-1].body["input"][-1]["output"], answer


@pytest.mark.parametrize(
    ("arguments", "words"),
    [("{broken", "unable to parse"), ("null", "must be a JSON object, got NoneType"), ("[1]", "got list")],
)
async def test_arguments_that_are_none_are_answered(
    bridge: Bridge, provider: ScriptedProvider, arguments: str, words: str
) -> None:
    """S0-54, W-19: with what is wrong; the tool is not run, and the answer goes on."""
    tool = direct("get_weather", **CITY)
    output, answer = await result_of(bridge, provider, tool, arguments)
    assert words in json.loads(output)["error"]
    assert answer.items("function_call_output")[0]["status"] == "failed"


async def test_only_declared_arguments_are_passed_on(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S0-111, S1-15: what a tool does not declare could be anything, its context too."""
    output, _ = await result_of(
        bridge, provider, direct("get_weather", **CITY), {"city": "Rome", "__user__": 1}
    )
    assert json.loads(output)["city"] == "Rome"

    async def user_of(user: str) -> str:
        return f"It is {user}."

    tool = callable_tool("user_of", user_of, "", user={"type": "string"})
    output, _ = await result_of(bridge, provider, tool, {"user": "Bob", "__request__": 1})
    assert output == "It is Bob."


async def test_a_tool_that_raises_is_a_failed_call(
    bridge: Bridge, provider: ScriptedProvider, caplog: pytest.LogCaptureFixture
) -> None:
    """S0-54, S0-113, S0-114: its reason goes to the model and to a toast, its traceback to the log."""

    async def boom() -> str:
        raise ValueError("no such city")

    provider.play(calls(("boom", {})), text("Done."))
    browser = Browser(weather)
    with caplog.at_level(logging.ERROR):
        chat = Chat(load_pipe(bridge), MODEL, browser, tools_by_name(callable_tool("boom", boom)))
        answer = await chat.ask("Go.")
    output = provider.requests[-1].body["input"][-1]["output"]
    assert json.loads(output) == {"error": "Tool error: no such city"}
    assert answer.items("function_call")[0]["status"] == "failed"
    assert browser.events_of("notification") == [
        {"type": "warning", "content": "Tool 'boom' failed: Tool error: no such city"}
    ]
    assert "Done." in answer.content
    assert "Traceback" in caplog.text
    assert "Traceback" not in json.dumps(answer.chunks)


async def test_a_browser_that_never_answers_is_given_up(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S2-14, W-11, W-28: after the time that the valve says, with a reason."""

    async def forever(_name: str, _params: Any) -> None:
        await asyncio.Event().wait()

    provider.play(ASK, text("No answer."))
    pipe = load_pipe(bridge, TOOL_TIMEOUT_SECONDS=1)
    await Chat(pipe, MODEL, Browser(forever), WEATHER).ask("Go.")
    output = provider.requests[1].body["input"][-1]["output"]
    assert json.loads(output)["error"] == "Tool error: timed out after 1 s (no answer from the browser)."


@pytest.mark.parametrize(
    ("ack", "words"),
    [
        ([{"error": "Failed to fetch"}, None], "Failed to fetch"),
        ({"error": "Client session disconnected."}, "Client session disconnected."),
        ("text", "text"),
        (7, "7"),
        (None, ""),
        (["one", "two"], '["one", "two"]'),
        ([[1, 2], {"content-type": "application/json"}], "[1, 2]"),
    ],
)
async def test_every_answer_of_a_browser_is_a_result(
    bridge: Bridge, provider: ScriptedProvider, ack: Any, words: str
) -> None:
    """S0-112, S0-113, S0-114, S0-118: pairs, errors, junk, and a list of two that is no pair."""

    async def answer(_name: str, _params: Any) -> Any:
        return ack

    provider.play(ASK, text("Done."))
    message = await Chat(load_pipe(bridge), MODEL, Browser(answer), WEATHER).ask("Go.")
    output = provider.requests[1].body["input"][-1]["output"]
    assert words in output if words else output == ""
    failed = "error" in str(ack)
    assert (message.items("function_call_output")[0]["status"] == "failed") is failed


@pytest.mark.parametrize("line", ['{"link": "<?page=2>; rel=next"}', "no JSON", "[1]", "{" * 9000])
async def test_what_the_bridge_says_of_headers_reaches_the_model(
    bridge: Bridge, provider: ScriptedProvider, line: str
) -> None:
    """Finding O-8, W-27: of an object of the tool server, in the form in which it stands beside a list."""
    headers = {"content-type": "application/json", "X-Tool-Bridge-Answer-Headers": line}

    async def answer(_name: str, _params: Any) -> Any:
        return [{"id": 1}, headers]

    provider.play(ASK, text("Done."))
    await Chat(load_pipe(bridge), MODEL, Browser(answer), WEATHER).ask("Go.")
    told = json.loads(provider.requests[1].body["input"][-1]["output"])
    is_told = line.endswith('next"}')
    assert told == ({"result": {"id": 1}, "headers": json.loads(line)} if is_told else {"id": 1})


async def picture() -> Any:
    return PIXEL, {"Content-Type": "image/png"}


async def drawn() -> Any:
    return [
        {"type": "text", "text": "Look:"},
        {"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="},
    ]


async def chat_with_pictures(
    folder: Path, provider: ScriptedProvider, *, sees_images: bool, **valves: Any
) -> tuple[list[Message], str]:
    """Two turns: one calls both tools; gives the answers, and all that the model was sent."""
    named = ModelSettings(id="seer", provider="scripted", model=MODEL, sees_images=sees_images)
    tools = tools_by_name(callable_tool("picture", picture), callable_tool("drawn", drawn, "mcp"))
    provider.play(calls(("picture", {}), ("drawn", {})), text("A cat."), text("Yes."))
    async with shop_bridge(folder, provider, models=models_file(provider, model=(named,))) as bridge:
        chat = Chat(load_pipe(bridge, **valves), "seer", Browser(weather), tools)
        answers = [await chat.ask("Show me."), await chat.ask("Sure?")]
    return answers, json.dumps([request.body for request in provider.requests])


@pytest.mark.parametrize("persists", [True, False])
async def test_images_are_shown_and_seen(
    tmp_path: Path, provider: ScriptedProvider, *, persists: bool
) -> None:
    """S0-118: of tool servers, and of MCP; the text that stands for them is short."""
    (answer, _), sent = await chat_with_pictures(
        tmp_path, provider, sees_images=True, PERSIST_TOOL_RESULTS=persists
    )
    shown = [item["files"] for item in answer.items("function_call_output")]
    assert shown == [[{"type": "image", "url": PIXEL}]] * 2
    outputs = [item["output"] for item in provider.requests[1].body["input"] if "output" in item]
    assert [output[1] for output in outputs] == [{"type": "input_image", "image_url": PIXEL}] * 2
    assert outputs[1][0]["text"] == '["Look:", "[image]"]'
    assert PIXEL in sent


@pytest.mark.parametrize("persists", [True, False])
async def test_images_go_only_to_models_that_see(
    tmp_path: Path, provider: ScriptedProvider, *, persists: bool
) -> None:
    """Finding I-M2: a provider refuses the request for an image that its model cannot read, and all later."""
    answers, sent = await chat_with_pictures(
        tmp_path, provider, sees_images=False, PERSIST_TOOL_RESULTS=persists
    )
    assert [answer.error for answer in answers] == [None, None]
    assert PIXEL not in sent
    assert "which this model cannot see" in sent
    assert answers[0].items("function_call_output")[0]["files"] == [{"type": "image", "url": PIXEL}]


@pytest.mark.parametrize("cards", ["items", "details"])
async def test_images_of_the_bridges_tools_are_stored_by_open_webui(
    tmp_path: Path, provider: ScriptedProvider, cards: str
) -> None:
    """As files of its own: its history has no megabytes, and in a call it would show its logo instead."""
    seer = ModelSettings(id="seer", provider="scripted", model=MODEL, sees_images=True)
    models = models_file(provider, model=(seer,))
    data_url = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
    async with shop_bridge(tmp_path, provider, models=models) as bridge, aiohttp.ClientSession() as http:
        provider.play(calls(("listProducts", {})), text("A cat."), text("Yes."))
        chat = Chat(load_pipe(bridge, SHOW_TOOL_CARDS=cards), "seer", Browser())
        async with page_of(bridge, bridge.local_user.id, image_answer(bridge, http)):
            message = await chat.ask("Show me.")
        assert [image["image_url"]["url"] for image in message.images] == [data_url]
        assert "data:" not in json.dumps(message.output)
        assert not any(item["files"] for item in message.items("function_call_output"))
        await chat.ask("Sure?")
    (seen,) = [
        item for item in provider.requests[2].body["input"] if item.get("call_id") and "output" in item
    ]
    assert seen["output"][1]["image_url"] == data_url  # from the bridge's memory


async def test_pages_of_results_are_shown_to_the_user_alone(
    bridge: Bridge, provider: ScriptedProvider
) -> None:
    """S2-13: as Open WebUI shows them; the model reads a sentence, or what came beside the page."""

    async def page() -> Any:
        return "<h1>Hi</h1>", {"content-disposition": "inline", "content-type": "text/html"}

    output, answer = await result_of(bridge, provider, callable_tool("page", page))
    assert answer.items("function_call_output")[0]["embeds"] == ["<h1>Hi</h1>"]
    assert output == "page: the result is shown to the user."


async def test_a_result_that_is_too_long_is_cut(bridge: Bridge, provider: ScriptedProvider) -> None:
    """W-05: it says so, and how much is missing."""

    async def long() -> str:
        return "x" * 200_500

    output, _ = await result_of(bridge, provider, callable_tool("long", long, "builtin"))
    assert output.endswith("[Cut: 500 characters more.]")


@pytest.mark.parametrize("approves", [True, False])
async def test_a_chat_that_asks_before_calls_is_asked(
    bridge: Bridge, provider: ScriptedProvider, *, approves: bool
) -> None:
    """W-36: Open WebUI's own setting holds for calls that the pipe runs, too."""
    provider.play(ASK, text("Done."))
    browser = Browser(weather, approves=approves)
    params = {"function_calling": "native", "tool_approval_mode": "ask"}
    await Chat(load_pipe(bridge), MODEL, browser, WEATHER, params=params).ask("Go.")
    assert browser.asked[0]["tool_call"]["arguments"] == {"city": "Paris"}
    assert len(browser.executed) == approves
    if not approves:
        assert "did not approve" in provider.requests[1].body["input"][-1]["output"]


async def test_stop_ends_the_calls_and_the_answer(bridge: Bridge, provider: ScriptedProvider) -> None:
    """W-23, S0-80, S4-17: what waited is cancelled, the last status is done, and the chat goes on."""
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def forever(_name: str, _params: Any) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    provider.play(ASK, text("Never."))
    browser = Browser(forever)
    chat = Chat(load_pipe(bridge), MODEL, browser, WEATHER)
    chat.messages.append({"role": "user", "content": "Go."})
    message = Message()
    chat.messages.append(message)

    async def read() -> None:
        async for _ in chat.coming(message):
            pass

    reading = asyncio.create_task(read())
    await asyncio.wait_for(begun.wait(), 20)
    reading.cancel()
    await asyncio.wait([reading])
    assert cancelled.is_set()
    assert browser.events_of("status")[-1]["done"] is True
    provider.play(text("Hello."))
    answer = await chat.ask("Hello?")
    assert answer.error is None
    kinds = [item.get("type") for item in provider.requests[-1].body["input"]]
    assert "function_call" not in kinds or "function_call_output" in kinds


async def test_stop_while_the_model_speaks_hangs_up(bridge: Bridge, provider: ScriptedProvider) -> None:
    """W-23: the bridge's stream is closed, and with it the provider's."""
    provider.play(script(text("One ", "two ", "three.")).held(asyncio.Event(), after=6))
    chat = Chat(load_pipe(bridge), MODEL, Browser(), messages=[{"role": "user", "content": "Go."}])
    stream = await chat.called(stream=True)
    async for chunk in stream:
        if chunk.get("type") == "response.output_text.delta":
            break
    await stream.aclose()
    await asyncio.wait_for(provider.requests[0].hung_up.wait(), 20)


async def test_stop_aborts_what_the_bridges_page_does(bridge: Bridge, provider: ScriptedProvider) -> None:
    """W-23: the pipe hangs up, and the request in the user's browser is aborted."""
    begun = asyncio.Event()

    async def never(_call: dict[str, Any]) -> None:
        begun.set()

    provider.play(calls(("listProducts", {})), text("Never."))
    chat = Chat(load_pipe(bridge), MODEL, Browser(), messages=[{"role": "user", "content": "Go."}])

    async def read() -> None:
        async for _ in chat.coming(Message()):
            pass

    async with page_of(bridge, bridge.local_user.id, never) as page:
        reading = asyncio.create_task(read())
        await asyncio.wait_for(begun.wait(), 20)
        reading.cancel()
        await asyncio.wait([reading])
        await eventually(lambda: page.cancelled)


async def test_rounds_without_end_are_ended(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S0-57, W-20: calls of the last round are not run, the model answers once more, a notice follows."""
    provider.play(*[ASK] * 3, text("That is all."))
    browser = Browser(weather)
    answer = await Chat(load_pipe(bridge, MAX_FUNCTION_CALL_LOOPS=3), MODEL, browser, WEATHER).ask("Go.")
    assert len(browser.executed) == 2
    assert "TOOL_CALL_SKIPPED" in provider.requests[3].body["input"][-1]["output"]
    assert provider.requests[3].body["tool_choice"] == "none"
    assert re.search(r"That is all\..*The answer stopped early", answer.content, re.DOTALL)
    assert answer.finish_reasons == ["stop"]


async def test_names_that_no_provider_takes_are_changed(bridge: Bridge, provider: ScriptedProvider) -> None:
    """W-02: for the model only; the browser gets the tool's own name."""
    provider.play(calls(("get_weather_now", {"city": "Paris"})), text("Done."))
    browser = Browser(weather)
    tools = tools_by_name(direct("get weather.now", **CITY))
    async with page_of(bridge, bridge.local_user.id, products):
        await Chat(load_pipe(bridge), MODEL, browser, tools).ask("Go.")
    assert browser.executed[0]["name"] == "get weather.now"
