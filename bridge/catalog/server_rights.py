"""Who may change a server, share it and take that back, and whom such a change concerns. Pure."""

from __future__ import annotations

from collections.abc import Set

from bridge.catalog.server_view import ServerRecord
from bridge.errors import BridgeError, ErrorCode


def may_change(record: ServerRecord, user_id: str, *, is_operator: bool) -> bool:
    """Whether a user who has the server may change it: its owner may, and operators."""
    return is_operator or record.owner_id == user_id


def check_change(record: ServerRecord, user_id: str, *, is_operator: bool) -> None:
    """Raises BridgeError `operator_only` for a user who may not change the server."""
    if not may_change(record, user_id, is_operator=is_operator):
        whose = "an operator" if record.owner_id is None else "the user who shares it, or an operator,"
        message = f"This server is shared; only {whose} may change it. Add the document for yourself instead."
        raise BridgeError(ErrorCode.OPERATOR_ONLY, message)


def check_edit(record: ServerRecord, user_id: str) -> None:
    """Raises BridgeError for a user who may not edit the tools of the server: only its owner may.

    `operator_only`, or `invalid_request` for a server of the command line.
    """
    if record.owner_id is None:
        message = "This server comes from the command line; name its overlays there, with --overlay."
        raise BridgeError(ErrorCode.INVALID_REQUEST, message)
    if record.owner_id != user_id:
        message = "Only the user who shares this server may edit its tools. Add the document for yourself."
        raise BridgeError(ErrorCode.OPERATOR_ONLY, message)


def check_removal(record: ServerRecord) -> None:
    """Raises BridgeError `invalid_request` for a server that is no user's."""
    if record.owner_id is None:
        message = "This server comes from the command line; remove it there."
        raise BridgeError(ErrorCode.INVALID_REQUEST, message)


def may_share(record: ServerRecord, user_id: str, *, is_allowed: bool, is_operator: bool) -> bool:
    """Whether a user may share a server, or, if it is shared, take that back.

    `is_allowed`: whether the bridge lets the user share. Whoever shares a server may always take it back.
    """
    if record.owner_id is None:
        return False
    return may_change(record, user_id, is_operator=is_operator) and (is_allowed or record.is_shared)


def check_sharing(
    record: ServerRecord, user_id: str, *, is_shared: bool, is_allowed: bool, is_operator: bool
) -> None:
    """Raises BridgeError for a user who may not have the server shared, or not shared any more, as wanted.

    `operator_only`, or `invalid_request` for a server that is no user's.
    """
    if record.owner_id is None:
        message = "This server comes from the command line, which offers it to every user; change that there."
        raise BridgeError(ErrorCode.INVALID_REQUEST, message)
    check_change(record, user_id, is_operator=is_operator)
    if is_shared and not may_share(record, user_id, is_allowed=is_allowed, is_operator=is_operator):
        message = (
            "You may not share a server: TOOL_BRIDGE_SHARING (--sharing) does not let you. Give others the "
            "document, or ask an operator of the bridge."
        )
        raise BridgeError(ErrorCode.OPERATOR_ONLY, message)


def is_offered(record: ServerRecord, disabled: Set[str]) -> bool:
    """Whether every user has a server. `disabled`: ids of users whose shared servers nobody is offered."""
    return record.audience is None and record.owner_id not in disabled


def is_of_other(record: ServerRecord, user_id: str) -> bool:
    """Whether another user has added the server; what the command line names is nobody's."""
    return record.owner_id not in (None, user_id)


def audience_of_change(before: ServerRecord | None, after: ServerRecord) -> str | None:
    """Return the id of the only user whom a change of a server concerns; None: every user."""
    was_offered = before is not None and before.audience is None
    return None if was_offered else after.audience
