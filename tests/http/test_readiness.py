"""`/readyz` of a real bridge: what is asked, what is told, and that nothing holds the answer up."""

import asyncio
import os
import re
import signal
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from bridge.documents.worker import DocumentWorker
from bridge.timings import Timings
from tests.support.documents.compiled import document_text
from tests.support.running_bridge import accept_everything, json_answer, page_of, running_bridge
from tests.support.stores.databases import Where, engine_of
from tests.support.stores.full_disk import limit_disk
from tests.support.stores.postgresql import PostgresServer
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

ANEW = Timings(checked_s=0)
"""Each request looks anew."""


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, database: Where) -> AsyncIterator[Bridge]:
    """Each request looks anew."""
    async with running_bridge(tmp_path, database=database, timings=ANEW) as running:
        yield running


async def ask(bridge: Bridge) -> tuple[int, dict[str, Any]]:
    async with (
        aiohttp.ClientSession() as http,
        http.get(bridge.base_url + "/readyz", timeout=aiohttp.ClientTimeout(total=30)) as answer,
    ):
        assert answer.headers["Cache-Control"] == "no-store"
        return answer.status, await answer.json()


def failed(report: dict[str, Any]) -> dict[str, str]:
    return {check["name"]: check["message"] for check in report["checks"] if not check["ok"]}


@pytest.mark.both_databases
async def test_a_bridge_whose_parts_work_is_ready(bridge: Bridge) -> None:
    """Anybody may ask; each check says how it went, and nothing that is secret."""
    status, report = await ask(bridge)
    assert (status, report["status"], failed(report)) == (200, "ready", {})
    assert [check["name"] for check in report["checks"]] == ["database", "data_folder", "documents"]
    assert {frozenset(check) for check in report["checks"]} == {
        frozenset({"name", "ok", "message", "seconds"})
    }
    assert str(bridge.data_dir) not in str(report)
    assert not list(bridge.data_dir.glob("*.probe"))


async def test_a_full_disk_is_not_ready_and_says_so(bridge: Bridge) -> None:
    """An unsafe call could not be written down."""
    with limit_disk(0):
        status, report = await ask(bridge)
    assert (status, report["status"]) == (503, "not_ready")
    assert failed(report)["data_folder"].startswith("The data folder cannot be written: ")
    assert (await ask(bridge))[0] == 200


async def test_a_database_that_another_program_has_locked_is_not_ready_in_time(
    bridge: Bridge, database: Where
) -> None:
    """SQLite would wait for five seconds; a monitor does not."""
    engine = engine_of(database)
    with engine.connect() as holding:
        holding.exec_driver_sql("BEGIN EXCLUSIVE")
        status, report = await ask(bridge)
        assert (status, failed(report)) == (503, {"database": "No answer within 2 s."})
    engine.dispose()

    async def is_ready() -> bool:
        return (await ask(bridge))[0] == 200

    await eventually(is_ready)


async def test_that_the_process_answers_is_said_whatever_else_does_not_work(
    bridge: Bridge, database: Where, http: aiohttp.ClientSession
) -> None:
    """Who restarts a process that does not answer must not restart one that only waits, and asks often."""
    engine = engine_of(database)
    with engine.connect() as holding, limit_disk(0):
        holding.exec_driver_sql("BEGIN EXCLUSIVE")
        async with http.get(bridge.base_url + "/healthz") as answer:
            assert (answer.status, await answer.json()) == (200, {"status": "ok"})
    engine.dispose()


@pytest.mark.slow
async def test_a_database_that_is_away_or_hangs_is_not_ready_and_then_is_again(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    """The answer comes within seconds in either case."""
    with postgres_server.database() as url:
        async with running_bridge(tmp_path, database=url, timings=ANEW) as bridge:

            async def is_ready() -> bool:
                return (await ask(bridge))[0] == 200

            assert await is_ready()
            with postgres_server.frozen():
                assert failed((await ask(bridge))[1]) == {"database": "No answer within 2 s."}
            await eventually(is_ready)
            await asyncio.to_thread(postgres_server.stop)
            try:
                told = failed((await ask(bridge))[1])
            finally:
                postgres_server.start()
            assert told == {"database": "The database does not answer; the log of the bridge says why."}
            await eventually(is_ready)


async def test_a_process_that_reads_documents_is_replaced_when_killed_and_told_when_it_hangs(
    tmp_path: Path,
) -> None:
    """A dead one is noticed and costs nothing; of a stopped one nobody hears."""
    worker, others = DocumentWorker(), children()
    async with running_bridge(tmp_path, documents=worker, timings=ANEW) as bridge:
        await worker.start_child()
        (child,) = children() - others
        os.kill(child, signal.SIGKILL)

        async def is_ready() -> bool:
            return (await ask(bridge))[0] == 200

        await eventually(is_ready)
        assert child not in children() - others
        (child,) = children() - others
        os.kill(child, signal.SIGSTOP)
        try:
            status, report = await ask(bridge)
            assert (status, failed(report)) == (503, {"documents": "No answer within 2 s."})
        finally:
            os.kill(child, signal.SIGCONT)
        assert await eventually(is_ready)


@pytest.mark.parametrize(("long_read_s", "is_ready_meanwhile"), [(60.0, True), (0.0, False)])
async def test_a_process_that_reads_a_document_is_not_said_to_answer(
    tmp_path: Path, long_read_s: float, is_ready_meanwhile: bool
) -> None:
    """It is not asked meanwhile; a document that takes longer than any real one is told."""
    timings = replace(ANEW, long_read_s=long_read_s)
    worker, others = DocumentWorker(), children()
    async with (
        running_bridge(tmp_path, documents=worker, timings=timings) as bridge,
        asyncio.TaskGroup() as tasks,
    ):
        await worker.start_child()
        (child,) = children() - others
        os.kill(child, signal.SIGSTOP)
        try:
            tasks.create_task(worker.compile_document(document_text(), source_url=None, base_url=None))
            await asyncio.sleep(0)
            status, report = await ask(bridge)
            assert re.search(r"has been reading one for \d+ s", report["checks"][2]["message"])
            assert (status, "documents" in failed(report)) == (
                (200, False) if is_ready_meanwhile else (503, True)
            )
        finally:
            os.kill(child, signal.SIGCONT)

        async def is_ready() -> bool:
            return (await ask(bridge))[0] == 200

        assert await eventually(is_ready)


def children() -> set[int]:
    """Processes that this one started and that still run."""
    listed = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    return {int(each) for each in listed}


async def test_a_bridge_that_stops_is_not_ready(bridge: Bridge) -> None:
    """On connections that are open; new ones are refused."""
    async with aiohttp.ClientSession() as http:
        async with http.get(bridge.base_url + "/readyz") as answer:
            assert answer.status == 200
        bridge.components.readiness.stop()
        async with http.get(bridge.base_url + "/readyz") as answer:
            assert (answer.status, failed(await answer.json())) == (
                503,
                {"bridge": "The bridge is stopping."},
            )


@pytest.mark.parametrize(
    ("tool", "told"),
    [
        ("listProducts", None),
        ("addProduct", "The canary call is not made: its tool may change something."),
        ("gone", "The canary call failed: its user has no such tool."),
    ],
)
async def test_a_canary_makes_one_ordinary_safe_call_through_its_users_page(
    tmp_path: Path, tool: str, told: str | None
) -> None:
    """However many ask within ten seconds, and never a call that may change something."""

    async def answer(_call: dict[str, Any]) -> dict[str, Any]:
        return json_answer({"done": True})

    async with running_bridge(tmp_path, canary_user="canary", canary_tool=tool) as bridge:
        await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
        user = await bridge.components.users.ensure_user("canary")
        async with page_of(bridge, user.id, answer) as page:
            reports = [await ask(bridge) for _ in range(3)]
    assert [status for status, _ in reports] == [503 if told else 200] * 3
    assert failed(reports[0][1]) == ({"canary": told} if told else {})
    assert len(page.calls) == (0 if told else 1)


async def test_a_canary_without_its_page_is_not_ready(tmp_path: Path) -> None:
    """The answer says which error a caller would have got, and neither user nor tool."""
    async with running_bridge(tmp_path, canary_user="canary", canary_tool="listProducts") as bridge:
        await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
        user = await bridge.components.users.ensure_user("canary")
        await accept_everything(bridge, user.id)
        status, report = await ask(bridge)
    assert status == 503
    assert failed(report) == {"canary": "The canary call failed: no_browser."}
