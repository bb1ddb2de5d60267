"""Ends what callers have open once they may not get in any more, whoever decided that, and wherever.

A caller is let in once, when a request begins; a stream, a call that waits or an answer in the background may
last for hours after that. So what is open is looked at again and again: against the database, which every
replica and command writes to, so that nothing depends on being told. Being told only makes it quicker.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from bridge.auth.access_tokens import CLOCK_SKEW_S
from bridge.auth.identity import Caller, Identity
from bridge.catalog.registry import NOBODY
from bridge.errors import BridgeError, ErrorCode, WireError
from bridge.storage.users import AccessIds, User, UserTables
from bridge.tasks import run_within
from toolserver.json_types import JsonObject, text_at

LOOK_S = 1.0
"""Seconds between two looks while something is open."""

PATIENCE_S = 5.0
"""Seconds that a look may take; what is open goes on while the database does not answer."""

ACCESS_ENDED = WireError(
    code=ErrorCode.UNAUTHORIZED,
    message="You may not get in any more: the key was revoked, the browser removed, the login is over or the "
    "user disabled. What was still open has been ended.",
    detail={"reason": "access_ended"},
)

TOKEN_EXPIRED = WireError(
    code=ErrorCode.UNAUTHORIZED,
    message="The access token with which this stream was opened has expired. Open it again with a new one.",
    detail={"reason": "expired"},
)

HoldWork: TypeAlias = Callable[[asyncio.Task[Any], Caller, Callable[[], object]], None]
"""As `AccessWatch.hold_while`."""

_log = logging.getLogger(__name__)


class ServedRequest(Protocol):
    """A request that is being answered."""

    caller: Caller | None
    is_listening: bool
    """Whether its answer has no end of its own."""

    def end_work(self, why: WireError) -> None:
        """End it, as if its caller had gone, with an error in its answer where there can be one."""
        ...


@dataclass(frozen=True, slots=True)
class _Held:
    """Work that goes on without a request."""

    caller: Caller
    end: Callable[[], object]


def hold_nothing(_task: asyncio.Task[Any], _caller: Caller, _end: Callable[[], object]) -> None:
    """Let work go on whatever becomes of its caller, as `HoldWork`."""


class AccessWatch:
    """What the callers of one process have open. Methods run on one event loop."""

    def __init__(self, users: UserTables, identity: Identity) -> None:
        self._users = users
        self._identity = identity
        self._held: dict[asyncio.Task[Any], _Held] = {}

    def hold_while(self, task: asyncio.Task[Any], caller: Caller, end: Callable[[], object]) -> None:
        """Call `end` if a caller loses access while a task runs, which works for that caller."""
        self._held[task] = _Held(caller, end)
        task.add_done_callback(self._forget)

    def hold_for_user(self, task: asyncio.Task[Any], user_id: str, end: Callable[[], object]) -> None:
        """Call `end` if a user loses access while a task runs of which nothing else is known."""
        self.hold_while(task, stored_caller(user_id, {}), end)

    async def keep_looking(
        self, list_requests: Callable[[], Iterable[ServedRequest]], every_s: float = LOOK_S
    ) -> None:
        """Look at once after a revocation in this process, and every `every_s` seconds, until cancelled.

        `list_requests` lists those of known callers that are being answered.
        """
        revoked = self._identity.revoked
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(every_s):
                    await revoked.wait()
            revoked.clear()  # before the look: it may read what was before a revocation that comes now
            with suppress(BridgeError, TimeoutError):  # the database is away: the next look is due
                await run_within(PATIENCE_S, self.look(list_requests()))

    async def look(self, served: Iterable[ServedRequest]) -> None:
        """End what callers have open who may not get in any more.

        Raises:
            BridgeError: `database_unavailable`; nothing is ended.
        """
        requests = [(each, each.caller) for each in served if each.caller is not None]
        held = list(self._held.items())
        if not requests and not held:
            return
        asked = _ids_of({caller for _, caller in requests} | {each.caller for _, each in held})
        found = await self._users.find_access(asked)
        now = time.time()
        ended = 0
        for request, caller in requests:
            why = _why_ended(caller, found, now, is_listening=request.is_listening)
            if why is not None and request.caller is caller:
                request.end_work(why)
                ended += 1
        for task, each in held:
            if task in self._held and not _has_access(each.caller, found):
                del self._held[task]
                each.end()
                ended += 1
        if ended:
            _log.info("%d requests of callers were ended who may not get in any more.", ended)
            self._identity.clear_cache()  # what a command or another replica revoked may be cached here

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._held.pop(task, None)


def asker_facts(caller: Caller) -> JsonObject:
    """Return what to store of a caller for whom work goes on, perhaps in another process."""
    return {"device_id": caller.device_id, "key_id": caller.key_id, "client": caller.client}


def stored_caller(user_id: str, facts: JsonObject) -> Caller:
    """Return the caller of stored work; where nothing was stored of it, only its user counts."""
    device_id = text_at(facts, "device_id") or None
    key_id = text_at(facts, "key_id")
    client = facts.get("client")
    if client is None and not key_id:
        client = ""
    user = User(user_id, "")
    return Caller(user, device_id, key_id=key_id, client=None if client is None else str(client))


def _ids_of(callers: Iterable[Caller]) -> AccessIds:
    """Return the ids of all that callers get in by."""
    keys = set[str]()
    devices = set[str]()
    users = set[str]()
    for caller in callers:
        if caller.device_id is not None:
            devices.add(caller.device_id)
            continue
        if caller.client is None:
            keys.add(caller.key_id)
        users.add(caller.user.id)
    return AccessIds(frozenset(keys), frozenset(devices), frozenset(users - {NOBODY}))


def _has_access(caller: Caller, found: AccessIds) -> bool:
    if caller.device_id is not None:
        return caller.device_id in found.devices
    is_user = caller.user.id == NOBODY or caller.user.id in found.users
    return is_user and (caller.client is not None or caller.key_id in found.keys)


def _why_ended(caller: Caller, found: AccessIds, now: float, *, is_listening: bool) -> WireError | None:
    """Return why a request is to end; what was asked with a good token is answered after its end, too."""
    if not _has_access(caller, found):
        return ACCESS_ENDED
    ends_at = caller.ends_at
    if is_listening and ends_at is not None and ends_at + CLOCK_SKEW_S <= now:
        return TOKEN_EXPIRED
    return None
