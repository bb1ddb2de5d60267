"""Ids in invisible characters: ours, and those that other programs left in old chats. Pure.

Ours: a guard, 65 characters of two bits for a ULID, 5 for its check, a guard. Older programs (Open WebUI's
pipes 0.8.6 and 0.8.7) wrote each character of a ULID as the eight bits of its ASCII code, 0.8.7 between
guards.

Texts of people and models have such characters, too, also at their edges: beside a marker they stay text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bridge.models.stored_items.ulid import ALPHABET, LENGTH

_DIGITS = "\u200b\u200c\u200d\u2060"
_BEGIN, _END = "\u2063", "\u2064"
"""Guards, which no older form uses."""

_SIGNS = f"{_DIGITS}{_BEGIN}{_END}"
_CODE_CHARS = LENGTH + 2
_CODE_SIGNS = _CODE_CHARS * 5 // 2

_OLD_BITS = str.maketrans({"\u200b": "0", "\u200c": "1"})
_OLD_SIZE = LENGTH * 8
_OLD = "[\u200b\u200c]"
_OLD_GUARD = "\u2060"
_ANY = re.compile(f"{_BEGIN}(?P<ours>[{_DIGITS}]{{{_CODE_SIGNS}}}){_END}|(?<!{_OLD}){_OLD}{{{_OLD_SIZE},}}")

RUN = re.compile(f"[{_SIGNS}]+")
"""Pattern of a run of such characters: markers, parts of some, or neither."""

MIN_JUNK = 32
"""Minimum length of a run that cannot be human writing."""

_OLD_START = re.compile("\u200b(?:\u200b\u200c\u200c|\u200c\u200b[\u200b\u200c])")
"""First four bits of a digit or a capital letter: quick to see that no id begins here."""

_ULID = re.compile(f"[{ALPHABET}]{{{LENGTH}}}")

_WITHOUT_SIGNS = str.maketrans(dict.fromkeys(_SIGNS))


@dataclass(frozen=True, slots=True)
class FoundMarker:
    """A marker in a run. `start`, `end`: where in it."""

    start: int
    end: int
    code: str = ""
    """The 28 characters that `encode_zero_width` got; "" for an older one."""
    old_ids: tuple[str, ...] = ()
    """Adjacent ULIDs of an older one."""


def has_signs(text: str) -> bool:
    """Return whether a text has any such characters."""
    return not text.isascii() and any(sign in text for sign in _SIGNS)


def remove_signs(text: str) -> str:
    """Return a text without any such characters, of which nobody sees whether they are there."""
    return text.translate(_WITHOUT_SIGNS) if has_signs(text) else text


def encode_zero_width(code: str) -> str:
    """Encode 28 characters of Crockford's base 32 as 72 invisible ones."""
    number = 0
    for character in code:
        number = number << 5 | ALPHABET.index(character)
    signs = (_DIGITS[number >> 2 * place & 3] for place in reversed(range(_CODE_SIGNS)))
    return f"{_BEGIN}{''.join(signs)}{_END}"


def find_markers(run: str) -> Iterator[FoundMarker]:
    """Yield the markers of a run, in order; what is between them is text. Linear."""
    place = 0
    for found in _ANY.finditer(run):
        if found["ours"]:
            marker = FoundMarker(found.start(), found.end(), code=_code(found["ours"]))
        elif (older := _find_old(found[0], found.start())) is not None:
            marker = _with_guards(older, run, place)
        else:
            continue
        place = marker.end
        yield marker


def _code(signs: str) -> str:
    number = 0
    for sign in signs:
        number = number << 2 | _DIGITS.index(sign)
    return "".join(ALPHABET[number >> 5 * place & 31] for place in reversed(range(_CODE_CHARS)))


def _find_old(bits: str, at: int) -> FoundMarker | None:
    """Find adjacent ids in bits, to which the texts around them may have added some."""
    surplus = len(bits) % _OLD_SIZE
    for before in range(min(surplus, MIN_JUNK) + 1):
        end = len(bits) - surplus + before
        if _OLD_START.match(bits, before) and (ids := _old_ids(bits[before:end])):
            return FoundMarker(at + before, at + end, old_ids=tuple(ids))
    return None


def _with_guards(marker: FoundMarker, run: str, place: int) -> FoundMarker:
    """Return an older marker with the guards beside it, back to the end of the one before."""
    start, end = marker.start, marker.end
    while start > place and run[start - 1] == _OLD_GUARD:
        start -= 1
    while end < len(run) and run[end] == _OLD_GUARD:
        end += 1
    return replace(marker, start=start, end=end)


def _old_ids(bits: str) -> list[str]:
    """Decode adjacent ids, whose bits are complete; none unless all of them are ids."""
    ids: list[str] = []
    for start in range(0, len(bits), _OLD_SIZE):
        octets = int(bits[start : start + _OLD_SIZE].translate(_OLD_BITS), 2).to_bytes(LENGTH)
        text = octets.decode("latin-1")
        if not _ULID.fullmatch(text):
            return []
        ids.append(text)
    return ids
