"""What users want kept of answers: chosen in the page, kept in the database, gone with the user."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from bridge.models.stored_items.retention_preference import MemoryChoice, MemoryChoices
from bridge.storage.chat.memory_choices import MemoryChoiceTable
from bridge.storage.store import Store
from bridge.storage.users import UserTables
from tests.support.audit_entries import told_in
from tests.support.models.wing import wing_of
from tests.support.running_bridge import FakePage, pair_browser
from tests.support.stores.databases import Where, execute

pytestmark = pytest.mark.asyncio

MOST = {"stores_chats": True, "most_reasoning": "conversation"}
LESS = {"keeps_answers": False, "reasoning": "next_reply"}


@pytest_asyncio.fixture
async def page(bridge: Bridge, http: aiohttp.ClientSession) -> AsyncIterator[FakePage]:
    found = await pair_browser(
        bridge.base_url, http, await bridge.components.users.add_ticket(bridge.local_user.id)
    )
    await found.open_session()
    yield found


async def test_a_user_chooses_what_is_stored_and_the_audit_log_knows(bridge: Bridge, page: FakePage) -> None:
    """Until then as much as the bridge keeps; it holds for answers that begin from then on."""
    first = {"keeps_answers": True, "reasoning": "conversation"}
    assert await page.get("/api/stored-data/preference") == {**first, **MOST}
    status, answer = await page.request("PUT", "/api/stored-data/preference", LESS)
    assert (status, answer) == (200, {**LESS, **MOST})
    assert await page.get("/api/stored-data/preference") == {**LESS, **MOST}
    retention = await wing_of(bridge.components).models.turns.memory.retention_of(bridge.local_user.id)
    assert not retention.stores_chats
    assert not retention.stores_responses
    (entry,) = [e for e in (await page.get("/api/audit"))["entries"] if e["kind"] == "memory_changed"]
    assert told_in(entry) == LESS


@pytest.mark.parametrize(
    "wrong", [{}, {**LESS, "reasoning": "forever"}, {**LESS, "keeps_answers": "perhaps"}, []]
)
async def test_a_choice_that_is_none_changes_nothing(page: FakePage, wrong: Any) -> None:
    """Both must be said."""
    status, answer = await page.request("PUT", "/api/stored-data/preference", wrong)
    assert (status, answer["error"]["code"]) == (400, "invalid_request")
    assert (await page.get("/api/stored-data/preference"))["keeps_answers"] is True


async def test_a_key_may_read_the_choice_and_not_change_it(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """A program that has a key does not decide what is kept of its user."""
    url, headers = f"{bridge.base_url}/api/stored-data/preference", {"Authorization": f"Bearer {bridge.key}"}
    async with http.get(url, headers=headers) as answer:
        assert answer.status == 200
    async with http.put(url, headers=headers, json=LESS) as answer:
        assert answer.status == 403


@pytest.mark.both_databases
async def test_a_choice_survives_a_restart_and_goes_with_its_user(database: Where) -> None:
    """And a value that a newer bridge wrote is read as the least."""
    for wanted in (MemoryChoice(False, "next_reply"), MemoryChoice(True, "disabled")):
        store = Store.open_store(database)
        ann = await UserTables(store).ensure_user("ann")
        await MemoryChoices(MemoryChoiceTable(store)).save_choice(ann.id, wanted)
        await store.close()
        store = Store.open_store(database)
        assert await MemoryChoices(MemoryChoiceTable(store)).choice_of_user(ann.id) == wanted
        await store.close()
    execute(database, "UPDATE memory_choices SET reasoning = 'for a year'")
    store = Store.open_store(database)
    assert (await MemoryChoiceTable(store).memory_choice(ann.id)).reasoning == "disabled"
    await store.close()
    execute(database, f"DELETE FROM users WHERE id = '{ann.id}'")
    assert execute(database, "SELECT * FROM memory_choices") == []
