"""JSON texts of APIs that hold what readers of JSON refuse in one place: the rest of them stays JSON.

Programs write NaN and Infinity, which JSON does not have, and numbers beyond a double (`1E400`), which it has
and few readers take; and they cut texts in the middle of a character, which leaves half a surrogate pair.
"""

import re

import orjson

_TOKEN = re.compile(
    rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|-?(?:NaN|nan|Infinity|inf|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)', re.DOTALL
)
"""A string, or what may be a number."""

_ESCAPE = re.compile(rb"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(?P<half>u[dD][89a-fA-F]..)|.)", re.DOTALL)

_SUSPECT = re.compile(rb"NaN|nan|Infinity|inf|\d[eE]\+?\d{3}|\d{309}|\\u[dD][89a-fA-F]")
"""What can be mended at all: any other text is not looked through."""

_INFINITE = float("inf")


def readable_json(text: bytes) -> bytes | None:
    """The text as it came if it is JSON; else JSON with such numbers as strings ("NaN"), or None.

    Half of a surrogate pair becomes U+FFFD.
    """
    if _is_json(text):
        return text
    repaired = _TOKEN.sub(_repaired, text) if _SUSPECT.search(text) else b""
    return repaired if _is_json(repaired) else None


def _repaired(token: re.Match[bytes]) -> bytes:
    found = token[0]
    if found.startswith(b'"'):
        return _ESCAPE.sub(_whole_character, found) if b"\\u" in found else found
    return found if abs(float(found)) < _INFINITE else b'"%b"' % found


def _whole_character(escape: re.Match[bytes]) -> bytes:
    return rb"\ufffd" if escape["half"] else escape[0]


def _is_json(text: bytes) -> bool:
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True
