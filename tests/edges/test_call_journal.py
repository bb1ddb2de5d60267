"""The journal of calls: what a crash leaves, what a full disk does, and what can be read of it."""

import asyncio
import json
from collections.abc import AsyncGenerator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, cast

import aiohttp
import pytest
import pytest_asyncio
from sqlalchemy.exc import OperationalError

from bridge.calls import CallState
from bridge.edges.call_journal import COMPANY, COMPANY_S, CallJournal
from bridge.edges.store import Store
from bridge.edges.store_people import User
from bridge.kept_arguments import KEPT_ARGUMENTS_CHARS
from bridge.open_call import CallRecord, CallRequest
from bridge.outcome import CallOutcome
from bridge.service import Bridge
from bridge.wire import ErrorCode, Result
from tests.support.canaries import files_with
from tests.support.databases import Where, content_of
from tests.support.running import json_answer, page_of, running_bridge
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


def record(
    user: User,
    call_id: str,
    *,
    safe: bool = False,
    state: CallState = CallState.SENT,
    may_begin: bool = True,
    arguments: str = "{}",
) -> CallRecord:
    request = CallRequest(
        user_id=user.id,
        tool_name="addProduct",
        server_id="shop",
        operation_key="POST /products",
        operation_digest="d",
        origin="http://shop.example",
        safe=safe,
        arguments_text=arguments,
    )
    outcome = CallOutcome(call_id, state, None, None) if state is CallState.SUCCEEDED else None
    return CallRecord(call_id, request, state, may_begin, "laptop", 1000.0, outcome)


class Desk:
    """A journal on a real file."""

    def __init__(self, store: Store, journal: CallJournal, ann: User, bob: User) -> None:
        self.store, self.journal, self.ann, self.bob = store, journal, ann, bob


@pytest_asyncio.fixture
async def desk(database: Where) -> AsyncGenerator[Desk]:
    store = Store.open(database)
    journal = store.call_journal()
    yield Desk(store, journal, await store.ensure_user("ann"), await store.ensure_user("bob"))
    await journal.flush()
    await store.close()


async def test_many_calls_are_committed_together_and_each_is_there(desk: Desk) -> None:
    """A hundred calls at once must not cost a hundred commits one after the other."""
    ids = [f"call_{number}" for number in range(100)]
    async with asyncio.TaskGroup() as group:
        for call_id in ids:
            group.create_task(desk.journal.opened(record(desk.ann, call_id)))
    kept = await desk.journal.calls(desk.ann.id, before=None, limit=200)
    assert {call.call_id for call in kept} == set(ids)


@pytest.mark.parametrize(
    ("safe", "may_begin", "state"),
    [
        (False, True, CallState.OUTCOME_UNKNOWN),
        (False, False, CallState.FAILED),
        (True, True, CallState.FAILED),
    ],
)
async def test_after_a_crash_only_what_may_have_been_begun_is_in_doubt(
    desk: Desk, safe: bool, may_begin: bool, state: CallState
) -> None:
    """A server that is killed leaves no call without an ending."""
    await desk.journal.opened(record(desk.ann, "call_1", safe=safe, may_begin=may_begin))
    assert await desk.store.call_journal().settle() == 1
    kept = await desk.journal.call(desk.ann.id, "call_1")
    assert kept is not None
    assert (kept.state, kept.ended_at is not None, kept.error is not None) == (state, True, True)
    assert await desk.store.call_journal().settle() == 0


async def test_a_late_result_is_kept_beside_the_ending_and_only_by_its_user(desk: Desk) -> None:
    """The first late report stands; another user's page cannot write into the journal."""
    await desk.journal.opened(record(desk.ann, "call_1"))
    outcome = {"status": "answered", "http_status": 201, "body": {"kind": "empty"}}
    result = Result.model_validate({"call_id": "call_1", "outcome": outcome})
    other = result.model_copy(update={"outcome": result.outcome.model_copy(update={"http_status": 500})})
    desk.journal.late(desk.bob.id, other)
    desk.journal.late(desk.ann.id, result)
    desk.journal.late(desk.ann.id, other)

    async def seen() -> dict[str, Any] | None:
        kept = await desk.journal.call(desk.ann.id, "call_1")
        return kept.late if kept else None

    late = await eventually(seen)
    assert late is not None
    assert late["http_status"] == 201


async def test_one_users_calls_are_not_anothers(desk: Desk) -> None:
    """Knowing the id of a call is no right to read it."""
    await desk.journal.opened(record(desk.ann, "call_1"))
    assert await desk.journal.call(desk.bob.id, "call_1") is None
    assert await desk.journal.calls(desk.bob.id, before=None, limit=10) == []


async def test_long_arguments_are_not_kept(desk: Desk) -> None:
    """The journal must not grow by megabytes per call."""
    await desk.journal.opened(record(desk.ann, "call_1", arguments="x" * (KEPT_ARGUMENTS_CHARS + 1)))
    kept = await desk.journal.call(desk.ann.id, "call_1")
    assert kept is not None
    assert kept.arguments_text is None


async def test_an_entry_whose_user_is_gone_does_not_stop_the_others(desk: Desk) -> None:
    """A record that the database refuses is dropped, not tried for ever."""
    desk.journal.ended(record(User("nobody", "nobody"), "call_0", state=CallState.SUCCEEDED))
    await desk.journal.opened(record(desk.ann, "call_1"))
    assert await desk.journal.call(desk.ann.id, "call_1") is not None


class Full:
    """A database that cannot delete, as on a full disk."""

    def __init__(self) -> None:
        self.asked = 0

    def transact(self, work: object) -> Future[None]:
        self.asked += 1
        done: Future[None] = Future()
        done.set_exception(OperationalError("DELETE", None, OSError("database or disk is full")))
        return done


async def test_old_calls_that_cannot_be_deleted_now_are_deleted_later(desk: Desk) -> None:
    """Whatever the database says, the next hour it is asked again."""
    database = Full()
    journal = CallJournal(cast(Any, desk.store), database)
    sweeping = asyncio.create_task(journal.run(every_s=0))
    await eventually(lambda: database.asked >= 2)
    sweeping.cancel()
    await asyncio.wait({sweeping})


class Counting:
    """A database that takes everything at once."""

    def __init__(self) -> None:
        self.transactions = 0

    def transact(self, work: object) -> Future[None]:
        self.transactions += 1
        done: Future[None] = Future()
        done.set_result(None)
        return done


@pytest.mark.looptime
async def test_a_lone_call_is_committed_at_once_and_one_of_many_with_others() -> None:
    """Waiting costs a lone call time and gains nothing."""
    database = Counting()
    journal = CallJournal(cast(Any, None), database)
    ann, loop = User("u", "ann"), asyncio.get_running_loop()

    async def open_call(number: int, after_s: float = 0.0) -> None:
        await asyncio.sleep(after_s)
        await journal.opened(record(ann, f"call_{number}"))

    began = loop.time()
    for number in range(COMPANY):
        await open_call(number)
    assert loop.time() - began < COMPANY_S / 2
    assert database.transactions == COMPANY
    await asyncio.gather(*(open_call(COMPANY + number, COMPANY_S * number / 20) for number in range(10)))
    assert database.transactions == COMPANY + 1


async def test_old_calls_are_forgotten(desk: Desk) -> None:
    """The journal does not grow for ever; these were made in 1970."""
    await desk.journal.opened(record(desk.ann, "call_1"))
    sweeping = asyncio.create_task(desk.journal.run(every_s=0))

    async def is_gone() -> bool:
        return await desk.journal.call(desk.ann.id, "call_1") is None

    assert await eventually(is_gone)
    sweeping.cancel()
    await asyncio.wait({sweeping})


# Through the doors


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, database: Where) -> AsyncGenerator[Bridge]:
    async with running_bridge(tmp_path, database=database) as running:
        await running.rooms.registry.share("shop", SHOP, source_url=None)
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


async def test_secrets_among_arguments_are_not_kept_and_such_a_call_is_made_anew(
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
        assert "were not kept" in refused["error"]["message"]
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


async def test_a_bridge_that_is_started_again_ends_what_the_old_one_left(
    tmp_path: Path, database: Where
) -> None:
    """A call under way when the process died is in doubt, and its page's late word is kept."""
    store = Store.open(database)
    user = await store.ensure_user("local")
    await store.call_journal().opened(record(user, "call_left"))
    await store.close()
    hello = {
        "protocol": 1,
        "page_id": "p1",
        "instance": "w1",
        "epoch": "e1",
        "calls": [{"call_id": "call_left", "state": "done"}],
    }
    async with (
        running_bridge(tmp_path, database=database) as bridge,
        page_of(bridge, user.id, answer, hello=hello) as page,
    ):
        assert page.greeting["closed"] == ["call_left"]
        await page.socket.emit("bridge:result", {"call_id": "call_left", "outcome": json_answer(1, 201)})
        await eventually(lambda: page.receipts == ["call_left"])

        async def late() -> Any:
            return (await page.get("/api/calls/call_left"))["late"]

        assert (await eventually(late))["http_status"] == 201
        shown = await page.get("/api/calls/call_left")
        assert (shown["state"], shown["error"]["detail"]["reason"]) == ("outcome_unknown", "no_browser")
