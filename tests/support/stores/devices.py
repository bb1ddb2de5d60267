"""Browsers that a test pairs without a page."""

from bridge.storage.store import Store
from bridge.storage.users import Device, NewDevice, UserTables


async def add_device(store: Store, user_id: str, name: str = "Phone") -> Device:
    """A browser of a user, paired as by a printed link."""
    users = UserTables(store)
    paired = await users.spend_ticket(await users.add_ticket(user_id), "{}", name)
    assert isinstance(paired, NewDevice)
    return paired.device
