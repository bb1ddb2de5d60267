"""The Pipe in a stand-in for Open WebUI, against a real bridge."""

from pathlib import Path
from typing import Any

import pytest

from bridge.service import Bridge
from tests.support.model_answers import calls, text
from tests.support.models import MODEL
from tests.support.open_webui_stand_in import Browser, Chat, direct, loaded, tools_by_name, with_valves
from tests.support.scripted_provider import ScriptedProvider

pytestmark = pytest.mark.asyncio

TEXT = (Path(__file__).parents[2] / "plugins/open_webui/tool_bridge_pipe.py").read_text(encoding="utf-8")


def pipe_of(bridge: Bridge, **valves: Any) -> Any:
    return with_valves(loaded(TEXT, "Pipe"), BRIDGE_URL=bridge.base_url, BRIDGE_KEY=bridge.key, **valves)


async def weather(_name: str, params: dict[str, Any]) -> Any:
    return [{"city": params.get("city"), "temp": 22}, {"content-type": "application/json"}]


async def test_a_direct_tool_runs_in_open_webuis_browser(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S0-110: one call, one answer."""
    provider.play(calls(("get_weather", {"city": "Paris"})), text("It is 22 degrees."))
    browser = Browser(weather)
    chat = Chat(
        pipe_of(bridge), MODEL, browser, tools_by_name(direct("get_weather", city={"type": "string"}))
    )
    answer = await chat.ask("How is the weather?")
    assert answer.error is None
    assert [call["params"] for call in browser.executed] == [{"city": "Paris"}]
    assert "It is 22 degrees." in answer.content
