"""The limits of a bridge, such as parallelism, durations and failures, as they are at one moment.

Names, defaults and ranges are those of the programs that this one replaces, where they had them.
`bridge.calls.limits.settings` changes them while the bridge runs.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, TypeAlias

from pydantic import Field

from bridge.settings.declaration import Names, Section, bounds_of, settings_of_section

Number: TypeAlias = int | float

Fixed = Annotated[int, Names(is_fixed=True)]
"""A constant among the limits, which only code changes, such as that of a test."""

FixedSeconds = Annotated[float, Names(is_fixed=True)]
"""The same in seconds."""

MAX_OPEN_CALLS_PER_USER = 1000
"""Maximum number of calls of one user that run or wait; the next one is refused with `queue_full`. Chosen."""


class Limits(Section):
    """All limits at one moment. In the database and in the API each has its name in capitals."""

    title: ClassVar[str] = "Limits"

    max_parallel_tools_per_request: Annotated[int, Names(alias="MAX_PARALLEL_TOOLS_PER_REQUEST")] = Field(
        default=5,
        ge=1,
        le=50,
        description="concurrent calls of one request: a batch, or one message of Open WebUI",
    )
    max_parallel_tools_per_user: Fixed = Field(
        default=128, ge=1, le=2000, description="concurrent calls of one user"
    )
    """Keeps one user from taking what all share. Chosen."""
    max_parallel_tools_per_host: Fixed = Field(
        default=64, ge=1, le=2000, description="concurrent calls of one user to one origin"
    )
    """Keeps one user from flooding an API. Chosen."""
    max_parallel_tools_global: Annotated[int, Names(alias="MAX_PARALLEL_TOOLS_GLOBAL")] = Field(
        default=200, ge=1, le=2000, description="concurrent calls of all users; replicas divide it among them"
    )
    calls_per_minute_per_user: Annotated[int, Names(alias="CALLS_PER_MINUTE_PER_USER")] = Field(
        default=6000,
        ge=1,
        le=1_000_000,
        description="calls of one user in a minute, through any endpoint and with any outcome; then "
        "`rate_limited`",
    )
    unauthenticated_per_minute_per_address: Annotated[
        int, Names(alias="UNAUTHENTICATED_PER_MINUTE_PER_ADDRESS")
    ] = Field(
        default=600,
        ge=10,
        le=1_000_000,
        description="requests of one address in a minute without a valid key or session; then `rate_limited` "
        "instead of `unauthorized`",
    )
    max_function_call_loops: Annotated[int, Names(alias="MAX_FUNCTION_CALL_LOOPS")] = Field(
        default=25,
        ge=1,
        le=200,
        description="rounds of a model in one answer, in `/v1` and in conversations, unless the request or "
        "its model sets another number; while nobody sets it, conversations have 9, and the answer "
        "after them",
    )
    max_concurrent_requests: Annotated[int, Names(alias="MAX_CONCURRENT_REQUESTS")] = Field(
        default=200,
        ge=1,
        le=2000,
        description="concurrent requests to models, of all users; replicas divide it among them",
    )
    max_concurrent_requests_per_user: Fixed = Field(
        default=128, ge=1, le=2000, description="concurrent requests to models, of one user"
    )
    """Keeps one user from taking what all share. Chosen."""
    request_queue_size: Fixed = Field(
        default=500,
        ge=0,
        le=10_000,
        description="waiting requests to models, served round-robin between users; when more come, the last "
        "request of the user with the most gets `server_busy`",
    )
    """As in the OpenRouter pipe."""
    request_queue_wait_seconds: FixedSeconds = Field(
        default=60,
        ge=0,
        le=3600,
        description="seconds that a request to a model may wait; then `server_busy`",
    )
    """Chosen: callers and proxies wait about as long for a first byte."""
    tool_queue_size: Fixed = Field(
        default=50,
        ge=1,
        le=1000,
        description="waiting calls of one request that are in the queue; further ones wait to enter it",
    )
    """As in the OpenRouter pipe (S0-70), where it is a constant, too."""
    tool_queue_wait_seconds: Annotated[float, Names(alias="TOOL_QUEUE_WAIT_SECONDS")] = Field(
        default=120,
        ge=0,
        le=3600,
        description="seconds that a call may wait for its slot; then `queue_full`. 0: it never waits",
    )
    tool_timeout_seconds: Annotated[
        float, Names(option="--deadline", value="SECONDS", alias="TOOL_TIMEOUT_SECONDS")
    ] = Field(
        default=60,
        ge=1,
        le=600,
        description="deadline of one call in seconds, from its slot on, unless a more specific one is set",
    )
    tool_batch_timeout_seconds: Annotated[float, Names(alias="TOOL_BATCH_TIMEOUT_SECONDS")] = Field(
        default=120,
        ge=1,
        le=86_400,
        description="deadline of a whole batch in seconds; ends only the calls that have not ended",
    )
    tool_shutdown_timeout_seconds: Annotated[float, Names(alias="TOOL_SHUTDOWN_TIMEOUT_SECONDS")] = Field(
        default=10,
        ge=0,
        le=600,
        description="seconds that running calls get when the bridge stops; 0: they end immediately",
    )
    page_resume_seconds: Annotated[float, Names(alias="PAGE_RESUME_SECONDS")] = Field(
        default=1.5,
        ge=0.5,
        le=30,
        description="seconds that calls wait for their page when its connection ends; a call that waits for "
        "approval waits twenty times as long",
    )
    database_wait_seconds: FixedSeconds = Field(
        default=2,
        ge=0.1,
        le=60,
        description="seconds that an answer of a model waits for the database each time; then it continues "
        "without memory",
    )
    """Chosen: longer than any write of a database that is well, short enough for who waits for an answer."""
    breaker_max_failures: Annotated[int, Names(alias="BREAKER_MAX_FAILURES")] = Field(
        default=5,
        ge=1,
        le=50,
        description="failures of one tool that open its circuit breaker; the same for one user's requests to "
        "a provider of models",
    )
    breaker_window_seconds: Annotated[float, Names(alias="BREAKER_WINDOW_SECONDS")] = Field(
        default=60,
        ge=5,
        le=900,
        description="seconds within which failures count, and for which a circuit breaker stays open",
    )


DEFAULTS = Limits()
_SETTINGS = {setting.field.upper(): setting for setting in settings_of_section(Limits)}

NAMES = tuple(_SETTINGS)
"""Names of the limits that can be set, as the database and the API have them: without `OWN_PREFIX`."""


def range_of(name: str) -> tuple[Number, Number]:
    """Return the minimum and the maximum of a limit."""
    least, most = bounds_of(Limits.model_fields[name.lower()])
    if least is None or most is None:
        raise AssertionError(f"{name} has no range")
    return least, most


def name_in_full(name: str) -> str:
    """Return all names of a limit, because who reads of it may have set it under any of them."""
    return _SETTINGS[name].full_name


def variable_of(name: str) -> str:
    """Return the environment variable of a limit."""
    return _SETTINGS[name].variable


def given_limits(limits: Limits) -> dict[str, Number]:
    """Return the limits that environment, command line or code set, by name."""
    return {name.upper(): getattr(limits, name) for name in sorted(limits.model_fields_set)}
