"""One history of three replicas: processes, engines, network, balancer, pages and callers."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from bridge.calls.open_call import OpenCall
from bridge.calls.outcome import CallOutcome
from bridge.calls.state_machine import CallState
from bridge.cluster.relay_client import ReplicaUnreachable
from bridge.errors import BridgeError, ErrorCode
from tests.faults.ledger import Api
from tests.faults.link import Link, Message
from tests.faults.page_double import Device, Worker
from tests.faults.page_journal import JournalPlayer
from tests.faults.plan import CallPlan
from tests.faults.replicas.asks import Asked
from tests.faults.replicas.chats import Chatters
from tests.faults.replicas.exchanges import Dialled
from tests.faults.replicas.judge import (
    GREETING_S,
    QUEUE_S,
    CallerCourse,
    ReplicaTotals,
    broken_rules,
)
from tests.faults.replicas.network import CONNECT_S, Cable, End, Wires, hang_up
from tests.faults.replicas.page import DeviceOfReplicas
from tests.faults.replicas.plan import SLOTS, Plan
from tests.faults.replicas.processes import ProgramLoop
from tests.faults.replicas.readers import Readers
from tests.faults.replicas.replica import ReplicaDouble
from tests.faults.replicas.statements import Statements
from tests.faults.replicas.strikes import Moment, Strikes
from tests.faults.story import Story
from tests.faults.virtual_time import Stuck, run_virtually
from tests.support.cluster.engines import RedisModel
from tests.support.cluster.tables import CallRow, Tables

LONGEST_S = 250.0
MOST_SENDINGS = 3
"""Of a call that has a key."""

QUIET_S = 9.0
"""After the last thing that happened: late results and settled rows have arrived."""

QUIET_STATEMENTS = frozenset({
    "add_events", "add_items", "by_ids", "find", "find_response", "read_chain", "read_events",
    "list_unfinished", "list_running", "list_messages", "list_homes", "find_home", "list_left", "find_known",
    "find_relayed", "claim_left",
})  # fmt: skip
"""Those that a trace leaves out."""

MakeReplica = Callable[[str, str, "World"], ReplicaDouble]


@dataclass
class History:
    """What happened, and what was wrong with it."""

    plan: Plan
    trace: list[str]
    broken: list[str]
    totals: ReplicaTotals = field(default_factory=ReplicaTotals)


class WatchedApi(Api):
    """At whose steps faults may strike."""

    def __init__(self, world: "World") -> None:
        super().__init__(world.later, world.now, world.note)
        self._world = world

    def fetch(
        self, call_id: str, plan: CallPlan, settled: Callable[[dict[str, Any]], None]
    ) -> Callable[[], None]:
        def answered(outcome: dict[str, Any]) -> None:
            settled(outcome)
            self._world.reach("answered", None, call_id)

        abort = super().fetch(call_id, plan, answered)
        self._world.reach("fetched", None, call_id)
        return abort


class World(Story[CallerCourse]):
    """Everything of one history."""

    def __init__(self, plan: Plan, journals: JournalPlayer, loop: ProgramLoop, make: MakeReplica) -> None:
        courses = {call.number: CallerCourse(call) for call in plan.calls}
        super().__init__(plan.seed, courses, at_once=plan.at_once, queue_s=QUEUE_S)
        self.plan, self.journals, self._loop, self._make = plan, journals, loop, make
        journals.ask(0.0, "removeAll")
        self._is_judged = False
        self.wires = Wires(self._chance, loop)
        self.tables, self.redis = Tables(), RedisModel()
        self.api: Api = WatchedApi(self)
        self._counts: Counter[str] = Counter()
        self.wall_shift = dict.fromkeys(SLOTS, 0.0)
        self._answers: list[Any] = []
        self._keys_chance = random.Random(f"sent again {plan.seed}")
        self.readers = Readers(self, plan.responses, self._keys_chance)
        self.chatters = Chatters(self, plan.chats, random.Random(f"chatters {plan.seed}"))
        self._claimed_at: dict[tuple[str, int], float] = {}
        self.statements = Statements(self.wires, self)
        self.strikes = Strikes(self, self._chance)
        self._asking: dict[int, asyncio.Task[None]] = {}
        self._remains: list[asyncio.Task[Any]] = []
        self._starts = self._sids = 0
        self._links: dict[str, list[tuple[Link, Cable]]] = {}
        self.uploads_fail = False
        self.replicas: dict[str, ReplicaDouble] = {}
        self.everyone: list[ReplicaDouble] = []
        self.devices: Sequence[Device] = [
            DeviceOfReplicas(f"{user}0", user, self, is_older=plan.seed % 2 == 1) for user in ("ann", "bob")
        ]
        loop.set_exception_handler(
            lambda _, context: self.alarm(repr(context.get("exception") or context["message"]))
        )

    # What its parts ask for

    def now(self) -> float:
        return self._loop.world_time()

    world_time = now

    def wall(self) -> float:
        return self.now()

    def wall_of(self, slot: str) -> float:
        return 1_000_000 + self.now() + self.wall_shift[slot]

    def later(self, delay: float, action: Callable[[], None]) -> None:
        self.wires.later(delay, action)

    def alarm(self, text: str) -> None:
        if not self._is_judged:
            self.note(f"ALARM {text}")
            self.broken.append(text)

    def saw(self, call: OpenCall) -> None:
        """A dispatcher opened a call, or it changed."""
        number = int(call.request.arguments_text)
        self._number_of[call.call_id] = number
        if call.call_id not in self.courses[number].call_ids:
            self.courses[number].call_ids.append(call.call_id)

    def excuse(self, replica: ReplicaDouble, call: OpenCall) -> None:
        if replica.has_trouble(self.now()):
            self.courses[int(call.request.arguments_text)].is_excused = True

    def keep_answer(self, answer: Any) -> int:
        self._answers.append(answer)
        return len(self._answers) - 1

    def kept_answer(self, number: int) -> Any:
        return self._answers[number]

    def key_of(self, number: int) -> str | None:
        """The idempotency key of a call."""
        return f"key {number}" if number in self.plan.keyed else None

    def told(self, replica: ReplicaDouble, asked: Asked, what: CallOutcome | BridgeError | None) -> None:
        number = asked.plan.number
        course = self.courses[number]
        said = what.state if isinstance(what, CallOutcome) else what.error.code if what else "cut off"
        self.note(f"{replica.id}: caller of call {number} is told {said}")
        if course.is_gone or asked.sending != course.sendings:
            return
        course.told, course.told_at = what, self.now()
        course.times_told += 1
        if isinstance(what, CallOutcome) and not course.plan.safe and not course.is_excused:
            row = self.tables.calls.get(what.call_id)
            if row is not None and (row.outcome is None or row.outcome.state is not what.state):
                kept = "nothing" if row.outcome is None else row.outcome.state
                self.alarm(f"call {number}: told {what.state} when {kept} is kept")
        self._reach("told", Moment(replica, number))
        if not (isinstance(what, CallOutcome) and what.state is CallState.SUCCEEDED):
            self._send_again(course)

    def _send_again(self, course: CallerCourse) -> None:
        """A client with a key whose answer was not what it wanted, or did not come."""
        if course.plan.number in self.plan.keyed and course.sendings < MOST_SENDINGS and not course.has_left:
            pause = self._keys_chance.choice((0.05, 0.5, 3.0)) * self._keys_chance.random()
            self.later(pause, lambda: self._begin(course.plan, self._keys_chance.randrange(len(SLOTS))))

    def _lose_patience(self, course: CallerCourse, sending: int) -> None:
        """A client with a key asks elsewhere while its request is still worked on."""
        if course.told_at is None and not course.is_gone and course.sendings == sending:
            self.note(f"caller of call {course.plan.number} hangs up, and will ask again")
            self._hang_up(course)
            self._send_again(course)

    # Engines

    async def ask(self, replica: ReplicaDouble, name: str, statement: Callable[[], Any], call_id: str) -> Any:
        return await self.statements.ask(replica, name, statement, call_id)

    def reach(self, step: str, replica: ReplicaDouble | None, call_id: str) -> None:
        self._reach(step, Moment(replica, self._number_of.get(call_id)))

    def executed(self, replica: ReplicaDouble, name: str, call_id: str, result: Any) -> None:
        """PostgreSQL has committed a statement."""
        if name not in QUIET_STATEMENTS:
            self.note(f"postgres: {name} of {replica.id} {self.name(call_id) if call_id else ''}: {result}")
        for user_id, home in self.tables.homes.items():
            if (user_id, home.epoch) not in self._claimed_at:
                self._claimed_at[user_id, home.epoch] = self.now()
                self.note(f"postgres: {home}")
        row = self.tables.calls.get(call_id)
        if row is not None and result is True and name in ("opening", "go", "ending", "end_left"):
            self._check_commit(name, row)
        self.reach(f"done {name}", replica, call_id)

    def _check_commit(self, name: str, row: CallRow) -> None:
        home = self.tables.homes[row.user_id]
        if home.epoch != row.epoch:
            self.alarm(
                f"{self.name(row.call_id)}: {name} was written under epoch {row.epoch}, it is {home.epoch}"
            )
        error = None if row.outcome is None else row.outcome.error
        if name == "end_left" and error is not None and row.may_begin:
            age_s = self.now() - self._claimed_at[row.user_id, home.epoch]
            if error.detail.get("reason") == ErrorCode.REPLICA_LOST and age_s < GREETING_S:
                self.alarm(f"{self.name(row.call_id)}: settled {age_s:.2f} s after the claim")

    # Connections

    def connect(self, worker: Worker) -> Link | None:
        """A page, through a balancer that tries another replica when it is refused."""
        alive = [replica for replica in self.replicas.values() if not replica.process.is_dead]
        if not alive:
            return None
        replica = self._chance.choice(alive)
        self._sids += 1
        cable = Cable(self.wires, ("page", replica.slot), self._watch, self.note)
        end = End(replica.process)
        link = Link(
            f"s{self._sids}",
            cable,
            {
                "page": lambda kind, payload: worker.awake(lambda: worker.heard(link, kind, payload)),
                "bridge": end.receive,
            },
            {"page": lambda: worker.awake(lambda: worker.lost(link)), "bridge": end.close},
        )
        self._links.setdefault(replica.id, []).append((link, cable))
        user_id, device_id = worker.device.user_id, worker.device.device_id
        self.note(f"{link.sid}: {worker.instance} connects to {replica.id}")
        replica.connected_by_page(link, cable, end, user_id, device_id)
        return link

    async def dial(self, replica: ReplicaDouble, url: str) -> Dialled:
        """Connect a replica with another one."""
        slot = url.removeprefix("http://")
        blocked = self.wires.blocked_s(replica.slot, slot)
        await asyncio.sleep(min(blocked, CONNECT_S) + self.wires.latency())
        target = self.replicas[slot]
        if blocked > CONNECT_S or target.process.is_dead:
            raise ReplicaUnreachable
        self._sids += 1
        cable = Cable(self.wires, (replica.slot, slot), self._watch, self.note)
        mine, theirs = End(replica.process), End(target.process)
        link = Link(
            f"{replica.id}-{target.id}-{self._sids}",
            cable,
            {"page": mine.receive, "bridge": theirs.receive},
            {"page": mine.close, "bridge": theirs.close},
        )
        self._links.setdefault(replica.id, []).append((link, cable))
        self._links.setdefault(target.id, []).append((link, cable))
        target.connected_by_replica(link, cable, theirs)
        return Dialled(link, cable, mine, lambda: hang_up(link, cable, "page"))

    def upload(self, call_id: str, token: str) -> bool | None:
        """None: no answer, or a 5xx."""
        at_work = [
            each for each in self.replicas.values() if not (each.process.is_dead or each.process.is_frozen)
        ]
        if not at_work:
            return None
        return any(replica.take_upload(call_id, token) for replica in at_work)

    # Steps

    def _watch(self, link: Link, message: Message, has_arrived: bool, place: str) -> None:
        if message.kind == "beat":
            return
        replica, number = self.replicas.get(place), self._number_in(message)
        if replica is not None and not has_arrived:
            self._check_reply(replica, message, number)
        verb = "got" if has_arrived else "sent"
        moment = Moment(replica, number, link, None if has_arrived else message)
        self._reach(f"{verb} {message.kind}", moment)

    def _number_in(self, message: Message) -> int | None:
        payload = message.payload
        if isinstance(payload, dict) and "call_id" in payload:
            return self._number_of.get(str(payload["call_id"]))  # pyright: ignore[reportUnknownArgumentType]
        return None

    def check_sending(self, replica: ReplicaDouble, call: OpenCall) -> None:
        """No unsafe call may leave without its committed opening, nor from who may have lost its user."""
        if not call.request.safe:
            self._check_row(replica, call.call_id, "call", needs_go=call.must_ask)

    def _check_reply(self, replica: ReplicaDouble, message: Message, number: int | None) -> None:
        if message.kind != "reply" or message.about == "passed on" or not message.payload["may_begin"]:
            return
        if number is not None and not self.courses[number].plan.safe:
            self._check_row(replica, message.payload["call_id"], "go", needs_go=False)

    def _check_row(self, replica: ReplicaDouble, call_id: str, what: str, *, needs_go: bool) -> None:
        row = self.tables.calls.get(call_id)
        if row is None or not (row.may_begin or needs_go):
            self.alarm(f"{self.name(call_id)}: {what} is sent, and no opening is committed")
        if replica.process.thawed_at > replica.looked_at:
            self.alarm(f"{self.name(call_id)}: {replica.id} sends {what} before it has looked")

    def _reach(self, step: str, moment: Moment) -> None:
        nth = self._counts[step]
        self._counts[step] += 1
        for fault in self.plan.faults:
            if fault.at is None and (fault.step, fault.nth) == (step, nth):
                self.strikes.strike(fault, moment)

    # Processes

    def home_of(self, number: int | None) -> ReplicaDouble | None:
        """Where the user of a call, or of the first one, is at home."""
        user = self.plan.calls[0].user if number is None else self.courses[number].plan.user
        home = self.tables.homes.get(user)
        at_home = [each for each in self.replicas.values() if home is not None and each.id == home.replica]
        return at_home[0] if at_home else None

    def leave(self, course: CallerCourse) -> None:
        """A caller hangs up."""
        course.has_left = True
        self._hang_up(course)

    def _hang_up(self, course: CallerCourse) -> None:
        task = self._asking.get(course.plan.number)
        if task is None or course.told_at is not None or course.is_gone:
            return
        course.is_gone = True
        process = next(each.process for each in self.everyone if each.id == course.asks)

        def hang_up_caller() -> None:
            task.cancel()

        process.enter(hang_up_caller)

    def kill(self, replica: ReplicaDouble) -> None:
        """-9: nothing more runs; others learn of it as the network brings it."""
        if replica.process.is_dead:
            return
        self.note(f"{replica.id}: is killed")
        replica.process.is_dead = True
        self.chatters.lose(replica.id)
        self._remains += asyncio.all_tasks()  # a collected task would clean up, which a killed one cannot
        for course in self.courses.values():
            if course.asks == replica.id and course.told_at is None and not course.is_gone:
                course.is_gone = True
                self._send_again(course)
        for link, cable in self._links.pop(replica.id, []):
            delay = cable.latency()
            link.cut(delay, delay)

    def start_replica(self, slot: str) -> None:
        before = self.replicas.get(slot)
        if before is not None and not before.process.is_dead:
            return
        self._starts += 1
        replica = self.replicas[slot] = self._make(slot, f"{slot}{self._starts}", self)
        self.everyone.append(replica)
        self.note(f"{replica.id}: starts")
        replica.start_program()

    # The course of things

    async def play(self) -> None:
        for slot in SLOTS:
            self.start_replica(slot)
        self.strikes.keep_redis_backup()
        for device in self.devices:
            self.later(self.wobble(0.2, 0.6), lambda device=device: device.start_worker() and None)
        for call, asks in zip(self.plan.calls, self.plan.callers, strict=True):
            self.later(call.at, lambda call=call, asks=asks: self._begin(call, asks))
        self.readers.begin()
        self.chatters.begin()
        for fault in self.plan.faults:
            if fault.at is not None:
                self.later(fault.at, lambda fault=fault: self.strikes.strike(fault, Moment()))
        await self._settle()
        for number, course in self.courses.items():
            deeds = [self.api.of(call_id) for call_id in course.call_ids]
            rows = [row for row in self.tables.calls.values() if row.call_id in course.call_ids]
            problems = broken_rules(course, deeds, rows, self.strikes.faults_s)
            self.broken += [f"call {number}: {problem}" for problem in problems]
        self.broken += self.readers.find_broken()
        self.broken += self.chatters.find_broken(self.strikes.faults_s)
        await self._clean_up()

    async def _settle(self) -> None:
        """Until nothing has happened for a while."""
        quiet_since = 0.0
        last_begin = max(each.at for each in (*self.plan.calls, *self.plan.responses, *self.plan.chats))
        while self.now() < LONGEST_S:
            await asyncio.sleep(1.0)
            is_open = any(
                course.began_at is not None and course.told_at is None and not course.is_gone
                for course in self.courses.values()
            ) or any(row.outcome is None for row in self.tables.calls.values())
            is_open = is_open or self.readers.is_open or self.chatters.is_open
            is_young = self.now() < max(last_begin + 0.5, self.strikes.healed_at)
            if is_open or is_young:
                quiet_since = self.now()
            if self.now() - quiet_since >= QUIET_S:
                return

    def _begin(self, call: CallPlan, asks: int) -> None:
        alive = [slot for slot in SLOTS if not self.replicas[slot].process.is_dead]
        if not alive:
            return
        slot = SLOTS[asks] if SLOTS[asks] in alive else alive[0]
        replica, course = self.replicas[slot], self.courses[call.number]
        self.note(f"caller at {replica.id}: {call}")
        course.asks, course.sent_at = replica.id, self.now()
        course.began_at = course.sent_at if course.began_at is None else course.began_at
        course.sendings += 1
        course.told = course.told_at = None
        course.is_gone = False
        asked = Asked(call, course.sendings)
        self._asking[call.number] = replica.process.start(replica.answer_caller(asked))
        if call.number in self.plan.keyed and self._keys_chance.random() < 0.3:
            patience = 10 * self._keys_chance.random()
            self.later(patience, lambda: self._lose_patience(course, asked.sending))

    async def _clean_up(self) -> None:
        """Let everything end that the history has left, so that nothing is destroyed while it waits."""
        for device in self.devices:
            for worker in device.workers:
                worker.is_dead = True
        self._is_judged = True
        mine = asyncio.current_task()
        for _ in range(20):
            left = [task for task in asyncio.all_tasks() if task is not mine]
            for task in left:
                task.cancel()
            for replica in self.everyone:
                replica.process.bury()
            if not left:
                return
            await asyncio.wait(left, timeout=5)

    def count(self, totals: ReplicaTotals) -> None:
        totals.histories += 1
        totals.faults.update(fault.action for fault in self.plan.faults)
        totals.claims += len(self._claimed_at)
        totals.passed_on += self._counts["got response"]
        for course in self.courses.values():
            if course.began_at is None:
                continue
            what = course.told
            said = what.state if isinstance(what, CallOutcome) else what.error.code if what else "gone"
            totals.told[f"{'safe' if course.plan.safe else 'unsafe'} {said}"] += 1
            totals.unsafe_calls += not course.plan.safe
            totals.excused += course.is_excused
        self.readers.count(totals)
        self.chatters.count(totals)


def play(plan: Plan, journals: JournalPlayer, make: MakeReplica = ReplicaDouble) -> History:
    """Let a plan happen, and judge it."""
    history = History(plan, [], [])
    loop = ProgramLoop()

    async def happen() -> None:
        world = World(plan, journals, loop, make)
        history.trace, history.broken = world.trace, world.broken
        await world.play()
        world.count(history.totals)

    try:
        run_virtually(happen(), loop)
    except Stuck:
        history.broken.append("somebody waits for something that cannot happen")
    return history
