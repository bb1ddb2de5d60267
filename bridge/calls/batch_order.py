"""The order of a batch: which of its calls wait for which, as the calls themselves request. Pure.

A call requests it by arguments that do not belong to its operation: `depends_on` names calls that must have
succeeded; `sequential` makes the call run alone, after all calls listed before it and before all listed after
it. The source documents' names `_depends_on` and `no_batch` mean the same.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from toolserver.errors import ArgumentError
from toolserver.json_types import JsonObject, JsonValue

DEPENDS, ALONE = ("depends_on", "_depends_on"), ("sequential", "no_batch")
ORDERING = (*DEPENDS, *ALONE)


@dataclass(frozen=True, slots=True)
class CallOrder:
    """What one call requests about its order."""

    depends_on: tuple[str, ...] = ()
    is_alone: bool = False


@dataclass(frozen=True, slots=True)
class Prerequisites:
    """What one call waits for, as positions in the batch."""

    needs: frozenset[int] = frozenset()
    """Calls that must have succeeded."""
    after: frozenset[int] = frozenset()
    """Calls that must have ended, in whatever way."""
    problem: str | None = None
    """Why the call cannot run at all."""


def read_wish(arguments: JsonObject, own: Collection[str]) -> CallOrder:
    """Read the ordering arguments, except those that are the operation's `own`.

    Raises:
        ArgumentError: `depends_on` is neither an id nor a list of ids, or `sequential` is not a boolean.
    """
    said = {name: arguments[name] for name in ORDERING if name in arguments and name not in own}
    ids = [call_id for name in DEPENDS if name in said for call_id in _ids(name, said[name])]
    alone = [_flag(name, said[name]) for name in ALONE if name in said]
    return CallOrder(tuple(dict.fromkeys(ids)), any(alone))


def without_members(text: str, names: Collection[str]) -> str:
    """Return the JSON object in `text` without these members; numbers in the others keep all their digits."""
    decode = json.JSONDecoder().raw_decode
    text = text.lstrip("\ufeff")
    at = _behind(text, text.index("{") + 1)
    remaining: list[str] = []
    while text[at] != "}":
        begin = at
        name, at = decode(text, at)
        _, at = decode(text, _behind(text, _behind(text, at) + 1))
        if name not in names:
            remaining.append(text[begin:at])
        at = _behind(text, at)
        at = _behind(text, at + 1) if text[at] == "," else at
    return "{" + ", ".join(remaining) + "}"


def resolve_waits(ids: Sequence[str], wishes: Sequence[CallOrder]) -> list[Prerequisites]:
    """Return what each call waits for; one that names an unknown id, or waits for itself, has a problem."""
    position = {call_id: number for number, call_id in enumerate(ids)}
    problems: dict[int, str] = {}
    needs: list[frozenset[int]] = []
    for number, wish in enumerate(wishes):
        unknown = [name for name in wish.depends_on if name not in position]
        if unknown:
            problems[number] = f"`depends_on` names {unknown[0]!r}, which is not a call of this batch."
        needs.append(frozenset(position[name] for name in wish.depends_on if name in position))
    for number in set(range(len(ids))) - set(_in_order(needs)):
        if number in _reachable(number, needs):
            problems.setdefault(number, "The call waits for itself, by way of its `depends_on`.")
    nobody: frozenset[int] = frozenset()
    waits = [nobody if number in problems else each - problems.keys() for number, each in enumerate(needs)]
    # Calls with a problem end immediately: a call that waited only for them would start too early.
    after = _after([number for number in _in_order(waits) if number not in problems], wishes)
    return [
        Prerequisites(problem=problems[number])
        if number in problems
        else Prerequisites(needs[number], after[number])
        for number in range(len(ids))
    ]


def _in_order(needs: Sequence[frozenset[int]]) -> list[int]:
    """Return positions sorted so that each follows those it needs; those behind a cycle are left out."""
    missing = [set(each) for each in needs]
    needed_by: dict[int, list[int]] = {}
    for number, each in enumerate(needs):
        for other in each:
            needed_by.setdefault(other, []).append(number)
    free = [number for number, each in enumerate(missing) if not each]
    order: list[int] = []
    while free:
        number = heapq.heappop(free)
        order.append(number)
        for other in needed_by.get(number, ()):
            missing[other].discard(number)
            if not missing[other]:
                heapq.heappush(free, other)
    return order


def _reachable(start: int, needs: Sequence[frozenset[int]]) -> set[int]:
    found: set[int] = set()
    open_ends = list(needs[start])
    while open_ends:
        number = open_ends.pop()
        if number not in found:
            found.add(number)
            open_ends.extend(needs[number])
    return found


def _after(order: Sequence[int], wishes: Sequence[CallOrder]) -> dict[int, frozenset[int]]:
    """Return the earlier calls that each position waits for because one of the two runs alone."""
    after: dict[int, frozenset[int]] = {}
    since: set[int] = set()
    for number in order:
        if wishes[number].is_alone:
            after[number] = frozenset(since)
            since = {number}
        else:
            after[number] = frozenset(other for other in since if wishes[other].is_alone)
            since.add(number)
    return after


def _ids(name: str, value: JsonValue) -> list[str]:
    values = value if isinstance(value, list) else [] if value is None else [value]
    if not all(isinstance(each, str) for each in values):
        raise ArgumentError(f"`{name}` must be the id of a call, or a list of them.", argument=name)
    return [str(each) for each in values]


def _flag(name: str, value: JsonValue) -> bool:
    if value is not None and not isinstance(value, bool):
        raise ArgumentError(f"`{name}` must be true or false.", argument=name)
    return bool(value)


def _behind(text: str, at: int) -> int:
    """Return the next position that is not white space."""
    while text[at] in " \t\r\n":
        at += 1
    return at
