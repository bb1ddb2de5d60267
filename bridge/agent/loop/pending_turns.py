"""Turns that wait for their caller: what was said and done in them, until the caller's outputs come.

A round may call tools of the bridge and of the caller. The bridge's have run when the caller is asked for
its own, and the caller need not know of them: when it comes back, its items of that turn are replaced by what
really stood there, so that nothing runs twice, nothing is lost and the order stays. What is forgotten (time,
room) leaves the caller's items as they are.

A turn goes out as text (`body`) and comes in again (`put`), so that a store can keep it over a restart. This
memory is what works without a store, and what answers at once whether a call's id is taken.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field
from typing import cast

from bridge.agent.items import Item, answered_call_id, call_id_of
from toolserver.json_types import JsonValue, dump_json, text_at

KEEP_SECONDS = 3600.0
"""After a turn was last asked for."""

USER_BYTES = 8 * 1024 * 1024
"""JSON kept for one user; the oldest turns give way, and a larger turn is not kept."""

ALL_BYTES = 128 * 1024 * 1024
"""JSON kept for all users."""


@dataclass(slots=True)
class _Pending:
    """One turn that waits."""

    user_id: str
    body: bytes
    """JSON: its items but for the outputs of its last round, these, and the ids of that round's calls."""
    last_ids: tuple[str, ...]
    """Ids of the calls of its last round, in order."""
    call_ids: frozenset[str]
    """Of all its calls."""
    expires_at: float


@dataclass(slots=True)
class _Turns:
    """Those of one user, and what they weigh."""

    stalest_first: OrderedDict[int, _Pending] = field(default_factory=OrderedDict[int, _Pending])
    bytes: int = 0


class PendingRounds:
    """The turns of all users that wait for their caller. In memory only, on one event loop."""

    def __init__(self, now: Callable[[], float]) -> None:
        """`now`: seconds of a clock that never goes back."""
        self._now = now
        self._by_call: dict[tuple[str, str], _Pending] = {}
        self._stalest_first: OrderedDict[int, _Pending] = OrderedDict()
        self._of_user: dict[str, _Turns] = {}
        self._bytes = 0

    def remember_turn(self, user_id: str, output: Sequence[Item], last_ids: Sequence[str]) -> None:
        """Keep a turn's output until its caller has run what the bridge did not.

        `last_ids`: of the calls of the last round, whoever runs them, in order.
        """
        said: list[JsonValue] = [item for item in output if answered_call_id(item) not in last_ids]
        outputs: list[JsonValue] = [item for item in output if answered_call_id(item) in last_ids]
        self.put_turn(user_id, dump_json([said, outputs, [*last_ids]]))

    def put_turn(self, user_id: str, body: bytes) -> None:
        """Keep a turn as `body` gave it."""
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
        """The turn that has a call of that id; None when it is not remembered."""
        pending = self._by_call.get((user_id, call_id))
        return pending.body if pending else None

    def has_call(self, user_id: str, call_id: str) -> bool:
        """Whether a call of that id is remembered: another call of this user must not get it."""
        return (user_id, call_id) in self._by_call

    def restore_input(
        self, user_id: str, input: Sequence[Item], kept: Set[str] = frozenset()
    ) -> tuple[Item, ...]:
        """The input with the turns of this user that are remembered as they really were.

        `kept`: ids of calls that stand in the input as they really were. A turn that has no others stays.
        Linear in the items: a long conversation may hold a turn of this kind at every step.
        """
        self._forget_expired()
        found: list[Item] = []
        seen: set[int] = set()
        """Turns that are put back."""
        theirs, at = 0, 0
        while at < len(input):
            pending = self._named_by(user_id, input[at])
            if pending is None or id(pending) in seen or pending.call_ids <= kept:
                found.append(input[at])
                at += 1
                continue
            seen.add(id(pending))
            self._refresh(pending)
            while len(found) > theirs and _is_models_own(found[-1]):
                found.pop()  # what the model said before it called is among what really stood there
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
        self._forget_expired()
        while mine.bytes > USER_BYTES:
            self._forget(next(iter(mine.stalest_first.values())))
        while self._bytes > ALL_BYTES:
            self._forget(next(iter(self._stalest_first.values())))

    def _forget_expired(self) -> None:
        now = self._now()
        while self._stalest_first:
            stalest = next(iter(self._stalest_first.values()))
            if stalest.expires_at > now:
                break
            self._forget(stalest)

    def _forget(self, pending: _Pending) -> None:
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
    """The turn in place of what the caller has of it; the caller's outputs take their places."""
    answers = {answered_call_id(item): item for item in reversed(items)}
    said, outputs, _ = _read(pending.body)
    answers |= {answered_call_id(item): item for item in outputs}
    return [*said, *(answers[call_id] for call_id in pending.last_ids if call_id in answers)]


def _read(body: bytes) -> tuple[list[Item], list[Item], list[str]]:
    return cast(tuple[list[Item], list[Item], list[str]], json.loads(body))


def _end(pending: _Pending, items: Sequence[Item], start: int) -> int:
    """Up to where the caller's items are those of the turn, whose first call, or output, is at `start`."""
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
    """What a model said or thought before it called."""
    return item.get("type") == "reasoning" or text_at(item, "role") == "assistant"
