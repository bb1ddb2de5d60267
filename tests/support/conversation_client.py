"""A client of one conversation, and listeners to its events, over plain HTTP."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from bridge.app.server import Bridge

Json = dict[str, Any]


@dataclass
class ConversationClient:
    """One conversation of one user."""

    base_url: str
    http: aiohttp.ClientSession
    key: str
    id: str = ""

    async def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Json]:
        """Any request; the status and the JSON of its answer."""
        headers = {"Authorization": f"Bearer {self.key}"}
        async with self.http.request(method, self.base_url + path, json=body, headers=headers) as response:
            return response.status, await response.json()

    async def of(self, method: str, path: str = "", body: Any = None, *, status: int = 200) -> Json:
        """A request about the conversation that must have that status."""
        seen, answer = await self.ask(method, f"/conversations/{self.id}{path}", body)
        assert seen == status, answer
        return answer

    async def say(self, content: str | None, *, status: int = 200, **more: Any) -> Json:
        """Say something, and wait for the answer."""
        return await self.of("POST", "/chat", {"content": content, **more}, status=status)

    async def begin(self, content: str | None, **more: Any) -> Json:
        """Say something that is answered in the background."""
        return await self.say(content, status=202, background=True, **more)

    async def messages(self) -> list[Json]:
        """The current branch."""
        return (await self.of("GET", "/messages"))["messages"]

    async def facts(self) -> Json:
        """The conversation itself."""
        return (await self.of("GET"))["conversation"]


@asynccontextmanager
async def open_conversation(
    bridge: Bridge, key: str | None = None, **settings: Any
) -> AsyncGenerator[ConversationClient]:
    """A new conversation, with all that its user has accepted unless the test says otherwise."""
    async with aiohttp.ClientSession() as http:
        client = ConversationClient(bridge.base_url, http, key or bridge.key)
        wanted = {"tools": "accepted", **settings}
        status, answer = await client.ask("POST", "/conversations", wanted)
        assert status == 201, answer
        client.id = answer["conversation"]["id"]
        yield client


@dataclass
class Listener:
    """What one listener of a conversation has been told."""

    events: list[Json] = field(default_factory=list[Json])
    """Envelopes, with `id` added where the event has one."""
    is_over: bool = False
    """The bridge has ended the stream."""

    def of(self, *types: str) -> list[Json]:
        """The data of the events of these types."""
        return [event["data"] for event in self.events if event["type"] in types]

    @property
    def types(self) -> list[str]:
        return [event["type"] for event in self.events]

    @property
    def text(self) -> str:
        """All that the model was heard to say."""
        return "".join(data["delta"] for data in self.of("text_delta"))

    @property
    def last_id(self) -> int:
        return self.events[-1]["id"]

    def has(self, kind: str) -> bool:
        return kind in self.types


@asynccontextmanager
async def listen_to_events(
    client: ConversationClient, *, after: int | None = None, path: str = "/conversations/{id}/events"
) -> AsyncGenerator[Listener]:
    """A listener that hears until its context is left; it has been greeted when this begins."""
    listener, connected = Listener(), asyncio.Event()
    headers = {"Authorization": f"Bearer {client.key}"}
    if after is not None:
        headers["Last-Event-ID"] = str(after)
    url = client.base_url + path.format(id=client.id)
    timeout = aiohttp.ClientTimeout(total=None)
    async with (
        aiohttp.ClientSession(timeout=timeout) as http,
        http.get(url, headers=headers) as response,
        asyncio.TaskGroup() as group,
    ):
        assert response.status == 200, await response.text()
        hearing = group.create_task(_read_events(response, listener, connected))
        async with asyncio.timeout(20):
            await connected.wait()
        yield listener
        hearing.cancel()


async def _read_events(
    response: aiohttp.ClientResponse, listener: Listener, connected: asyncio.Event
) -> None:
    event: Json = {}
    async for raw in response.content:
        name, _, value = raw.decode().rstrip("\n").partition(": ")
        if name == "data":
            event |= json.loads(value)
        elif name == "id":
            event["id"] = int(value)
        elif not name:
            listener.events.append(event)
            event = {}
            connected.set()
    listener.is_over = True
