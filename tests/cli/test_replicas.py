"""`tool-bridge replicas`, over a real Redis."""

import asyncio
import json

import pytest

from bridge.__main__ import main
from bridge.cluster.ports import LiveReplica
from bridge.cluster.redis_connection import RedisConnection
from bridge.cluster.redis_directory import RedisDirectory
from tests.support.stores.redis import RedisServer

BLUE = LiveReplica("blue", "http://10.0.0.5:8766", "ready", users=3, calls=2, version="0.1.0")
RED = LiveReplica("red", "http://10.0.0.16:8766", "draining", users=12, calls=0, version="0.1.0")


async def beat(url: str, *replicas: LiveReplica) -> None:
    connection = RedisConnection(url)
    for replica in replicas:
        await RedisDirectory(connection).send_heartbeat(replica)
    await connection.close()


def test_the_live_replicas_are_listed_with_their_load(
    redis_server: RedisServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that has most of the users, or an old version, is what an operator looks for."""
    asyncio.run(beat(redis_server.url, RED, BLUE))
    assert main(["replicas", "--redis", redis_server.url]) == 0
    title, blue, red = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert title == ["id", "url", "state", "users", "calls", "version", "heartbeat"]
    assert blue[:6] == ["blue", "http://10.0.0.5:8766", "ready", "3", "2", "0.1.0"]
    assert red[:6] == ["red", "http://10.0.0.16:8766", "draining", "12", "0", "0.1.0"]
    asyncio.run(beat(redis_server.url, RED, BLUE))  # each counts for four seconds
    assert main(["replicas", "--json", "--redis", redis_server.url]) == 0
    told = json.loads(capsys.readouterr().out)["replicas"]
    assert [each["id"] for each in told] == ["blue", "red"]
    assert told[0]["calls"] == 2
    assert 0 <= told[0]["heartbeat_age_s"] <= 4


def test_no_replica_is_told_as_such(redis_server: RedisServer, capsys: pytest.CaptureFixture[str]) -> None:
    """Perhaps it is the wrong Redis, so its address is named."""
    assert main(["replicas", "--redis", redis_server.url]) == 0
    assert f"No replica is known at redis://127.0.0.1:{redis_server.port}/0." in capsys.readouterr().out


def test_a_redis_that_does_not_answer_is_told_without_its_password(
    redis_server: RedisServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """The output ends up in tickets."""
    with redis_server.stopped():
        assert main(["replicas", "--redis", f"redis://:hunter2@127.0.0.1:{redis_server.port}"]) == 1
    told = capsys.readouterr().err
    assert f"Redis does not answer at redis://127.0.0.1:{redis_server.port}/0" in told
    assert "hunter2" not in told


def test_without_an_address_of_redis_the_setting_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its users may not know that there are several replicas at all."""
    monkeypatch.delenv("TOOL_BRIDGE_REDIS", raising=False)
    assert main(["replicas"]) == 1
    assert "TOOL_BRIDGE_REDIS" in capsys.readouterr().err
