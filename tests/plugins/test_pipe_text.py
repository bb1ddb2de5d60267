"""The Pipe's other forms (text, whole answers, calls for Open WebUI), who asks, and its failures."""

import html
import json
import re
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import jwt
import pytest
from aiohttp import web

from bridge.app.server import Bridge
from tests.support.fake_open_webui import (
    Browser,
    Chat,
    callable_tool,
    direct,
    loaded,
    tools_by_name,
    with_valves,
)
from tests.support.forwarded_users import SECRET
from tests.support.loaded_plugins import CITY, PIPE, load_pipe, weather
from tests.support.models.model_answers import calls, reasoning, text
from tests.support.models.model_bridge import MODEL, products
from tests.support.models.scripted_provider import ScriptedProvider, fails, script
from tests.support.running_bridge import page_of
from tests.support.web_servers import serving

pytestmark = pytest.mark.asyncio

WEATHER = tools_by_name(direct("get_weather", **CITY))
ASK = calls(("get_weather", {"city": "Paris"}))
BLOCK = re.compile(
    r'^<details type="tool_calls" done="true" id="(.*?)" name="(.*?)" arguments="(.*?)"(?: files="(.*?)")?>\n'
    r"<summary>Tool Executed</summary>\n(.*?)\n</details>\n",
    re.MULTILINE | re.DOTALL,
)


async def test_calls_as_blocks_of_details(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S2-03, S2-08, S2-09, S2-10, S2-12, W-31: words, block, words, an end; nothing can end the block."""
    nasty = "</details>\n<script>\"&'"

    async def answer(_name: str, params: Any) -> Any:
        return [{"said": params["city"]}, {}]

    provider.play(text("Looking it up… ") + calls(("get_weather", {"city": nasty})), text("Done."))
    message = await Chat(load_pipe(bridge, SHOW_TOOL_CARDS="details"), MODEL, Browser(answer), WEATHER).ask(
        "Go."
    )
    (found,) = BLOCK.findall(message.content)
    assert json.loads(html.unescape(found[2])) == {"city": nasty}
    assert json.loads(html.unescape(found[4])) == {"said": nasty}
    assert message.content.count("</details>") == 1
    assert re.search(r"Looking it up….*<details.*</details>.*Done\.", message.content, re.DOTALL)
    assert not message.items("function_call")
    assert all(chunk.keys() <= {"choices", "usage"} for chunk in message.chunks)
    assert message.finish_reasons == ["stop"]


async def test_a_block_holds_the_result_as_json_and_files_only_where_there_are_some(
    bridge: Bridge, provider: ScriptedProvider
) -> None:
    """S2-12: a text is a JSON string, as Open WebUI reads it back; `files` is missing for lack of any."""

    async def answer(_name: str, params: Any) -> Any:
        return [f'Söme "words" of {params["city"]}', {}]

    provider.play(calls(("get_weather", {"city": "Rome"})), text("Done."))
    chat = Chat(load_pipe(bridge, SHOW_TOOL_CARDS="details"), MODEL, Browser(answer), WEATHER)
    message = await chat.ask("Go.")
    (found,) = BLOCK.findall(message.content)
    assert json.loads(html.unescape(found[4])) == 'Söme "words" of Rome'
    assert "files=" not in message.content


async def test_blocks_stand_in_the_order_of_the_calls(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S2-12: also where the bridge has run the second of two long before Open WebUI runs the first."""
    provider.play(calls(("get_weather", {"city": "Rome"}), ("listProducts", {})), text("Tea."))
    chat = Chat(load_pipe(bridge, SHOW_TOOL_CARDS="details"), MODEL, Browser(weather), WEATHER)
    async with page_of(bridge, bridge.local_user.id, products):
        message = await chat.ask("Go.")
    assert [found[1] for found in BLOCK.findall(message.content)] == ["get_weather", "listProducts"]
    assert message.content.rindex("</details>") < message.content.index("Tea.")


async def test_the_bridges_own_calls_are_blocks_too(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S2-08: by the same form, and in no next input."""
    provider.play(calls(("listProducts", {})), text("Tea."), text("Yes."))
    chat = Chat(load_pipe(bridge, SHOW_TOOL_CARDS="details"), MODEL, Browser())
    async with page_of(bridge, bridge.local_user.id, products):
        answer = await chat.ask("Which?")
    assert 'name="listProducts"' in answer.content
    await chat.ask("Sure?")
    assert "<details" not in json.dumps(provider.requests[2].body)


@pytest.mark.parametrize("cards", ["details", "off"])
async def test_the_next_turn_knows_what_texts_do_not_show(
    bridge: Bridge, provider: ScriptedProvider, cards: str
) -> None:
    """S4-16, S4-19: markers name results of Open WebUI's tools, too; two calls, in their order."""
    ask = calls(("get_weather", {"city": "Paris"}), ("get_weather", {"city": "Rome"}))
    provider.play(reasoning("Hm.") + ask, text("Both 22."), text("Yes."))
    chat = Chat(load_pipe(bridge, SHOW_TOOL_CARDS=cards), MODEL, Browser(weather), WEATHER)
    await chat.ask("How warm?")
    await chat.ask("Sure?")
    before, after = provider.requests[1].body["input"], provider.requests[2].body["input"]
    assert after[: len(before)] == before
    assert [item.get("type") for item in after[len(before) :]] == ["message", "message"]


async def test_calls_need_not_be_shown(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S0-148, S0-150: neither as items nor as text; beside the answer come statuses only."""
    provider.play(ASK, text("It is 22 degrees."))
    browser = Browser(weather)
    answer = await Chat(load_pipe(bridge, SHOW_TOOL_CARDS="off"), MODEL, browser, WEATHER).ask("Go.")
    assert len(browser.executed) == 1
    assert not answer.items("function_call")
    assert "<details" not in answer.content
    assert {event["type"] for event in browser.events} == {"status"}


@pytest.mark.parametrize("cards", ["items", "details", "off"])
async def test_an_answer_without_a_stream_is_its_text(
    bridge: Bridge, provider: ScriptedProvider, cards: str
) -> None:
    """S2-01, S2-02: a str, after all calls have run."""
    provider.play(ASK, text("It is 22 degrees."))
    chat = Chat(
        load_pipe(bridge, SHOW_TOOL_CARDS=cards, PERSIST_TOOL_RESULTS=False), MODEL, Browser(weather), WEATHER
    )
    chat.messages.append({"role": "user", "content": "Go."})
    answer = await chat.called(stream=False)
    assert answer.endswith("It is 22 degrees.")
    assert ("<details" in answer) is (cards == "details")


async def test_reasoning_is_no_text(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S4-02: they have their own place in both forms, and are no part of the next input's texts."""
    for cards in ("items", "details"):
        provider.play(reasoning("Hm.") + text("Hi."))
        pipe = load_pipe(bridge, SHOW_TOOL_CARDS=cards)
        answer = await Chat(pipe, MODEL, Browser()).ask("Hi")
        assert "Hm." not in answer.content
        assert "Hm." in json.dumps(answer.chunks)


async def test_open_webui_runs_the_calls_if_it_is_to(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S0-45, S2-07: handed over with whole arguments; what comes back goes on the same turn."""
    provider.play(ASK, text("It is 22 degrees."))
    browser = Browser(weather)
    chat = Chat(load_pipe(bridge, TOOL_EXECUTION_MODE="Open-WebUI"), MODEL, browser, WEATHER)
    answer = await chat.ask("Go.")
    handed = [
        c
        for chunk in answer.chunks
        for o in chunk.get("choices", ())
        for c in o["delta"].get("tool_calls", ())
    ]
    assert [(call["function"]["name"], call["function"]["arguments"]) for call in handed] == [
        ("get_weather", '{"city": "Paris"}')
    ]
    assert answer.finish_reasons == ["tool_calls", "stop"]
    assert len(browser.executed) == 1
    assert [item.get("type") for item in provider.requests[1].body["input"]][1:] == [
        "function_call",
        "function_call_output",
    ]


async def test_tools_of_the_caller_of_open_webui_are_his_to_run(
    bridge: Bridge, provider: ScriptedProvider
) -> None:
    """S2-07: a program that asks Open WebUI with tools of its own gets their calls, streamed or not."""
    own = [{"type": "function", "function": {"name": "mine", "parameters": {"type": "object"}}}]
    provider.play(calls(("mine", {})))
    chat = Chat(load_pipe(bridge), MODEL, None, body={"tools": own})
    chat.messages.append({"role": "user", "content": "Go."})
    answer = await chat.called(stream=False)
    assert answer["choices"][0]["finish_reason"] == "tool_calls"
    assert answer["choices"][0]["message"]["tool_calls"][0]["function"] == {"name": "mine", "arguments": "{}"}


async def test_a_bridge_that_is_away_is_said_in_a_sentence(bridge: Bridge) -> None:
    """S2-04, W-31: not by a traceback; the stream has its end, the status too; whole answers say the same."""
    browser = Browser()
    chat = Chat(load_pipe(bridge, BRIDGE_URL="http://127.0.0.1:9"), MODEL, browser)
    answer = await chat.ask("Hi")
    assert "does not answer" in answer.error["message"]
    assert answer.finish_reasons == ["stop"]
    assert browser.events_of("status")[-1]["done"] is True
    assert "does not answer" in await chat.called(stream=False)


@pytest.mark.parametrize("valves", [{"BRIDGE_KEY": "tbk_wrong"}, {}])
async def test_a_refusal_is_said_in_the_bridges_words(
    bridge: Bridge, provider: ScriptedProvider, valves: dict[str, str]
) -> None:
    """S0-156: a wrong key, a provider that fails."""
    provider.play(*[fails(400, "The chat is too long.")] * 3)
    answer = await Chat(load_pipe(bridge, **valves), MODEL, Browser()).ask("Hi")
    said = answer.error["message"]
    assert ("401" in said) if valves else ("The chat is too long." in said)
    assert "Traceback" not in json.dumps(answer.chunks)


async def test_what_was_said_before_a_failure_stays(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S2-04, W-22: the text so far, the reason, one end; a call that has no result is not left to be run."""
    provider.play(script(text("One ", "two.")).dropped(after=6))
    answer = await Chat(load_pipe(bridge), MODEL, Browser()).ask("Hi")
    assert "One " in answer.content
    assert answer.error
    assert answer.finish_reasons == ["stop"]


async def test_a_cut_off_answer_runs_none_of_its_calls(bridge: Bridge, provider: ScriptedProvider) -> None:
    """W-22: its text stands, and Open WebUI has nothing to run."""
    provider.play((text("Half") + ASK).ending_in("length"))
    browser = Browser(weather)
    answer = await Chat(load_pipe(bridge), MODEL, browser, WEATHER).ask("Hi")
    assert "Half" in answer.content
    assert browser.events_of("notification")[0]["content"].startswith("The answer is cut off: ")
    assert browser.executed == []
    assert len(answer.items("function_call")) == len(answer.items("function_call_output"))


async def test_the_bridge_knows_who_asks(bridge: Bridge) -> None:
    """S0-117: a forwarder's key with a user, signed where there is a secret; or the user's own key."""
    seen: list[Mapping[str, str]] = []

    async def note(request: web.Request) -> web.Response:
        seen.append(request.headers)
        return web.json_response({"error": {"message": "Noted."}}, status=400)

    app = web.Application()
    app.router.add_post("/v1/responses", note)
    async with serving(app) as address:
        for valves, own in (({"USER_JWT_SECRET": SECRET}, {}), ({}, {}), ({}, {"BRIDGE_KEY": "tbk_mine"})):
            pipe = load_pipe(bridge, BRIDGE_URL=address, BRIDGE_KEY="tbk_all", **valves)
            answer = await Chat(pipe, MODEL, Browser(), own_valves=own).ask("Hi")
            assert "Noted." in answer.error["message"]
    claims = jwt.decode(seen[0]["X-OpenWebUI-User-Jwt"], SECRET, ["HS256"], issuer="open-webui")
    assert (claims["sub"], claims["name"]) == ("u-1", "Ada Admin")
    assert (seen[1]["Authorization"], seen[1]["X-OpenWebUI-User-Id"]) == ("Bearer tbk_all", "u-1")
    assert seen[2]["Authorization"] == "Bearer tbk_mine"
    assert not {"X-OpenWebUI-User-Id", "X-OpenWebUI-User-Jwt"} & seen[2].keys()
    assert seen[2]["X-OpenWebUI-Chat-Id"]


async def test_open_webuis_own_secret_signs_and_is_not_shown(
    bridge: Bridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S0-117: forms of settings show defaults, and not only to administrators."""
    monkeypatch.setenv("FORWARD_USER_INFO_HEADER_JWT_SECRET", SECRET)
    pipe = load_pipe(bridge)
    assert SECRET not in json.dumps(pipe.Valves.model_json_schema())
    assert pipe.valves.USER_JWT_SECRET == ""
    headers = sys.modules[type(pipe).__module__].who_asks({"id": "u-1"}, "tbk_all", "")
    assert jwt.decode(headers["X-OpenWebUI-User-Jwt"], SECRET, ["HS256"], issuer="open-webui")["sub"] == "u-1"


async def test_a_log_is_cited_where_it_is_wanted(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S4-12: by the administrator or the user; Open WebUI shows it as a source."""
    provider.play(text("Hi."))
    browser = Browser()
    await Chat(load_pipe(bridge), MODEL, browser, own_valves={"LOG_LEVEL": "DEBUG"}).ask("Hi")
    assert browser.events_of("source")[0]["source"]["name"] == "Debug Logs"


class Records:
    """Open WebUI's records of models."""

    def __init__(self, *, has_record: bool) -> None:
        self.has_record = has_record
        self.written: list[dict[str, Any]] = []

    async def get_model_by_id(self, model_id: str) -> Any:
        facts = {"id": model_id, "name": "Mine", "params": {"function_calling": "legacy", "temperature": 1}}
        record = ModuleType("record")
        record.id, record.model_dump = model_id, lambda: facts  # pyright: ignore[reportAttributeAccessIssue]
        return record if self.has_record else None

    async def update_model_by_id(self, model_id: str, form: dict[str, Any]) -> Any:
        self.written.append(form)
        return model_id


@pytest.mark.parametrize("has_record", [True, False])
async def test_a_model_is_switched_to_native_function_calling(
    bridge: Bridge, provider: ScriptedProvider, *, has_record: bool
) -> None:
    """S0-12, S4-01: its record is changed, the user asked to try again; or told what to do himself."""
    records = Records(has_record=has_record)
    pipe = with_valves(loaded(PIPE, "Pipe"), BRIDGE_URL=bridge.base_url, BRIDGE_KEY=bridge.key)
    module = sys.modules[type(pipe).__module__]
    module.Models, module.ModelForm = records, dict  # pyright: ignore[reportAttributeAccessIssue]
    provider.play(text("Hi."))
    browser = Browser(weather)
    await Chat(pipe, MODEL, browser, WEATHER, params={"function_calling": "legacy"}).ask("Hi")
    (toast,) = browser.events_of("notification")
    if has_record:
        assert records.written[0]["params"] == {"function_calling": "native", "temperature": 1}
        assert toast["type"] == "info"
        assert toast["content"].startswith("Enabling native function calling for model:")
    else:
        assert toast["type"] == "warning"
    assert "tools" not in provider.requests[0].body


async def test_tools_that_are_none_are_left_out(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S0-04, S0-08, S0-09: one malformed entry costs itself; servers' specs count where there is no entry."""

    async def fine() -> str:
        return "fine"

    tools: dict[str, Any] = {"bad": 5, "worse": {}, **tools_by_name(callable_tool("fine", fine))}
    provider.play(text("Hi."))
    browser = Browser(weather)
    chat = Chat(load_pipe(bridge), MODEL, browser)
    servers = [5, {"url": "http://x", "specs": [WEATHER["get_weather"]["spec"], 7]}]
    body = {"model": f"f.{MODEL}", "messages": [{"role": "user", "content": "Hi"}], "stream": False}
    metadata = {**chat.metadata(), "tool_servers": servers}
    answer = await chat.pipe.pipe(
        body, __user__=chat.user, __metadata__=metadata, __tools__=tools, __event_call__=browser.call
    )
    assert "Hi." in answer
    assert [tool["name"] for tool in provider.requests[0].body["tools"]] == ["get_weather", "fine"]
