"""The tables of `docs/reference/settings.md`, from the declarations.

What stands between `<!-- settings: NAME -->` and `<!-- end -->` is written; all else on the page is by hand.
"""

import re
from collections.abc import Iterator

from bridge.cli.arguments import DATABASE_VARIABLE
from bridge.settings.bridge import BridgeSettings
from bridge.settings.chat.model_defaults import MODELS_VARIABLE
from bridge.settings.declaration import (
    Section,
    Setting,
    default_in_words,
    list_settings,
    range_in_words,
    sections_of,
    settings_of_section,
)
from bridge.settings.running_bridge import DATA_VARIABLE
from bridge.settings.storage import KEYS_VARIABLE

PAGE = "docs/reference/settings.md"

FIRST = {
    "address": ("TOOL_BRIDGE_HOST", "TOOL_BRIDGE_PORT"),
    "data": (DATA_VARIABLE,),
    "database": (DATABASE_VARIABLE,),
    "public address": ("TOOL_BRIDGE_PUBLIC_URL",),
    "models": (MODELS_VARIABLE,),
    "encryption": (KEYS_VARIABLE,),
    "approval": ("TOOL_BRIDGE_APPROVE",),
    "login": ("TOOL_BRIDGE_OIDC_ISSUER",),
    "metrics": ("TOOL_BRIDGE_METRICS_TOKEN",),
    "log": ("TOOL_BRIDGE_LOG_LEVEL",),
}
"""The settings that most operators look for, by what they are about."""

_OF_ALL_COMMANDS = {
    DATA_VARIABLE: (
        "--data FOLDER",
        "[the user's data folder](#the-data-folder)",
        "database, keys and answers",
    ),
    DATABASE_VARIABLE: (
        "--database URL",
        "SQLite in the data folder",
        "a PostgreSQL for all that is stored; see [use PostgreSQL](../how-to/use-postgresql.md)",
    ),
}
"""Option, default and meaning of the two that all commands read."""

_PART = re.compile(r"(<!-- settings: (?P<name>\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def page(text: str) -> str:
    """The page as it must be now."""
    return _PART.sub(lambda found: "\n".join([found[1].strip(), *_part(found["name"]), found[3]]), text)


def parts(text: str) -> list[str]:
    """The names of the parts that the page has."""
    return [found["name"] for found in _PART.finditer(text)]


def known_parts() -> list[str]:
    """The names of the parts that it must have."""
    return ["first", *sections_of(BridgeSettings)]


def _part(name: str) -> Iterator[str]:
    yield from _first() if name == "first" else _table(sections_of(BridgeSettings)[name])


def _first() -> Iterator[str]:
    settings = {setting.variable: setting for setting in list_settings(BridgeSettings)}
    yield from ("| about | variable, option | default | meaning |", "|---|---|---|---|")
    for about, variables in FIRST.items():
        for variable in variables:
            if variable in _OF_ALL_COMMANDS:
                option, default, meaning = _OF_ALL_COMMANDS[variable]
                yield f"| {about} | `{variable}`, `{option}` | {default} | {meaning} |"
            else:
                row = settings[variable]
                yield f"| {about} | {_names(row)} | {_default(row)} | {_meaning(row)} |"


def _table(section: type[Section]) -> Iterator[str]:
    rows = list(settings_of_section(section))
    has_options = any(row.names.option for row in rows)
    yield f"| variable{', option' if has_options else ''} | default | range | meaning |"
    yield "|---|---|---|---|"
    yield from (f"| {_names(row)} | {_default(row)} | {_range(row)} | {_meaning(row)} |" for row in rows)


def _names(row: Setting) -> str:
    option = f"{row.names.option} {row.names.value}".strip()
    names = ", ".join(f"`{name}`" for name in (row.variable, option) if name)
    return f"{names}; alias `{row.names.alias}`" if row.names.alias else names


def _default(row: Setting) -> str:
    default = default_in_words(row)
    return default if row.names.default or default == "none" else f"`{default}`"


def _range(row: Setting) -> str:
    return re.sub(r"\ba (?:whole )?number (?:from |of )?", "", range_in_words(row))


def _meaning(row: Setting) -> str:
    meaning = row.info.description or ""
    if row.is_list and row.names.option:
        meaning += "; several: repeat the option, or put commas between them in the variable"
    return f"{meaning}; see {row.names.see}" if row.names.see else meaning
