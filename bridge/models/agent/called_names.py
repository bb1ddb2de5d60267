"""The names of tools as models write them. Pure.

Some models write what belongs to their own format of calls around a name: `functions.NAME` (GPT, Kimi),
`default_api:NAME` (Gemini), `functions.NAME:0` (Kimi), `NAME<|channel|>commentary` (gpt-oss). Weak ones never
find out why there is no such tool.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_WRITTEN = re.compile(r"(?:(?:functions?|tools?|default_api)[.:])?([\w-]+)(?::\d+)?(?:<\|.*)?", re.DOTALL)


def offered_name(written: str, is_offered: Callable[[str], bool]) -> str:
    """Return the offered name that a model meant; `written` itself where that, or neither, is offered."""
    if is_offered(written):
        return written
    parts = _WRITTEN.fullmatch(written.strip())
    return parts[1] if parts and is_offered(parts[1]) else written
