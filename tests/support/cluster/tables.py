"""A model of the two tables by which PostgreSQL fences replicas. Each method is one statement.

Held to PostgreSQL by `test_models.py` and `test_random_statements.py` in `tests/storage/replicas`.
"""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from bridge.calls.fenced_journal import KnownCall, LeftCall
from bridge.calls.open_call import OpenCall
from bridge.calls.outcome import CallOutcome
from bridge.calls.ports import RecordedCall
from bridge.calls.request import RepeatIdentity
from bridge.calls.state_machine import CallState
from bridge.errors import BridgeError, ErrorCode
from bridge.homes import Home
from tests.support.stores.memory_conversations import UNIQUE_INDEXES as OF_CONVERSATIONS
from tests.support.stores.memory_conversations import MemoryConversations, UniqueViolation
from tests.support.stores.memory_item_store import UNFINISHED, MemoryItemStore

UNIQUE_INDEXES: Mapping[str, tuple[str, ...]] = {
    "homes_pkey": ("user_id",),
    "calls_pkey": ("id",),
    "kept_responses_pkey": ("id",),
    "kept_items_pkey": ("row_id",),
    "kept_items_by_id": ("user_id", "id"),
    "kept_events_pkey": ("response_id", "first"),
    **OF_CONVERSATIONS,
}
"""Columns of each index of the tables that are modelled. Writes of all but those of conversations name what
happens to a row that is there, so that they refuse nothing; of those, `MemoryConversations` does."""


@dataclass
class CallRow:
    """A call as it is kept."""

    call_id: str
    user_id: str
    request_id: str | None
    safe: bool
    state: CallState
    may_begin: bool
    epoch: int | None
    repeat: RepeatIdentity | None = None
    """By what it is known when its client sends it again."""
    outcome: CallOutcome | None = None
    """None: it has not ended."""
    endings: int = 0
    late: int = 0


@dataclass
class Tables:
    """The two tables. Nothing takes time, so each method is as atomic as a transaction."""

    homes: dict[str, Home] = field(default_factory=dict[str, Home])
    calls: dict[str, CallRow] = field(default_factory=dict[str, CallRow])
    conversations: MemoryConversations = field(default_factory=MemoryConversations)
    items: MemoryItemStore = field(default_factory=MemoryItemStore)
    """Responses, and what belongs to them; who writes them asks `holds`."""
    claimed_as: dict[str, int] = field(default_factory=dict[str, int])
    """The number of the last claim of each user, among those of all."""
    checks_epochs: bool = True
    """What a commit does; without it nothing is fenced."""

    def claim_home(self, user_id: str, replica: str, held: Home | None) -> Home:
        present = self.homes.get(user_id)
        if present == held:
            self._store(Home(user_id, replica, (present.epoch if present else 0) + 1))
        elif present is None:
            raise BridgeError(ErrorCode.UNAUTHORIZED, "This user was deleted.")
        return self.homes[user_id]

    def release_home(self, home: Home) -> bool:
        if self.homes.get(home.user_id) != home:
            return False
        self._store(Home(home.user_id, "", home.epoch + 1))
        return True

    def list_homes(self, replica: str) -> dict[str, int]:
        return {home.user_id: home.epoch for home in self.homes.values() if home.replica == replica}

    def claim_left(self, replica: str, live: Sequence[str], limit: int) -> list[tuple[Home, Home]]:
        calling = [row.user_id for row in self.calls.values() if row.outcome is None]
        unfinished = [each.user_id for each in self.items.responses.values() if each.status in UNFINISHED]
        chats = self.conversations.conversations.values()
        talking = [each.user_id for each in chats if each.run and each.run.state == "running"]
        open_work = list(dict.fromkeys((*calling, *talking, *unfinished)))
        alive = {replica, *live}
        at_home = [self.homes[user_id] for user_id in open_work if user_id in self.homes]
        left = [home for home in at_home if home.replica not in alive]
        left.sort(key=lambda home: (home.user_id not in calling, self.claimed_as[home.user_id]))
        left = left[:limit]
        for user_id in open_work:
            if user_id not in self.homes:
                self.homes[user_id], self.claimed_as[user_id] = Home(user_id, "", 0), 0
        return [(home, self.claim_home(home.user_id, replica, home)) for home in left]

    def write_call(self, call: OpenCall, epoch: int | None, *, may_begin: bool) -> bool:
        """As the fenced journal does, and with an epoch of None as a bridge alone."""
        row = self.calls.get(call.call_id)
        if (row is not None and row.outcome is not None) or not self.holds(call.user_id, epoch):
            return False
        if row is None:
            context = call.request.context
            row = self.calls[call.call_id] = CallRow(
                call.call_id,
                call.user_id,
                context.relayed_id,
                call.request.safe,
                call.state,
                may_begin,
                epoch,
                call.request.repeat,
            )
        row.state, row.may_begin, row.epoch = call.state, may_begin, epoch
        row.outcome = call.outcome
        row.endings += call.outcome is not None
        return True

    def end_left(self, user_id: str, epoch: int, outcome: CallOutcome) -> bool:
        row = self.calls.get(outcome.call_id)
        if row is None or not self._is_left(row, user_id, epoch) or not self.holds(user_id, epoch):
            return False
        row.state, row.epoch, row.outcome = outcome.state, epoch, outcome
        row.endings += 1
        return True

    def list_left(self, user_id: str, epoch: int) -> list[LeftCall]:
        left = [row for row in self.calls.values() if self._is_left(row, user_id, epoch)]
        return [LeftCall(row.call_id, row.may_begin) for row in left]

    def find_known(self, call_id: str) -> KnownCall | None:
        row = self.calls.get(call_id)
        return None if row is None else _known(row)

    def find_keyed(self, user_id: str, caller: str, key_digest: str) -> RecordedCall | None:
        """The ended call of an idempotency key."""
        for row in reversed(self.calls.values()):
            known = row.repeat
            is_it = known is not None and (known.caller, known.key_digest) == (caller, key_digest)
            if known is not None and is_it and row.user_id == user_id and row.outcome is not None:
                ending = row.outcome.without_text()
                return RecordedCall(user_id, caller, known.digest, 0.0, ending, heard=False, heard_at=0.0)
        return None

    def write_conversation(
        self, user_id: str, epoch: int | None, work: Callable[[], None]
    ) -> Literal["fenced"] | UniqueViolation | None:
        """Run a transaction; returns why nothing was written. Indexes speak first, then the fence."""
        before = copy.copy(self.conversations)
        before.conversations = dict(before.conversations)
        try:
            work()
        except UniqueViolation as refused:
            return refused
        if self.holds(user_id, epoch):
            return None
        self.conversations.conversations, self.conversations.messages = (
            before.conversations,
            before.messages,
        )
        return "fenced"

    def find_relayed(self, user_id: str, request_id: str) -> list[KnownCall]:
        asked = (user_id, request_id, False)
        found = [row for row in self.calls.values() if (row.user_id, row.request_id, row.safe) == asked]
        return [_known(row) for row in found]

    def find_response(self, user_id: str, request_id: str) -> str | None:
        asked = (user_id, request_id)
        found = self.items.responses.values()
        return next(
            (each.id for each in found if (each.user_id, each.request.get("relayed_id")) == asked), None
        )

    def _store(self, home: Home) -> None:
        self.homes[home.user_id] = home
        self.claimed_as[home.user_id] = max(self.claimed_as.values(), default=0) + 1

    def _is_left(self, row: CallRow, user_id: str, epoch: int) -> bool:
        is_older = row.epoch is None or row.epoch < epoch
        return row.user_id == user_id and row.outcome is None and is_older

    def holds(self, user_id: str, epoch: int | None) -> bool:
        """Whether what is written under a claim counts."""
        if epoch is None or not self.checks_epochs:
            return True
        home = self.homes.get(user_id)
        return home is not None and home.epoch == epoch


def _known(row: CallRow) -> KnownCall:
    return KnownCall(row.call_id, "t", row.outcome)
