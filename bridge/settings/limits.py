"""The limits of a bridge, such as parallelism, durations and failures, as they are at one moment.

Names, defaults and ranges are those of the programs that this one replaces, where they had them.
`bridge.limits.settings` changes them while the bridge runs.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, TypeAlias

from pydantic import Field

from bridge.settings.declaration import Names, Section, bounds_of, settings_of_section

Number: TypeAlias = int | float

Fixed = Annotated[int, Names(is_fixed=True)]
"""A constant among the limits: it keeps one user, or one host, from taking what all share."""

MAX_OPEN_CALLS_PER_USER = 1000
"""Maximum number of calls of one user that run or wait; the next one is refused with `queue_full`. Chosen."""


class Limits(Section):
    """All limits at one moment. Outside of this program each has its name in capitals."""

    title: ClassVar[str] = "Limits"

    max_parallel_tools_per_request: int = Field(
        default=5,
        ge=1,
        le=50,
        description="concurrent calls of one request: a batch, or one message of Open WebUI",
    )
    max_parallel_tools_per_user: Fixed = Field(
        default=128, ge=1, le=2000, description="concurrent calls of one user"
    )
    max_parallel_tools_per_host: Fixed = Field(
        default=64, ge=1, le=2000, description="concurrent calls of one user to one origin"
    )
    max_parallel_tools_global: int = Field(
        default=200, ge=1, le=2000, description="concurrent calls of all users; replicas divide it among them"
    )
    calls_per_minute_per_user: int = Field(
        default=6000,
        ge=1,
        le=1_000_000,
        description="calls of one user in a minute, through any endpoint and with any outcome; then "
        "`rate_limited`",
    )
    unauthenticated_per_minute_per_address: int = Field(
        default=600,
        ge=10,
        le=1_000_000,
        description="requests of one address in a minute without a valid key or session; then `rate_limited` "
        "instead of `unauthorized`",
    )
    max_function_call_loops: int = Field(
        default=25,
        ge=1,
        le=200,
        description="rounds of a model in one answer, in `/v1` and in conversations, unless the request or "
        "its model sets another number; while nobody sets it, conversations have 9, and the answer "
        "after them",
    )
    max_concurrent_requests: int = Field(
        default=200,
        ge=1,
        le=2000,
        description="concurrent requests to models, of all users; replicas divide it among them",
    )
    max_concurrent_requests_per_user: Fixed = Field(
        default=128, ge=1, le=2000, description="concurrent requests to models, of one user"
    )
    request_queue_size: int = Field(
        default=500,
        ge=0,
        le=10_000,
        description="waiting requests to models, served round-robin between users; when more come, the last "
        "request of the user with the most gets `server_busy`",
    )
    request_queue_wait_seconds: float = Field(
        default=60,
        ge=0,
        le=3600,
        description="seconds that a request to a model may wait; then `server_busy`",
    )
    tool_queue_size: int = Field(
        default=50,
        ge=1,
        le=1000,
        description="waiting calls of one request that are in the queue; further ones wait to enter it",
    )
    tool_queue_wait_seconds: float = Field(
        default=120,
        ge=0,
        le=3600,
        description="seconds that a call may wait for its slot; then `queue_full`. 0: it never waits",
    )
    tool_timeout_seconds: Annotated[float, Names(option="--deadline", value="SECONDS")] = Field(
        default=60,
        ge=1,
        le=600,
        description="deadline of one call in seconds, from its slot on, unless a more specific one is set",
    )
    tool_batch_timeout_seconds: float = Field(
        default=120,
        ge=1,
        le=86_400,
        description="deadline of a whole batch in seconds; ends only the calls that have not ended",
    )
    tool_shutdown_timeout_seconds: float = Field(
        default=10,
        ge=0,
        le=600,
        description="seconds that running calls get when the bridge stops; 0: they end immediately",
    )
    page_resume_seconds: float = Field(
        default=1.5,
        ge=0.5,
        le=30,
        description="seconds that calls wait for their page when its connection ends; a call that waits for "
        "approval waits twenty times as long",
    )
    database_wait_seconds: float = Field(
        default=2,
        ge=0.1,
        le=60,
        description="seconds that an answer of a model waits for the database each time; then it continues "
        "without memory",
    )
    breaker_max_failures: int = Field(
        default=5,
        ge=1,
        le=50,
        description="failures of one tool that open its circuit breaker; the same for one user's requests to "
        "a provider of models",
    )
    breaker_window_seconds: float = Field(
        default=60,
        ge=5,
        le=900,
        description="seconds within which failures count, and for which a circuit breaker stays open",
    )


DEFAULTS = Limits()
NAMES = tuple(setting.variable for setting in settings_of_section(Limits))
"""Names of the limits that can be set."""


def range_of(name: str) -> tuple[Number, Number]:
    """Return the minimum and the maximum of a limit."""
    least, most = bounds_of(Limits.model_fields[name.lower()])
    if least is None or most is None:
        raise AssertionError(f"{name} has no range")
    return least, most


def name_in_full(name: str) -> str:
    """Return all names of a limit, because who reads of it may have set it under any of them."""
    return next(each.full_name for each in settings_of_section(Limits) if each.variable == name)


def given_limits(limits: Limits) -> dict[str, Number]:
    """Return the limits that environment, command line or code set, by name in capitals."""
    return {name.upper(): getattr(limits, name) for name in sorted(limits.model_fields_set)}
