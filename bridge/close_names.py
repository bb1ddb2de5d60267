"""What somebody may have meant by a name that is not known. Standard library only: every command loads it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def find_closest(word: str, known: Iterable[str]) -> str:
    """Return the known word that `word` is most likely meant to be; "" if none is likely."""
    return next(iter(difflib.get_close_matches(word, list(known), n=1)), "")


def suggest(word: str, known: Iterable[str]) -> str:
    """Return a full stop and the question whether `word` is meant to be something known; "" if none is."""
    likely = find_closest(word, known)
    return f". Did you mean {likely}?" if likely else ""
