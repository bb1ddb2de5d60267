"""Backups of a data folder with SQLite: one file, made while a bridge runs, restored into an empty place.

A backup is a zip archive: the database, what else of the folder cannot be made again, and `manifest.json`
with the digest of each. It holds secrets, and is readable only by its owner. Everything here blocks.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import time
import zipfile
import zlib
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from bridge.operating_system import open_private, replace_file
from bridge.storage.errors import StoreError
from bridge.storage.migrations import HEAD
from bridge.storage.write_ahead_log import NAMES as INTENTS

DATABASE = "bridge.sqlite3"
KEPT = (*INTENTS, "secret.key", "local.key", "bridge.env", "models.toml")
"""Files of the folder that a backup holds beside the database, as far as they are there."""

MANIFEST = "manifest.json"
MAX_MANIFEST_BYTES = 100_000
MAX_KEPT_BYTES = 64 << 20
"""Of each file beside the database: the intents of a bridge grow to a few MiB."""

MIN_FREE_BYTES = 256 << 20
"""What a restored database leaves free on its disk."""

CHUNK_BYTES = 1 << 20
BUSY_S = 60.0
"""How long the database may be locked by a migration before it counts as unreadable, in seconds."""


class BackupUnusable(StoreError):
    """A backup cannot be made or restored; the text says why and what to do."""


class PackedFile(BaseModel):
    """One file of a backup."""

    model_config = ConfigDict(extra="forbid")

    bytes: int
    sha256: str


class Manifest(BaseModel):
    """What a backup says of itself."""

    format: Literal["tool-bridge-backup"] = "tool-bridge-backup"
    version: Literal[1] = 1
    made_by: str
    """Version of the program."""
    made_at: float
    """UTC seconds since 1970, when the database was read."""
    revision: str
    """Of the tables, as Alembic numbers them."""
    files: Mapping[str, PackedFile]


def write_backup(folder: Path, to: Path, made_by: str) -> Manifest:
    """Write what a data folder holds to the new file `to`; a bridge may run on the folder.

    The database is copied as it is at one moment, without waiting for the bridge or holding it up. A call
    that may change something is in the copy, or in the intents read before it, if it was sent before.

    Raises:
        BackupUnusable: there is no database, it is damaged, or `to` exists or cannot be written. Nothing is
            left behind.
    """
    source = folder / DATABASE
    if not source.is_file():
        raise BackupUnusable(f"there is no {source} to back up; --data sets the data folder")
    try:
        with _new_file(to) as file, _beside(to) as work:
            copies = {name: folder / name for name in KEPT if (folder / name).is_file()}
            for name, path in copies.items():
                _check_kept_size(name, path.stat().st_size)
            texts = {name: path.read_bytes() for name, path in copies.items()}  # intents before the database
            made_at = time.time()
            copy = work / DATABASE
            revision = _copy_database(source, copy)
            return _pack(file, copy, texts, made_by=made_by, made_at=made_at, revision=revision)
    except FileExistsError:
        raise BackupUnusable(f"{to} exists; a backup is a new file") from None
    except (OSError, sqlite3.Error) as error:
        raise BackupUnusable(f"no backup was made: {_reason(error)}") from None


def restore_backup(file: Path, folder: Path) -> Manifest:
    """Restore a backup into a data folder that holds nothing of a bridge; the next start migrates the tables.

    Everything is checked before the first file is put in its place; the database comes last. Not more is
    unpacked than `MAX_KEPT_BYTES` of each file beside it, and nothing that leaves less than `MIN_FREE_BYTES`.

    Raises:
        BackupUnusable: the backup is incomplete, damaged, of a newer version or no backup, or the folder
            is in use; nothing of the folder has changed.
    """
    _refuse_used(folder)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _beside(folder / DATABASE) as work, _opened(file) as archive:
            manifest = _read_manifest(archive, file)
            _check_sizes(manifest, file, shutil.disk_usage(work).free)
            for name, packed in manifest.files.items():
                _unpack(archive, name, packed, work / name, file)
            _check_database(work / DATABASE, manifest, file)
            _refuse_used(folder)
            for name in sorted(manifest.files, key=lambda name: name == DATABASE):
                (work / name).rename(folder / name)
            return manifest
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise BackupUnusable(f"{file} is damaged: {_reason(error)}") from None
    except (OSError, sqlite3.Error) as error:
        raise BackupUnusable(f"{file} was not restored: {_reason(error)}") from None


def _opened(file: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except zipfile.BadZipFile as error:  # its end, which lists what it holds, is missing
        raise BackupUnusable(f"{file} is no complete backup: {_reason(error)}") from None


def _copy_database(source: Path, to: Path) -> str:
    """Copy an SQLite database as it is at one moment; return the revision of its tables."""
    with closing(
        sqlite3.connect(f"{source.absolute().as_uri()}?mode=rw", uri=True, timeout=BUSY_S)
    ) as reading:
        _touch(to)
        with closing(sqlite3.connect(to, isolation_level=None)) as writing:
            # In one step: in several, each write of the bridge between two of them would begin it anew.
            reading.backup(writing, pages=-1)
            writing.execute("PRAGMA journal_mode=DELETE")  # one file
            return _sound_revision(writing, str(source))


def _sound_revision(connection: sqlite3.Connection, shown_as: str) -> str:
    """Return the revision of the tables of a database that SQLite finds sound."""
    try:
        (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
        if verdict != "ok":
            raise BackupUnusable(f"the database of {shown_as} is damaged: {' '.join(verdict.split())}")
        (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone() or ("",)
    except sqlite3.DatabaseError as error:
        raise BackupUnusable(f"{shown_as} holds no database of a bridge: {error}") from None
    return str(revision)


def _pack(
    file: BinaryIO, copy: Path, texts: Mapping[str, bytes], *, made_by: str, made_at: float, revision: str
) -> Manifest:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        with copy.open("rb") as reading:
            packed = {DATABASE: _copied(reading, lambda: archive.open(DATABASE, "w", force_zip64=True))}
        for name, text in texts.items():
            archive.writestr(name, text)
            packed[name] = PackedFile(bytes=len(text), sha256=hashlib.sha256(text).hexdigest())
        manifest = Manifest(made_by=made_by, made_at=made_at, revision=revision, files=packed)
        archive.writestr(MANIFEST, manifest.model_dump_json(indent=1))
    return manifest


def _read_manifest(archive: zipfile.ZipFile, file: Path) -> Manifest:
    names = archive.namelist()
    if MANIFEST not in names or archive.getinfo(MANIFEST).file_size > MAX_MANIFEST_BYTES:
        raise BackupUnusable(f"{file} is no backup of tool-bridge: it has no {MANIFEST}")
    try:
        manifest = Manifest.model_validate_json(archive.read(MANIFEST))
    except ValidationError:
        message = "is no backup that this tool-bridge reads; a newer one may have made it"
        raise BackupUnusable(f"{file} {message}") from None
    if manifest.revision > HEAD:
        message = f"was made by a newer tool-bridge ({manifest.made_by}); update this one"
        raise BackupUnusable(f"{file} {message}")
    if DATABASE not in manifest.files or not set(manifest.files) <= {DATABASE, *KEPT}:
        raise BackupUnusable(f"{file} is no backup of tool-bridge: it names other files")
    if sorted(names) != sorted([MANIFEST, *manifest.files]):
        raise BackupUnusable(f"{file} is damaged: it does not hold the files that it names")
    return manifest


def _check_sizes(manifest: Manifest, file: Path, free_bytes: int) -> None:
    """Raise for more than a bridge leaves or the disk holds: a small file may unpack to a thousandfold."""
    for name, packed in manifest.files.items():
        if name != DATABASE:
            _check_kept_size(name, packed.bytes)
    if sum(packed.bytes for packed in manifest.files.values()) > free_bytes - MIN_FREE_BYTES:
        raise BackupUnusable(f"{file} needs more than the disk has free, less {MIN_FREE_BYTES >> 20} MiB")


def _check_kept_size(name: str, size: int) -> None:
    if size > MAX_KEPT_BYTES:
        raise BackupUnusable(f"{name} is larger than {MAX_KEPT_BYTES >> 20} MiB, which no bridge writes")


def _unpack(archive: zipfile.ZipFile, name: str, packed: PackedFile, to: Path, file: Path) -> None:
    if archive.getinfo(name).file_size != packed.bytes:
        raise BackupUnusable(f"{file} is damaged: {name} has another size than it should")
    _touch(to)
    with archive.open(name) as reading:
        found = _copied(reading, lambda: to.open("wb"))
    if found != packed:
        raise BackupUnusable(f"{file} is damaged: {name} has another digest than it should")


def _check_database(database: Path, manifest: Manifest, file: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        if _sound_revision(connection, str(file)) != manifest.revision:
            raise BackupUnusable(f"{file} is damaged: its tables are of another revision than it says")


def _refuse_used(folder: Path) -> None:
    """Raise if a bridge has left anything: a restored file beside others would be mixed with them."""
    names = [*KEPT, *(DATABASE + end for end in ("", "-wal", "-shm", "-journal"))]
    used = next((name for name in names if os.path.lexists(folder / name)), None)
    if used is not None:
        raise BackupUnusable(f"{folder} already has {used}; restore into a new folder, or move that one away")


def _copied(reading: IO[bytes], opened: Callable[[], IO[bytes]]) -> PackedFile:
    """Copy a file to one that is opened and closed here; return what was copied."""
    digest, size = hashlib.sha256(), 0
    with opened() as writing:
        while chunk := reading.read(CHUNK_BYTES):
            digest.update(chunk)
            size += len(chunk)
            writing.write(chunk)
    return PackedFile(bytes=size, sha256=digest.hexdigest())


@contextmanager
def _new_file(path: Path) -> Generator[BinaryIO]:
    """Open a new file for its owner alone. Its name is taken at once; it is empty until it is complete."""
    _touch(path)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        _touch(unfinished)
        with unfinished.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        replace_file(unfinished, path)
    except BaseException:
        for each in (unfinished, path):
            with suppress(OSError):
                each.unlink()
        raise


@contextmanager
def _beside(path: Path) -> Generator[Path]:
    """Make a folder on the same disk, for its owner alone; it is removed at the end."""
    folder = path.with_name(f".{path.name}.{os.getpid()}.work")
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _touch(path: Path) -> None:
    os.close(open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)
