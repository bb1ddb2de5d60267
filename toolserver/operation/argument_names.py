"""Names the arguments of one operation: legal for every provider, unique, changed only where needed.

Receives where each argument is sent and its name there; gives the argument's name. Knows nothing of schemas.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal, TypeAlias

from toolserver.errors import quote_text
from toolserver.openapi.edits import EXTENSION

Place: TypeAlias = Literal["path", "query", "querystring", "header", "cookie", "body", "body_property"]
Target: TypeAlias = tuple[Place, str]
"""Where the value of one argument is sent, and its name there; for the whole body, `WHOLE`."""

Arguments: TypeAlias = Mapping[Target, str]
"""The names of an operation's arguments, in the order of its schema."""

NO_NAMES: Arguments = {}

MAX_CHARS = 64
LEGAL = re.compile(r"[A-Za-z0-9_.-]{1,64}")
"""Keys of arguments that all providers accept (of 34,975 real ones, 842 are something else)."""

BODY_ARGUMENT = "body"
COMPLETE_BODY: Target = ("body", BODY_ARGUMENT)

_OF_BODIES = ("body", "body_property")
_ILLEGAL = re.compile(r"[^A-Za-z0-9_.-]+")
_LOST = frozenset({"__proto__"})
"""Legal, but in JavaScript a key of this name sets an object's prototype instead of a property."""


@lru_cache(maxsize=10_000)
def legal_name(name: str) -> str:
    """`name` with illegal characters replaced; unchanged when it is legal. Not unique."""
    if LEGAL.fullmatch(name) and name not in _LOST:
        return name
    plain = "".join(
        character for character in unicodedata.normalize("NFKD", name) if not unicodedata.combining(character)
    )
    return _ILLEGAL.sub("_", plain)[:MAX_CHARS].strip("_") or "argument"


def bind_names(targets: Sequence[Target], chosen: Arguments = NO_NAMES) -> Arguments:
    """The argument name of each target, in order; no target may occur twice. `chosen`: what edits call some.

    Of equal names, a body property keeps its own, then the first parameter does; a parameter becomes
    `name__in`, and what still clashes gets `_2`, `_3`, …. Names that need no change are assigned before names
    that do.
    """
    arguments: dict[Target, str] = {}
    used: set[str] = set()
    parameters: list[Target] = []
    changing_properties: list[Target] = []
    changing_parameters: list[Target] = []
    for target in targets:
        location, name = target[0], chosen.get(target, target[1])
        arguments[target] = name
        if legal_name(name) != name:
            (changing_properties if location in _OF_BODIES else changing_parameters).append(target)
        elif location in _OF_BODIES:
            used.add(name)
        else:
            parameters.append(target)
    for target in (*parameters, *changing_properties, *changing_parameters):
        name = legal_name(chosen.get(target, target[1]))
        if name in used:
            name = _free_name(target, name, used)
        arguments[target] = name
        used.add(name)
    return arguments


def describe_taken_names(arguments: Arguments, chosen: Arguments) -> tuple[str, ...]:
    """Sentences about names that edits chose and other arguments have as well. `arguments`: as bound."""
    wanted: dict[str, list[Target]] = {}
    for target in arguments:
        wanted.setdefault(chosen.get(target, target[1]), []).append(target)
    said: list[str] = []
    for target, name in chosen.items():
        if target in arguments and len(wanted[name]) > 1:
            renamed = next((each for each in wanted[name] if arguments[each] != name), target)
            said.append(
                f"`name` in `{EXTENSION}` of {quote_text(target[1])} is the name of another argument, too: "
                f"{quote_text(renamed[1])} is called {quote_text(arguments[renamed])} now."
            )
    return tuple(said)


def _free_name(target: Target, candidate: str, used: set[str]) -> str:
    location = target[0]
    if location not in _OF_BODIES:
        candidate = _with_suffix(candidate, f"__{location}")
        if candidate not in used:
            return candidate
    number = 2
    while (numbered := _with_suffix(candidate, f"_{number}")) in used:
        number += 1
    return numbered


def _with_suffix(name: str, suffix: str) -> str:
    return name[: MAX_CHARS - len(suffix)] + suffix
