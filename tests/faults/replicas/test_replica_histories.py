"""Randomized histories of three replicas on virtual time, and proofs that their judge can say no."""

import logging
from collections.abc import Iterator

import pytest

from tests.faults.page_journal import JournalPlayer
from tests.faults.replicas.mutants import MUTANTS
from tests.faults.replicas.plan import make_replica_plan
from tests.faults.replicas.replica import ReplicaDouble
from tests.faults.replicas.search import play_replicas
from tests.faults.replicas.world import play

CHUNKS, CHUNK, QUICK = 20, 75, 1
MOST_TO_FIND = CHUNKS * CHUNK
"""Of as many histories as are played, one finds each missing guard."""


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Replicas log each loss, which is what a history consists of."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture
def journals() -> Iterator[JournalPlayer]:
    with JournalPlayer() as player:
        yield player


@pytest.mark.parametrize(
    "first",
    [pytest.param(n * CHUNK, marks=[pytest.mark.slow] * (n >= QUICK)) for n in range(CHUNKS)],
)
def test_no_fault_of_replicas_and_engines_breaks_a_promise(first: int) -> None:
    """The same 1,500 histories every time, the first 75 of them at each change."""
    totals, failed = play_replicas(range(first, first + CHUNK))
    assert not failed, f'make faults ARGS="--replicas --seed {failed[0]}" tells the story'
    assert totals.histories == CHUNK
    assert totals.passed_on > CHUNK / 4
    assert totals.excused < totals.unsafe_calls / 10


@pytest.mark.timeout(240)  # 25 s of work for the rarest, on a machine that may have other work
@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS)
def test_the_judge_finds_what_a_missing_guard_lets_happen(
    mutant: type[ReplicaDouble], journals: JournalPlayer
) -> None:
    """A suite that cannot fail proves nothing."""
    histories = (play(make_replica_plan(seed), journals, mutant) for seed in range(MOST_TO_FIND))
    found = (problem for history in histories for problem in history.broken)
    assert any(MUTANTS[mutant] in problem for problem in found)


def test_the_same_seed_is_the_same_history_of_replicas(journals: JournalPlayer) -> None:
    """A failure that cannot be played again cannot be understood."""
    first, second = (play(make_replica_plan(11), journals) for _ in range(2))
    assert len(first.trace) > 20
    assert first.trace == second.trace
