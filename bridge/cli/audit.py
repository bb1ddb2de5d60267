"""`tool-bridge audit`: the audit log of a data folder, whether a bridge runs on it or not."""

from __future__ import annotations

import argparse
import asyncio
import sys
from datetime import datetime

from bridge.cli.store import open_store
from bridge.endpoints.api.audit import audit_facts
from bridge.storage.audit_log import AuditQuery, StoredAuditEntry
from bridge.storage.store import Store


def audit(options: argparse.Namespace) -> int:
    """Print entries, newest last; status 1 when there is no such user."""
    found = asyncio.run(_entries(open_store(options), options))
    if found is None:
        print(f"tool-bridge: there is no user {options.user!r}", file=sys.stderr)
        return 1
    for stored in reversed(found):
        print(audit_facts(stored).model_dump_json() if options.json else _line(stored))
    return 0


async def _entries(store: Store, options: argparse.Namespace) -> list[StoredAuditEntry] | None:
    try:
        user_id = None
        if options.user is not None:
            ids_by_name = {user.name: user.id for user in await store.list_users()}
            if options.user not in ids_by_name:
                return None
            user_id = ids_by_name[options.user]
        query = AuditQuery(user_id=user_id, kinds=options.kind, since=options.since, limit=options.limit)
        return await store.audit_log().read_entries(query)
    finally:
        await store.close()


def _line(stored: StoredAuditEntry) -> str:
    entry = stored.entry
    at = datetime.fromtimestamp(entry.at).astimezone().isoformat(sep=" ", timespec="seconds")
    where = " ".join(part for part in (entry.server_id, entry.operation_key, entry.call_id) if part)
    facts = " ".join(f"{name}={_detail_text(value)}" for name, value in entry.detail.items())
    parts = (at, entry.kind, stored.user or "-", f"by {entry.actor}", where, facts)
    return "  ".join(_printable(part) for part in parts if part)


def _detail_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _printable(text: str) -> str:
    """Replace unprintable characters: texts of documents and callers must not control the terminal."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
