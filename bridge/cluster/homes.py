"""Homes of users: which are here, which elsewhere, and which nobody holds.

The database decides every claim (`HomeStore`); what Redis says is a hint that spares a question. Nobody
holds a lock over a wait: two replicas may claim a user at once, and one of them wins. All methods run on one
event loop.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from bridge.cluster.counters import CounterName, ReplicaCounters
from bridge.cluster.membership import Membership
from bridge.cluster.ports import ClusterUnavailable, ReplicaDirectory
from bridge.errors import BridgeError, ErrorCode
from bridge.homes import Home, HomeStore
from bridge.tasks import Tasks, sleep_safely

CLAIMS_AT_ONCE = 32
"""Maximum claims of one replica that are settled at the same time, so that a failover of thousands does not
starve those who come first."""

SWEEP_S = 5.0
"""Seconds between two comparisons with the database, and between two looks for users left behind."""

MOVE_WAIT_S = 10.0
"""Seconds for which a request waits for its user's home to be found: longer than it takes to notice that a
replica is dead, and to settle what it left."""

FIRST_LOOK_S, LAST_LOOK_S = 0.1, 0.5
"""Seconds between two looks meanwhile; each wait is twice the one before. A replica that is found dead
ends them all: the users of one that died need not ask the database all the time until that is noticed."""

UNREACHED_S = 2.0
"""Seconds for which no page is sent to a replica that took no connection."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HomeHooks:
    """What happens around a user's home here."""

    enter: Callable[[Home], Awaitable[None]]
    """Settles what older epochs have left of a user, before anything is served; may raise `BridgeError`."""
    leave: Callable[[str], None]
    """Ends everything of a user who is not at home here any more; must not fail or wait."""
    is_idle: Callable[[str], bool]
    """Whether nothing of a user is open here, and was not for a while."""


@dataclass(frozen=True, slots=True)
class Located:
    """Where a user is at home now."""

    home: Home
    url: str
    """Address of that replica for other replicas; empty: it is this one."""


class Homes:
    """The homes of one replica. Implements `HomeOf`."""

    def __init__(
        self,
        replica: str,
        store: HomeStore,
        directory: ReplicaDirectory,
        membership: Membership,
        *,
        hooks: HomeHooks,
        tasks: Tasks,
        counters: ReplicaCounters,
    ) -> None:
        self._replica = replica
        self._store = store
        self._directory = directory
        self._membership = membership
        self._hooks = hooks
        self._tasks = tasks
        self._counters = counters
        self._epochs: dict[str, int] = {}
        self._spent: dict[str, int] = {}
        """Last epochs under which users were at home here: nothing new may begin under them."""
        self._moving: set[str] = set()
        self._elsewhere: dict[str, Home] = {}
        self._searches: dict[str, asyncio.Task[Located | BridgeError]] = {}
        self._admission = asyncio.Semaphore(CLAIMS_AT_ONCE)
        self._takes_users = True
        self._handed_over = Counter[str]()
        """Users given to other replicas, which say only with their next heartbeat how many they have."""
        self._news = asyncio.Event()
        """Set, and replaced, when other replicas live than did."""
        self._unreached: dict[str, float] = {}
        """When replicas that live took no connection of this one, by the loop's time."""

    @property
    def replica(self) -> str:
        """Id of this replica."""
        return self._replica

    @property
    def user_ids(self) -> Sequence[str]:
        """The users at home here."""
        return list(self._epochs)

    def epoch_of(self, user_id: str) -> int | None:
        """Return the epoch under which a user is at home here; None: is not, or may not be any more."""
        return self._epochs.get(user_id) if self._membership.is_awake else None

    def held_epoch(self, user_id: str) -> int | None:
        """Return the epoch that this replica believes to hold of a user; the database knows better."""
        return self._epochs.get(user_id)

    def takes_work(self, user_id: str) -> bool:
        """Return whether new work of a user may begin here, as far as is known without a question."""
        return user_id not in self._moving and self.epoch_of(user_id) is not None

    async def admits(self, user_id: str, epoch: int) -> bool:
        """Return whether work that another replica sends here for an epoch may begin.

        Raises:
            BridgeError: `cluster_unavailable`, `database_unavailable`.
        """
        if self._epochs.get(user_id, 0) < epoch:  # it may have been handed over a moment ago
            home = await self._store.find_home(user_id)
            if home == Home(user_id, self._replica, epoch):
                await self._find(user_id, afresh=True)
        return user_id not in self._moving and self.epoch_of(user_id) == epoch

    async def locate(
        self, user_id: str, *, refused: Home | None = None, is_unreached: bool = False
    ) -> Located:
        """Return where a user is at home; claims one who is nowhere, or whose replica is dead.

        `refused`: the home that could not be reached, or says that the user is not there: this waits up to
        `MOVE_WAIT_S` for another one. `is_unreached`: there is no connection to it; if it lives, it is asked
        to hand the user over, and the wait ends when it keeps the user. Cancelling it ends the wait, not the
        claim.

        Raises:
            BridgeError: `cluster_unavailable`, `database_unavailable`.
        """
        if refused is None and (known := self._known_home(user_id)) is not None:
            return known
        if refused is not None and is_unreached:
            self._unreached[refused.replica] = asyncio.get_running_loop().time()
        with suppress(TimeoutError):
            async with asyncio.timeout(MOVE_WAIT_S):
                asked = refused if is_unreached and await self._ask_for(refused) else None
                for look in itertools.count():
                    if (found := await self._look_once_more(user_id, refused, asked)) is not None:
                        return found
                    await self._wait_for_news(look)
        raise _no_answer()

    async def locate_for_page(self, user_id: str) -> Located:
        """As `locate`, for a page that is sent there: not to a home that may be dead or frozen.

        It waits until that home is heard of again, or the user is at home elsewhere.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(MOVE_WAIT_S):
                for look in itertools.count():
                    found = await self.locate(user_id)
                    if not found.url or self._is_sound(found.home.replica):
                        return found
                    await self._wait_for_news(look)
        raise _no_answer()

    def _is_sound(self, replica: str) -> bool:
        if not self._membership.is_connected:
            return True  # nobody is heard of while Redis is away, and known homes are still led to
        unreached_s = asyncio.get_running_loop().time() - self._unreached.get(replica, float("-inf"))
        return self._membership.is_heard(replica) and unreached_s > UNREACHED_S

    async def _look_once_more(self, user_id: str, refused: Home | None, asked: Home | None) -> Located | None:
        """Return another home than the refused one, if there is one now.

        Raises:
            BridgeError: also when the home that was asked to hand the user over does not.
        """
        has_decided = asked is not None and await self._has_decided(asked)  # before the look: it acts first
        found = await self._find(user_id, afresh=refused is not None)
        if found.home != refused:
            return found
        if has_decided:
            raise _unavailable(
                "its replica is not reached from here, and something of the user is open there"
            )
        return None

    async def _ask_for(self, home: Home | None) -> bool:
        """Ask a home that lives to hand its user over; returns whether it was asked."""
        if home is None or not self._takes_users:
            return False
        with suppress(ClusterUnavailable):
            await self._directory.want_user(home, self._replica)
            return True
        return False

    async def _has_decided(self, home: Home) -> bool:
        with suppress(ClusterUnavailable):
            return not await self._directory.is_wanted(home)
        return False

    async def _find(self, user_id: str, *, afresh: bool) -> Located:
        # Shared with others who ask for the user: one who hangs up must not end their search.
        found = await asyncio.shield(self._start_search(user_id, afresh=afresh))
        if isinstance(found, BridgeError):
            raise found
        return found

    async def give_up(self, user_id: str, *, to: str = "") -> None:
        """Release a user, for whom nothing more may be done here, or hand the user over to a replica.

        Raises:
            BridgeError: `database_unavailable`; the user is not at home here then, either.
        """
        epoch = self._epochs.get(user_id)
        if epoch is None:
            return
        self._drop(user_id)  # before the wait: nothing may begin here once another replica can have the user
        home = Home(user_id, self._replica, epoch)
        if to:
            home = await self._store.claim_home(user_id, to, home)
            self._counters.count("claims_handed_over")
        elif await self._store.release_home(home):
            home = Home(user_id, "", epoch + 1)
        await self._leave_hint(home)

    def refuse_users(self) -> None:
        """Claim nobody for this replica any more: it stops."""
        self._takes_users = False

    def begin_move(self, user_id: str) -> None:
        """Begin no new work of a user: requests wait until the user is at home elsewhere."""
        self._moving.add(user_id)

    def choose_successor(self) -> str:
        """Return the replica that takes the next user best; empty: none does."""
        others = [info for info in self._membership.live.values() if info.id != self._replica]
        ready = [info for info in others if info.state == "ready"]
        if not ready:
            return ""
        chosen = min(ready, key=lambda info: info.users + self._handed_over[info.id]).id
        self._handed_over[chosen] += 1
        return chosen

    async def keep_homes(self) -> None:
        """Compare with the database, release idle users and take over those left behind, until cancelled."""
        while True:
            await sleep_safely(SWEEP_S)
            try:
                await self.check_homes()
                if self._membership.is_connected:  # else nobody could claim them again
                    await self._release_idle()
                await self._take_over_left()
            except BridgeError as error:
                _log.warning("Homes cannot be compared with the database: %s", error.error.message)

    async def check_homes(self) -> None:
        """Give up the users whom the database has elsewhere, and serve those whom it has here.

        Raises:
            BridgeError: `database_unavailable`; then nothing was changed.
        """
        before = dict(self._epochs)
        stored = await self._store.list_homes(self._replica)
        for user_id, epoch in before.items():
            # The second half: the user may have moved or come back during the query.
            if stored.get(user_id) != epoch and self._epochs.get(user_id) == epoch:
                _log.warning(
                    "User %s is at home in another replica now; here it was epoch %d.", user_id, epoch
                )
                self._counters.count("homes_differed")
                self._drop(user_id)
        for user_id in stored:
            if user_id not in self._epochs and user_id not in self._searches:
                self._start_search(user_id, afresh=True)

    def _known_home(self, user_id: str) -> Located | None:
        """Return the home of a user as far as no question is needed."""
        if user_id not in self._moving and (epoch := self.epoch_of(user_id)) is not None:
            return Located(Home(user_id, self._replica, epoch), "")
        home = self._elsewhere.get(user_id)
        info = None if home is None else self._membership.live.get(home.replica)
        return None if home is None or info is None else Located(home, info.url)

    def _start_search(self, user_id: str, *, afresh: bool) -> asyncio.Task[Located | BridgeError]:
        """Search for a user's home in a task; while one runs, others share it."""
        task = self._searches.get(user_id)
        if task is None:
            task = self._tasks.start_task(self._search(user_id, afresh=afresh), f"home of {user_id}")
            self._searches[user_id] = task
        return task

    async def _search(self, user_id: str, *, afresh: bool) -> Located | BridgeError:
        try:
            async with asyncio.timeout(MOVE_WAIT_S):
                for look in itertools.count():
                    if (found := await self._look(user_id, afresh=afresh or look > 0)) is not None:
                        return found
                    await self._wait_for_news(look)
        except TimeoutError:
            pass
        except BridgeError as error:
            return error
        finally:
            del self._searches[user_id]
        return _no_answer()

    async def _wait_for_news(self, look: int) -> None:
        """Wait before the next look, until other replicas live than did."""
        with suppress(TimeoutError):
            async with asyncio.timeout(min(LAST_LOOK_S, FIRST_LOOK_S * 2**look)):
                await self._news.wait()

    def replicas_changed(self) -> None:
        """End every wait for a home: other replicas live than did."""
        self._news.set()
        self._news = asyncio.Event()

    async def _look(self, user_id: str, *, afresh: bool) -> Located | None:
        """Return where a user is at home; None: nobody can say yet."""
        if not self._membership.is_connected:
            raise _unavailable("Redis does not answer")
        self._elsewhere.pop(user_id, None)
        if not self._membership.is_awake or user_id in self._moving:
            return None
        if not afresh and (hinted := await self._follow_hint(user_id)) is not None:
            return hinted
        home = await self._store.find_home(user_id)
        if home is None or not home.replica:
            return await self._claim(user_id, home)
        if home.replica == self._replica:
            # Nothing may begin again under an epoch that has ended here; a claim makes a new one.
            is_spent = home.epoch <= self._spent.get(user_id, 0)
            return await (self._claim(user_id, home) if is_spent else self._come_home(home))
        if home.replica in self._membership.live:
            return self._remember(home)
        # A replica that is not listed may only be unheard of: claiming its users then would serve them twice.
        return await self._claim(user_id, home) if self._membership.proves_absence else None

    async def _follow_hint(self, user_id: str) -> Located | None:
        try:
            home = await self._directory.hinted_home(user_id)
        except ClusterUnavailable:
            return None
        # That a user is here is for the database to say: a hint may be older than the last move.
        if home is None or home.replica == self._replica or home.replica not in self._membership.live:
            return None
        return self._remember(home)

    def _remember(self, home: Home) -> Located:
        self._elsewhere[home.user_id] = home
        return Located(home, self._membership.live[home.replica].url)

    async def _claim(self, user_id: str, held: Home | None) -> Located | None:
        """Claim a user, for another replica if this one stops; None: somebody was faster."""
        chosen = self._replica if self._takes_users else self.choose_successor()
        if not chosen:
            raise _unavailable("this replica stops, and no other one lives")
        home = await self._store.claim_home(user_id, chosen, held)
        if home.replica == self._replica:
            self._counters.count(_reason(held, self._replica))
            return await self._come_home(home)
        return self._remember(home) if home.replica in self._membership.live else None

    async def _come_home(self, home: Home) -> Located:
        """Serve a user from now on, after settling what was left."""
        if self._epochs.get(home.user_id) != home.epoch:
            self._drop(home.user_id)
            async with self._admission:
                await self._hooks.enter(home)
            # Only now: what older epochs left must be settled before anything new begins.
            self._epochs[home.user_id] = home.epoch
            await self._leave_hint(home)
        return Located(home, "")

    async def _leave_hint(self, home: Home) -> None:
        with suppress(ClusterUnavailable):  # a hint only
            await self._directory.remember_home(home)

    def _drop(self, user_id: str) -> None:
        self._moving.discard(user_id)
        if (epoch := self._epochs.pop(user_id, None)) is not None:
            self._spent[user_id] = epoch
            self._hooks.leave(user_id)

    def forget_replica(self, replica: str) -> None:
        """Forget where users are at home in a replica that is dead."""
        self._elsewhere = {user: home for user, home in self._elsewhere.items() if home.replica != replica}
        self._unreached.pop(replica, None)

    async def _release_idle(self) -> None:
        for user_id in self.user_ids:
            if self._hooks.is_idle(user_id):
                await self.give_up(user_id)

    async def _take_over_left(self) -> None:
        """Claim users with open work whom nobody asks for, so that their work ends or goes on."""
        members = self._membership
        if not (members.proves_absence and members.is_awake and self._takes_users):
            return
        for before, home in await self._store.claim_left(self._replica, list(members.live), CLAIMS_AT_ONCE):
            _log.warning(
                "User %s was left behind by replica %s, and is here from epoch %d on.",
                home.user_id,
                before.replica or "none",
                home.epoch,
            )
            self._counters.count("claims_left_behind")
            self._start_search(home.user_id, afresh=True)


def _reason(held: Home | None, replica: str) -> CounterName:
    """Return why a user was claimed who was at home in `held`."""
    if held is None:
        return "claims_first"
    if not held.replica:
        return "claims_released"
    return "claims_again" if held.replica == replica else "claims_lost"


def _unavailable(reason: str) -> BridgeError:
    message = f"No replica can serve this user now: {reason}. Nothing was sent; try again."
    return BridgeError(ErrorCode.CLUSTER_UNAVAILABLE, message, retryable=True)


def _no_answer() -> BridgeError:
    return _unavailable("the replica that has the user does not answer, and none may take over yet")
