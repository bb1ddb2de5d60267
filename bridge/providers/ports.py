"""What the models of a provider need of it: a request out, its events in."""

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
    """Seconds since 1970; 0 when the provider does not say."""
    facts: JsonObject
    """What the list says of it, as members of `ModelSettings`."""


class Provider(Protocol):
    """One provider. Safe for any number of requests at once, on one event loop."""

    settings: ProviderSettings
    failures: Failures

    def stream_events(
        self, path: str, body: JsonObject, note: Note | None = None
    ) -> AsyncGenerator[JsonObject]:
        """The events of one request as decoded JSON, until the provider ends its stream.

        Closing the generator hangs up. `note` is told of tries that failed.

        Raises:
            ModelError: as `Model.stream_round`; a stream that just ends is no error here.
        """
        ...

    async def list_models(self) -> list[Listed]:
        """What the provider lists, each name once.

        Raises:
            ModelError: it cannot be asked now, or answers something else.
        """
        ...

    async def close(self) -> None:
        """Hang up on everybody."""
        ...
