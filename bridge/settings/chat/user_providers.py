"""Providers of models that users set up in the page, as values. Their keys appear in no text."""

from __future__ import annotations

from dataclasses import dataclass, field

from bridge.settings.chat.models import ProviderSettings

MAX_PROVIDERS = 20
"""Maximum number of providers of one user. Chosen."""

MAX_CHOSEN_MODELS = 500
"""Maximum number of models of one provider that a user chooses by name. Chosen."""

MAX_KEY_CHARS = 4096


@dataclass(frozen=True, slots=True)
class UserProvider:
    """One provider of one user."""

    owner_id: str
    settings: ProviderSettings
    key: str | None = field(default=None, repr=False)
    """None: it needs none."""
    models: tuple[str, ...] = ()
    """The models that are offered; empty: all that it lists."""
    is_shared: bool = False
    """Whether all users are offered it. `TOOL_BRIDGE_SHARING` says who may share one."""
    is_key_lost: bool = False
    """Whether it has a key that cannot be decrypted any more: its user has to enter it again."""
