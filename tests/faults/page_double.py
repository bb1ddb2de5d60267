"""A browser and its workers, as docs/reference/wire.md says they behave: memory, outbox, cards.

Their journal is the page's own.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from tests.faults.ledger import Api
from tests.faults.link import Link
from tests.faults.page_journal import Entry, JournalPlayer, Outcome
from tests.faults.plan import CallPlan, Kind

HELLO_TIMEOUT_S = 10.0
DECISION_TIMEOUT_S = 10.0
RECONNECT_FIRST_S, RECONNECT_LAST_S = 0.2, 5.0
UPLOAD_WAITS_S = (0.3, 1.0, 3.0)


class Surroundings(Protocol):
    """What a browser needs of its world."""

    api: Api
    journals: JournalPlayer
    uploads_fail: bool

    def now(self) -> float: ...
    def wall(self) -> float: ...
    def later(self, delay: float, action: Callable[[], None]) -> None: ...
    def wobble(self, least: float, most: float) -> float: ...
    def note(self, text: str) -> None: ...
    def name(self, call_id: str) -> str: ...
    def plan_of(self, number: int) -> CallPlan: ...
    def connect(self, worker: "Worker") -> Link | None: ...
    def upload(self, call_id: str, token: str) -> bool | None: ...
    def alarm(self, text: str) -> None: ...


@dataclass
class Device:
    """A browser: what is kept in it, and which workers live."""

    device_id: str
    user_id: str
    around: Surroundings
    begun: set[str] = field(default_factory=set[str])
    """Unsafe calls that it has fetched, and must not fetch again while its journal is not cleared."""
    workers: list["Worker"] = field(default_factory=list["Worker"])
    started: int = 0
    is_older: bool = False
    """Whether its page is of the version before, which takes each further attempt for new."""

    def start_worker(self) -> "Worker":
        self.started += 1
        worker = self.make_worker(f"{self.device_id}w{self.started}")
        self.workers.append(worker)
        worker.connect()
        return worker

    def make_worker(self, instance: str) -> "Worker":
        return Worker(self, instance)

    @property
    def executor(self) -> "Worker | None":
        """The newest worker that lives."""
        return next((worker for worker in reversed(self.workers) if not worker.is_dead), None)

    def ask_journal(self, method: str, worker: str = "", *rest: object) -> Any:
        return self.around.journals.ask(self.around.wall(), method, self.device_id, worker, *rest)

    def fill(self, *, is_full: bool) -> None:
        """Nothing can be stored while it is full."""
        self.ask_journal("fillStore", "", is_full)

    def clear(self) -> None:
        """Its user removes what it stores; workers that run cannot write any more."""
        self.begun.clear()
        self.ask_journal("clearStore")


@dataclass
class Run:
    """A call that the page was allowed to begin, or whose user is being asked."""

    call: dict[str, Any]
    deadline_s: float
    stopped: str = ""
    abort: Callable[[], None] = lambda: None
    is_over: bool = False
    has_begun: bool = False


class Worker:
    """One instance of the executor; a reload ends it."""

    def __init__(self, device: Device, instance: str) -> None:
        self.device, self.instance, self.around = device, instance, device.around
        device.ask_journal("openJournal", instance)
        self.is_dead = self.is_frozen = self.is_draining = self.is_ready = False
        self.link: Link | None = None
        self.outbox: dict[str, Outcome] = {}
        self.seen: dict[str, int] = {}
        self.running: dict[str, Run] = {}
        self.cards: dict[str, dict[str, Any]] = {}
        self.decisions: dict[str, dict[str, Any]] = {}
        self.waits: set[str] = set()
        """Decisions that the bridge knows: sent again after the next handshake or when the slot came."""
        self.slots: set[str] = set()
        self._left: list[Entry] = []
        self.failures = 0
        self.told: dict[str, Any] = {}
        """What else its handshake says."""
        self._pent: list[Callable[[], None]] = []

    # Its own time: nothing happens in a dead worker, and in a frozen one only later

    def soon(self, delay: float, action: Callable[[], None]) -> None:
        self.around.later(delay, lambda: self.awake(action))

    def awake(self, action: Callable[[], None]) -> None:
        if self.is_frozen and not self.is_dead:
            self._pent.append(action)
        elif not self.is_dead:
            action()

    def thaw(self) -> None:
        self.is_frozen = False
        pent, self._pent = self._pent, []
        for action in pent:
            self.awake(action)

    def die(self) -> None:
        """Reload, closed tab or crash; its socket closes, its lock is free a moment later."""
        if self.is_dead:
            return
        self.around.note(f"{self.instance}: dies")
        self.is_dead = True
        self.around.later(self.around.wobble(0, 0.02), self._free_lock)
        if self.link is not None:
            self.link.cut(0.0, self.around.wobble(0, 0.03))

    def _free_lock(self) -> None:
        self._ask_journal("freeLock")

    def _ask_journal(self, method: str, *rest: object) -> Any:
        return self.device.ask_journal(method, self.instance, *rest)

    # The socket

    def connect(self) -> None:
        if self.link is not None and self.link.is_open["page"]:
            return
        self.link = self.around.connect(self)
        if self.link is None:
            self.connect_later()
            return
        link = self.link
        self.soon(self.around.wobble(0.002, 0.02), lambda: self._send_hello(link))

    def connect_later(self) -> None:
        delay = min(RECONNECT_LAST_S, RECONNECT_FIRST_S * 2**self.failures)
        self.failures += 1
        self.soon(delay, self.connect)

    def lost(self, link: Link) -> None:
        if link is self.link:
            self.is_ready = False
            self.connect_later()

    def _send_hello(self, link: Link) -> None:
        if link is not self.link or not link.is_open["page"]:
            return
        inherited = self._ask_journal("inheritEntries")
        self._left = [
            Entry(entry["call_id"], entry["result_token"], entry["outcome"]) for entry in inherited["left"]
        ]
        calls = {entry.call_id: "done" if entry.outcome else "lost" for entry in self._left}
        calls |= dict.fromkeys(self.cards, "waiting") | dict.fromkeys(self.running, "running")
        calls |= dict.fromkeys(self.outbox, "done")
        hello = {
            "instance": self.instance,
            "epoch": inherited["epoch"],
            "alive": inherited["alive"],
            "calls": calls,
            **self.told,
        }
        told = ", ".join(f"{self.around.name(call_id)} {state}" for call_id, state in calls.items())
        link.send("bridge", "hello", hello, f"{self.instance} alive {hello['alive']} [{told}]")
        self.soon(HELLO_TIMEOUT_S, lambda: self._start_over(link))

    def _start_over(self, link: Link) -> None:
        if link is self.link and not self.is_ready and link.is_open["page"]:
            link.cut(0.0, 0.01)

    def heard(self, link: Link, kind: Kind, payload: Any) -> None:
        if link is not self.link:
            return
        if kind == "welcome":
            self._welcomed(link, payload)
        elif kind == "call":
            self._received(link, payload)
        elif kind == "cancel":
            self.stop(payload, "cancelled")
        elif kind == "receipt":
            self._confirmed(payload)
        elif kind == "reply":
            self._answered(payload)
        elif kind == "slot" and payload in self.decisions:
            self._slot_granted(payload)

    def _welcomed(self, link: Link, ended: list[str]) -> None:
        self.failures, self.is_ready = 0, True
        for call_id in ended:
            if call_id in self.cards or not self._has_begun(call_id):
                self.stop(call_id, "cancelled")
        left, self._left = self._left, []
        self._ask_journal("forgetCalls", [entry.call_id for entry in left if entry.outcome is None])
        for entry in left:
            if entry.outcome is not None:
                self._tell_left(entry, entry.outcome, entry.call_id in ended)
        for call_id, outcome in self.outbox.items():
            self._emit_result(call_id, outcome)
        self.waits.clear()
        for call_id in list(self.decisions):
            self._send_decision(link, call_id)

    def _tell_left(self, entry: Entry, outcome: Outcome, is_closed: bool) -> None:
        def tell(arrived: bool) -> None:
            without = outcome | {"body": {"kind": "empty"}, "truncated": True}
            self.send_result(entry.call_id, outcome if arrived else without)

        if outcome.get("body") != {"kind": "uploaded"}:
            self.send_result(entry.call_id, outcome)
        elif is_closed:
            tell(False)
        else:
            self._upload(entry.call_id, entry.token, tell)

    def send_result(self, call_id: str, outcome: Outcome) -> None:
        self.outbox[call_id] = outcome
        if self.is_ready:
            self._emit_result(call_id, outcome)

    def _emit_result(self, call_id: str, outcome: Outcome) -> None:
        assert self.link is not None
        said = outcome.get("http_status") or outcome["error"]["code"] + "/" + outcome["delivered"]
        self.link.send(
            "bridge",
            "result",
            {"call_id": call_id, "outcome": outcome},
            f"{self.around.name(call_id)}: {said}",
        )

    def _confirmed(self, call_ids: list[str]) -> None:
        for call_id in call_ids:
            self.outbox.pop(call_id, None)
        self._ask_journal("forgetCalls", call_ids)
        self._finish_draining()

    # A call arrives

    def _received(self, link: Link, call: dict[str, Any]) -> None:
        call_id, attempt = call["call_id"], call["attempt"]
        is_new = attempt > self.seen.get(call_id, 0)
        self.seen[call_id] = max(attempt, self.seen.get(call_id, 0))
        thinks_s = self.around.wobble(0.0005, 0.004) if is_new else 0.005  # what came first is answered first
        self.soon(thinks_s, lambda: self._taken(link, call, is_new))

    def _taken(self, link: Link, call: dict[str, Any], is_new: bool) -> None:
        call_id = call["call_id"]
        if link is not self.link or not link.is_open["page"]:
            if self.seen[call_id] == call["attempt"]:
                self.seen[call_id] -= 1
            return
        ack: dict[str, Any] = {"call_id": call_id}
        is_new = is_new and (self.device.is_older or not self._is_under_way(call))
        doubt = self._find_doubt(call) if is_new else None
        refused = is_new and doubt is None and self.is_draining
        must_ask = call["approval"] == "needed" or self.around.plan_of(call["plan"]).page_asks
        asks = must_ask and doubt is None if is_new else call_id in self.cards
        if refused:
            ack["error"] = {"code": "no_browser", "message": "It is being replaced.", "retryable": True}
        elif asks:
            ack["awaiting_approval"] = True
        about = f"{self.around.name(call_id)}{' refused' if refused else ' asks' if asks else ''}"
        link.send("bridge", "ack", ack, about)
        if refused:
            return
        if doubt is not None:
            self.send_result(call_id, _failed(doubt["code"], doubt["delivered"]))
        elif asks and is_new:
            self._show_card(call)
        elif is_new:
            self._start(call, call["deadline_ms"] / 1000)
        elif call_id in self.outbox and self.is_ready:
            self._emit_result(call_id, self.outbox[call_id])

    def _is_under_way(self, call: dict[str, Any]) -> bool:
        """Whether it is known here, and is neither refused nor begun again."""
        call_id, is_safe = call["call_id"], self.around.plan_of(call["plan"]).safe
        is_told = call_id in self.outbox and not is_safe
        return is_told or call_id in self.cards or call_id in self.running or self._has_begun(call_id)

    def _find_doubt(self, call: dict[str, Any]) -> dict[str, str] | None:
        """Why a further attempt may have been begun before."""
        if self.device.is_older:
            return None
        return self._ask_journal("checkNotBegun", call["call_id"], call["attempt"])

    def _has_begun(self, call_id: str) -> bool:
        return bool(self._ask_journal("hasBegun", call_id))

    # Approval

    def _show_card(self, call: dict[str, Any]) -> None:
        plan, call_id = self.around.plan_of(call["plan"]), call["call_id"]
        self.cards[call_id] = call
        limit = call["approval_ms"] / 1000
        wall_limit = self.around.wall() + limit
        if plan.thinks_s < limit:
            self.soon(
                plan.thinks_s,
                lambda: self._decide(call, plan.says if self.around.wall() < wall_limit else ""),
            )
        self.soon(limit, lambda: self._decide(call, ""))

    def _decide(self, call: dict[str, Any], says: str) -> None:
        call_id = call["call_id"]
        if self.cards.get(call_id) is not call or call_id in self.decisions:
            return
        reason = "user" if says else "no_answer"
        self.decisions[call_id] = {"call_id": call_id, "decision": says or "denied", "reason": reason}
        if self.is_ready and self.link is not None:
            self._send_decision(self.link, call_id)

    def _send_decision(self, link: Link, call_id: str) -> None:
        decision = self.decisions.get(call_id)
        if decision is None or call_id in self.waits or link is not self.link or not self.is_ready:
            return
        link.send("bridge", "decision", decision, f"{self.around.name(call_id)} {decision['decision']}")
        self.soon(DECISION_TIMEOUT_S, lambda: self._send_decision(link, call_id))

    def _answered(self, reply: dict[str, Any]) -> None:
        call = self.cards.get(reply["call_id"])
        if call is None or reply["call_id"] not in self.decisions:
            return
        if reply["awaiting_slot"]:
            self.waits.add(reply["call_id"])
            if reply["call_id"] in self.slots:
                self._slot_granted(reply["call_id"])
            return
        self._forget_decision(reply["call_id"])
        del self.cards[reply["call_id"]]
        if reply["may_begin"]:
            self._start(call, reply["deadline_ms"] / 1000)
        self._finish_draining()

    def _slot_granted(self, call_id: str) -> None:
        if call_id not in self.waits:  # the answer that says so is still on its way
            self.slots.add(call_id)
            return
        self.waits.discard(call_id)
        self.slots.discard(call_id)
        if self.link is not None:
            self._send_decision(self.link, call_id)

    def _forget_decision(self, call_id: str) -> None:
        self.decisions.pop(call_id, None)
        self.waits.discard(call_id)
        self.slots.discard(call_id)

    # Running

    def _start(self, call: dict[str, Any], deadline_s: float) -> None:
        run = Run(call, deadline_s)
        self.running[call["call_id"]] = run
        self.soon(deadline_s, lambda: self._stop_run(run, "timeout"))
        self.soon(self.around.wobble(0.0005, 0.003), lambda: self._prepared(run))

    def _prepared(self, run: Run) -> None:
        if run.stopped:
            self._finish(run, _failed(run.stopped, "no"))
        elif self.around.plan_of(run.call["plan"]).safe:
            self._fetch(run)
        else:
            self.soon(self.around.wobble(0.001, 0.02), lambda: self._begun_durably(run))

    def _begun_durably(self, run: Run) -> None:
        call = run.call
        failure = self._ask_journal("recordBegun", call["call_id"], call["token"], call["attempt"])
        if failure is not None:
            self._finish(run, _failed(failure["code"], failure["delivered"]))
            return
        run.has_begun = True
        if not self.is_ready:
            self._finish(run, _failed("no_browser", "no"))
        elif run.stopped:
            self._finish(run, _failed(run.stopped, "no"))
        else:
            self._fetch(run)

    def _fetch(self, run: Run) -> None:
        call_id, plan = run.call["call_id"], self.around.plan_of(run.call["plan"])
        if not plan.safe and not self.is_ready:
            self.around.alarm(f"{self.instance} fetches while it is not greeted")
        if not plan.safe:
            self.device.begun.add(call_id)

        def settled(outcome: Outcome) -> None:
            self.soon(0.002, lambda: self._received_answer(run, outcome))

        run.abort = self.around.api.fetch(call_id, plan, settled)

    def _received_answer(self, run: Run, outcome: Outcome) -> None:
        if run.is_over or run.stopped:
            return
        if outcome["status"] == "answered" or outcome["error"]["code"] == "too_large":
            self.around.api.of(run.call["call_id"]).answered = True
        self._finish(run, outcome)

    def _stop_run(self, run: Run, code: str) -> None:
        if run.is_over or run.stopped:
            return
        run.stopped = code
        run.abort()
        if self.around.api.of(run.call["call_id"]).fetched and run.call["call_id"] in self.running:
            self._finish(run, _failed(code, "unknown"))

    def stop(self, call_id: str, code: str) -> None:
        if self.cards.pop(call_id, None) is not None:
            self._forget_decision(call_id)
        elif call_id in self.running:
            self._stop_run(self.running[call_id], code)

    def _finish(self, run: Run, outcome: Outcome) -> None:
        """Journal, upload, outbox; in this order."""
        if run.is_over:
            return
        run.is_over = True
        keeps_s = self.around.wobble(0.001, 0.02) if run.has_begun else 0.0
        self.soon(keeps_s, lambda: self._kept(run, outcome))

    def _kept(self, run: Run, outcome: Outcome) -> None:
        call_id, token = run.call["call_id"], run.call["token"]
        is_uploaded = outcome.get("body") == {"kind": "uploaded"}
        if run.has_begun:
            self._ask_journal("recordOutcome", call_id, token, outcome, is_uploaded)
        if is_uploaded:
            self._upload(
                call_id,
                token,
                lambda arrived: self._over(run, outcome if arrived else _lost(run, outcome)),
            )
        else:
            self._over(run, outcome)

    def _over(self, run: Run, outcome: Outcome) -> None:
        if self.running.get(run.call["call_id"]) is run:
            del self.running[run.call["call_id"]]
        self.send_result(run.call["call_id"], outcome)

    def _upload(self, call_id: str, token: str, done: Callable[[bool], None], tries: int = 0) -> None:
        def put() -> None:
            answer = self.around.upload(call_id, token)
            if answer is None and tries < len(UPLOAD_WAITS_S):
                self.soon(UPLOAD_WAITS_S[tries], lambda: self._upload(call_id, token, done, tries + 1))
            else:
                done(bool(answer))

        self.soon(self.around.wobble(0.002, 0.03), put)

    # Handover

    def drain(self) -> None:
        self.is_draining = True
        self._finish_draining()

    def _finish_draining(self) -> None:
        if self.is_draining and not (self.running or self.outbox or self.cards):
            self.die()


def _lost(run: Run, outcome: Outcome) -> Outcome:
    """What changed something is told by its status."""
    return outcome | {"body": {"kind": "empty"}} if run.has_begun else _failed("network", "unknown")


def _failed(code: str, delivered: str) -> Outcome:
    error = {"code": code, "message": "It did not work.", "retryable": False}
    return {"status": "failed", "error": error, "delivered": delivered}
