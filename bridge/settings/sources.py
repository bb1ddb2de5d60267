"""Reads settings from the command line and the environment, and says what is wrong with them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, cast

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource

from bridge.settings.bridge import BridgeSettings
from bridge.settings.declaration import (
    AnySection,
    Setting,
    SettingsError,
    default_in_words,
    explain_error,
    list_settings,
    parse_setting,
    settings_of_section,
)

Warn: TypeAlias = Callable[[str], None]

_log = logging.getLogger(__name__)


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
    """Return the value of a setting under its variable or, without one, under its alias."""
    for name in filter(None, (setting.variable, setting.names.alias)):
        value = values.get(name)
        value = value.strip() if isinstance(value, str) else value
        if value not in (None, ""):
            return Given(name, value)
    return None


def find_usable(
    settings: Iterable[Setting],
    environ: Mapping[str, str],
    warn: Warn,
    options: Mapping[str, Any] | None = None,
) -> dict[str, Given]:
    """Return what the environment gives, by variable; without an alias whose value cannot be used.

    An alias may be another program's variable, which must not stop a bridge: `warn` gets a sentence. No other
    program has the alias of a secret: it counts, and stops the start, as the default would store in the clear
    what was to be encrypted. `options` win, and a variable that they make idle gets no warning.
    """
    found: dict[str, Given] = {}
    for setting in settings:
        given = find_value(setting, environ)
        if given is None or find_value(setting, options or {}) is not None:
            continue
        if given.name != setting.names.alias:
            _warn_of_alias(setting, given, environ, warn)
        elif not setting.names.is_secret and (problem := _problem_of(setting, given)):
            warn(
                f"{problem} It is ignored, and the default ({default_in_words(setting)}) is in force. "
                f"The bridge's own variable is {setting.variable}."
            )
            continue
        found[setting.variable] = given
    return found


def _problem_of(setting: Setting, given: Given) -> str:
    """Return why a value cannot be used; "" if it can."""
    try:
        parse_setting(setting, given.value, given.name)
    except SettingsError as error:
        return str(error)
    return ""


def _warn_of_alias(setting: Setting, given: Given, environ: Mapping[str, str], warn: Warn) -> None:
    """Tell of an alias that says something else than the variable."""
    other = environ.get(setting.names.alias, "").strip()
    if other not in ("", given.value):
        warn(f"{setting.names.alias} is ignored, as {given.name} is set, to another value.")


def read_settings(
    data_dir: Path, options: Mapping[str, Any], environ: Mapping[str, str], warn: Warn = _log.warning
) -> BridgeSettings:
    """Return the settings that options and environment give; options win.

    `options` has values under the names of variables. Providers and models are not read. `warn` gets a
    sentence for each alias that is ignored.

    Raises:
        SettingsError: a value that cannot be used.
    """
    own = InitSettingsSource(BridgeSettings, {"data_dir": data_dir, "environ": environ})
    given = find_usable(list_settings(BridgeSettings), environ, warn, options)
    usable = {variable: found.value for variable, found in given.items()}
    build = cast("Callable[..., BridgeSettings]", BridgeSettings)  # its fields hide what the library takes
    try:
        return build(_build_sources=((own, NamedValues(options), NamedValues(usable)), {}))
    except ValidationError as error:
        section, field = error.errors()[0]["loc"][:2]
        wrong = next(
            each for each in list_settings(BridgeSettings) if (each.section, each.field) == (section, field)
        )
        if (option := find_value(wrong, options)) is not None:
            raise SettingsError(explain_error(wrong, error, option.value, wrong.names.option)) from None
        raise _explained(wrong, error, environ) from None


def read_section(
    section: type[AnySection], environ: Mapping[str, str], warn: Warn = _log.warning
) -> AnySection:
    """Return one section as the environment gives it, for a command that needs no other.

    `warn` gets a sentence for each alias that is ignored.

    Raises:
        SettingsError: a value that cannot be used.
    """
    declared = {setting.field: setting for setting in settings_of_section(section)}
    given = find_usable(declared.values(), environ, warn)
    found = {field: given.get(setting.variable) for field, setting in declared.items()}
    try:
        return section.model_validate({field: each.value for field, each in found.items() if each})
    except ValidationError as error:
        raise _explained(declared[str(error.errors()[0]["loc"][0])], error, environ) from None


def _explained(setting: Setting, error: ValidationError, environ: Mapping[str, str]) -> SettingsError:
    name, value = find_value(setting, environ) or Given(setting.variable, None)
    return SettingsError(explain_error(setting, error, value, name))
