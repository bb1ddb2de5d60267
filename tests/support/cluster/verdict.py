"""Whether what callers were told is what happened, and what is kept."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import URL

from tests.support.cluster.crowd import Ledger, Order, number_of
from tests.support.stores.databases import execute

COLUMNS = "id, state, error, http_status, arguments, safe, epoch, ended_at"
IN_DOUBT = "replica_lost"
"""Told with `retryable: false`, it says that the call may have been performed, and to look."""


@dataclass(frozen=True)
class Kept:
    """A call as the table has it."""

    call_id: str
    state: str
    error: Mapping[str, Any]
    epoch: int
    is_ended: bool


def kept_calls(database: URL) -> Mapping[int, Sequence[Kept]]:
    """Calls by the numbers of their orders."""
    found: dict[int, list[Kept]] = defaultdict(list)
    for call_id, state, error, _, arguments, _, epoch, ended_at in execute(
        database, f"SELECT {COLUMNS} FROM calls"
    ):
        kept = Kept(call_id, state, json.loads(error or "{}"), epoch, ended_at is not None)
        found[number_of(json.loads(arguments))].append(kept)
    return found


def ended_rows(database: URL) -> Mapping[str, Sequence[Any]]:
    """Every ended call with what is kept of its ending."""
    rows = execute(database, f"SELECT {COLUMNS} FROM calls WHERE ended_at IS NOT NULL")
    return {row[0]: tuple(row) for row in rows}


def broken_promises(
    ledger: Ledger, kept: Mapping[int, Sequence[Kept]], lost_urls: Collection[str]
) -> Sequence[str]:
    """What must not have happened, a sentence each. `lost_urls`: replicas whose callers may hear nothing."""
    return [
        f"{sentence}: {order}; performed {ledger.performed.get(order.number, [])}; "
        f"kept {kept.get(order.number, [])}"
        for order in ledger.orders
        for sentence in _judge(
            order, ledger.performed.get(order.number, []), kept.get(order.number, []), lost_urls
        )
    ]


def _judge(
    order: Order, performed: Sequence[str], kept: Sequence[Kept], lost_urls: Collection[str]
) -> Iterator[str]:
    if order.status == 0 and order.url not in lost_urls:
        yield "a caller at a replica that lived got no answer"
    if order.status == 200 and order.body != {"number": order.number}:
        yield "a caller got another answer than the API gave"
    if not order.is_safe:
        yield from _judge_unsafe(order, performed, kept)
    elif order.status and any(row.state != _state_told(order) for row in kept if row.is_ended):
        yield "a safe call's ending differs from the one kept"


def _judge_unsafe(order: Order, performed: Sequence[str], kept: Sequence[Kept]) -> Iterator[str]:
    if len(performed) > 1:
        yield "an unsafe call was performed twice"
    if len(kept) > 1:
        yield "an unsafe call was opened twice"
    if performed and not kept:
        yield "a call was performed without a committed opening"
    if any(not row.is_ended for row in kept):
        yield "a call was never settled"
    if order.status == 200 and [row.state for row in kept] != ["succeeded"]:
        yield "a told success is not kept"
    if order.error.get("retryable") and performed:
        yield "a caller was told to repeat what was performed"
    if order.error and not _is_doubt(order) and kept:
        if _told_performed(order) != (kept[0].state == "succeeded"):
            yield "a told failure is kept as another ending"
        elif kept[0].error and kept[0].error["code"] != order.error["code"]:
            yield "a told error differs from the one kept"


def _is_doubt(order: Order) -> bool:
    return order.error["code"] == IN_DOUBT and not order.error["retryable"]


def _told_performed(order: Order) -> bool:
    return bool(order.error.get("detail", {}).get("performed"))


def _state_told(order: Order) -> str:
    return "succeeded" if order.status == 200 or _told_performed(order) else "failed"
