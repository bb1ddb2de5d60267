"""One connection of Open WebUI for all its users: whom a forwarder key may speak for, and what it sees."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from bridge.catalog.registry import NOBODY
from bridge.storage.servers import ServerTables
from tests.support.documents.compiled import document_text
from tests.support.forwarded_users import SECRET, sign_token
from tests.support.running_bridge import json_answer, page_of, pair_browser, running_bridge
from tests.support.stores.databases import Where, content_of

pytestmark = [pytest.mark.asyncio, pytest.mark.both_databases]

TOKEN = "X-OpenWebUI-User-Jwt"


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, database: Where) -> AsyncIterator[Bridge]:
    """Offers one server to everybody, and has Open WebUI's secret."""
    async with running_bridge(tmp_path, database=database, user_jwt_secret=SECRET) as running:
        await running.components.registry.share_document("shop", document_text(), source_url=None)
        yield running


class Program:
    """Open WebUI's backend: one key, many users."""

    def __init__(self, bridge: Bridge, http: aiohttp.ClientSession, key: str) -> None:
        self.bridge = bridge
        self.http = http
        self.key = key

    async def ask(self, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        method = "GET" if body is None else "POST"
        given = {"Authorization": f"Bearer {self.key}", **headers}
        url = self.bridge.base_url + path
        async with self.http.request(method, url, json=body, headers=given) as response:
            return response.status, await response.json()

    async def code(self, path: str, body: Any = None, **headers: str) -> tuple[int, str]:
        status, answer = await self.ask(path, body, **headers)
        return status, answer["error"]["code"]


@pytest_asyncio.fixture
async def forwarder(bridge: Bridge, http: aiohttp.ClientSession) -> Program:
    _, key = await bridge.components.users.add_key(bridge.local_user.id, "Open WebUI", forwarder=True)
    return Program(bridge, http, key)


async def forwarded(bridge: Bridge, subject: str) -> str:
    """The id of a user that a forwarder has named before."""
    known = {user.name: user.id for user in await bridge.components.users.list_users()}
    return known[f"open-webui:{subject}"]


def answering(value: Any) -> Any:
    async def answer(_call: object) -> dict[str, Any]:
        return json_answer(value)

    return answer


async def test_each_named_user_gets_a_page_and_an_answer_of_his_own(
    bridge: Bridge, forwarder: Program
) -> None:
    """The key is one; the calls of two users never meet."""
    ada = {TOKEN: sign_token(sub="a", name="Ada")}
    bob = {TOKEN: sign_token(sub="b", name="Bob")}
    for user in (ada, bob):
        assert await forwarder.code("/tools/listProducts", {}, **user) == (200, "not_accepted")
    async with (
        page_of(bridge, await forwarded(bridge, "a"), answering({"page": "Ada's"})),
        page_of(bridge, await forwarded(bridge, "b"), answering({"page": "Bob's"})),
    ):
        for user, owner in ((ada, "Ada's"), (bob, "Bob's")) * 3:
            assert await forwarder.ask("/tools/listProducts", {}, **user) == (200, {"page": owner})


async def test_the_first_call_of_a_new_user_carries_a_link_to_a_page_of_his_own(
    bridge: Bridge, forwarder: Program, http: aiohttp.ClientSession
) -> None:
    """Nothing is accepted yet, so that is what the call says; without the link he could accept it nowhere."""
    ada = {TOKEN: sign_token(sub="a", name="Ada")}
    _, answer = await forwarder.ask("/tools/listProducts", {}, **ada)
    assert answer["error"]["code"] == "not_accepted"
    _, _, ticket = answer["error"]["detail"]["pairing_url"].partition("#ticket=")
    page = await pair_browser(bridge.base_url, http, ticket)
    await page.open_session()
    assert (await page.get("/api/me"))["user"] == "Ada (open-webui)"


async def test_the_first_calls_of_a_user_come_together_and_make_one_user(
    bridge: Bridge, forwarder: Program
) -> None:
    """A model calls three tools at once for somebody whom the bridge has never seen."""
    users = [{TOKEN: sign_token(sub=sub)} for sub in ("a", "b") for _ in range(6)]
    answers = await asyncio.gather(*(forwarder.code("/tools/listProducts", {}, **user) for user in users))
    assert set(answers) == {(200, "not_accepted")}
    assert len(await bridge.components.users.list_users()) == 3


async def test_a_user_stays_the_same_when_name_and_mail_change(bridge: Bridge, forwarder: Program) -> None:
    """And another one who takes over his old name is somebody else."""
    for name, mail in (("Ada", "a@x.test"), ("Countess", "b@x.test")):
        status, me = await forwarder.ask("/api/me", **{TOKEN: sign_token(sub="a", name=name, email=mail)})
        assert (status, me["user"], me["operator"]) == (200, f"{name} (open-webui)", False)
    await forwarder.ask("/api/me", **{TOKEN: sign_token(sub="z", name="Ada", email="a@x.test")})
    names = [user.name for user in await bridge.components.users.list_users()]
    assert names == ["local", "open-webui:a", "open-webui:z"]


async def test_whoever_is_called_local_there_is_not_the_operator_here(
    bridge: Bridge, forwarder: Program
) -> None:
    """Names and ids of the other program are chosen by its users."""
    for sub in ("local", bridge.local_user.id):
        _, me = await forwarder.ask("/api/me", **{TOKEN: sign_token(sub=sub, name="local")})
        assert (me["user"], me["operator"]) == ("local (open-webui)", False)


@pytest.mark.parametrize("path", ["/tools/listProducts", "/api/calls", "/api/executor"])
async def test_a_forwarder_that_names_nobody_calls_nothing(forwarder: Program, path: str) -> None:
    """Not even in the page of whoever made the key."""
    assert await forwarder.code(path, {"tool": "listProducts"}) == (403, "unverified_user")
    assert await forwarder.code("/api/me") == (403, "unverified_user")


async def test_a_forwarder_with_a_bad_token_reads_nothing_either(forwarder: Program) -> None:
    """Whoever tries to name a user and fails must notice."""
    for token in ("junk", sign_token(SECRET.upper())):
        assert await forwarder.code("/openapi.json", **{TOKEN: token}) == (403, "unverified_user")
        assert await forwarder.code("/tools/listProducts", {}, **{TOKEN: token}) == (403, "unverified_user")


async def test_a_forwarder_is_offered_what_everybody_is(bridge: Bridge, forwarder: Program) -> None:
    """Open WebUI fetches one document for all its users, without a user."""
    operator = bridge.local_user.id
    own = document_text(title="Diary")
    await bridge.components.registry.add_server(operator, own, source_url=None)
    for headers in ({}, {TOKEN: sign_token()}):
        status, document = await forwarder.ask("/openapi.json", **headers)
        assert status == 200
        offered = [path for path in document["paths"] if path != "/tools/read_result"]
        assert offered == ["/tools/listProducts", "/tools/addProduct"]
    assert await forwarder.code("/servers/diary/openapi.json") == (404, "not_found")
    assert (await forwarder.ask("/servers/shop/openapi.json"))[0] == 200
    assert await ServerTables(bridge.components.store).load_names(NOBODY) == {}, "reading names nothing anew"


async def test_a_shared_tool_is_found_by_the_name_that_everybody_knows(
    bridge: Bridge, forwarder: Program, http: aiohttp.ClientSession
) -> None:
    """A user's own tool that had the name first must not be called in its place."""
    ada = {TOKEN: sign_token(sub="a")}
    await forwarder.ask("/api/me", **ada)
    user_id = await forwarded(bridge, "a")
    own = document_text(title="Own", paths={"/mine": {"get": {"operationId": "listOrders"}}})
    await bridge.components.registry.add_server(user_id, own, source_url=None)
    await bridge.components.registry.view_of_user(user_id)
    later = document_text(title="Later", paths={"/theirs": {"get": {"operationId": "listOrders"}}})
    await bridge.components.registry.share_document("later", later, source_url=None)
    async with page_of(bridge, user_id, answering({})) as page:
        assert (await forwarder.ask("/tools/listOrders", {}, **ada))[0] == 200
        _, key = await bridge.components.users.add_key(user_id, "his own")
        assert (await Program(bridge, http, key).ask("/tools/listOrders", {}))[0] == 200
        assert [call["name"] for call in page.calls] == ["GET /theirs", "GET /mine"]


async def test_an_ordinary_keys_user_cannot_be_overridden(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Not by a good token, not by plain headers."""
    program = Program(bridge, http, bridge.key)
    named = {TOKEN: sign_token(sub="a"), "X-OpenWebUI-User-Id": "a", "X-OpenWebUI-User-Name": "Ada"}
    _, me = await program.ask("/api/me", **named)
    assert me["user"] == "local"
    assert len(await bridge.components.users.list_users()) == 1


async def test_plain_headers_are_believed_where_the_operator_said_so(
    tmp_path: Path, database: Where, http: aiohttp.ClientSession
) -> None:
    """For an Open WebUI that cannot sign, on a network that can be trusted."""
    plain = {"X-OpenWebUI-User-Id": "a", "X-OpenWebUI-User-Name": "Ada%20L."}
    async with running_bridge(tmp_path, database=database, trust_user_headers=True) as bridge:
        _, key = await bridge.components.users.add_key(bridge.local_user.id, "Open WebUI", forwarder=True)
        _, me = await Program(bridge, http, key).ask("/api/me", **plain)
        assert me["user"] == "Ada L. (open-webui)"
    async with running_bridge(tmp_path, database=database, user_jwt_secret=SECRET) as bridge:
        assert await Program(bridge, http, key).code("/api/me", **plain) == (403, "unverified_user")
        _, me = await Program(bridge, http, key).ask("/api/me", **{TOKEN: sign_token(sub="a", name="Ada")})
        assert me["user"] == "Ada (open-webui)"
        assert len(await bridge.components.users.list_users()) == 2, "the same user, by whatever proof"


async def test_a_forwarder_decides_nothing(bridge: Bridge, forwarder: Program) -> None:
    """It speaks for users, and cannot accept for them or make keys."""
    user = {TOKEN: sign_token(sub="a")}
    for path, body in (("/api/keys", {"label": "x"}), ("/api/servers", {"text": "{}"})):
        assert await forwarder.code(path, body, **user) == (403, "page_only")
    assert await forwarder.code("/api/devices", **user) == (403, "page_only")


async def test_only_the_operator_makes_forwarder_keys(bridge: Bridge) -> None:
    """Such a key may speak for everybody."""
    bob = await bridge.components.users.ensure_user("bob")
    async with page_of(bridge, bob.id, answering({})) as page:
        status, body = await page.request("POST", "/api/keys", {"label": "x", "forwarder": True})
        assert (status, body["error"]["code"]) == (403, "operator_only")
    async with page_of(bridge, bridge.local_user.id, answering({})) as page:
        assert (await page.request("POST", "/api/keys", {"label": "x", "forwarder": True}))[0] == 201
        listed = (await page.get("/api/keys"))["keys"]
        assert [key["forwarder"] for key in listed] == [False, True]


async def test_answers_of_different_users_are_told_apart_by_caches(
    bridge: Bridge, forwarder: Program
) -> None:
    """One key, one address, many users."""
    headers = {"Authorization": f"Bearer {forwarder.key}"}
    async with forwarder.http.get(bridge.base_url + "/openapi.json", headers=headers) as response:
        assert TOKEN in response.headers["Vary"]
        assert "private" in response.headers["Cache-Control"]


async def test_the_secret_is_nowhere_to_be_read(bridge: Bridge, database: Where) -> None:
    """Whoever has it can be anybody."""
    assert SECRET.encode() not in content_of(database)
    async with page_of(bridge, bridge.local_user.id, answering({})) as page:
        facts = await page.get("/api/connect")
        assert facts["takes_signed_users"] is True
        assert SECRET not in json.dumps(facts)
