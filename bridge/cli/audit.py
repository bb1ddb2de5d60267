"""`tool-bridge audit`: what happened, read from the data folder, whether a bridge runs on it or not."""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import time
from datetime import datetime

from bridge.audit import AuditKind
from bridge.cli.arguments import add_store, user_name
from bridge.cli.store import open_store
from bridge.endpoints.api.audit import audit_facts
from bridge.storage.audit_log import AuditQuery, StoredAuditEntry
from bridge.storage.store import Store

MAX_ENTRIES = 1_000_000

_SPAN = re.compile(r"(\d{1,9})([smhd])", re.ASCII)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 24 * 3600}


def add_audit(command: argparse.ArgumentParser) -> None:
    """`tool-bridge audit`."""
    command.add_argument("--user", type=user_name, metavar="NAME", help="default: all users")
    command.add_argument("--kind", action="append", type=parse_kind, metavar="KIND", help="repeatable")
    command.add_argument(
        "--since", type=parse_moment, metavar="TIME", help="ISO time, or a span such as 90m, 12h or 7d"
    )
    command.add_argument("--limit", type=parse_count, default=1000, metavar="NUMBER", help="default: 1000")
    command.add_argument("--json", action="store_true", help="one JSON object a line")
    add_store(command)
    command.set_defaults(run=audit)


def audit(options: argparse.Namespace) -> int:
    """Print entries, the newest last; status 1 when there is no such user."""
    found = asyncio.run(_entries(open_store(options), options))
    if found is None:
        print(f"tool-bridge: there is no user {options.user!r}", file=sys.stderr)
        return 1
    for kept in reversed(found):
        print(audit_facts(kept).model_dump_json() if options.json else _line(kept))
    return 0


async def _entries(store: Store, options: argparse.Namespace) -> list[StoredAuditEntry] | None:
    try:
        user_id = None
        if options.user is not None:
            known = {user.name: user.id for user in await store.list_users()}
            if options.user not in known:
                return None
            user_id = known[options.user]
        wanted = AuditQuery(user_id=user_id, kinds=options.kind, since=options.since, limit=options.limit)
        return await store.audit_log().read_entries(wanted)
    finally:
        await store.close()


def _line(kept: StoredAuditEntry) -> str:
    entry = kept.entry
    at = datetime.fromtimestamp(entry.at).astimezone().isoformat(sep=" ", timespec="seconds")
    where = " ".join(part for part in (entry.server_id, entry.operation_key, entry.call_id) if part)
    facts = " ".join(f"{name}={_shown(value)}" for name, value in entry.detail.items())
    parts = (at, entry.kind, kept.user or "-", f"by {entry.actor}", where, facts)
    return "  ".join(_printable(part) for part in parts if part)


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _printable(text: str) -> str:
    """Texts of documents and callers must not steer the terminal."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def parse_kind(text: str) -> AuditKind:
    """A kind of entry."""
    try:
        return AuditKind(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(AuditKind)}") from None


def parse_moment(text: str) -> float:
    """A moment in UTC seconds since 1970: an ISO time, or a span before now."""
    if span := _SPAN.fullmatch(text):
        return time.time() - int(span[1]) * _SECONDS[span[2]]
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        message = f"{text!r} is no ISO time such as 2026-11-22T08:00, nor a span such as 90m, 12h or 7d"
        raise argparse.ArgumentTypeError(message) from None


def parse_count(text: str) -> int:
    """How many entries."""
    number = int(text)
    if not 1 <= number <= MAX_ENTRIES:
        raise argparse.ArgumentTypeError(f"must be between 1 and {MAX_ENTRIES}")
    return number
