"""What a killed bridge leaves of its calls, and what the next one on the folder makes of it."""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.start import start_bridge
from bridge.calls.call_ids import CallIds
from bridge.calls.state_machine import CallState
from bridge.storage.call_journal import QUICK_ARGUMENTS_CHARS, CallJournal
from bridge.storage.database import open_database
from bridge.storage.errors import StoreError
from bridge.storage.store import Store
from bridge.storage.users import User, UserTables
from bridge.storage.write_ahead_log import NAMES
from tests.support.calls.journal_harness import JournalHarness, open_call, open_journal, reopen_after_crash
from tests.support.canaries import files_with
from tests.support.running_bridge import json_answer, page_of, running_bridge
from tests.support.settings import bridge_settings
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def harness(tmp_path: Path) -> AsyncGenerator[JournalHarness]:
    folder = tmp_path / "data"
    folder.mkdir()
    async with open_journal(folder) as opened:
        yield opened


@pytest.mark.parametrize("is_in_the_database", [True, False])
@pytest.mark.parametrize(
    ("safe", "may_begin", "state"),
    [
        (False, True, CallState.OUTCOME_UNKNOWN),
        (False, False, CallState.FAILED),
        (True, True, CallState.FAILED),
    ],
)
async def test_after_a_crash_only_what_may_have_been_begun_is_in_doubt(
    harness: JournalHarness, safe: bool, may_begin: bool, state: CallState, is_in_the_database: bool
) -> None:
    """A server that is killed leaves no call without an ending, however short it lived."""
    await harness.open("call_1", safe=safe, may_begin=may_begin)
    if is_in_the_database:
        await harness.stored_call("call_1")
    async with reopen_after_crash(harness) as later:
        assert await later.journal.settle_orphans() == 1
        stored = await later.stored_call("call_1")
        assert (stored.state, stored.ended_at is not None, stored.error is not None) == (state, True, True)
        assert await later.journal.settle_orphans() == 0


@pytest.mark.parametrize("is_in_the_database", [True, False])
async def test_what_a_caller_was_told_survives_a_crash(
    harness: JournalHarness, is_in_the_database: bool
) -> None:
    """Else the history would call in doubt what somebody knows has worked."""
    await harness.open("call_1", arguments='{"name":"tea"}')
    if is_in_the_database:
        await harness.stored_call("call_1")
    harness.end("call_1")
    async with reopen_after_crash(harness) as later:
        assert await later.journal.settle_orphans() == 0
        stored = await later.stored_call("call_1")
        assert (stored.state, stored.arguments) == (CallState.SUCCEEDED, '{"name":"tea"}')


async def test_a_crash_after_an_approval_knows_of_it(harness: JournalHarness) -> None:
    """Before it nothing could have been begun; the later word counts, in whichever file it stands."""
    await harness.open("call_1", may_begin=False)
    await harness.open("call_1", may_begin=True)
    asked, approved = (harness.folder / NAMES[0]).read_bytes().splitlines(keepends=True)
    async with reopen_after_crash(harness, logs=[approved, asked]) as later:
        assert await later.journal.settle_orphans() == 1
        assert (await later.stored_call("call_1")).state is CallState.OUTCOME_UNKNOWN


async def test_an_ending_in_the_database_stays_when_the_log_knows_less(harness: JournalHarness) -> None:
    """The end of a call may have been too much for a disk that was full, and was written later."""
    await harness.open("call_1")
    intents = (harness.folder / NAMES[0]).read_bytes()
    harness.end("call_1")
    await harness.stored_call("call_1")
    async with reopen_after_crash(harness, logs=[intents]) as later:
        assert await later.journal.settle_orphans() == 0
        assert (await later.stored_call("call_1")).state is CallState.SUCCEEDED


async def test_secrets_are_not_in_the_log_either(harness: JournalHarness) -> None:
    """It lies beside the database, and is as easily copied."""
    short = json.dumps({"name": "tea", "password": "c4nary-short"})
    long = json.dumps({"name": "x" * QUICK_ARGUMENTS_CHARS, "password": "c4nary-long"})
    await harness.open("call_1", arguments=short)
    await harness.open("call_2", arguments=long)
    async with reopen_after_crash(harness) as later:
        assert files_with(later.folder, ["c4nary"]) == []
        await later.journal.settle_orphans()
        stored = [(await later.stored_call(call_id)).arguments for call_id in ("call_1", "call_2")]
        assert stored == ['{"name":"tea","password":"[secret]"}', None]
    harness.end("call_2")
    text = (await harness.stored_call("call_2")).arguments
    assert text is not None
    assert text.endswith('"password":"[secret]"}')


async def test_lines_that_are_none_harm_no_other(
    harness: JournalHarness, caplog: pytest.LogCaptureFixture
) -> None:
    """A broken disk, another version or a stranger wrote them; the log says how many."""
    await harness.open("call_1")
    intents = (harness.folder / NAMES[0]).read_bytes()
    others = b'garbage\n\n{"id": 7}\n[]\n\xff\xfe\n' + b'{"id": "cut'
    async with reopen_after_crash(harness, logs=[intents + others]) as later:
        assert await later.journal.settle_orphans() == 1
        assert "has 4 lines that cannot be read" in caplog.text
        assert (await later.stored_call("call_1")).state is CallState.OUTCOME_UNKNOWN


async def test_a_line_whose_user_is_gone_harms_no_other(harness: JournalHarness) -> None:
    """The database refuses it, now and at every later start."""
    await harness.journal.record_opened(open_call(User("nobody", "nobody"), "call_1"), 1.0, may_begin=True)
    await harness.open("call_2")
    async with reopen_after_crash(harness) as later:
        assert await later.journal.settle_orphans() == 1
        assert await later.journal.settle_orphans() == 0
        assert (await later.stored_call("call_2")).state is CallState.OUTCOME_UNKNOWN


async def test_a_stopped_bridge_leaves_no_log(harness: JournalHarness) -> None:
    """Nor one that has had nothing to do for an hour: what users did must not lie there for ever."""
    await harness.open("call_1")
    harness.end("call_1")
    await harness.stored_call("call_1")
    assert (harness.folder / NAMES[0]).stat().st_size > 0
    sweeping = asyncio.create_task(harness.journal.sweep_hourly(every_s=0))
    await eventually(lambda: (harness.folder / NAMES[0]).stat().st_size == 0)
    sweeping.cancel()
    await asyncio.wait({sweeping})
    await harness.open("call_2")
    async with reopen_after_crash(harness) as later:
        assert (later.folder / NAMES[0]).stat().st_size > 0
    assert [(later.folder / name).stat().st_size for name in NAMES] == [0, 0]


_DYING = """
import asyncio, sys
from pathlib import Path
from bridge.calls.state_machine import CallPhase
from bridge.storage.call_journal import CallJournal
from bridge.storage.store import Store
from bridge.storage.users import UserTables
from tests.support.calls.journal_harness import open_call

async def die(folder):
    store = Store.open_store(folder / "bridge.sqlite3")
    local, journal = await UserTables(store).ensure_user("local"), CallJournal(store, folder)
    for call_id in ("call_told", "call_left"):
        await journal.record_opened(open_call(local, call_id), 1.0, may_begin=True)
    await journal.record_opened(open_call(local, "call_asked"), 1.0, may_begin=False)
    journal.record_ended(open_call(local, "call_told", phase=CallPhase.SUCCEEDED), may_begin=True)
    print("ready", flush=True)
    await asyncio.sleep(60)

asyncio.run(die(Path(sys.argv[1])))
"""


async def test_a_process_killed_before_the_database_had_its_calls_leaves_each_its_ending(
    tmp_path: Path,
) -> None:
    """With -9, within a moment of the calls; the next bridge on the folder shows them in its history."""
    dying = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _DYING, str(tmp_path), stdout=asyncio.subprocess.PIPE
    )
    assert dying.stdout is not None
    async with asyncio.timeout(30):
        assert await dying.stdout.readline() == b"ready\n"
    dying.kill()
    await dying.wait()
    async with running_bridge(tmp_path) as bridge, aiohttp.ClientSession() as http:
        headers = {"Authorization": f"Bearer {bridge.key}"}
        async with http.get(f"{bridge.base_url}/api/calls", headers=headers) as response:
            calls = (await response.json())["calls"]
    assert {call["call_id"]: call["state"] for call in calls} == {
        "call_told": "succeeded",
        "call_left": "outcome_unknown",
        "call_asked": "failed",
    }


async def no_answer(call: dict[str, Any]) -> None:
    return None


async def test_a_bridge_that_is_started_again_ends_what_the_old_one_left(tmp_path: Path) -> None:
    """A call under way when the process died is in doubt, and its page's late word is kept."""
    store = Store.open_store(tmp_path / "bridge.sqlite3")
    user, journal = await UserTables(store).ensure_user("local"), CallJournal(store, tmp_path)
    secret = bytes(32)
    (tmp_path / "secret.key").write_text(secret.hex(), encoding="utf-8")
    left = CallIds(secret).make_id(user.id)
    await journal.record_opened(open_call(user, left), 1.0, may_begin=True)
    await journal.close_journal()
    await store.close()
    hello = {
        "protocol": 2,
        "page_id": "p1",
        "instance": "w1",
        "epoch": "e1",
        "calls": [{"call_id": left, "state": "done"}],
    }
    async with running_bridge(tmp_path) as bridge, page_of(bridge, user.id, no_answer, hello=hello) as page:
        assert page.handshake["ended_calls"] == [left]
        await page.socket.emit("bridge:result", {"call_id": left, "outcome": json_answer(1, 201)})
        await eventually(lambda: page.receipts == [left])

        async def late() -> Any:
            return (await page.get(f"/api/calls/{left}"))["late"]

        assert (await eventually(late))["http_status"] == 201
        shown = await page.get(f"/api/calls/{left}")
        assert (shown["state"], shown["error"]["detail"]["reason"]) == ("outcome_unknown", "no_browser")


async def test_a_second_bridge_on_the_same_folder_does_not_start(tmp_path: Path) -> None:
    """It would end the calls of the first one."""
    async with running_bridge(tmp_path):
        database = open_database(tmp_path / "bridge.sqlite3")
        with pytest.raises(StoreError, match="another tool-bridge runs on"):
            await start_bridge(bridge_settings(tmp_path, approve="safe"), database)
