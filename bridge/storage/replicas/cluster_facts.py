"""What must be the same in all replicas, such as the fingerprints of their keys, in PostgreSQL."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence, Set

from sqlalchemy import text

from bridge.settings.storage import KEYS_VARIABLE
from bridge.storage.errors import StoreError
from bridge.storage.sessions import Sessions

SIGNING_SECRET = "signing_secret"
ENCRYPTION_KEYS = "encryption_keys"
LOCAL_KEY = "local_key"
"""Names of facts."""

_SETTINGS = {
    SIGNING_SECRET: "the secret that signs (TOOL_BRIDGE_SECRET_KEY, or secret.key in the data folder)",
    ENCRYPTION_KEYS: f"the keys that encrypt what is stored ({KEYS_VARIABLE})",
}
"""What a person has to make the same, by fact."""

_FINGERPRINT_OF = b"tool-bridge fingerprint of the signing secret"

_COMPARE = text(
    "INSERT INTO cluster_facts (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE"
    " SET value = CASE WHEN :is_alone THEN excluded.value ELSE cluster_facts.value END RETURNING value"
)
"""Locks the row, so that of two replicas that start together the second sees the value of the first."""


_NOTE = text(
    "INSERT INTO cluster_facts (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE"
    " SET value = excluded.value WHERE cluster_facts.value <> excluded.value RETURNING value"
)

_READ = text("SELECT value FROM cluster_facts WHERE name = :name")


class ClusterFacts:
    """The facts of all replicas of one database."""

    def __init__(self, session: Sessions) -> None:
        """`session`: commits every statement."""
        self._session = session

    async def insert_or_compare(self, name: str, value: str, *, is_alone: bool) -> bool:
        """Store a fact if there is none, and return whether it is `value` now.

        `is_alone`: no other replica lives, so that another value is replaced.

        Raises:
            BridgeError: `database_unavailable`.
        """
        values = {"name": name, "value": value, "is_alone": is_alone}
        async with self._session() as session:
            return await session.scalar(_COMPARE, values) == value

    async def note_local_key(self, key_hash: str) -> bool:
        """Note that the key which all replicas print is made; returns whether it was not noted before.

        Raises:
            BridgeError: `database_unavailable`.
        """
        async with self._session() as session:
            return await session.scalar(_NOTE, {"name": LOCAL_KEY, "value": key_hash}) is not None

    async def read_key_ids(self) -> Set[str]:
        """Return the ids of the keys with which the replicas that started last encrypt and decrypt.

        Raises:
            BridgeError: `database_unavailable`.
        """
        async with self._session() as session:
            return set((await session.scalar(_READ, {"name": ENCRYPTION_KEYS}) or "").split())


async def check_facts(facts: ClusterFacts, expected: Mapping[str, str], *, is_alone: bool) -> None:
    """Check that this replica's facts are those of the others.

    Raises:
        StoreError: some differ; the text names them, and never a value.
        BridgeError: `database_unavailable`.
    """
    different = [
        name
        for name, value in expected.items()
        if not await facts.insert_or_compare(name, value, is_alone=is_alone)
    ]
    if different:
        named = " and ".join(_SETTINGS.get(name, name) for name in different)
        raise StoreError(
            f"this replica differs from the others of its database in {named}: give all of them the same, or "
            "stop all of them to change it"
        )


def fingerprint_keys(secret: bytes, key_ids: Sequence[str]) -> Mapping[str, str]:
    """Return the facts about the keys of a replica, which reveal none of them.

    `key_ids`: of the keys that encrypt, in any order: while keys are exchanged, replicas may encrypt with
    different ones, as long as each can decrypt what the others have written.
    """
    return {
        SIGNING_SECRET: hmac.new(secret, _FINGERPRINT_OF, hashlib.sha256).hexdigest()[:32],
        ENCRYPTION_KEYS: " ".join(sorted(key_ids)),
    }
