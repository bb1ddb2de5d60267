"""The names of tools as models write them. Pure.

Some models write what belongs to their own format of calls around a name: `functions.NAME` (GPT, Kimi),
`default_api:NAME` (Gemini), `functions.NAME:0` (Kimi), `NAME<|channel|>commentary` (gpt-oss). Weak ones never
find out why there is no such tool. And some providers refuse names that begin with a digit: these are sent
with a `_` before them. Where they are as long as a name may be, a letter stands for the digit
(`fitted_name`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container

from toolserver.tool.naming import MAX_NAME_CHARS

_WRITTEN = re.compile(r"(?:(?:functions?|tools?|default_api)[.:])?([\w-]+)(?::\d+)?(?:<\|.*)?", re.DOTALL)

_SIGNS_OF_LETTERS = {
    chr(ord(first) + place): sign for first in "aA" for place, sign in enumerate("0123456789-")
}
"""For a letter the sign that it replaces at the beginning of a name that is as long as one may be."""


def offered_name(written: str, is_offered: Callable[[str], bool]) -> str:
    """Return the offered name that a model meant; `written` itself where that, or neither, is offered."""
    if is_offered(written):
        return written
    parts = _WRITTEN.fullmatch(written.strip())
    name = parts[1] if parts else written
    if is_offered(name):
        return name
    own = name.lstrip("_")
    if not begins_well(own) and is_offered(own):
        return own
    own = _SIGNS_OF_LETTERS.get(name[:1], "") + name[1:]
    return own if len(name) == MAX_NAME_CHARS == len(own) and is_offered(own) else written


def begins_well(name: str) -> bool:
    """Return whether a name begins with a letter or `_`, as every provider takes it."""
    return name[:1].isalpha() or name.startswith("_")


def fitted_name(name: str, taken: Container[str]) -> str:
    """Return a name that begins well and is not taken; `offered_name` knows what it stands for."""
    fitted = name
    while not begins_well(fitted) or fitted in taken:
        fitted = f"_{fitted}"
    if len(fitted) <= MAX_NAME_CHARS:
        return fitted
    replaced = [letter + name[1:] for letter, sign in _SIGNS_OF_LETTERS.items() if sign == name[:1]]
    return next((each for each in replaced if len(each) == MAX_NAME_CHARS and each not in taken), fitted)
