"""One history: bridge, browsers, API and network on a virtual clock, and the faults of a plan."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from bridge.calls.open_call import OpenCall
from tests.faults.bridge_double import BridgeDouble, Disk
from tests.faults.judge import QUEUE_S, Course, Totals, broken_promises, needless_doubt
from tests.faults.ledger import Api
from tests.faults.link import Link, Message
from tests.faults.page_double import Device, Worker
from tests.faults.page_journal import JournalPlayer
from tests.faults.plan import CallPlan, Fault, Plan
from tests.faults.story import Story, request_of
from tests.faults.virtual_time import Stuck, run_virtually
from tests.support.calls.fake_browser import Recorded

QUIET_AFTER_S = 420.0
"""Later than every latest end; what is still on its way then has arrived."""


@dataclass
class History:
    """What happened, and what was wrong with it."""

    plan: Plan
    trace: list[str]
    broken: list[str]
    totals: Totals = field(default_factory=Totals)


class World(Story[Course]):
    """Everything of one history."""

    def __init__(self, plan: Plan, journals: JournalPlayer) -> None:
        courses = {call.number: Course(call) for call in plan.calls}
        super().__init__(plan.seed, courses, at_once=plan.at_once, queue_s=QUEUE_S)
        self.plan, self.journals = plan, journals
        journals.ask(0.0, "removeAll")
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(
            lambda _, context: self.alarm(repr(context.get("exception") or context["message"]))
        )
        self._count: Counter[str] = Counter()
        self._wall_shift = 0.0
        self.uploads_fail = False
        self.disk = Disk()
        self.api = Api(self.later, self.now, self.note)
        self._sent: dict[int, dict[str, Any]] = {}
        """The last message that asked a page to run each call."""
        self._sids = 0
        self.devices = [
            Device(f"{user}{index}", user, self, is_older=plan.seed % 2 == 1)
            for user, count in plan.devices_of
            for index in range(count)
        ]
        self.bridge: BridgeDouble = BridgeDouble(self.disk, self)

    # What its parts ask for

    def now(self) -> float:
        return self._loop.time()

    def wall(self) -> float:
        return self._loop.time() + self._wall_shift

    def later(self, delay: float, action: Callable[[], None]) -> None:
        self._loop.call_later(max(0.0, delay), action)

    def latency(self) -> float:
        return self.wobble(0.0005, 0.01)

    def alarm(self, text: str) -> None:
        self.broken.append(text)

    def ended(self, record: Recorded) -> None:
        number = int(record.request.arguments_text)
        course = self.courses[number]
        self._number_of[record.call_id] = number
        course.call_id, course.ended_at = record.call_id, self.now()
        course.endings.append(record.state)
        course.error = record.outcome.error if record.outcome else None
        code = course.error.code.value if course.error else ""
        self.note(f"bridge: call {number} {record.state} {code}")

    def last_page_left(self, calls: Iterable[OpenCall]) -> None:
        for call in calls:
            self.courses[int(call.request.arguments_text)].alone_since = self.now()

    def page_came(self, user_id: str) -> None:
        for course in self.courses.values():
            if course.plan.user == user_id and not course.endings:
                course.alone_since = None

    def connect(self, worker: Worker) -> Link | None:
        if self.bridge.is_dead:
            return None
        self._sids += 1
        bridge, sid = self.bridge, f"s{self._sids}"
        link = Link(
            sid,
            self,
            {
                "page": lambda kind, payload: worker.awake(lambda: worker.heard(link, kind, payload)),
                "bridge": lambda kind, payload: bridge.heard(sid, kind, payload),
            },
            {
                "page": lambda: worker.awake(lambda: worker.lost(link)),
                "bridge": lambda: bridge.hung_up(sid),
            },
        )
        bridge.connected(link, worker.device.user_id, worker.device.device_id)
        return link

    def upload(self, call_id: str, token: str) -> bool | None:
        """None: no answer, or a 5xx."""
        if self.uploads_fail or self.bridge.is_dead:
            return None
        return self.bridge.take_upload(call_id, token)

    # Faults

    def before(self, link: Link, message: Message) -> None:
        if message.kind == "call":
            self._number_of[message.payload["call_id"]] = message.payload["plan"]
            self._sent[message.payload["plan"]] = message.payload
        nth = self._count[message.kind]
        self._count[message.kind] += 1
        message.about += f" #{nth}"
        for fault in self.plan.faults:
            if fault.at is None and not fault.after and (fault.kind, fault.nth) == (message.kind, nth):
                self._strike(fault, link, message)

    def after(self, link: Link, message: Message) -> None:
        nth = self._count[f"arrived {message.kind}"]
        self._count[f"arrived {message.kind}"] += 1
        for fault in self.plan.faults:
            if fault.at is None and fault.after and (fault.kind, fault.nth) == (message.kind, nth):
                self._strike(fault, link, message)

    def _strike(self, fault: Fault, link: Link | None = None, message: Message | None = None) -> None:
        self.note(f"FAULT {fault}")
        if message is not None and fault.action in ("lose", "double", "stall", "overtake"):
            message.is_lost |= fault.action == "lose"
            message.copies += fault.action == "double"
            message.overtakes |= fault.action == "overtake"
            message.wait_s += fault.amount * 4 if fault.action == "stall" else 0.0
            return
        device = self._victim(fault, link)
        worker = device.executor
        if fault.action in ("cut", "cut_silently"):
            self._cut(fault, link or (worker.link if worker else None))
        elif fault.action in ("kill_bridge", "stop_bridge", "bridge_disk_full", "bridge_disk_hangs"):
            self._hit_bridge(fault)
        elif fault.action in ("caller_leaves", "user_stops", "page_stops"):
            self._stop_call(fault)
        elif fault.action == "send_again":
            self._send_again(fault)
        elif fault.action == "clock_jumps":
            self._wall_shift += (fault.amount - 0.5) * 10_000
        elif fault.action == "uploads_fail":
            self.uploads_fail = True
            self.later(fault.amount * 10, self._uploads_work)
        elif worker is not None:
            self._hit_browser(fault, device, worker)

    def _send_again(self, fault: Fault) -> None:
        """A call comes once more to a browser that has begun it, as the same attempt or as the next one."""
        message = self._sent.get(fault.victim % len(self.courses), {"call_id": ""})
        for device in self.devices:
            worker = device.executor
            if message["call_id"] in device.begun and worker is not None and worker.link is not None:
                again = message | {"attempt": message["attempt"] + (fault.amount > 0.5)}
                worker.link.send("page", "call", again, self.name(message["call_id"]))

    def _victim(self, fault: Fault, link: Link | None) -> Device:
        for device in self.devices:
            if link is not None and any(worker.link is link for worker in device.workers):
                return device
        return self.devices[fault.victim % len(self.devices)]

    def _uploads_work(self) -> None:
        self.uploads_fail = False

    def _cut(self, fault: Fault, link: Link | None) -> None:
        if link is None:
            return
        if fault.action == "cut":
            link.cut(fault.amount * 0.03, self.wobble(0, 0.03))
        else:
            link.cut(fault.amount * 45, self.wobble(20, 45))

    def _hit_bridge(self, fault: Fault) -> None:
        bridge = self.bridge
        if fault.action == "bridge_disk_full":
            self.disk.is_full = True
            self.later(fault.amount * 8, self._disk_works)
        elif fault.action == "bridge_disk_hangs":
            self.disk.hangs = True
            self.later(fault.amount * 8, self._disk_works)
        elif not bridge.is_dead and fault.action == "kill_bridge":
            self._forget_callers()
            bridge.kill(lambda: self.wobble(0, 0.02) if fault.victim % 4 else self.wobble(1, 45))
            self.later(0.1 + fault.amount * 3, self._start_bridge)
        elif not bridge.is_dead:
            bridge.start(bridge.stop())
            self.later(0.5, lambda: self._bury(bridge))

    def _bury(self, bridge: BridgeDouble) -> None:
        if not bridge.is_dead:
            self._forget_callers()
            bridge.kill(lambda: 0.01)
            self.later(0.1, self._start_bridge)

    def _forget_callers(self) -> None:
        for course in self.courses.values():
            course.is_unwritten |= course.call_id in self.bridge.unwritten
            if course.began_at and not course.endings:
                course.died_with_bridge = True

    def _start_bridge(self) -> None:
        if self.bridge.is_dead:
            self.note("bridge: starts again")
            self.bridge = BridgeDouble(self.disk, self)

    def _disk_works(self) -> None:
        self.disk.is_full = self.disk.hangs = False

    def _stop_call(self, fault: Fault) -> None:
        course = self.courses[fault.victim % len(self.courses)]
        call_id = next((id_ for id_, number in self._number_of.items() if number == course.plan.number), "")
        if fault.action == "caller_leaves":
            task = self._tasks.get(course.plan.number)
            if task is not None:
                task.cancel()
        elif fault.action == "user_stops" and not self.bridge.is_dead:
            for call in self.bridge.dispatcher.open_calls(course.plan.user):
                if int(call.request.arguments_text) == course.plan.number:
                    self.bridge.dispatcher.cancel_call(call.call_id, course.plan.user, "user")
        elif fault.action == "page_stops":
            for device in self.devices:
                for worker in device.workers:
                    worker.awake(lambda worker=worker: worker.stop(call_id, "cancelled"))

    def _hit_browser(self, fault: Fault, device: Device, worker: Worker) -> None:
        if fault.action == "reload":
            worker.die()
            self.later(0.03 + fault.amount * 2, lambda: self._reopen(device))
        elif fault.action == "close_tab":
            worker.die()
            delay = 0.03 if self.plan.tabs > 1 else fault.amount * 100
            self.later(delay, lambda: self._reopen(device))
        elif fault.action == "freeze" and not worker.is_frozen:
            worker.is_frozen = True
            if worker.link is not None and fault.amount > 0.4:  # it does not answer pings
                link = worker.link
                self.later(self.wobble(20, 45), lambda: link.cut(0.0, 0.0) if worker.is_frozen else None)
            self.later(fault.amount * 60, worker.thaw)
        elif fault.action == "clear_browser":
            device.clear()
            self.later(fault.amount * 5, worker.die)
            self.later(fault.amount * 5 + 0.1, lambda: self._reopen(device))
        elif fault.action == "browser_disk_full":
            device.fill(is_full=True)
            self.later(fault.amount * 20, lambda: device.fill(is_full=False))
        elif fault.action == "hand_over":
            device.start_worker()
            self.later(self.wobble(0.05, 0.3), lambda: worker.awake(worker.drain))

    def _reopen(self, device: Device) -> None:
        if device.executor is None:
            device.start_worker()

    # The course of things

    async def play(self) -> None:
        self._tasks: dict[int, asyncio.Task[None]] = {}
        for device in self.devices:
            device.start_worker()
        for call in self.plan.calls:
            self.later(call.at, lambda call=call: self._begin(call))
        for fault in self.plan.faults:
            if fault.at is not None:
                self.later(fault.at, lambda fault=fault: self._strike(fault))
        await asyncio.sleep(QUIET_AFTER_S)
        for number, task in self._tasks.items():
            if not task.done():
                self.broken.append(f"call {number}: its caller still waits")
        self._judge()
        self.bridge.kill(lambda: 0.0)
        self._hush()
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    def _hush(self) -> None:
        for device in self.devices:
            for worker in device.workers:
                worker.is_dead = True

    def _begin(self, call: CallPlan) -> None:
        if self.bridge.is_dead:
            return
        self.note(f"caller: {call}")
        self.courses[call.number].began_at = self.now()
        self._tasks[call.number] = self._loop.create_task(self._await_outcome(self.bridge, call))

    async def _await_outcome(self, bridge: BridgeDouble, call: CallPlan) -> None:
        task = bridge.call(request_of(call), call.deadline_s)
        try:
            outcome = await task
        except asyncio.CancelledError:
            task.cancel()
            return
        course = self.courses[call.number]
        if not bridge.is_dead:
            course.outcome, course.call_id = outcome, outcome.call_id

    def _judge(self) -> None:
        for number, course in self.courses.items():
            if not course.began_at:
                continue
            call_id = course.call_id or self._id_of(number)
            row = self.disk.rows.get(call_id)
            problems = broken_promises(course, self.api.of(call_id), row)
            self.broken += [f"call {number}: {problem}" for problem in problems]

    def _id_of(self, number: int) -> str:
        return next((call_id for call_id, known in self._number_of.items() if known == number), "")

    def count(self, totals: Totals) -> None:
        totals.histories += 1
        totals.faults.update(fault.action for fault in self.plan.faults)
        for number, course in self.courses.items():
            call_id = course.call_id or self._id_of(number)
            deeds, row = self.api.of(call_id), self.disk.rows.get(call_id)
            totals.resent_by_browser += deeds.resent_by_browser
            state = course.endings[0] if course.endings else row.state if row else None
            if state is not None:
                totals.states[f"{'safe' if course.plan.safe else 'unsafe'} {state}"] += 1
            totals.unsafe_calls += not course.plan.safe
            if cause := needless_doubt(course, deeds):
                totals.needless[cause] += 1
                totals.late_truths += row is not None and row.late > 0


def play(plan: Plan, journals: JournalPlayer) -> History:
    """Let a plan happen, and judge it."""
    history = History(plan, [], [])

    async def happen() -> None:
        world = World(plan, journals)
        history.trace, history.broken = world.trace, world.broken
        await world.play()
        world.count(history.totals)

    try:
        run_virtually(happen())
    except Stuck:
        history.broken.append("somebody waits for something that cannot happen")
    return history
