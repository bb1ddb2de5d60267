"""The policy of approval: the whole matrix, and what a "yes" is good for."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.calls.approval_policy import (
    CHAT_S,
    TIMED_S,
    ApprovalMode,
    Grant,
    Subject,
    grant_of,
    needs_approval,
)
from bridge.settings.approvals import APPROVAL_MODES

ORDER = Subject("shop", "POST /orders", "d1", safe=False, chat_id="c1", caller_id="k1")
NOW = 1_000_000.0


def granted(decision: str, subject: Subject = ORDER) -> Grant:
    grant = grant_of(decision, "g1", "ann", subject, NOW)
    assert grant is not None
    return grant


@pytest.mark.parametrize(
    ("mode", "safe", "asks"),
    [
        ("safe", True, False),
        ("safe", False, True),
        ("ask", True, True),
        ("ask", False, True),
        ("all", True, False),
        ("all", False, False),
    ],
)
def test_without_grants_the_mode_and_the_method_decide(mode: ApprovalMode, safe: bool, asks: bool) -> None:
    """The default asks exactly where something may change."""
    assert needs_approval(mode, replace(ORDER, safe=safe), [], NOW) is asks


@pytest.mark.parametrize("decision", ["chat", "timed", "always"])
@pytest.mark.parametrize(
    "changes",
    [{"digest": "d2"}, {"operation_key": "DELETE /orders/{id}"}, {"server_id": "other"}],
    ids=["changed", "another operation", "another server"],
)
def test_a_grant_is_good_for_one_operation_as_it_stood(decision: str, changes: dict[str, str]) -> None:
    """A document that changes an operation must not inherit what its user said of the old one."""
    assert not needs_approval("safe", ORDER, [granted(decision)], NOW)
    assert needs_approval("safe", replace(ORDER, **changes), [granted(decision)], NOW)


@pytest.mark.parametrize("mode", ["safe", "ask", "all"])
@pytest.mark.parametrize("safe", [True, False])
def test_a_tool_that_always_asks_does_so_in_each_mode_and_whatever_was_granted(
    mode: ApprovalMode, safe: bool
) -> None:
    """Issue 41: an edit says *ask every time*, and means it."""
    asking = replace(ORDER, safe=safe, always_asks=True)
    assert needs_approval(mode, asking, [granted("always")], NOW)


def test_a_grant_counts_where_every_call_asks() -> None:
    """It was given for this operation, which is narrower than the mode."""
    assert not needs_approval("ask", ORDER, [granted("always")], NOW)


@pytest.mark.parametrize(("chat_id", "asks"), [("c1", False), ("c2", True), (None, True)])
def test_what_was_allowed_for_a_chat_holds_there_alone(chat_id: str | None, asks: bool) -> None:
    """Another chat has read other texts."""
    grants = [granted("chat")]
    assert needs_approval("safe", replace(ORDER, chat_id=chat_id), grants, NOW) is asks


@pytest.mark.parametrize(("caller_id", "asks"), [("k1", False), ("k2", True), (None, True)])
def test_what_was_allowed_for_a_chat_holds_for_the_caller_that_asked(
    caller_id: str | None, asks: bool
) -> None:
    """Finding S-M2: a chat's id is a header, which any key can set; the card named one that asked."""
    grants = [granted("chat")]
    assert needs_approval("safe", replace(ORDER, caller_id=caller_id), grants, NOW) is asks
    for decision in ("timed", "always"):
        assert not needs_approval("safe", replace(ORDER, caller_id=caller_id), [granted(decision)], NOW)


def test_a_chat_grant_of_before_holds_for_nobody() -> None:
    """Finding S-M2: it says no caller, and a replica of before may still add one."""
    grants = [replace(granted("chat"), caller_id=None)]
    for caller_id in ("k1", None):
        assert needs_approval("safe", replace(ORDER, caller_id=caller_id), grants, NOW)


@pytest.mark.parametrize(("decision", "seconds"), [("chat", CHAT_S), ("timed", TIMED_S), ("always", None)])
def test_grants_end_at_their_time(decision: str, seconds: float | None) -> None:
    """The last moment is the one before the end."""
    grants = [granted(decision)]
    if seconds is None:
        assert not needs_approval("safe", ORDER, grants, NOW + 10 * CHAT_S)
        return
    assert not needs_approval("safe", ORDER, grants, NOW + seconds - 1)
    assert needs_approval("safe", ORDER, grants, NOW + seconds)


@pytest.mark.parametrize("decision", ["once", "denied", "", "forever"])
def test_other_decisions_are_good_for_nothing_more(decision: str) -> None:
    """What the policy does not know grants nothing."""
    assert grant_of(decision, "g1", "ann", ORDER, NOW) is None


def test_a_chat_without_a_name_cannot_be_allowed() -> None:
    """It would be everybody's; the same holds for a caller that is not known."""
    assert grant_of("chat", "g1", "ann", replace(ORDER, chat_id=None), NOW) is None
    assert grant_of("chat", "g1", "ann", replace(ORDER, caller_id=None), NOW) is None


subjects = st.builds(
    Subject,
    st.sampled_from(["s1", "s2"]),
    st.sampled_from(["GET /a", "POST /a"]),
    st.sampled_from(["d1", "d2"]),
    st.booleans(),
    st.sampled_from([None, "c1", "c2"]),
    st.sampled_from([None, "k1", "k2"]),
)
words = st.sampled_from(["once", "chat", "timed", "always", "denied"])
decisions = st.tuples(words, subjects, st.floats(0, 2 * CHAT_S))


def allows(word: str, about: Subject, at: float, subject: Subject, now: float) -> bool:
    """The rule of grants, in other words."""
    said, asked = (replace(each, safe=False, chat_id=None, caller_id=None) for each in (about, subject))
    if said != asked:
        return False
    if word == "chat":
        is_known = about.chat_id is not None and about.caller_id is not None
        is_there = (about.chat_id, about.caller_id) == (subject.chat_id, subject.caller_id)
        return is_known and is_there and now < at + CHAT_S
    return word == "always" or (word == "timed" and now < at + TIMED_S)


@given(st.sampled_from(APPROVAL_MODES), subjects, st.lists(decisions), st.floats(0, 3 * CHAT_S))
def test_nothing_runs_unasked_that_nobody_allowed(
    mode: ApprovalMode, subject: Subject, said: list[tuple[str, Subject, float]], now: float
) -> None:
    """Whatever was said before: without the mode, the method or a word about this operation, it asks."""
    grants = [grant for word, about, at in said if (grant := grant_of(word, "g", "ann", about, at))]
    is_free = mode == "all" or (mode == "safe" and subject.safe)
    is_allowed = any(allows(word, about, at, subject, now) for word, about, at in said)
    assert needs_approval(mode, subject, grants, now) is not (is_free or is_allowed)
