"""How browsers become devices: by code, by a link of an answer, and by nothing else."""

import logging
import time
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from bridge.auth.pairing_codes import WRONG_CODES
from bridge.endpoints.api.pairing import PAIRINGS
from tests.support.running_bridge import FakePage, new_browser, pair_browser, public_key_of
from tests.support.stores.databases import Where, content_of, execute

pytestmark = [pytest.mark.asyncio, pytest.mark.both_databases]


@pytest_asyncio.fixture
async def ann(bridge: Bridge, http: aiohttp.ClientSession) -> FakePage:
    """A browser of Ann's that is paired already."""
    return await browser_of(bridge, http, "ann")


async def browser_of(bridge: Bridge, http: aiohttp.ClientSession, user: str) -> FakePage:
    account = await bridge.components.users.ensure_user(user)
    page = await pair_browser(bridge.base_url, http, await bridge.components.users.add_ticket(account.id))
    await page.open_session()
    return page


async def ask_for_code(page: FakePage) -> dict[str, Any]:
    status, shown = await page.request("POST", "/api/pairings", {"public_key": public_key_of(page.key)})
    assert status == 201
    return shown


async def standing(page: FakePage, shown: dict[str, Any]) -> dict[str, Any]:
    return await page.post("/api/pairings/standing", {"secret": shown["secret"]})


async def no_browser(bridge: Bridge, http: aiohttp.ClientSession, user: str) -> dict[str, Any]:
    """The detail of a call's error when no page of the user is open."""
    account = await bridge.components.users.ensure_user(user)
    _, key = await bridge.components.users.add_key(account.id, "program")
    for server in (await bridge.components.registry.view_of_user(account.id)).servers:
        digests = {operation.key: operation.digest for operation in server.compiled.operations}
        await bridge.components.registry.accept_operations(account.id, server.record.id, digests)
    headers = {"Authorization": f"Bearer {key}"}
    url = bridge.base_url + "/tools/listProducts"
    async with http.post(url, json={}, headers=headers) as response:
        error = (await response.json())["error"]
        assert (response.status, error["code"]) == (503, "no_browser")
        return error["detail"]


def ticket_of(url: str) -> str:
    return url.partition("#ticket=")[2]


async def spend(page: FakePage, ticket: str) -> tuple[int, Any]:
    body = {"ticket": ticket, "public_key": public_key_of(page.key)}
    return await page.request("POST", "/api/devices", body)


async def test_a_browser_without_a_link_is_paired_by_its_code(
    bridge: Bridge, http: aiohttp.ClientSession, ann: FakePage
) -> None:
    """Nobody needs the terminal of the bridge for a second device."""
    tablet = new_browser(bridge.base_url, http)
    shown = await ask_for_code(tablet)
    assert (await standing(tablet, shown))["state"] == "waiting"
    seen = await ann.post("/api/pairings/code", {"code": shown["code"]})
    assert (seen["address"], seen["browser"]) == ("127.0.0.1", "Browser")
    made = await ann.post("/api/pairings/decision", {"code": shown["code"], "accept": True})
    told = await standing(tablet, shown)
    assert (told["state"], told["device_id"], told["user"]) == ("confirmed", made["device_id"], "ann")
    tablet.device_id = told["device_id"]
    await tablet.open_session()
    assert (await tablet.get("/api/me"))["user"] == "ann"


async def test_the_confirmed_device_is_worth_nothing_to_whoever_only_knows_the_code(
    bridge: Bridge, http: aiohttp.ClientSession, ann: FakePage
) -> None:
    """The code was read over a shoulder; the key is not."""
    tablet, thief = new_browser(bridge.base_url, http), new_browser(bridge.base_url, http)
    shown = await ask_for_code(tablet)
    made = await ann.post("/api/pairings/decision", {"code": shown["code"], "accept": True})
    thief.device_id = made["device_id"]
    with pytest.raises(KeyError):
        await thief.open_session()
    assert (await standing(thief, {"secret": shown["code"]}))["state"] == "expired"


async def test_an_api_key_confirms_nobody(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """Else a key could make itself a browser and outlive its revocation."""
    shown = await ask_for_code(new_browser(bridge.base_url, http))
    headers = {"Authorization": f"Bearer {bridge.key}"}
    for path in ("code", "decision"):
        body = {"code": shown["code"], "accept": True}
        url = f"{bridge.base_url}/api/pairings/{path}"
        async with http.post(url, json=body, headers=headers) as response:
            assert (response.status, (await response.json())["error"]["code"]) == (403, "page_only")


async def test_wrong_codes_end_in_a_wait_that_is_told(bridge: Bridge, ann: FakePage) -> None:
    """For the program in `detail` and in `Retry-After`; the right code says nothing either until then."""
    shown = await ask_for_code(new_browser(bridge.base_url, ann.http))
    for number in range(WRONG_CODES):
        status, body = await ann.request("POST", "/api/pairings/code", {"code": f"2222222{number}"})
        assert (status, body["error"]["code"]) == (404, "not_found")
    headers = {"Authorization": f"Bearer {ann.token}"}
    url = bridge.base_url + "/api/pairings/decision"
    body = {"code": shown["code"], "accept": True}
    async with ann.http.post(url, json=body, headers=headers) as response:
        error = (await response.json())["error"]
        assert (response.status, error["code"]) == (429, "rate_limited")
        assert response.headers["Retry-After"] == str(error["detail"]["retry_after_s"]) == "30"


async def test_a_flood_of_attempts_to_pair_is_slowed_down(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Tickets cannot be guessed; the database need not be asked a thousand times a second for it."""
    other_client = new_browser(bridge.base_url, http)
    answers = [await spend(other_client, "guess") for _ in range(PAIRINGS)]
    assert {status for status, _ in answers} == {401}
    status, body = await spend(other_client, "guess")
    for _ in range(PAIRINGS):  # one more is allowed each second, and a busy machine takes some
        if status != 401:
            break
        status, body = await spend(other_client, "guess")
    assert (status, body["error"]["code"]) == (429, "rate_limited")


async def test_the_link_of_an_answer_pairs_the_first_browser_of_exactly_its_user(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """A new user of Open WebUI calls a tool, gets the link, and is there."""
    detail = await no_browser(bridge, http, "bob")
    assert detail["pairing_url"].startswith(bridge.base_url + "/#ticket=")
    page = new_browser(bridge.base_url, http)
    status, paired = await spend(page, ticket_of(detail["pairing_url"]))
    assert (status, paired["user"], paired["printed"]) == (201, "bob", False)
    assert (await spend(new_browser(bridge.base_url, http), ticket_of(detail["pairing_url"])))[0] == 401


async def test_the_link_of_an_answer_has_no_power_over_a_user_who_has_a_browser(
    bridge: Bridge, http: aiohttp.ClientSession, ann: FakePage
) -> None:
    """A model, a log or a neighbour sees it: only a browser of hers makes another one hers."""
    detail = await no_browser(bridge, http, "ann")
    other_client = new_browser(bridge.base_url, http)
    status, shown = await spend(other_client, ticket_of(detail["pairing_url"]))
    assert (status, set(shown)) == (202, {"code", "secret", "expires_in"})
    assert (await standing(other_client, shown))["state"] == "waiting"
    assert (
        len(await bridge.components.users.list_devices((await bridge.components.users.ensure_user("ann")).id))
        == 1
    )
    assert (await spend(other_client, ticket_of(detail["pairing_url"])))[0] == 401, "it is spent"
    eve = await browser_of(bridge, http, "eve")
    status, body = await eve.request("POST", "/api/pairings/code", {"code": shown["code"]})
    assert (status, body["error"]["code"]) == (404, "not_found")
    assert (await ann.request("POST", "/api/pairings/code", {"code": shown["code"]}))[0] == 200
    await ann.post("/api/pairings/decision", {"code": shown["code"], "accept": False})
    assert (await standing(other_client, shown))["state"] == "refused"


async def test_the_link_of_an_answer_lives_five_minutes_and_replaces_the_one_before(
    bridge: Bridge, http: aiohttp.ClientSession, database: Where
) -> None:
    """What lies in old chats opens nothing; a model that tries again does not spoil the newest."""
    first = ticket_of((await no_browser(bridge, http, "bob"))["pairing_url"])
    again = ticket_of((await no_browser(bridge, http, "bob"))["pairing_url"])
    assert again == first, "within a minute it is the same"
    bob = await bridge.components.users.ensure_user("bob")
    printed = await bridge.components.users.add_ticket(bob.id)
    second = await bridge.components.users.add_ticket(bob.id, printed=False)
    assert (await spend(new_browser(bridge.base_url, http), first))[0] == 401
    ((expires_at,),) = execute(database, "SELECT expires_at FROM tickets WHERE NOT printed")
    assert 290 <= expires_at - time.time() <= 301
    execute(database, "UPDATE tickets SET expires_at = 1 WHERE NOT printed")
    assert (await spend(new_browser(bridge.base_url, http), second))[0] == 401
    assert (await spend(new_browser(bridge.base_url, http), printed))[0] == 201


async def test_the_link_of_an_answer_is_neither_logged_nor_stored(
    bridge: Bridge, http: aiohttp.ClientSession, database: Where, caplog: pytest.LogCaptureFixture
) -> None:
    """Its hash is enough to know it again."""
    with caplog.at_level(logging.DEBUG):
        ticket = ticket_of((await no_browser(bridge, http, "bob"))["pairing_url"])
    assert ticket not in caplog.text
    assert ticket.encode() not in content_of(database)
