"""The journal of calls: what a crash leaves, what a full disk does, and what can be read of it."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from sqlalchemy.exc import OperationalError

from bridge.app.server import Bridge
from bridge.browser_protocol import Result
from bridge.calls.argument_redaction import STORED_ARGUMENTS_CHARS
from bridge.calls.ports import JournalUnavailable
from bridge.calls.request import RepeatIdentity
from bridge.calls.state_machine import CallPhase, CallState
from bridge.errors import ErrorCode
from bridge.storage.call_journal import CallJournal
from bridge.storage.call_mapping import facts_of_call
from bridge.storage.users import User
from bridge.storage.write_thread import GATHER_S, MANY, MAX_WAITING, RETRY_S
from tests.support.calls.journal_harness import (
    JournalHarness,
    open_call,
    open_journal,
    states_ahead,
    store_with,
)
from tests.support.canaries import files_with
from tests.support.running_bridge import json_answer, page_of, running_bridge
from tests.support.stores.databases import Where, content_of
from tests.support.stores.full_disk import limit_disk
from tests.support.waiting import eventually

pytestmark = [pytest.mark.asyncio, pytest.mark.both_databases]

SHOP = json.dumps(
    {
        "openapi": "3.1.0",
        "info": {"title": "Shop", "version": "1"},
        "servers": [{"url": "http://shop.example"}],
        "paths": {
            "/products": {
                "get": {"operationId": "listProducts"},
                "post": {
                    "operationId": "addProduct",
                    "requestBody": {
                        "content": {
                            "application/json": {
                                "schema": {"type": "object", "properties": {"name": {"type": "string"}}}
                            }
                        }
                    },
                },
            }
        },
    }
)


@pytest_asyncio.fixture
async def harness(tmp_path: Path, database: Where) -> AsyncGenerator[JournalHarness]:
    async with open_journal(tmp_path, database) as opened:
        yield opened


async def test_an_open_call_reads_as_the_journal_reads_it(harness: JournalHarness) -> None:
    """Finding house-H10: page and API show the two in one list, and had a shape for each."""
    await harness.open("call_1")
    assert await harness.stored_call("call_1") == facts_of_call(open_call(harness.ann, "call_1"))


async def test_many_calls_are_there_as_soon_as_somebody_reads(harness: JournalHarness) -> None:
    """They are written behind; a reader does not notice."""
    ids = [f"call_{number}" for number in range(100)]
    async with asyncio.TaskGroup() as group:
        for call_id in ids:
            group.create_task(harness.open(call_id))
    harness.end("call_0")
    kept = await harness.journal.list_calls(harness.ann.id, before=None, limit=200)
    assert {call.call_id for call in kept} == set(ids)
    assert (await harness.stored_call("call_0")).state is CallState.SUCCEEDED


@pytest.mark.parametrize("odd", [r"\\u0000", r"\"", "\N{TEAPOT} %s %% ? é' \N{DNA DOUBLE HELIX}", "\0"])
async def test_many_calls_are_written_as_few_are(harness: JournalHarness, odd: str) -> None:
    """They go to the database in another form, in which nothing may be lost but NUL to PostgreSQL."""
    texts = {f"call_{number:02}": f'{{"name":"{number}{odd}"}}' for number in range(MANY)}
    for call_id, text in texts.items():
        harness.end(call_id, safe=True, arguments=text, opened_at=1234567890.1234567)
    kept = await harness.journal.list_calls(harness.ann.id, before=None, limit=MANY)
    found = {call.call_id: call.arguments or "" for call in kept}
    assert {
        call_id: text.replace("\N{REPLACEMENT CHARACTER}", "\0") for call_id, text in found.items()
    } == texts
    assert {(call.opened_at, call.safe, call.chat_id) for call in kept} == {(1234567890.1234567, True, None)}


async def test_only_ended_calls_of_the_user_and_the_time_are_counted(harness: JournalHarness) -> None:
    """A chart of somebody else's calls would tell what he does; one that is open has no duration."""
    for call_id, opened_at in (("call_1", 1000.0), ("call_2", 2000.0), ("call_3", 3000.0)):
        await harness.open(call_id, opened_at=opened_at)
    for call_id, opened_at in (("call_1", 1000.0), ("call_2", 2000.0)):
        harness.end(call_id, opened_at=opened_at)
    (counted,) = await harness.journal.list_ended(harness.ann.id, since=1500.0, limit=10)
    assert (counted.tool, counted.opened_at, counted.began_at) == ("addProduct", 2000.0, 2000.0)
    assert await harness.journal.list_ended(harness.ann.id, since=0.0, limit=1) == [counted]
    assert await harness.journal.list_ended(harness.bob.id, since=0.0, limit=10) == []


async def test_a_clock_that_is_set_during_a_call_does_not_change_how_long_it_took(
    harness: JournalHarness,
) -> None:
    """Calls of the harness were opened in 1970 by the system's clock, and end at once."""
    await harness.open("call_1")
    harness.end("call_1")
    ended = await harness.stored_call("call_1")
    assert ended.ended_at is not None
    assert 0.0 <= ended.ended_at - ended.opened_at < 60.0


async def test_a_late_result_is_stored_beside_the_ending_and_only_by_its_user(
    harness: JournalHarness,
) -> None:
    """The first late report stands; another user's page cannot write into the journal."""
    await harness.open("call_1")
    outcome = {"status": "answered", "http_status": 201, "body": {"kind": "empty"}}
    result = Result.model_validate({"call_id": "call_1", "outcome": outcome})
    other = result.model_copy(update={"outcome": result.outcome.model_copy(update={"http_status": 500})})
    harness.journal.record_late(harness.bob.id, other)
    harness.journal.record_late(harness.ann.id, result)
    harness.journal.record_late(harness.ann.id, other)
    late = (await harness.stored_call("call_1")).late
    assert late is not None
    assert late["http_status"] == 201


async def test_what_an_api_answered_wins_over_a_report_that_nothing_came(harness: JournalHarness) -> None:
    """Whoever reads `late` decides by it whether to do the thing again; the order of reports is chance."""
    await harness.open("call_1")
    failure: dict[str, Any] = {
        "status": "failed",
        "error": {"code": "network", "message": "It broke."},
        "delivered": "no",
    }
    success = {"status": "answered", "http_status": 201, "body": {"kind": "empty"}}
    seen: list[tuple[str, Any]] = []
    for outcome in (failure, success, failure, {**success, "http_status": 500}):
        harness.journal.record_late(
            harness.ann.id, Result.model_validate({"call_id": "call_1", "outcome": outcome})
        )
        late = (await harness.stored_call("call_1")).late
        assert late is not None
        seen.append((late["status"], late.get("http_status")))
    assert seen == [("failed", None), ("answered", 201), ("answered", 201), ("answered", 201)]


async def test_one_users_calls_are_not_anothers(harness: JournalHarness) -> None:
    """Knowing the id of a call is no right to read it."""
    await harness.open("call_1")
    assert await harness.journal.find_call(harness.bob.id, "call_1") is None
    assert await harness.journal.list_calls(harness.bob.id, before=None, limit=10) == []


@pytest.mark.parametrize("safe", [True, False])
async def test_long_arguments_are_not_stored(harness: JournalHarness, safe: bool) -> None:
    """The journal must not grow by megabytes per call."""
    arguments = "x" * (STORED_ARGUMENTS_CHARS + 1)
    if not safe:
        await harness.open("call_1", arguments=arguments)
    harness.end("call_1", safe=safe, arguments=arguments)
    assert (await harness.stored_call("call_1")).arguments is None


async def test_an_entry_whose_user_is_gone_does_not_stop_the_others(harness: JournalHarness) -> None:
    """A record that the database refuses is dropped, not tried for ever."""
    nobody = User("nobody", "nobody")
    harness.journal.record_ended(open_call(nobody, "call_0", phase=CallPhase.SUCCEEDED), may_begin=True)
    await harness.journal.record_opened(open_call(nobody, "call_1"), 1.0, may_begin=True)
    await harness.open("call_2")
    assert (await harness.stored_call("call_2")).state is CallState.SENT


class Full:
    """A database that takes nothing, as on a full disk."""

    def __init__(self) -> None:
        self.asked = 0

    def run_transaction(self, work: object) -> Future[None]:
        self.asked += 1
        done: Future[None] = Future()
        done.set_exception(OperationalError("DELETE", None, OSError("database or disk is full")))
        return done


async def test_old_calls_that_cannot_be_deleted_now_are_deleted_later(tmp_path: Path) -> None:
    """Whatever the database says, the next hour it is asked again."""
    database = Full()
    journal = CallJournal(store_with(database), tmp_path)
    sweeping = asyncio.create_task(journal.sweep_hourly(every_s=0))
    await eventually(lambda: database.asked >= 2)
    sweeping.cancel()
    await asyncio.wait({sweeping})


@pytest.mark.looptime
async def test_while_the_database_is_away_unsafe_calls_are_refused(tmp_path: Path) -> None:
    """Although the log could take them: it would grow, and nobody knows for how long."""
    journal = CallJournal(store_with(Full()), tmp_path)
    ann = User("u", "ann")
    await journal.record_opened(open_call(ann, "call_1"), 1.0, may_begin=True)
    await asyncio.sleep(GATHER_S * 1.1)
    with pytest.raises(JournalUnavailable):
        await journal.record_opened(open_call(ann, "call_2"), 1.0, may_begin=True)
    journal.record_ended(open_call(ann, "call_1", phase=CallPhase.SUCCEEDED), may_begin=True)
    assert states_ahead(tmp_path) == [("call_1", "sent"), ("call_1", "succeeded")]


class Hanging:
    """A database that answers when it is told to."""

    def __init__(self) -> None:
        self.answer: Future[None] = Future()

    def run_transaction(self, work: object) -> Future[None]:
        return self.answer


@pytest.mark.looptime
async def test_an_unsafe_call_waits_for_a_slow_database_until_its_time_is_over(tmp_path: Path) -> None:
    """Or the log would grow without bounds; a database that catches up lets it go on."""
    database = Hanging()
    journal = CallJournal(store_with(database), tmp_path)
    ann, loop = User("u", "ann"), asyncio.get_running_loop()
    for number in range(MAX_WAITING):
        journal.record_ended(
            open_call(ann, f"call_{number}", safe=True, phase=CallPhase.SUCCEEDED), may_begin=True
        )
    began = loop.time()
    with pytest.raises(JournalUnavailable):
        await journal.record_opened(open_call(ann, "call_a"), 7.0, may_begin=True)
    assert loop.time() - began == pytest.approx(7.0, abs=0.1)
    patient = asyncio.create_task(journal.record_opened(open_call(ann, "call_b"), 60.0, may_begin=True))
    await asyncio.sleep(30.0)
    assert not patient.done()
    database.answer.set_result(None)
    await patient


async def test_a_call_may_end_while_its_opening_is_being_written(harness: JournalHarness) -> None:
    """What the thread has in hand is not changed any more; the ending follows."""
    await harness.open("call_1", arguments='{"name":"tea"}')
    writing = asyncio.create_task(harness.journal.catch_up())
    await asyncio.sleep(0)
    harness.end("call_1")
    harness.end("call_2", safe=True)
    await writing
    stored = await harness.stored_call("call_1")
    assert (stored.state, stored.arguments) == (CallState.SUCCEEDED, '{"name":"tea"}')


@pytest.mark.looptime
async def test_a_call_that_ends_soon_takes_one_place_among_those_that_wait(tmp_path: Path) -> None:
    """So that twice as many may wait for a database that is slow."""
    database = Hanging()
    journal = CallJournal(store_with(database), tmp_path)
    ann = User("u", "ann")
    for number in range(MAX_WAITING // 2):
        await journal.record_opened(open_call(ann, f"call_{number}"), 1.0, may_begin=True)
        journal.record_ended(open_call(ann, f"call_{number}", phase=CallPhase.SUCCEEDED), may_begin=True)
    await journal.record_opened(open_call(ann, "call"), 0.0, may_begin=True)


async def test_old_calls_are_forgotten(harness: JournalHarness) -> None:
    """The journal does not grow for ever; these were made in 1970."""
    await harness.open("call_1")
    sweeping = asyncio.create_task(harness.journal.sweep_hourly(every_s=0))

    async def is_gone() -> bool:
        return await harness.journal.find_call(harness.ann.id, "call_1") is None

    assert await eventually(is_gone)
    sweeping.cancel()
    await asyncio.wait({sweeping})


async def test_what_was_not_noted_as_heard_counts_as_not_heard_after_a_restart(
    tmp_path: Path, database: Where
) -> None:
    """Ruling 39 (ii): whether it runs, or has ended; what was heard stays heard, and old calls stay old."""
    now = time.time()
    twins: dict[str, dict[str, Any]] = {
        name: {"repeat": RepeatIdentity("r", "key1", "digest", None), "opened_at": now - age}
        for name, age in {"runs": 3, "ended": 2, "heard": 1, "old": 4000}.items()
    }
    async with open_journal(tmp_path, database) as harness:
        for name, facts in twins.items():
            await harness.open(name, **facts)
        for name in ("ended", "heard", "old"):
            harness.end(name, **twins[name])
        harness.journal.record_delivery(harness.ann.id, "heard", heard=True)
        harness.journal.record_delivery(harness.bob.id, "ended", heard=True)  # not his
    async with open_journal(tmp_path, database) as harness:
        await harness.journal.settle_orphans()
        known = await harness.journal.list_repeatable()
    told = [(call.outcome.call_id, call.outcome.state.value, call.heard, call.caller) for call in known]
    assert told == [
        ("runs", "outcome_unknown", False, "key1"),
        ("ended", "succeeded", False, "key1"),
    ]
    assert known[1].outcome.answered is not None
    assert known[1].outcome.answered.truncated


async def test_a_heard_call_in_doubt_is_known_for_ten_minutes(harness: JournalHarness) -> None:
    """Ruling 39 (iv): a twin of it asks its user, after a restart, too."""
    facts: dict[str, Any] = {"repeat": RepeatIdentity("r", "key1", "digest", None), "opened_at": time.time()}
    await harness.open("call_1", **facts)
    await harness.journal.settle_orphans()
    harness.journal.record_delivery(harness.ann.id, "call_1", heard=True)
    await harness.journal.catch_up()
    assert [(call.heard, call.outcome.state) for call in await harness.journal.list_repeatable()] == [
        (True, CallState.OUTCOME_UNKNOWN)
    ]


async def test_an_idempotency_key_finds_its_ended_call(harness: JournalHarness) -> None:
    """Ruling 39 (i): of this user and caller, within the time."""
    facts: dict[str, Any] = {
        "repeat": RepeatIdentity("r", "key1", "digest", "name"),
        "opened_at": time.time() - 100,
    }
    await harness.open("call_1", **facts)
    find, ann = harness.journal.find_keyed, harness.ann.id
    assert await find(ann, "key1", "name", within_s=200) is None
    harness.end("call_1", **facts)
    found = await find(ann, "key1", "name", within_s=200)
    assert found is not None
    assert (found.outcome.call_id, found.digest) == ("call_1", "digest")
    for user, caller, name, within_s in [
        (harness.bob.id, "key1", "name", 200),
        (ann, "key2", "name", 200),
        (ann, "key1", "other", 200),
        (ann, "key1", "name", 50),
    ]:
        assert await find(user, caller, name, within_s=within_s) is None


# Through the doors


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, database: Where) -> AsyncGenerator[Bridge]:
    async with running_bridge(tmp_path, database=database) as running:
        await running.components.registry.share_document("shop", SHOP, source_url=None)
        yield running


@pytest_asyncio.fixture
async def http() -> AsyncGenerator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


async def ask(
    bridge: Bridge, http: aiohttp.ClientSession, method: str, path: str, body: Any = None
) -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {bridge.key}"}
    async with http.request(method, bridge.base_url + path, json=body, headers=headers) as response:
        return response.status, await response.json()


async def answer(call: dict[str, Any]) -> dict[str, Any] | None:
    return None if "slow" in call["params"] else json_answer({"made": call["params"]}, 201)


async def test_what_was_called_can_be_read_and_called_again(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Safe and unsafe calls stand in one list, newest first; a retry is a call of its own."""
    async with page_of(bridge, bridge.local_user.id, answer):
        await ask(bridge, http, "POST", "/tools/listProducts", {})
        await ask(bridge, http, "POST", "/tools/addProduct", {"name": "tea"})

        async def both() -> list[dict[str, Any]]:
            calls = (await ask(bridge, http, "GET", "/api/calls"))[1]["calls"]
            return calls if len(calls) == 2 and all(call["ended_at"] for call in calls) else []

        calls: list[dict[str, Any]] = await eventually(both)
        added, read = calls
        assert [added["tool"], read["tool"]] == ["addProduct", "listProducts"]
        assert (added["state"], added["http_status"], added["safe"]) == ("succeeded", 201, False)
        status, again = await ask(bridge, http, "POST", f"/api/calls/{added['call_id']}/retry")
        assert (status, again["outcome"]["state"]) == (200, "succeeded")
        assert json.loads(again["outcome"]["answer"]["text"]) == {"made": '{"name": "tea"}'}
        assert again["call_id"] != added["call_id"]


async def test_secrets_among_arguments_are_not_stored_and_such_a_call_is_made_anew(
    bridge: Bridge, http: aiohttp.ClientSession, tmp_path: Path, database: Where
) -> None:
    """They reach the page and no file; a retry that would send `[secret]` to an API says why it does not."""
    secret = "c4nary-argument"
    async with page_of(bridge, bridge.local_user.id, answer) as page:
        await ask(bridge, http, "POST", "/tools/addProduct", {"name": "tea", "password": secret})
        assert secret in page.calls[0]["params"]

        async def kept() -> list[dict[str, Any]]:
            calls = (await ask(bridge, http, "GET", "/api/calls"))[1]["calls"]
            return [call for call in calls if call["ended_at"]]

        calls: list[dict[str, Any]] = await eventually(kept)
        assert [call["arguments"] for call in calls] == ['{"name":"tea","password":"[secret]"}']
        status, refused = await ask(bridge, http, "POST", f"/api/calls/{calls[0]['call_id']}/retry")
        assert (status, refused["error"]["code"]) == (400, ErrorCode.INVALID_REQUEST)
        assert "were not stored" in refused["error"]["message"]
        assert len(page.calls) == 1
    assert files_with(tmp_path, [secret]) == []
    assert secret.encode() not in content_of(database)


async def test_a_running_call_can_be_stopped_by_its_id(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """The caller gets its ending, the page is told to abort, and the history says who did it."""
    async with page_of(bridge, bridge.local_user.id, answer) as page:
        running = asyncio.create_task(ask(bridge, http, "POST", "/tools/addProduct", {"name": "slow"}))
        await eventually(lambda: page.calls)
        call_id = page.calls[0]["id"]
        assert (await ask(bridge, http, "GET", f"/api/calls/{call_id}"))[1]["state"] == "running"
        assert await ask(bridge, http, "POST", f"/api/calls/{call_id}/cancel") == (200, {"ok": True})
        status, ended = await running
        assert (status, ended["error"]["code"], ended["error"]["detail"]["by"]) == (
            409,
            ErrorCode.OUTCOME_UNKNOWN,
            "user",
        )
        await eventually(lambda: [each["reason"] for each in page.cancelled] == ["stopped"])
        status, gone = await ask(bridge, http, "POST", f"/api/calls/{call_id}/cancel")
        assert (status, gone["error"]["code"]) == (404, ErrorCode.NOT_FOUND)


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/api/calls/call_unknown", 404, ErrorCode.NOT_FOUND),
        ("POST", "/api/calls/call_unknown/retry", 404, ErrorCode.NOT_FOUND),
        ("GET", "/api/calls?before=yesterday", 400, ErrorCode.INVALID_REQUEST),
    ],
)
async def test_what_cannot_be_read_is_said_plainly(
    bridge: Bridge, http: aiohttp.ClientSession, method: str, path: str, status: int, code: ErrorCode
) -> None:
    """Bad input of any kind gets a typed error."""
    got, body = await ask(bridge, http, method, path)
    assert (got, body["error"]["code"]) == (status, code)


async def test_with_a_full_disk_only_calls_that_read_go_on(
    bridge: Bridge, http: aiohttp.ClientSession, caplog: pytest.LogCaptureFixture
) -> None:
    """What may change something must be known after a crash; with room again it goes on by itself."""

    async def add() -> tuple[int, Any]:
        return await ask(bridge, http, "POST", "/tools/addProduct", {"name": "tea"})

    async def is_taken() -> bool:
        return (await add())[0] == 200

    async with page_of(bridge, bridge.local_user.id, answer) as page:
        with limit_disk(20):
            status, refused = await add()
            assert (status, refused["error"]["code"]) == (503, ErrorCode.DATABASE_UNAVAILABLE)
            assert (await ask(bridge, http, "POST", "/tools/listProducts", {}))[0] == 200
            assert len(page.calls) == 1
        assert await eventually(is_taken, within_s=3 * RETRY_S)
    assert "Calls that may change something cannot be recorded" in caplog.text


async def test_of_calls_sent_together_with_a_full_disk_the_page_sees_only_those_that_read(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Their messages are gathered before it is known whether they can be recorded."""
    operations = ["addProduct", "listProducts"] * 8
    async with page_of(bridge, bridge.local_user.id, answer) as page:
        with limit_disk(20):
            asked = (ask(bridge, http, "POST", f"/tools/{name}", {}) for name in operations)
            answers = await asyncio.gather(*asked)
        assert [status for status, _ in answers] == [503, 200] * 8
        assert {body["error"]["code"] for status, body in answers if status != 200} == {
            ErrorCode.DATABASE_UNAVAILABLE
        }
        assert len(page.calls) == 8
        kept = await page.get("/api/calls")
    states = {(call["tool"], call["state"]) for call in kept["calls"]}
    assert states == {("addProduct", "failed"), ("listProducts", "succeeded")}
