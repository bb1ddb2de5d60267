"""The sample intranet is closed to pages of other sites, and knows people by its cookie alone."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from aiohttp.test_utils import TestClient, TestServer

from examples.intranet import COOKIE, PASSWORD, create_intranet
from tests.support.documents.compiled import compiled

pytestmark = pytest.mark.asyncio

PAGE = {"Origin": "http://127.0.0.1:8765"}
Client = TestClient[Any, Any]


@pytest_asyncio.fixture
async def client() -> AsyncIterator[Client]:
    async with TestClient(TestServer(create_intranet())) as running:
        yield running


async def log_in(client: Client, name: str = "ann", password: str = PASSWORD) -> tuple[int, str]:
    """Status and cookie."""
    form = {"name": name, "password": password}
    async with client.post("/staff/login", data=form, allow_redirects=False) as response:
        return response.status, response.headers.get("Set-Cookie", "")


@pytest.mark.parametrize("path", ["/printer/status", "/staff/me", "/staff/login", "/printer/openapi.json"])
async def test_no_page_of_another_origin_may_read_it(client: Client, path: str) -> None:
    """That is what the companion and the doctor are tried against: nothing may open it by accident."""
    async with client.get(path, headers=PAGE) as response:
        assert not [name for name in response.headers if name.startswith("Access-Control-")]
    asks = {**PAGE, "Access-Control-Request-Method": "POST"}
    async with client.options(path, headers=asks) as response:
        assert response.status == 405


async def test_the_printer_prints_until_it_is_out_of_paper(client: Client) -> None:
    """A change that can be counted, and one that is refused."""
    for sheet in range(1, 41):
        async with client.post("/printer/jobs", json={"text": f"page {sheet}"}) as response:
            assert (response.status, await response.json()) == (201, {"job": sheet})
    async with client.post("/printer/jobs", json={"text": "one more"}) as response:
        assert response.status == 409
    async with client.post("/printer/jobs", data=b"x") as response:
        assert response.status == 400


async def test_a_session_begins_with_the_password_and_ends_with_the_logout(client: Client) -> None:
    """Its cookie is Strict and hidden from scripts: a page cannot send it for the user, nor read it."""
    async with client.get("/staff/leave") as response:
        assert (response.status, response.content_type) == (401, "text/html")
        assert "Staff login" in await response.text()
    assert (await log_in(client, password="wrong"))[0] == 403
    status, cookie = await log_in(client)
    assert status == 303
    assert {"HttpOnly", "SameSite=Strict", "Path=/staff"} <= set(cookie.split("; "))
    async with client.post("/staff/leave", json={"day": "2026-12-24"}) as response:
        assert (response.status, await response.json()) == (201, {"days": ["2026-12-24"]})
    async with client.get("/staff/me") as response:
        assert await response.json() == {"name": "ann"}
    stolen = {COOKIE: client.session.cookie_jar.filter_cookies(client.make_url("/staff/me"))[COOKIE].value}
    await client.post("/staff/logout", allow_redirects=False)
    async with client.get("/staff/me", cookies=stolen) as response:
        assert response.status == 401


@pytest.mark.parametrize(
    ("path", "tools"),
    [
        ("/printer/openapi.json", ["showPrinter", "printText"]),
        ("/staff/openapi.json", ["showMe", "listLeave", "askForLeave"]),
    ],
)
async def test_its_documents_become_tools_at_its_own_address(
    client: Client, path: str, tools: list[str]
) -> None:
    """What is left out of a sample would be looked for in the bridge."""
    url = str(client.make_url(path))
    async with client.get(path) as response:
        document = compiled(await response.text(), source_url=url)
    assert [operation.suggested_name for operation in document.operations] == tools
    assert document.origins == (url.removesuffix(path),)
