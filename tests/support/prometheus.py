"""A Prometheus server of a test, with the configuration of `deploy/prometheus`, in a folder of its own."""

import asyncio
import shutil
import socket
import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import yaml
from prometheus_client import CollectorRegistry

from tests.support.programs import needs
from tests.support.waiting import eventually

STOP_SECONDS = 10
CONFIGURATION = Path(__file__).parents[2] / "deploy/prometheus"


def metric(registry: CollectorRegistry, name: str, **labels: str) -> float:
    """The value of a metric of a bridge, named without its prefix; 0 if there is none with these labels."""
    return registry.get_sample_value(f"tool_bridge_{name}", labels) or 0.0


class Prometheus:
    """Asks a server that runs."""

    def __init__(self, url: str, http: aiohttp.ClientSession) -> None:
        self._url = url
        self._http = http

    async def ask(self, path: str, **parameters: str) -> Any:
        """The data of an answer of its API; a refused query fails the test."""
        async with self._http.get(f"{self._url}/api/v1/{path}", params=parameters) as answer:
            body = await answer.json()
        assert body["status"] == "success", (parameters, body)
        return body["data"]

    async def values_of(self, query: str) -> list[float]:
        """What a query finds now."""
        return [float(each["value"][1]) for each in (await self.ask("query", query=query))["result"]]

    async def is_ready(self) -> bool:
        """Whether it answers."""
        try:
            async with self._http.get(f"{self._url}/-/ready") as answer:
                return answer.status == 200
        except aiohttp.ClientError:
            return False


def _find_program() -> str:
    """The server that `make/prometheus` names."""
    return needs.find(needs.PROMETHEUS)


def find_promtool() -> str:
    """The path of the checker that comes with the server."""
    return str(Path(_find_program()).with_name("promtool"))


@asynccontextmanager
async def running_prometheus(folder: Path, target: str, token: str) -> AsyncGenerator[Prometheus]:
    """A server that scrapes one bridge, at host and port, every second."""
    program = _find_program()
    _write_configuration(folder, target, token)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    arguments = (
        f"--config.file={folder}/prometheus.yml",
        f"--storage.tsdb.path={folder}/data",
        f"--web.listen-address={address}",
    )
    process = await asyncio.create_subprocess_exec(program, *arguments, cwd=folder, stderr=subprocess.DEVNULL)
    try:
        async with aiohttp.ClientSession() as http:
            server = Prometheus(f"http://{address}", http)
            await eventually(server.is_ready, within_s=30)
            yield server
    finally:
        process.terminate()
        async with asyncio.timeout(STOP_SECONDS):
            await process.wait()


def _write_configuration(folder: Path, target: str, token: str) -> None:
    """The files that operators get, for another target and in a hurry."""
    configuration = yaml.safe_load((CONFIGURATION / "prometheus.yml").read_text())
    configuration["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    configuration["scrape_configs"][0]["static_configs"] = [{"targets": [target]}]
    (folder / "prometheus.yml").write_text(yaml.safe_dump(configuration))
    shutil.copy(CONFIGURATION / "alerts.yml", folder)
    (folder / "metrics-token").write_text(token)
