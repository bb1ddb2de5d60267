"""What happens in one history of three replicas. Made from a seed."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from tests.faults.plan import CallPlan, make_plan

SLOTS: tuple[str, ...] = ("a", "b", "c")

Action = Literal[
    "kill", "freeze", "sleep", "stop", "cut_pair", "cut_redis", "cut_postgres", "redis_away", "redis_flush",
    "redis_failover", "postgres_away", "lose_answer", "stall", "double", "cut_page", "reload", "freeze_page",
    "close_tab", "caller_leaves", "clocks",
]  # fmt: skip

STEPS = (
    "asked opening", "done opening", "known opening", "asked go", "done go", "known go", "sent call",
    "got call", "got ack", "got decision", "sent reply", "got reply", "fetched", "answered",
    "sent result", "got result", "asked ending", "done ending", "known ending", "sent response",
    "got response", "told", "sent request", "got request", "sent continue", "got body", "asked claim",
    "done claim", "known claim", "asked list_left", "asked end_left", "done end_left", "sent hello",
    "got hello", "got welcome", "got receipt",
)  # fmt: skip
"""The steps of a call, at any of which a fault may strike."""

RESPONSE_STEPS = (
    "asked save_response", "done save_response", "known save_response", "asked add_events", "done add_events",
)  # fmt: skip
"""The steps of a response in the background."""

CHATS_EVERY = 4
"""One history of so many has conversations."""

CHAT_STEPS = ("asked advance_run", "done advance_run", "done advance_run", "known advance_run")
"""The steps of an answer in a conversation."""

CHAT_ACTIONS: tuple[tuple[Action, ...], ...] = (
    ("cut_redis", "cut_postgres"), ("cut_redis", "cut_postgres"), ("freeze",), ("sleep",), ("sleep",),
    ("sleep",), ("kill",), ("stop",), ("cut_postgres",), ("lose_answer",),
)  # fmt: skip
"""What strikes there, at once."""

STEP_ACTIONS: tuple[Action, ...] = (
    "kill", "kill", "freeze", "freeze", "freeze", "cut_pair", "cut_redis", "cut_postgres", "lose_answer",
    "stall", "double", "cut_page", "reload", "stop", "sleep", "caller_leaves",
)  # fmt: skip
TIMED_ACTIONS: tuple[Action, ...] = (
    "kill", "kill", "freeze", "freeze", "sleep", "stop", "cut_pair", "cut_redis", "cut_postgres",
    "redis_away", "redis_flush", "redis_failover", "postgres_away", "cut_page", "reload", "freeze_page",
    "close_tab", "caller_leaves", "clocks",
)  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """`action` at a time, or at the nth time that a step is reached."""

    action: Action
    at: float | None
    step: str = ""
    nth: int = 0
    amount: float = 0.0
    """0 to 1: how long; what it means is the action's affair."""
    victim: int = 0
    """0 to 2: a replica by its place; above: the one that takes the step, or has the user of call 0."""

    def __str__(self) -> str:
        when = f"at {self.at:.2f}" if self.at is not None else f"when {self.step} #{self.nth}"
        return f"{self.action} {when} (amount {self.amount:.2f}, victim {self.victim})"


@dataclass(frozen=True)
class ResponsePlan:
    """A response that is made in the background, and read until it has ended."""

    number: int
    user: str
    at: float
    takes_s: float

    def __str__(self) -> str:
        return f"response {self.number} of {self.user} at {self.at:.2f}: {self.takes_s:.2f} s"


@dataclass(frozen=True)
class ChatPlan:
    """A question in a conversation, whose answer takes a call of a tool."""

    number: int
    user: str
    at: float
    takes_s: float

    @property
    def conversation_id(self) -> str:
        return f"conv-{self.number}"

    @property
    def words(self) -> str:
        return f"chat {self.number}"

    @property
    def answer(self) -> str:
        return f"answer to chat {self.number}"

    def __str__(self) -> str:
        return f"chat {self.number} of {self.user} at {self.at:.2f}: {self.takes_s:.2f} s"


@dataclass(frozen=True)
class Plan:
    """A history before it happens."""

    seed: int
    calls: tuple[CallPlan, ...]
    callers: tuple[int, ...]
    """Which replica each call's caller is connected to."""
    faults: tuple[Fault, ...]
    tabs: int
    at_once: int
    responses: tuple[ResponsePlan, ...] = ()
    keyed: frozenset[int] = frozenset()
    """Calls whose clients name them by idempotency keys, and send them again until they hear of success."""
    chats: tuple[ChatPlan, ...] = ()

    def __str__(self) -> str:
        lines = [f"seed {self.seed}: {self.tabs} tab(s) each, {self.at_once} call(s) at once"]
        lines += [f"sent again with a key: {sorted(self.keyed)}"] if self.keyed else []
        lines += [f"{call}; asks {SLOTS[at]}" for call, at in zip(self.calls, self.callers, strict=True)]
        return "\n".join([*lines, *map(str, self.responses), *map(str, self.chats), *map(str, self.faults)])


def make_replica_plan(seed: int) -> Plan:
    """The same seed, the same plan."""
    chance = random.Random(f"replicas {seed}")
    calls = [_shorten(chance, call) for call in make_plan(seed).calls[:4]]
    callers = tuple(chance.randrange(3) for _ in calls)
    faults = tuple(_fault(chance) for _ in range(chance.choice((0, 1, 1, 1, 2, 2, 2, 3, 3, 4))))
    tabs, at_once = chance.choice((1, 1, 2)), chance.choice((1, 2, 9))
    keyed = frozenset(call.number for call in calls if not call.safe and chance.random() < 0.4)
    responses = tuple(_response(chance, number) for number in range(chance.choice((0, 0, 1, 2))))
    faults += tuple(_fault_of_response(chance) for _ in responses[:1] if chance.random() < 0.7)
    plan = Plan(seed, tuple(calls), callers, faults, tabs, at_once, responses, keyed)
    return plan if seed % CHATS_EVERY else _with_chats(random.Random(f"chats {seed}"), plan)


def _with_chats(chance: random.Random, plan: Plan) -> Plan:
    users = [chance.choice(("ann", "ann", "bob")) for _ in range(chance.choice((1, 1, 2)))]
    chats = tuple(
        ChatPlan(
            number, user, 2.0 + chance.random() * 6, takes_s=chance.choice((0.1, 0.1, 0.1, 2.0, 6.0, 15.0))
        )
        for number, user in enumerate(users)
    )
    step, nth = chance.choice(CHAT_STEPS), chance.choice((0, 1, 1, 1, 1, 2, 3))
    actions = chance.choice(CHAT_ACTIONS)
    amount, victim = chance.random(), chance.choice((3, 4))
    strikes = tuple(Fault(action, None, step, nth, amount, victim) for action in actions)
    return replace(plan, chats=chats, faults=plan.faults[: chance.choice((0, 0, 1, 9))] + strikes)


def smaller_plans(plan: Plan) -> Iterator[Plan]:
    """Plans without one fault, or without one call."""
    for index in range(len(plan.faults)):
        yield replace(plan, faults=plan.faults[:index] + plan.faults[index + 1 :])
    for index in range(len(plan.responses)):
        yield replace(plan, responses=plan.responses[:index] + plan.responses[index + 1 :])
    for index in range(len(plan.chats)):
        yield replace(plan, chats=plan.chats[:index] + plan.chats[index + 1 :])
    for index in range(len(plan.calls) if len(plan.calls) > 1 else 0):
        callers = plan.callers[:index] + plan.callers[index + 1 :]
        yield replace(plan, calls=plan.calls[:index] + plan.calls[index + 1 :], callers=callers)


def _shorten(chance: random.Random, call: CallPlan) -> CallPlan:
    """Time is what a history costs, because replicas beat."""
    return replace(
        call,
        at=2.0 + chance.choice((0.0, chance.random() * 0.05, chance.random() * 8)),
        deadline_s=chance.choice((2.0, 8.0, 20.0)),
        thinks_s=chance.choice((0.05, 0.5, 2.0, 14.99, 30.0)) * (0.5 + chance.random() / 2),
        takes_s=chance.choice((0.0, 0.01, 0.2, 1.0, 3.0, 6.0)) * chance.random(),
    )


def _response(chance: random.Random, number: int) -> ResponsePlan:
    user, at = chance.choice(("ann", "ann", "bob")), 2.0 + chance.random() * 6
    return ResponsePlan(number, user, at, takes_s=chance.choice((0.1, 2.0, 6.0)) * (0.5 + chance.random()))


def _fault_of_response(chance: random.Random) -> Fault:
    step, nth = chance.choice(RESPONSE_STEPS), chance.choice((0, 0, 1, 2))
    action: Action = chance.choice(("kill", "freeze", "cut_postgres", "cut_redis", "stop", "lose_answer"))
    return Fault(action, None, step, nth, chance.random(), chance.choice((3, 4)))


def _fault(chance: random.Random) -> Fault:
    amount, victim = chance.random(), chance.randrange(6)
    if chance.random() < 0.7:
        step, nth = chance.choice(STEPS), chance.choice((0, 0, 0, 1, 1, 2))
        return Fault(chance.choice(STEP_ACTIONS), None, step, nth, amount, victim)
    at = 1.0 + chance.choice((chance.random() * 2, chance.random() * 12))
    return Fault(chance.choice(TIMED_ACTIONS), at, amount=amount, victim=victim)
