"""The tables of `docs/reference/settings.md`, from the declarations.

What stands between `<!-- settings: NAME -->` and `<!-- end -->` is written; all else on the page is by hand.
"""

import re
from collections.abc import Iterator

from bridge.settings.bridge import BridgeSettings
from bridge.settings.declaration import (
    Section,
    Setting,
    default_in_words,
    range_in_words,
    sections_of,
    settings_of_section,
)
from bridge.settings.obsolete import RENAMED, WITHOUT_EFFECT

PAGE = "docs/reference/settings.md"

_PART = re.compile(r"(<!-- settings: (?P<name>\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def page(text: str) -> str:
    """The page as it must be now."""
    return _PART.sub(lambda found: "\n".join([found[1].strip(), *_part(found["name"]), found[3]]), text)


def parts(text: str) -> list[str]:
    """The names of the parts that the page has."""
    return [found["name"] for found in _PART.finditer(text)]


def known_parts() -> list[str]:
    """The names of the parts that it must have."""
    return [*sections_of(BridgeSettings), "obsolete"]


def _part(name: str) -> Iterator[str]:
    if name == "obsolete":
        yield from ("| name | what became of it |", "|---|---|")
        yield from (f"| `{old}` | without effect: {_with_code(why)} |" for old, why in WITHOUT_EFFECT.items())
        yield from (f"| `{old}` | now called `{new}`; the old name works |" for old, new in RENAMED.items())
    else:
        yield from _table(sections_of(BridgeSettings)[name])


def _table(section: type[Section]) -> Iterator[str]:
    rows = list(settings_of_section(section))
    has_options = any(row.names.option for row in rows)
    yield f"| variable{', option' if has_options else ''} | default | range | meaning |"
    yield "|---|---|---|---|"
    yield from (f"| {_names(row)} | {_default(row)} | {_range(row)} | {_meaning(row)} |" for row in rows)


def _names(row: Setting) -> str:
    option = f"{row.names.option} {row.names.value}".strip()
    return f"`{row.variable}`, `{option}`" if option else f"`{row.variable}`"


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


def _with_code(text: str) -> str:
    return re.sub(r"\b[A-Z]+(?:_[A-Z]+)+\b", lambda found: f"`{found[0]}`", text)
