"""Replicas as an operator runs them: each `tool-bridge serve` in a process of its own, behind a balancer."""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import signal
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL

from tests.support.cluster.balancer import Balancer, running_balancer
from tests.support.documents.compiled import document_text
from tests.support.stores.databases import execute
from tests.support.tcp_servers import free_port

START_S = 120
STOP_S = 40


@dataclass
class RealReplica:
    """One place for a replica: its folder, ports and settings, over any number of processes."""

    folder: Path
    options: Sequence[str]
    environment: Mapping[str, str]
    port: int
    key: str = ""
    """The local user's, as the last process printed it."""
    page_url: str = ""
    process: asyncio.subprocess.Process | None = None
    is_frozen: bool = False

    @property
    def base_url(self) -> str:
        """Its own address, past the balancer."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        """What all its processes have said."""
        return (self.folder / "log.txt").read_text(errors="replace")

    @property
    def id(self) -> str:
        """Another one for each process."""
        return re.findall(r"Replica (\w+), reached by others", self.log)[-1]

    async def start(self) -> None:
        """Until it answers."""
        self.folder.mkdir(exist_ok=True)
        own = ("--data", str(self.folder), "--port", str(self.port), "--replica-url", self._replica_url())
        with (self.folder / "log.txt").open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-m", "bridge", "serve", *own, *self.options, "--json"),
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env=self.environment,
            )
        self.is_frozen = False
        assert self.process.stdout is not None
        async with asyncio.timeout(START_S):
            line = await self.process.stdout.readline()
        assert line, self.log
        facts = json.loads(line)
        self.key, self.page_url = facts["key"], facts["page_url"]

    def kill(self) -> None:
        """With -9: nothing is written down that is not yet, and nobody is told."""
        self._signal(signal.SIGKILL)

    def freeze(self) -> None:
        """Its connections stay, and nothing answers."""
        self._signal(signal.SIGSTOP)
        self.is_frozen = True

    def thaw(self) -> None:
        """It goes on where it was."""
        self._signal(signal.SIGCONT)
        self.is_frozen = False

    async def stop(self) -> int:
        """As an operator stops it; the exit status."""
        self._signal(signal.SIGTERM)
        return await self.wait()

    async def wait(self) -> int:
        """Until it has ended; the exit status."""
        assert self.process is not None
        async with asyncio.timeout(STOP_S):
            return await self.process.wait()

    async def remove(self) -> None:
        """End it, however it is."""
        if self.process is not None and self.process.returncode is None:
            self.kill()
            await self.wait()

    def _replica_url(self) -> str:
        """Another one for each process: a listener of a killed one may linger."""
        return f"http://127.0.0.1:{free_port()}"

    def _signal(self, number: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(number)


@dataclass
class RealReplicas:
    """Replicas and the balancer in front of them."""

    replicas: Sequence[RealReplica]
    balancer: Balancer
    database: URL

    @property
    def public_url(self) -> str:
        """Where pages connect."""
        return f"http://127.0.0.1:{self.balancer.port}"

    @property
    def urls(self) -> Sequence[str]:
        """Addresses of the replicas."""
        return [replica.base_url for replica in self.replicas]

    def home_of(self, user_id: str) -> RealReplica:
        """Where PostgreSQL has a user."""
        ((home,),) = execute(self.database, f"SELECT replica FROM homes WHERE user_id = '{user_id}'")
        return next(replica for replica in self.replicas if replica.id == home)


@asynccontextmanager
async def replica_processes(
    folder: Path, database: URL, redis_url: str, *, count: int = 3, **variables: str
) -> AsyncGenerator[RealReplicas]:
    """As many replicas that offer the shop; killed at the end. `variables`: of their environment."""
    spec = folder / "shop.json"
    spec.write_text(document_text())
    ports = [free_port() for _ in range(count)]
    environment = {
        **os.environ,
        "TOOL_BRIDGE_SECRET_KEY": secrets.token_hex(32),
        "TOOL_BRIDGE_DRAIN_SECONDS": "0",
        **variables,
    }
    async with running_balancer(ports) as balancer:
        options = (
            *("--database", database.render_as_string(hide_password=False), "--redis", redis_url),
            *("--public-url", f"http://127.0.0.1:{balancer.port}", "--approve", "all", "--spec", str(spec)),
        )
        replicas = [RealReplica(folder / f"replica-{port}", options, environment, port) for port in ports]
        try:
            await replicas[0].start()  # it gives the shop its name; the others find it there
            await asyncio.gather(*(replica.start() for replica in replicas[1:]))
            yield RealReplicas(replicas, balancer, database)
        finally:
            await asyncio.gather(*(replica.remove() for replica in replicas))
