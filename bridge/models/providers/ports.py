"""What providers and their models exchange, and the port of the store of providers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from bridge.settings.chat.user_providers import UserProvider
from toolserver.json_types import JsonObject

Refuse: TypeAlias = Callable[[str], None]
"""Takes a host; raises OSError, with the reason, if it must not be reached, and ValueError if it is no
address."""


STREAM_DONE: JsonObject = {"type": "[DONE]"}
"""What a stream yields last where the provider said that it ends; to be compared by identity."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A model in a provider's list."""

    name: str
    created: int
    """Creation time in seconds since 1970; 0 when the provider does not say."""
    facts: JsonObject
    """What the list says about it, as members of `ModelSettings`."""


class ProviderStore(Protocol):
    """The providers that users set up.

    Raises, in every coroutine:
        BridgeError: `database_unavailable`.
    """

    async def list_providers(self, user_id: str) -> Sequence[UserProvider]:
        """Return a user's own providers and those that are shared, by name; the user's own first."""
        ...

    async def save_provider(self, provider: UserProvider) -> None:
        """Store a provider, in place of its owner's of the same name."""
        ...

    async def delete_provider(self, owner_id: str, name: str) -> bool:
        """Delete a provider; returns whether there was one."""
        ...
