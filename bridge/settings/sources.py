"""Reads settings from the command line and the environment, and says what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource

from bridge.settings.bridge import BridgeSettings
from bridge.settings.declaration import (
    Section,
    Setting,
    SettingsError,
    explain_error,
    list_settings,
    settings_of_section,
)
from bridge.settings.obsolete import RENAMED

AnySection = TypeVar("AnySection", bound=Section)


class NamedValues(PydanticBaseSettingsSource):
    """Values by the names of variables: the environment, or the options that were given."""

    def __init__(self, values: Mapping[str, Any], settings_cls: type[BaseSettings] = BridgeSettings) -> None:
        super().__init__(settings_cls)
        self._values = values

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        """Return the value of a member of the root, its key, and that it needs no decoding."""
        return self._values.get(field_name), field_name, False

    def __call__(self) -> dict[str, Any]:
        """Return the values that are given, by section and field."""
        found: dict[str, dict[str, Any]] = {}
        for setting in list_settings(self.settings_cls):
            if (given := find_value(setting, self._values)) is not None:
                found.setdefault(setting.section, {})[setting.field] = given.value
        return dict(found)


class Given(NamedTuple):
    """A value, and the name under which it is given."""

    name: str
    value: Any


def find_value(setting: Setting, values: Mapping[str, Any]) -> Given | None:
    """Return the value of a setting under its name, else under an older one."""
    older = [old for old, new in RENAMED.items() if new == setting.variable]
    for name in (setting.variable, *older):
        value = values.get(name)
        value = value.strip() if isinstance(value, str) else value
        if value not in (None, ""):
            return Given(name, value)
    return None


def read_settings(data_dir: Path, options: Mapping[str, Any], environ: Mapping[str, str]) -> BridgeSettings:
    """Return the settings that options and environment give; options win.

    Both hold values under the names of variables. Providers and models are not read.

    Raises:
        SettingsError: a value that cannot be used.
    """
    own = InitSettingsSource(BridgeSettings, {"data_dir": data_dir, "environ": environ})
    build = cast("Callable[..., BridgeSettings]", BridgeSettings)  # its fields hide what the library takes
    try:
        return build(_build_sources=((own, NamedValues(options), NamedValues(environ)), {}))
    except ValidationError as error:
        section, field = error.errors()[0]["loc"][:2]
        wrong = next(
            each for each in list_settings(BridgeSettings) if (each.section, each.field) == (section, field)
        )
        if (given := find_value(wrong, options)) is not None:
            raise SettingsError(explain_error(wrong, error, given.value, wrong.names.option)) from None
        raise _explained(wrong, error, environ) from None


def read_section(section: type[AnySection], environ: Mapping[str, str]) -> AnySection:
    """Return one section as the environment gives it, for a command that needs no other.

    Raises:
        SettingsError: a value that cannot be used.
    """
    declared = {setting.field: setting for setting in settings_of_section(section)}
    found = {field: find_value(setting, environ) for field, setting in declared.items()}
    try:
        return section.model_validate({field: given.value for field, given in found.items() if given})
    except ValidationError as error:
        raise _explained(declared[str(error.errors()[0]["loc"][0])], error, environ) from None


def _explained(setting: Setting, error: ValidationError, environ: Mapping[str, str]) -> SettingsError:
    name, value = find_value(setting, environ) or Given(setting.variable, None)
    return SettingsError(explain_error(setting, error, value, name))
