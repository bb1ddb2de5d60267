"""The ports of providers: what a model needs of one, a request out and its events in; and their store."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from bridge.agent.model import Note
from bridge.providers.errors import Failures
from bridge.settings.models import ProviderSettings
from bridge.settings.user_providers import UserProvider
from bridge.tracing.context import TraceContext
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


class Provider(Protocol):
    """One provider. Safe for any number of concurrent requests on one event loop."""

    settings: ProviderSettings
    failures: Failures

    def stream_events(
        self, path: str, body: JsonObject, note: Note | None = None, trace: TraceContext | None = None
    ) -> AsyncGenerator[JsonObject]:
        """Yield the events of one request as decoded JSON, until the provider ends its stream.

        An answer that is no stream but one JSON object is its one event. `STREAM_DONE` comes last where the
        provider said that nothing follows, by `[DONE]` or by such an answer.

        Closing the generator closes the connection. `note` is informed of failed attempts. A provider whose
        settings say so is told of `trace`.

        Raises:
            ModelError: as `Model.stream_round`; a stream that just ends is no error here.
        """
        ...

    async def request_models(self) -> list[Listed]:
        """Return the models that the provider lists, each name once.

        Raises:
            ModelError: it cannot be asked now, or answers with something else.
        """
        ...

    async def close_client(self) -> None:
        """Close all connections."""
        ...


class ProviderStore(Protocol):
    """The providers that users set up.

    Raises, in every coroutine:
        BridgeError: `store_unavailable`.
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
