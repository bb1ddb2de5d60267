"""What a call needs: database, data folder, the process that reads documents, a place among replicas."""

from __future__ import annotations

import asyncio
import errno
import os
from pathlib import Path

from bridge.cluster.homes import Homes
from bridge.cluster.membership import Membership
from bridge.documents.reader import DocumentReader
from bridge.errors import BridgeError
from bridge.operating_system import open_private
from bridge.readiness.readiness import Check, NotReady
from bridge.storage.store import Store
from bridge.tasks import Tasks

PROBE_FILE = "readiness.probe"
"""File that is written to the data folder and removed again."""

PROBE_BYTES = 4096


def make_storage_checks(store: Store, folder: Path, tasks: Tasks) -> list[Check]:
    """Return the checks of the database and of the data folder."""

    async def check_database() -> str:
        try:
            accepts_writes = await store.accepts_writes()
        except BridgeError:
            raise NotReady("The database does not answer; the log of the bridge says why.") from None
        if not accepts_writes:
            raise NotReady("The database is read-only.")
        return "The database answers and takes writes."

    async def check_folder() -> str:
        try:
            await asyncio.to_thread(write_probe, folder)
        except OSError as error:
            raise NotReady(f"The data folder cannot be written: {error.strerror}.") from None
        return "The data folder can be written."

    return [
        Check("database", check_database, tasks),
        Check("data_folder", check_folder, tasks),
    ]


def make_reader_check(documents: DocumentReader, long_read_s: float, tasks: Tasks) -> Check:
    """Return the check of the process that reads documents."""

    async def check_documents() -> str:
        busy_s = await documents.check_alive()
        if busy_s is None:
            return "The process that reads documents answers."
        busy = f"The process that reads documents has been reading one for {busy_s:.0f} s, and was not asked."
        if busy_s > long_read_s:
            raise NotReady(busy)
        return busy

    return Check("documents", check_documents, tasks)


def check_place(homes: Homes, membership: Membership) -> str:
    """Return a sentence about a replica's place among the others.

    Without Redis it takes traffic as long as it has users, whom nobody takes from it if all replicas are
    without.

    Raises:
        NotReady: it takes no traffic.
    """
    if not membership.is_connected:
        if users := len(homes.user_ids):
            return f"Redis does not answer; the users at home here ({users}) are served, and nobody else."
        raise NotReady("Redis does not answer, by which replicas find each other.")
    if not membership.is_awake:
        raise NotReady("This replica did not run for a while, and looks which users it still has.")
    own, number = homes.replica, len(membership.live)
    return f"Replica {own} is one of {number}." if number > 1 else f"Replica {own} is alone."


def write_probe(folder: Path, size: int = PROBE_BYTES) -> None:
    """Write a file of `size` bytes to a folder and remove it; blocks.

    Raises:
        OSError: it cannot be written: the disk is full or read-only, or the folder is not there.
    """
    path = folder / PROBE_FILE
    file = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        if os.write(file, bytes(size)) < size:  # a disk that is nearly full takes what fits
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    finally:
        os.close(file)
        path.unlink(missing_ok=True)
