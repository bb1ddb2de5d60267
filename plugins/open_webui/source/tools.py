"""Tools of Open WebUI: what a model is told of them, and how they are run."""

import asyncio
import json
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, cast

from plugins.open_webui.source.asking import Emitter, log
from plugins.open_webui.source.json_values import Json, as_object, as_objects
from plugins.open_webui.source.results import Result, failed, result_of

NAME_CHARS = 64
"""Of a tool's name, for providers of models."""


@dataclass(frozen=True)
class Tool:
    """A tool of Open WebUI."""

    name: str
    """As the model knows it."""
    own_name: str
    entry: Json
    """As Open WebUI describes it: `spec`, and `callable`, or `direct` and `server`."""

    @property
    def spec(self) -> Json:
        """Name, description and parameters."""
        return as_object(self.entry.get("spec"))

    @property
    def definition(self) -> Json:
        """As the bridge is told of it."""
        parameters = as_object(self.spec.get("parameters")) or {"type": "object", "properties": {}}
        description = self.spec.get("description") or self.own_name
        about: Json = {"description": description, "parameters": parameters, "strict": False}
        return {"type": "function", "name": self.name, **about}

    @property
    def title(self) -> str:
        """For people."""
        return self.own_name.replace("_", " ").title() if "_" in self.own_name else self.own_name

    @property
    def is_direct(self) -> bool:
        """The user's browser performs it."""
        return not callable(self.entry.get("callable"))

    def known(self, arguments: Json) -> Json:
        """The arguments that the tool declares, or all when it takes any."""
        schema = as_object(self.spec.get("parameters"))
        takes_any = "properties" not in schema or schema.get("additionalProperties")
        if takes_any or self.entry.get("type") == "mcp":  # which checks them itself
            return arguments
        declared = as_object(schema["properties"])
        return {name: value for name, value in arguments.items() if name in declared}


def tools_of(entries: Mapping[str, Any], servers: Sequence[Json], *, with_direct: bool) -> dict[str, Tool]:
    """The tools of a chat by the names that a provider takes; entries that are no tools are left out.

    `servers`: direct tool servers, whose tools Open WebUI may not have put among the `entries`.
    """
    found: dict[str, Tool] = {}
    for own_name, entry in {**dict(_of_servers(servers)), **entries}.items():
        name = re.sub(r"[^A-Za-z0-9_-]", "_", own_name)[:NAME_CHARS]
        while name in found:
            name = f"{name[: NAME_CHARS - 5]}_{len(found):04}"
        tool = Tool(name, own_name, as_object(entry))
        if tool.spec and (with_direct or not tool.is_direct):
            found[name] = tool
    return found


def _of_servers(servers: Sequence[Json]) -> Iterator[tuple[str, Json]]:
    for server in servers:
        known = {name: value for name, value in server.items() if name not in ("specs", "system_prompt")}
        for spec in as_objects(server.get("specs")):
            if isinstance(name := spec.get("name"), str) and name.strip():
                yield name, {"spec": spec, "direct": True, "server": known}


@dataclass
class Runner:
    """Runs calls of one chat."""

    tools: Mapping[str, Tool]
    timeout_s: float
    gates: Sequence[asyncio.Semaphore]
    """All of them must let a call in."""
    session_id: str | None
    event_call: Emitter | None
    asks: bool
    """The user wants to be asked before each call."""

    async def run(self, call: Json) -> Result:
        """The result of a call; failures are results, too. Cancelling ends the wait."""
        tool = self.tools[call["name"]]
        try:
            read = json.loads(call.get("arguments") or "{}")
        except ValueError as error:
            return failed(f"Invalid arguments: unable to parse tool arguments: {error}.")
        if not isinstance(read, dict):
            kind = type(read).__name__
            return failed(f"Invalid arguments: tool arguments must be a JSON object, got {kind}.")
        arguments = tool.known(cast(Json, read))
        if not await self._is_allowed(call, arguments):
            return failed("The user did not approve this call. It was not performed.")
        async with AsyncExitStack() as gates:
            for gate in self.gates:
                await gates.enter_async_context(gate)
            return await self._ran(tool, arguments)

    async def _ran(self, tool: Tool, arguments: Json) -> Result:
        try:
            async with asyncio.timeout(self.timeout_s):
                return result_of(
                    tool.own_name, await self._performed(tool, arguments), is_direct=tool.is_direct
                )
        except TimeoutError:
            who = "the browser" if tool.is_direct else "the tool"
            return failed(f"Tool error: timed out after {self.timeout_s:g} s (no answer from {who}).")
        except Exception as error:
            log.exception("The tool %s failed.", tool.own_name)
            return failed(f"Tool error: {error or type(error).__name__}")

    async def _performed(self, tool: Tool, arguments: Json) -> Any:
        if not tool.is_direct:
            return await tool.entry["callable"](**arguments)
        if self.event_call is None:
            return {"error": "Direct tool execution unavailable: no browser is connected."}
        data = {
            "id": str(uuid.uuid4()),
            "name": tool.spec.get("name") or tool.own_name,
            "params": arguments,
            "server": as_object(tool.entry.get("server")),
            "session_id": self.session_id,
        }
        return await self.event_call({"type": "execute:tool", "data": data})

    async def _is_allowed(self, call: Json, arguments: Json) -> bool:
        if not self.asks:
            return True
        shown = {"id": call["call_id"], "name": call["name"], "arguments": arguments}
        asked = {"type": "confirmation", "data": {"tool_call": shown}}
        return self.event_call is not None and await self.event_call(asked) is True
