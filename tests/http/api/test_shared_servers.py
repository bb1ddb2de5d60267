"""Servers that users share: who may, what others see and decide, and what becomes of it."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from bridge.catalog.followed_servers import FollowedOwners
from bridge.catalog.registry import NOBODY
from bridge.settings.storage import StorageSettings
from bridge.storage.accounts.account_tables import AccountTables
from bridge.storage.accounts.logins import Login, LoginTable
from bridge.storage.servers import ServerTables
from bridge.storage.store import Store
from bridge.storage.user_mapping import User
from bridge.storage.users import UserTables
from tests.support.audit_entries import told_in
from tests.support.documents.compiled import document_text, operation
from tests.support.running_bridge import FakePage, json_answer, pair_browser, running_bridge

pytestmark = pytest.mark.asyncio

SHARED = {"shared": True}
TAKEN_BACK = {"shared": False}


@pytest_asyncio.fixture
async def bridge(tmp_path: Path) -> AsyncGenerator[Bridge]:
    async with running_bridge(tmp_path, sharing="everyone") as running:
        yield running


@pytest_asyncio.fixture
async def http() -> AsyncGenerator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


async def user_named(bridge: Bridge, name: str) -> User:
    """A user; `olga` is an operator by her login."""
    store = bridge.components.store
    if name != "olga":
        return bridge.local_user if name == "local" else await UserTables(store).ensure_user(name)
    login = Login("issuer:olga", "Olga", groups=(), is_operator=True, hours=1)
    user = await LoginTable(store).note_login(login)
    assert user
    return user


async def page_of_user(bridge: Bridge, http: aiohttp.ClientSession, name: str) -> FakePage:
    user = await user_named(bridge, name)
    page = await pair_browser(bridge.base_url, http, await bridge.components.users.add_ticket(user.id))
    await user_named(bridge, name)  # a printed link lets its user in without the role of the login
    await page.open_session()
    return page


async def call_by_key(bridge: Bridge, http: aiohttp.ClientSession, name: str) -> tuple[int, Any]:
    user = await bridge.components.users.ensure_user(name)
    _, key = await bridge.components.users.add_key(user.id, "x")
    headers = {"Authorization": f"Bearer {key}"}
    async with http.post(f"{bridge.base_url}/tools/listProducts", json={}, headers=headers) as response:
        body = await response.json()
        return response.status, body["error"]["code"] if "error" in body else body


async def offered_to_models(bridge: Bridge, name: str) -> list[str]:
    user = await bridge.components.users.ensure_user(name)
    view = await bridge.components.registry.view_of_user(user.id)
    return [tool.name for tool in (await bridge.components.registry.lists.offer_tools(view, None)).tools]


async def code_of(page: FakePage, method: str, path: str, body: Any = None) -> tuple[int, str]:
    status, refused = await page.request(method, path, body)
    return status, refused["error"]["code"]


async def servers_of(page: FakePage) -> list[dict[str, Any]]:
    return (await page.get("/api/servers"))["servers"]


async def shared_shop(page: FakePage) -> str:
    added = await page.post("/api/servers", {"text": document_text()})
    assert (await page.request("PUT", f"/api/servers/{added['id']}/sharing", SHARED))[0] == 200
    return added["id"]


async def test_what_is_shared_is_decided_about_by_each_user(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Ann shares; Bob sees whose it is, and nothing of it is accepted, offered to models or his to change."""
    ann, bob = [await page_of_user(bridge, http, name) for name in ("ann", "bob")]
    shop = await shared_shop(ann)
    await ann.accept_everything()
    (hers,), (his,) = await servers_of(ann), await servers_of(bob)
    assert (hers["shared"], hers["shared_by"], hers["may_change"], hers["may_share"]) == (
        True,
        None,
        True,
        True,
    )
    assert (his["shared"], his["shared_by"], his["may_change"], his["may_share"]) == (
        True,
        "ann",
        False,
        False,
    )
    assert (his["accepted"], his["decided"], his["accept_on_open"], his["may_remove"]) == (
        0,
        False,
        False,
        False,
    )
    assert await offered_to_models(bridge, "bob") == []
    local = await page_of_user(bridge, http, "local")
    assert [each["accept_on_open"] for each in await servers_of(local)] == [False]
    for method, path, body in (
        ("PATCH", "", {"base_url": "http://evil.example"}),
        ("PUT", "/document", {"text": document_text("Evil")}),
        ("PUT", "/sharing", TAKEN_BACK),
        ("DELETE", "", None),
    ):
        assert await code_of(bob, method, f"/api/servers/{shop}{path}", body) == (403, "operator_only")
    await bob.accept_everything()

    async def answer(_call: dict[str, Any]) -> dict[str, Any]:
        return json_answer({"of": "bob"})

    await bob.connect(answer)
    assert await call_by_key(bridge, http, "bob") == (200, {"of": "bob"})
    assert await offered_to_models(bridge, "bob") == ["listProducts", "addProduct"]
    entries = (await ann.get("/api/audit"))["entries"]
    assert [told_in(each)["shared"] for each in entries if each["kind"] == "settings"] == [True]
    await bob.close()


async def test_a_change_by_the_owner_waits_for_each_users_acceptance(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Nobody's calls go elsewhere because somebody else has edited a document."""
    ann, bob = [await page_of_user(bridge, http, name) for name in ("ann", "bob")]
    shop = await shared_shop(ann)
    await bob.accept_everything()
    assert (await servers_of(bob))[0]["accepted"] == 2
    moved = {"text": document_text(server="http://evil.example")}
    assert (await ann.request("PUT", f"/api/servers/{shop}/document", moved))[0] == 200
    (his,) = await servers_of(bob)
    assert (his["accepted"], his["changed"]) == (0, 2)
    assert await call_by_key(bridge, http, "bob") == (403, "not_accepted")
    assert await offered_to_models(bridge, "bob") == []


@pytest.mark.parametrize("who", ["ann", "olga", "local"])
async def test_the_owner_and_operators_take_it_back(
    bridge: Bridge, http: aiohttp.ClientSession, who: str
) -> None:
    """It stays its owner's, and is gone for everybody else, however they had decided."""
    ann, bob = [await page_of_user(bridge, http, name) for name in ("ann", "bob")]
    shop = await shared_shop(ann)
    await bob.accept_everything()
    taker = ann if who == "ann" else await page_of_user(bridge, http, who)
    (seen,) = await servers_of(taker)
    assert (seen["may_change"], seen["may_remove"], seen["may_share"]) == (True, True, True)
    assert (await taker.request("PATCH", f"/api/servers/{shop}", {"idempotency_key": True}))[0] == 200
    assert (await taker.request("PUT", f"/api/servers/{shop}/sharing", TAKEN_BACK))[0] == 200
    assert await servers_of(bob) == []
    assert await call_by_key(bridge, http, "bob") == (404, "unknown_tool")
    (kept,) = await servers_of(ann)
    assert (kept["shared"], kept["idempotency_key"]) == (False, True)
    status, _ = await ann.request("PUT", f"/api/servers/{shop}/sharing", TAKEN_BACK)
    assert status == 200


async def test_an_operator_by_login_changes_and_removes_what_others_share_and_the_command_line_names(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """The role counts, not who started the bridge."""
    named = await bridge.components.registry.share_document("x.json", document_text("X"), source_url=None)
    ann, olga = [await page_of_user(bridge, http, name) for name in ("ann", "olga")]
    shop = await shared_shop(ann)
    change = {"idempotency_key": True}
    assert (await olga.request("PATCH", f"/api/servers/{named.record.id}", change))[0] == 200
    assert (await code_of(ann, "PATCH", f"/api/servers/{named.record.id}", change))[0] == 403
    refused = await code_of(olga, "PUT", f"/api/servers/{named.record.id}/sharing", TAKEN_BACK)
    assert refused == (400, "invalid_request")
    assert (await olga.request("DELETE", f"/api/servers/{shop}"))[0] == 200
    assert [each["id"] for each in await servers_of(ann)] == [named.record.id]
    private = await ann.post("/api/servers", {"text": document_text()})
    assert (await code_of(olga, "PUT", f"/api/servers/{private['id']}/sharing", SHARED))[0] == 404


@pytest.mark.parametrize(
    ("sharing", "expected"),
    [
        ("operators", {"local": 200, "olga": 200, "ann": 403}),
        ("everyone", {"local": 200, "olga": 200, "ann": 200}),
        ("nobody", {"local": 403, "olga": 403, "ann": 403}),
    ],
)
async def test_the_settings_say_who_may_share_a_server(
    tmp_path: Path, http: aiohttp.ClientSession, sharing: str, expected: dict[str, int]
) -> None:
    """The bridge refuses, not only the page, and says what decides."""
    async with running_bridge(tmp_path, sharing=sharing) as bridge:
        for name, status in expected.items():
            page = await page_of_user(bridge, http, name)
            added = await page.post("/api/servers", {"text": document_text(f"Of {name}")})
            assert added["may_share"] is (status == 200)
            answer = await page.request("PUT", f"/api/servers/{added['id']}/sharing", SHARED)
            assert answer[0] == status
            assert status == 200 or "TOOL_BRIDGE_SHARING" in answer[1]["error"]["message"]


async def test_a_shared_tool_takes_nobodys_name_and_another_server_not_its_own(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """A name that a user's chats know keeps its meaning, also once the server that gave it is gone."""
    ann, bob = [await page_of_user(bridge, http, name) for name in ("ann", "bob")]
    search = {"text": document_text("Mine", paths={"/b": operation("search")})}
    await bob.post("/api/servers", search)
    hers = await ann.post("/api/servers", {"text": document_text("Hers", paths={"/a": operation("search")})})
    await ann.request("PUT", f"/api/servers/{hers['id']}/sharing", SHARED)
    names = {(each["server_id"], each["name"]) for each in (await bob.get("/api/tools"))["tools"]}
    assert names == {("mine", "search"), ("hers", "hers__search")}
    cleo = await page_of_user(bridge, http, "cleo")
    assert [each["name"] for each in (await cleo.get("/api/tools"))["tools"]] == ["search"]
    await ann.request("DELETE", "/api/servers/hers")
    again = await bob.post("/api/servers", {"text": document_text("Hers", paths={"/a": operation("search")})})
    assert again["id"] == "hers-2"
    await bob.request("PUT", f"/api/servers/{again['id']}/sharing", SHARED)
    assert [each["name"] for each in (await cleo.get("/api/tools"))["tools"]] == ["hers-2__search"]


async def test_pages_in_chats_are_its_owners_choice_for_its_owner_alone(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Such a page runs inside the chat; and clients without a user are not told of it."""
    ann = await page_of_user(bridge, http, "ann")
    shop = await shared_shop(ann)
    await ann.request("PATCH", f"/api/servers/{shop}", {"inline_html": True})
    registry = bridge.components.registry
    views = [await registry.view_of_user((await user_named(bridge, name)).id) for name in ("ann", "bob")]
    assert [view.shows_inline_html(shop) for view in views] == [True, False]
    assert (await registry.view_of_user(NOBODY)).offerable_tools(None) == ()


async def test_what_a_disabled_user_shares_is_offered_to_nobody_until_it_is_enabled_again(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Nobody answers any more for a document that an operator has reason not to trust."""
    ann, bob, local = [await page_of_user(bridge, http, name) for name in ("ann", "bob", "local")]
    shop = await shared_shop(ann)
    await bob.accept_everything()
    parts, owner = bridge.components, await user_named(bridge, "ann")
    logins, owners = LoginTable(parts.store), FollowedOwners(parts.registry, ServerTables(parts.store))
    await logins.set_disabled(owner.id, disabled=True)
    await owners.read_owners()
    assert await servers_of(bob) == await servers_of(local) == []
    assert (await parts.registry.view_of_user(NOBODY)).servers == ()
    assert await call_by_key(bridge, http, "bob") == (404, "unknown_tool")
    assert await offered_to_models(bridge, "bob") == []
    await logins.set_disabled(owner.id, disabled=False)
    await owners.read_owners()
    (his,) = await servers_of(bob)
    assert (his["id"], his["shared_by"], his["accepted"]) == (shop, "ann", 2)
    assert await offered_to_models(bridge, "bob") == ["listProducts", "addProduct"]


async def test_what_a_user_shares_who_was_disabled_meanwhile_is_not_offered_after_a_start(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    """A bridge that begins with the older state would offer it for a minute."""
    async with running_bridge(tmp_path, sharing="everyone") as bridge:
        for name in ("ann", "bob"):
            await shared_shop(await page_of_user(bridge, http, name))
        owner = await user_named(bridge, "ann")
    store = Store.open_store(tmp_path / "bridge.sqlite3")
    await LoginTable(store).set_disabled(owner.id, disabled=True)
    await store.close()
    async with running_bridge(tmp_path) as bridge:
        (seen,) = await servers_of(await page_of_user(bridge, http, "local"))
        assert seen["shared_by"] == "bob"


async def test_it_is_shared_after_a_restart(tmp_path: Path, http: aiohttp.ClientSession) -> None:
    """Until somebody takes it back, whatever the settings say then; a deleted owner's is gone."""
    async with running_bridge(tmp_path, sharing="everyone") as bridge:
        await shared_shop(await page_of_user(bridge, http, "ann"))
    async with running_bridge(tmp_path, sharing="nobody") as bridge:
        (his,) = await servers_of(await page_of_user(bridge, http, "bob"))
        assert his["shared_by"] == "ann"
        (hers,) = await servers_of(await page_of_user(bridge, http, "ann"))
        assert hers["may_share"]
    store = Store.open_store(tmp_path / "bridge.sqlite3")
    await AccountTables(store, StorageSettings()).delete_user((await UserTables(store).ensure_user("ann")).id)
    await store.close()
    async with running_bridge(tmp_path) as bridge:
        assert await servers_of(await page_of_user(bridge, http, "bob")) == []


async def test_what_others_share_is_listed_last_and_says_whether_its_base_address_was_chosen(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Finding S-H1: whoever takes the first that fits must not find what another user named to fit."""
    named = await bridge.components.registry.share_document("x.json", document_text("X"), source_url=None)
    ann, bob = [await page_of_user(bridge, http, name) for name in ("ann", "bob")]
    moved = {"text": document_text(), "base_url": "http://api.example/admin"}
    hers = (await ann.post("/api/servers", moved))["id"]
    assert (await ann.request("PUT", f"/api/servers/{hers}/sharing", SHARED))[0] == 200
    his = (await bob.post("/api/servers", {"text": document_text()}))["id"]
    assert [each["id"] for each in await servers_of(bob)] == [named.record.id, his, hers]
    assert [each["base_url_chosen"] for each in await servers_of(bob)] == [False, False, True]
    assert {each["id"] for each in await servers_of(ann)} == {hers, named.record.id}
