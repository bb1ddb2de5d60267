"""The API that the clients call, and the page that answers for it."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bridge.app.server import Bridge
from tests.clients.uploads import upload_file
from tests.support.running_bridge import FakePage, json_answer, page_of, running_bridge
from tests.support.waiting import eventually
from toolserver.json_types import JsonObject

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))

WORD: JsonObject = {"type": "string", "minLength": 2}
ANSWERS: JsonObject = {"200": {"description": "ok"}}


def words_document() -> str:
    """An API of words: reading is safe, adding is not."""
    return json.dumps(
        {
            "openapi": "3.1.0",
            "info": {"title": "Words", "version": "1"},
            "servers": [{"url": "http://words.example"}],
            "paths": {
                "/words/{word}": {
                    "get": {
                        "operationId": "showWord",
                        "summary": "Show a word",
                        "parameters": [{"name": "word", "in": "path", "required": True, "schema": WORD}],
                        "responses": ANSWERS,
                    }
                },
                "/words": {
                    "post": {
                        "operationId": "addWord",
                        "summary": "Add a word",
                        "requestBody": {
                            "required": True,
                            "content": {
                                "application/json": {
                                    "schema": {
                                        "type": "object",
                                        "required": ["word"],
                                        "properties": {"word": WORD},
                                    }
                                }
                            },
                        },
                        "responses": ANSWERS,
                    }
                },
                "/picture": {"get": {"operationId": "drawWord", "responses": ANSWERS}},
                "/unknown": {"get": {"operationId": "findWord", "responses": ANSWERS}},
                "/book": {"get": {"operationId": "readBook", "responses": ANSWERS}},
            },
        }
    )


@dataclass
class WordsPage:
    """A page that plays the API: it asks its user before it adds a word, and reads until it is let go."""

    bridge: Bridge
    page: FakePage
    book_is_read: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, call: dict[str, Any]) -> dict[str, Any] | None:
        """The outcome of a call; None for one that waits for its user."""
        match call["name"]:
            case "GET /words/{word}":
                return json_answer({"word": "tea", "size": 3})
            case "GET /picture":
                return await upload_file(self.bridge, self.page.http, call, "image/png", PNG)
            case "GET /unknown":
                return json_answer({"detail": "no such word"}, status=404)
            case "GET /book":
                await self.book_is_read.wait()
                return json_answer({"pages": 500})
            case _:
                return None

    async def received(self, envelope: dict[str, Any]) -> dict[str, Any]:
        """What the page answers to a call at once."""
        call = envelope["data"]["data"]
        self.page.calls.append(call)
        self.page.socket.start_background_task(self._report, call)
        return {"call_id": call["id"], "awaiting_approval": call["name"] == "POST /words"}

    def finish_book(self) -> None:
        """Let the calls go that read a book."""
        self.book_is_read.set()
        self.book_is_read.clear()

    async def take_call(self, operation: str) -> str:
        """The id of a call of an operation, once there is one that nobody took."""

        def look() -> dict[str, Any] | None:
            return next((call for call in self.page.calls if call["name"] == operation), None)

        call = await eventually(look, what=f"a call of {operation}")
        assert call
        self.page.calls.remove(call)
        return call["id"]

    async def approve(self, call_id: str) -> None:
        """Say what the user says: once."""
        decision = {"call_id": call_id, "decision": "once"}
        reply = await self.page.socket.call("bridge:decision", decision, timeout=20)
        assert reply["may_begin"]
        await self._end(call_id, json_answer({"added": True}))

    async def _report(self, call: dict[str, Any]) -> None:
        outcome = await self.answer(call)
        if outcome is not None:
            await self._end(call["id"], outcome)

    async def _end(self, call_id: str, outcome: dict[str, Any]) -> None:
        await self.page.socket.emit("bridge:result", {"call_id": call_id, "outcome": outcome})


@asynccontextmanager
async def words_page(folder: Path) -> AsyncGenerator[WordsPage]:
    """A bridge that asks before it changes something, and a page that offers the API of words."""
    async with running_bridge(folder, approve="safe") as bridge:
        await bridge.components.registry.share_document("words.json", words_document(), source_url=None)
        async with page_of(bridge, bridge.local_user.id, lambda _call: asyncio.sleep(0)) as page:
            words = WordsPage(bridge, page)
            page.socket.on("events", words.received)
            yield words
