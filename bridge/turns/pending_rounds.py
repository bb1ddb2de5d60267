"""Turns that wait for their caller: what was said and done in them, until the caller's outputs come.

A round may call tools of the bridge and of the caller. The bridge's have run when the caller is asked for
its own, and the caller need not know of them: when it comes back, its items of that turn are replaced by what
really stood there, so that nothing runs twice, nothing is lost and the order stays. What is forgotten (time,
room, a restart) leaves the caller's items as they are.
"""

from __future__ import annotations

import json
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from bridge.turns.items import Item, ModelCall, answered_call_id, call_id_of
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
    """JSON: its items but for the outputs of its last round, then these."""
    last_ids: tuple[str, ...]
    """Ids of the calls of its last round, in order."""
    call_ids: frozenset[str]
    """Of all its calls."""
    expires_at: float


class PendingRounds:
    """The turns of all users that wait for their caller. In memory only, on one event loop."""

    def __init__(self, now: Callable[[], float]) -> None:
        """`now`: seconds of a clock that never goes back."""
        self._now = now
        self._by_call: dict[tuple[str, str], _Pending] = {}
        self._stalest_first: OrderedDict[int, _Pending] = OrderedDict()
        self._bytes_of: Counter[str] = Counter()
        self._bytes = 0

    def remember(self, user_id: str, output: Sequence[Item], last_calls: Sequence[ModelCall]) -> None:
        """Keep a turn's output until its caller has run what the bridge did not.

        `last_calls`: of the last round, whoever runs them, in order.
        """
        last_ids = tuple(call.call_id for call in last_calls)
        items: list[JsonValue] = [item for item in output if answered_call_id(item) not in last_ids]
        outputs: list[JsonValue] = [item for item in output if answered_call_id(item) in last_ids]
        body = dump_json([items, outputs])
        if len(body) > USER_BYTES:
            return
        call_ids = frozenset(call_id for item in output if (call_id := call_id_of(item)))
        pending = _Pending(user_id, body, last_ids, call_ids, self._now() + KEEP_SECONDS)
        self._stalest_first[id(pending)] = pending
        self._by_call.update({(user_id, call_id): pending for call_id in call_ids})
        self._bytes_of[user_id] += len(body)
        self._bytes += len(body)
        self._make_room(user_id)

    def has(self, user_id: str, call_id: str) -> bool:
        """Whether a call of that id is remembered: another call of this user must not get it."""
        return (user_id, call_id) in self._by_call

    def restored(self, user_id: str, input: Sequence[Item]) -> tuple[Item, ...]:
        """The input with the turns of this user that are remembered as they really were."""
        self._forget_expired()
        items = list(input)
        for pending in self._named_in(user_id, items):
            pending.expires_at = self._now() + KEEP_SECONDS
            self._stalest_first.move_to_end(id(pending))
            _restore(pending, items)
        return tuple(items)

    def _named_in(self, user_id: str, items: Sequence[Item]) -> list[_Pending]:
        found: dict[int, _Pending] = {}
        for item in items:
            call_id = call_id_of(item) or answered_call_id(item)
            pending = self._by_call.get((user_id, call_id)) if call_id else None
            if pending is not None:
                found[id(pending)] = pending
        return list(found.values())

    def _make_room(self, user_id: str) -> None:
        self._forget_expired()
        mine = [pending for pending in self._stalest_first.values() if pending.user_id == user_id]
        for pending in mine:
            if self._bytes_of[user_id] > USER_BYTES:
                self._forget(pending)
        while self._bytes > ALL_BYTES:
            self._forget(next(iter(self._stalest_first.values())))

    def _forget_expired(self) -> None:
        now = self._now()
        for pending in list(self._stalest_first.values()):
            if pending.expires_at > now:
                break
            self._forget(pending)

    def _forget(self, pending: _Pending) -> None:
        del self._stalest_first[id(pending)]
        for call_id in pending.call_ids:
            if self._by_call.get((pending.user_id, call_id)) is pending:
                del self._by_call[pending.user_id, call_id]
        self._bytes_of[pending.user_id] -= len(pending.body)
        self._bytes_of += Counter()  # drops who has nothing any more
        self._bytes -= len(pending.body)


def _restore(pending: _Pending, items: list[Item]) -> None:
    """Put the turn in the place of what the caller has of it; the caller's outputs take their places."""
    start, end = _span(pending, items)
    answers = {answered_call_id(item): item for item in reversed(items[start:end])}
    said, outputs = cast(tuple[list[Item], list[Item]], json.loads(pending.body))
    answers |= {answered_call_id(item): item for item in outputs}
    items[start:end] = [*said, *(answers[call_id] for call_id in pending.last_ids if call_id in answers)]


def _span(pending: _Pending, items: Sequence[Item]) -> tuple[int, int]:
    """From where to where the caller's items are those of the turn: around its first call, or output."""
    start = next(place for place, item in enumerate(items) if _is_of(pending, item))
    while start > 0 and _may_precede(pending, items[start - 1]):
        start -= 1
    end, has_answers = start, False
    for place in range(start, len(items)):
        item = items[place]
        if _is_of(pending, item):
            end = place + 1
            has_answers = has_answers or answered_call_id(item) in pending.last_ids
        elif has_answers or not _is_models_own(item):
            break
    return start, end


def _is_of(pending: _Pending, item: Item) -> bool:
    return bool(pending.call_ids & {call_id_of(item), answered_call_id(item)})


def _may_precede(pending: _Pending, item: Item) -> bool:
    return _is_models_own(item) or _is_of(pending, item)


def _is_models_own(item: Item) -> bool:
    """What a model said or thought before it called."""
    return item.get("type") == "reasoning" or text_at(item, "role") == "assistant"
