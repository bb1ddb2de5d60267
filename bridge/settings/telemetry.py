"""What a bridge tells about itself: who may read its metrics, and how it logs."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import AfterValidator, Field

from bridge.settings.declaration import Choice, CommaSeparated, Names, Section

LogFormat: TypeAlias = Literal["text", "json"]

MIN_TOKEN_CHARS = 16
"""Of the token for `/metrics`, so that nobody can guess it."""


def _long_enough(token: str) -> str:
    if len(token) < MIN_TOKEN_CHARS:
        raise ValueError(
            f"is too short: it needs {MIN_TOKEN_CHARS} characters; openssl rand -hex 32 makes one"
        )
    return token


_LEVEL = re.compile(r"(?P<part>[a-z_]+(\.[a-z_]+)*)=(?P<level>debug|info|warning|error)")


def _parts_exist(levels: tuple[str, ...]) -> tuple[str, ...]:
    for each in levels:
        found = _LEVEL.fullmatch(each)
        if found is None:
            raise ValueError("must be parts with their levels: cluster=debug,providers=warning")
        if not _is_part(found["part"]):
            raise ValueError(f"must name packages of bridge/; {found['part']} is none")
    return levels


def _is_part(name: str) -> bool:
    try:
        return find_spec(f"bridge.{name}") is not None
    except ModuleNotFoundError:  # of a part of something that is no package
        return False


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
        AfterValidator(_parts_exist),
        Names(
            "TOOL_BRIDGE_LOG_LEVELS",
            "--log-level-of",
            "PART=LEVEL",
            range="parts with their levels: `cluster=debug,providers=warning`",
            see="[logs](../how-to/watch-a-bridge.md#read-the-log)",
        ),
    ] = Field(
        default=(),
        description="levels of parts of the bridge, by the names of its packages, where they differ from "
        "`LOG_LEVEL`",
    )
