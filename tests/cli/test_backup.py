"""`tool-bridge backup` and `restore`: what was there is there again; nothing is overwritten or half done."""

import asyncio
import hashlib
import json
import shutil
import sqlite3
import stat
import threading
import zipfile
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bridge.app.server import Bridge
from bridge.storage.copies.backup import DATABASE, MANIFEST, MAX_KEPT_BYTES
from bridge.storage.migrations import HEAD
from bridge.storage.store import Store
from bridge.storage.users import UserTables
from bridge.storage.write_ahead_log import NAMES as INTENTS
from tests.support.commands import run_command, without
from tests.support.documents.compiled import document_text, operation
from tests.support.running_bridge import FakePage, json_answer, page_of, running_bridge
from tests.support.stores.databases import execute
from tests.support.waiting import eventually

ENVIRON = without("TOOL_BRIDGE_DATABASE_URL")
GARBAGE = b"SQLite format 3\0" + bytes(4096)


@pytest.fixture
def left(tmp_path: Path) -> Path:
    """The data folder of a bridge that has stopped, with a user and secrets."""
    folder = tmp_path / "data"
    folder.mkdir()
    asyncio.run(_fill(folder))
    for name in ("secret.key", "local.key", "models.toml", "running.json", INTENTS[0]):
        (folder / name).write_text(f"the {name}\n", encoding="utf-8")
    return folder


async def _fill(folder: Path) -> None:
    store = Store.open_store(folder / DATABASE)
    await UserTables(store).ensure_user("ann")
    await store.close()


def back_up(folder: Path, file: Path) -> dict[str, Any]:
    ended = run_command("backup", str(file), "--data", str(folder), "--json", environ=ENVIRON)
    assert (ended.status, ended.errors) == (0, "")
    return json.loads(ended.output)


def refused(*words: str | Path) -> str:
    """What a command says that fails as it should: in one line, without a trace of Python."""
    ended = run_command(*map(str, words), environ=ENVIRON)
    assert (ended.status, ended.output) == (1, "")
    assert ended.errors.count("\n") == 1
    return ended.errors


def test_a_restored_folder_holds_what_cannot_be_made_again(left: Path, tmp_path: Path) -> None:
    """Without the secret, stored keys of providers are lost. Where a bridge ran is nothing to restore."""
    file, restored = tmp_path / "bridge.backup", tmp_path / "restored"
    told = back_up(left, file)
    assert (told["revision"], sorted(told["files"])) == (
        HEAD,
        sorted([DATABASE, INTENTS[0], "secret.key", "local.key", "models.toml"]),
    )
    ended = run_command("restore", str(file), "--data", str(restored), environ=ENVIRON)
    assert (ended.status, ended.output) == (0, f"{restored} is as it was. Start the bridge on it.\n")
    assert {path.name for path in restored.iterdir()} == set(told["files"])
    for name in set(told["files"]) - {DATABASE}:
        assert (restored / name).read_bytes() == (left / name).read_bytes()
    with closing(sqlite3.connect(restored / DATABASE)) as database:
        assert database.execute("SELECT name FROM users").fetchall() == [("ann",)]


def test_only_the_owner_reads_a_backup_and_what_is_restored(left: Path, tmp_path: Path) -> None:
    """It holds the secret that signs every session, and the key of the user `local`."""
    file, restored = tmp_path / "bridge.backup", tmp_path / "restored"
    back_up(left, file)
    assert run_command("restore", str(file), "--data", str(restored), environ=ENVIRON).status == 0
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (file, *restored.iterdir())}
    assert (modes, stat.S_IMODE(restored.stat().st_mode)) == ({0o600}, 0o700)


@pytest.mark.asyncio
async def test_a_running_bridge_is_backed_up_and_its_users_go_on_from_there(tmp_path: Path) -> None:
    """Keys, browsers, acceptances and history of the moment; and the bridge goes on working meanwhile."""
    folder, file, restored = tmp_path / "data", tmp_path / "bridge.backup", tmp_path / "restored"
    folder.mkdir()
    async with running_bridge(folder) as bridge, aiohttp.ClientSession() as http:
        await bridge.share_document(str(document_file(tmp_path)))
        async with page_of(bridge, bridge.local_user.id, answered) as page:
            before = await asked(bridge, http)
            await eventually(lambda: noted_calls(folder), what="the call in the history")
            told = await asyncio.to_thread(back_up, folder, file)
            assert await asked(bridge, http) == before, "it answers on"
    assert set(told["files"]) == {DATABASE, *INTENTS, "secret.key", "local.key"}
    await asyncio.to_thread(restored_from, file, restored)
    shutil.rmtree(folder)
    async with running_bridge(restored) as again, aiohttp.ClientSession() as http:
        await again.share_document(str(document_file(tmp_path)))
        assert again.key == bridge.key
        back = FakePage(again.base_url, http, page.device_id, page.key)
        await back.connect(answered)
        assert noted_calls(restored) == [("succeeded",)], "the call before the backup"
        assert await asked(again, http) == before, "the acceptance and the key are good"
        await back.close()


def noted_calls(folder: Path) -> Sequence[Any]:
    """The states of the calls in the history."""
    return execute(folder / DATABASE, "SELECT state FROM calls WHERE state = 'succeeded'")


async def answered(_call: dict[str, Any]) -> dict[str, Any]:
    return json_answer({"word": "tea"})


async def asked(bridge: Bridge, http: aiohttp.ClientSession) -> Any:
    """What a program with the key of the local user is answered."""
    headers = {"Authorization": f"Bearer {bridge.key}"}
    async with http.post(f"{bridge.base_url}/tools/showWord", json={}, headers=headers) as answer:
        assert answer.status == 200, await answer.text()
        return await answer.json()


def document_file(folder: Path) -> Path:
    path = folder / "words.json"
    path.write_text(document_text(paths={"/word": operation("showWord")}), encoding="utf-8")
    return path


def restored_from(file: Path, folder: Path) -> Path:
    assert run_command("restore", str(file), "--data", str(folder), environ=ENVIRON).status == 0
    return folder


@pytest.mark.asyncio
async def test_a_backup_amid_writes_is_one_moment_of_the_database(left: Path, tmp_path: Path) -> None:
    """Rows that were written together are in it together, whatever is written while it is made."""
    execute(left / DATABASE, "CREATE TABLE pairs (side TEXT)")
    stop = threading.Event()
    writing = asyncio.create_task(asyncio.to_thread(write_pairs, left / DATABASE, stop))
    files = [tmp_path / f"{number}.backup" for number in range(5)]
    try:
        for file in files:
            await asyncio.to_thread(back_up, left, file)
    finally:
        stop.set()
    assert await writing > len(files)
    for file in files:
        database = restored_from(file, file.with_suffix("")) / DATABASE
        assert execute(database, "SELECT count(*) FROM pairs WHERE side = 'left'") == execute(
            database, "SELECT count(*) FROM pairs WHERE side = 'right'"
        )


def write_pairs(database: Path, stop: threading.Event) -> int:
    """Write two rows in each transaction, as fast as it goes; returns how many times."""
    count = 0
    with closing(sqlite3.connect(database, timeout=30)) as connection:
        while not stop.is_set():
            with connection:
                connection.executemany("INSERT INTO pairs VALUES (?)", [("left",), ("right",)])
            count += 1
    return count


def test_nothing_is_overwritten(left: Path, tmp_path: Path) -> None:
    """A backup over the last good one, or a restore into a folder in use, may destroy what it should save."""
    file = tmp_path / "bridge.backup"
    back_up(left, file)
    before = file.read_bytes()
    assert "a backup is a new file" in refused("backup", file, "--data", left)
    assert file.read_bytes() == before
    assert "already has" in refused("restore", file, "--data", left)
    other = tmp_path / "other"
    other.mkdir()
    (other / "bridge.sqlite3-wal").touch()
    assert "already has bridge.sqlite3-wal" in refused("restore", file, "--data", other)
    assert [path.name for path in other.iterdir()] == ["bridge.sqlite3-wal"]


@pytest.mark.parametrize("part", [0.0, 0.3, 0.7, 0.999])
def test_a_truncated_backup_restores_nothing(left: Path, tmp_path: Path, part: float) -> None:
    """A disk was full, or a copy broke off: that must be said before there is a folder that looks right."""
    file, restored = tmp_path / "bridge.backup", tmp_path / "restored"
    back_up(left, file)
    content = file.read_bytes()
    file.write_bytes(content[: int(len(content) * part)])
    assert "is no complete backup" in refused("restore", file, "--data", restored)
    assert list(restored.iterdir()) == []


@pytest.mark.parametrize("name", [MANIFEST, DATABASE, "secret.key"])
def test_a_backup_with_a_flipped_bit_is_damaged(left: Path, tmp_path: Path, name: str) -> None:
    """Finding P-L11: the page tells what was cut off from what was changed, and so must the message."""
    file, restored = tmp_path / "bridge.backup", tmp_path / "restored"
    back_up(left, file)
    content = bytearray(file.read_bytes())
    with zipfile.ZipFile(file) as archive:
        about = archive.getinfo(name)
    packed_at = about.header_offset + 30 + len(name)  # the part of fixed size, then the name
    content[packed_at + about.compress_size // 2] ^= 0x10
    file.write_bytes(content)
    said = refused("restore", file, "--data", restored)
    assert "bridge.backup is damaged: " in said
    assert list(restored.iterdir()) == []


def newer(manifest: dict[str, Any]) -> None:
    manifest["revision"] = "9999"


def newer_form(manifest: dict[str, Any]) -> None:
    manifest["version"] = 2


def another_digest(manifest: dict[str, Any]) -> None:
    manifest["files"]["secret.key"]["sha256"] = "0" * 64


def another_size(manifest: dict[str, Any]) -> None:
    manifest["files"]["secret.key"]["bytes"] = 1


def older_than_its_tables(manifest: dict[str, Any]) -> None:
    manifest["revision"] = "0016"


def without_end(manifest: dict[str, Any]) -> None:
    """Finding S-L13: a database may be large, but not larger than what is free."""
    manifest["files"][DATABASE]["bytes"] = 10**15


def odd_revision(manifest: dict[str, Any]) -> None:
    manifest["revision"] = "../0001"


def another_place(manifest: dict[str, Any]) -> None:
    manifest["files"]["../secret.key"] = manifest["files"]["secret.key"]


def fewer_files(manifest: dict[str, Any]) -> None:
    del manifest["files"]["secret.key"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (newer, "was made by a newer tool-bridge"),
        (newer_form, "a newer one may have made it"),
        (another_digest, "secret.key has another digest"),
        (another_size, "secret.key has another size"),
        (older_than_its_tables, "of another revision than it says"),
        (odd_revision, "of another revision than it says"),
        (without_end, "needs more than the disk has free"),
        (another_place, "it names other files"),
        (fewer_files, "does not hold the files that it names"),
    ],
)
def test_a_backup_that_is_not_what_it_says_restores_nothing(
    left: Path, tmp_path: Path, change: Callable[[dict[str, Any]], None], said: str
) -> None:
    """Tables of a newer version would be refused at the start; a changed file may be somebody's."""
    file, changed, restored = tmp_path / "bridge.backup", tmp_path / "changed.backup", tmp_path / "restored"
    back_up(left, file)
    with zipfile.ZipFile(file) as reading, zipfile.ZipFile(changed, "w") as writing:
        for name in reading.namelist():
            content = reading.read(name)
            if name == MANIFEST:
                manifest = json.loads(content)
                change(manifest)
                content = json.dumps(manifest).encode()
            writing.writestr(name, content)
    assert said in refused("restore", changed, "--data", restored)
    assert list(restored.iterdir()) == []


ENTRIES = ("../secret.key", "/secret.key", "a/../secret.key", "..\\secret.key", "secret.key", "more/")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", ENTRIES)
def test_a_backup_with_other_entries_than_it_names_restores_nothing(
    left: Path, tmp_path: Path, name: str
) -> None:
    """Above the folder, anywhere on the disk, or twice: which one would be the one that was checked?"""
    file, restored = tmp_path / "bridge.backup", tmp_path / "restored"
    back_up(left, file)
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr(name, b"another secret")
    assert "does not hold the files that it names" in refused("restore", file, "--data", restored)
    assert list(restored.iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bridge.backup", "data", "restored"]


def test_a_link_in_a_backup_is_a_file_when_it_is_restored(left: Path, tmp_path: Path) -> None:
    """A link would have the bridge read, or write, whatever it leads to."""
    (left / "secret.key").write_text("/etc/passwd", encoding="utf-8")
    file, linking, restored = tmp_path / "bridge.backup", tmp_path / "linking.backup", tmp_path / "restored"
    back_up(left, file)
    with zipfile.ZipFile(file) as reading, zipfile.ZipFile(linking, "w") as writing:
        for entry in reading.infolist():
            content = reading.read(entry)
            entry.external_attr = (stat.S_IFLNK | 0o777) << 16
            writing.writestr(entry, content)
    restored_from(linking, restored)
    assert all(path.is_file() and not path.is_symlink() for path in restored.iterdir())
    assert (restored / "secret.key").read_text(encoding="utf-8") == "/etc/passwd"


@pytest.mark.parametrize("name", ["models.toml", "secret.key", INTENTS[0]])
def test_a_backup_that_unpacks_without_end_is_not_unpacked(left: Path, tmp_path: Path, name: str) -> None:
    """Finding S-L13: 620 KB became 600 MiB of `models.toml`, and the rest of the disk was next."""
    (left / name).write_bytes(bytes(MAX_KEPT_BYTES + 1))
    file, packed, restored = tmp_path / "bridge.backup", tmp_path / "packed.backup", tmp_path / "restored"
    assert f"{name} is larger than 64 MiB" in refused("backup", file, "--data", left)
    (left / name).write_bytes(b"small")
    back_up(left, file)
    with zipfile.ZipFile(file) as reading, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as writing:
        for each in reading.namelist():
            content = bytes(MAX_KEPT_BYTES + 1) if each == name else reading.read(each)
            if each == MANIFEST:
                manifest = json.loads(content)
                digest = hashlib.sha256(bytes(MAX_KEPT_BYTES + 1)).hexdigest()
                manifest["files"][name] = {"bytes": MAX_KEPT_BYTES + 1, "sha256": digest}
                content = json.dumps(manifest).encode()
            writing.writestr(each, content)
    assert packed.stat().st_size < 1_000_000
    assert f"{name} is larger than 64 MiB" in refused("restore", packed, "--data", restored)
    assert list(restored.iterdir()) == []


def test_a_damaged_database_is_not_backed_up_as_if_it_were_sound(left: Path, tmp_path: Path) -> None:
    """Else the damage is found when the backup is needed, and the older ones are gone."""
    content = bytearray((left / DATABASE).read_bytes())
    content[4096 * 3 : 4096 * 5] = b"\xff" * 8192
    (left / DATABASE).write_bytes(content)
    (left / f"{DATABASE}-wal").unlink(missing_ok=True)
    file = tmp_path / "bridge.backup"
    assert "tool-bridge: " in refused("backup", file, "--data", left)
    assert not list(tmp_path.glob("*backup*"))


def test_a_file_that_is_no_backup_or_no_database_is_named(left: Path, tmp_path: Path) -> None:
    """Whoever takes the wrong file must not look for the fault in the bridge."""
    plain = tmp_path / "plain.zip"
    with zipfile.ZipFile(plain, "w") as archive:
        archive.writestr("a.txt", "a")
    assert f"it has no {MANIFEST}" in refused("restore", plain, "--data", tmp_path / "new")
    assert "No such file" in refused("restore", tmp_path / "none", "--data", tmp_path / "new")
    assert "there is no" in refused("backup", tmp_path / "out", "--data", tmp_path / "nothing")
    (left / DATABASE).write_bytes(GARBAGE)
    assert "tool-bridge: " in refused("backup", tmp_path / "out", "--data", left)
    assert "No such file" in refused("backup", tmp_path / "missing" / "out", "--data", left)


def test_postgresql_is_left_to_its_own_tools(left: Path, tmp_path: Path) -> None:
    """A backup of the folder alone would look like one of everything."""
    database = ("--database", "postgresql://ann:hidden@db.test/bridge", "--data", left)
    for words, tool in (
        (("backup", tmp_path / "out"), "pg_dump"),
        (("restore", tmp_path / "out"), "pg_restore"),
    ):
        said = refused(*words, *database)
        assert tool in said
        assert "hidden" not in said
    (left / "running.json").write_text(json.dumps({"pid": 1, "database": "postgresql"}), encoding="utf-8")
    assert "the running bridge uses PostgreSQL" in refused("backup", tmp_path / "out", "--data", left)


def test_a_secret_that_is_not_in_the_folder_is_asked_for(left: Path, tmp_path: Path) -> None:
    """A bridge that gets its secret by the environment leaves none to back up."""
    (left / "secret.key").unlink()
    ended = run_command("backup", str(tmp_path / "out"), "--data", str(left), environ=ENVIRON)
    assert ended.status == 0
    assert "keep TOOL_BRIDGE_SECRET_KEY as well" in ended.errors
    assert "It holds secrets" in ended.output
