"""What a user may have in a replica: taken over when the user comes, ended when the user is elsewhere."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from bridge.app.composition import Components
from bridge.calls.fenced_journal import FencedJournal
from bridge.cluster.residents import ResidentWork
from bridge.homes import Home, HomeOf
from bridge.log_lines import current_request
from bridge.storage.replicas.left_work import LeftWorkTable

_log = logging.getLogger(__name__)


def fenced_of(parts: Components) -> FencedJournal:
    """Return the journal of a replica."""
    if parts.records.fenced is None:
        raise ValueError("these are the components of a bridge that is alone")
    return parts.records.fenced


def compose_resident_work(parts: Components) -> ResidentWork:
    """Build what `Residents` does, from the parts of a replica, which are asked in their order."""
    left_work = LeftWorkTable(parts.store.fenced_sessions)

    async def settle(home: Home) -> None:
        left = await left_work.find_left(home.user_id, home.epoch)
        done = [await part.take_over_user(home, left) for part in parts.parts]
        if said := ", ".join(filter(None, done)):
            _log.warning("User %s came from a lost replica: %s.", home.user_id, said)

    async def end_work(user_id: str) -> None:
        for part in parts.parts:
            await part.end_user(user_id)

    def is_busy(user_id: str) -> bool:
        return any(part.is_busy(user_id) for part in parts.parts)

    return ResidentWork(settle, end_work, is_busy, parts.gateway.pages.expect_user)


def describe_origin(homes: HomeOf, user_id: str | None) -> Mapping[str, Any]:
    """Return what an entry of the audit log says of where it was written; `user_id`: None: of no user."""
    epoch = None if user_id is None else homes.held_epoch(user_id)
    facts = {"replica": homes.replica, "epoch": epoch, "request": current_request() or None}
    return {name: fact for name, fact in facts.items() if fact is not None}
