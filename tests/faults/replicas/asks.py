"""What is asked of a replica, and what it needs of those who ask."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Protocol

from bridge.calls.admission import Controls
from bridge.calls.open_call import OpenCall
from tests.faults.plan import CallPlan
from tests.faults.replicas.plan import ChatPlan, ResponsePlan
from tests.faults.replicas.responses import ResponseSurroundings


class Asked(NamedTuple):
    """A request of a caller."""

    plan: CallPlan
    sending: int
    """1, or more if its client has sent it before."""


class ResponseAsk(NamedTuple):
    """A request for a response: to make it, or to read it."""

    plan: ResponsePlan
    response_id: str


class ChatAsk(NamedTuple):
    """A question in a conversation."""

    plan: ChatPlan


class ResponseReaders(ResponseSurroundings, Protocol):
    """What a replica needs of the clients that want responses."""

    def number_ask(self, ask: ResponseAsk) -> int: ...
    def ask_of(self, number: int) -> ResponseAsk | None: ...
    def told(self, ask: ResponseAsk, what: Any) -> None: ...


class TalkingClients(Protocol):
    """What a replica needs of the clients that talk."""

    def takes_s(self) -> float: ...
    def number_ask(self, ask: ChatAsk) -> int: ...
    def ask_of(self, number: int) -> ChatAsk | None: ...
    def told(self, ask: ChatAsk, what: Any) -> None: ...


class Noted(Protocol):
    """What a history notes and sets."""

    def note(self, text: str) -> None: ...
    def name(self, call_id: str) -> str: ...
    def controls(self) -> Controls: ...


class ReplicaSurroundings:
    """The surroundings of the page server, in the process."""

    def __init__(self, around: Noted) -> None:
        self._around = around
        self.note, self.name, self.controls = around.note, around.name, around.controls

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    def later(self, delay: float, action: Callable[[], None]) -> None:
        asyncio.get_running_loop().call_later(delay, action)

    def last_page_left(self, calls: Iterable[OpenCall]) -> None: ...
    def page_came(self, user_id: str) -> None: ...
