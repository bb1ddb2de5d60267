"""Replicas with one guard taken out each: the judge must find what they do wrong."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

from aiohttp import ClientResponse

from bridge.calls import endings
from bridge.calls.fenced_journal import FencedJournal
from bridge.calls.open_call import Confirmation, OpenCall
from bridge.calls.outcome import CallOutcome, doubtful_error
from bridge.calls.ports import RecordedCall
from bridge.calls.repeated_calls import RepeatedCalls
from bridge.calls.state_machine import CallState
from bridge.cluster.lost_requests import LostRequest, LostRequests
from bridge.cluster.relay_client import (
    PassedRequest,
    RelayClient,
    ReplicaGone,
    ReplicaRefused,
)
from bridge.errors import BridgeError, ErrorCode
from bridge.homes import Home, held_epochs
from tests.faults.replicas.around import Around
from tests.faults.replicas.conversations import FarConversations, PlayedConversations
from tests.faults.replicas.exchanges import PlayedClient, played_client
from tests.faults.replicas.replica import ReplicaDouble
from tests.faults.replicas.responses import FarItems, PlayedResponses


class Unfenced(ReplicaDouble):
    """The database does not look at epochs."""

    def __init__(self, slot: str, name: str, around: Around) -> None:
        around.tables.checks_epochs = False
        super().__init__(slot, name, around)


class Tireless(ReplicaDouble):
    """It believes that it never slept."""

    def make_journal(self) -> FencedJournal:
        return _TirelessJournal(self.far, self.plain, self.homes, self.tasks)


class _TirelessJournal(FencedJournal):
    def acts_for(self, user_id: str) -> bool:
        return True


class Hasty(ReplicaDouble):
    """It settles what was left without waiting for a page."""

    def make_journal(self) -> FencedJournal:
        return _HastyJournal(self.far, self.plain, self.homes, self.tasks)


class _HastyJournal(FencedJournal):
    async def settle_user(self, user_id: str, epoch: int) -> int:
        error = doubtful_error(endings.replica_lost(is_unsent=False))
        for call in await self._rows.list_left(user_id, epoch):
            outcome = CallOutcome(call.call_id, CallState.OUTCOME_UNKNOWN, None, error)
            await self._rows.end_left(user_id, epoch, outcome)
        return 0


class Talkative(ReplicaDouble):
    """It tells endings before they are committed."""

    def make_journal(self) -> FencedJournal:
        return _TalkativeJournal(self.far, self.plain, self.homes, self.tasks)


class _TalkativeJournal(FencedJournal):
    def record_ended(self, call: OpenCall, *, may_begin: bool) -> Confirmation | None:
        super().record_ended(call, may_begin=may_begin)
        return None


class Careless(ReplicaDouble):
    """It sends calls while their opening is being committed."""

    def make_journal(self) -> FencedJournal:
        return _CarelessJournal(self.far, self.plain, self.homes, self.tasks)


class _CarelessJournal(FencedJournal):
    async def record_opened(self, call: OpenCall, within_s: float, *, may_begin: bool) -> None:
        self._tasks.start_task(super().record_opened(call, within_s, may_begin=may_begin), "opening")


class Insistent(ReplicaDouble):
    """It passes a request on once more whose home was lost with it."""

    def make_client(self) -> RelayClient:
        return played_client(_InsistentClient(self))


class _InsistentClient(PlayedClient):
    @asynccontextmanager
    async def send_request(
        self, passed: PassedRequest, home: Home, url: str
    ) -> AsyncGenerator[ClientResponse]:
        try:
            async with super().send_request(passed, home, url) as response:
                yield response
        except ReplicaGone:
            raise ReplicaRefused("lost") from None


class Reassuring(ReplicaDouble):
    """It says of every request whose home was lost that nothing was changed."""

    def make_lost(self) -> LostRequests:
        return _ReassuringWords(self.homes, self.far)


class _ReassuringWords(LostRequests):
    async def explain_loss(self, lost: LostRequest) -> BridgeError:
        return BridgeError(ErrorCode.REPLICA_LOST, "Nothing was changed.", retryable=True)


class Forgetful(ReplicaDouble):
    """It does not look whether another replica has performed the call of an idempotency key."""

    def make_repeats(self) -> RepeatedCalls:
        return RepeatedCalls(_NothingKnown(), b"secret", now=asyncio.get_running_loop().time)


class _NothingKnown:
    def record_delivery(self, user_id: str, call_id: str, *, heard: bool) -> None: ...

    async def find_keyed(
        self, user_id: str, caller: str, key_digest: str, *, within_s: float
    ) -> RecordedCall | None:
        return None


class Overwriting(ReplicaDouble):
    """What it writes of responses is not fenced."""

    def make_items(self) -> FarItems:
        def newest(user_id: str) -> int:
            home = self.world.tables.homes.get(user_id)
            return 0 if home is None else home.epoch

        return FarItems(self.world.tables, self, newest)


class Heedless(ReplicaDouble):
    """It does not go on with the responses of a lost home."""

    def make_responses(self) -> PlayedResponses:
        made = super().make_responses()
        made.resume_user = _resume_nothing
        return made


async def _resume_nothing(user_id: str | None = None) -> int:
    return 0


class Clinging(ReplicaDouble):
    """It goes on with the responses of users who have left."""

    def make_responses(self) -> PlayedResponses:
        made = super().make_responses()
        made.stop_user = _stop_nothing
        return made


async def _stop_nothing(user_id: str) -> None: ...


class Startled(ReplicaDouble):
    """It takes a constraint that speaks before the fence for a bug."""

    def make_chats(self) -> FarConversations:
        return _StartledConversations(self.world.tables, self, held_epochs(self.homes))


class _StartledConversations(FarConversations):
    async def is_own_fault(self, user_id: str, epoch: int | None) -> bool:
        return True


class Abandoning(ReplicaDouble):
    """It does not end the conversations that a lost home was answering."""

    def make_conversations(self) -> PlayedConversations:
        made = super().make_conversations()
        made.take_over = _resume_nothing
        return made


MUTANTS: Mapping[type[ReplicaDouble], str] = {
    Unfenced: "written under epoch",
    Tireless: "before it has looked",
    Hasty: "after the claim",
    Talkative: "when nothing is kept",
    Careless: "no opening is committed",
    Insistent: "fetched 2 times",
    Reassuring: "and the ledger has it",
    Forgetful: "fetched 2 times",
    Overwriting: "is kept",
    Heedless: "is never ended",
    Clinging: "which knows that its user has left",
    Startled: "is told of a bug",
    Abandoning: "is never ended",
}
"""What the judge says of each."""
