"""Other projects' servers in processes of their own, and what a process has used of a processor."""

import asyncio
import os
import socket
import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import orjson

from bench.model_endpoint import Server
from bench.peer_environments import LITELLM, loopback_environ

_START_S = 120
_STOP_S = 10
_KEY = "sk-bench"


@asynccontextmanager
async def run_litellm(provider: Server) -> AsyncGenerator[Server]:
    """LiteLLM's proxy in front of the provider: one worker, a key, no database, no telemetry."""
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
        words = ("--config", str(path), "--host", "127.0.0.1", "--port", str(port), "--telemetry", "False")
        async with _run((str(LITELLM.program("litellm")), *words), folder) as process:
            await _answers(process, f"http://127.0.0.1:{port}/health/liveliness")
            yield Server("LiteLLM", f"http://127.0.0.1:{port}/v1", _KEY, process.pid)


def processor_s(pid: int) -> float:
    """Processor time of a process and all its threads, in seconds; 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@asynccontextmanager
async def _run(command: Sequence[str], folder: str) -> AsyncGenerator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env=loopback_environ(),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        await _end(process)


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


async def _answers(process: asyncio.subprocess.Process, url: str) -> None:
    """Return once the server answers there, whatever it says.

    Raises:
        RuntimeError: it has ended.
        TimeoutError: it does not answer in time.
    """
    async with aiohttp.ClientSession() as session, asyncio.timeout(_START_S):
        while process.returncode is None:
            try:
                async with session.get(url):
                    return
            except aiohttp.ClientConnectionError:
                await asyncio.sleep(0.2)
    raise RuntimeError("The server ended before it answered.")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
