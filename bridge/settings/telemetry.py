"""Who may read what a bridge measures."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field

from bridge.settings.declaration import Names, Section

MIN_TOKEN_CHARS = 16
"""Of the token for `/metrics`, so that nobody can guess it."""


def _long_enough(token: str) -> str:
    if len(token) < MIN_TOKEN_CHARS:
        raise ValueError(
            f"is too short: it needs {MIN_TOKEN_CHARS} characters; openssl rand -hex 32 makes one"
        )
    return token


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
