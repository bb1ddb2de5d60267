"""Which models a bridge serves and how their turns run, as options and the environment say."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from bridge.settings.models import ModelsFile, ModelsFileError, key_of, models_of_environment, read_models

MODELS_VARIABLE = "TOOL_BRIDGE_MODELS"
MODELS_FILE = "models.toml"
"""In the data folder."""

STRICT_VARIABLE = "ENABLE_STRICT_TOOL_CALLING"
TEMPLATE_VARIABLE = "MAX_FUNCTION_CALL_LOOPS_REACHED_TEMPLATE"


def add_models(parser: argparse.ArgumentParser) -> None:
    """The option `--models`."""
    parser.add_argument(
        "--models",
        type=Path,
        metavar="FILE",
        help=f"providers and models (default: {MODELS_VARIABLE}, {MODELS_FILE} in the data folder, "
        "OPENAI_API_KEY and OPENAI_BASE_URL; without any of them: the demo model)",
    )


def models_of(options: argparse.Namespace, environ: Mapping[str, str]) -> ModelsFile:
    """The models that options, data folder or environment name, the first that says anything.

    Raises:
        ModelsFileError: what they say cannot be used.
    """
    named = options.models or (Path(environ[MODELS_VARIABLE]) if environ.get(MODELS_VARIABLE) else None)
    path = named or options.data / MODELS_FILE
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
