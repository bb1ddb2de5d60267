"""Ids of calls that are recognized without asking anybody."""

from hypothesis import given
from hypothesis import strategies as st

from bridge.browser_protocol import MAX_CALL_ID_CHARS
from bridge.calls.call_ids import CallIds, names_replica, new_unsealed_id

IDS = CallIds(b"secret of the data folder")


def test_an_id_is_known_as_its_users_also_after_a_restart() -> None:
    """A page tells of a call that a killed bridge gave it, and the next bridge writes it down."""
    call_id = IDS.make_id("ann")
    assert IDS.was_made_for(call_id, "ann")
    assert CallIds(b"secret of the data folder").was_made_for(call_id, "ann")


def test_an_id_is_nobody_elses() -> None:
    """Whoever hears of another user's id cannot have anything written down for it."""
    call_id = IDS.make_id("ann")
    assert not IDS.was_made_for(call_id, "bob")
    assert not CallIds(b"another folder").was_made_for(call_id, "ann")
    assert not IDS.was_made_for(new_unsealed_id(), "ann")


@given(st.text(max_size=MAX_CALL_ID_CHARS))
def test_a_made_up_id_is_never_known(made_up: str) -> None:
    """Whatever a page sends, also halves of characters, is no error but no id."""
    assert not IDS.was_made_for(made_up, "ann")
    assert not IDS.was_made_for(f"call_{made_up}", "ann")


def test_an_id_that_was_changed_anywhere_is_not_known() -> None:
    """The seal covers all of it."""
    call_id = IDS.make_id("ann")
    for at, digit in enumerate(call_id):
        changed = call_id[:at] + ("0" if digit != "0" else "1") + call_id[at + 1 :]
        assert not IDS.was_made_for(changed, "ann")
    assert not IDS.was_made_for(call_id + "0", "ann")


def test_ids_stand_in_the_order_of_time_and_are_never_the_same() -> None:
    """Rows that are written one after the other change one page of their index."""
    ids = [IDS.make_id("ann") for _ in range(2_000)]
    assert len(set(ids)) == len(ids)
    times = [call_id[:17] for call_id in ids]
    assert times == sorted(times)
    assert all(len(call_id) == 37 for call_id in ids)


def test_an_id_names_the_replica_that_made_it() -> None:
    """There its answer is kept; every replica of the cluster recognizes it, and tells it from its own."""
    here, there = CallIds(b"secret", "a1b2c3d4e5f60718"), CallIds(b"secret", "0918273645546372")
    call_id = here.make_id("ann")
    assert there.was_made_for(call_id, "ann")
    assert (here.was_made_here(call_id), there.was_made_here(call_id)) == (True, False)
    assert names_replica(call_id, "a1b2c3d4e5f60718")
    assert not names_replica(call_id, "0918273645546372")
    assert not CallIds(b"secret").was_made_here(call_id)


def test_ids_of_a_replica_are_never_the_same() -> None:
    """A count stands where a bridge alone has chance; it goes on from its end to its beginning."""
    ids = CallIds(b"secret", "a1b2c3d4e5f60718")
    made = [ids.make_id("ann") for _ in range(2_000)]
    assert len(set(made)) == len(made)
    assert all(len(call_id) == 37 for call_id in made)


def test_tokens_are_long_and_never_the_same() -> None:
    """They are slices of bytes that are drawn many at a time; each is given out once."""
    tokens = [IDS.make_token() for _ in range(1000)]
    assert len(set(tokens)) == len(tokens)
    assert {len(token) for token in tokens} == {32}
