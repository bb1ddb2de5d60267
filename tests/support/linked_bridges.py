"""Two bridges in this process that pass requests on to each other; a table says where users are at home."""

from __future__ import annotations

import secrets
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from bridge.app.part import AmongReplicas
from bridge.app.secret_files import write_private
from bridge.app.server import Bridge
from bridge.cluster.counters import ReplicaCounters
from bridge.cluster.homes import Homes, Located
from bridge.cluster.relay import Relay
from bridge.cluster.relay_token import RelayTokens
from bridge.cluster.residents import Residents, ResidentWork
from bridge.errors import BridgeError, ErrorCode
from bridge.homes import Home
from bridge.storage.replicas.relayed_records import RelayedRecords
from bridge.storage.store import Store
from bridge.tasks import Tasks
from tests.support.documents.compiled import document_text
from tests.support.running_bridge import running_bridge


@dataclass
class Table:
    """The homes of all users, as a test sets them; nobody claims anybody."""

    first_home: str = "b"
    epoch: int = 1
    urls: dict[str, str] = field(default_factory=dict[str, str])
    moved: dict[str, str] = field(default_factory=dict[str, str])
    """Users who are at home elsewhere than the others."""

    def home_of(self, user_id: str) -> Home:
        return Home(user_id, self.moved.get(user_id, self.first_home), self.epoch)


class FixedHomes(Homes):
    """The homes as one replica knows them."""

    def __init__(self, replica: str, table: Table) -> None:
        self._replica = replica
        self.table = table
        self.believed: Home | None = None
        """What this replica wrongly believes of every user, until it is refused."""
        self.asked: list[Home | None] = []
        """What was refused, of every question."""

    def epoch_of(self, user_id: str) -> int | None:
        home = self.table.home_of(user_id)
        return home.epoch if home.replica == self.replica and self.believed is None else None

    def takes_work(self, user_id: str) -> bool:
        return self.epoch_of(user_id) is not None

    async def admits(self, user_id: str, epoch: int) -> bool:
        home = self.table.home_of(user_id)
        return (home.replica, home.epoch) == (self.replica, epoch)

    async def locate(
        self, user_id: str, *, refused: Home | None = None, is_unreached: bool = False
    ) -> Located:
        self.asked.append(refused)
        if refused is not None:
            self.believed = None
        home = self.believed or self.table.home_of(user_id)
        if home == refused:
            raise BridgeError(ErrorCode.CLUSTER_UNAVAILABLE, "Nobody else has this user.", retryable=True)
        return Located(home, "" if home.replica == self.replica else self.table.urls[home.replica])

    async def locate_for_page(self, user_id: str) -> Located:
        return await self.locate(user_id)


@dataclass
class LinkedBridges:
    """Callers come to `here`; users are at home `there`."""

    here: Bridge
    there: Bridge
    homes: FixedHomes
    """As `here` knows them."""
    table: Table
    tokens: RelayTokens
    """Such as the replicas make for each other."""
    stop_here: Callable[[], Awaitable[None]]


def bound_socket() -> socket.socket:
    """A listening address of this machine that nobody else has."""
    return socket.create_server(("127.0.0.1", 0))


def url_of(listener: socket.socket) -> str:
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


@asynccontextmanager
async def linked_bridges(folder: Path, **settings: Any) -> AsyncGenerator[LinkedBridges]:
    """Two bridges with one database and one secret, and a shop that both offer to everybody.

    `settings`: of both, as `running_bridge` takes them.
    """
    secret, table, made = secrets.token_bytes(32), Table(), dict[str, FixedHomes]()
    listeners = {name: bound_socket() for name in ("a", "b")}
    for name in ("a", "b"):
        (folder / name).mkdir()
        write_private(folder / name / "secret.key", secret.hex())
        table.urls[name] = url_of(listeners[name])
        made[name] = FixedHomes(name, table)
    async with AsyncExitStack() as stack, AsyncExitStack() as stack_here:

        def run(name: str) -> AbstractAsyncContextManager[Bridge]:
            join = partial(_join, made[name], listeners[name], secret)
            return running_bridge(folder / name, database=folder / "both.sqlite3", among=join, **settings)

        there = await stack.enter_async_context(run("b"))
        here = await stack_here.enter_async_context(run("a"))
        for bridge in (there, here):
            await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
        yield LinkedBridges(here, there, made["a"], table, RelayTokens(secret), stack_here.aclose)


def _nobody_comes() -> ResidentWork:
    raise ValueError("These homes claim no user.")


def _join(homes: FixedHomes, listener: socket.socket, secret: bytes, store: Store) -> AmongReplicas:
    relay = Relay(
        homes,
        Residents(Tasks(), _nobody_comes),
        RelayedRecords(store),
        secret=secret,
        listener=listener,
        counters=ReplicaCounters(),
    )
    return AmongReplicas(relay=relay, find_route=relay.find_route)
