"""How the limits of a bridge change while it runs.

Takes the values of environment and command line, those of the store and the operator's; gives one immutable
`Limits`. Knows nothing of HTTP and SQL.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeAlias

from pydantic import ValidationError

from bridge.errors import BridgeError, ErrorCode
from bridge.settings.declaration import OWN_PREFIX
from bridge.settings.limits import DEFAULTS, NAMES, Limits, Number, range_of, variable_of

Source: TypeAlias = Literal["default", "kept", "given", "changed"]
"""Where a value comes from. default: nobody set it · kept: set in the page and stored · given: by environment
or command line · changed: given, but changed in the page since; the next start restores the given value."""

SetBy: TypeAlias = Literal[
    "call", "tool", "server", "user", "TOOL_TIMEOUT_SECONDS", "TOOL_BATCH_TIMEOUT_SECONDS"
]
"""Which setting determined how long a call may take."""


_OF_ALL_USERS = ("max_parallel_tools_global", "max_concurrent_requests")
"""Limits on what all users do at the same time."""


class Deadline(NamedTuple):
    """How long a call may take once it has its slot, and which setting said so."""

    seconds: float
    set_by: SetBy


@dataclass(frozen=True, slots=True)
class LimitFacts:
    """One limit, as shown to a person who may change it."""

    name: str
    variable: str
    """Environment variable that sets it at a start."""
    value: Number
    default: Number
    minimum: Number
    maximum: Number
    meaning: str
    source: Source


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
        self,
        store: LimitStore,
        given: Mapping[str, Number],
        *,
        warn: Callable[[str], None],
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        """`given`: values from environment and command line; at a start they override stored ones.

        `on_change` is called after every change.
        """
        self._store = store
        self._warn = warn
        self._given = dict(given)
        self._kept: dict[str, Number] = {}
        self._changed: dict[str, Number] = {}
        self._on_change = on_change
        self._changing = asyncio.Lock()
        self._chosen = build_limits(self._given)
        self._replicas = 1
        self.now = self._chosen
        """The limits in force in this process: with several replicas, its share of what all may do."""

    def divide_among(self, replicas: int) -> None:
        """Take a share of what is allowed to all users together, rounded up; each replica takes as much.

        `replicas`: the number of live ones, this one included; one that does not see itself counts as one.
        """
        if (replicas := max(replicas, 1)) != self._replicas:
            self._replicas = replicas
            self._settle()

    async def load_stored(self) -> None:
        """Read the stored limits, at the start and after another replica changed them.

        Leaves out, with a warning, a value that is no longer allowed and a name that is no longer a limit. A
        change to None removes either.

        Raises:
            BridgeError: `database_unavailable`.
        """
        async with self._changing:
            kept: dict[str, Number] = {}
            for name, value in (await self._store.load_limits()).items():
                try:
                    refuse_unknown([name])
                    kept[name] = _number(name, value)
                except BridgeError as error:
                    self._warn(f"A stored limit is ignored until it is undone: {error.error.message}")
            if kept != self._kept:
                self._kept = kept
                self._settle()

    async def change_limits(self, changes: Mapping[str, object]) -> None:
        """Change limits by name, or by variable; None undoes a change.

        All changes apply or none. A limit given by the environment or the command line is changed until the
        next start, any other permanently.

        Raises:
            BridgeError: `invalid_request`: no such limit, or out of its range.
        """
        wanted = {name.removeprefix(OWN_PREFIX): value for name, value in changes.items()}
        refuse_unknown(name for name, value in wanted.items() if value is not None)
        numbers = {name: None if value is None else _number(name, value) for name, value in wanted.items()}
        await asyncio.shield(self._apply(numbers))

    def list_limits(self) -> list[LimitFacts]:
        """Return every limit with its range and the source of its value."""
        return [
            LimitFacts(
                name=name,
                variable=variable_of(name),
                value=getattr(self._chosen, name.lower()),
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
        self._chosen = build_limits({**self._kept, **self._given, **self._changed})
        self.now = _divide(self._chosen, self._replicas)
        self._on_change()

    def _source(self, name: str) -> Source:
        if name in self._given:
            return "changed" if name in self._changed else "given"
        return "kept" if name in self._kept else "default"


def refuse_unknown(names: Iterable[str]) -> None:
    """Raise BridgeError `invalid_request` for a name that is no limit; the message lists the limits."""
    for name in names:
        if name not in NAMES:
            message = f"There is no limit {name[:100]!r}. The limits are {', '.join(NAMES)}."
            raise BridgeError(ErrorCode.INVALID_REQUEST, message, detail={"field": name[:100]})


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


def _divide(limits: Limits, replicas: int) -> Limits:
    """Return the share of one replica: no user's limit is divided, because a user is at home in one."""
    if replicas == 1:
        return limits
    shares = {name: math.ceil(getattr(limits, name) / replicas) for name in _OF_ALL_USERS}
    return limits.model_copy(update=shares)


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
