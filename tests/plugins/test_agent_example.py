"""The example of an agent of another framework as a Pipe."""

import html
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from plugins.open_webui.assemble import HERE
from tests.support.fake_open_webui import loaded

pytestmark = pytest.mark.asyncio
TEXT = (HERE / "example_agent_pipe.py").read_text(encoding="utf-8")


@dataclass
class AIMessageChunk:
    """As LangChain's."""

    content: str
    tool_calls: list[Any] = field(default_factory=list[Any])


@dataclass
class ToolMessage:
    """As LangChain's."""

    content: Any
    tool_call_id: str
    name: str
    args: dict[str, Any]


class Agent:
    """Streams what it is given, then fails if it is to."""

    def __init__(self, *messages: Any, fails: bool = False) -> None:
        self.messages = messages
        self.fails = fails

    async def astream(self, _input: Any, stream_mode: list[str]) -> AsyncIterator[Any]:
        yield stream_mode[0], {"agent": {}}
        for message in self.messages:
            yield "messages", (message, {})
        if self.fails:
            raise ValueError("the agent failed")


async def test_an_agents_messages_are_text_and_blocks() -> None:
    """S2-11, S2-06, S2-10: words, a block, words, one end; calls of its model are not handed on."""
    pipe = loaded(TEXT, "Pipe")
    pipe.agent = Agent(
        AIMessageChunk("Looking… "),
        AIMessageChunk("", tool_calls=[{"name": "get"}]),
        ToolMessage({"t": "</details>"}, 'c"1', "get", {"q": '"<b>'}),
        AIMessageChunk("Done."),
    )
    items = [item async for item in await pipe.pipe({"messages": []})]
    assert (items[0], items[2]) == ("Looking… ", "Done.")
    assert items[3:] == [{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}]
    assert json.loads(html.unescape(items[1].split('arguments="')[1].split('"')[0])) == {"q": '"<b>'}
    assert items[1].count("</details>") == 1
    assert 'id="c&quot;1"' in items[1]


async def test_an_agent_that_fails_still_ends_its_stream() -> None:
    """S2-11, S2-04, W-31: the one end comes on this path, too."""
    pipe = loaded(TEXT, "Pipe")
    pipe.agent = Agent(AIMessageChunk("Half."), fails=True)
    items: list[Any] = []

    async def read() -> None:
        async for item in await pipe.pipe({"messages": []}):
            items.append(item)

    with pytest.raises(ValueError, match="the agent failed"):
        await read()
    assert items[-1]["choices"][0]["finish_reason"] == "stop"
