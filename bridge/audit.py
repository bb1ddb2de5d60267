"""The audit log's vocabulary: kinds of entries, and the port through which entries are added. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, TypeAlias


class AuditKind(StrEnum):
    """What happened. Each kind is documented in `docs/reference/audit.md`."""

    CALL = "call"
    """Read from the journal of calls, which alone records it."""
    DECISION = "decision"
    """A user allowed or denied one call."""
    GRANT = "grant"
    """A user allowed further calls, or revoked that."""
    ACCEPTANCE = "acceptance"
    DOCUMENT_ADDED = "document_added"
    DOCUMENT_CHANGED = "document_changed"
    DOCUMENT_REMOVED = "document_removed"
    SETTINGS = "settings"
    KEY_CREATED = "key_made"
    KEY_REVOKED = "key_revoked"
    KEY_RESTORED = "key_restored"
    """Its user has undone that it was revoked."""
    LOGIN = "login"
    """Somebody logged in at the OpenID Connect provider, or failed to."""
    DEVICE_PAIRED = "device_paired"
    DEVICE_REMOVED = "device_removed"
    DEVICE_RESTORED = "device_restored"
    """Its user has undone that it was removed."""
    BROWSER_MOVED = "browser_moved"
    """What lives only in a browser was handed over by it, taken back, or fetched by another one."""
    USER_DELETED = "user_deleted"
    USER_DISABLED = "user_disabled"
    """An operator disabled a user, or enabled one again."""
    STORED_DATA_EXPORTED = "kept_exported"
    STORED_DATA_IMPORTED = "kept_imported"
    STORED_DATA_DELETED = "kept_deleted"
    MEMORY_CHANGED = "memory_changed"
    STARTED = "started"
    STOPPED = "stopped"
    REFUSED = "refused"
    """A client was refused that lacked the right, or asked too often."""


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One entry of the audit log."""

    at: float
    """UTC seconds since 1970."""
    kind: AuditKind
    user_id: str | None
    """The user concerned; None for what concerns no user, such as a foreign host."""
    actor: str
    """Who did it: `page <device id>`, `key`, `command line`, `bridge`, or `address <IP>`."""
    call_id: str | None = None
    server_id: str | None = None
    operation_key: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Facts specific to the kind, as JSON values. Never arguments, answers, keys, tickets or credentials."""


OriginOf: TypeAlias = Callable[[str | None], Mapping[str, Any]]
"""Returns facts about where an entry about a user is written; None: it concerns no user."""


def no_origin(_user_id: str | None) -> Mapping[str, Any]:
    """Return what a bridge alone says of where it writes: nothing."""
    return {}


class Audit(Protocol):
    """Adds entries to the audit log."""

    def add_entry(
        self,
        kind: AuditKind,
        user_id: str | None,
        actor: str,
        *,
        call_id: str | None = None,
        server_id: str | None = None,
        operation_key: str | None = None,
        detail: Mapping[str, Any] | None = None,
    ) -> None:
        """Add an entry without waiting for the write; never fails."""
        ...
