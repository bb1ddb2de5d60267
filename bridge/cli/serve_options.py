"""The options of `tool-bridge serve` and `demo`, and the settings they make together with the environment."""

from __future__ import annotations

import argparse
import logging
import os
from collections.abc import Mapping

from bridge.cli.arguments import add_store
from bridge.cli.options import add_references
from bridge.cli.setting_options import add_setting_options
from bridge.settings.bridge import BridgeSettings
from bridge.settings.declaration import Setting, SettingsError, parse_setting, settings_of_section
from bridge.settings.limits import NAMES, Limits
from bridge.settings.models import ModelsFile, ModelsFileError, key_of, models_of_environment, read_models
from bridge.settings.obsolete import WITHOUT_EFFECT, explain_names
from bridge.settings.sources import read_settings

MODELS_FILE = "models.toml"
"""In the data folder."""


def add_serve(command: argparse.ArgumentParser) -> None:
    """`tool-bridge serve`."""
    command.add_argument(
        "--spec",
        action="append",
        default=[],
        metavar="FILE|URL",
        help="offer this OpenAPI document to every user (may be repeated)",
    )
    add_references(command)
    _add_shared_options(command)


def add_demo(command: argparse.ArgumentParser) -> None:
    """`tool-bridge demo`."""
    _add_shared_options(command)


def _add_shared_options(command: argparse.ArgumentParser) -> None:
    """Add the options that both have."""
    command.add_argument("--json", action="store_true", help="print one JSON line when ready")
    add_store(command)
    add_setting_options(command)
    command.add_argument(
        "--limit",
        type=parse_limit,
        action="append",
        default=[],
        metavar="NAME=NUMBER",
        help="one of the limits, under the name of its environment variable (may be repeated)",
    )


def settings_of(options: argparse.Namespace, environ: Mapping[str, str] = os.environ) -> BridgeSettings:
    """Return the settings that parsed options and the environment give; warns about obsolete names.

    Raises:
        SettingsError, ModelsFileError: a value, or the file of models, that cannot be used.
    """
    given = {
        **dict(options.limit),
        **{name: value for name, value in vars(options).items() if value is not None},
    }
    for warning in explain_names({**environ, **given}):
        logging.getLogger(__name__).warning(warning)
    settings = read_settings(options.data, given, environ)
    return settings.model_copy(update={"models": models_of(settings, environ)})


def models_of(settings: BridgeSettings, environ: Mapping[str, str]) -> ModelsFile:
    """Return the models of the file that is named, of the one in the data folder, or of the environment.

    Raises:
        ModelsFileError: they cannot be used.
    """
    named = settings.model_defaults.models_file
    path = named or settings.data_dir / MODELS_FILE
    if named is None and not path.exists():
        return models_of_environment(environ)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise ModelsFileError(f"{path} cannot be read: {error}.") from None
    models = read_models(text, str(path))
    for provider in models.provider:
        key_of(provider, environ)
    return models


def parse_limit(text: str) -> tuple[str, object]:
    """Return name and value of `NAME=NUMBER`; names without effect are accepted."""
    name, _, number = text.partition("=")
    if name in WITHOUT_EFFECT:
        return name, number
    known: dict[str, Setting] = {setting.variable: setting for setting in settings_of_section(Limits)}
    if name not in known:
        message = f"there is no limit {name[:100]!r}; the limits are {', '.join(NAMES)}"
        raise argparse.ArgumentTypeError(message)
    try:
        return name, parse_setting(known[name], number, name)
    except SettingsError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
