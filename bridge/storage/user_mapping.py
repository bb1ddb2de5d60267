"""Users and their browsers as values, and what their rows say."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bridge.settings.users import LOCAL_USER
from bridge.storage.tables import DeviceRow, UserRow

OPERATOR: Final = "operator"
USER: Final = "user"

Role: TypeAlias = Literal["user", "operator"]
"""What a user may do: for themselves alone, or what concerns everybody."""


@dataclass(frozen=True, slots=True)
class User:
    """A user as callers see it."""

    id: str
    name: str
    """Name for people; a forwarded user's has the name that the forwarder uses, and the forwarder."""
    is_operator: bool = False
    """Whether the user may do what concerns everybody: `local` always, others by the role of their login."""


@dataclass(frozen=True, slots=True)
class UserFacts:
    """A user as the operator sees it."""

    id: str
    name: str
    display_name: str | None
    """Name that a forwarder uses for this user; None: the user was made at the command line."""
    created_at: float
    devices: int
    keys: int
    role: Role
    groups: tuple[str, ...]
    """As of the last login."""
    logged_in_at: float | None
    login_ends_at: float | None
    """When the user's pages want another login; None: never."""
    disabled_at: float | None
    """None: the user may get in."""


@dataclass(frozen=True, slots=True)
class Device:
    """A paired browser."""

    id: str
    user: User
    public_key: str
    """JWK of the device's key, as JSON."""
    name: str
    created_at: float
    last_seen_at: float
    login_ends_at: float | None = None
    """When its user has to log in again; None: never."""


def user_of(row: UserRow) -> User:
    """Return a user as callers see it."""
    is_operator = role_of(row) == OPERATOR
    if row.display_name is None:
        return User(row.id, row.name, is_operator)
    issuer = row.name.partition(":")[0]
    return User(row.id, f"{row.display_name} ({issuer})", is_operator)


def role_of(row: UserRow) -> Role:
    """Return what a user may do now: the role of a login ends with it."""
    has_role = row.role == OPERATOR and row.login_ends_at is not None and row.login_ends_at > time.time()
    return OPERATOR if row.name == LOCAL_USER or has_role else USER


def groups_of(row: UserRow) -> tuple[str, ...]:
    """Return the groups of a user, as of the last login."""
    return tuple(json.loads(row.groups)) if row.groups else ()


def device_of(row: DeviceRow, user: UserRow) -> Device:
    """Return a device as callers see it."""
    return Device(
        row.id, user_of(user), row.public_key, row.name, row.created_at, row.last_seen_at, user.login_ends_at
    )
