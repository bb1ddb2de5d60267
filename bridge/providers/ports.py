"""The port of a provider: what its models need, a request out and its events in."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Protocol

from bridge.agent.model import Note
from bridge.providers.errors import Failures
from bridge.settings.models import ProviderSettings
from toolserver.json_types import JsonObject


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
        self, path: str, body: JsonObject, note: Note | None = None
    ) -> AsyncGenerator[JsonObject]:
        """Yield the events of one request as decoded JSON, until the provider ends its stream.

        Closing the generator closes the connection. `note` is informed of failed attempts.

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
