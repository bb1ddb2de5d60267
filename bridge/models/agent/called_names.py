"""The names of tools as models write them. Pure.

Some models write what belongs to their own format of calls around a name: `functions.NAME` (GPT, Kimi),
`default_api:NAME` (Gemini), `functions.NAME:0` (Kimi), `NAME<|channel|>commentary` (gpt-oss). Weak ones never
find out why there is no such tool. And some providers refuse names that begin with a digit: these are sent
with a `_` before them (`fitted_name`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container

_WRITTEN = re.compile(r"(?:(?:functions?|tools?|default_api)[.:])?([\w-]+)(?::\d+)?(?:<\|.*)?", re.DOTALL)


def offered_name(written: str, is_offered: Callable[[str], bool]) -> str:
    """Return the offered name that a model meant; `written` itself where that, or neither, is offered."""
    if is_offered(written):
        return written
    parts = _WRITTEN.fullmatch(written.strip())
    name = parts[1] if parts else written
    if is_offered(name):
        return name
    own = name.lstrip("_")
    return own if not begins_well(own) and is_offered(own) else written


def begins_well(name: str) -> bool:
    """Return whether a name begins with a letter or `_`, as every provider takes it."""
    return name[:1].isalpha() or name.startswith("_")


def fitted_name(name: str, taken: Container[str]) -> str:
    """Return a name that begins well and is not taken; `offered_name` knows what it stands for."""
    while not begins_well(name) or name in taken:
        name = f"_{name}"
    return name
