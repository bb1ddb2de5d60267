"""The model of Redis that `make faults` plays with answers as Redis and Valkey do."""

import asyncio
import random
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

import pytest
import pytest_asyncio

from bridge.cluster.ports import LiveReplica, ReplicaDirectory
from bridge.cluster.redis_connection import RedisConnection
from bridge.cluster.redis_directory import RedisDirectory
from bridge.homes import Home
from tests.faults.replicas.engines import FarDirectory
from tests.support.cluster.answers import ShortWay, answer_of
from tests.support.cluster.engines import RedisModel
from tests.support.stores.redis import RedisServer

pytestmark = pytest.mark.asyncio

SEEDS, STEPS = 40, 30

STEP_S = 2.2
"""Seconds that pass at once. No sum of them is near the 4 and 8 s that matter, so that it does not matter how
long the test itself takes."""

VALKEY = shutil.which("valkey-server")
"""Where there is none, nothing is claimed about it."""

BORN = "tool-bridge:cluster:born"

_AGE_ALL = """
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do redis.call('ZINCRBY', KEYS[1], -ARGV[1], id) end
if redis.call('HEXISTS', KEYS[2], 'at') == 1 then redis.call('HINCRBY', KEYS[2], 'at', -ARGV[1]) end"""

Step = tuple[str, str, Any]
"""What happens, to which replica, with what."""


class Engine(Protocol):
    """Redis or its model, with the directories of two replicas."""

    directories: dict[str, Any]

    async def pass_time(self, seconds: float) -> None: ...
    async def flush(self) -> None: ...
    async def fail_over(self) -> None:
        """Another server answers, with the same keys."""
        ...

    async def freeze(self) -> None: ...
    async def thaw(self) -> None: ...
    async def stop(self) -> None: ...
    async def start(self) -> None:
        """Start it again, empty."""
        ...


class Model:
    """The model."""

    def __init__(self) -> None:
        self._redis, self._way = RedisModel(), ShortWay()
        self.directories: dict[str, Any] = {name: FarDirectory(self._redis, self._way) for name in "ab"}
        self._redis.flush()

    async def pass_time(self, seconds: float) -> None:
        self._redis.pass_time(seconds)
        for directory in self.directories.values():
            directory.failed_at -= seconds

    async def flush(self) -> None:
        self._redis.flush()

    async def fail_over(self) -> None:
        self._redis.run += 1

    async def freeze(self) -> None:
        self._way.is_away = True

    async def thaw(self) -> None:
        self._way.is_away = False

    async def stop(self) -> None:
        self._way.is_away = True

    async def start(self) -> None:
        self._way.is_away = False
        self._redis.flush()
        self._redis.run += 1


class Real:
    """A server."""

    def __init__(self, server: RedisServer, connections: dict[str, RedisConnection]) -> None:
        self._server, self._passed_s, self._frozen = server, 0.0, ExitStack()
        self.directories: dict[str, Any] = {
            name: RedisDirectory(connection, monotonic=self._now) for name, connection in connections.items()
        }

    def _now(self) -> float:
        return asyncio.get_running_loop().time() + self._passed_s

    async def pass_time(self, seconds: float) -> None:
        self._passed_s += seconds
        keys = ("tool-bridge:replicas:until", BORN)
        self._server.execute("EVAL", _AGE_ALL, "2", *keys, str(round(seconds * 1000)))

    async def flush(self) -> None:
        self._server.flush()

    async def fail_over(self) -> None:
        self._server.execute("HSET", BORN, "run", "of another server")

    async def freeze(self) -> None:
        self._frozen.enter_context(self._server.frozen())

    async def thaw(self) -> None:
        self._frozen.close()

    async def stop(self) -> None:
        self._server.stop()

    async def start(self) -> None:
        self._server.start()


@pytest.fixture(params=["redis", *([VALKEY] if VALKEY else [])])
def server(request: pytest.FixtureRequest) -> Generator[RedisServer]:
    if request.param == "redis":
        yield request.getfixturevalue("redis_server")
        return
    made = RedisServer(Path(request.param))
    yield made
    made.remove()


@pytest_asyncio.fixture
async def real(server: RedisServer) -> AsyncIterator[Engine]:
    connections = {name: RedisConnection(server.url) for name in "ab"}
    made = Real(server, connections)
    yield made
    await made.thaw()
    for connection in connections.values():
        await connection.close()


@pytest.fixture
def model() -> Engine:
    return Model()


def _replica(name: str, users: int = 0) -> LiveReplica:
    state = "draining" if users % 2 else "ready"
    return LiveReplica(name, f"http://{name}", state, users, users, "1")


_ASKED: dict[str, Callable[[ReplicaDirectory, Any], Awaitable[Any]]] = {
    "beat": lambda directory, users: directory.send_heartbeat(users),
    "remove": lambda directory, replica: directory.remove_replica(replica),
    "list": lambda directory, _: directory.list_replicas(),
    "proves absence": lambda directory, _: directory.proves_absence(),
    "remember": lambda directory, home: directory.remember_home(home),
    "hinted": lambda directory, user: directory.hinted_home(user),
    "want": lambda directory, wish: directory.want_user(*wish),
    "wanted": lambda directory, home: directory.is_wanted(home),
    "settle": lambda directory, wish: directory.settle_wanted(*wish),
}
_DONE: dict[str, Callable[[Engine], Awaitable[None]]] = {
    "time passes": lambda engine: engine.pass_time(STEP_S),
    "flush": lambda engine: engine.flush(),
    "fail over": lambda engine: engine.fail_over(),
    "freeze": lambda engine: engine.freeze(),
    "thaw": lambda engine: engine.thaw(),
    "stop": lambda engine: engine.stop(),
    "start": lambda engine: engine.start(),
}


async def take(engine: Engine, step: Step) -> object:
    """What one step answers."""
    name, replica, argument = step
    if name in _DONE:
        return await _DONE[name](engine)
    return await answer_of(_ASKED[name](engine.directories[replica], argument))


async def check_equal(model: Engine, real: Engine, steps: list[Step]) -> list[object]:
    """The answers of both; they must be the same after each step."""
    answers: list[object] = []
    for number, step in enumerate(steps):
        said, meant = await take(model, step), await take(real, step)
        assert said == meant, f"step {number} of {steps[: number + 1]}"
        answers.append(meant)
    return answers


def _silently(steps: list[Step]) -> list[tuple[Step, object]]:
    return [(step, None) for step in steps]


_LATER = ("time passes", "time passes")

_LATE: list[Step] = [("time passes", "", None)] * 4
"""Longer than two lives of a heartbeat."""

NAMED: dict[str, list[tuple[Step, object]]] = {
    "a heartbeat lasts four seconds": [
        (("beat", "a", _replica("a")), {}),
        (("time passes", "", None), None),
        (("list", "b", None), {"a": _replica("a")}),
        (("time passes", "", None), None),
        (("list", "b", None), {}),
    ],
    "a replica that stops is gone at once": [
        (("beat", "a", _replica("a")), {}),
        (("remove", "a", "a"), None),
        (("list", "b", None), {}),
    ],
    "only a server that is eight seconds old proves an absence": [
        (("proves absence", "a", None), False),
        *_silently(_LATE[:3]),
        (("proves absence", "b", None), False),
        (("time passes", "", None), None),
        (("proves absence", "a", None), True),
    ],
    "its age counts from the first question after a flush": [
        (("flush", "", None), None),
        *_silently(_LATE),
        (("proves absence", "a", None), False),
        *_silently(_LATE),
        (("proves absence", "b", None), True),
    ],
    "another server with the same keys is as young": [
        (("proves absence", "a", None), False),
        *_silently(_LATE),
        (("proves absence", "a", None), True),
        (("fail over", "", None), None),
        (("proves absence", "b", None), False),
        (("proves absence", "a", None), False),
    ],
    "a replica whose own heartbeat failed waits for those of others": [
        (("proves absence", "a", None), False),
        *_silently(_LATE),
        (("freeze", "", None), None),
        (("beat", "a", _replica("a")), "cluster_unavailable"),
        (("thaw", "", None), None),
        (("proves absence", "b", None), True),
        (("proves absence", "a", None), False),
        *_silently(_LATE[:2]),
        (("proves absence", "a", None), True),
    ],
    "an older epoch never replaces a hint": [
        (("remember", "a", Home("ann", "a", 5)), None),
        (("remember", "b", Home("ann", "b", 4)), None),
        (("hinted", "b", "ann"), Home("ann", "a", 5)),
        (("remember", "b", Home("ann", "b", 5)), None),
        (("hinted", "a", "ann"), Home("ann", "a", 5)),
        (("remember", "b", Home("ann", "b", 6)), None),
        (("hinted", "a", "ann"), Home("ann", "b", 6)),
        (("hinted", "a", "bob"), None),
    ],
    "a wish is told with every heartbeat until it is settled": [
        (("want", "b", (Home("ann", "a", 1), "b")), None),
        (("wanted", "b", Home("ann", "a", 1)), True),
        (("beat", "b", _replica("b")), {}),
        (("beat", "a", _replica("a")), {"ann": "b"}),
        (("beat", "a", _replica("a")), {"ann": "b"}),
        (("settle", "a", ("a", "ann")), None),
        (("beat", "a", _replica("a")), {}),
        (("wanted", "b", Home("ann", "a", 1)), False),
    ],
    "whatever is asked of a server that is away fails": [
        (("remember", "a", Home("ann", "a", 1)), None),
        (("stop", "", None), None),
        (("beat", "a", _replica("a")), "cluster_unavailable"),
        (("list", "a", None), "cluster_unavailable"),
        (("remove", "a", "a"), "cluster_unavailable"),
        (("proves absence", "a", None), "cluster_unavailable"),
        (("remember", "a", Home("ann", "a", 2)), "cluster_unavailable"),
        (("hinted", "a", "ann"), "cluster_unavailable"),
        (("want", "a", (Home("ann", "b", 1), "a")), "cluster_unavailable"),
        (("wanted", "a", Home("ann", "b", 1)), "cluster_unavailable"),
        (("settle", "a", ("a", "ann")), "cluster_unavailable"),
        (("start", "", None), None),
        (("hinted", "a", "ann"), None),
    ],
}


@pytest.mark.parametrize("name", NAMED)
async def test_model_and_engine_answer_as_is_written(model: Engine, real: Engine, name: str) -> None:
    """What replicas rely on, spelled out: equal answers might both be wrong."""
    steps = [step for step, _ in NAMED[name]]
    assert await check_equal(model, real, steps) == [expected for _, expected in NAMED[name]]


@pytest.mark.parametrize("seed", range(SEEDS))
async def test_model_and_engine_answer_random_scripts_alike(model: Engine, real: Engine, seed: int) -> None:
    """What nobody thought of: histories of the fault suite are random as well."""
    chance = random.Random(f"directory {seed}")
    await check_equal(model, real, list(random_steps(chance)))


def random_steps(chance: random.Random) -> list[Step]:
    """A script; a server that was stopped is started some steps later."""
    steps: list[Step] = []
    away_for = 0
    for _ in range(STEPS):
        replica, user = chance.choice("ab"), chance.choice(("ann", "bob"))
        name = chance.choice((*_ASKED, *_ASKED, *_ASKED, *_LATER, *_LATER, "flush", "fail over"))
        told: dict[str, Any] = {
            "beat": _replica(replica, chance.randrange(4)),
            "remember": Home(user, replica, chance.randrange(1, 12)),
            "remove": replica,
            "want": (Home(user, chance.choice("ab"), 1), replica),
            "wanted": Home(user, chance.choice("ab"), 1),
            "settle": (replica, user),
        }
        if away_for == 0 and chance.random() < 0.02:
            away_for = 5
            steps.append(("stop", "", None))
        if away_for == 0 or name not in ("flush", "fail over", "time passes"):
            steps.append((name, replica, told.get(name, user)))
        if away_for:
            away_for -= 1
            if away_for == 0:
                steps.append(("start", "", None))
    return steps
