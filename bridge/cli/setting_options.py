"""The options that the declarations of settings make, with their help."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bridge.settings.declaration import (
    Setting,
    SettingsError,
    default_in_words,
    list_settings,
    parse_setting,
    range_in_words,
)
from bridge.settings.tree import SettingsTree


def add_setting_options(parser: argparse.ArgumentParser) -> None:
    """Add every option of the tree, grouped by section; values are stored under the variables' names."""
    having = [setting for setting in list_settings(SettingsTree) if setting.names.option]
    groups = {
        owner: parser.add_argument_group(owner.title)
        for owner in dict.fromkeys(each.owner for each in having)
    }
    for setting in having:
        groups[setting.owner].add_argument(setting.names.option, **arguments_of(setting))


def arguments_of(setting: Setting) -> dict[str, Any]:
    """Return what `add_argument` is told of an option; its value is stored under the variable's name."""
    common: dict[str, Any] = {"dest": setting.variable, "default": None, "help": _help_of(setting)}
    if setting.info.annotation is bool:
        return {"action": "store_true", **common}
    if setting.is_list:  # whether the list can be used shows when it is complete: `read_settings` checks it
        return {"action": _Appended, "metavar": setting.names.value, **common}
    return {"type": _parser_of(setting), "metavar": setting.names.value, **common}


class _Appended(argparse.Action):
    """Adds the text of each occurrence to those before."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        before = getattr(namespace, self.dest) or ()
        setattr(namespace, self.dest, (*before, values))


def _parser_of(setting: Setting) -> Callable[[str], Any]:
    """Return what argparse calls with the text of the option."""

    def parse(text: str) -> Any:
        given = _text_of_file(text) if setting.names.option_names_file else text
        try:
            return parse_setting(setting, given, "")
        except SettingsError as error:
            raise argparse.ArgumentTypeError(str(error).strip()) from None

    return parse


def _text_of_file(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"cannot read {path}: {error}") from None


def _help_of(setting: Setting) -> str:
    """Return description, range, default and variable in one line."""
    facts = [f"default: {default_in_words(setting)}", setting.variable]
    if setting.info.annotation is not bool:
        facts.insert(0, range_in_words(setting))
    if setting.is_list:
        facts.append("may be repeated")
    text = f"{setting.info.description} ({'; '.join(facts)})"
    return text.replace("`", "").replace("%", "%%")
