"""What logins at an OpenID Connect provider say of users, and which users an operator has disabled."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import update

from bridge.storage.dialects import lock_user
from bridge.storage.store import Store
from bridge.storage.tables import UserRow
from bridge.storage.user_mapping import OPERATOR, User, user_of
from bridge.storage.users import ensure_user_row


@dataclass(frozen=True, slots=True)
class Login:
    """Who has logged in, and as what."""

    name: str
    """Name of the user here: who vouches for it, a colon and the id there, which never changes."""
    display_name: str
    groups: tuple[str, ...]
    is_operator: bool
    hours: float
    """How long it counts."""


class LoginTable:
    """Logins of users. Every method is one transaction.

    Raises, each method:
        BridgeError: `database_unavailable`.
    """

    def __init__(self, store: Store, now: Callable[[], float] = time.time) -> None:
        self._session = store.sessions
        self._now = now

    async def note_login(self, login: Login) -> User | None:
        """Record a login, and return its user, created if new; None: an operator has disabled the user."""
        now = self._now()
        async with self._session.begin_transaction(changes="devices") as session:
            row = await ensure_user_row(session, login.name)
            await lock_user(session, row.id)
            if row.disabled_at is not None:
                return None
            row.display_name = login.display_name
            row.groups = json.dumps(login.groups)
            row.role = OPERATOR if login.is_operator else None
            row.logged_in_at, row.login_ends_at = now, now + 3600 * login.hours
            return user_of(row)

    async def end_login(self, name: str) -> None:
        """End the login of the user of that name, if there is one and it still counts."""
        now = self._now()
        statement = update(UserRow).where(UserRow.name == name, UserRow.login_ends_at > now)
        async with self._session.begin_transaction(changes="devices") as session:
            await session.execute(statement.values(login_ends_at=now))

    async def set_disabled(self, user_id: str, *, disabled: bool) -> bool:
        """Disable or enable a user; False when there is no such user. What was stored stays."""
        moment = self._now() if disabled else None
        statement = update(UserRow).where(UserRow.id == user_id).values(disabled_at=moment)
        async with self._session.begin_transaction(changes="devices") as session:
            return (await session.execute(statement.returning(UserRow.id))).first() is not None
