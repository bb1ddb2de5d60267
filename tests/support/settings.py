"""BridgeSettings of a bridge that a test runs, by the names of their fields."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bridge.settings.bridge import BridgeSettings
from bridge.settings.declaration import sections_of


def bridge_settings(
    folder: Path, *, limits: Mapping[str, float] | None = None, **changes: Any
) -> BridgeSettings:
    """Settings on a free port, where no call asks its user; a change names a field of any section.

    `limits`: by their names in capitals. Nothing is checked: a test may be faster than an operator.
    """
    numbers = {name.lower(): number for name, number in (limits or {}).items()}
    return changed_settings(
        BridgeSettings(data_dir=folder), **{**numbers, "port": 0, "approve": "all", **changes}
    )


def changed_settings(settings: BridgeSettings, **changes: Any) -> BridgeSettings:
    """The same settings but for some fields of any section, constants among them."""
    sections = sections_of(BridgeSettings).items()
    section_of = {field: section for section, owner in sections for field in owner.model_fields}
    for name, value in changes.items():
        if name in section_of:
            section = getattr(settings, section_of[name]).model_copy(update={name: value})
            settings = settings.model_copy(update={section_of[name]: section})
        else:
            settings = settings.model_copy(update={name: value})
    return settings
