"""Open WebUI as a plugin meets it (0.12.4, read 2026-11-22).

It loads plugins from text, gives them what they ask for by the names of their arguments, takes their streams,
runs the calls that they leave open, keeps chats, and is a browser.

    pipe = with_valves(loaded(text, "Pipe"), BRIDGE_URL=...)
    chat = Chat(pipe, "demo", tools={...}, browser=Browser(...))
    answer = await chat.ask("Which products are there?")
"""

import asyncio
import inspect
import json
import sys
import types
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Set
from dataclasses import dataclass, field
from typing import Any

from tests.support.models.open_webui_history import cancelled, messages_of_answer

Json = dict[str, Any]
MAX_ITERATIONS = 256
"""Of calls that Open WebUI runs itself for one answer; a test that comes this far has failed."""


def loaded(text: str, kind: str) -> Any:
    """An instance of the class `kind` (`Pipe`, `Tools`) of a plugin, from its text alone."""
    facts = frontmatter(text)
    assert "requirements" not in facts, "it would have packages installed"
    name = f"function_{uuid.uuid4().hex}"
    module = types.ModuleType(name)
    sys.modules[name] = module
    exec(compile(text, f"<{facts['title']}>", "exec"), module.__dict__)
    return getattr(module, kind)()


def frontmatter(text: str) -> dict[str, str]:
    """What stands in the docstring that a plugin begins with, in lines `name: value`."""
    lines = text.splitlines()
    assert lines[0] == '"""'
    pairs = [line.partition(":") for line in lines[1 : lines.index('"""', 1)]]
    return {name.strip().lower(): value.strip() for name, _, value in pairs if value}


def with_valves(plugin: Any, **valves: Any) -> Any:
    """The plugin with the administrator's settings."""
    plugin.valves = plugin.Valves(**valves)
    return plugin


@dataclass
class Browser:
    """A tab of Open WebUI: runs direct tools, answers confirmations, is shown events."""

    answer: Callable[[str, Json], Awaitable[Any]] | None = None
    """Gives the ack of `execute:tool` for a name and parameters."""
    approves: bool = True
    events: list[Json] = field(default_factory=list[Json])
    executed: list[Json] = field(default_factory=list[Json])
    asked: list[Json] = field(default_factory=list[Json])

    async def emit(self, event: Json) -> None:
        self.events.append(json.loads(json.dumps(event)))

    async def call(self, event: Json) -> Any:
        json.dumps(event)
        if event["type"] == "confirmation":
            self.asked.append(event["data"])
            return self.approves
        assert event["type"] == "execute:tool"
        self.executed.append(event["data"])
        assert self.answer is not None
        return await self.answer(event["data"]["name"], event["data"]["params"])

    def events_of(self, kind: str) -> list[Json]:
        return [event["data"] for event in self.events if event["type"] == kind]


@dataclass
class Message:
    """One of the assistant's, as it is stored."""

    output: list[Json] = field(default_factory=list[Json])
    error: Any = None
    usage: Json = field(default_factory=dict[str, Any])
    images: list[Json] = field(default_factory=list[Json])
    """Images that it stores as files of its own."""
    chunks: list[Json] = field(default_factory=list[Json])
    """All that the pipe gave."""

    text: str = ""
    """Its text where it has no items."""

    @property
    def content(self) -> str:
        texts = ["".join(p.get("text", "") for p in item["content"]) for item in self.items("message")]
        return "\n".join(text for text in texts if text.strip())

    def items(self, kind: str) -> list[Json]:
        return [item for item in self.output if item["type"] == kind]

    @property
    def finish_reasons(self) -> list[str]:
        choices = [choice for chunk in self.chunks for choice in chunk.get("choices", ())]
        return [choice["finish_reason"] for choice in choices if choice.get("finish_reason")]


def direct(name: str, **properties: Any) -> Json:
    """A tool of a direct tool server, as `__tools__` has it."""
    parameters = {"type": "object", "properties": properties}
    spec = {"type": "function", "name": name, "description": f"Does {name}.", "parameters": parameters}
    return {
        "spec": spec,
        "direct": True,
        "server": {"url": "http://127.0.0.1:9", "openapi": {}, "info": {"title": "S"}},
    }


def callable_tool(name: str, run: Any, kind: str = "external", **properties: Any) -> Json:
    """A tool that Open WebUI's server runs."""
    parameters = {"type": "object", "properties": properties}
    spec = {"name": name, "description": f"Does {name}.", "parameters": parameters}
    return {"tool_id": f"server:{name}", "callable": run, "spec": spec, "type": kind}


@dataclass
class Chat:
    """A chat with one model of a pipe."""

    pipe: Any
    model: str
    browser: Browser | None = None
    tools: Json = field(default_factory=dict[str, Any])
    user: Json = field(
        default_factory=lambda: {"id": "u-1", "name": "Ada Admin", "email": "ada@example.test"}
    )
    own_valves: Json = field(default_factory=dict[str, Any])
    params: Json = field(default_factory=lambda: {"function_calling": "native"})
    body: Json = field(default_factory=dict[str, Any])
    """More members of the request."""
    messages: list[Json | Message] = field(default_factory=list[Any])
    chat_id: str = field(default_factory=lambda: str(uuid.uuid4()))

    async def ask(self, text: str) -> Message:
        """Send a message, and the answer to its end."""
        self.messages.append({"role": "user", "content": text})
        return await self.answer()

    async def answer(self) -> Message:
        """Answer what stands last."""
        message = Message()
        self.messages.append(message)
        async for _ in self.coming(message):
            pass
        return message

    async def coming(self, message: Message) -> AsyncGenerator[Json]:
        """The chunks of an answer, which is stored in `message`. Closing it is the stop button."""
        for _ in range(MAX_ITERATIONS):
            handed: dict[int, Json] = {}
            stream = await self.called(stream=True, before=message)
            before = len(message.output)
            try:
                async for given in stream:
                    chunk = json.loads(json.dumps(given))
                    message.chunks.append(chunk)
                    await self._take(message, chunk, handed, before)
                    yield chunk
            except (GeneratorExit, asyncio.CancelledError):
                cancelled(message.output)
                raise
            finally:
                await stream.aclose()
            if not await self._run_open_calls(message, handed):
                return
        raise AssertionError("Open WebUI ran calls without end")

    async def called(self, *, stream: bool, task: str | None = None, before: Message | None = None) -> Any:
        """What the pipe returns."""
        history = [each for each in self.messages if each is not before] + ([before] if before else [])
        body: Json = {
            "model": f"a_function.{self.model}",
            "messages": [sent for each in history for sent in _sent(each)],
            "stream": stream,
            **self.body,
        }
        if self.tools and self.params.get("function_calling") != "legacy":
            body["tools"] = [{"type": "function", "function": tool["spec"]} for tool in self.tools.values()]
        own = self.pipe.UserValves(**self.own_valves) if hasattr(self.pipe, "UserValves") else None
        given: Json = {
            "body": body,
            "__user__": {**self.user, "valves": own},
            "__metadata__": self.metadata(),
            "__tools__": self.tools,
            "__task__": task,
            "__event_emitter__": self.browser.emit if self.browser else None,
            "__event_call__": self.browser.call if self.browser else None,
            "__files__": [],
            "__chat_id__": self.chat_id,
            "__session_id__": "sid-1",
            "__message_id__": "m-1",
            "__request__": object(),
        }
        wanted = inspect.signature(self.pipe.pipe).parameters
        return await self.pipe.pipe(**{name: value for name, value in given.items() if name in wanted})

    def metadata(self) -> Json:
        direct_tools = [tool for tool in self.tools.values() if tool.get("direct")]
        servers = [{**tool["server"], "specs": [tool["spec"]]} for tool in direct_tools]
        return {
            "chat_id": self.chat_id,
            "message_id": "m-1",
            "session_id": "sid-1" if self.browser else None,
            "tool_servers": servers,
            "tools": self.tools,
            "tool_ids": [],
            "params": self.params,
            "model": {"id": f"a_function.{self.model}", "name": self.model},
        }

    async def _take(self, message: Message, chunk: Json, handed: dict[int, Json], before: int) -> None:
        if "event" in chunk and self.browser:
            await self.browser.emit(chunk["event"])
        if chunk.get("type", "").startswith("response."):
            _reduce(message, chunk, before)
            return
        if chunk.get("usage"):
            message.usage = chunk["usage"]
        if not chunk.get("choices"):
            message.error = chunk.get("error") or message.error
            return
        told = chunk["choices"][0]["delta"]
        calls: list[Json] = told.get("tool_calls") or []
        for call in calls:
            handed[call["index"]] = call
        message.images += told.get("images") or []
        if told.get("content"):
            if not message.output or message.output[-1]["type"] != "message":
                message.output.append({"type": "message", "content": [{"type": "output_text", "text": ""}]})
            message.output[-1]["content"][-1]["text"] += told["content"]

    async def _run_open_calls(self, message: Message, handed: dict[int, Json]) -> bool:
        """Run what the pipe left to run; whether there was anything."""
        for call in handed.values():
            function = call["function"]
            item = {"type": "function_call", "call_id": call["id"], "id": call["id"], **function}
            message.output.append(item)
        done = {item["call_id"] for item in message.items("function_call_output")}
        calls = [call for call in message.items("function_call") if call["call_id"] not in done]
        for call in calls:
            text = json.dumps(await self._executed(call["name"], json.loads(call["arguments"])))
            call["status"] = "completed"
            part = {"type": "input_text", "text": text}
            output = {"type": "function_call_output", "call_id": call["call_id"], "output": [part]}
            message.output.append({**output, "status": "completed"})
        return bool(calls)

    async def _executed(self, name: str, params: Json) -> Any:
        tool = self.tools.get(name)
        if tool is None:
            return f'Error: Tool "{name}" not found.'
        if not tool.get("direct"):
            return (await tool["callable"](**params))[0]
        assert self.browser is not None
        data = {"id": str(uuid.uuid4()), "name": name, "params": params, "server": tool["server"]}
        return (await self.browser.call({"type": "execute:tool", "data": {**data, "session_id": "sid-1"}}))[0]


def _reduce(message: Message, event: Json, before: int) -> None:
    """An event of a response, as Open WebUI takes it into the items of a message."""
    kind, output = event["type"], message.output
    if kind == "response.completed":
        message.usage = event["response"].get("usage") or message.usage
        if replaced := event["response"].get("output"):
            message.output[before:] = replaced
        return
    if not isinstance(event.get("output_index"), int):
        return
    place: int = event["output_index"] + before
    if kind == "response.output_item.added":
        output.insert(place, event["item"])
    elif kind == "response.output_item.done":
        output[place : place + 1] = [event["item"]]
    elif kind == "response.content_part.added":
        item: Any = output[place]
        item.setdefault("content", []).append(event["part"])
    elif kind == "response.output_text.delta":
        output[place]["content"][event["content_index"]]["text"] += event["delta"]


def _sent(message: "Json | Message") -> list[Json]:
    """What a model is sent of a message."""
    return messages_of_answer(message.output, message.text) if isinstance(message, Message) else [message]


def tools_by_name(*tools: Json) -> dict[str, Json]:
    """As `__tools__` has them."""
    return {tool["spec"]["name"]: tool for tool in tools}


def only_known_packages(text: str, known: Set[str]) -> list[str]:
    """Top packages that a plugin imports beyond the standard library and `known`."""
    lines = [
        line.split()[1].partition(".")[0]
        for line in text.splitlines()
        if line.startswith(("import ", "from "))
    ]
    return sorted({name for name in lines if name not in sys.stdlib_module_names and name not in known})
