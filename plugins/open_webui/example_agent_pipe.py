"""
title: Agent (example)
author: Direct Tool Bridge contributors
version: 0.1.0
license: MIT
description: How an agent of another framework, which runs its own tools, is shown. LangChain's messages.
"""

import html
import json
from collections.abc import AsyncGenerator, AsyncIterable
from typing import Any

FINISH: dict[str, Any] = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


class Pipe:
    """An agent as a model of Open WebUI. Give it your own agent in place of `agent`."""

    agent: Any = None
    """Has `astream(input, stream_mode=[...])`, as LangChain's and LangGraph's agents have."""

    async def pipe(self, body: dict[str, Any]) -> AsyncGenerator[str | dict[str, Any]]:
        """The agent's answer, as it comes."""
        stream = self.agent.astream({"messages": body["messages"]}, stream_mode=["updates", "messages"])
        return shown(stream)


async def shown(stream: AsyncIterable[Any]) -> AsyncGenerator[str | dict[str, Any]]:
    """What Open WebUI is given for messages of an agent: text, blocks of calls, and one end on every path.

    The agent has run its tools: calls of its model are never handed on, or Open WebUI would run them again.
    """
    try:
        async for mode, told in stream:
            if mode != "messages":
                continue
            message = told[0]
            kind = type(message).__name__
            if kind == "ToolMessage":
                yield block(message)
            elif kind == "AIMessageChunk" and isinstance(message.content, str) and message.content:
                yield message.content
    finally:
        yield FINISH


def block(message: Any) -> str:
    """A call that was run, in the form that Open WebUI reads in texts; nothing within it can end it."""
    arguments = html.escape(json.dumps(getattr(message, "args", None) or {}))
    result = html.escape(json.dumps(message.content, ensure_ascii=False, default=str))
    name = html.escape(str(message.name))
    call_id = html.escape(str(message.tool_call_id))
    return (
        f'\n<details type="tool_calls" done="true" id="{call_id}" name="{name}" arguments="{arguments}">\n'
        f"<summary>Tool Executed</summary>\n{result}\n</details>\n"
    )
