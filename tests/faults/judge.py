"""The promises of docs/explanation/delivery.md, checked against the ledger after a history: all rules.

Their numbers stand here a second time and are imported from nowhere: a bridge that changes one breaks the
promise, and this file has to notice.
"""

from collections import Counter
from dataclasses import dataclass, field

from bridge.calls.outcome import CallOutcome
from bridge.calls.state_machine import CallState
from bridge.errors import WireError
from tests.faults.bridge_double import Row
from tests.faults.ledger import Deeds
from tests.faults.plan import CallPlan
from toolserver.answer.result import TextBody

ANSWERS = frozenset({"http_status", "too_large"})
"""The codes of `failed` that report an answer of the API."""

QUEUE_S = 20.0
"""How long a call may wait for its turn."""

APPROVAL_S = 125.0
"""How long a call may wait for its user."""

RESUME_S = 1.5
"""How long a call waits for its page to come back."""

SAFE_FETCHES, UNSAFE_FETCHES = 2, 1
"""How often a page may send the request of a call."""

MOST_S = QUEUE_S + APPROVAL_S + RESUME_S + 0.1
"""Added to the deadline of a call it is its latest end."""

ENDED = frozenset({
    CallState.SUCCEEDED, CallState.FAILED, CallState.DENIED, CallState.CANCELLED, CallState.EXPIRED,
    CallState.OUTCOME_UNKNOWN,
})  # fmt: skip
"""The states that an ended call may have."""


@dataclass
class Course:
    """What a history knows of one call."""

    plan: CallPlan
    call_id: str = ""
    began_at: float = 0.0
    outcome: CallOutcome | None = None
    """What its caller was told; None when there is none any more."""
    ended_at: float | None = None
    """When the bridge gave it its terminal state."""
    endings: list[CallState] = field(default_factory=list[CallState])
    error: WireError | None = None
    """Of its ending."""
    alone_since: float | None = None
    """When the only page of its user left it in doubt, if none has come since."""
    died_with_bridge: bool = False
    """Its caller is gone, and the next bridge has settled it."""
    is_unwritten: bool = False
    """Its bridge was killed before it was written down: it only read, or a disk was full."""


def broken_promises(course: Course, deeds: Deeds, row: Row | None) -> list[str]:
    """What is wrong with the ending of one call, in words; nothing when all is well."""
    plan = course.plan
    state = row.state if row is not None and course.died_with_bridge else None
    state = course.endings[-1] if course.endings else state
    found = [*_too_often(plan, deeds), *_not_once(course, row, state)]
    if deeds.fetched and row is None and not plan.safe:
        found.append("it was begun, and no journal has it")
    if state is None:
        return found if course.died_with_bridge else [*found, "it has no terminal state"]
    if not plan.safe:
        found += _dishonest(course, deeds, state)
    elif state is CallState.OUTCOME_UNKNOWN:
        found.append("a safe call is never in doubt")
    return [*found, *_foreign(course, deeds)]


def _too_often(plan: CallPlan, deeds: Deeds) -> list[str]:
    most = SAFE_FETCHES if plan.safe else UNSAFE_FETCHES
    return [f"fetched {len(deeds.fetched)} times, at most {most}"] if len(deeds.fetched) > most else []


def _not_once(course: Course, row: Row | None, state: CallState | None) -> list[str]:
    found: list[str] = []
    if len(course.endings) > 1:
        found.append(f"it ended {len(course.endings)} times: {', '.join(course.endings)}")
    if row is not None and (row.state not in ENDED or row.endings != 1):
        found.append(f"its row ended {row.endings} times and says {row.state}")
    if row is not None and state is not None and row.state is not state and not course.is_unwritten:
        found.append(f"its row says {row.state}, its caller was told {state}")
    if course.outcome is not None and course.endings and course.outcome.state is not course.endings[0]:
        found.append(f"its caller was told {course.outcome.state}, its journal {course.endings[0]}")
    latest = course.began_at + course.plan.deadline_s + MOST_S
    if course.ended_at is not None and course.ended_at > latest:
        found.append(f"it ended at {course.ended_at:.2f}, its latest end is {latest:.2f}")
    if course.ended_at is not None and course.alone_since is not None:
        waited_s = course.ended_at - course.alone_since
        if waited_s > RESUME_S + 0.1:
            found.append(f"it ended {waited_s:.2f} s after its page left, at most {RESUME_S}")
    return found


def _dishonest(course: Course, deeds: Deeds, state: CallState) -> list[str]:
    """An unsafe call: what was said against what was done, at any time, before the ending or after it."""
    code = None if course.error is None else course.error.code.value
    if state is CallState.SUCCEEDED and not deeds.performed:
        return ["it succeeded, and the ledger has nothing"]
    if state is CallState.SUCCEEDED and course.plan.api not in ("answers", "sent_twice"):
        return [f"it succeeded, and the API {course.plan.api}"]
    if state is CallState.FAILED and deeds.performed and code not in ANSWERS:
        return [f"it failed with {code}, and the ledger has it"]
    if state in (CallState.DENIED, CallState.CANCELLED, CallState.EXPIRED) and deeds.performed:
        return [f"it is {state}, and the ledger has it"]
    if state is CallState.DENIED and deeds.fetched:
        return ["it was denied, and fetched"]
    return []


def _foreign(course: Course, deeds: Deeds) -> list[str]:
    answered = None if course.outcome is None else course.outcome.answered
    if answered is None:
        return []
    if not deeds.answered:
        return ["it has an answer that no page received for it"]
    if isinstance(answered.body, TextBody) and answered.body.text != course.call_id:
        return [f"it has the answer of {answered.body.text}"]
    return []


def needless_doubt(course: Course, deeds: Deeds) -> str:
    """Why an `outcome_unknown` need not have been; "" when nobody could know better."""
    outcome = course.outcome
    if outcome is None or outcome.state is not CallState.OUTCOME_UNKNOWN:
        return ""
    reason = str(outcome.error.detail.get("reason")) if outcome.error else ""
    if not deeds.fetched:
        return f"never begun ({reason})"
    return f"answered ({reason})" if deeds.answered else ""


@dataclass
class Totals:
    """Over many histories."""

    histories: int = 0
    states: Counter[str] = field(default_factory=Counter[str])
    needless: Counter[str] = field(default_factory=Counter[str])
    faults: Counter[str] = field(default_factory=Counter[str])
    unsafe_calls: int = 0
    resent_by_browser: int = 0
    late_truths: int = 0
    """Doubts that a late result cleared up in the journal."""

    def add(self, others: "Totals") -> None:
        self.histories += others.histories
        self.states += others.states
        self.needless += others.needless
        self.faults += others.faults
        self.unsafe_calls += others.unsafe_calls
        self.resent_by_browser += others.resent_by_browser
        self.late_truths += others.late_truths
