"""Who reaches whom, how long that takes, and connections between processes."""

import asyncio
import random
from collections.abc import Callable
from typing import Any

from tests.faults.link import Link, Message, Side
from tests.faults.plan import Kind
from tests.faults.replicas.processes import Program, ProgramLoop, outside

CONNECT_S = 2.0
"""As `bridge.cluster.relay_client` waits."""

LOST_S = 15.0
"""As `bridge.storage.database` waits for a connection that takes nothing."""

PATIENCE_S = 30.0
"""What waits on a broken way for longer is given up by TCP."""


CLOSE_TURNS = 10
"""Turns of the event loop until those who use a socket have heard that it is closed: it goes through more
libraries than an answer of PostgreSQL."""


class Wires:
    """Pairs that do not reach each other for a while; what is sent meanwhile arrives afterwards."""

    def __init__(self, chance: random.Random, loop: ProgramLoop) -> None:
        self._chance = chance
        self._loop = loop
        self._cut_until: dict[frozenset[str], float] = {}

    def now(self) -> float:
        """By the clock of the world."""
        return self._loop.world_time()

    def later(self, delay: float, action: Callable[[], None]) -> None:
        """Something that happens to no process."""
        self._loop.call_later(max(0.0, delay), action, context=outside())

    def cut(self, one: str, other: str, seconds: float) -> None:
        pair = frozenset((one, other))
        self._cut_until[pair] = max(self._cut_until.get(pair, 0.0), self.now() + seconds)

    def blocked_s(self, one: str, other: str) -> float:
        """Seconds until they reach each other; 0: they do."""
        return max(0.0, self._cut_until.get(frozenset((one, other)), 0.0) - self.now())

    def latency(self) -> float:
        return 0.0005 + 0.0045 * self._chance.random()

    def delay(self, one: str, other: str) -> float:
        return self.blocked_s(one, other) + self.latency()

    def wobble(self, least: float, most: float) -> float:
        return least + (most - least) * self._chance.random()


class End:
    """One side of a connection, in a process."""

    def __init__(self, process: Program) -> None:
        self.process = process
        self.on_message: Callable[[Kind, Any], None] = lambda kind, payload: None
        self.on_close: Callable[[], None] = lambda: None
        self.is_closed = False

    def receive(self, kind: Kind, payload: Any) -> None:
        self.process.enter(lambda: None if self.is_closed else self.on_message(kind, payload))

    def close(self) -> None:
        self._close_after(CLOSE_TURNS)

    def _close_after(self, turns: int) -> None:
        self.process.enter(self._closed if turns == 0 else lambda: self._close_after(turns - 1))

    def _closed(self) -> None:
        if not self.is_closed:
            self.is_closed = True
            self.on_close()

    def cancel_on_close(self, task: "asyncio.Task[None]") -> None:
        def cancel() -> None:
            task.cancel()

        self.on_close = cancel

    async def answer(self) -> tuple[Kind, Any] | None:
        """The next message; None: closed."""
        future = asyncio.get_running_loop().create_future()

        def settle(value: tuple[Kind, Any] | None) -> None:
            if not future.done():
                future.set_result(value)

        if self.is_closed:
            return None
        self.on_message = lambda kind, payload: settle((kind, payload))
        self.on_close = lambda: settle(None)
        return await future


Watch = Callable[[Link, Message, bool, str], None]
"""Sees every message: its link, whether it has arrived, and whose."""


class Cable:
    """The network of one connection between two places. Implements `tests.faults.link.Network`."""

    def __init__(
        self, wires: Wires, ends: tuple[str, str], watch: Watch, note: Callable[[str], None]
    ) -> None:
        self._wires, self._ends, self._watch, self._note = wires, ends, watch, note

    def now(self) -> float:
        return self._wires.now()

    def later(self, delay: float, action: Callable[[], None]) -> None:
        self._wires.later(delay, action)

    def latency(self) -> float:
        return self._wires.delay(*self._ends)

    def before(self, link: Link, message: Message) -> None:
        self._watch(link, message, False, self._place(message.to, is_sender=True))

    def after(self, link: Link, message: Message) -> None:
        self._watch(link, message, True, self._place(message.to, is_sender=False))

    def note(self, text: str) -> None:
        if " sends beat " not in text:
            self._note(text)

    def _place(self, to: Side, *, is_sender: bool) -> str:
        return self._ends[1] if (to == "bridge") is not is_sender else self._ends[0]


def hang_up(link: Link, cable: Cable, side: Side) -> None:
    """One side closes; the other learns it as soon as anything reaches it."""
    delay = cable.latency()
    link.cut(0.0 if side == "page" else delay, delay if side == "page" else 0.0)
