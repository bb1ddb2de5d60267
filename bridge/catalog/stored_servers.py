"""Servers as the store keeps them for all replicas: new ids, and changes that come late or too late."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import chain, count

from bridge.catalog.ports import ServerStore
from bridge.catalog.server_view import ServerRecord, UserView
from bridge.catalog.tool_names import SHARED_SCOPE
from bridge.errors import BridgeError, ErrorCode
from toolserver.tool.compile import CompiledDocument


def changed_elsewhere(server_id: str) -> BridgeError:
    """Build the error of a change of a server that is not stored as it was when the change was made."""
    message = (
        f"Another replica of the bridge has changed the server {server_id!r}, or removed it; nothing of "
        "yours was stored. Look at it again in a moment, then repeat your change if it is still wanted."
    )
    return BridgeError(ErrorCode.DOCUMENT_CHANGED, message, detail={"server": server_id})


def without_tools(record: ServerRecord, reason: str) -> CompiledDocument:
    """Build what stands in the place of a document that could not be read, and says why.

    What users decided about its operations stays stored, and counts again when it can be read.
    """
    return CompiledDocument(
        kind="openapi",
        title=record.title,
        version_text="",
        description="",
        digest="",
        openapi="",
        base_url=record.base_url or "",
        origins=(),
        operations=(),
        skipped=(),
        warnings=(f"This document could not be read, so none of its tools is offered: {reason}",),
        security_schemes=(),
    )


async def is_as_stored(view: UserView, store: ServerStore) -> bool | None:
    """Return whether a view still is what its user has chosen; None: the database does not answer.

    It counts as such while it does not: whoever changes it does so where the user is at home, and nobody is
    elsewhere without the database.
    """
    try:
        return (
            await store.list_acceptances(view.user_id) == view.accepted
            and await store.load_selection(view.user_id) == view.chosen
        )
    except BridgeError as error:
        if error.error.code is not ErrorCode.DATABASE_UNAVAILABLE:
            raise
        return None


async def choose_server_id(store: ServerStore, title: str) -> str:
    """Return the id for a new server.

    One under which tools were named for every user stays taken, as those names do: with it, another document
    would take over what others know by them, down to what they saved for it in their browsers.
    """
    named = {server_id for server_id, _ in await store.load_names(SHARED_SCOPE)}
    return new_server_id(title, named | await store.server_ids())


def new_server_id(title: str, taken: Collection[str]) -> str:
    """Return a readable id for URLs, such as `corner-shop`, `corner-shop-2`."""
    base = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:40].rstrip("-") or "server"
    numbered = (f"{base}-{number}" for number in count(2))
    return next(candidate for candidate in chain((base,), numbered) if candidate not in taken)
