"""Re-encrypts what is stored, after a key was changed, added or removed.

Works in small transactions beside a running bridge, and can be interrupted and restarted: rows that are
encrypted as they should be are skipped. Nothing that another program has changed in the meantime is
overwritten.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, Select, Table, and_, or_, select, update

from bridge.storage.chat.conversation_mapping import (
    CONVERSATIONS,
    MESSAGES,
    place_of_conversation,
    place_of_message,
)
from bridge.storage.chat.item_mapping import REASONING, place_of_events, place_of_item, place_of_response
from bridge.storage.chat.item_tables import EVENTS, ITEMS, RESPONSES
from bridge.storage.chat.model_providers import PROVIDERS, place_of_provider
from bridge.storage.dialects import overwrite_what_is_deleted, truncate_log
from bridge.storage.encryption import Encrypted, Encryption, Unreadable
from bridge.storage.mcp_tasks import TASKS, place_of_task
from bridge.storage.store import Store
from bridge.storage.write_thread import Transactions

ROWS_AT_ONCE = 100
"""Maximum number of rows in one transaction."""


_Key = tuple[Any, ...]
"""Primary key of a row; () for none."""


@dataclass(slots=True)
class Reencrypted:
    """Counts of the rows that were not encrypted as they should be."""

    encrypted: int = 0
    unreadable: int = 0
    """Rows that no key at hand can decrypt; they stay unchanged."""


@dataclass(frozen=True, slots=True)
class _Sealable:
    """A table with encrypted columns, and which of its rows must be encrypted with which key."""

    table: Table
    columns: tuple[str, ...]
    sized: bool
    place: Callable[[RowMapping, str], str]
    """Returns the place of a column of a row."""
    is_reasoning: Callable[[RowMapping], bool] = lambda _: True
    """Returns whether a row is encrypted even where only reasoning is."""


_TABLES = (
    _Sealable(
        CONVERSATIONS,
        ("settings",),
        sized=True,
        place=lambda row, _: place_of_conversation(row["user_id"], row["id"]),
    ),
    _Sealable(
        MESSAGES,
        ("content",),
        sized=True,
        place=lambda row, _: place_of_message(row["conversation_id"], row["id"]),
    ),
    _Sealable(
        ITEMS,
        ("payload",),
        sized=True,
        is_reasoning=lambda row: row["type"] == REASONING,
        place=lambda row, _: place_of_item(row["user_id"], row["id"]),
    ),
    _Sealable(
        RESPONSES,
        ("body", "request"),
        sized=True,
        place=lambda row, column: place_of_response(row["user_id"], row["id"], column),
    ),
    _Sealable(
        PROVIDERS,
        ("content",),
        sized=False,
        place=lambda row, _: place_of_provider(row["user_id"], row["name"]),
    ),
    _Sealable(
        EVENTS,
        ("frames",),
        sized=False,
        place=lambda row, _: place_of_events(row["response_id"], row["first"]),
    ),
    _Sealable(
        TASKS,
        ("result",),
        sized=False,
        is_reasoning=lambda _: False,
        place=lambda row, _: place_of_task(row["user_id"], row["id"]),
    ),
)


async def reencrypt_rows(
    store: Store, encryption: Encryption, on_progress: Callable[[Reencrypted], None] = lambda _: None
) -> Reencrypted:
    """Encrypt everything as `encryption` does now. `on_progress` is called after each transaction.

    Cancelling stops between two of them.
    """
    result = Reencrypted()
    for each in _TABLES:
        last: _Key | None = ()
        while last is not None:
            last = await _rekey_some(store.thread, each, encryption, result, last)
            on_progress(result)
    await asyncio.wrap_future(store.thread.run_transaction(truncate_log))
    return result


async def _rekey_some(
    thread: Transactions, each: _Sealable, encryption: Encryption, result: Reencrypted, last: _Key
) -> _Key | None:
    """Return the key of the last row that was processed; None: there were none after `last`."""
    seen: list[_Key] = []

    def work(connection: Connection) -> None:
        overwrite_what_is_deleted(connection)
        for row in connection.execute(_wrong_rows(each, encryption, last)).mappings().all():
            _rekey_row(connection, each, row, encryption, result)
            seen.append(tuple(row[column.name] for column in each.table.primary_key.columns))

    await asyncio.wrap_future(thread.run_transaction(work))
    return seen[-1] if seen else None


def _wrong_rows(each: _Sealable, encryption: Encryption, last: _Key) -> Select[Any]:
    key = tuple(each.table.primary_key.columns)
    wanted = select(each.table).where(_is_wrong(each, encryption)).order_by(*key).limit(ROWS_AT_ONCE)
    return wanted.where(_is_after(key, last)) if last else wanted


def _is_wrong(each: _Sealable, encryption: Encryption) -> ColumnElement[bool]:
    key_of_row = each.table.c.key_id
    secret = key_of_row.is_distinct_from(encryption.key_for(is_reasoning=True))
    plain = key_of_row.is_distinct_from(encryption.key_for(is_reasoning=False))
    if each.table is TASKS:
        return and_(TASKS.c.result.is_not(None), plain)  # without a result: it runs, or had a large one
    if each.table is not ITEMS:
        return secret
    is_reasoning = ITEMS.c.type == REASONING
    return or_(and_(is_reasoning, secret), and_(~is_reasoning, plain))


def _is_after(key: Sequence[ColumnElement[Any]], last: Sequence[Any]) -> ColumnElement[bool]:
    if len(key) == 1:
        return key[0] > last[0]
    return or_(key[0] > last[0], and_(key[0] == last[0], key[1] > last[1]))


def _rekey_row(
    connection: Connection, each: _Sealable, old: RowMapping, encryption: Encryption, result: Reencrypted
) -> None:
    is_reasoning = each.is_reasoning(old)
    try:
        opened = {
            name: encryption.decrypt_bytes(Encrypted(old[name], old["key_id"]), each.place(old, name))
            for name in each.columns
        }
    except Unreadable:
        result.unreadable += 1
        return
    new = {
        name: encryption.encrypt_bytes(content, each.place(old, name), is_reasoning=is_reasoning).content
        for name, content in opened.items()
    }
    values: dict[str, Any] = {**new, "key_id": encryption.key_for(is_reasoning=is_reasoning)}
    if each.sized:
        values["size"] = sum(map(len, new.values()))
    same = [column == old[column.name] for column in each.table.primary_key.columns]
    unchanged = [each.table.c[name] == old[name] for name in each.columns]
    changed = connection.execute(update(each.table).where(*same, *unchanged).values(values))
    result.encrypted += changed.rowcount
