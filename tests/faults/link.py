"""A connection between a page and the bridge: two ordered streams that break in every way streams break."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from tests.faults.plan import Kind

Side = Literal["page", "bridge"]


class Network(Protocol):
    """What a link needs of its world."""

    def now(self) -> float: ...
    def later(self, delay: float, action: Callable[[], None]) -> None: ...
    def latency(self) -> float: ...
    def before(self, link: "Link", message: "Message") -> None: ...
    def after(self, link: "Link", message: "Message") -> None: ...
    def note(self, text: str) -> None: ...


@dataclass
class Message:
    """What travels."""

    to: Side
    kind: Kind
    payload: Any
    about: str = ""
    """For the trace."""
    is_lost: bool = False
    copies: int = 1
    wait_s: float = 0.0
    """All that follows waits too."""
    overtakes: bool = False
    """It arrives after what follows it."""


@dataclass
class Link:
    """Both ends may think differently of it."""

    sid: str
    network: Network
    receivers: dict[Side, Callable[[Kind, Any], None]]
    closed: dict[Side, Callable[[], None]]
    is_open: dict[Side, bool] = field(default_factory=lambda: {"page": True, "bridge": True})
    carries: bool = True
    last: dict[Side, float] = field(default_factory=lambda: {"page": 0.0, "bridge": 0.0})

    def send(self, to: Side, kind: Kind, payload: Any, about: str = "") -> None:
        """Nothing happens when the sender knows that the link is closed."""
        message = Message(to, kind, payload, about)
        sender: Side = "bridge" if to == "page" else "page"
        if not self.is_open[sender]:
            return
        self.network.before(self, message)
        self.network.note(
            f"{self.sid}: {sender} sends {kind} {about}{'' if self.carries else ' (into nothing)'}"
        )
        arrival = max(self.network.now() + self.network.latency(), self.last[to]) + message.wait_s
        if not message.overtakes:
            self.last[to] = arrival
        for copy in range(message.copies):
            late = (0.03 if message.overtakes else 0.0) + 0.001 * copy
            self.network.later(arrival + late - self.network.now(), lambda: self._arrive(message))

    def _arrive(self, message: Message) -> None:
        if not self.carries or not self.is_open[message.to] or message.is_lost:
            return
        self.receivers[message.to](message.kind, message.payload)
        self.network.after(self, message)

    def cut(self, page_after: float, bridge_after: float) -> None:
        """Nothing arrives any more; each side notices after so many seconds."""
        if not self.carries:
            return
        self.carries = False
        self.network.note(
            f"{self.sid}: cut, page notices after {page_after:.2f} s, bridge after {bridge_after:.2f} s"
        )
        self.network.later(page_after, lambda: self.end("page"))
        self.network.later(bridge_after, lambda: self.end("bridge"))

    def end(self, side: Side) -> None:
        """One side learns, or decides, that it is over."""
        self.carries = False
        if self.is_open[side]:
            self.is_open[side] = False
            self.closed[side]()
