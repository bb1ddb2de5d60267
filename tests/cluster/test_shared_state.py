"""What is changed through one replica is in force in another: at once by the bell, else by looking."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.composition import Components
from bridge.calls.approval_policy import Grant
from bridge.calls.limits.call_settings import CallSetting, SettingScope
from bridge.catalog.server_view import UserSelection
from bridge.models.stored_items.retention_preference import MemoryChoice
from bridge.settings.chat.models import ProviderSettings
from bridge.settings.chat.user_providers import UserProvider
from bridge.storage.preferences import ApprovalTables
from bridge.storage.servers import ServerTables
from bridge.storage.users import UserTables
from tests.support.cluster.following_bridges import FollowingBridges, following_bridges
from tests.support.documents.compiled import document_text
from tests.support.models.wing import wing_of
from tests.support.running_bridge import pair_browser
from tests.support.stores.devices import add_device
from tests.support.stores.postgresql import PostgresServer
from tests.support.stores.redis import RedisServer
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

SOON_S = 20.0
"""Maximum seconds until a change is in force there. It takes milliseconds, and a second is promised; but the
processor may be busy with other tests."""

NEVER_S = 3600.0
"""Nobody looks: what is seen there came by the bell."""


@pytest_asyncio.fixture
async def two(
    tmp_path: Path, postgres_server: PostgresServer, redis_server: RedisServer
) -> AsyncIterator[FollowingBridges]:
    with postgres_server.database() as where:
        async with following_bridges(tmp_path, where, redis_server.url, look_s=NEVER_S) as bridges:
            yield bridges


async def no_answer(_call: dict[str, Any]) -> None:
    return None


async def status_of(base_url: str, key: str, path: str = "/api/servers") -> int:
    """What a request with a key or token is answered."""
    async with (
        aiohttp.ClientSession(base_url) as http,
        http.get(path, headers={"Authorization": f"Bearer {key}"}) as response,
    ):
        return response.status


async def test_a_key_revoked_here_opens_nothing_there(two: FollowingBridges) -> None:
    """It is cached there for ten seconds, and may be in the hands of a thief."""
    store, user = two.here.components.store, two.here.local_user
    key_id, key = await UserTables(store).add_key(user.id, "cli")
    assert await status_of(two.there.base_url, key) == 200
    await UserTables(store).delete_key(user.id, key_id)

    async def refused() -> bool:
        return await status_of(two.there.base_url, key) == 401

    await eventually(refused, within_s=SOON_S)


async def test_a_browser_removed_here_is_disconnected_there(two: FollowingBridges) -> None:
    """A lost laptop must not go on running calls because its socket is open."""
    async with aiohttp.ClientSession() as http:
        ticket = await two.there.components.users.add_ticket(two.there.local_user.id)
        page = await pair_browser(two.there.base_url, http, ticket)
        await page.connect(no_answer)
        assert await two.here.components.users.delete_device(two.here.local_user.id, page.device_id)
        await eventually(lambda: not page.socket.connected, within_s=SOON_S)
        assert (await page.request("GET", "/api/me"))[0] == 401


async def test_a_browser_removed_here_that_said_no_hello_is_disconnected_there(two: FollowingBridges) -> None:
    """It may say hello at any time, and what identity knew of it may just have been forgotten."""
    async with aiohttp.ClientSession() as http:
        ticket = await two.there.components.users.add_ticket(two.there.local_user.id)
        page = await pair_browser(two.there.base_url, http, ticket)
        token = await page.open_session()
        await page.socket.connect(
            page.base_url,
            socketio_path="ws/socket.io",
            transports=["websocket"],
            auth={"token": token},
            wait_timeout=SOON_S,
        )
        assert two.there.components.gateway.device_ids() == {page.device_id}
        two.there.components.identity.forget_credentials()
        assert await two.here.components.users.delete_device(two.here.local_user.id, page.device_id)
        await eventually(lambda: not page.socket.connected, within_s=SOON_S)


async def test_a_browser_paired_here_is_told_to_pages_there(two: FollowingBridges) -> None:
    """Pairing needs no home; the list of browsers on another page would stay short."""
    store, user = two.here.components.store, two.here.local_user
    async with aiohttp.ClientSession() as http:
        page = await pair_browser(two.there.base_url, http, await UserTables(store).add_ticket(user.id))
        told: list[object] = []
        page.socket.on("bridge:devices", told.append)
        await page.connect(no_answer)
        await eventually(lambda: told)
        told.clear()
        await pair_browser(two.here.base_url, http, await UserTables(store).add_ticket(user.id))
        await eventually(lambda: told, within_s=SOON_S)
        await page.close()


async def server_ids(parts: Components, user_id: str) -> dict[str, str]:
    """Titles of a user's servers, by id."""
    view = await parts.registry.view_of_user(user_id)
    return {server.record.id: server.compiled.title for server in view.servers}


async def test_a_shared_document_is_offered_replaced_and_dropped_there(two: FollowingBridges) -> None:
    """Whoever calls a tool there would call what no longer is, or not find what is new."""
    here, there, user = two.here.components, two.there.components, two.here.local_user.id
    shared = await here.registry.share_document("shop.json", document_text(), source_url=None)
    server_id = shared.record.id

    async def base_url() -> str | None:
        view = await there.registry.view_of_user(user)
        return view.find_server(server_id).record.base_url if view.has_server(server_id) else None

    async def is_there() -> bool:
        return server_id in await server_ids(there, user)

    await eventually(is_there, within_s=SOON_S)
    await here.registry.change_server(user, server_id, base_url="http://other.example")

    async def is_changed() -> bool:
        return await base_url() == "http://other.example"

    await eventually(is_changed, within_s=SOON_S)
    await ServerTables(here.store).delete_server(server_id)

    async def is_gone() -> bool:
        return not await is_there()

    await eventually(is_gone, within_s=SOON_S)


async def test_a_personal_document_comes_and_goes_with_a_word_to_the_page(two: FollowingBridges) -> None:
    """Its user may be at home there in a moment, or already is."""
    here, there, user = two.here.components, two.there.components, two.here.local_user.id
    async with aiohttp.ClientSession() as http:
        page = await pair_browser(two.there.base_url, http, await here.users.add_ticket(user))
        told: list[object] = []
        page.socket.on("bridge:servers", told.append)
        await page.connect(no_answer)
        added = await here.registry.add_server(user, document_text(), source_url=None)

        async def ids() -> list[str]:
            return list(await server_ids(there, user))

        await eventually(lambda: told, within_s=SOON_S)
        assert await ids() == [added.record.id]
        told.clear()
        await here.registry.remove_server(user, added.record.id)
        await eventually(lambda: told, within_s=SOON_S)
        assert await ids() == []
        await page.close()


Change = Callable[[Components, str, str], Awaitable[object]]
Look = Callable[[Components, str, str], Awaitable[object]]


async def accept(parts: Components, user: str, server_id: str) -> None:
    view = await parts.registry.view_of_user(user)
    digests = {key: operation.digest for key, operation in view.find_server(server_id).by_key.items()}
    await parts.registry.accept_operations(user, server_id, digests)


async def accepted(parts: Components, user: str, server_id: str) -> object:
    view = await parts.registry.view_of_user(user)
    return view.has_server(server_id) and view.count_accepted(view.find_server(server_id))[0]


async def select(parts: Components, user: str, _server_id: str) -> None:
    await parts.registry.save_selection(user, UserSelection(max_tools=3))


async def selected(parts: Components, user: str, _server_id: str) -> object:
    return (await parts.registry.view_of_user(user)).chosen.max_tools


async def change_limit(parts: Components, _user: str, _server_id: str) -> None:
    await parts.controls.limits.change_limits({"BREAKER_MAX_FAILURES": 7})


async def limit(parts: Components, _user: str, _server_id: str) -> object:
    return parts.controls.limits.now.breaker_max_failures == 7


async def change_setting(parts: Components, user: str, server_id: str) -> None:
    await parts.controls.settings.save_setting(user, SettingScope(server_id), CallSetting(deadline_s=5))


async def setting(parts: Components, user: str, server_id: str) -> object:
    settings = await parts.controls.settings.settings_of_user(user)
    return settings.of_server(server_id).deadline_s


async def choose_mode(parts: Components, user: str, _server_id: str) -> None:
    await parts.approvals.choose_mode(user, "ask")


async def mode(parts: Components, user: str, _server_id: str) -> object:
    return await parts.approvals.chosen_mode(user) == "ask"


async def keep_grant(parts: Components, user: str, server_id: str) -> None:
    grant = Grant("g", user, server_id, "GET /", "d", "timed", None, 1.0, 1e12)
    await ApprovalTables(parts.store).keep_grant(grant)


async def grants(parts: Components, user: str, _server_id: str) -> object:
    return await parts.approvals.list_grants(user)


async def choose_device(parts: Components, user: str, server_id: str) -> None:
    device = await add_device(parts.store, user, "Phone")
    assert await parts.accounts.choices.choose_device(user, server_id, device.id)


async def chosen_device(parts: Components, user: str, _server_id: str) -> object:
    return await parts.accounts.choices.choices_of_user(user)


async def choose_memory(parts: Components, user: str, _server_id: str) -> None:
    await wing_of(parts).models.choices.save_choice(user, MemoryChoice(keeps_answers=False))


async def memory(parts: Components, user: str, _server_id: str) -> object:
    return not (await wing_of(parts).models.choices.choice_of_user(user)).keeps_answers


async def save_provider(parts: Components, user: str, _server_id: str) -> None:
    settings = ProviderSettings(name="mine", base_url="http://127.0.0.1:9/v1")
    await wing_of(parts).models.models.store.save_provider(UserProvider(user, settings, models=("small",)))


async def provider(parts: Components, user: str, _server_id: str) -> object:
    return "small" in [entry.id for entry in await wing_of(parts).models.models.list_models(user)]


SETTINGS: dict[str, tuple[Change, Look]] = {
    "acceptances": (accept, accepted),
    "selections": (select, selected),
    "limits": (change_limit, limit),
    "call settings": (change_setting, setting),
    "approval mode": (choose_mode, mode),
    "grants": (keep_grant, grants),
    "device choices": (choose_device, chosen_device),
    "memory choices": (choose_memory, memory),
    "model providers": (save_provider, provider),
}


async def check_each(two: FollowingBridges) -> None:
    """Each setting is read there, changed here, and seen there in time."""
    here, there, user = two.here.components, two.there.components, two.here.local_user.id
    server_id = (await here.registry.add_server(user, document_text(), source_url=None)).record.id

    async def is_loaded() -> bool:
        return server_id in await server_ids(there, user)

    await eventually(is_loaded)
    for name, (change, look) in SETTINGS.items():
        assert not await look(there, user, server_id), name
        await change(here, user, server_id)
        await eventually(
            lambda look=look: look(there, user, server_id), within_s=SOON_S, what=f"the change of {name}"
        )


async def test_each_setting_changed_here_is_in_force_there(two: FollowingBridges) -> None:
    """A user whose home moves, and operators who set limits, must not meet the older ones."""
    await check_each(two)


async def test_without_redis_changes_are_seen_by_looking(
    tmp_path: Path, postgres_server: PostgresServer, redis_server: RedisServer
) -> None:
    """The counters of the database are the truth; the bell only makes it quicker."""
    with postgres_server.database() as where, redis_server.stopped():
        async with following_bridges(tmp_path, where, redis_server.url, look_s=0.2) as two:
            await check_each(two)
