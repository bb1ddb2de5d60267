"""Other projects' servers in processes of their own."""

import asyncio
import socket
import sys
import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TypeVar

import aiohttp
import orjson

from bench.event_loop import loop_name
from bench.peers.environments import (
    FASTMCP,
    LITELLM,
    MCPO,
    PeerPackage,
    loopback_environ,
    prepare_environment,
)
from bench.servers import Server
from examples.document_files import read_document_text

MCP = "/mcp"
"""Where servers of MCP answer."""
_HOST = "127.0.0.1"
_START_S = 120
_STOP_S = 10
_KEY = "sk-bench"
_HERE = Path(__file__).parent

T = TypeVar("T")


async def start_peer(
    stack: AsyncExitStack, package: PeerPackage, running: AbstractAsyncContextManager[T]
) -> T | None:
    """What runs its server, which ends with the stack; None, and a word why, where it does not run."""
    if not await asyncio.to_thread(prepare_environment, package):
        return None
    try:
        return await stack.enter_async_context(running)
    except (OSError, RuntimeError, aiohttp.ClientError) as error:
        print(f"{package.requirement} is left out: {error}", file=sys.stderr)
        return None


@asynccontextmanager
async def run_litellm(provider: Server) -> AsyncGenerator[Server]:
    """LiteLLM's proxy in front of the provider: one worker, a key, no database, no telemetry.

    Raises:
        RuntimeError: it does not answer.
    """
    if loop_name() != "uvloop" and sys.platform != "win32":
        raise RuntimeError("it takes no event loop but uvloop")
    models = [
        {
            "model_name": "fast",
            "litellm_params": {"model": "openai/fast", "api_base": provider.url, "api_key": _KEY},
        }
    ]
    config = {
        "model_list": models,
        "general_settings": {"master_key": _KEY},
        "litellm_settings": {"telemetry": False},
    }
    port = _free_port()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        path = Path(folder) / "config.yaml"  # JSON is YAML
        path.write_bytes(orjson.dumps(config))
        words = ("--config", path, "--host", _HOST, "--port", port, "--telemetry", "False")
        command = _command(LITELLM, LITELLM.program("litellm"), *words)
        async with run_program(command, folder, f"http://{_HOST}:{port}/health/liveliness") as pid:
            yield Server("LiteLLM", f"http://{_HOST}:{port}/v1", _KEY, pid)


@asynccontextmanager
async def run_fastmcp(api: Server, document: str) -> AsyncGenerator[Server]:
    """FastMCP with the tools of a sample document, whose requests it performs itself.

    Raises:
        RuntimeError: it does not answer.
    """
    port = _free_port()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        path = Path(folder) / document
        path.write_text(read_document_text(document), encoding="utf-8")
        command = _command(FASTMCP, _HERE / "fastmcp_program.py", path, api.url, port)
        async with run_program(command, folder, f"http://{_HOST}:{port}{MCP}") as pid:
            yield Server("FastMCP", f"http://{_HOST}:{port}", "none", pid)


@asynccontextmanager
async def run_mcpo(mcp: Server) -> AsyncGenerator[Server]:
    """The proxy mcpo in front of a server of MCP, which performs the requests.

    Raises:
        RuntimeError: it does not answer.
    """
    port = _free_port()
    words = ("--host", _HOST, "--port", port, "--type", "streamable-http", "--log-level", "WARNING")
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        command = _command(MCPO, MCPO.program("mcpo"), *words, "--", mcp.url + MCP)
        async with run_program(command, folder, f"http://{_HOST}:{port}/openapi.json") as pid:
            yield Server("mcpo", f"http://{_HOST}:{port}", "", pid)


@asynccontextmanager
async def run_program(command: Sequence[str], folder: str, url: str) -> AsyncGenerator[int]:
    """The process id of a server, once it answers at the address; ends with the context.

    Raises:
        RuntimeError: it ended, or does not answer in time.
    """
    said = Path(folder) / "said"
    with said.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=folder,
            env=loopback_environ(),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    try:
        if not await _answers(process, url):
            lines = said.read_text(encoding="utf-8", errors="replace").split("\n")
            last = next((line.strip() for line in reversed(lines) if line.strip()), "nothing")
            raise RuntimeError(f"it did not answer; the last that it said: {last}")
        yield process.pid
    finally:
        await _end(process)


def _command(package: PeerPackage, program: Path, *words: object) -> list[str]:
    """A program of a package, on the event loop of this benchmark."""
    launcher = str(_HERE / "launch.py")
    # -P: not the folder of the launcher, whose modules are ours
    return [
        str(package.program("python")),
        "-P",
        launcher,
        loop_name(),
        str(program),
        *(str(word) for word in words),
    ]


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    process.terminate()
    try:
        async with asyncio.timeout(_STOP_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


async def _answers(process: asyncio.subprocess.Process, url: str) -> bool:
    """Whether the server answers there, whatever it says, before it ends and in time."""
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_START_S)) as session:
        begun = asyncio.get_running_loop().time()
        while process.returncode is None and asyncio.get_running_loop().time() < begun + _START_S:
            try:
                async with session.get(url):
                    return True
            except aiohttp.ClientConnectionError:
                await asyncio.sleep(0.2)
    return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        return int(probe.getsockname()[1])
