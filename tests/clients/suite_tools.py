"""The tools that the conformance suite asks for, as far as an OpenAPI document can offer them."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.clients.key_proxy import KeyProxy, key_proxy
from tests.clients.uploads import upload_file
from tests.support.running_bridge import FakePage, json_answer, page_of, running_bridge
from toolserver.json_types import JsonObject

SAFE = (
    "greet",
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_error_handling",
    "test_logging_tool",
    "test_streaming_elicitation",
    "test_trigger_tool_change",
)
ASKING = ("test_tool_with_progress", "slow_compute", "failing_job", "confirm_delete")
"""Their user is asked, which is something to tell the client, and makes a task of the call."""

AWAY_S = 60
"""A tool that is to take so long is one whose user never answers."""

ANSWERS: JsonObject = {"200": {"description": "ok"}}
FILE = b"content of a file"

SCHEMA_TOOL = "json_schema_2020_12_tool"
SCHEMA: JsonObject = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
"""As the suite has it."""

HANDLE_S = 2
"""Seconds in which a client that wants a handle has it."""


def suite_document(**paths: JsonObject) -> str:
    """A document of these tools."""
    info: JsonObject = {"title": "Conformance", "version": "1"}
    servers: list[JsonObject] = [{"url": "http://suite.example"}]
    return json.dumps(
        {
            "openapi": "3.1.0",
            "info": info,
            "servers": servers,
            "paths": {f"/{name}": item for name, item in paths.items()},
        }
    )


def name_of(call: dict[str, Any]) -> str:
    """The tool that is called."""
    return call["name"].partition("/")[2]


def safe_tool(name: str) -> JsonObject:
    """A GET, with the one argument that a tool of the suite wants."""
    parameter: JsonObject = {"name": "name", "in": "query", "schema": {"type": "string"}}
    return {"get": {"operationId": name, "parameters": [parameter], "responses": ANSWERS}}


def asking_tool(name: str) -> JsonObject:
    """A POST, with the two arguments that a tool of the suite wants."""
    arguments: JsonObject = {"seconds": {"type": "integer"}, "label": {"type": "string"}}
    content: JsonObject = {"application/json": {"schema": {"type": "object", "properties": arguments}}}
    return {"post": {"operationId": name, "requestBody": {"content": content}, "responses": ANSWERS}}


def schema_tool() -> JsonObject:
    """A POST whose schema has the keywords that the suite wants to see again."""
    content: JsonObject = {"application/json": {"schema": SCHEMA}}
    body: JsonObject = {"required": True, "content": content}
    return {"post": {"operationId": SCHEMA_TOOL, "requestBody": body, "responses": ANSWERS}}


@dataclass
class SuitePage:
    """A page that plays these tools."""

    page: FakePage
    proxy: KeyProxy
    added: int = 0
    """How many tools the suite has had added."""

    async def received(self, envelope: dict[str, Any]) -> dict[str, Any]:
        """What the page answers to a call at once."""
        call = envelope["data"]["data"]
        asks = name_of(call) in ASKING
        if name_of(call) == "test_tool_with_progress":
            await self.proxy.has_passed("Sent to the bridge page")
        self.page.socket.start_background_task(self._ask_user if asks else self._end, call)
        return {"call_id": call["id"], "awaiting_approval": asks}

    async def _ask_user(self, call: dict[str, Any]) -> None:
        """Have the call run when the client has been told all there is to tell."""
        if json.loads(call["params"]).get("seconds", 0) >= AWAY_S:
            return
        tells_progress = name_of(call) == "test_tool_with_progress"
        if tells_progress:
            await self.proxy.has_passed("Waiting for your approval")
        else:
            await self._wait_for_handle(call["id"])
        decision = {"call_id": call["id"], "decision": "once"}
        await self.page.socket.call("bridge:decision", decision, timeout=20)
        if tells_progress:
            await self.proxy.has_passed("Running in the bridge page")
        await self._end(call)

    async def _wait_for_handle(self, call_id: str) -> None:
        """Until the client has the handle of its task, which is the call's id; some clients want none."""
        with suppress(TimeoutError):
            async with asyncio.timeout(HANDLE_S):
                await self.proxy.has_passed(call_id)

    async def _end(self, call: dict[str, Any]) -> None:
        outcome = await self._outcome(call)
        await self.page.socket.emit("bridge:result", {"call_id": call["id"], "outcome": outcome})

    async def _outcome(self, call: dict[str, Any]) -> dict[str, Any]:
        bridge = self.proxy.bridge
        match name_of(call):
            case "test_image_content":
                return await upload_file(bridge, self.page.http, call, "image/png", FILE)
            case "test_audio_content":
                return await upload_file(bridge, self.page.http, call, "audio/wav", FILE)
            case "test_error_handling" | "failing_job":
                return json_answer(
                    {"detail": "This tool intentionally returns an error for testing"}, status=500
                )
            case "test_trigger_tool_change":
                await self._add_tool()
                return json_answer({"added": self.added})
            case "greet":
                return json_answer(f"Hello, {json.loads(call['params']).get('name')}!")
            case _:
                return json_answer("This is a simple text response for testing.")

    async def _add_tool(self) -> None:
        self.added += 1
        name = f"test_one_more_{self.added}"
        registry = self.proxy.bridge.components.registry
        await registry.share_document("more.json", suite_document(**{name: safe_tool(name)}), source_url=None)


@asynccontextmanager
async def suite_endpoint(folder: Path) -> AsyncGenerator[str]:
    """The address of a bridge that needs no key, with a page that plays these tools."""
    tools = {name: safe_tool(name) for name in SAFE} | {name: asking_tool(name) for name in ASKING}
    tools[SCHEMA_TOOL] = schema_tool()
    async with running_bridge(folder, approve="safe") as bridge, key_proxy(bridge) as proxy:
        await bridge.components.registry.share_document(
            "suite.json", suite_document(**tools), source_url=None
        )
        async with page_of(bridge, bridge.local_user.id, lambda _call: asyncio.sleep(0)) as page:
            page.socket.on("events", SuitePage(page, proxy).received)
            yield f"{proxy.url}/mcp"
