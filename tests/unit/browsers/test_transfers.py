"""What waits for another browser of its user: not for long, and not too much at once."""

import asyncio

import pytest

from bridge.browsers.transfers import MAX_TRANSFERS, OFFERS, TRANSFER_SECONDS, Transfers
from bridge.errors import BridgeError

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]

ID = "a" * 32


async def test_a_transfer_is_gone_after_ten_minutes_though_nobody_asks() -> None:
    """What is in memory no longer than it says need not be deleted by anybody."""
    transfers = Transfers()
    transfers.offer_transfer("ann", ID, "sealed")
    transfers.offer_transfer("bob", ID, "sealed")
    await asyncio.sleep(TRANSFER_SECONDS - 1)
    assert transfers.take_transfer("ann", ID) == "sealed"
    assert transfers.find_standing("ann") == "fetched"
    await asyncio.sleep(2)
    assert (transfers.find_standing("ann"), transfers.find_standing("bob")) == ("gone", "gone")
    with pytest.raises(BridgeError) as failure:
        transfers.take_transfer("bob", ID)
    assert failure.value.error.code == "not_found"


async def test_the_end_of_a_former_transfer_does_not_end_the_new_one() -> None:
    """A user who shows a second code has ten minutes for it."""
    transfers = Transfers()
    transfers.offer_transfer("ann", ID, "former")
    await asyncio.sleep(TRANSFER_SECONDS - 1)
    transfers.offer_transfer("ann", ID, "new")
    await asyncio.sleep(2)
    assert transfers.take_transfer("ann", ID) == "new"


async def test_neither_one_user_nor_many_fill_the_memory() -> None:
    """A transfer may have a mebibyte."""
    transfers = Transfers()
    for _ in range(OFFERS):
        transfers.offer_transfer("ann", ID, "sealed")
    with pytest.raises(BridgeError) as failure:
        transfers.offer_transfer("ann", ID, "sealed")
    assert failure.value.error.code == "rate_limited"
    for number in range(MAX_TRANSFERS - 1):
        transfers.offer_transfer(f"user {number}", ID, "sealed")
    with pytest.raises(BridgeError) as failure:
        transfers.offer_transfer("one more", ID, "sealed")
    assert failure.value.error.code == "rate_limited"
    assert transfers.take_transfer("ann", ID) == "sealed"
    transfers.offer_transfer("one more", ID, "sealed")
