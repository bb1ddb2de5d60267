"""Providers of models that users set up, in the database. Each method is one transaction.

A provider's key is sealed with the bridge's own secret before it is stored, whether or not the database is
encrypted: a copy of the database alone reveals no key.
"""

from __future__ import annotations

import base64
import hashlib
import logging
import os
from collections.abc import Sequence
from typing import Any, cast

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pydantic import ValidationError
from sqlalchemy import Table, delete, select

from bridge.settings.chat.models import ProviderSettings
from bridge.settings.chat.user_providers import UserProvider
from bridge.settings.storage import StorageSettings
from bridge.storage.dialects import build_upsert, dialect_of
from bridge.storage.encryption import Encrypted, Encryption, Unreadable
from bridge.storage.store import Store
from bridge.storage.tables import ModelProviderRow

PROVIDERS = cast(Table, ModelProviderRow.__table__)

_NONCE_BYTES = 12

_RULES = {"strict_tools", "max_description_chars"}
_LATER_RULES = {"dialect"}
_SEARCH_RULES = {"tool_search"}
"""Settings that are stored beside the others, where replicas of a version that knows none overlook them."""

_log = logging.getLogger(__name__)


def place_of_provider(user_id: str, name: str) -> str:
    """Return the place that the stored bytes of a provider are bound to."""
    return f"{user_id}/model_provider/{name}"


class ModelProviderTable:
    """The providers of all users."""

    def __init__(self, store: Store, settings: StorageSettings, secret: bytes) -> None:
        """`secret`: the bridge's own, which seals their keys."""
        self._session = store.sessions
        self._encryption = Encryption(settings)
        self._seal = AESGCM(hashlib.sha256(b"tool-bridge keys of model providers\n" + secret).digest())

    async def list_providers(self, user_id: str) -> Sequence[UserProvider]:
        """Return a user's own providers and those that are shared, by name; the user's own first."""
        is_theirs = (ModelProviderRow.user_id == user_id) | ModelProviderRow.is_shared
        async with self._session() as session:
            rows = list(await session.scalars(select(ModelProviderRow).where(is_theirs)))
        rows.sort(key=lambda row: (row.user_id != user_id, row.name))
        return [provider for row in rows if (provider := self._read(row)) is not None]

    async def save_provider(self, provider: UserProvider) -> None:
        """Store a provider, in place of its owner's of the same name."""
        name = provider.settings.name
        content = orjson.dumps(
            {
                "settings": provider.settings.model_dump(
                    mode="json", exclude_defaults=True, exclude=_RULES | _LATER_RULES | _SEARCH_RULES
                ),
                "rules": provider.settings.model_dump(mode="json", exclude_defaults=True, include=_RULES),
                "later_rules": provider.settings.model_dump(
                    mode="json", exclude_defaults=True, include=_LATER_RULES
                ),
                "search_rules": provider.settings.model_dump(
                    mode="json", exclude_defaults=True, include=_SEARCH_RULES
                ),
                "models": provider.models,
                "key": self._sealed(provider),
            }
        )
        stored = self._encryption.encrypt_bytes(content, place_of_provider(provider.owner_id, name))
        row = {
            "user_id": provider.owner_id,
            "name": name,
            "is_shared": provider.is_shared,
            "content": stored.content,
            "key_id": stored.key_id,
        }
        async with self._session.begin_transaction(changes="model_providers") as session:
            await session.execute(build_upsert(dialect_of(session), ModelProviderRow), row)

    async def delete_provider(self, owner_id: str, name: str) -> bool:
        """Delete a provider; returns whether there was one."""
        mine = (ModelProviderRow.user_id == owner_id, ModelProviderRow.name == name)
        async with self._session.begin_transaction(changes="model_providers") as session:
            found = await session.scalar(select(ModelProviderRow.name).where(*mine))
            await session.execute(delete(ModelProviderRow).where(*mine))
        return found is not None

    def _sealed(self, provider: UserProvider) -> str | None:
        if provider.key is None:
            return None
        nonce = os.urandom(_NONCE_BYTES)
        place = self._place_of_key(provider.owner_id, provider.settings)
        return base64.b64encode(nonce + self._seal.encrypt(nonce, provider.key.encode(), place)).decode()

    def _opened(self, sealed: str, owner_id: str, settings: ProviderSettings) -> str | None:
        content = base64.b64decode(sealed)
        nonce, encrypted = content[:_NONCE_BYTES], content[_NONCE_BYTES:]
        try:
            return self._seal.decrypt(nonce, encrypted, self._place_of_key(owner_id, settings)).decode()
        except (InvalidTag, ValueError):
            _log.warning("The key of the provider %s cannot be read: enter it again.", settings.name)
            return None

    @staticmethod
    def _place_of_key(owner_id: str, settings: ProviderSettings) -> bytes:
        """Return what a sealed key is bound to: nobody can have it sent to another address."""
        return f"{owner_id}/{settings.name}/{settings.base_url}".encode("utf-8", "surrogatepass")

    def _read(self, row: ModelProviderRow) -> UserProvider | None:
        """Return the provider of a row; None when it cannot be decrypted, or is of another version."""
        encrypted = Encrypted(row.content, row.key_id)
        place = place_of_provider(row.user_id, row.name)
        try:
            content: dict[str, Any] = orjson.loads(self._encryption.decrypt_bytes(encrypted, place))
            members = ("rules", "later_rules", "search_rules")
            rules = {key: value for name in members for key, value in content.get(name, {}).items()}
            settings = ProviderSettings.model_validate({**content["settings"], **rules})
        except (Unreadable, ValidationError, orjson.JSONDecodeError) as error:
            if self._encryption.is_first_miss(encrypted):
                _log.warning("The provider %s cannot be read: %s", row.name, error)
            return None
        sealed = cast("str | None", content["key"])
        key = None if sealed is None else self._opened(sealed, row.user_id, settings)
        return UserProvider(
            row.user_id,
            settings,
            key,
            tuple(content["models"]),
            is_shared=row.is_shared,
            is_key_lost=sealed is not None and key is None,
        )
