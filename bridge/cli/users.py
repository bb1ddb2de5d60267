"""`tool-bridge key`, `users` and `devices`: who may use the bridge.

They work on the data folder, whether a bridge runs on it or not.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bridge.audit import AuditKind
from bridge.cli.arguments import address_of
from bridge.cli.links import check_database
from bridge.cli.parser import CommandFailed
from bridge.cli.store import answer_folders, own_section, run_on_store, storage_settings
from bridge.cli.terminal import print_result
from bridge.models.budgets.budgets import MICROS, UsageSum, first_day
from bridge.settings.chat.budgets import BudgetSettings
from bridge.settings.network import page_url
from bridge.settings.running_bridge import running_bridge
from bridge.settings.storage import StorageSettings
from bridge.settings.users import LOCAL_USER
from bridge.storage.accounts.account_tables import AccountTables
from bridge.storage.accounts.logins import LoginTable
from bridge.storage.audit_log import AuditLog
from bridge.storage.call_journal import CallJournal
from bridge.storage.chat.usage import UsageTable
from bridge.storage.database_lease import DatabaseInUse
from bridge.storage.open_pages import OPEN_PAGES_FILE, read_users, write_users
from bridge.storage.store import Store
from bridge.storage.user_mapping import OPERATOR
from bridge.storage.users import UserTables
from bridge.storage.write_ahead_log import NAMES as LOG_NAMES

_STOP_REPLICAS = "stop all of them first; tool-bridge replicas lists those that live"
"""Each may have sessions, pages and calls of the user in memory."""


def key(options: argparse.Namespace) -> int:
    """Create a user's API key and page link, and the user if needed; or a forwarder's key."""
    check_database(options)
    make = _forwarder_key if options.forwarder else _user_key
    facts = run_on_store(options, lambda store: make(store, options))
    titles = {"user": "User", "forwarder": "Forwarder", "key": "Key", "page_url": "Page, once"}
    lines = (f"{titles[name]}: {value}" for name, value in facts.items())
    print_result(facts, lines, as_json=options.json)
    return 0


def users(options: argparse.Namespace) -> int:
    """Print all users, oldest first, or change one; status 1 when there is none with that name."""
    if options.delete is not None:
        return _delete(options)
    if (name := options.disable or options.enable) is not None:
        return _switch(options, name, disabled=options.disable is not None)
    if options.usage:
        return _print_usage(options)
    found = run_on_store(options, _users)
    print_result({"users": found}, map(_user_line, found), as_json=options.json)
    return 0


def _user_line(user: Mapping[str, Any]) -> str:
    label = f"{user['name']}  {user['display_name']}" if user["display_name"] else user["name"]
    marks = [user["role"]] if user["role"] == OPERATOR else []
    marks += ["disabled"] if user["disabled_at"] is not None else []
    return "  ".join([label, f"{user['devices']} browsers, {user['keys']} keys", *marks])


def devices(options: argparse.Namespace) -> int:
    """Print a user's browsers, or remove one; status 1 when there is none with that id."""
    found = run_on_store(options, lambda store: _devices(store, options.user, options.remove))
    if found is None:
        print(f"tool-bridge: user {options.user!r} has no browser {options.remove!r}", file=sys.stderr)
        return 1
    lines = (f"{each['id']}  {each['name']}  last seen {_moment(each['last_seen_at'])}" for each in found)
    print_result({"devices": found}, lines, as_json=options.json)
    return 0


def _delete(options: argparse.Namespace) -> int:
    if options.delete == LOCAL_USER:
        message = f"{LOCAL_USER!r} is the user who starts the bridge; delete stored data in its page"
        raise CommandFailed(message)
    if (running := running_bridge(options.data)) is not None:
        if running.get("replica"):
            raise CommandFailed(f"a replica is running on this data folder: {_STOP_REPLICAS}")
        raise CommandFailed("a bridge is running on this data folder: stop it first")
    try:
        items = run_on_store(options, lambda store: _deleted(store, options, storage_settings()))
    except DatabaseInUse as error:
        if error.by_replicas:
            raise CommandFailed(f"replicas use {error.where}: {_STOP_REPLICAS}") from None
        raise CommandFailed(f"a bridge uses {error.where}: stop it first") from None
    except OSError as error:
        raise CommandFailed(f"{error.filename} cannot be deleted: {error.strerror}") from None
    if items is None:
        print(f"tool-bridge: there is no user {options.delete!r}", file=sys.stderr)
        return 1
    sentence = f"User {options.delete!r} is deleted, with {items} stored items."
    print_result({"deleted": options.delete, "items": items}, [sentence], as_json=options.json)
    return 0


def _print_usage(options: argparse.Namespace) -> int:
    since = first_day(own_section(BudgetSettings).budget_window, datetime.now(UTC))
    found = run_on_store(options, lambda store: UsageTable(store).list_usage(since))
    users = [
        {
            "name": used.name,
            "rounds": used.rounds,
            "estimated_rounds": used.estimated_rounds,
            "input_tokens": used.input_tokens,
            "output_tokens": used.output_tokens,
            "cost": used.cost_micros / MICROS,
        }
        for used in found
    ]
    nothing = f"Nothing was counted since {since}: only bridges with budgets or prices of models count."
    lines = [f"Since {since}, UTC:", *map(_usage_line, found)] if found else [nothing]
    print_result({"since": since, "users": users}, lines, as_json=options.json)
    return 0


def _usage_line(used: UsageSum) -> str:
    tokens = f"{used.input_tokens:,} tokens read, {used.output_tokens:,} written"
    return f"{used.name}  {used.rounds} rounds, {tokens}, cost {used.cost_micros / MICROS:.2f}"


def _switch(options: argparse.Namespace, name: str, *, disabled: bool) -> int:
    if name == LOCAL_USER:
        raise CommandFailed(f"{LOCAL_USER!r} is the user who starts the bridge, and cannot be disabled")
    if not run_on_store(options, lambda store: _switched(store, name, disabled=disabled)):
        print(f"tool-bridge: there is no user {name!r}", file=sys.stderr)
        return 1
    state = "disabled" if disabled else "enabled"
    print_result({state: name}, [f"User {name!r} is {state}."], as_json=options.json)
    return 0


async def _switched(store: Store, name: str, *, disabled: bool) -> bool:
    """Disable or enable a user; False when there is none of that name."""
    user_id = {user.name: user.id for user in await UserTables(store).list_users()}.get(name)
    if user_id is None or not await LoginTable(store).set_disabled(user_id, disabled=disabled):
        return False
    await _add_audit_entry(store, AuditKind.USER_DISABLED, user_id, disabled=disabled)
    return True


async def _deleted(store: Store, options: argparse.Namespace, settings: StorageSettings) -> int | None:
    """Delete a user; returns the number of deleted items, or None when there is no such user."""
    folders = answer_folders(options.data)
    await store.claim.take_claim()
    user_id = {user.name: user.id for user in await UserTables(store).list_users()}.get(options.delete)
    if user_id is None:
        return None
    await _settle_calls(store, options.data)
    items = await AccountTables(store, settings).delete_user(user_id)
    for folder in folders:
        folder.delete_user(user_id)
    open_pages = options.data / OPEN_PAGES_FILE
    if user_id in (with_pages := read_users(open_pages)):
        write_users(open_pages, with_pages - {user_id})
    await _add_audit_entry(store, AuditKind.USER_DELETED, user_id)
    return items


async def _settle_calls(store: Store, folder: Path) -> None:
    """Move calls that a killed bridge left in its write-ahead log into the database, as a start would."""
    if any((folder / name).exists() and (folder / name).stat().st_size for name in LOG_NAMES):
        journal = CallJournal(store, folder)
        await journal.settle_orphans()
        await journal.close_journal()


async def _user_key(store: Store, options: argparse.Namespace) -> dict[str, str]:
    users = UserTables(store)
    user = await users.ensure_user(options.user)
    secret = await _add_key(store, user.id, options)
    ticket = await users.add_ticket(user.id)
    return {"user": options.user, "key": secret, "page_url": page_url(address_of(options), ticket)}


async def _forwarder_key(store: Store, options: argparse.Namespace) -> dict[str, str]:
    """Create a forwarder key of the operator, who can revoke it; it never acts as the operator."""
    operator = await UserTables(store).ensure_user(LOCAL_USER)
    secret = await _add_key(store, operator.id, options)
    return {"forwarder": options.label, "key": secret}


async def _add_key(store: Store, user_id: str, options: argparse.Namespace) -> str:
    label, forwarder = options.label, options.forwarder
    key_id, secret = await UserTables(store).add_key(
        user_id, label, forwarder=forwarder, show_calls=options.show_calls, markers=options.markers
    )
    await _add_audit_entry(
        store, AuditKind.KEY_CREATED, user_id, key=key_id, label=label, forwarder=forwarder
    )
    return secret


async def _users(store: Store) -> list[dict[str, Any]]:
    found = await UserTables(store).list_users()
    return [
        {
            "name": user.name,
            "display_name": user.display_name,
            "created_at": user.created_at,
            "devices": user.devices,
            "keys": user.keys,
            "role": user.role,
            "groups": list(user.groups),
            "logged_in_at": user.logged_in_at,
            "disabled_at": user.disabled_at,
        }
        for user in found
    ]


async def _devices(store: Store, name: str, remove: str | None) -> list[dict[str, Any]] | None:
    """Return the remaining browsers; None when none has the id to remove."""
    users = UserTables(store)
    ids_by_name = {user.name: user.id for user in await users.list_users()}
    user_id = ids_by_name.get(name, "")
    is_missing = remove is not None and not await users.delete_device(user_id, remove)
    if remove is not None and not is_missing:
        await _add_audit_entry(store, AuditKind.DEVICE_REMOVED, user_id, device=remove)
    found = await users.list_devices(user_id)
    if is_missing:
        return None
    return [
        {
            "id": device.id,
            "name": device.name,
            "created_at": device.created_at,
            "last_seen_at": device.last_seen_at,
        }
        for device in found
    ]


async def _add_audit_entry(store: Store, kind: AuditKind, user_id: str, **detail: str | bool) -> None:
    audit = AuditLog(store)
    audit.add_entry(kind, user_id, "command line", detail=detail)
    await audit.flush_entries()


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().isoformat(sep=" ", timespec="minutes")
