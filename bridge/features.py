"""Features that no other code names: each is one line here, and modules of its own.

Modules stand here by name, so that each is loaded where it is needed: settings for the help of a command,
tables for a copy of the database, the part when a bridge is composed. A feature on which others are built
has its part in `bridge/app/composition.py` and its section in `bridge/settings/tree.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Feature(NamedTuple):
    """Where the modules of a feature are."""

    part: str
    """`module:class` of its part, which takes the `Components`. They are complete once the bridge starts."""
    settings: str
    """`module:class` of its section of the settings."""
    tables: str = ""
    """Module of its tables; "" for none. Its migration is found among the others."""


FEATURES: Mapping[str, Feature] = {
    "canary": Feature("bridge.app.parts.canary:CanaryPart", "bridge.settings.canary:CanarySettings"),
}
"""Every such feature, by the name of its section."""
