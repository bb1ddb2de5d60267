"""Environment settings for how models are asked where neither the caller nor the model's settings decide.

Names, defaults and ranges are those of the programs that this one replaces.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from bridge.settings.models import ModelsFileError

_NONE = frozenset({"none", "null", "off", "inherit"})


def _none(value: object) -> object:
    return None if isinstance(value, str) and value.strip().lower() in _NONE else value


MayBeNone = BeforeValidator(_none)
Results: TypeAlias = Annotated[int, Field(ge=1, le=10)]
ContextSize: TypeAlias = Literal["low", "medium", "high"]
Summary: TypeAlias = Literal["auto", "concise", "detailed"]
Truncation: TypeAlias = Literal["auto", "disabled"]
LogLevel: TypeAlias = Literal["debug", "info", "warning", "error"]


class ModelDefaults(BaseModel):
    """All of them. Outside of this program each has its name in capitals."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    enable_web_search_tool: bool = True
    """Whether models that can search the web do so unasked; otherwise only when a request wants it."""
    web_search_max_results: Annotated[Results | None, MayBeNone] = 3
    """Maximum number of results; None: the provider decides."""
    search_context_size: Annotated[ContextSize | None, MayBeNone] = "medium"
    """How much of the search results a model reads; None: the provider decides."""
    truncation: Annotated[Truncation | None, MayBeNone] = "auto"
    """How an input that is too long is handled: its middle is dropped, or it is refused. None: not sent."""
    enable_reasoning_summary: Annotated[Summary | None, MayBeNone] = None
    """How reasoning models summarize their reasoning; None: no summary is requested."""
    show_tool_cards: bool | None = None
    """Whether answers show calls; None: only answers to forwarders do."""
    streaming_delta_char_limit: int = Field(default=0, ge=0, le=8192)
    """Maximum characters up to which deltas in quick succession are coalesced; 0: none are."""
    streaming_idle_flush_ms: int = Field(default=30, ge=1, le=1000)
    """Maximum milliseconds that a delta waits for others."""
    log_level: LogLevel = "info"
    """Level of the program's log; with `debug`, every request also has a log of its own."""
    request_logs: Literal["off", "own", "all"] = "own"
    """Which requests may have a log for their caller: none, those with keys of one user, or all."""


OBSOLETE = {
    "STREAMING_NAGLE_MIN_FLUSH_CHARS": "what waits leaves after STREAMING_IDLE_FLUSH_MS, however little",
    "SSE_WORKERS_PER_REQUEST": "events are read in their order, as they come",
    "STREAMING_CHUNK_QUEUE_MAXSIZE": "a turn waits for a slow reader by itself",
    "STREAMING_EVENT_QUEUE_MAXSIZE": "a turn waits for a slow reader by itself",
}
"""Settings of the source documents that no longer have a meaning (ruling 30): name to what replaced them."""

NAMES = tuple(name.upper() for name in ModelDefaults.model_fields)


def read_defaults(environ: Mapping[str, str]) -> tuple[ModelDefaults, list[str]]:
    """Return the defaults that an environment sets, and warnings about obsolete names.

    Raises:
        ModelsFileError: a value that cannot be used; the message names the variable.
    """
    said = {name.lower(): environ[name].strip() for name in NAMES if environ.get(name, "").strip()}
    try:
        read = ModelDefaults.model_validate({name: value.lower() for name, value in said.items()})
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = str(first["loc"][0])
        what = first["msg"].replace("Input should", "must").replace("must be be", "must be")
        raise ModelsFileError(f"{name.upper()} {what}, not {said[name][:100]!r}.") from None
    warnings = [f"{name} has no effect any more: {OBSOLETE[name]}." for name in OBSOLETE if name in environ]
    return read, warnings
