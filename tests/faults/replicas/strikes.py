"""Faults of a history: what each does to processes, pages, engines and the network."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from tests.faults.link import Link, Message
from tests.faults.page_double import Device
from tests.faults.replicas.judge import LEASE_S, CallerCourse
from tests.faults.replicas.network import Wires
from tests.faults.replicas.plan import SLOTS, Fault
from tests.faults.replicas.replica import ReplicaDouble
from tests.faults.replicas.statements import Statements
from tests.support.cluster.engines import RedisModel

SLEEP_S = 60.0
"""A machine that sleeps."""

STOP_S = 8.0
"""From SIGTERM to the end of a process."""


class Struck(Protocol):
    """What faults act on."""

    wires: Wires
    statements: Statements
    redis: RedisModel
    replicas: dict[str, ReplicaDouble]
    devices: Sequence[Device]
    courses: Mapping[int, CallerCourse]
    wall_shift: dict[str, float]

    def note(self, text: str) -> None: ...
    def home_of(self, number: int | None) -> ReplicaDouble | None: ...
    def kill(self, replica: ReplicaDouble) -> None: ...
    def start_replica(self, slot: str) -> None: ...
    def leave(self, course: CallerCourse) -> None: ...


@dataclass(frozen=True)
class Moment:
    """Where a fault strikes."""

    replica: ReplicaDouble | None = None
    number: int | None = None
    """Of the call."""
    link: Link | None = None
    message: Message | None = None
    """About to be sent."""


class Strikes:
    """Carries faults out."""

    def __init__(self, world: Struck, chance: random.Random) -> None:
        self._world, self._chance = world, chance
        self._backups: list[tuple[float, RedisModel]] = []
        self.faults_s = 0.0
        """For how long something was broken, in all."""
        self.healed_at = 0.0

    def strike(self, fault: Fault, moment: Moment) -> None:
        victim = self._victim(fault, moment)
        self._world.note(f"FAULT {fault}: {victim.id}")
        if fault.action in ("stall", "double"):
            _hit_message(fault, moment)
        elif fault.action in ("kill", "freeze", "sleep", "stop", "lose_answer"):
            if not victim.process.is_dead:
                self._hit_program(fault, victim)
        elif fault.action in ("cut_page", "reload", "freeze_page", "close_tab"):
            self._hit_page(fault)
        elif fault.action == "caller_leaves":
            self._world.leave(self._world.courses[fault.victim % len(self._world.courses)])
        elif fault.action == "clocks":
            self._world.wall_shift = {slot: self._chance.uniform(-30, 30) for slot in SLOTS}
        else:
            self._hit_engine(fault, victim)

    def _victim(self, fault: Fault, moment: Moment) -> ReplicaDouble:
        replicas = self._world.replicas
        if fault.victim < len(SLOTS):
            return replicas[SLOTS[fault.victim]]
        if moment.replica is not None and fault.victim < 5:
            return moment.replica
        return self._world.home_of(moment.number) or moment.replica or replicas[SLOTS[0]]

    def _break(self, seconds: float, mend: Callable[[], None] = lambda: None) -> None:
        self.faults_s += seconds
        self.healed_at = max(self.healed_at, self._world.wires.now() + seconds)
        self._world.wires.later(seconds, mend)

    def _hit_program(self, fault: Fault, victim: ReplicaDouble) -> None:
        world = self._world
        if fault.action == "kill":
            world.kill(victim)
            self._break(0.5 + fault.amount * 12, lambda: world.start_replica(victim.slot))
        elif fault.action == "lose_answer":
            world.statements.loses_answer.add(victim.slot)
        elif fault.action == "stop" and victim.state == "ready":
            victim.process.start(victim.stop_program())
            self._break(STOP_S, lambda: world.kill(victim))
            self._break(STOP_S + 1.0, lambda: world.start_replica(victim.slot))
        elif fault.action in ("freeze", "sleep") and not victim.process.is_frozen:
            seconds = self._chance.choice((2, 5, 8, 15)) * (0.5 + fault.amount)
            self._freeze(victim, SLEEP_S if fault.action == "sleep" else seconds, fault.action == "sleep")

    def _freeze(self, victim: ReplicaDouble, seconds: float, sleeps: bool) -> None:
        process, world = victim.process, self._world
        process.freeze()
        world.note(f"{victim.id}: freezes for {seconds:.2f} s")

        def thaw() -> None:
            world.note(f"{victim.id}: goes on")
            process.stood_until = world.wires.now()
            if seconds > LEASE_S:
                process.thawed_at = world.wires.now()
            process.thaw(seconds if sleeps else 0.0)

        self._break(seconds, thaw)

    def _hit_page(self, fault: Fault) -> None:
        wires = self._world.wires
        device = self._world.devices[fault.victim % 2 if fault.victim > 3 else 0]
        worker = device.executor
        if worker is None:
            return
        if fault.action == "cut_page" and worker.link is not None:
            worker.link.cut(fault.amount * 0.03, wires.wobble(0, 0.03) if fault.victim % 3 else 20.0)
        elif fault.action == "freeze_page" and not worker.is_frozen:
            worker.is_frozen = True
            self._break(fault.amount * 20, worker.thaw)
        elif fault.action in ("reload", "close_tab"):
            worker.die()
            self._break(
                0.03 + fault.amount * (2 if fault.action == "reload" else 15), lambda: _reopen(device)
            )

    def _hit_engine(self, fault: Fault, victim: ReplicaDouble) -> None:
        wires, away_until = self._world.wires, self._world.statements.away_until
        seconds = self._chance.choice((1, 4, 8, 14)) * (0.3 + fault.amount)
        if fault.action == "redis_flush":
            self._world.redis.flush()
            return
        if fault.action == "redis_failover":
            self._fail_over()
            return
        self._break(seconds)
        if fault.action == "cut_pair":
            wires.cut(
                victim.slot, self._chance.choice([slot for slot in SLOTS if slot != victim.slot]), seconds
            )
        elif fault.action in ("cut_redis", "cut_postgres"):
            wires.cut(victim.slot, fault.action.removeprefix("cut_"), seconds)
        elif fault.action == "redis_away" or fault.amount < 0.5:
            away_until["redis" if fault.action == "redis_away" else "postgres"] = wires.now() + seconds
        else:  # it hangs
            for slot in SLOTS:
                wires.cut(slot, "postgres", seconds)

    def keep_redis_backup(self) -> None:
        """Copy what Redis has, again and again, for a server that may take over."""
        now, redis = self._world.wires.now(), self._world.redis
        self._backups = [*self._backups[-4:], (now, redis.copy_keys())]
        self._world.wires.later(0.5, self.keep_redis_backup)

    def _fail_over(self) -> None:
        """Another server takes over, without the writes of the last second."""
        now, redis = self._world.wires.now(), self._world.redis
        kept = [model for at, model in self._backups if at <= now - 1.0]
        redis.take_over(kept[-1] if kept else RedisModel(seen=None))


def _hit_message(fault: Fault, moment: Moment) -> None:
    message, link = moment.message, moment.link
    if message is None or link is None:
        return
    if fault.action == "stall":
        message.wait_s += fault.amount * 6
    elif link.sid.startswith("s"):
        message.copies += 1


def _reopen(device: Device) -> None:
    if device.executor is None:
        device.start_worker()
