"""`tool-bridge audit`: the audit log of a data folder, whether a bridge runs on it or not."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from bridge.cli.store import run_on_store
from bridge.endpoints.api.audit import audit_facts
from bridge.storage.audit_log import AuditLog, AuditQuery, StoredAuditEntry
from bridge.storage.store import Store
from bridge.storage.users import UserTables


def audit(options: argparse.Namespace) -> int:
    """Print entries, newest last; status 1 when there is no such user."""
    found = run_on_store(options, lambda store: _read_log(store, options))
    if found is None:
        print(f"tool-bridge: there is no user {options.user!r}", file=sys.stderr)
        return 1
    for stored in reversed(found.entries):
        print(audit_facts(stored).model_dump_json() if options.json else _line(stored, found.names))
    return 0


class _Log(NamedTuple):
    """Entries, newest first, and what their ids stand for."""

    entries: Sequence[StoredAuditEntry]
    names: Mapping[str, str]
    """Of the browsers and keys that there still are, by their ids."""


async def _read_log(store: Store, options: argparse.Namespace) -> _Log | None:
    """Return the log; None when there is no such user."""
    users = await UserTables(store).list_users()
    ids_by_name = {user.name: user.id for user in users}
    if options.user is not None and options.user not in ids_by_name:
        return None
    user_id = None if options.user is None else ids_by_name[options.user]
    query = AuditQuery(user_id=user_id, kinds=options.kind, since=options.since, limit=options.limit)
    entries = await AuditLog(store).read_entries(query)
    concerned = {stored.entry.user_id for stored in entries}
    known = [user.id for user in users if user.id in concerned]
    return _Log(entries, await _read_names(store, known))


async def _read_names(store: Store, user_ids: Sequence[str]) -> Mapping[str, str]:
    """Return the names of the users' browsers and keys by their ids."""
    users = UserTables(store)
    names: dict[str, str] = {}
    for user_id in user_ids:
        names |= {device.id: device.name for device in await users.list_devices(user_id)}
        names |= {key.id: key.label for key in await users.list_keys(user_id)}
    return names


def _line(stored: StoredAuditEntry, names: Mapping[str, str]) -> str:
    entry = stored.entry
    actor = " ".join(_named(word, names) for word in entry.actor.split(" "))
    where = " ".join(part for part in (entry.server_id, entry.operation_key, entry.call_id) if part)
    facts = " ".join(f"{name}={_detail_text(name, value, names)}" for name, value in entry.detail.items())
    parts = (_iso(entry.at), entry.kind, stored.user or "-", f"by {actor}", where, facts)
    return "  ".join(_printable(part) for part in parts if part)


def _detail_text(name: str, value: object, names: Mapping[str, str]) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if name.endswith("_at") and isinstance(value, float):
        return _iso(value)
    return _named(value, names) if isinstance(value, str) else str(value)


def _named(word: str, names: Mapping[str, str]) -> str:
    return f'"{names[word]}"' if word in names else word


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().isoformat(timespec="seconds")


def _printable(text: str) -> str:
    """Replace unprintable characters: texts of documents and callers must not control the terminal."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
