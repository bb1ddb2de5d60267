"""What older homes of a user have left, asked for in one statement at every claim."""

from __future__ import annotations

import time
from dataclasses import dataclass

from sqlalchemy import text

from bridge.storage.call_journal import REPEATABLE_SECONDS
from bridge.storage.replicas.homes import OPEN_RESPONSE, OPEN_RUN
from bridge.storage.sessions import Sessions

_FIND = text(f"""
    SELECT
        EXISTS (SELECT FROM calls WHERE user_id = :user_id AND ended_at IS NULL
            AND (epoch IS NULL OR epoch < :epoch)) AS has_calls,
        EXISTS (SELECT FROM calls WHERE user_id = :user_id AND opened_at > :since AND digest IS NOT NULL
            AND (heard IS NOT TRUE OR state = 'outcome_unknown')) AS has_repeatable,
        EXISTS (SELECT FROM conversations WHERE user_id = :user_id AND {OPEN_RUN}) AS has_runs,
        EXISTS (SELECT FROM kept_responses WHERE user_id = :user_id AND {OPEN_RESPONSE}) AS has_responses
""")


@dataclass(frozen=True, slots=True)
class LeftWork:
    """What is to be settled of a user who comes from another home."""

    has_calls: bool
    """Calls that are open under an older claim."""
    has_repeatable: bool
    """Calls whose repetition is to be recognized, because their answer may not have been heard."""
    has_runs: bool
    """Conversations that are being answered."""
    has_responses: bool
    """Responses that have not ended."""


class LeftWorkTable:
    """Reads what older homes of users have left."""

    def __init__(self, session: Sessions) -> None:
        self._session = session

    async def find_left(self, user_id: str, epoch: int) -> LeftWork:
        """Return what claims of a user before `epoch` have left.

        Nothing is added to it any more once the claim of `epoch` is committed, which fences what is older.

        Raises:
            BridgeError: `database_unavailable`.
        """
        values = {"user_id": user_id, "epoch": epoch, "since": time.time() - REPEATABLE_SECONDS}
        async with self._session() as session:
            return LeftWork(*(await session.execute(_FIND, values)).one())
