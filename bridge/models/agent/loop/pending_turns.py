"""Turns that wait for their caller: everything said and done in them, until the caller's outputs come.

A round may call tools of the bridge and of the caller. The bridge's have run when the caller is asked for its
own, and the caller need not know of them: when it comes back, its items of that turn are replaced by the
original ones, so that nothing runs twice, nothing is lost and the order is preserved. Once a turn has expired
or was evicted, the caller's items are left unchanged.

A turn is exported as text (`find_turn`) and imported again (`put_turn`), so that a store can carry it over a
restart. This memory works without a store, and answers immediately whether a call's id is taken.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field
from typing import cast

from bridge.models.agent.items import Item, answered_call_id, call_id_of
from toolserver.json_types import JsonValue, dump_json, text_at

KEEP_SECONDS = 3600.0
"""How long a turn is remembered after it was last asked for, in seconds."""

USER_BYTES = 8 * 1024 * 1024
"""Maximum bytes of JSON per user; the oldest turns are evicted, and a larger turn is not remembered."""

ALL_BYTES = 128 * 1024 * 1024
"""Maximum bytes of JSON for all users."""


@dataclass(slots=True)
class _Pending:
    """One turn that waits."""

    user_id: str
    body: bytes
    """JSON: its items except the outputs of its last round, these outputs, and the ids of that round's
    calls."""
    last_ids: tuple[str, ...]
    """Ids of the calls of its last round, in order."""
    call_ids: frozenset[str]
    """Ids of all its calls."""
    expires_at: float


@dataclass(slots=True)
class _Turns:
    """The pending turns of one user, and their total size."""

    stalest_first: OrderedDict[int, _Pending] = field(default_factory=OrderedDict[int, _Pending])
    bytes: int = 0


class PendingRounds:
    """The turns of all users that wait for their caller. In memory only, on one event loop."""

    def __init__(self, now: Callable[[], float]) -> None:
        """`now`: seconds of a clock that never goes backwards."""
        self._now = now
        self._by_call: dict[tuple[str, str], _Pending] = {}
        self._stalest_first: OrderedDict[int, _Pending] = OrderedDict()
        self._of_user: dict[str, _Turns] = {}
        self._bytes = 0

    def remember_turn(self, user_id: str, output: Sequence[Item], last_ids: Sequence[str]) -> None:
        """Remember a turn's output until its caller has run the calls that the bridge did not.

        `last_ids`: ids of the calls of the last round, whoever runs them, in order.
        """
        said: list[JsonValue] = [item for item in output if answered_call_id(item) not in last_ids]
        outputs: list[JsonValue] = [item for item in output if answered_call_id(item) in last_ids]
        self.put_turn(user_id, dump_json([said, outputs, [*last_ids]]))

    def put_turn(self, user_id: str, body: bytes) -> None:
        """Remember a turn that `find_turn` has exported."""
        if len(body) > USER_BYTES:
            return
        said, outputs, last_ids = _read(body)
        call_ids = frozenset(call_id for item in [*said, *outputs] if (call_id := call_id_of(item)))
        pending = _Pending(user_id, body, tuple(last_ids), call_ids, self._now() + KEEP_SECONDS)
        self._by_call.update({(user_id, call_id): pending for call_id in call_ids})
        self._stalest_first[id(pending)] = pending
        mine = self._of_user.setdefault(user_id, _Turns())
        mine.stalest_first[id(pending)] = pending
        mine.bytes += len(body)
        self._bytes += len(body)
        self._make_room(mine)

    def find_turn(self, user_id: str, call_id: str) -> bytes | None:
        """Export the turn that has a call of that id; None when it is not remembered."""
        pending = self._by_call.get((user_id, call_id))
        return pending.body if pending else None

    def has_call(self, user_id: str, call_id: str) -> bool:
        """Return whether a call of that id is remembered: no other call of this user may get it."""
        return (user_id, call_id) in self._by_call

    def restore_input(
        self, user_id: str, input: Sequence[Item], original_ids: Set[str] = frozenset()
    ) -> tuple[Item, ...]:
        """Return the input with this user's remembered turns restored to their original items.

        `original_ids`: ids of calls whose items in the input are original. A turn with no other calls is left
        unchanged.
        Linear in the items: a long conversation may hold a turn of this kind at every step.
        """
        self._evict_expired()
        found: list[Item] = []
        seen: set[int] = set()
        """Identities of the restored turns."""
        theirs, at = 0, 0
        while at < len(input):
            pending = self._named_by(user_id, input[at])
            if pending is None or id(pending) in seen or pending.call_ids <= original_ids:
                found.append(input[at])
                at += 1
                continue
            seen.add(id(pending))
            self._refresh(pending)
            while len(found) > theirs and _is_models_own(found[-1]):
                found.pop()  # the model's text before its calls is among the original items
            end = _end(pending, input, at)
            found.extend(_restored(pending, input[at:end]))
            theirs, at = len(found), end
        return tuple(found)

    def _named_by(self, user_id: str, item: Item) -> _Pending | None:
        call_id = call_id_of(item) or answered_call_id(item)
        return self._by_call.get((user_id, call_id)) if call_id else None

    def _refresh(self, pending: _Pending) -> None:
        pending.expires_at = self._now() + KEEP_SECONDS
        self._stalest_first.move_to_end(id(pending))
        self._of_user[pending.user_id].stalest_first.move_to_end(id(pending))

    def _make_room(self, mine: _Turns) -> None:
        self._evict_expired()
        while mine.bytes > USER_BYTES:
            self._evict(next(iter(mine.stalest_first.values())))
        while self._bytes > ALL_BYTES:
            self._evict(next(iter(self._stalest_first.values())))

    def _evict_expired(self) -> None:
        now = self._now()
        while self._stalest_first:
            stalest = next(iter(self._stalest_first.values()))
            if stalest.expires_at > now:
                break
            self._evict(stalest)

    def _evict(self, pending: _Pending) -> None:
        for call_id in pending.call_ids:
            if self._by_call.get((pending.user_id, call_id)) is pending:
                del self._by_call[pending.user_id, call_id]
        del self._stalest_first[id(pending)]
        theirs = self._of_user[pending.user_id]
        del theirs.stalest_first[id(pending)]
        theirs.bytes -= len(pending.body)
        if not theirs.stalest_first:
            del self._of_user[pending.user_id]
        self._bytes -= len(pending.body)


def _restored(pending: _Pending, items: Sequence[Item]) -> list[Item]:
    """Return the turn's original items with the caller's outputs in their places."""
    answers = {answered_call_id(item): item for item in reversed(items)}
    said, outputs, _ = _read(pending.body)
    answers |= {answered_call_id(item): item for item in outputs}
    return [*said, *(answers[call_id] for call_id in pending.last_ids if call_id in answers)]


def _read(body: bytes) -> tuple[list[Item], list[Item], list[str]]:
    return cast(tuple[list[Item], list[Item], list[str]], json.loads(body))


def _end(pending: _Pending, items: Sequence[Item], start: int) -> int:
    """Return where the caller's items of the turn end, whose first call or output is at `start`."""
    end, has_answers = start, False
    for place in range(start, len(items)):
        item = items[place]
        if _is_of(pending, item):
            end = place + 1
            has_answers = has_answers or answered_call_id(item) in pending.last_ids
        elif has_answers or not _is_models_own(item):
            break
    return end


def _is_of(pending: _Pending, item: Item) -> bool:
    return call_id_of(item) in pending.call_ids or answered_call_id(item) in pending.call_ids


def _is_models_own(item: Item) -> bool:
    """Return whether an item is text or reasoning of the model before its calls."""
    return item.get("type") == "reasoning" or text_at(item, "role") == "assistant"
