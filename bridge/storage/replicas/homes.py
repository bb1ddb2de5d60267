"""Homes of users in PostgreSQL: implements `bridge.homes.HomeStore`.

Every statement commits by itself, so that nothing is locked while a replica thinks.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from sqlalchemy import RowMapping, text
from sqlalchemy.exc import IntegrityError

from bridge.errors import BridgeError, ErrorCode
from bridge.homes import Home
from bridge.storage.sessions import Sessions

_FIND = text("SELECT user_id, replica, epoch FROM homes WHERE user_id = :user_id")

_CLAIM_FIRST = text(
    "INSERT INTO homes (user_id, replica, epoch, claimed_at) VALUES (:user_id, :replica, 1, :now)"
    " ON CONFLICT (user_id) DO NOTHING RETURNING user_id, replica, epoch"
)

_CLAIM = text(
    "UPDATE homes SET replica = :replica, epoch = epoch + 1, claimed_at = :now"
    " WHERE user_id = :user_id AND replica = :held AND epoch = :epoch RETURNING user_id, replica, epoch"
)

_LIST = text("SELECT user_id, epoch FROM homes WHERE replica = :replica")

OPEN_RUN = "run_state IN ('running', 'moving')"
"""Which conversations a lost home has left amid a run."""

OPEN_RESPONSE = "status IN ('queued', 'in_progress')"
"""Which responses a lost home has left before their end."""

_OPEN_WORK = (
    "SELECT user_id, 0 AS turn FROM calls WHERE ended_at IS NULL"
    f" UNION ALL SELECT user_id, 1 FROM conversations WHERE {OPEN_RUN}"
    f" UNION ALL SELECT user_id, 2 FROM kept_responses WHERE {OPEN_RESPONSE}"
)

_CLAIM_LEFT = text(f"""
    WITH open_work AS (SELECT user_id, min(turn) AS turn FROM ({_OPEN_WORK}) AS found GROUP BY user_id),
    homeless AS (
        INSERT INTO homes (user_id, replica, epoch, claimed_at)
        SELECT user_id, '', 0, 0 FROM open_work
        WHERE NOT EXISTS (SELECT FROM homes WHERE homes.user_id = open_work.user_id)
        ON CONFLICT (user_id) DO NOTHING
    ),
    abandoned AS (
        SELECT homes.user_id, homes.replica, homes.epoch FROM homes JOIN open_work USING (user_id)
        WHERE homes.replica <> ALL (CAST(:live AS text[]))
        ORDER BY open_work.turn, homes.claimed_at LIMIT :limit FOR UPDATE OF homes SKIP LOCKED
    )
    UPDATE homes SET replica = :replica, epoch = homes.epoch + 1, claimed_at = :now FROM abandoned
    WHERE homes.user_id = abandoned.user_id
    RETURNING homes.user_id, homes.replica, homes.epoch, abandoned.replica AS held, abandoned.epoch AS before
""")
"""A user with open work and no home, as a single bridge leaves it, gets one that is claimed the next time."""


class HomeTable:
    """The table of homes."""

    def __init__(self, session: Sessions) -> None:
        """`session`: commits every statement, and waits a second for a lock."""
        self._session = session

    async def find_home(self, user_id: str) -> Home | None:
        """Return where a user is at home; None: was never anywhere."""
        async with self._session() as session:
            found = (await session.execute(_FIND, {"user_id": user_id})).mappings().first()
            return None if found is None else _home(found)

    async def claim_home(self, user_id: str, replica: str, held: Home | None) -> Home:
        """Claim a user for a replica, if the home still is `held`; returns the home as it is then.

        Raises:
            BridgeError: `database_unavailable`, also when openings of calls hold the home for longer than a
                second; `unauthorized`: the user was deleted.
        """
        values = {"user_id": user_id, "replica": replica, "now": time.time()}
        if held is not None:
            values |= {"held": held.replica, "epoch": held.epoch}
        try:
            async with self._session() as session:
                claiming = await session.execute(_CLAIM_FIRST if held is None else _CLAIM, values)
                if (claimed := claiming.mappings().first()) is not None:
                    return _home(claimed)
        except IntegrityError:
            raise _user_deleted() from None
        if (home := await self.find_home(user_id)) is None:
            raise _user_deleted()
        return home

    async def release_home(self, home: Home) -> bool:
        """Give a home up, if it still is the caller's; the epoch rises. Returns whether it was."""
        values = {"user_id": home.user_id, "held": home.replica, "epoch": home.epoch}
        async with self._session() as session:
            released = await session.execute(_CLAIM, values | {"replica": "", "now": time.time()})
            return released.first() is not None

    async def list_homes(self, replica: str) -> Mapping[str, int]:
        """Return the users at home in a replica, with their epochs."""
        async with self._session() as session:
            found = await session.execute(_LIST, {"replica": replica})
            return {row[0]: row[1] for row in found}

    async def claim_left(self, replica: str, live: Sequence[str], limit: int) -> Sequence[tuple[Home, Home]]:
        """Claim users with open work whose replica is not among `live`, those with open calls first."""
        values = {"replica": replica, "live": [replica, *live], "limit": limit, "now": time.time()}
        async with self._session() as session:
            claimed = (await session.execute(_CLAIM_LEFT, values)).mappings().all()
            return [(Home(row["user_id"], row["held"], row["before"]), _home(row)) for row in claimed]


def _home(row: RowMapping) -> Home:
    return Home(row["user_id"], row["replica"], row["epoch"])


def _user_deleted() -> BridgeError:
    return BridgeError(ErrorCode.UNAUTHORIZED, "This user was deleted. Sign in as another one.")
