"""Lists that are kept for each view."""

from bridge.catalog.lists_by_room import MAX_ROOMS, ListsByRoom


def test_addresses_with_many_rooms_take_no_more_memory_than_a_few() -> None:
    """A list has megabytes, and its caller chooses the number in the address."""
    lists = ListsByRoom[str]()
    lists.keep(None, None, "as given")
    lists.keep("shop", 40, "of a server")
    for room in range(32, 64):
        lists.keep(None, room, f"of {room}")
    kept = [room for room in range(32, 64) if lists.find(None, room) is not None]
    assert kept == list(range(64 - MAX_ROOMS, 64))
    assert (lists.find(None, None), lists.find("shop", 40)) == ("as given", "of a server")
