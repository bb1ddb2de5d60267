"""Clients that ask in conversations, at any replica, and wait for the answer on the open connection."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from bridge.errors import BridgeError, ErrorCode
from bridge.models.agent.items import message_text
from bridge.models.conversation_runs.locks import RunEnd
from bridge.models.conversations.conversation import Conversation
from tests.faults.replicas.asks import ChatAsk
from tests.faults.replicas.judge import ReplicaTotals
from tests.faults.replicas.plan import ChatPlan
from tests.faults.replicas.replica import ReplicaDouble
from tests.support.cluster.tables import Tables

FIRST_CHAT = 1_000_000
"""Numbers of requests in conversations; those below are others'."""

MOST_S = 60.0
"""A caller waits no longer, plus the time for which something is broken."""


@dataclass
class ChatCourse:
    """What a history knows of one question."""

    plan: ChatPlan
    asks: str = ""
    began_at: float | None = None
    told: RunEnd | BridgeError | None = None
    told_at: float | None = None
    is_gone: bool = False
    """The replica that its client is connected to was killed."""


class ChatSurroundings(Protocol):
    """What clients need of their world."""

    tables: Tables
    replicas: dict[str, ReplicaDouble]

    def now(self) -> float: ...
    def later(self, delay: float, action: Callable[[], None]) -> None: ...
    def note(self, text: str) -> None: ...
    def alarm(self, text: str) -> None: ...


class Chatters:
    """All clients of a history that talk."""

    def __init__(self, world: ChatSurroundings, plans: Sequence[ChatPlan], chance: random.Random) -> None:
        self._world, self._chance = world, chance
        self._courses = {plan.number: ChatCourse(plan) for plan in plans}
        for plan in plans:
            chat = Conversation(plan.conversation_id, plan.user, 0.0, 0.0)
            world.tables.conversations.conversations[chat.id] = chat

    def number_ask(self, ask: ChatAsk) -> int:
        """The number under which it is passed on."""
        return FIRST_CHAT + ask.plan.number

    def ask_of(self, number: int) -> ChatAsk | None:
        course = self._courses.get(number - FIRST_CHAT)
        return None if course is None else ChatAsk(course.plan)

    def takes_s(self) -> float:
        """How long a call of a tool takes."""
        return max((course.plan.takes_s for course in self._courses.values()), default=0.0)

    def begin(self) -> None:
        for course in self._courses.values():
            self._world.later(course.plan.at, lambda course=course: self._ask(course))

    def _ask(self, course: ChatCourse) -> None:
        alive = [each for each in self._world.replicas.values() if not each.process.is_dead]
        if alive:
            replica = self._chance.choice(alive)
            course.asks, course.began_at = replica.id, self._world.now()
            self._world.note(f"client at {replica.id}: {course.plan}")
            replica.process.start(replica.answer_chatter(ChatAsk(course.plan)))

    def told(self, ask: ChatAsk, what: Any) -> None:
        """How it ended, an error, or None: the connection broke."""
        course = self._courses[ask.plan.number]
        said = what.state if isinstance(what, RunEnd) else what.error.code if what else "cut off"
        self._world.note(f"chat {ask.plan.number}: its client is told {said}")
        course.told, course.told_at = what, self._world.now()
        if isinstance(what, BridgeError) and what.error.code is ErrorCode.INTERNAL:
            self._world.alarm(f"chat {ask.plan.number}: its client is told of a bug")
        if isinstance(what, RunEnd) and what.state == "completed" and not self._is_kept(course):
            self._world.alarm(f"chat {ask.plan.number}: told an answer that is not kept")

    def _is_kept(self, course: ChatCourse) -> bool:
        kept = self._world.tables.conversations.messages.values()
        mine = [each for each in kept if each.conversation_id == course.plan.conversation_id]
        return any(message_text(item) == course.plan.answer for each in mine for item in each.items)

    def lose(self, replica_id: str) -> None:
        """A replica was killed, and whoever is connected to it knows."""
        for course in self._courses.values():
            course.is_gone |= course.asks == replica_id and course.told_at is None

    @property
    def is_open(self) -> bool:
        """Whether something is still to come."""
        return any(self._waits(course) for course in self._courses.values()) or bool(self._left())

    @staticmethod
    def _waits(course: ChatCourse) -> bool:
        return course.began_at is not None and course.told_at is None and not course.is_gone

    def _left(self) -> list[str]:
        kept = self._world.tables.conversations.conversations.values()
        return [each.id for each in kept if each.run is not None and each.run.state == "running"]

    def find_broken(self, faults_s: float) -> list[str]:
        """What is wrong, in words."""
        found = [f"conversation {each} is never ended" for each in self._left()]
        for number, course in self._courses.items():
            if self._waits(course):
                found.append(f"chat {number}: its caller hangs")
            elif course.told_at is not None and course.began_at is not None:
                waited_s = course.told_at - course.began_at
                if waited_s > MOST_S + faults_s:
                    found.append(f"chat {number}: its caller waited {waited_s:.1f} s")
        for replica in self._world.replicas.values():
            if not (replica.process.is_dead or replica.process.is_frozen):
                runs = replica.conversations.runs.locks.runs
                found += [f"{replica.id} holds {run.conversation_id}, which nobody answers" for run in runs]
        return found

    def count(self, totals: ReplicaTotals) -> None:
        for course in self._courses.values():
            what = course.told
            said = what.state if isinstance(what, RunEnd) else what.error.code if what else "not told"
            totals.chats[str(said)] += 1
