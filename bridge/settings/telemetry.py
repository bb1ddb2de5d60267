"""What a bridge tells about itself: who may read its metrics, how it logs, and where its traces go."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar, Literal, TypeAlias, get_args
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from bridge.extras import is_installed
from bridge.settings.declaration import Choice, CommaSeparated, Names, Section
from bridge.settings.log_levels import LogLevel, nearest_level

TRACES_VARIABLE = "TOOL_BRIDGE_TRACES_ENDPOINT"

_TRACES_ADDRESS = "`http://host:4318/v1/traces`, or the same with `https:`"

LogFormat: TypeAlias = Literal["text", "json"]

MIN_TOKEN_CHARS = 16
"""Of the token for `/metrics`, so that nobody can guess it."""


def _long_enough(token: str) -> str:
    if len(token) < MIN_TOKEN_CHARS:
        raise ValueError(
            f"is too short: it needs {MIN_TOKEN_CHARS} characters; openssl rand -hex 32 makes one"
        )
    return token


def _check_endpoint(url: str) -> str:
    if not _is_endpoint(url):
        raise ValueError(f"must be the whole address of the collector: {_TRACES_ADDRESS}")
    return url


def _is_endpoint(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and parts.port != 0
            and parts.path not in ("", "/")
        )
    except ValueError:
        return False


_LEVEL = re.compile(r"(?P<part>[a-z_]+(\.[a-z_]+)*)=(?P<level>\w+)")


def _known_parts(levels: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(_known_part, levels))


def _known_part(entry: str) -> str:
    found = _LEVEL.fullmatch(entry)
    level = nearest_level(found["level"]) if found else ""
    if found is None or level not in get_args(LogLevel):
        raise ValueError("must be parts with their levels: cluster=debug,models.providers=warning")
    if not _is_part(part := found["part"]):
        hint = f"; it is models.{part} now" if _is_part(f"models.{part}") else ""
        raise ValueError(f"must name packages of bridge/; {part} is none{hint}")
    return f"{found['part']}={level}"


def _is_part(name: str) -> bool:
    return is_installed(f"bridge.{name}")


class TelemetrySettings(Section):
    """What a bridge tells about itself, and whom."""

    title: ClassVar[str] = "Telemetry"

    metrics_token: Annotated[
        Annotated[str, AfterValidator(_long_enough)] | None,
        Names(
            "TOOL_BRIDGE_METRICS_TOKEN",
            "--metrics-token",
            "FILE",
            range=f"at least {MIN_TOKEN_CHARS} characters; the option names a file",
            is_secret=True,
            option_names_file=True,
            see="[metrics](../how-to/watch-a-bridge.md)",
        ),
    ] = Field(
        default=None,
        repr=False,
        description="token with which Prometheus may read `/metrics`, and nothing else; without it only an "
        "API key of the operator may",
    )
    log_format: Annotated[LogFormat, Choice, Names("TOOL_BRIDGE_LOG_FORMAT", "--log-format", "FORMAT")] = (
        Field(
            default="text",
            description="form of the lines on standard error; json: an object on each, for programs that "
            "collect logs",
        )
    )
    log_levels: Annotated[
        tuple[str, ...],
        CommaSeparated,
        AfterValidator(_known_parts),
        Names(
            "TOOL_BRIDGE_LOG_LEVELS",
            "--log-level-of",
            "PART=LEVEL",
            range="parts with their levels: `cluster=debug,models.providers=warning`",
            see="[logs](../how-to/watch-a-bridge.md#read-the-log)",
        ),
    ] = Field(
        default=(),
        description="levels of parts of the bridge, by the names of its packages, where they differ from "
        "`TOOL_BRIDGE_LOG_LEVEL`",
    )
    traces_endpoint: Annotated[
        Annotated[str, AfterValidator(_check_endpoint)] | None,
        Names(
            TRACES_VARIABLE,
            "--traces-endpoint",
            "URL",
            range=_TRACES_ADDRESS,
            see="[traces](../how-to/read-a-trace.md)",
        ),
    ] = Field(
        default=None,
        description="collector that is sent traces, by OTLP over HTTP; needs the extra `tracing`",
    )
    traces_ratio: Annotated[float, Names("TOOL_BRIDGE_TRACES_RATIO", "--traces-ratio", "SHARE")] = Field(
        default=1.0,
        ge=0,
        le=1,
        description="share of the traces that begin at the bridge which are recorded; of the others their "
        "beginner has decided",
    )
