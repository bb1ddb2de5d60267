"""Several bridges that serve the same users from one PostgreSQL: how they find each other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, ClassVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from bridge.settings.declaration import Names, Section, SettingsError
from bridge.settings.network import NetworkSettings, Origin
from bridge.settings.redis_url import parse_redis_url

REDIS_VARIABLE = "TOOL_BRIDGE_REDIS"
REPLICA_URL_VARIABLE = "TOOL_BRIDGE_REPLICA_URL"
SECRET_KEY_VARIABLE = "TOOL_BRIDGE_SECRET_KEY"

MIN_SECRET_DIGITS = 64
"""Digits of a secret of 32 bytes, as many as the file in the data folder has."""

MAX_DRAIN_S = 300

_HEX = re.compile(rf"[0-9a-fA-F]{{{MIN_SECRET_DIGITS},}}")
_REDIS_FORMS = (
    "`redis://user:password@host:6379/0`, the same with `rediss://` for TLS, `unix:///path/to.sock?db=0` or "
    "`redis+sentinel://host:26379,host:26379/0/SERVICE`"
)
_REPLICA_URL = "an http origin such as http://10.0.0.5:8766"


def _check_redis(url: str) -> str:
    parse_redis_url(url)
    return url


def _check_replica_url(url: str) -> str:
    parts = urlsplit(url)
    try:
        usable = parts.scheme == "http" and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ValueError(f"must be {_REPLICA_URL}")
    return url


def _check_secret(digits: str) -> str:
    if not _HEX.fullmatch(digits) or len(digits) % 2:
        wanted = f"at least {MIN_SECRET_DIGITS} hexadecimal digits, an even number"
        raise ValueError(f"must be {wanted}; openssl rand -hex 32 makes them")
    return digits


class ClusterSettings(Section):
    """The Redis that replicas share, and the address of this one for the others."""

    title: ClassVar[str] = "Several replicas"

    redis_url: Annotated[
        Annotated[str, AfterValidator(_check_redis)] | None,
        Names(REDIS_VARIABLE, "--redis", "URL", range=_REDIS_FORMS, is_secret=True),
    ] = Field(
        default=None,
        repr=False,
        description="address of the Redis or Valkey by which replicas find each other; makes this bridge one "
        "of several that share a PostgreSQL",
    )
    replica_url: Annotated[
        Annotated[Origin, AfterValidator(_check_replica_url)] | None,
        Names(REPLICA_URL_VARIABLE, "--replica-url", "URL", range="`http://host:port`"),
    ] = Field(
        default=None,
        description="address of this replica for the others, on which it listens for them; required with "
        "Redis, different for each replica, and reachable by replicas only",
    )
    secret_key: Annotated[
        Annotated[str, AfterValidator(_check_secret)] | None,
        Names(
            SECRET_KEY_VARIABLE,
            range=f"at least {MIN_SECRET_DIGITS} hexadecimal digits; `openssl rand -hex 32` makes them",
            default="`secret.key` in the data folder",
            is_secret=True,
        ),
    ] = Field(
        default=None,
        repr=False,
        description="secret that signs sessions, links and what replicas pass on; the same in all replicas",
    )
    answers_dir: Annotated[
        Path | None,
        Names(
            "TOOL_BRIDGE_ANSWERS", "--answers", "DIR", range="a folder", default="`files` in the data folder"
        ),
    ] = Field(
        default=None,
        description="folder for answers too long for a message; one that all replicas share gives out an "
        "answer wherever its user is at home",
    )
    drain_s: Annotated[float, Names("TOOL_BRIDGE_DRAIN_SECONDS")] = Field(
        default=5.0,
        ge=0,
        le=MAX_DRAIN_S,
        description="seconds for which a stopping replica still serves, but is not ready, so that the "
        "balancer notices",
    )


def check_cluster(cluster: ClusterSettings, network: NetworkSettings, *, on_postgresql: bool) -> None:
    """Check that settings of replicas are complete.

    Raises:
        SettingsError: something is missing, or has no effect without the rest.
    """
    if cluster.redis_url is None:
        if cluster.replica_url is not None:
            raise SettingsError(
                f"{REPLICA_URL_VARIABLE} has no effect without {REDIS_VARIABLE}: set the address of Redis, "
                "or remove it to run one bridge alone."
            )
        return
    if not on_postgresql:
        raise SettingsError(
            f"{REDIS_VARIABLE} needs PostgreSQL, in which replicas keep what they share: set "
            "TOOL_BRIDGE_DATABASE_URL or --database, or remove it to run one bridge alone."
        )
    if cluster.replica_url is None:
        raise SettingsError(
            f"{REDIS_VARIABLE} needs {REPLICA_URL_VARIABLE} (--replica-url), the address of this replica for "
            "the others, such as http://10.0.0.5:8766."
        )
    if network.public_url is None:
        raise SettingsError(
            f"{REDIS_VARIABLE} needs TOOL_BRIDGE_PUBLIC_URL (--public-url), the address of the balancer in "
            "front of all replicas, such as https://bridge.example."
        )
