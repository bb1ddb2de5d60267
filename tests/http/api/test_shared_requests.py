"""`/api/servers/{id}/requests`: who may share saved requests, who reads them, and what is kept of them."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from tests.support.audit_entries import told_in
from tests.support.documents.compiled import document_text
from tests.support.running_bridge import FakePage, open_page_of, running_bridge
from tests.support.stores.databases import execute

pytestmark = pytest.mark.asyncio

TEN = {"name": "ten", "operation": "GET /products", "arguments": {"limit": 10}, "expect": {"status": 200}}
NEW = {"name": "tea", "operation": "POST /products", "arguments": {"name": "tea"}}


@pytest_asyncio.fixture
async def http() -> AsyncGenerator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


async def add_server(page: FakePage) -> str:
    return (await page.post("/api/servers", {"text": document_text()}))["id"]


async def put(page: FakePage, server_id: str, *requests: Any, **more: Any) -> tuple[int, Any]:
    body = {"requests": list(requests), **more}
    return await page.request("PUT", f"/api/servers/{server_id}/requests", body)


async def names_at(page: FakePage, server_id: str) -> list[str]:
    shown = await page.get(f"/api/servers/{server_id}/requests")
    return [each["name"] for each in shown["requests"]]


async def test_all_who_have_a_shared_api_read_its_requests_also_after_a_restart(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    """Issue 44: saved requests are shared with all users of an API."""
    async with running_bridge(tmp_path, sharing="everyone") as bridge:
        ann, bob = await open_page_of(bridge, http, "ann"), await open_page_of(bridge, http, "bob")
        server_id = await add_server(ann)
        assert (await put(ann, server_id, TEN, NEW))[0] == 200
        assert (await bob.request("GET", f"/api/servers/{server_id}/requests"))[0] == 404
        assert (await ann.request("PUT", f"/api/servers/{server_id}/sharing", {"shared": True}))[0] == 200
        assert await names_at(bob, server_id) == ["ten", "tea"]
    async with running_bridge(tmp_path, sharing="everyone") as bridge:
        bob = await open_page_of(bridge, http, "bob")
        shown = (await bob.get(f"/api/servers/{server_id}/requests"))["requests"][0]
        assert (shown["arguments"], shown["expect"]["status"]) == ({"limit": 10}, 200)


async def test_only_the_owner_and_operators_change_what_is_shared(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    """What others read in a form and run must come from a user who answers for the API; it is audited."""
    async with running_bridge(tmp_path, sharing="everyone") as bridge:
        ann, bob = await open_page_of(bridge, http, "ann"), await open_page_of(bridge, http, "bob")
        operator = await open_page_of(bridge, http, bridge.local_user.name)
        server_id = await add_server(ann)
        await put(ann, server_id, TEN)
        await ann.request("PUT", f"/api/servers/{server_id}/sharing", {"shared": True})
        status, refused = await put(bob, server_id)
        assert (status, refused["error"]["code"]) == (403, "operator_only")
        assert await names_at(bob, server_id) == ["ten"]
        assert (await put(operator, server_id, NEW))[0] == 200
        assert await names_at(bob, server_id) == ["tea"]
        headers = {"Authorization": f"Bearer {bridge.key}"}
        url = f"{bridge.base_url}/api/servers/{server_id}/requests"
        async with http.put(url, json={"requests": []}, headers=headers) as by_key:
            assert by_key.status == 403
        entries = (await ann.get("/api/audit"))["entries"]
        counts = [told_in(each).get("shared_requests") for each in entries if each["kind"] == "settings"]
        assert counts == [None, 1]  # newest first: she shared the server after the request


async def test_of_two_who_edit_at_once_the_second_one_reads_again(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    """Else the first one's request would be lost without a word."""
    async with running_bridge(tmp_path) as bridge:
        ann = await open_page_of(bridge, http, "ann")
        server_id = await add_server(ann)
        version = (await ann.get(f"/api/servers/{server_id}/requests"))["version"]
        assert (await put(ann, server_id, TEN, version=version))[0] == 200
        status, refused = await put(ann, server_id, NEW, version=version)
        assert (status, refused["error"]["code"]) == (409, "document_changed")
        assert await names_at(ann, server_id) == ["ten"]


async def test_secrets_among_the_arguments_are_not_stored(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    """The attacker's test: a user who reads what others share finds no password in it."""
    secret = {**NEW, "arguments": {"name": "tea", "password": "hunter2", "options": {"api_key": "k-123"}}}
    async with running_bridge(tmp_path) as bridge:
        ann = await open_page_of(bridge, http, "ann")
        server_id = await add_server(ann)
        status, answered = await put(ann, server_id, secret)
        assert status == 200
        assert answered["requests"][0]["arguments"] == {
            "name": "tea",
            "password": "[secret]",
            "options": {"api_key": "[secret]"},
        }
    ((stored,),) = execute(tmp_path / "bridge.sqlite3", "SELECT requests FROM shared_requests")
    assert "hunter2" not in stored
    assert "k-123" not in stored


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ([{**TEN, "expect": {"values": {"a[": 1}}}], "invalid_request"),
        ([{**TEN, "tool": "x"}], "invalid_request"),
        ([{**TEN, "arguments": {"name": "x" * 70_000}}], "invalid_request"),
        ([TEN] * 201, "invalid_request"),
        ([{**TEN, "arguments": {"name": "x" * 600_000}}], "too_large"),
    ],
)
async def test_what_cannot_be_shared_is_refused_and_nothing_is_changed(
    tmp_path: Path, http: aiohttp.ClientSession, wrong: list[Any], code: str
) -> None:
    """Bounds: 200 requests, 64 KiB of arguments, 512 KiB in all; a query that is none."""
    async with running_bridge(tmp_path) as bridge:
        ann = await open_page_of(bridge, http, "ann")
        server_id = await add_server(ann)
        await put(ann, server_id, TEN)
        status, refused = await put(ann, server_id, *wrong)
        assert status >= 400
        assert refused["error"]["code"] == code
        assert await names_at(ann, server_id) == ["ten"]


async def test_they_go_with_their_server(tmp_path: Path, http: aiohttp.ClientSession) -> None:
    """Nothing of a removed API is left behind."""
    async with running_bridge(tmp_path) as bridge:
        ann = await open_page_of(bridge, http, "ann")
        server_id = await add_server(ann)
        await put(ann, server_id, {**TEN, "name": "only here 4711"})
        assert (await ann.request("DELETE", f"/api/servers/{server_id}"))[0] == 200
        assert (await ann.request("GET", f"/api/servers/{server_id}/requests"))[0] == 404
        assert await add_server(ann)
        assert await names_at(ann, await add_server(ann)) == []
