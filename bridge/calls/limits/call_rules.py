"""The rules of the call queue: its limits, and errors that name the limit that was reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from bridge.calls.limits.fair_queue import EVERYBODY, USER, OpenEntries, SharedResource
from bridge.errors import BridgeError, ErrorCode
from bridge.settings.limits import NAMES, Limits, variable_of

MAX_OPEN_CALLS = 10_000
"""Maximum number of open calls of all users: running, waiting for a slot, or waiting for approval. The next
one is refused immediately. Chosen."""

MIB = 1024 * 1024

MAX_OPEN_BYTES_PER_USER = 64 * MIB
MAX_OPEN_BYTES = 256 * MIB
"""Maximum memory of the arguments of one user's open calls, and of those of all users; the next call is
refused immediately. A call may have 1 MiB of arguments, but few have 1 KiB. Chosen."""

_MOST_OF_ALL = OpenEntries(MAX_OPEN_CALLS, MAX_OPEN_BYTES)

REQUEST, HOST, SERVER, OPERATION, IN_ORDER = "request", "host", "server", "operation", "in_order"
"""Kinds of what the calls of a user share."""

_LIMIT_NAMES = {
    REQUEST: "MAX_PARALLEL_TOOLS_PER_REQUEST",
    HOST: "MAX_PARALLEL_TOOLS_PER_HOST",
    USER: "MAX_PARALLEL_TOOLS_PER_USER",
    EVERYBODY: "MAX_PARALLEL_TOOLS_GLOBAL",
}

_USER_SETTINGS = {
    SERVER: "this server already runs as many calls as its user allows",
    OPERATION: "this tool already runs as many calls as its user allows",
    IN_ORDER: "calls of this server that change something run one after another",
}


class SlotKey(NamedTuple):
    """What a call belongs to; each part may be limited."""

    user_id: str
    group: str | None
    """One request of a caller, such as a batch or a round of a chat; None: the call belongs to no request."""
    origin: str
    """Origin the call's request goes to; empty: not known."""
    server_id: str
    operation_key: str
    server_parallel: int | None = None
    """Maximum number of calls of the server that run in parallel, as its user has set it."""
    operation_parallel: int | None = None
    in_order: bool = False
    """At most one such call of the server runs at a time, in the order in which the calls arrived."""

    def list_resources(self) -> Sequence[SharedResource]:
        """Return what the call shares with other calls of its user."""
        operation = f"{self.server_id} {self.operation_key}"
        resources = [
            SharedResource(SERVER, self.server_id, self.server_parallel),
            SharedResource(OPERATION, operation, self.operation_parallel),
        ]
        if self.origin:
            resources.append(SharedResource(HOST, self.origin))
        if self.group is not None:
            resources.append(SharedResource(REQUEST, self.group, is_group=True))
        if self.in_order:
            resources.append(SharedResource(IN_ORDER, self.server_id, 1))
        return resources


class CallRules:
    """Implements `QueueRules` for calls; an entry that is granted holds a slot."""

    def __init__(self, limits: Callable[[], Limits], *, max_open_calls_per_user: int) -> None:
        """`limits` is read each time."""
        self._limits = limits
        self._most_of_user = OpenEntries(max_open_calls_per_user, MAX_OPEN_BYTES_PER_USER)

    @property
    def total_limit(self) -> int:
        """`MAX_PARALLEL_TOOLS_GLOBAL`."""
        return self._limits().max_parallel_tools_global

    @property
    def user_limit(self) -> int:
        """`MAX_PARALLEL_TOOLS_PER_USER`."""
        return self._limits().max_parallel_tools_per_user

    @property
    def group_limit(self) -> int:
        """`Limits.tool_queue_size`."""
        return self._limits().tool_queue_size

    def limits_by_kind(self) -> Mapping[str, int]:
        """Return `MAX_PARALLEL_TOOLS_PER_REQUEST` and `MAX_PARALLEL_TOOLS_PER_HOST`."""
        limits = self._limits()
        return {
            REQUEST: limits.max_parallel_tools_per_request,
            HOST: limits.max_parallel_tools_per_host,
        }

    def check_open(self, of_user: OpenEntries, of_all: OpenEntries) -> None:
        """Refuse a call when too many would be open with it, or their arguments too large together.

        Raises:
            BridgeError: `queue_full`.
        """
        most, most_of_all = self._most_of_user, _MOST_OF_ALL
        is_within = of_user.number <= most.number and of_user.bytes <= most.bytes
        if is_within and of_all.number <= most_of_all.number and of_all.bytes <= most_of_all.bytes:
            return
        _check_open(of_user, most, " of this user", "Wait for one of them to end.")
        _check_open(of_all, most_of_all, "", "Try again when some of them have ended.")

    def timeout_error(self, full: str, seconds: float) -> BridgeError:
        """Return `queue_full`, with the limit that had no room."""
        waits = f"no slot became free within {seconds:g} s" if seconds else "no slot is free"
        reason = _USER_SETTINGS.get(full) or f"{_shown_name(_LIMIT_NAMES[full])} is reached"
        message = f"The call was not made: {waits}, because {reason}. Try again with fewer calls at once."
        return _queue_full(message, {"full": _LIMIT_NAMES.get(full, full), "waited_s": seconds})

    def closed_error(self) -> BridgeError:
        """Return `no_browser`."""
        message = "The bridge is stopping. The call was not made."
        return BridgeError(ErrorCode.NO_BROWSER, message, retryable=True)


def _shown_name(name: str) -> str:
    """Return the variable of a limit; the name of a constant, which has none."""
    return variable_of(name) if name in NAMES else name


def _check_open(opened: OpenEntries, most: OpenEntries, whose: str, advice: str) -> None:
    if opened.number > most.number:
        message = f"{most.number:,} calls{whose} are open already. {advice}"
        raise _queue_full(message, {"limit": most.number})
    if opened.bytes > most.bytes:
        message = f"The open calls{whose} would have more than {most.bytes // MIB} MiB of arguments. {advice}"
        raise _queue_full(message, {"limit_bytes": most.bytes})


def _queue_full(message: str, detail: dict[str, object]) -> BridgeError:
    return BridgeError(ErrorCode.QUEUE_FULL, message, detail=detail, retryable=True)
