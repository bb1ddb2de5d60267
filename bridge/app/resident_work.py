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
    """Build what `Residents` does, from the components of a replica."""
    runs, responses, journal = parts.conversations.runs, parts.responses, fenced_of(parts)
    left_work = LeftWorkTable(parts.store.fenced_sessions)

    async def settle(home: Home) -> None:
        user_id = home.user_id
        left = await left_work.find_left(user_id, home.epoch)
        in_doubt = await journal.settle_user(user_id, home.epoch) if left.has_calls else 0
        if left.has_calls or left.has_repeatable:
            parts.engine.restore_repeats(await parts.journal.take_over_repeats(user_id))
        ended = await runs.take_over_left(user_id) if left.has_runs else 0
        resumed = await responses.continuer.resume_orphaned(user_id) if left.has_responses else 0
        if in_doubt or ended or resumed:
            _log.warning(
                "User %s came from a lost replica: %d calls in doubt, %d conversations ended, %d responses "
                "resumed.",
                user_id,
                in_doubt,
                ended,
                resumed,
            )

    async def end_work(user_id: str) -> None:
        parts.dispatcher.leave_user(user_id)
        await responses.running.stop_user(user_id)
        await runs.stop_user(user_id)
        parts.engine.forget_repeats(user_id)
        await parts.gateway.move_user(user_id)

    def is_busy(user_id: str) -> bool:
        return bool(
            parts.gateway.pages.count_pages(user_id)
            or parts.dispatcher.open_calls(user_id)
            or responses.running.count_user(user_id)
            or parts.models.requests.count_user(user_id)
            or any(run.user_id == user_id for run in runs.locks.runs)
        )

    return ResidentWork(settle, end_work, is_busy, parts.gateway.pages.expect_user)


def describe_origin(homes: HomeOf, user_id: str | None) -> Mapping[str, Any]:
    """Return what an entry of the audit log says of where it was written; `user_id`: None: of no user."""
    epoch = None if user_id is None else homes.held_epoch(user_id)
    facts = {"replica": homes.replica, "epoch": epoch, "request": current_request() or None}
    return {name: fact for name, fact in facts.items() if fact is not None}
