"""What must hold with three replicas: the promises of `delivery.md`, and that what is told is what is kept.

The numbers stand here a second time, as in `tests/faults/judge.py`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bridge.calls.outcome import CallOutcome
from bridge.errors import BridgeError, ErrorCode
from bridge.models.stored_items.items import StoredResponse
from tests.faults.bridge_double import Row
from tests.faults.judge import Course, broken_promises
from tests.faults.ledger import Deeds
from tests.faults.plan import CallPlan
from tests.faults.replicas.plan import ResponsePlan
from tests.faults.replicas.responses import read_body
from tests.support.cluster.tables import CallRow
from tests.support.stores.memory_item_store import UNFINISHED

GREETING_S = 1.5
"""How long a page may report what a lost home left."""

LEASE_S = 3.0
"""After so long a pause a replica has to look."""

QUEUE_S, APPROVAL_S = 20.0, 20.0
"""How long a call may wait for its turn, and for its user."""

SURPLUS_S = 30.0
"""For noticing a loss, for the next home and for settling."""


@dataclass
class CallerCourse:
    """What a history knows of one request of a caller."""

    plan: CallPlan
    asks: str = ""
    """The process that it is connected to."""
    began_at: float | None = None
    """When it was first sent."""
    sent_at: float = 0.0
    """When it was last sent."""
    sendings: int = 0
    has_left: bool = False
    """Whether its client will not send it again."""
    is_gone: bool = False
    """It left, or the replica that it was connected to was killed."""
    call_ids: list[str] = field(default_factory=list[str])
    told: CallOutcome | BridgeError | None = None
    told_at: float | None = None
    times_told: int = 0
    is_excused: bool = False
    """Its ending was told while PostgreSQL did not answer the replica."""


@dataclass
class ResponseCourse:
    """What a history knows of one response."""

    plan: ResponsePlan
    response_id: str = ""
    times_asked: int = 0
    """Of its model."""
    told: tuple[str, str] | None = None
    """Status and output, once it had ended."""
    times_read: int = 0
    """After that."""


def broken_rules_of_response(course: ResponseCourse, kept: Mapping[str, StoredResponse]) -> list[str]:
    """What is wrong with a response, in words. `kept`: all responses by their ids."""
    number = course.plan.number
    mine = {name: read_body(each.body) for name, each in kept.items() if name.startswith(f"resp_{number}_")}
    found: list[str] = []
    if course.response_id in mine and kept[course.response_id].status in UNFINISHED:
        found.append(f"{course.response_id} is never ended")
    if course.told == ("completed", "[]"):
        found.append("it is completed, and has nothing of what its model said")
    if course.told is not None and mine.get(course.response_id) != course.told:
        found.append(f"told {course.told}, and {mine.get(course.response_id)} is kept")
    return found


def broken_rules(
    course: CallerCourse, deeds: Sequence[Deeds], rows: Sequence[CallRow], faults_s: float
) -> list[str]:
    """What is wrong with a request, in words. `faults_s`: seconds for which something was broken."""
    if course.began_at is None:
        return []
    found = [*_unanswered(course, faults_s), *_wrongly_told(course, deeds, rows)]
    fetched = [at for each in deeds for at in each.fetched]
    if not course.plan.safe and len(fetched) > 1:
        found.append(f"fetched {len(fetched)} times, as {len(course.call_ids)} calls")
    for call_id, done in zip(course.call_ids, deeds, strict=True):
        row = next((row for row in rows if row.call_id == call_id), None)
        found += _broken_of_call(course, call_id, done, row)
    return found


def _broken_of_call(course: CallerCourse, call_id: str, deeds: Deeds, row: CallRow | None) -> list[str]:
    told = course.told if isinstance(course.told, CallOutcome) and course.told.call_id == call_id else None
    kept = None if row is None else row.outcome
    if course.plan.safe and row is None and told is None:
        return []
    if row is not None and kept is None and not course.plan.safe:
        return ["nobody ended it"]
    ending = told or kept
    known = Course(course.plan, call_id, course.began_at or 0.0, told, is_unwritten=course.is_excused)
    known.endings = [] if ending is None else [ending.state]
    known.error = None if ending is None else ending.error
    known.died_with_bridge = told is None
    as_kept = None
    if row is not None and not course.plan.safe:
        as_kept = Row(row.user_id, row.safe, row.state, row.may_begin, row.endings, row.late)
    return broken_promises(known, deeds, as_kept)


def _unanswered(course: CallerCourse, faults_s: float) -> list[str]:
    if course.is_gone:
        return []
    if course.told_at is None:
        return ["its caller hangs"]
    most = course.plan.deadline_s + QUEUE_S + APPROVAL_S + SURPLUS_S + faults_s
    waited = course.told_at - course.sent_at
    return [f"its caller waited {waited:.1f} s"] if waited > most else []


def _wrongly_told(course: CallerCourse, deeds: Sequence[Deeds], rows: Sequence[CallRow]) -> list[str]:
    """An error that came in place of an ending."""
    error = course.told
    if not isinstance(error, BridgeError) or course.plan.safe:
        return []
    code, performed = error.error.code, any(each.performed for each in deeds)
    kept = [row.outcome for row in rows if row.outcome is not None]
    is_kept = any(outcome.error is not None and outcome.error.code is code for outcome in kept)
    if code is ErrorCode.ANSWER_LOST:
        return [] if performed else ["it is said to be performed, and the ledger has nothing"]
    if is_kept or course.sendings > 1:  # what a key names may be repeated
        return []
    if code is ErrorCode.OUTCOME_UNKNOWN:
        return ["it is said to be in doubt, and its row says otherwise"]
    if performed and error.error.retryable:
        return [f"its caller may repeat it ({code.value}: {error.error.message}), and the ledger has it"]
    return []


@dataclass
class ReplicaTotals:
    """Over many histories."""

    histories: int = 0
    faults: Counter[str] = field(default_factory=Counter[str])
    told: Counter[str] = field(default_factory=Counter[str])
    unsafe_calls: int = 0
    passed_on: int = 0
    claims: int = 0
    excused: int = 0
    responses: Counter[str] = field(default_factory=Counter[str])
    chats: Counter[str] = field(default_factory=Counter[str])

    def add(self, other: "ReplicaTotals") -> None:
        self.histories += other.histories
        self.faults += other.faults
        self.told += other.told
        self.unsafe_calls += other.unsafe_calls
        self.passed_on += other.passed_on
        self.claims += other.claims
        self.excused += other.excused
        self.responses += other.responses
        self.chats += other.chats
