"""`tool-bridge settings`: what would be in force at a start, and where each value comes from."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any, Literal, NamedTuple, TypeAlias

from bridge.cli.arguments import DATABASE_VARIABLE, parse_optional_folder
from bridge.cli.serve.settings import MODELS_FILE, given_by_options, settings_of
from bridge.cli.terminal import BOLD, paint
from bridge.settings.bridge import BridgeSettings
from bridge.settings.chat.model_defaults import MODELS_VARIABLE
from bridge.settings.chat.models import KEY_VARIABLE, URL_VARIABLE
from bridge.settings.declaration import (
    Setting,
    default_in_words,
    list_settings,
    value_in_words,
)
from bridge.settings.running_bridge import DATA_VARIABLE
from bridge.settings.sources import Given, find_usable, find_value

Source: TypeAlias = Literal["default", "option", "variable", "alias", "file"]

MAX_SHOWN_CHARS = 60
"""Characters of a value that are printed; JSON has all of them."""

SET = "set"
"""Stands for a secret."""

_PLACES = "Data"

_log = logging.getLogger(__name__)


class EffectiveSetting(NamedTuple):
    """One setting as it is in force."""

    section: str
    name: str
    value: Any
    """As JSON; `SET` for a secret."""
    shown: str
    """The value in words."""
    source: Source
    given_as: str
    """The option, variable or file that says so; "" for a default."""


def settings(options: argparse.Namespace) -> int:
    """Print all settings, or as JSON; nothing is opened or made. Warnings are those of a start."""
    found = settings_of(options, _log.warning, os.environ)
    rows = [*_places(options, os.environ), *_list_in_force(found, options, os.environ)]
    if options.json:
        members = ("name", "value", "source", "given_as")
        print(json.dumps({"settings": [{name: getattr(row, name) for name in members} for row in rows]}))
    else:
        _print(rows)
    return 0


def _print(rows: list[EffectiveSetting]) -> None:
    name_width = max(len(row.name) for row in rows)
    value_width = max(len(row.shown) for row in rows)
    for section, members in groupby(rows, key=lambda row: row.section):
        print(paint(f"{section}:", BOLD, sys.stdout))
        for row in members:
            source = f"{row.source} {row.given_as}".strip()
            line = f"    {row.name:{name_width}}  {row.shown:{value_width}}  {source}"
            print(line if row.source == "default" else paint(line, BOLD, sys.stdout))


def _places(options: argparse.Namespace, environ: Mapping[str, str]) -> Iterator[EffectiveSetting]:
    """Return where the data is, which every command asks."""
    folder = str(options.data)
    of_folder = _source_of_place(folder, "--data", DATA_VARIABLE, str(parse_optional_folder("")), environ)
    yield EffectiveSetting(_PLACES, DATA_VARIABLE, folder, folder, *of_folder)
    of_database = _source_of_place(options.database, "--database", DATABASE_VARIABLE, None, environ)
    value = SET if options.database else None
    yield EffectiveSetting(
        _PLACES, DATABASE_VARIABLE, value, value or "SQLite in the data folder", *of_database
    )


def _source_of_place(
    value: str | None, option: str, variable: str, default: str | None, environ: Mapping[str, str]
) -> tuple[Source, str]:
    if environ.get(variable):
        return ("variable", variable) if environ[variable] == value else ("option", option)
    return ("default", "") if value == default else ("option", option)


def _list_in_force(
    found: BridgeSettings, options: argparse.Namespace, environ: Mapping[str, str]
) -> Iterator[EffectiveSetting]:
    """Return every setting with its source; `settings_of` has warned about ignored aliases."""
    by_options = given_by_options(options)
    by_environ = find_usable(list_settings(BridgeSettings), environ, lambda _: None)
    for setting in list_settings(BridgeSettings):
        value = getattr(getattr(found, setting.section), setting.field)
        source, given_as = _source_of(setting, by_options, by_environ)
        if source == "default" and setting.variable == MODELS_VARIABLE:
            source, given_as = _source_of_models(found, environ)
        as_json, shown = _written(setting, value, found, source)
        yield EffectiveSetting(setting.owner.title, setting.variable, as_json, shown, source, given_as)


def _source_of(
    setting: Setting, by_options: Mapping[str, Any], by_environ: Mapping[str, Given]
) -> tuple[Source, str]:
    names = setting.names
    if find_value(setting, by_options) is not None:
        return ("file" if names.option_names_file else "option"), names.option or "--limit"
    if (given := by_environ.get(setting.variable)) is not None:
        return ("alias" if given.name == names.alias else "variable"), given.name
    return "default", ""


def _source_of_models(found: BridgeSettings, environ: Mapping[str, str]) -> tuple[Source, str]:
    """Return where providers come from that no setting names."""
    if (path := found.data_dir / MODELS_FILE).exists():
        return "file", str(path)
    given = [name for name in (KEY_VARIABLE, URL_VARIABLE) if environ.get(name)]
    return ("variable", ", ".join(given)) if given else ("default", "")


def _written(setting: Setting, value: Any, found: BridgeSettings, source: Source) -> tuple[Any, str]:
    """Return a value as JSON, and in words; a secret as whether it is set."""
    if setting.names.is_secret:
        word = None if value in (None, ()) else SET
        return word, word or _shortened(default_in_words(setting))
    as_json = getattr(found, setting.section).model_dump(mode="json")[setting.field]
    in_words = default_in_words(setting) if source == "default" else value_in_words(value)
    return as_json, _shortened(in_words)


def _shortened(text: str) -> str:
    one_line = " ".join(text.replace("`", "").split())
    return one_line if len(one_line) <= MAX_SHOWN_CHARS else f"{one_line[: MAX_SHOWN_CHARS - 1]}…"
