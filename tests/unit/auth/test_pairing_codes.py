"""Browsers that wait for a code, on a clock that the test moves and with devices in memory."""

import itertools
from dataclasses import dataclass, field
from typing import Any

import pytest

from bridge.auth.attempts import Attempts
from bridge.auth.pairing_codes import (
    CODE_ALPHABET,
    CODE_CHARS,
    CODE_SECONDS,
    MAX_WAITING,
    MAX_WAITING_OF_ADDRESS,
    WRONG_CODES,
    PairingCodes,
    WaitingBrowser,
)
from bridge.errors import BridgeError
from bridge.storage.users import Device, User

ANN, EVE = User("ann's id", "ann"), User("eve's id", "eve")


@dataclass
class Devices:
    """What the desk asks of the store."""

    made: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    async def add_device(self, user_id: str, public_key: str, browser: str) -> Device:
        self.made.append((user_id, public_key))
        return Device(f"device {len(self.made)}", User(user_id, "ann"), public_key, browser, 0, 0)


@dataclass
class Clock:
    """Monotonic seconds."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def harness() -> tuple[Any, Devices, Clock]:
    devices, clock = Devices(), Clock()
    store: Any = devices
    return PairingCodes(store, Attempts(), clock=clock), devices, clock


def waiting(pairing: PairingCodes, key: str = "key", **more: Any) -> WaitingBrowser:
    return pairing.begin_waiting(
        key, browser="Firefox on Linux", address=more.pop("address", "192.0.2.7"), **more
    )


async def code_of_refusal(pairing: PairingCodes, user: User, code: str) -> str:
    with pytest.raises(BridgeError) as refused:
        await pairing.find_by_code(user, code)
    return refused.value.error.code


def test_a_code_is_short_long_enough_and_cannot_be_misread() -> None:
    """Somebody reads it from one screen and types it on another."""
    pairing, _, _ = harness()
    codes = [waiting(pairing, address=str(number)).code for number in range(200)]
    assert len(set(codes)) == 200
    assert all(len(code) == CODE_CHARS and set(code) <= set(CODE_ALPHABET) for code in codes)
    assert not set(CODE_ALPHABET) & set("01ILO")
    assert len(CODE_ALPHABET) ** CODE_CHARS > 8e11


@pytest.mark.asyncio
async def test_the_confirmed_browser_becomes_a_device_by_its_own_key() -> None:
    """The code is bound to the key of the browser that shows it."""
    pairing, devices, _ = harness()
    shown = waiting(pairing, key="key of the tablet")
    other = waiting(pairing, key="another")
    found = await pairing.find_by_code(ANN, shown.code)
    assert (found.browser, found.address) == ("Firefox on Linux", "192.0.2.7")
    device = await pairing.decide_pairing(ANN, shown.code, accept=True)
    assert device is not None
    assert devices.made == [(ANN.id, "key of the tablet")]
    standing = pairing.find_waiting(shown.secret)
    assert standing is not None
    assert standing.device == device
    assert pairing.find_waiting(other.secret).device is None


@pytest.mark.asyncio
async def test_a_code_may_be_typed_as_people_type() -> None:
    """Small letters, a hyphen in the middle, a space at the end."""
    pairing, devices, _ = harness()
    code = waiting(pairing).code.lower()
    await pairing.decide_pairing(ANN, f" {code[:4]}-{code[4:]} ", accept=True)
    assert len(devices.made) == 1


@pytest.mark.asyncio
@pytest.mark.parametrize("accept", [True, False])
async def test_a_code_works_once(accept: bool) -> None:
    """Whoever looked over a shoulder comes too late, and no browser becomes a device twice."""
    pairing, devices, _ = harness()
    shown = waiting(pairing)
    await pairing.decide_pairing(ANN, shown.code, accept=accept)
    for user in (ANN, EVE):
        assert await code_of_refusal(pairing, user, shown.code) == "not_found"
    assert len(devices.made) == int(accept)


@pytest.mark.asyncio
async def test_a_browser_that_was_turned_away_gets_nothing() -> None:
    """It is told so, and its code is over."""
    pairing, devices, _ = harness()
    shown = waiting(pairing)
    assert await pairing.decide_pairing(ANN, shown.code, accept=False) is None
    assert pairing.find_waiting(shown.secret).state == "refused"
    assert devices.made == []


@pytest.mark.asyncio
async def test_a_code_is_over_after_five_minutes() -> None:
    """A browser that somebody left on does not wait for ever."""
    pairing, _, clock = harness()
    shown = waiting(pairing)
    clock.now = CODE_SECONDS - 1
    assert pairing.find_waiting(shown.secret) is not None
    clock.now = CODE_SECONDS
    assert pairing.find_waiting(shown.secret) is None
    assert await code_of_refusal(pairing, ANN, shown.code) == "not_found"


@pytest.mark.asyncio
async def test_a_browser_that_came_with_a_users_link_is_his_alone() -> None:
    """Another user's code is, for everybody else, no code at all."""
    pairing, _, _ = harness()
    shown = waiting(pairing, user_id=ANN.id)
    assert await code_of_refusal(pairing, EVE, shown.code) == "not_found"
    assert await pairing.find_by_code(ANN, shown.code) is shown


@pytest.mark.asyncio
async def test_whoever_typed_a_code_first_has_it() -> None:
    """Two users cannot race for a browser between looking and confirming."""
    pairing, _, _ = harness()
    shown = waiting(pairing)
    await pairing.find_by_code(ANN, shown.code)
    assert await code_of_refusal(pairing, EVE, shown.code) == "not_found"


@pytest.mark.asyncio
async def test_guessing_ends_after_ten_wrong_codes_for_whoever_guesses() -> None:
    """Ten of 850 thousand million; nobody else is kept from confirming."""
    pairing, _, clock = harness()
    shown = waiting(pairing)
    guesses = ("".join(letters) for letters in itertools.product("23456789", repeat=CODE_CHARS))
    for _ in range(WRONG_CODES):
        assert await code_of_refusal(pairing, EVE, next(guesses)) == "not_found"
    assert await code_of_refusal(pairing, EVE, shown.code) == "rate_limited", (
        "not even the right one tells now"
    )
    assert await pairing.find_by_code(ANN, shown.code) is shown
    clock.now = CODE_SECONDS / WRONG_CODES
    assert await code_of_refusal(pairing, EVE, "22222222") == "not_found"


@pytest.mark.parametrize("code", ["", "ÄÖÜ", "%", "A" * 40])
@pytest.mark.asyncio
async def test_what_is_no_code_finds_nobody(code: str) -> None:
    """The field takes any text."""
    pairing, _, _ = harness()
    waiting(pairing)
    assert await code_of_refusal(pairing, ANN, code) == "not_found"


def test_only_so_many_browsers_wait_at_once() -> None:
    """Waiting costs memory and makes a guess likelier."""
    pairing, _, clock = harness()
    for _ in range(MAX_WAITING_OF_ADDRESS):
        waiting(pairing, address="one")
    with pytest.raises(BridgeError, match="Too many browsers are waiting"):
        waiting(pairing, address="one")
    for number in range(MAX_WAITING - MAX_WAITING_OF_ADDRESS):
        waiting(pairing, address=str(number))
    with pytest.raises(BridgeError) as refused:
        waiting(pairing, address="another")
    assert refused.value.error.code == "rate_limited"
    clock.now = CODE_SECONDS
    assert waiting(pairing, address="one")
