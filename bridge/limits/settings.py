"""The limits of a bridge, such as parallelism, durations and failures, and how they change while it runs.

Names, defaults and ranges are those of the programs that this one replaces, where they had them. Takes values
from the environment, the command line, the store and the operator; gives one immutable `Limits`. Knows
nothing of HTTP and SQL.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bridge.errors import BridgeError, ErrorCode

Number: TypeAlias = int | float
Source: TypeAlias = Literal["default", "kept", "given", "changed"]
"""Where a value comes from. default: nobody set it · kept: set in the page and stored · given: by environment
or command line · changed: given, but changed in the page since; the next start restores the given value."""

SetBy: TypeAlias = Literal[
    "call", "tool", "server", "user", "TOOL_TIMEOUT_SECONDS", "TOOL_BATCH_TIMEOUT_SECONDS"
]
"""Which setting determined how long a call may take."""


class Deadline(NamedTuple):
    """How long a call may take once it has its slot, and which setting said so."""

    seconds: float
    set_by: SetBy


class Limits(BaseModel):
    """All limits at one moment. Outside of this program each has its name in capitals."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    max_parallel_tools_per_request: int = Field(
        default=5, ge=1, le=50, description="calls of one request of a caller that run at once"
    )
    max_parallel_tools_per_user: int = Field(
        default=128, ge=1, le=2000, description="calls of one user that run at once"
    )
    max_parallel_tools_per_host: int = Field(
        default=64, ge=1, le=2000, description="calls of one user to one origin that run at once"
    )
    max_parallel_tools_global: int = Field(
        default=200, ge=1, le=2000, description="calls that run at once, of all users"
    )
    calls_per_minute_per_user: int = Field(
        default=6000, ge=1, le=1_000_000, description="calls that one user may make in a minute"
    )
    unauthenticated_per_minute_per_address: int = Field(
        default=600,
        ge=10,
        le=1_000_000,
        description="requests without a valid key that one address may make in a minute",
    )
    max_function_call_loops: int = Field(
        default=25,
        ge=1,
        le=200,
        description="rounds of a model in one answer, where nothing closer says so",
    )
    max_concurrent_requests: int = Field(
        default=200, ge=1, le=2000, description="requests to models that run at once, of all users"
    )
    max_concurrent_requests_per_user: int = Field(
        default=128, ge=1, le=2000, description="requests to models of one user that run at once"
    )
    request_queue_size: int = Field(
        default=500, ge=0, le=10_000, description="requests to models that wait for their turn"
    )
    request_queue_wait_seconds: float = Field(
        default=60, ge=0, le=3600, description="that a request to a model may wait for its turn"
    )
    tool_queue_size: int = Field(
        default=50,
        ge=1,
        le=1000,
        description="waiting calls of one request among which the next one is chosen",
    )
    tool_queue_wait_seconds: float = Field(
        default=120, ge=0, le=3600, description="that a call may wait for its turn; 0: it never waits"
    )
    tool_timeout_seconds: float = Field(
        default=60,
        ge=1,
        le=600,
        description="for one call once it has its turn, where nothing closer says otherwise",
    )
    tool_batch_timeout_seconds: float = Field(
        default=120, ge=1, le=86_400, description="for a whole batch; what has not ended then, ends"
    )
    tool_shutdown_timeout_seconds: float = Field(
        default=10,
        ge=0,
        le=600,
        description="that running calls get when the bridge stops; 0: they end at once",
    )
    page_resume_seconds: float = Field(
        default=1.5,
        ge=0.5,
        le=30,
        description="that calls wait for their page when its connection ends; twenty times that for a card",
    )
    database_wait_seconds: float = Field(
        default=2,
        ge=0.1,
        le=60,
        description="that an answer of a model waits for the database, then it goes on without memory",
    )
    breaker_max_failures: int = Field(
        default=5, ge=1, le=50, description="failures of one tool that open its breaker"
    )
    breaker_window_seconds: float = Field(
        default=60,
        ge=5,
        le=900,
        description="within which failures count, and for which a breaker stays open",
    )


@dataclass(frozen=True, slots=True)
class LimitFacts:
    """One limit, as shown to a person who may change it."""

    name: str
    value: Number
    default: Number
    minimum: Number
    maximum: Number
    meaning: str
    source: Source


OBSOLETE = {
    "TOOL_BATCH_CAP": "calls are no longer run in groups; see MAX_PARALLEL_TOOLS_PER_REQUEST",
    "TOOL_IDLE_TIMEOUT_SECONDS": "nothing idles: calls run as they come; see TOOL_QUEUE_WAIT_SECONDS",
    "BREAKER_HISTORY_SIZE": "every failure within BREAKER_WINDOW_SECONDS counts",
}
"""Settings of the source documents that no longer have a meaning (ruling 30): name to what replaced them."""

DEFAULTS = Limits()
NAMES = tuple(name.upper() for name in Limits.model_fields)


class LimitStore(Protocol):
    """Stores limits that were set in the page across restarts."""

    async def load_limits(self) -> Mapping[str, Number]:
        """Return the stored values by name."""
        ...

    async def save_limits(self, values: Mapping[str, Number | None]) -> None:
        """Store these values and delete those that are None; committed when this returns."""
        ...


class LiveLimits:
    """The limits in force, and the only way to change them. All methods run on one event loop."""

    def __init__(
        self, store: LimitStore, given: Mapping[str, Number], *, warn: Callable[[str], None]
    ) -> None:
        """`given`: values from environment and command line; at a start they override stored ones."""
        self._store = store
        self._warn = warn
        self._given = dict(given)
        self._kept: dict[str, Number] = {}
        self._changed: dict[str, Number] = {}
        self._listeners: list[Callable[[], None]] = []
        self._changing = asyncio.Lock()
        self._now = build_limits(self._given)

    @property
    def now(self) -> Limits:
        """The limits in force."""
        return self._now

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call `listener` after every change."""
        self._listeners.append(listener)

    async def load_stored(self) -> None:
        """Read the stored limits; a value that is no longer allowed is left out with a warning."""
        for name, value in (await self._store.load_limits()).items():
            try:
                refuse_unknown([name])
                self._kept[name] = _number(name, value)
            except BridgeError as error:
                self._warn(f"A kept limit is left out: {error.error.message}")
        self._settle()

    async def change_limits(self, changes: Mapping[str, object]) -> list[str]:
        """Change limits by name; None undoes a change. Returns warnings about obsolete names.

        All changes apply or none. A limit given by the environment or the command line is changed until the
        next start, any other permanently.

        Raises:
            BridgeError: `invalid_request`: no such limit, or out of its range.
        """
        wanted = {name: value for name, value in changes.items() if name not in OBSOLETE}
        refuse_unknown(wanted)
        numbers = {name: None if value is None else _number(name, value) for name, value in wanted.items()}
        await asyncio.shield(self._apply(numbers))
        return [obsolete_warning(name) for name in changes if name in OBSOLETE]

    def list_limits(self) -> list[LimitFacts]:
        """Return every limit with its range and the source of its value."""
        return [
            LimitFacts(
                name=name,
                value=getattr(self._now, name.lower()),
                default=getattr(DEFAULTS, name.lower()),
                minimum=range_of(name)[0],
                maximum=range_of(name)[1],
                meaning=Limits.model_fields[name.lower()].description or "",
                source=self._source(name),
            )
            for name in NAMES
        ]

    async def _apply(self, numbers: Mapping[str, Number | None]) -> None:
        """Store and apply the values; shielded, so that a client hanging up cannot part store and memory."""
        async with self._changing:
            await self._store.save_limits({n: v for n, v in numbers.items() if n not in self._given})
            for name, number in numbers.items():
                place = self._changed if name in self._given else self._kept
                place.pop(name, None)
                if number is not None:
                    place[name] = number
            self._settle()

    def _settle(self) -> None:
        self._now = build_limits({**self._kept, **self._given, **self._changed})
        for listener in self._listeners:
            listener()

    def _source(self, name: str) -> Source:
        if name in self._given:
            return "changed" if name in self._changed else "given"
        return "kept" if name in self._kept else "default"


def read_given(texts: Mapping[str, str]) -> tuple[dict[str, Number], list[str]]:
    """Return the limits among environment variables or options, and warnings about obsolete ones.

    Raises:
        BridgeError: `invalid_request`: a value that is no number or out of its range.
    """
    given = {name: _number(name, _parsed(texts[name])) for name in NAMES if texts.get(name, "").strip()}
    build_limits(given)
    return given, [obsolete_warning(name) for name in OBSOLETE if name in texts]


def obsolete_warning(name: str) -> str:
    """Return the warning for somebody who set an obsolete limit."""
    return f"{name} has no effect any more: {OBSOLETE[name]}."


def refuse_unknown(names: Iterable[str]) -> None:
    """Raise BridgeError `invalid_request` for a name that is no limit; the message lists the limits."""
    for name in names:
        if name not in NAMES and name not in OBSOLETE:
            message = f"There is no limit {name[:100]!r}. The limits are {', '.join(NAMES)}."
            raise BridgeError(ErrorCode.INVALID_REQUEST, message, detail={"field": name[:100]})


def range_of(name: str) -> tuple[Number, Number]:
    """Return the minimum and the maximum of a limit."""
    metadata = Limits.model_fields[name.lower()].metadata
    least = next(entry.ge for entry in metadata if hasattr(entry, "ge"))
    most = next(entry.le for entry in metadata if hasattr(entry, "le"))
    return least, most


def build_limits(values: Mapping[str, Number]) -> Limits:
    """Return `Limits` with these values, by name.

    Raises:
        BridgeError: `invalid_request`, naming the range.
    """
    try:
        return Limits.model_validate({name.lower(): value for name, value in values.items()}, strict=True)
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0]).upper()
        raise _out_of_range(name, values.get(name)) from None


def _parsed(text: str) -> object:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text.strip()


def _number(name: str, value: object) -> Number:
    """Return `value` as a number this limit accepts: for some limits only whole numbers make sense."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _out_of_range(name, value)
    if _is_whole(name) and isinstance(value, float):
        if not value.is_integer():
            raise _out_of_range(name, value)
        value = int(value)
    build_limits({name: value})
    return value


def _is_whole(name: str) -> bool:
    return Limits.model_fields[name.lower()].annotation is int


def _out_of_range(name: str, value: object) -> BridgeError:
    least, most = range_of(name)
    kind = "a whole number" if _is_whole(name) else "a number"
    message = f"{name} must be {kind} from {least:g} to {most:g}, not {repr(value)[:100]}."
    return BridgeError(
        ErrorCode.INVALID_REQUEST, message, detail={"field": name, "minimum": least, "maximum": most}
    )
