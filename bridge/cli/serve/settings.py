"""The settings that the options of `serve` and `demo` make, together with the environment."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bridge.settings.bridge import BridgeSettings
from bridge.settings.chat.models import (
    ModelsFile,
    ModelsFileError,
    key_of,
    models_of_environment,
    read_models,
)
from bridge.settings.declaration import list_settings
from bridge.settings.own_names import explain_mistyped
from bridge.settings.sources import read_settings

MODELS_FILE = "models.toml"
"""In the data folder."""

PAGE_FOLDER = "page"
"""The built page, in the folder of what `make run` builds."""


def settings_of(
    options: argparse.Namespace, warn: Callable[[str], None], environ: Mapping[str, str]
) -> BridgeSettings:
    """Return the settings that parsed options and the environment give.

    `warn` gets a sentence for each alias that is ignored, and for each mistyped name of ours.

    Raises:
        SettingsError, ModelsFileError: a value, or the file of models, that cannot be used.
    """
    known = {setting.variable for setting in list_settings(BridgeSettings)}
    try:
        settings = read_settings(options.data, given_by_options(options), environ, warn)
        models = models_of(settings, environ)
        known |= {provider.api_key_env for provider in models.provider if provider.api_key_env}
        build: Path | None = getattr(options, "build", None)
        return settings.model_copy(update={"models": models, "built_in_clone": build and build / PAGE_FOLDER})
    finally:  # a mistyped name may be why a setting is missing
        for warning in explain_mistyped(environ, known):
            warn(warning)


def given_by_options(options: argparse.Namespace) -> dict[str, Any]:
    """Return what parsed options say of settings, by variable; a named option counts before `--limit`."""
    named = {name: value for name, value in vars(options).items() if value is not None}
    return {**dict(options.limit), **named}


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
