"""`tool-bridge init`: a data folder with a file of all settings, each explained and each left out."""

from __future__ import annotations

import argparse
import os
import textwrap
from collections.abc import Iterator
from pathlib import Path

from bridge.cli.arguments import DATABASE_VARIABLE
from bridge.cli.parser import CommandFailed
from bridge.cli.terminal import print_result
from bridge.operating_system import open_private
from bridge.settings.chat.models import KEY_VARIABLE, URL_VARIABLE
from bridge.settings.declaration import Setting, default_in_words, list_settings, range_in_words
from bridge.settings.tree import SettingsTree

ENVIRONMENT_FILE = "bridge.env"
"""In the data folder; it is for shells, systemd and containers, and the bridge does not read it itself."""

_COLUMNS = 100

_HEAD = f"""\
# Settings of tool-bridge, as variables of its environment. Nothing has an effect while # stands before it.
# A shell reads this file by `set -a; . FILE; set +a`, systemd by EnvironmentFile=, docker by --env-file.
# It may hold secrets: keep it readable by you only.

# Where everything is stored, if not in the data folder (postgresql://user:password@host:5432/name)
#{DATABASE_VARIABLE}=

# A provider of models; without one there is the demo model. For several, write models.toml beside this file.
#{KEY_VARIABLE}=
#{URL_VARIABLE}=
"""


def init(options: argparse.Namespace) -> int:
    """Make the folder and the file, and say what comes next; status 1 if the file is there already."""
    path = options.data / ENVIRONMENT_FILE
    try:
        options.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    except FileExistsError:
        raise CommandFailed(f"{path} is there already, and stays as it is") from None
    except OSError as error:
        raise CommandFailed(f"{path} cannot be made: {error.strerror}") from None
    with os.fdopen(file, "w", encoding="utf-8") as writing:
        writing.write(write_settings())
    print_result({"file": str(path)}, [_next_steps(path)], as_json=options.json)
    return 0


def write_settings() -> str:
    """Return the text of the file."""
    return "\n".join([_HEAD.rstrip("\n"), *_lines()]) + "\n"


def _lines() -> Iterator[str]:
    owner = None
    for setting in list_settings(SettingsTree):
        if setting.owner is not owner:
            owner = setting.owner
            yield from ("", f"# ---- {owner.title or 'Further'} ----")
        yield ""
        about = f"{setting.info.description or setting.field} ({range_in_words(setting)})".replace("`", "")
        yield from (f"# {line}" for line in textwrap.wrap(about, _COLUMNS, break_on_hyphens=False))
        yield f"#{setting.variable}={_default_of(setting)}"


def _default_of(setting: Setting) -> str:
    """Return the default as a shell reads it; "" where there is none, or none that can be written."""
    default = default_in_words(setting)
    return "" if setting.names.default or default == "none" else default


def _next_steps(path: Path) -> str:
    return (
        f"{path} explains all settings. Nothing needs to be set.\n"
        "Start the bridge:                tool-bridge serve --spec openapi.yaml\n"
        f"with what you have set there:    set -a; . '{path}'; set +a\n"
        "See whether everything works:    tool-bridge doctor"
    )
