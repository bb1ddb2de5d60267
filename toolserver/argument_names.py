"""Names for the arguments of one operation: legal for every provider, unique, changed only where needed.

Receives where each argument is sent and what it is called there; gives `Binding`s. Knows nothing of
schemas.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

Place: TypeAlias = Literal["path", "query", "querystring", "header", "cookie", "body", "body_property"]

MAX_CHARS = 64
LEGAL = re.compile(r"[A-Za-z0-9_.-]{1,64}")
"""What providers accept as a key of arguments (of 34,975 real ones, 842 are something else)."""

WHOLE_BODY = "body"

_ILLEGAL = re.compile(r"[^A-Za-z0-9_.-]+")
_LOST = frozenset({"__proto__"})
"""Legal, but a key of this name sets an object's prototype in JavaScript instead of a property."""


class Binding(NamedTuple):
    """Where the value of one argument is sent."""

    argument: str
    location: Place
    name: str
    """The name on the wire; "" for location "body", where the argument is the whole body."""


@lru_cache(maxsize=10_000)
def legal_name(name: str) -> str:
    """`name` with what is not legal replaced; unchanged when it is legal. Not unique."""
    if LEGAL.fullmatch(name) and name not in _LOST:
        return name
    plain = "".join(
        character for character in unicodedata.normalize("NFKD", name) if not unicodedata.combining(character)
    )
    return _ILLEGAL.sub("_", plain)[:MAX_CHARS].strip("_") or "argument"


def bind(targets: Sequence[tuple[Place, str]]) -> tuple[Binding, ...]:
    """One binding per target, in order.

    Of equal names a body property keeps its own, then the first parameter; a parameter becomes `name__in`,
    and what still clashes gets `_2`, `_3`, …. Names that need no change are taken before names that do.
    """
    wanted = {name for _, name in targets if legal_name(name) == name}
    if len(wanted) == len(targets):
        return tuple(
            [Binding(name, location, "" if location == "body" else name) for location, name in targets]
        )
    taken: dict[str, None] = {}
    names: dict[int, str] = {}
    for index in _order(targets):
        location, name = targets[index]
        names[index] = _free_name(location, name, taken)
        taken[names[index]] = None
    return tuple(
        Binding(names[index], location, "" if location == "body" else name)
        for index, (location, name) in enumerate(targets)
    )


def _order(targets: Sequence[tuple[Place, str]]) -> Iterable[int]:
    def rank(index: int) -> tuple[bool, bool, int]:
        location, name = targets[index]
        return legal_name(name) != name, not location.startswith("body"), index

    return sorted(range(len(targets)), key=rank)


def _free_name(location: Place, name: str, taken: dict[str, None]) -> str:
    wanted = legal_name(name)
    if wanted not in taken:
        return wanted
    if not location.startswith("body"):
        wanted = _with_suffix(wanted, f"__{location}")
        if wanted not in taken:
            return wanted
    number = 2
    while (numbered := _with_suffix(wanted, f"_{number}")) in taken:
        number += 1
    return numbered


def _with_suffix(name: str, suffix: str) -> str:
    return name[: MAX_CHARS - len(suffix)] + suffix
