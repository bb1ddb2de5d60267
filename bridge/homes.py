"""Homes: in which replica everything of a user lives, and since which claim.

PostgreSQL is the authority: only there an epoch is made. What a replica writes for a user carries its epoch,
and is refused once another replica has claimed that user.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from bridge.errors import BridgeError, ErrorCode


@dataclass(frozen=True, slots=True)
class Home:
    """Where a user is at home, as PostgreSQL has it."""

    user_id: str
    replica: str
    """Id of the replica; empty: it was released, and nobody has claimed it since."""
    epoch: int
    """Number of the claim; every claim has a higher one than all before it of the same user."""


class HomeStore(Protocol):
    """The table of homes in PostgreSQL. Every method is one autocommit statement.

    Raises, in every method:
        BridgeError: `database_unavailable`.
    """

    async def find_home(self, user_id: str) -> Home | None:
        """Return where a user is at home; None: was never anywhere."""
        ...

    async def claim_home(self, user_id: str, replica: str, held: Home | None) -> Home:
        """Claim a user for a replica, if the home still is `held`; returns the home as it is then.

        The epoch of a successful claim is higher than that of `held`. Waits for openings of calls that are
        being committed under the old epoch, at most a second.
        """
        ...

    async def release_home(self, home: Home) -> bool:
        """Give a home up, if it still is the caller's; the epoch rises. Returns whether it was."""
        ...

    async def list_homes(self, replica: str) -> Mapping[str, int]:
        """Return the users at home in a replica, with their epochs."""
        ...

    async def claim_left(self, replica: str, live: Sequence[str], limit: int) -> Sequence[tuple[Home, Home]]:
        """Claim users with open work whose replica is not among `live`; locked rows are skipped.

        Returns (home before, home now) of at most `limit` users.
        """
        ...


class HomeOf(Protocol):
    """What decides whether this replica still may act for a user. Synchronous, for every send and go."""

    @property
    def replica(self) -> str:
        """Id of this replica."""
        ...

    def epoch_of(self, user_id: str) -> int | None:
        """Return the epoch under which the user is at home here; None: is not, or may not be any more."""
        ...

    def held_epoch(self, user_id: str) -> int | None:
        """Return the epoch under which the user was last at home here, as far as this replica knows.

        For writes, which the database checks; None: it knows that the user is not.
        """
        ...


EpochOf: TypeAlias = Callable[[str], int | None]
"""Returns the claim under which a user's rows are written now; None: there are no replicas.

Raises `BridgeError`, `replica_lost`: the user is not at home here any more, and nothing may be written.
"""


def no_epoch(_user_id: str) -> None:
    """Return the claim of every user of a bridge that is alone: none."""


def held_epochs(homes: HomeOf) -> EpochOf:
    """Return what stamps the rows of a replica."""

    def epoch_of(user_id: str) -> int:
        if (epoch := homes.held_epoch(user_id)) is None:
            raise user_elsewhere()
        return epoch

    return epoch_of


def user_elsewhere() -> BridgeError:
    """Build the error of a write for a user who is at home in another replica."""
    message = "The user is at home in another replica of the bridge; nothing was written here. Try again."
    return BridgeError(ErrorCode.REPLICA_LOST, message, retryable=True)
