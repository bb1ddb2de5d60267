"""How a test speaks with a client's program: one JSON object a line, commands in, what came of them out.

`{"list": true}` or `{"call": NAME, "arguments": {…}}`; one that is `"stoppable": true` ends at the next line.
A call's progress comes as `{"progress": MESSAGE}` before its ending.
"""

import asyncio
import base64
import json
import os
import sys
from typing import Any, Protocol


class Connected(Protocol):
    """A client that has opened its connection."""

    async def list_tools(self) -> list[dict[str, Any]]:
        """Of each tool: name and input schema."""
        ...

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The ending, as `ending` makes it; progress goes to `report_progress`."""
        ...


def bridge_url() -> str:
    """Where the endpoint is."""
    return os.environ["BRIDGE_URL"]


def key_header() -> dict[str, str]:
    """The header that carries the key."""
    return {"Authorization": f"Bearer {os.environ['BRIDGE_KEY']}"}


def say(line: dict[str, Any]) -> None:
    """One line for the test."""
    print(json.dumps(line), flush=True)


def ending(content: list[Any], *, is_error: bool, mime: str) -> dict[str, Any]:
    """What a call ended with; `mime`: what this client calls the type of an image."""
    texts = [block.text for block in content if block.type == "text"]
    images = [
        {"mime": getattr(block, mime), "bytes": len(base64.b64decode(block.data))}
        for block in content
        if block.type == "image"
    ]
    return {"text": "\n".join(texts), "images": images, "is_error": is_error}


async def report_progress(_progress: float, _total: float | None, message: str | None, *_more: Any) -> None:
    """Tell the test at once: the API may be waiting for it."""
    say({"progress": message})


async def obey(client: Connected, version: str | None) -> None:
    """Do as the test says until it has nothing more to say."""
    say({"ready": version})
    lines = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := await lines.readline():
        command = json.loads(line)
        if "list" in command:
            say({"tools": await client.list_tools()})
        else:
            say(await _call_or_stop(client, command, lines))


async def _call_or_stop(
    client: Connected, command: dict[str, Any], lines: asyncio.StreamReader
) -> dict[str, Any]:
    """The ending of a call, which the next line stops."""
    calling = asyncio.ensure_future(client.call_tool(command["call"], command["arguments"]))
    stopping = asyncio.ensure_future(lines.readline()) if command.get("stoppable") else None
    await asyncio.wait({calling, *([stopping] if stopping else [])}, return_when=asyncio.FIRST_COMPLETED)
    if stopping is None or calling.done():
        return await calling
    calling.cancel()
    await asyncio.wait({calling})
    return {"stopped": calling.cancelled()}
