"""What a monitor is told of a page without a person."""

import pytest

from bridge.unattended.health import PageStanding
from bridge.unattended.reports import (
    AcceptedServer,
    Code,
    Entered,
    Entrance,
    PolicyApplied,
    State,
    parse_report,
)

ONLINE = State(type="state", role="executor", connection="online", error="", running=2)
APPLIED = PolicyApplied(type="policy", accepted=[AcceptedServer(title="Shop", operations=1)], problems=[])


def standing_after(*reports: Entrance | Code | Entered | State | PolicyApplied) -> PageStanding:
    standing = PageStanding()
    for report in reports:
        standing.note_report(report)
    return standing


def test_a_page_is_well_once_it_is_connected_under_its_whole_policy() -> None:
    """Either alone is not enough: a call would be refused."""
    entered = Entered(type="entered", user="build")
    assert not standing_after(entered).is_healthy
    assert not standing_after(entered, APPLIED).is_healthy
    assert not standing_after(entered, ONLINE).is_healthy
    well = standing_after(entered, APPLIED, ONLINE)
    assert well.is_healthy
    assert (well.as_json()["status"], well.as_json()["reason"], well.as_json()["running"]) == ("ok", "", 2)


@pytest.mark.parametrize(
    ("report", "reason"),
    [
        (Entrance(type="entrance", code="unreachable", message="It does not answer."), "It does not answer."),
        (Code(type="code", code="ABCD1234", ends_at=0), "The browser waits until its code is confirmed."),
        (Entered(type="entered", user="build"), "The policy is being applied."),
        (
            PolicyApplied(
                type="policy", accepted=[], problems=["Shop has no operation.", "Nor has Library."]
            ),
            "Shop has no operation. Nor has Library.",
        ),
        (
            State(type="state", role="standby", connection="online", error="", running=0),
            "The page is not connected (standby, online).",
        ),
        (State(type="state", role="executor", connection="refused", error="Too old.", running=0), "Too old."),
    ],
)
def test_whatever_keeps_calls_from_it_is_the_reason(
    report: Entrance | Code | Entered | State | PolicyApplied, reason: str
) -> None:
    """An operator begins with this line."""
    ill = standing_after(Entered(type="entered", user="build"), APPLIED, ONLINE, report)
    assert (ill.as_json()["status"], ill.as_json()["reason"]) == ("unavailable", reason)


def test_another_browser_begins_anew() -> None:
    """What the last one accepted says nothing of the next one."""
    standing = standing_after(APPLIED, ONLINE)
    standing.begin("The page is started again.")
    assert not standing.is_healthy
    standing.note_report(ONLINE)
    assert not standing.is_healthy


def test_memory_that_was_not_measured_is_null() -> None:
    """Finding P-L3: a monitor would draw 0 MB, which no browser has ever had."""
    standing = PageStanding()
    assert standing.as_json()["memory_mb"] is None
    standing.memory_bytes = 300 * 2**20
    assert standing.as_json()["memory_mb"] == 300
    standing.begin("The page is started again.")
    assert standing.as_json()["memory_mb"] is None


@pytest.mark.parametrize("text", ["", "{}", '{"type": "state"}', '{"type": "other"}'])
def test_what_is_no_report_is_refused(text: str) -> None:
    """A newer page may say more."""
    with pytest.raises(ValueError, match="validation error"):
        parse_report(text)
