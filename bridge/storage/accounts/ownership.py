"""To whom the rows of each table belong, and what of them their user may read.

A row belongs to the user whom its column `user_id` names, unless its table is listed here.
`tests/storage/test_accounts.py` fails when a table has no such column and is in no list, or has something
of a user left after a deletion.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from sqlalchemy import ColumnElement, Table, select

from bridge.storage.accounts.all_tables import ALL_TABLES

OWNER: Mapping[str, str] = {"listings": "scope", "servers": "owner_id", "tool_names": "scope", "users": "id"}
"""Column with the id of the user to whom a row belongs, where it is not `user_id`."""

PART_OF: Mapping[str, tuple[str, str]] = {
    "conversation_messages": ("conversation_id", "conversations"),
    "kept_events": ("response_id", "kept_responses"),
    "shared_requests": ("server_id", "servers"),
}
"""Column and table of the row that a row is a part of, and belongs to its user with."""

NOBODYS: Set[str] = frozenset({"change_counters", "cluster_facts", "limits"})
"""Tables that say nothing of any user."""

STAYING: Set[str] = frozenset({"audit"})
"""Tables whose rows outlive their user: a deletion that nobody can see any more would hide who did it."""

UNTOLD: Mapping[str, Set[str]] = {
    "api_keys": frozenset({"key_hash"}),
    "calls": frozenset({"digest", "key_digest"}),
    "kept_events": frozenset({"frames"}),
    "mcp_tasks": frozenset({"key_id"}),
    "model_providers": frozenset({"key_id"}),
    "pairings": frozenset({"secret_hash", "code_hash"}),
    "tickets": frozenset({"ticket_hash"}),
}
"""Columns that an export leaves out: digests of secrets, and what other lines of it say already."""

TOLD_ELSEWHERE: Set[str] = frozenset(
    {"kept_items", "kept_responses", "kept_events", "conversations", "conversation_messages"}
)
"""Tables whose content has lines of its own in an export, which can be imported again."""


def rows_of(table: Table, user_id: str) -> ColumnElement[bool]:
    """Build the condition that the rows of a user meet; the table is not one of `NOBODYS`."""
    if table.name not in PART_OF:
        return table.c[OWNER.get(table.name, "user_id")] == user_id
    column, whole = PART_OF[table.name]
    owner = ALL_TABLES.tables[whole]
    return table.c[column].in_(select(owner.c.id).where(rows_of(owner, user_id)))
