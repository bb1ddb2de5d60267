"""Two replicas in the place of each bridge that a test starts.

Pages connect at the one at which their users are at home. Everybody else, and every request of a page, comes
to the other one, which takes no users and passes on.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from pathlib import Path

from bridge.app.replica import Replica
from bridge.app.secret_files import choose_secret, write_private
from bridge.app.server import Bridge
from bridge.app.start import SECRET_FILE
from bridge.readiness.readiness import NotReady
from bridge.settings.bridge import BridgeSettings
from tests.support.cluster.replica_settings import replica_settings
from tests.support.settings import changed_settings
from tests.support.stores.redis import RedisServer
from tests.support.tcp_servers import free_port
from tests.support.waiting import eventually

KEY_FILE = "local.key"

RunBridge = Callable[[BridgeSettings], AbstractAsyncContextManager[Bridge]]
"""Runs one bridge, at the database of the test."""


class BridgePairs:
    """The pairs of one test."""

    def __init__(self, redis: RedisServer) -> None:
        self._redis = redis
        self._folders: list[Path] = []
        self.home_urls: dict[str, str] = {}
        """The addresses of the replicas that take users, by those that everybody else knows."""

    @asynccontextmanager
    async def run_pair(self, settings: BridgeSettings, run: RunBridge) -> AsyncGenerator[Bridge]:
        """The replica that takes all users; its `base_url` is the address of the other one."""
        port = settings.network.port or free_port()
        secret = choose_secret(settings.cluster.secret_key, settings.data_dir / SECRET_FILE).hex()
        redis_url = self._redis_of(settings.data_dir)
        public_url = settings.network.public_url or f"http://127.0.0.1:{port}"

        def placed(folder: Path, port: int) -> BridgeSettings:
            own = {"data_dir": folder, "port": port, "public_url": public_url}
            return changed_settings(settings, **own, **replica_settings(redis_url, secret))

        with tempfile.TemporaryDirectory() as folder:
            async with run(placed(settings.data_dir, 0)) as home:
                write_private(Path(folder) / KEY_FILE, home.key)  # else the user has one of each replica
                async with run(placed(Path(folder), port)) as other:
                    await _wait_until_known(home, other)
                    home_port = home.server.sockets[0].getsockname()[1]
                    self.home_urls[public_url] = f"http://127.0.0.1:{home_port}"
                    yield home

    def _redis_of(self, folder: Path) -> str:
        """Bridges of other folders are strangers, for Redis, too."""
        if folder not in self._folders:
            self._folders.append(folder)
        return self._redis.url_of(self._folders.index(folder))


async def make_at_home(bridge: Bridge, user_id: str) -> None:
    """Have a user at home in a bridge, if it is a replica: a test writes rows of users who never asked it."""
    if bridge.replica is not None:
        await bridge.replica.homes.locate(user_id)


async def _wait_until_known(home: Bridge, other: Bridge) -> None:
    """Until the other knows the home, and the local user is there. The home sees the other a second later."""
    here, there = home.replica, other.replica
    assert here is not None
    assert there is not None
    there.homes.refuse_users()

    async def know_each_other() -> bool:
        return bool(await _state_of(here)) and "one of 2" in await _state_of(there)

    await eventually(know_each_other, what="two replicas that are ready")
    await make_at_home(home, home.local_user.id)


async def _state_of(replica: Replica) -> str:
    """What a replica says of itself; empty: it is not ready, as Redis was slow to answer."""
    with suppress(NotReady):
        return await replica.check_ready()
    return ""


_current: list[BridgePairs] = []


@contextmanager
def bridges_in_pairs(redis: RedisServer) -> Generator[BridgePairs]:
    """While this lasts, each bridge of the test is two replicas."""
    pairs = BridgePairs(redis)
    _current.append(pairs)
    try:
        yield pairs
    finally:
        _current.remove(pairs)


def current_pairs() -> BridgePairs | None:
    """The pairs of the test that runs; None: its bridges are alone."""
    return _current[-1] if _current else None


def home_url(base_url: str) -> str:
    """Where the pages of a bridge connect and upload; of a pair, everybody else knows another address."""
    pairs = current_pairs()
    return base_url if pairs is None else pairs.home_urls.get(base_url, base_url)
