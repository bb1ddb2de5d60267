"""Relay tokens: what a replica believes of a request that another one passes on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.auth.identity import Caller
from bridge.cluster.relay_token import (
    CLOCK_SKEW_S,
    TOKEN_S,
    RelayedRequest,
    RelayPass,
    RelayTokenRefused,
    RelayTokens,
)
from bridge.storage.users import User

NOW = 1_800_000_000.0
TOKENS = RelayTokens(b"the secret of all replicas")
CALL = RelayedRequest("POST", "/tools/addProduct?x=1")

USERS = st.builds(User, st.text(max_size=40), st.text(max_size=80))
CALLERS = st.builds(
    Caller,
    USERS,
    st.none() | st.text(max_size=40),
    key_label=st.text(max_size=100),
    key_id=st.text(max_size=40),
    is_forwarded=st.booleans(),
    show_calls=st.sampled_from([None, "hidden", "details"]),
    markers=st.sampled_from([None, "link", "off"]),
    client=st.none() | st.text(max_size=80),
)
PASSES = st.builds(
    RelayPass,
    user_id=st.text(max_size=40),
    caller=st.none() | CALLERS,
    address=st.text(max_size=40),
    target=st.text(max_size=40),
    epoch=st.integers(0, 2**63),
    request_id=st.text(max_size=40),
    expires_at=st.just(NOW + TOKEN_S),
)
ONE = RelayPass(
    "u", Caller(User("u", "local"), None, key_id="k"), "10.0.0.7", "replica", 7, "r1", NOW + TOKEN_S
)


def refusal_of(token: str, *, request: RelayedRequest = CALL, now: float = NOW) -> str:
    with pytest.raises(RelayTokenRefused) as refused:
        TOKENS.read_token(token, request, now)
    return refused.value.reason


@given(PASSES)
def test_the_whole_caller_arrives_as_it_was_authenticated(vouched: RelayPass) -> None:
    """The home answers as if the caller had come to it directly (REPLICAS 31)."""
    assert TOKENS.read_token(TOKENS.sign_pass(vouched, CALL), CALL, NOW) == vouched


@given(st.data())
def test_a_token_with_any_character_changed_is_refused(data: st.DataObject) -> None:
    """Whoever can reach the listener of a replica must not be able to be anybody."""
    token = TOKENS.sign_pass(ONE, CALL)
    place = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.characters(codec="utf-8").filter(lambda found: found != token[place]))

    assert refusal_of(token[:place] + other + token[place + 1 :]) in {"forged", "protocol"}


@given(st.integers(0, 60))
def test_a_token_that_was_cut_is_refused(length: int) -> None:
    """The first bytes of a token are no token."""
    assert refusal_of(TOKENS.sign_pass(ONE, CALL)[:length]) in {"forged", "protocol"}


@pytest.mark.parametrize(
    "request_",
    [
        replace(CALL, method="PUT"),
        replace(CALL, target="/tools/removeProduct?x=1"),
        replace(CALL, target="/tools/addProduct?x=2"),
        replace(CALL, target="/tools/addProduct"),
    ],
)
def test_a_token_counts_for_its_own_request_only(request_: RelayedRequest) -> None:
    """One that was seen for a harmless request must not open another."""
    assert refusal_of(TOKENS.sign_pass(ONE, CALL), request=request_) == "forged"


@pytest.mark.parametrize("now", [NOW + TOKEN_S + CLOCK_SKEW_S + 1, NOW - CLOCK_SKEW_S - TOKEN_S])
def test_a_token_ends(now: float) -> None:
    """A home remembers the ids of requests only as long as their tokens count."""
    assert refusal_of(TOKENS.sign_pass(ONE, CALL), now=now) == "expired"


@pytest.mark.parametrize("skew", [-CLOCK_SKEW_S, CLOCK_SKEW_S])
def test_clocks_may_differ(skew: float) -> None:
    """Two machines whose clocks are a minute apart still serve each other's users."""
    assert TOKENS.read_token(TOKENS.sign_pass(ONE, CALL), CALL, NOW + skew) == ONE


def test_another_secret_and_another_major_version_are_told_apart() -> None:
    """The log of the operator says which of both it is."""
    foreign = RelayTokens(b"another secret").sign_pass(ONE, CALL)
    newer = TOKENS.sign_pass(ONE, CALL).replace("1.", "2.", 1)

    assert (refusal_of(foreign), refusal_of(newer)) == ("forged", "protocol")
