"""What happens in one history: calls, and the faults that meet them. Made from a seed."""

import random
from dataclasses import dataclass
from typing import Literal

Answering = Literal[
    "answers",
    "refuses",
    "breaks_off",
    "never_answers",
    "proves_absence",
    "loses_request",
    "too_large",
    "sent_twice",
]
"""What the API does with the request of a call; sent_twice: the browser itself sends it once more."""

Kind = Literal[
    "hello", "welcome", "call", "ack", "decision", "reply", "slot", "result", "receipt", "cancel",
    "beat", "moved", "redirect", "refused", "open", "opened", "request", "continue", "body", "response",
]  # fmt: skip
"""What travels between pages and bridges and, in the last line, between replicas and with them."""

Action = Literal[
    "cut", "cut_silently", "lose", "double", "stall", "overtake",
    "reload", "close_tab", "freeze", "clear_browser", "browser_disk_full", "hand_over",
    "kill_bridge", "stop_bridge", "bridge_disk_full", "bridge_disk_hangs",
    "caller_leaves", "user_stops", "page_stops", "clock_jumps", "uploads_fail",
    "send_again",
]  # fmt: skip

MESSAGES: tuple[Kind, ...] = (
    "hello", "welcome", "call", "call", "ack", "ack", "decision", "reply", "reply", "slot", "result",
    "result", "receipt", "cancel",
)  # fmt: skip
"""The common ones stand twice."""

MESSAGE_ACTIONS: tuple[Action, ...] = (
    "cut", "cut", "cut", "cut_silently", "lose", "double", "stall", "overtake", "reload", "reload",
    "close_tab", "freeze", "kill_bridge", "hand_over",
)  # fmt: skip
TIMED_ACTIONS: tuple[Action, ...] = (
    "cut", "cut", "cut_silently", "reload", "reload", "close_tab", "freeze", "clear_browser",
    "browser_disk_full", "hand_over", "kill_bridge", "stop_bridge", "bridge_disk_full", "bridge_disk_hangs",
    "caller_leaves",
    "user_stops", "page_stops", "clock_jumps", "uploads_fail",
    "send_again",
)  # fmt: skip

ONLY_ACKS_GET_LOST: frozenset[Kind] = frozenset({"ack", "reply", "receipt", "cancel", "welcome"})
"""What a stream loses it loses with all that follows; only acks and the like may vanish alone."""


@dataclass(frozen=True)
class CallPlan:
    """One call and everything that is not a fault about it. Times in seconds."""

    number: int
    user: str
    at: float
    safe: bool
    deadline_s: float
    approval: Literal["granted", "needed"]
    page_asks: bool
    """By a rule of its own, whatever the bridge says."""
    thinks_s: float
    """How long the user looks at the card."""
    says: Literal["once", "denied"]
    api: Answering
    takes_s: float
    """From the arrival of the request to the answer."""
    is_large: bool
    """Its answer goes by upload."""

    def __str__(self) -> str:
        method = "safe" if self.safe else "unsafe"
        who = f"{self.approval}{'/page asks' if self.page_asks else ''}"
        asks = f", {who}: {self.says} after {self.thinks_s:.1f} s"
        size = " large" if self.is_large else ""
        return (
            f"call {self.number} of {self.user} at {self.at:.2f}: {method}, {self.deadline_s:g} s{asks}; "
            f"API {self.api}{size} after {self.takes_s:.2f} s"
        )


@dataclass(frozen=True)
class Fault:
    """`action` at a time, or at the nth message of a kind: before it leaves or after it arrived."""

    action: Action
    at: float | None
    kind: Kind = "hello"
    nth: int = 0
    after: bool = False
    amount: float = 0.0
    """0 to 1: how long, how far, how late; what it means is the action's affair."""
    victim: int = 0
    """Which browser, page or call, by remainder."""

    def __str__(self) -> str:
        when = (
            f"at {self.at:.2f}"
            if self.at is not None
            else f"{'after' if self.after else 'before'} {self.kind} #{self.nth}"
        )
        return f"{self.action} {when} (amount {self.amount:.2f}, victim {self.victim})"


@dataclass(frozen=True)
class Plan:
    """A history before it happens."""

    seed: int
    calls: tuple[CallPlan, ...]
    faults: tuple[Fault, ...]
    devices_of: tuple[tuple[str, int], ...]
    tabs: int
    at_once: int
    """Calls of one user; the others wait for their turn."""

    def __str__(self) -> str:
        devices = ", ".join(f"{user}: {count} browser(s)" for user, count in self.devices_of)
        lines = [
            f"seed {self.seed}: {devices}, {self.tabs} tab(s) each, {self.at_once} call(s) at once",
            *map(str, self.calls),
            *map(str, self.faults),
        ]
        return "\n".join(lines)


def make_plan(seed: int) -> Plan:
    """The same seed, the same plan."""
    chance = random.Random(seed)
    devices = (("ann", chance.choice((1, 1, 1, 2))), ("bob", 1))
    calls = tuple(_call(chance, number) for number in range(chance.randint(1, 6)))
    faults = tuple(_fault(chance) for _ in range(chance.choice((0, 1, 1, 2, 2, 3, 3, 4, 5, 6))))
    return Plan(seed, calls, faults, devices, chance.choice((1, 2)), chance.choice((1, 2, 9)))


def _call(chance: random.Random, number: int) -> CallPlan:
    answers: list[Answering] = ["answers"] * 6
    rest: list[Answering] = [
        "refuses", "breaks_off", "never_answers", "proves_absence", "loses_request", "too_large",
        "sent_twice",
    ]  # fmt: skip
    return CallPlan(
        number=number,
        user="ann" if chance.random() < 0.8 else "bob",
        at=1.0 + chance.choice((0.0, chance.random() * 0.05, chance.random() * 5)),
        safe=chance.random() < 0.3,
        deadline_s=chance.choice((2.0, 10.0, 60.0)),
        approval=chance.choice(("granted", "granted", "needed")),
        page_asks=chance.random() < 0.15,
        thinks_s=chance.choice((0.05, 0.5, 3.0, 3.0, 40.0, 119.99, 300.0)) * (0.5 + chance.random() / 2),
        says=chance.choice(("once", "once", "once", "denied")),
        api=chance.choice(answers + rest),
        takes_s=chance.choice((0.0, 0.01, 0.2, 1.0, 3.0, 30.0)) * chance.random(),
        is_large=chance.random() < 0.15,
    )


def _fault(chance: random.Random) -> Fault:
    amount, victim = chance.random(), chance.randrange(12)
    if chance.random() < 0.6:
        kind = chance.choice(MESSAGES)
        action = chance.choice(MESSAGE_ACTIONS)
        if action == "lose" and kind not in ONLY_ACKS_GET_LOST:
            action = "cut"
        nth, after = chance.choice((0, 0, 1, 1, 2, 3, 4)), chance.random() < 0.5
        return Fault(action, None, kind, nth, after, amount, victim)
    at = 0.8 + chance.choice((chance.random() * 0.5, chance.random() * 5, chance.random() * 60))
    return Fault(chance.choice(TIMED_ACTIONS), at, amount=amount, victim=victim)
