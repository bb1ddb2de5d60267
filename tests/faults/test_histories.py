"""Randomized histories against the ledger, and proofs that the judge can say no."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bridge.calls.state_machine import CallState
from bridge.errors import ErrorCode, WireError
from tests.faults.__main__ import play_all
from tests.faults.bridge_double import Row
from tests.faults.judge import Course, broken_promises
from tests.faults.ledger import Deeds
from tests.faults.page_journal import ROOT, JournalPlayer
from tests.faults.plan import CallPlan, make_plan
from tests.faults.shrink import shrink
from tests.faults.world import play

CHUNKS, CHUNK = 8, 375


@pytest.mark.parametrize(
    "first", [0, *(pytest.param(each * CHUNK, marks=pytest.mark.slow) for each in range(1, CHUNKS))]
)
def test_no_fault_makes_a_call_happen_twice_or_end_dishonestly(first: int) -> None:
    """S0-79, W-10: 3,000 histories in all, the same ones every time, so that a red build is red again."""
    totals, failed = play_all(range(first, first + CHUNK))
    assert not failed, f'make faults ARGS="--seed {failed[0]}" tells the story'
    assert totals.histories == CHUNK
    assert totals.unsafe_calls > CHUNK / 2


def test_a_call_that_the_page_has_begun_is_never_said_to_be_unsent(journals: JournalPlayer) -> None:
    """Finding R-2: the disk fills while it runs, and it comes once more as the next attempt."""
    history = play(make_plan(7_747_068), journals)
    assert {fault.action for fault in history.plan.faults} >= {"browser_disk_full", "send_again"}
    assert not history.broken


def test_a_journal_that_lets_a_call_begin_twice_breaks_a_promise(tmp_path: Path) -> None:
    """The journal is the page's own, and what it promises is looked at: a browser begins no call twice."""
    for part in ("static", "tests/page/support"):
        shutil.copytree(ROOT / part, tmp_path / part)
    shutil.copy(ROOT / "package.json", tmp_path)
    journal = tmp_path / "static/executor/call_journal.js"
    text = journal.read_text()
    assert text.count(".add(entry,") == 1
    journal.write_text(text.replace(".add(entry,", ".put(entry,"))
    with JournalPlayer(tmp_path) as journals:
        histories = (play(make_plan(seed), journals) for seed in range(CHUNK))
        broken = next(history.broken for history in histories if history.broken)
    assert "fetched 2 times, at most 1" in broken[0]


@pytest.fixture
def journals() -> Iterator[JournalPlayer]:
    with JournalPlayer() as player:
        yield player


def test_the_same_seed_is_the_same_history(journals: JournalPlayer) -> None:
    """A failure that cannot be played again cannot be understood."""
    first, second = play(make_plan(11), journals), play(make_plan(11), journals)
    assert len(first.trace) > 20
    assert first.trace == second.trace


def test_a_history_without_faults_ends_every_call_as_its_plan_says(journals: JournalPlayer) -> None:
    """What is found under faults must not be the doubles' own doing."""
    plans = (plan for plan in map(make_plan, range(400)) if not plan.faults)
    for plan in plans:
        history = play(plan, journals)
        assert not history.broken
        assert not history.totals.needless["never begun (no_browser)"], plan


def a_call(**changes: object) -> Course:
    plan = CallPlan(0, "ann", 1.0, False, 10, "granted", False, 1.0, "once", "answers", 0.1, False)
    course = Course(plan, "c", 1.0, None, 2.0, [CallState.FAILED])
    for name, value in changes.items():
        setattr(course, name, value)
    return course


A_SAFE_CALL = a_call(plan=replace(a_call().plan, safe=True))
NETWORK = WireError(code=ErrorCode.NETWORK, message="It broke.")


@pytest.mark.parametrize(
    ("course", "deeds", "said"),
    [
        (a_call(), Deeds(fetched=[1.0, 1.1]), "fetched 2 times"),
        (a_call(error=NETWORK), Deeds(fetched=[1.0], performed=[1.0]), "the ledger has it"),
        (a_call(endings=[CallState.SUCCEEDED]), Deeds(), "the ledger has nothing"),
        (a_call(endings=[CallState.DENIED]), Deeds(fetched=[1.0], performed=[9.0]), "it is denied"),
        (a_call(endings=[CallState.EXPIRED]), Deeds(fetched=[1.0], performed=[1.0]), "it is expired"),
        (a_call(endings=[]), Deeds(), "no terminal state"),
        (a_call(endings=[CallState.FAILED, CallState.DENIED]), Deeds(), "ended 2 times"),
        (a_call(ended_at=200.0), Deeds(), "its latest end"),
        (A_SAFE_CALL, Deeds(fetched=[1.0, 1.1, 1.2]), "fetched 3 times, at most 2"),
        (a_call(ended_at=6.0, alone_since=4.0), Deeds(), "2.00 s after its page left"),
        (a_call(), Deeds(fetched=[1.0]), "no journal has it"),
    ],
)
def test_the_judge_knows_every_broken_promise(course: Course, deeds: Deeds, said: str) -> None:
    """A suite that cannot fail proves nothing."""
    assert said in " ".join(broken_promises(course, deeds, None))


def test_the_journal_must_agree_with_the_caller() -> None:
    """What `GET /api/calls` says later is what the caller was told."""
    row = Row("ann", False, CallState.OUTCOME_UNKNOWN, True, endings=1)
    course = a_call(endings=[CallState.SUCCEEDED])
    deeds = Deeds(fetched=[1.0], performed=[1.0], answered=True)
    assert broken_promises(course, deeds, row)
    course.is_unwritten = True
    assert not broken_promises(course, deeds, row)


def test_a_failing_history_is_cut_down_to_what_breaks_it(journals: JournalPlayer) -> None:
    """Whoever reads it should not have to look for the one fault among six."""
    history = play(make_plan(11), journals)
    assert shrink(history, journals) is history
