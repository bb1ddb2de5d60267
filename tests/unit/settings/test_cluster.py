"""Settings of several replicas, and what they need of others."""

from pathlib import Path

import pytest

from bridge.settings.bridge import BridgeSettings
from bridge.settings.cluster import check_cluster
from bridge.settings.declaration import SettingsError
from bridge.settings.sources import read_settings

REDIS = "redis://:hunter2@cache.lan/1"
COMPLETE = {
    "TOOL_BRIDGE_REDIS": REDIS,
    "TOOL_BRIDGE_REPLICA_URL": "http://10.0.0.5:8766",
    "TOOL_BRIDGE_PUBLIC_URL": "https://bridge.example",
}


def read(environ: dict[str, str]) -> BridgeSettings:
    return read_settings(Path("/data"), {}, environ)


def checked(environ: dict[str, str], *, on_postgresql: bool = True) -> BridgeSettings:
    settings = read(environ)
    check_cluster(settings.cluster, settings.network, on_postgresql=on_postgresql)
    return settings


def test_one_process_sets_none_of_it() -> None:
    """Without Redis there is one bridge, on either database."""
    for on_postgresql in (True, False):
        cluster = checked({}, on_postgresql=on_postgresql).cluster
        assert (cluster.redis_url, cluster.replica_url, cluster.secret_key) == (None, None, None)
        assert cluster.drain_s == 5


def test_replicas_have_redis_postgresql_and_two_addresses() -> None:
    """One for browsers and programs, which all replicas share, and one of its own for the others."""
    cluster = checked({**COMPLETE, "TOOL_BRIDGE_DRAIN_SECONDS": "0.5"}).cluster
    assert cluster.redis_url == REDIS
    assert (cluster.replica_url, cluster.drain_s) == ("http://10.0.0.5:8766", 0.5)


@pytest.mark.parametrize(
    ("left_out", "on_postgresql", "sentence"),
    [
        ("", False, "needs PostgreSQL.*--database"),
        ("TOOL_BRIDGE_REPLICA_URL", True, "needs TOOL_BRIDGE_REPLICA_URL.*http://10.0.0.5:8766"),
        ("TOOL_BRIDGE_PUBLIC_URL", True, "needs TOOL_BRIDGE_PUBLIC_URL.*balancer"),
        ("TOOL_BRIDGE_REDIS", True, "TOOL_BRIDGE_REPLICA_URL.*without TOOL_BRIDGE_REDIS"),
    ],
)
def test_half_a_configuration_of_replicas_stops_the_start(
    left_out: str, on_postgresql: bool, sentence: str
) -> None:
    """A bridge that ran alone beside others would lose their users' calls."""
    given = {name: value for name, value in COMPLETE.items() if name != left_out}
    with pytest.raises(SettingsError, match=sentence) as refused:
        checked(given, on_postgresql=on_postgresql)
    assert "hunter2" not in str(refused.value)


def test_a_secret_key_serves_a_bridge_alone_too() -> None:
    """In a container it replaces a file that would not outlive it."""
    assert checked({"TOOL_BRIDGE_SECRET_KEY": f" {'aB' * 32}\n"}).cluster.secret_key == "aB" * 32


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("TOOL_BRIDGE_REDIS", "hunter2", "must be redis://"),
        ("TOOL_BRIDGE_REPLICA_URL", "https://10.0.0.5", "must be an http origin such as"),
        ("TOOL_BRIDGE_REPLICA_URL", "http://10.0.0.5/path", "must be an origin"),
        ("TOOL_BRIDGE_REPLICA_URL", "http://10.0.0.5:0", "must be an http origin such as"),
        ("TOOL_BRIDGE_REPLICA_URL", "http://10.0.0.5:x", "must be an http origin such as"),
        ("TOOL_BRIDGE_SECRET_KEY", "hunter2", "must be at least 64 hexadecimal digits.*openssl rand -hex 32"),
        ("TOOL_BRIDGE_SECRET_KEY", "ab" * 32 + "a", "must be at least 64 hexadecimal digits, an even number"),
        ("TOOL_BRIDGE_SECRET_KEY", "ab " * 32, "must be at least 64 hexadecimal digits"),
        ("TOOL_BRIDGE_DRAIN_SECONDS", "-1", "must be a number from 0 to 300"),
    ],
)
def test_a_value_that_cannot_be_used_is_named(name: str, value: str, sentence: str) -> None:
    """The secret ones are not repeated."""
    with pytest.raises(SettingsError, match=f"{name} {sentence}") as refused:
        read({name: value})
    assert "hunter2" not in str(refused.value)


def test_secrets_of_replicas_are_not_shown() -> None:
    """Settings end up in logs and error reports."""
    shown = repr(read({**COMPLETE, "TOOL_BRIDGE_SECRET_KEY": "ab" * 32}))
    assert "hunter2" not in shown
    assert "abab" not in shown
