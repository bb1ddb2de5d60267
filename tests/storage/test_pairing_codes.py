"""Browsers that wait for a code, on a clock that the test moves, in the database that replicas share."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio

from bridge.auth.attempts import Attempts
from bridge.auth.pairing_codes import (
    CODE_ALPHABET,
    CODE_CHARS,
    CODE_SECONDS,
    MAX_WAITING,
    MAX_WAITING_OF_ADDRESS,
    WRONG_CODES,
    PairingCodes,
    ShownCode,
)
from bridge.errors import BridgeError
from bridge.storage.accounts.pairings import PairingTable, WaitingBrowser
from bridge.storage.store import Store
from bridge.storage.users import Device, User, UserTables
from tests.support.stores.databases import Where, content_of, with_tables

pytestmark = [pytest.mark.asyncio, pytest.mark.both_databases]


@dataclass
class Clock:
    """Seconds, of the table and of the limits."""

    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Pairings:
    """Two processes on one database, and two users."""

    here: PairingCodes
    there: PairingCodes
    store: Store
    ann: User
    eve: User
    clock: Clock

    async def begin_waiting(self, key: str = "key", **more: Any) -> ShownCode:
        address = more.pop("address", "192.0.2.7")
        return await self.here.begin_waiting(key, browser="Firefox on Linux", address=address, **more)

    async def standing(self, shown: ShownCode) -> WaitingBrowser:
        found = await self.here.find_waiting(shown.secret)
        assert found is not None
        return found

    async def devices(self) -> list[Device]:
        return [
            *await UserTables(self.store).list_devices(self.ann.id),
            *await UserTables(self.store).list_devices(self.eve.id),
        ]


@pytest_asyncio.fixture
async def pairings(database: Where) -> AsyncIterator[Pairings]:
    stores = [Store.open_store(with_tables(database)) for _ in range(2)]
    clock = Clock()
    here, there = (PairingCodes(PairingTable(store, clock), Attempts(), clock=clock) for store in stores)
    ann, eve = [await UserTables(stores[0]).ensure_user(name) for name in ("ann", "eve")]
    yield Pairings(here, there, stores[0], ann, eve, clock)
    for store in stores:
        await store.close()


async def code_of_refusal(pairing: PairingCodes, user: User, code: str) -> str:
    with pytest.raises(BridgeError) as refused:
        await pairing.find_by_code(user, code)
    return refused.value.error.code


async def test_a_code_is_short_long_enough_and_cannot_be_misread(pairings: Pairings) -> None:
    """Somebody reads it from one screen and types it on another."""
    codes = [(await pairings.begin_waiting(address=str(number))).code for number in range(200)]
    assert len(set(codes)) == 200
    assert all(len(code) == CODE_CHARS and set(code) <= set(CODE_ALPHABET) for code in codes)
    assert not set(CODE_ALPHABET) & set("01ILO")
    assert len(CODE_ALPHABET) ** CODE_CHARS > 8e11


async def test_the_confirmed_browser_becomes_a_device_by_its_own_key(pairings: Pairings) -> None:
    """The code is bound to the key of the browser that shows it."""
    shown = await pairings.begin_waiting("key of the tablet")
    other = await pairings.begin_waiting("another")
    found = await pairings.here.find_by_code(pairings.ann, shown.code)
    assert (found.browser, found.address) == ("Firefox on Linux", "192.0.2.7")
    device = await pairings.here.decide_pairing(pairings.ann, shown.code, accept=True)
    assert device is not None
    assert (device.user, device.public_key) == (pairings.ann, "key of the tablet")
    assert await pairings.devices() == [device]
    assert (await pairings.standing(shown)).device == device
    assert (await pairings.standing(other)).state == "waiting"


async def test_code_and_confirmation_may_meet_at_different_replicas(pairings: Pairings) -> None:
    """The load balancer knows nothing of who waits where."""
    shown = await pairings.begin_waiting()
    await pairings.there.find_by_code(pairings.ann, shown.code)
    device = await pairings.there.decide_pairing(pairings.ann, shown.code, accept=True)
    standing = await pairings.standing(shown)
    assert (standing.state, standing.device) == ("confirmed", device)


async def test_of_two_replicas_that_confirm_at_once_one_does(pairings: Pairings) -> None:
    """A browser becomes one device, of one user."""
    shown = await pairings.begin_waiting()
    decisions = await asyncio.gather(
        pairings.here.decide_pairing(pairings.ann, shown.code, accept=True),
        pairings.there.decide_pairing(pairings.eve, shown.code, accept=True),
        pairings.there.decide_pairing(pairings.ann, shown.code, accept=True),
        return_exceptions=True,
    )
    refused = [one.error.code for one in decisions if isinstance(one, BridgeError)]
    assert refused == ["not_found", "not_found"]
    (device,) = await pairings.devices()
    assert device in decisions
    assert (await pairings.standing(shown)).device == device


async def test_a_code_may_be_typed_as_people_type(pairings: Pairings) -> None:
    """Small letters, a hyphen in the middle, a space at the end."""
    code = (await pairings.begin_waiting()).code.lower()
    await pairings.here.decide_pairing(pairings.ann, f" {code[:4]}-{code[4:]} ", accept=True)
    assert len(await pairings.devices()) == 1


@pytest.mark.parametrize("accept", [True, False])
async def test_a_code_works_once(pairings: Pairings, accept: bool) -> None:
    """Whoever looked over a shoulder comes too late, and no browser becomes a device twice."""
    shown = await pairings.begin_waiting()
    await pairings.here.decide_pairing(pairings.ann, shown.code, accept=accept)
    for user in (pairings.ann, pairings.eve):
        assert await code_of_refusal(pairings.here, user, shown.code) == "not_found"
    assert len(await pairings.devices()) == int(accept)


async def test_a_browser_that_was_turned_away_gets_nothing(pairings: Pairings) -> None:
    """It is told so, and its code is over."""
    shown = await pairings.begin_waiting()
    assert await pairings.here.decide_pairing(pairings.ann, shown.code, accept=False) is None
    assert (await pairings.standing(shown)).state == "refused"
    assert await pairings.devices() == []


async def test_a_code_is_over_after_five_minutes(pairings: Pairings) -> None:
    """A browser that somebody left on does not wait for ever."""
    shown = await pairings.begin_waiting()
    pairings.clock.now += CODE_SECONDS - 1
    assert await pairings.here.find_waiting(shown.secret) is not None
    pairings.clock.now += 1
    assert await pairings.here.find_waiting(shown.secret) is None
    assert await code_of_refusal(pairings.here, pairings.ann, shown.code) == "not_found"


async def test_neither_code_nor_secret_is_stored(pairings: Pairings, database: Where) -> None:
    """A backup opens nothing."""
    shown = await pairings.begin_waiting("key of the tablet")
    stored = content_of(database)
    assert b"key of the tablet" in stored
    assert shown.code.encode() not in stored
    assert shown.secret.encode() not in stored


async def test_a_browser_that_came_with_a_users_link_is_his_alone(pairings: Pairings) -> None:
    """Another user's code is, for everybody else, no code at all."""
    shown = await pairings.begin_waiting(user_id=pairings.ann.id)
    assert await code_of_refusal(pairings.here, pairings.eve, shown.code) == "not_found"
    assert (await pairings.here.find_by_code(pairings.ann, shown.code)).public_key == "key"


async def test_whoever_typed_a_code_first_has_it(pairings: Pairings) -> None:
    """Two users cannot race for a browser between looking and confirming."""
    shown = await pairings.begin_waiting()
    await pairings.here.find_by_code(pairings.ann, shown.code)
    assert await code_of_refusal(pairings.there, pairings.eve, shown.code) == "not_found"


async def test_guessing_ends_after_ten_wrong_codes_for_whoever_guesses(pairings: Pairings) -> None:
    """Ten of 850 thousand million; nobody else is kept from confirming."""
    shown = await pairings.begin_waiting()
    guesses = ("".join(letters) for letters in itertools.product("23456789", repeat=CODE_CHARS))
    eve = pairings.eve
    for _ in range(WRONG_CODES):
        assert await code_of_refusal(pairings.here, eve, next(guesses)) == "not_found"
    refused = await code_of_refusal(pairings.here, eve, shown.code)
    assert refused == "rate_limited", "not even the right one tells now"
    assert (await pairings.here.find_by_code(pairings.ann, shown.code)).public_key == "key"
    pairings.clock.now += CODE_SECONDS / WRONG_CODES - 1
    assert await code_of_refusal(pairings.here, eve, "22222222") == "rate_limited"
    pairings.clock.now += 1
    assert await code_of_refusal(pairings.here, eve, "22222222") == "not_found"


async def test_guesses_that_come_together_are_counted_one_after_another(pairings: Pairings) -> None:
    """All of them would pass a count that each reads before the database answers the first."""
    guesses = (code_of_refusal(pairings.here, pairings.eve, f"2222222{number}") for number in range(30))
    refusals = await asyncio.gather(*guesses)
    assert refusals.count("not_found") == WRONG_CODES


@pytest.mark.parametrize("code", ["", "ÄÖÜ", "%", "A" * 40])
async def test_what_is_no_code_finds_nobody(pairings: Pairings, code: str) -> None:
    """The field takes any text."""
    await pairings.begin_waiting()
    assert await code_of_refusal(pairings.here, pairings.ann, code) == "not_found"


@pytest.mark.slow
async def test_only_so_many_browsers_wait_at_once(pairings: Pairings) -> None:
    """Waiting costs room and makes a guess likelier."""
    for _ in range(MAX_WAITING_OF_ADDRESS):
        await pairings.begin_waiting(address="one")
    with pytest.raises(BridgeError, match="Too many browsers are waiting"):
        await pairings.begin_waiting(address="one")
    for number in range(MAX_WAITING - MAX_WAITING_OF_ADDRESS):
        await pairings.begin_waiting(address=str(number))
    with pytest.raises(BridgeError) as refused:
        await pairings.begin_waiting(address="another")
    assert refused.value.error.code == "rate_limited"
    pairings.clock.now += CODE_SECONDS
    assert await pairings.begin_waiting(address="one")


async def test_strangers_who_wait_take_no_place_of_a_good_link(pairings: Pairings) -> None:
    """Finding S-L14: twenty requests of anybody at the same proxy used up somebody's good link."""
    for _ in range(MAX_WAITING_OF_ADDRESS):
        await pairings.begin_waiting(address="one")
    for _ in range(MAX_WAITING_OF_ADDRESS):
        await pairings.begin_waiting(address="one", user_id=pairings.ann.id)
    with pytest.raises(BridgeError, match="Too many browsers are waiting"):
        await pairings.begin_waiting(address="one", user_id=pairings.ann.id)
    assert await pairings.begin_waiting(address="one", user_id=pairings.eve.id)
