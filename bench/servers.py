"""Servers in processes of their own: where they answer, and what their processes use."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import orjson
from aiohttp import web

_START_S = 30


@dataclass(frozen=True, slots=True)
class Server:
    """A server in a process of its own."""

    name: str
    url: str
    key: str
    pid: int

    @property
    def memory_mib(self) -> float:
        """What it has in memory now; 0 where the system does not tell."""
        try:
            lines = Path(f"/proc/{self.pid}/status").read_text(encoding="utf-8").splitlines()
        except OSError:
            return 0.0
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:"))

    @property
    def processor_s(self) -> float:
        """Processor time of the process and all its threads until now; 0 where the system does not tell."""
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@asynccontextmanager
async def run_server(module: str, role: str, *arguments: str) -> AsyncGenerator[Server]:
    """A server of such a module, ready to be asked; ends with the context."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        module,
        role,
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        told = orjson.loads(await asyncio.wait_for(process.stdout.readline(), _START_S))
        yield Server(role, told["url"], told["key"], process.pid)
    finally:
        process.stdin.close()
        await process.wait()


async def serve_application(app: web.Application, path: str) -> None:
    """Serve on a free port of the loopback interface, say so to `run_server`, and end when it does."""
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
    await wait_at(f"http://127.0.0.1:{runner.addresses[0][1]}{path}", "")
    await runner.cleanup()


async def wait_at(url: str, key: str) -> None:
    """Say to `run_server` that this process answers there, and return when it shall end."""
    print(orjson.dumps({"url": url, "key": key}).decode(), flush=True)
    await asyncio.to_thread(sys.stdin.read)
