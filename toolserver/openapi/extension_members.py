"""Reads the members of `x-tool-bridge` by a table of the values that each may have. Pure.

Receives what is said of a tool or an argument; gives the members that can be read, and a sentence for each
other one. Knows nothing of what they mean.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from toolserver.errors import quote_text
from toolserver.json_types import JsonObject, JsonValue
from toolserver.openapi.document import MAX_PROSE_CHARS

MemberChecks: TypeAlias = Mapping[str, Callable[[JsonValue], bool]]
"""Whether a member may have a value, by its name."""


def read_members(
    written: JsonObject, checks: MemberChecks, about: str, problems: list[str], *, link: str = "of"
) -> JsonObject:
    """The members of `written` that pass their checks.

    `about`: what has them, for a sentence about a problem; `link` stands between a member and that.
    """
    found: JsonObject = {}
    for name, value in written.items():
        fits = checks.get(name)
        if fits is None:
            problems.append(f"{about} has no {quote_text(name)}.")
        elif not fits(value):
            problems.append(f"`{name}` {link} {about} has a value that it cannot have.")
        else:
            found[name] = value
    return found


def is_flag(value: JsonValue) -> bool:
    """Whether it is true or false."""
    return isinstance(value, bool)


def is_prose(value: JsonValue) -> bool:
    """Whether it is a description of a length that models read."""
    return isinstance(value, str) and 0 < len(value) <= MAX_PROSE_CHARS
