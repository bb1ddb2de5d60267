"""Which providers and models there are, as a file or the environment tells.

Receives text of TOML and the environment's names; gives values. Knows nothing of HTTP and of the loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

ProviderApi: TypeAlias = Literal["responses", "chat"]
"""What a provider speaks: the Responses API, or Chat Completions."""

DEFAULT_CONNECT_S, DEFAULT_FIRST_EVENT_S, DEFAULT_IDLE_S = 30.0, 600.0, 600.0


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """One provider, without its key."""

    name: str
    """The operator's, for messages."""
    base_url: str
    """Up to and with the version, such as `https://api.openai.com/v1`."""
    api: ProviderApi = "responses"
    connect_s: float = DEFAULT_CONNECT_S
    """For one try to connect."""
    first_event_s: float = DEFAULT_FIRST_EVENT_S
    """From a round's start to its first event, all tries together."""
    idle_s: float = DEFAULT_IDLE_S
    """Without one byte from a provider that is connected, before its first event and amid the stream."""
