"""Browsers that a test pairs without a page."""

from bridge.storage.store import Store
from bridge.storage.users import Device, NewDevice


async def add_device(store: Store, user_id: str, name: str = "Phone") -> Device:
    """A browser of a user, paired as by a printed link."""
    paired = await store.spend_ticket(await store.add_ticket(user_id), "{}", name)
    assert isinstance(paired, NewDevice)
    return paired.device
