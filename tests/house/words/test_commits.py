"""Subjects of new commits say what the commit does."""

import pytest

from tests.house.source import judge
from tests.house.words.rules import base, fault_of_subject, verbs
from tests.house.words.since import has_history, new_commits


def test_the_subject_of_a_new_commit_names_its_area_and_begins_with_a_verb() -> None:
    """A statement about the new world leaves open what the commit did to it."""
    if not has_history(base()):
        pytest.skip(f"not checked: no history back to {base()[:8]}")
    faults = {commit: fault_of_subject(commit.subject) for commit in new_commits(base())}
    judge(
        "commit_subjects",
        {commit.hash: f"“{commit.subject}” {fault}" for commit, fault in faults.items() if fault},
    )


@pytest.mark.parametrize(
    ("subject", "fault"),
    [
        ("storage: warn about guessable encryption keys", None),
        ("model API, mcp: re-read a list", None),
        ("storage: a guessable key is warned of", "begins with “a”, not with a verb in its plain form"),
        ("Warn about guessable keys", "names no area"),
        (f"docs: say {'so ' * 30}", "has 100 characters"),
    ],
)
def test_a_subject_is_judged(subject: str, fault: str | None) -> None:
    """The sentence says what to do: a verb may be missing from the list."""
    found = fault_of_subject(subject)
    assert found is None if fault is None else found is not None and found.startswith(fault)


def test_the_verbs_stand_in_order() -> None:
    """Two who add one each do not add it twice."""
    assert sorted(set(verbs())) == list(verbs())
