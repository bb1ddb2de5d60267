"""The API key of the user `local`, printed at each start: of a folder, or of all replicas alike."""

from __future__ import annotations

import base64
from hashlib import blake2s
from pathlib import Path

from bridge.app.secret_files import read_private, write_private
from bridge.storage.replicas.cluster_facts import ClusterFacts
from bridge.storage.store import Store
from bridge.storage.users import KEY_PREFIX, User, UserTables, hash_secret

LABEL = "printed at start"


async def open_local_key(folder: Path, store: Store, user: User, shared_secret: bytes | None) -> str:
    """Return the key in a folder; another one when there is none, or it was revoked or is damaged.

    `shared_secret`: that of all replicas, from which a key is made that each of them prints, whatever folder
    it has; None for a bridge alone. Once that key was revoked it stays so, and the folder gets its own.

    Raises:
        StoreError: the file cannot be read or written.
        BridgeError: `database_unavailable`.
    """
    path, users = folder / "local.key", UserTables(store)
    known = read_private(path)
    if known and await users.holder_of_key(known):
        return known
    key = None if shared_secret is None else await _open_shared_key(store, user, shared_secret)
    if key is None:
        _, key = await users.add_key(user.id, LABEL)
    write_private(path, key)
    return key


async def _open_shared_key(store: Store, user: User, secret: bytes) -> str | None:
    """Return the key of all replicas; None: it was revoked, or another replica is just about to add it."""
    digest = blake2s(secret, person=b"localkey").digest()
    key = KEY_PREFIX + base64.urlsafe_b64encode(digest).decode().rstrip("=")
    users = UserTables(store)
    if await ClusterFacts(store.fenced_sessions).note_local_key(hash_secret(key)):
        await users.add_key(user.id, LABEL, key=key)
        return key
    return key if await users.holder_of_key(key) else None
