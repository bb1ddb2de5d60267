"""Ids in invisible characters: ours, and those that other programs left in old chats. Pure.

Ours: a guard, 65 characters of two bits for a ULID, 5 for its check, a guard. Older programs (Open WebUI's
pipes 0.8.6 and 0.8.7) wrote each character of a ULID as the eight bits of its ASCII code, 0.8.7 between
guards.
"""

from __future__ import annotations

import re

from bridge.stored_items.ulid import ALPHABET, LENGTH

_DIGITS = "\u200b\u200c\u200d\u2060"
_BEGIN, _END = "\u2063", "\u2064"
"""Guards, which no older form uses."""

_SIGNS = f"{_DIGITS}{_BEGIN}{_END}"
_CODE_CHARS = LENGTH + 2
_CODE_SIGNS = _CODE_CHARS * 5 // 2

_OLD_BITS = str.maketrans({"\u200b": "0", "\u200c": "1"})
_OLD_SIZE = LENGTH * 8
_OLD = "[\u200b\u200c]"
_ANY = re.compile(f"{_BEGIN}(?P<ours>[{_DIGITS}]{{{_CODE_SIGNS}}}){_END}|(?<!{_OLD}){_OLD}{{{_OLD_SIZE},}}")

RUN = re.compile(f"[{_SIGNS}]+")
"""Pattern of a run of such characters: markers, parts of some, or neither."""

MIN_JUNK = 32
"""Minimum length of a run that cannot be human writing."""

_ULID = re.compile(f"[{ALPHABET}]{{{LENGTH}}}")


def has_signs(text: str) -> bool:
    """Return whether a text has any such characters."""
    return not text.isascii() and any(sign in text for sign in _SIGNS)


def encode_zero_width(code: str) -> str:
    """Encode 28 characters of Crockford's base 32 as 72 invisible ones."""
    number = 0
    for character in code:
        number = number << 5 | ALPHABET.index(character)
    signs = (_DIGITS[number >> 2 * place & 3] for place in reversed(range(_CODE_SIGNS)))
    return f"{_BEGIN}{''.join(signs)}{_END}"


def codes_in(run: str) -> tuple[list[str], list[str]]:
    """Return a run's codes of 28 characters, as `encode_zero_width` got them, and its older ULIDs. Linear."""
    codes: list[str] = []
    old_ids: list[str] = []
    for found in _ANY.finditer(run):
        if found["ours"]:
            codes.append(_code(found["ours"]))
        else:
            old_ids += _old_ids(found[0])
    return codes, old_ids


def _code(signs: str) -> str:
    number = 0
    for sign in signs:
        number = number << 2 | _DIGITS.index(sign)
    return "".join(ALPHABET[number >> 5 * place & 31] for place in reversed(range(_CODE_CHARS)))


def _old_ids(bits: str) -> list[str]:
    """Decode adjacent ids; a run that is not a whole number of them has none."""
    if len(bits) % _OLD_SIZE:
        return []
    ids: list[str] = []
    for start in range(0, len(bits), _OLD_SIZE):
        octets = int(bits[start : start + _OLD_SIZE].translate(_OLD_BITS), 2).to_bytes(LENGTH)
        text = octets.decode("latin-1")
        if not _ULID.fullmatch(text):
            return []
        ids.append(text)
    return ids
