"""`tool-bridge export` and `import`: one user's stored answers, to a file and back."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeAlias

from bridge.audit import AuditKind
from bridge.cli.parser import CommandFailed
from bridge.cli.store import answer_folders, run_on_store, storage_settings
from bridge.cli.terminal import bytes_to, print_result
from bridge.models.conversations.conversation import Conversation, Message
from bridge.models.conversations.export import KIND, conversation_line, read_conversation
from bridge.models.stored_items.export import (
    NOT_IMPORTED,
    BadExport,
    file_line,
    head_line,
    is_head,
    item_line,
    read_line,
    record_line,
    response_line,
)
from bridge.models.stored_items.items import StoredItem, StoredResponse
from bridge.models.stored_items.manifold_export import chats_of_items
from bridge.models.stored_items.manifold_import import items_of_chats
from bridge.operating_system import open_private
from bridge.settings.storage import StorageSettings
from bridge.storage.accounts.account_tables import AccountTables
from bridge.storage.audit_log import AuditLog
from bridge.storage.chat.conversations import ConversationTables
from bridge.storage.chat.items import ItemTables
from bridge.storage.chat.user_items import UserItems
from bridge.storage.store import Store
from bridge.storage.users import UserTables
from toolserver.json_types import JsonValue, load_json

ITEMS_AT_ONCE = 500


class OwnConversation(NamedTuple):
    """A conversation of the bridge's own, with its messages."""

    conversation: Conversation
    messages: Sequence[Message]


class Owner(NamedTuple):
    """The user whose answers are exported."""

    id: str
    name: str


_Write: TypeAlias = Callable[[Store, StorageSettings, Owner, BinaryIO], Awaitable[int]]
"""Writes what is stored of a user; returns how much."""

Exported: TypeAlias = StoredItem | StoredResponse | OwnConversation
"""The kinds of lines in an export."""


def export(options: argparse.Namespace) -> int:
    """Write a user's stored answers."""
    settings = storage_settings()
    try:
        write = _write_chats if options.chats else _write_everything if options.everything else _write_lines
        count = run_on_store(options, lambda store: _export(store, settings, options, write))
    except BrokenPipeError:  # the reader of standard output has seen enough
        raise
    except OSError as error:
        raise CommandFailed(f"{options.out or 'the output'} cannot be written: {error.strerror}") from None
    what = "chats" if options.chats else "items, responses and conversations"
    what = "lines" if options.everything else what
    print(f"{count} {what} are exported.", file=sys.stderr)
    return 0


def import_file(options: argparse.Namespace) -> int:
    """Add the contents of a file to the store; what is already there is unchanged."""
    settings = storage_settings()
    try:
        with options.file.open("rb") as file:
            counts = run_on_store(options, lambda store: _import(store, settings, options.user, file))
    except OSError as error:
        raise CommandFailed(f"{options.file} cannot be read: {error.strerror}") from None
    except BadExport as error:
        raise CommandFailed(f"{options.file} cannot be imported: {error}") from None
    read, new = counts
    print_result({"read": read, "new": new}, [f"{read} read, {new} of them new."], as_json=options.json)
    return 0


@contextmanager
def _output(path: Path | None) -> Generator[BinaryIO]:
    """Open a new file that only its owner may read and that is deleted on error, or standard output."""
    if path is None:
        output = bytes_to(sys.stdout)
        yield output
        output.flush()
        return
    with os.fdopen(open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
        try:
            yield file
        except BaseException:
            path.unlink()
            raise


async def _export(store: Store, settings: StorageSettings, options: argparse.Namespace, write: _Write) -> int:
    user = Owner(await _user_id(store, options.user), options.user)
    with _output(options.out) as out:
        count = await write(store, settings, user, out)
        count += _write_files(options.data, user, out) if options.everything else 0
    await _add_audit_entry(store, AuditKind.STORED_DATA_EXPORTED, user.id, count)
    return count


async def _write_lines(store: Store, settings: StorageSettings, user: Owner, out: BinaryIO) -> int:
    """Write everything, to be imported again; returns the number of lines after the first."""
    user_items, count = UserItems(store, settings), 0
    out.write(head_line(user.name, time.time()))
    async for item in user_items.list_items(user.id):
        count += 1
        out.write(item_line(item))
    async for response in user_items.list_responses(user.id):
        count += 1
        out.write(response_line(response))
    async for conversation, messages in ConversationTables(store, settings).read_all(user.id):
        count += 1
        out.write(conversation_line(conversation, messages))
    return count


async def _write_everything(store: Store, settings: StorageSettings, user: Owner, out: BinaryIO) -> int:
    """Write what can be imported, then every other row of the user; returns the number of lines."""
    count = await _write_lines(store, settings, user, out)
    async for table, row in AccountTables(store, settings).list_records(user.id):
        count += 1
        out.write(record_line(table, row))
    return count


def _write_files(data: Path, user: Owner, out: BinaryIO) -> int:
    """Write the answers that were too long for a message; returns how many."""
    paths = [path for folder in answer_folders(data) for path in folder.list_files(user.id)]
    for path in paths:
        out.write(file_line(path.name, path.read_bytes()))
    return len(paths)


async def _write_chats(store: Store, settings: StorageSettings, user: Owner, out: BinaryIO) -> int:
    """Write the items of answers as chats, all of them in memory; returns the number of chats."""
    user_items = UserItems(store, settings)
    unfinished = {
        response.id
        async for response in user_items.list_responses(user.id)
        if response.status in ("queued", "in_progress")
    }
    chats = chats_of_items([item async for item in user_items.list_items(user.id)], unfinished)
    out.write(json.dumps(chats, separators=(",", ":")).encode() + b"\n")
    return len(chats)


async def _import(store: Store, settings: StorageSettings, name: str, file: BinaryIO) -> tuple[int, int]:
    """Return how many were read, and how many of them were new."""
    user_id = await _user_id(store, name)
    before = await _count(store, settings, user_id)
    items = ItemTables(store, settings)
    tables = ConversationTables(store, settings)
    read = 0
    for some in _slices(_records(file, user_id)):
        await items.add_items([each for each in some if isinstance(each, StoredItem)])
        for each in some:
            if isinstance(each, StoredResponse) and await items.find_response(user_id, each.id) is None:
                await items.save_response(each)
            if isinstance(each, OwnConversation):
                await tables.add_missing(each.conversation, each.messages)
        read += len(some)
    new = await _count(store, settings, user_id) - before
    await _add_audit_entry(store, AuditKind.STORED_DATA_IMPORTED, user_id, new)
    return read, new


def _records(file: BinaryIO, user_id: str) -> Iterator[Exported]:
    first = file.readline()
    head = _json_of(first)
    if not is_head(head):
        chats = _json_of(first + file.read())
        if chats is None:
            raise BadExport("it is neither a tool-bridge export nor chats as JSON")
        yield from items_of_chats(chats, user_id)
        return
    for number, line in enumerate(file, start=2):
        if line.strip():
            try:
                record = _record(line, user_id)
            except BadExport as error:
                raise BadExport(f"line {number}: {error}") from None
            if record is not None:
                yield record


def _record(line: bytes, user_id: str) -> Exported | None:
    """Read a line; None for one that is not imported."""
    facts = _json_of(line)
    kind = facts.get("kept") if isinstance(facts, dict) else None
    if isinstance(kind, str) and kind in NOT_IMPORTED:
        return None
    if isinstance(facts, dict) and kind == KIND:
        return OwnConversation(*read_conversation(facts, user_id))
    return read_line(line, user_id)


def _json_of(text: bytes) -> JsonValue:
    """Parse JSON; None for what is not JSON by itself, such as the first of several lines."""
    try:
        return load_json(text)
    except ValueError:
        return None


def _slices(
    records: Iterator[Exported],
) -> Iterator[Sequence[Exported]]:
    some: list[Exported] = []
    for record in records:
        some.append(record)
        if len(some) == ITEMS_AT_ONCE:
            yield some
            some = []
    if some:
        yield some


async def _count(store: Store, settings: StorageSettings, user_id: str) -> int:
    facts = await UserItems(store, settings).summarize_items(user_id)
    return facts.items + facts.responses + facts.own_conversations


async def _user_id(store: Store, name: str) -> str:
    ids_by_name = {user.name: user.id for user in await UserTables(store).list_users()}
    if name not in ids_by_name:
        raise CommandFailed(f"there is no user {name!r}; `tool-bridge users` lists them")
    return ids_by_name[name]


async def _add_audit_entry(store: Store, kind: AuditKind, user_id: str, items: int) -> None:
    audit = AuditLog(store)
    audit.add_entry(kind, user_id, "command line", detail={"items": items})
    await audit.flush_entries()
