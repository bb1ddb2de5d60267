"""Shortens a name in its middle, so that its beginning, its HTTP method and its end stay. Pure."""

import re

DIGEST_CHARS = 8
_METHODS = frozenset(("get", "put", "post", "delete", "patch", "head", "options", "trace", "query"))
_WORDS = re.compile(r"[a-zA-Z0-9]+")


def cut_middle(name: str, digest: str, room: int, *, whole: str = "") -> str:
    """The beginning of `name`, the digest, and the end of `whole`, in at most `room` characters.

    The first HTTP method that is a word of `name`, or else of `whole`, stays; without `whole` it is `name`.
    """
    whole = whole or name
    most = room - len(digest) - 2
    end = _end_of(whole, most * 2 // 3)
    method = next((word for word in _words(name) + _words(whole) if word in _METHODS), "")
    begin = _begin_of(name, most - len(end))
    if method and method not in _words(begin) + _words(end):
        begin = f"{method}_{_begin_of(name, most - len(end) - len(method) - 1)}"
    return f"{begin}_{digest}_{end}"


def _begin_of(name: str, most: int) -> str:
    """The beginning, up to a whole word where that does not cost half of it."""
    begin = name[:most]
    if name[most : most + 1].isalnum() and (border := begin.rfind("_")) > most // 2:
        begin = begin[:border]
    return begin.rstrip("_-")


def _end_of(name: str, most: int) -> str:
    """The end, from a whole word where that does not cost half of it."""
    end = name[-most:]
    if name[-most - 1 : -most].isalnum() and 0 <= (border := end.find("_")) < most // 2:
        end = end[border:]
    return end.lstrip("_-")


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name)]
