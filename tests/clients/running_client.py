"""A client's program that runs, and what it says."""

import asyncio
import json
import os
import shutil
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.clients.clients import McpClient
from tests.clients.environments import HERE, ClientEnvironment
from tests.support.programs import needs

NOWHERE = "http://127.0.0.1:9"
CLOSING_S = 5
"""For a program to end by itself; chosen by feel."""


@dataclass
class RunningClient:
    """The program of one client, connected with the bridge; it does one thing at a time."""

    process: Process
    protocol: str | None = None
    """What the client says it speaks; not every one says."""
    progress: list[str] = field(default_factory=list[str])
    """The messages that its call has brought so far."""

    async def list_tools(self) -> dict[str, Any]:
        """The input schema of each tool."""
        self._say({"list": True})
        return {tool["name"]: tool["schema"] for tool in (await self.ending())["tools"]}

    async def call_tool(self, name: str, **arguments: Any) -> dict[str, Any]:
        """What a call ended with."""
        self.begin_call(name, **arguments)
        return await self.ending()

    def begin_call(self, name: str, *, stoppable: bool = False, **arguments: Any) -> None:
        """Begin a call; its end is to be awaited. `stoppable`: until then, it is to be stopped."""
        self.progress.clear()
        self._say({"call": name, "arguments": arguments, "stoppable": stoppable})

    def stop_call(self) -> None:
        """Have the client give up its call as its makers meant it."""
        self._say({"stop": True})

    async def ending(self) -> dict[str, Any]:
        """What the client says when it is done."""
        while "progress" in (line := await self.read_line()):
            self.progress.append(line["progress"])
        return line

    async def read_line(self) -> dict[str, Any]:
        """What it says next."""
        assert self.process.stdout
        line = await self.process.stdout.readline()
        assert line, "the client's program has ended; what it wrote is above"
        return json.loads(line)

    def _say(self, command: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(command).encode() + b"\n")


@asynccontextmanager
async def running_client(
    client: McpClient, url: str, key: str, folder: Path
) -> AsyncGenerator[RunningClient]:
    """The client's program in its environment, with an address and a key; killed at the end."""
    environment = client.environment
    if isinstance(environment, ClientEnvironment):
        needs.need_environment(environment)
    program = HERE / client.program
    if (
        isinstance(environment, ClientEnvironment) and environment.is_node
    ):  # a module finds its packages beside itself
        shutil.copytree(program.parent, folder, dirs_exist_ok=True)
        (folder / "node_modules").symlink_to(environment.node_modules)
        program = folder / program.name
    environ = {**loopback_environ(), **client.environ, "BRIDGE_URL": url, "BRIDGE_KEY": key}
    process = await asyncio.create_subprocess_exec(
        environment.interpreter,
        program,
        stdin=PIPE,
        stdout=PIPE,
        stderr=sys.stderr,
        env=environ,
        cwd=folder,
        start_new_session=True,
    )
    try:
        running = RunningClient(process)
        running.protocol = (await running.read_line())["ready"]
        yield running
    finally:
        await _end_program(process)


async def _end_program(process: Process) -> None:
    """Let it close its connection; what does not end by itself is killed, with what it has started."""
    assert process.stdin
    process.stdin.close()
    try:
        async with asyncio.timeout(CLOSING_S):
            await process.wait()
    except TimeoutError:
        os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def loopback_environ() -> Mapping[str, str]:
    """The variables of a client's process: none leads beyond loopback, or reports anywhere."""
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
        **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), NOWHERE),
        **dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), NOWHERE),
        **dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost"),
        "FASTMCP_CHECK_FOR_UPDATES": "off",
        "OPENAI_AGENTS_DISABLE_TRACING": "1",
    }
