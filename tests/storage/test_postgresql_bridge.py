"""A whole bridge on PostgreSQL, by its command: called, killed, and started again."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from sqlalchemy import URL

from tests.support.documents.compiled import document_text
from tests.support.running_bridge import FakePage, json_answer, pair_browser
from tests.support.stores.databases import execute
from tests.support.stores.postgresql import PASSWORD, PostgresServer
from tests.support.waiting import eventually


def serve(data: Path, url: URL, spec: Path) -> subprocess.Popen[bytes]:
    address = url.set(drivername="postgresql").render_as_string(hide_password=False)
    command = [sys.executable, "-m", "bridge", "serve", "--json", "--port", "0", "--spec", str(spec)]
    environ = {**os.environ, "TOOL_BRIDGE_DATABASE_URL": address}
    with (data.parent / "errors").open("ab") as errors:
        return subprocess.Popen(
            [*command, "--data", str(data)], stdout=subprocess.PIPE, stderr=errors, env=environ
        )


@asynccontextmanager
async def served(data: Path, url: URL, spec: Path) -> AsyncGenerator[tuple[subprocess.Popen[bytes], Any]]:
    """The command, and the facts it printed; killed at the end if it still runs."""
    with serve(data, url, spec) as process:
        try:
            assert process.stdout is not None
            yield process, json.loads(await asyncio.to_thread(process.stdout.readline))
        finally:
            process.kill()


async def connected(bridge: dict[str, str], http: aiohttp.ClientSession) -> FakePage:
    """A page that waits for its user to decide."""
    page = await pair_browser(bridge["base_url"], http, bridge["page_url"].partition("#ticket=")[2])
    await page.open_session()
    await page.accept_everything()

    async def never(_call: dict[str, Any]) -> None:
        return None

    await page.connect(never)

    async def received(envelope: dict[str, Any]) -> dict[str, Any]:
        call = envelope["data"]["data"]
        page.calls.append(call)
        return {"call_id": call["id"], "awaiting_approval": call["bridge"]["approval"] == "needed"}

    page.socket.on("events", received)
    return page


async def allow(page: FakePage, nth: int) -> str:
    """Say yes to the nth call, for always; returns its id."""
    await eventually(lambda: len(page.calls) > nth)
    call_id = page.calls[nth]["id"]
    said = {"call_id": call_id, "decision": "always"}
    assert (await page.socket.call("bridge:decision", said, timeout=20))["may_begin"] is True
    return call_id


async def use_and_kill(
    process: subprocess.Popen[bytes], facts: dict[str, str], page: FakePage, url: URL
) -> dict[str, str]:
    """One call that succeeds and one that is under way when the bridge dies: id to what its end should be."""
    first = asyncio.create_task(add_product(page.http, facts))
    done = await allow(page, 0)
    await page.socket.emit("bridge:result", {"call_id": done, "outcome": json_answer({}, 201)})
    assert await first == 200
    await page.request("DELETE", "/api/approval/grants")
    second = asyncio.create_task(add_product(page.http, facts))
    left = await allow(page, 1)
    await eventually(lambda: execute(url, "SELECT id FROM grants"))  # written behind
    assert (await page.request("GET", "/api/audit"))[0] == 200  # who reads waits for what is written behind
    process.kill()
    with pytest.raises(aiohttp.ClientError):
        await second
    await page.close()
    return {done: "succeeded", left: "outcome_unknown"}


async def add_product(http: aiohttp.ClientSession, facts: dict[str, str]) -> int:
    headers = {"Authorization": f"Bearer {facts['key']}"}
    url = f"{facts['base_url']}/tools/addProduct"
    async with http.post(url, data='{"name": "tea"}', headers=headers) as answer:
        await answer.read()
        return answer.status


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_start_says_that_anybody_can_stand_in_for_the_database(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    """At every start, without the address, until its options say what is wanted."""
    spec = tmp_path / "shop.json"
    spec.write_text(document_text(), encoding="utf-8")
    with postgres_server.database() as found:
        url = postgres_server.network_url(found.database or "").set(host="0.0.0.0")
        for query, is_told in (({}, True), ({"sslmode": "disable"}, False)):
            (data := tmp_path / str(is_told)).mkdir()
            async with served(data, url.set(query=query), spec) as (process, facts):
                async with (
                    aiohttp.ClientSession() as http,
                    http.get(f"{facts['base_url']}/healthz") as answer,
                ):
                    assert answer.status == 200
                process.terminate()
                await asyncio.to_thread(process.wait, 30)
    log = (tmp_path / "errors").read_text(encoding="utf-8")
    assert log.count("no certificate of it is checked") == 1
    assert PASSWORD not in log


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_bridge_that_is_killed_goes_on_from_its_database(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    """Browsers, approvals, the journal and the audit log are all there; the data folder has no database."""
    spec = tmp_path / "shop.json"
    spec.write_text(document_text(), encoding="utf-8")
    with postgres_server.database() as found:
        url = postgres_server.network_url(found.database or "")
        async with aiohttp.ClientSession() as http:
            async with served(tmp_path / "one", url, spec) as (process, facts):
                page = await connected(facts, http)
                ended = await use_and_kill(process, facts, page, url)
            async with served(tmp_path / "one", url, spec) as (_, facts):
                page.base_url, page.token = facts["base_url"], ""
                await page.open_session()
                calls = (await page.get("/api/calls"))["calls"]
                assert {call["call_id"]: call["state"] for call in calls} == ended
                (grant,) = (await page.get("/api/approval"))["grants"]
                assert grant["operation"] == "POST /products"
                noted = [entry["kind"] for entry in (await page.get("/api/audit"))["entries"]]
                assert {"device_paired", "acceptance", "decision", "grant", "call"} <= set(noted)
        assert not list((tmp_path / "one").glob("*.sqlite3*"))
        said = (tmp_path / "errors").read_text(encoding="utf-8")
        assert "1 calls were running when the bridge last stopped." in said
        assert PASSWORD not in said


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_second_bridge_on_the_same_database_ends_nothing_of_the_first(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    """It says why it does not start, and starts once the first one is gone, however that went."""
    spec = tmp_path / "shop.json"
    spec.write_text(document_text(), encoding="utf-8")
    with postgres_server.database() as found:
        url = postgres_server.network_url(found.database or "")
        async with aiohttp.ClientSession() as http, served(tmp_path / "one", url, spec) as (first, facts):
            page = await connected(facts, http)
            call = asyncio.create_task(add_product(http, facts))
            await eventually(lambda: len(page.calls) == 1)
            with serve(tmp_path / "two", url, spec) as second:
                assert await asyncio.to_thread(second.wait, 60) == 1
            (row,) = (await page.get("/api/calls"))["calls"]
            assert row["state"] == "awaiting_approval"
            first.kill()
            with pytest.raises(aiohttp.ClientError):
                await call
            await page.close()
        async with served(tmp_path / "two", url, spec) as (_, facts):
            assert facts["base_url"]
    said = (tmp_path / "errors").read_text(encoding="utf-8")
    assert "a database serves one bridge: stop the other one" in said
    assert "Traceback" not in said
    assert PASSWORD not in said
