"""Routing values: where a socket and an upload belong before anybody has signed in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bridge.cluster.routing_value import RoutingValues

VALUES = RoutingValues(b"the secret of all replicas")
USER_IDS = st.binary(min_size=16, max_size=16).map(bytes.hex)


@given(USER_IDS)
def test_every_replica_reads_the_user_of_a_value(user_id: str) -> None:
    """The value is made where the session was opened and read wherever the page arrives."""
    value = VALUES.make_value(user_id)

    assert RoutingValues(b"the secret of all replicas").read_value(value) == user_id
    assert RoutingValues(b"another secret").read_value(value) is None


@given(USER_IDS, st.data())
def test_a_changed_value_names_nobody(user_id: str, data: st.DataObject) -> None:
    """Nobody can make replicas claim users by guessing."""
    value = VALUES.make_value(user_id)
    place = data.draw(st.integers(0, len(value) - 1))
    other = data.draw(st.characters(codec="utf-8").filter(lambda found: found != value[place]))

    assert VALUES.read_value(value[:place] + other + value[place + 1 :]) in {None, user_id}


@given(st.text(max_size=80))
def test_any_text_is_a_value_or_names_nobody(text: str) -> None:
    """It comes from the address of a request, so from anybody."""
    assert VALUES.read_value(text) is None
