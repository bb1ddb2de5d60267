"""The audit log: what it says, who may read it, and that it only grows."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import datetime
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from sqlalchemy.exc import IntegrityError

from bridge.__main__ import main
from bridge.app.server import Bridge
from bridge.audit import AuditKind
from bridge.auth.rejected_requests import MAX_REMEMBERED, RejectedRequests
from bridge.errors import ErrorCode
from bridge.storage import audit_log
from bridge.storage.audit_log import AuditCursor, AuditLog, AuditQuery
from bridge.storage.store import Store
from bridge.storage.users import UserTables
from tests.support.audit_entries import told_in
from tests.support.running_bridge import FakePage, json_answer, page_of, pair_browser, running_bridge
from tests.support.stores.databases import Where, execute
from tests.support.stores.devices import add_device
from tests.support.waiting import eventually

SHOP = """{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"},
"servers": [{"url": "http://shop.example"}],
"paths": {"/products": {"get": {"operationId": "listProducts"}}}}"""


pytestmark = pytest.mark.both_databases


@pytest_asyncio.fixture
async def store(database: Where) -> AsyncGenerator[Store]:
    opened = Store.open_store(database)
    yield opened
    await opened.close()


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, database: Where) -> AsyncGenerator[Bridge]:
    async with running_bridge(tmp_path, database=database) as running:
        yield running


async def answer(_call: dict[str, Any]) -> dict[str, Any]:
    return json_answer({"secret": "in the answer"})


async def kinds_of(log: AuditLog, **wanted: Any) -> list[str]:
    return [kept.entry.kind.value for kept in await log.read_entries(AuditQuery(**wanted))]


async def noted(log: AuditLog, count: int, **facts: Any) -> None:
    for number in range(count):
        log.add_entry(AuditKind.SETTINGS, "ann", "key", detail={"number": number} | facts)
    await log.flush_entries()


# What the database refuses


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit SET actor = 'somebody else'",
        "DELETE FROM audit WHERE id = 2",
        "DELETE FROM audit WHERE id > 1",
    ],
)
async def test_entries_are_neither_changed_nor_taken_out_of_the_middle(
    database: Where, store: Store, statement: str
) -> None:
    """W-36: not even by code of ours that has a bug: the database itself refuses."""
    await noted(AuditLog(store), 3)
    with pytest.raises(IntegrityError):
        execute(database, statement)


@pytest.mark.asyncio
async def test_old_entries_go_at_the_old_end(store: Store) -> None:
    """By age and by number, without an entry of the middle ever missing."""
    log = AuditLog(store, max_rows=5)
    await noted(log, 9)
    cutting = asyncio.create_task(log.sweep_hourly())

    async def numbers() -> list[int]:
        found = await log.read_entries(AuditQuery())
        return [kept.entry.detail["number"] for kept in found] if len(found) == 5 else []

    assert await eventually(numbers) == [8, 7, 6, 5, 4]
    cutting.cancel()


@pytest.mark.asyncio
async def test_a_database_that_is_locked_loses_no_entry(database: Where, store: Store) -> None:
    """Noting neither waits nor fails; the entries are written when the database answers again."""
    log = AuditLog(store)
    execute(database, "ALTER TABLE audit RENAME TO audit_away")
    log.add_entry(AuditKind.STARTED, None, "bridge")
    await log.flush_entries()
    execute(database, "ALTER TABLE audit_away RENAME TO audit")
    await log.flush_entries()
    assert await kinds_of(log) == ["started"]


@pytest.mark.asyncio
async def test_two_who_write_at_once_write_each_entry_once(store: Store) -> None:
    """The bridge's own task, and the last write when it stops."""
    log = AuditLog(store)
    for _ in range(50):
        log.add_entry(AuditKind.STARTED, None, "bridge")
    await asyncio.gather(log.flush_entries(), log.flush_entries())
    assert len(await log.read_entries(AuditQuery())) == 50


@pytest.mark.asyncio
async def test_texts_that_are_too_long_or_no_unicode_are_kept_as_far_as_they_fit(store: Store) -> None:
    """What strangers send must not stop the writing of what others did."""
    log = AuditLog(store)
    log.add_entry(
        AuditKind.REFUSED,
        None,
        "address \udcff" + "9" * 500,
        operation_key="\ud800",
        detail={"x": "y" * 9999},
    )
    await log.flush_entries()
    (kept,) = await log.read_entries(AuditQuery())
    assert kept.entry.actor.startswith("address ?9")
    assert len(kept.entry.actor) == audit_log.MAX_ACTOR_CHARS
    assert len(str(kept.entry.detail)) < audit_log.MAX_DETAIL_CHARS


@pytest.mark.asyncio
async def test_reading_on_gives_every_entry_once(store: Store) -> None:
    """Entries of one moment are no exception."""
    log = AuditLog(store)
    await noted(log, 25)
    seen: list[int] = []
    before: AuditCursor | None = None
    while page := await log.read_entries(AuditQuery(before=before, limit=4)):
        seen += [kept.entry.detail["number"] for kept in page]
        before = AuditCursor.parse_cursor(str(page[-1].place))
    assert seen == list(reversed(range(25)))


# What is noted


@pytest.mark.asyncio
async def test_what_a_user_does_is_noted_with_who_did_it(bridge: Bridge) -> None:
    """Finding F-10: what was added, made and called; a source with its port, without its secrets."""
    async with page_of(bridge, bridge.local_user.id, answer) as page:
        added = await page.post(
            "/api/servers",
            {"text": SHOP, "source_url": "http://hidden:hidden@[::1]:8970/s?token=hidden#hidden"},
        )
        await page.accept_everything()
        key = await page.post("/api/keys", {"label": "chat"})
        await page.request("DELETE", f"/api/keys/{key['id']}")
        await page.request("PATCH", f"/api/servers/{added['id']}", {"inline_html": True})
        await page.post("/api/calls", {"tool": "listProducts"})
        await page.request("DELETE", f"/api/servers/{added['id']}")

        async def complete() -> list[dict[str, Any]]:
            entries = (await page.get("/api/audit"))["entries"]
            return entries if len(entries) == 8 else []

        entries: list[dict[str, Any]] = await eventually(complete)
    by_kind = {entry["kind"]: entry for entry in entries}
    assert set(by_kind) == {
        "device_paired",
        "document_added",
        "acceptance",
        "key_made",
        "key_revoked",
        "settings",
        "call",
        "document_removed",
    }
    assert {entry["actor"] for entry in entries if entry["kind"] != "device_paired"} == {
        f"page {page.device_id}"
    }
    assert told_in(by_kind["acceptance"]) == {"operations": 1}
    assert by_kind["call"]["detail"]["state"] == "succeeded"
    assert by_kind["document_added"]["server"] == added["id"]
    assert told_in(by_kind["document_added"])["source"] == "http://[::1]:8970/s"
    text = str(entries)
    assert not [secret for secret in (key["key"], "hidden", "in the answer") if secret in text]


@pytest.mark.asyncio
async def test_only_the_operator_reads_what_others_did(bridge: Bridge) -> None:
    """And an API key reads nothing of it at all."""
    ann = await bridge.components.users.ensure_user("ann")
    async with page_of(bridge, ann.id, answer) as hers, page_of(bridge, bridge.local_user.id, answer) as mine:
        await eventually(lambda: kinds_of(bridge.components.ground.audit, user_id=ann.id))
        own = await hers.get("/api/audit")
        assert {entry["user"] for entry in own["entries"]} == {"ann"}
        status, refused = await hers.request("GET", "/api/audit?users=all")
        assert (status, refused["error"]["code"]) == (403, ErrorCode.OPERATOR_ONLY)
        everybody = (await mine.get("/api/audit?users=all"))["entries"]
        assert {"ann", "local", None} <= {entry["user"] for entry in everybody}
        _, key = await bridge.components.users.add_key(ann.id, "x")
        async with hers.http.get(
            bridge.base_url + "/api/audit", headers={"Authorization": f"Bearer {key}"}
        ) as response:
            assert (await response.json())["error"]["code"] == ErrorCode.PAGE_ONLY


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "query", ["kind=nonsense", "since=yesterday", "before=1-2-3", "before=1-0-" + "9" * 40]
)
async def test_a_question_that_makes_no_sense_is_refused(bridge: Bridge, query: str) -> None:
    """With the name of the field that is wrong."""
    async with page_of(bridge, bridge.local_user.id, answer) as page:
        status, body = await page.request("GET", f"/api/audit?{query}")
        assert (status, body["error"]["detail"]) == (400, {"field": query.split("=", maxsplit=1)[0]})


@pytest.mark.asyncio
async def test_whoever_is_turned_away_is_noted_once_for_a_burst(bridge: Bridge) -> None:
    """A wrong key, a spent ticket, a foreign origin; a hundred wrong keys are one entry."""
    ticket = await bridge.components.users.add_ticket(bridge.local_user.id)
    async with aiohttp.ClientSession() as http:
        page: FakePage = await pair_browser(bridge.base_url, http, ticket)
        with pytest.raises(AssertionError):
            await pair_browser(bridge.base_url, http, ticket)
        await http.get(bridge.base_url + "/api/me", headers={"Origin": "http://evil.example"})
        for _ in range(100):
            await http.post(bridge.base_url + "/tools/x", headers={"Authorization": "Bearer tbk_wrong"})
        await http.get(bridge.base_url + "/secret-path", headers={"Host": "evil.example"})
        await page.open_session()

        async def refusals() -> list[dict[str, Any]]:
            found = await page.get("/api/audit?users=all&kind=refused")
            return found["entries"] if len(found["entries"]) >= 4 else []

        entries: list[dict[str, Any]] = await eventually(refusals)
    assert {(entry["detail"]["code"], entry["detail"]["door"]) for entry in entries} == {
        ("unauthorized", "POST /api/devices"),
        ("foreign_origin", "GET /api/me"),
        ("unauthorized", "POST /tools/{tool}"),
        ("foreign_host", "GET elsewhere"),
    }
    assert {entry["actor"] for entry in entries} == {"address 127.0.0.1"}
    assert not [secret for secret in (ticket, "tbk_wrong", "secret-path") if secret in str(entries)]


class Notes:
    """The port, as a list."""

    def __init__(self) -> None:
        self.details: list[tuple[str, Any]] = []

    def add_entry(
        self, kind: AuditKind, user_id: str | None, actor: str, *, detail: Any = None, **_more: Any
    ) -> None:
        self.details.append((actor, detail["times"]))


def test_a_flood_from_many_addresses_makes_few_entries() -> None:
    """Memory and log stay bounded; what was counted is told by the next entry."""
    notes, now = Notes(), [0.0]
    refusals = RejectedRequests(notes, clock=lambda: now[0])
    for number in range(MAX_REMEMBERED * 3):
        refusals.record_rejection(
            "unauthorized", f"address 10.0.{number // 256}.{number % 256}", endpoint="GET /api/me"
        )
    assert len(notes.details) == MAX_REMEMBERED + 1
    now[0] += 61
    refusals.record_rejection("unauthorized", "address 10.0.0.0", endpoint="GET /api/me")
    assert notes.details[-1] == ("address 10.0.0.0", 1)


# The command


def test_the_command_prints_the_newest_last_and_nothing_that_steers_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It needs no bridge; and what the command line itself did is there."""
    data = ["--data", str(tmp_path)]

    async def write_old_label() -> None:
        store = Store.open_store(tmp_path / "bridge.sqlite3")
        users = UserTables(store)
        audit, ann = AuditLog(store), await users.ensure_user("ann")
        key_id, _ = await users.add_key(ann.id, "red\x1b[31m")
        audit.add_entry(AuditKind.KEY_REVOKED, ann.id, "command line", detail={"key": key_id})
        await audit.flush_entries()
        await store.close()

    assert main(["key", "--user", "ann", "--label", "red", *data]) == 0
    asyncio.run(write_old_label())
    assert main(["key", "--user", "bob", *data]) == 0
    capsys.readouterr()
    assert main(["audit", *data]) == 0
    first, old, second = capsys.readouterr().out.splitlines()
    assert "key_made  ann  by command line" in first
    assert "red" in old
    assert "\x1b" not in old
    assert "key_made  bob" in second
    assert main(["audit", "--user", "ann", "--since", "1h", "--kind", "key_made", "--json", *data]) == 0
    assert capsys.readouterr().out.count("\n") == 1
    assert main(["audit", "--user", "nobody", *data]) == 1


def test_the_command_names_browsers_and_keys_and_writes_all_times_alike(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody knows a browser by 32 hexadecimal digits, nor a time by its seconds since 1970."""
    path = tmp_path / "bridge.sqlite3"

    async def write_log() -> str:
        store = Store.open_store(path)
        users = UserTables(store)
        ann = await users.ensure_user("ann")
        device = await add_device(store, ann.id, "Firefox on Linux")
        audit = AuditLog(store)
        key_id, _ = await users.add_key(ann.id, "Open WebUI")
        paired = {"device": device.id, "ended_at": 1_790_000_000.25}
        audit.add_entry(AuditKind.DEVICE_PAIRED, ann.id, f"page {device.id}", detail=paired)
        audit.add_entry(AuditKind.KEY_REVOKED, ann.id, "command line", detail={"key": key_id})
        audit.add_entry(AuditKind.KEY_REVOKED, ann.id, "command line", detail={"key": "gone"})
        await audit.flush_entries()
        await store.close()
        return device.id

    device_id = asyncio.run(write_log())
    data = ["--data", str(tmp_path)]
    assert main(["audit", *data]) == 0
    paired, revoked, gone = capsys.readouterr().out.splitlines()
    at, _, rest = paired.partition("  ")
    ended = datetime.fromtimestamp(1_790_000_000).astimezone().isoformat()
    assert datetime.fromisoformat(at).tzinfo is not None
    assert rest == (
        f'device_paired  ann  by page "Firefox on Linux"  device="Firefox on Linux" ended_at={ended}'
    )
    assert revoked.endswith('by command line  key="Open WebUI"')
    assert gone.endswith("by command line  key=gone")
    assert main(["audit", "--json", *data]) == 0
    assert device_id in capsys.readouterr().out


@pytest.mark.parametrize("option", [["--since", "soon"], ["--kind", "x"], ["--limit", "0"]])
def test_wrong_usage_is_said_where_it_is_typed(tmp_path: Path, option: list[str]) -> None:
    """Status 2, and nothing is read."""
    with pytest.raises(SystemExit) as ended:
        main(["audit", *option, "--data", str(tmp_path)])
    assert ended.value.code == 2
