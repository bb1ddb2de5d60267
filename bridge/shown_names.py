"""Names that one user chooses and others read: of keys, browsers, providers."""

from __future__ import annotations

import unicodedata

from pydantic import AfterValidator

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode's categories of control and format characters, lone surrogates, and separators of lines."""

_JOINERS = "\u200c\u200d"
"""Persian, Hindi and many emoji are written with them. Where nothing joins, a page shows them."""


def check_shown_name(name: str) -> str:
    """Return the name.

    Raises:
        ValueError: somebody who reads it would not see all of it, or not in its order.
    """
    for char in name:
        if unicodedata.category(char) in _UNSEEN and char not in _JOINERS:
            raise ValueError(f"must not have characters that cannot be seen, such as U+{ord(char):04X}")
    return name


SHOWN_NAME = AfterValidator(check_shown_name)
"""Of a member of a body; stands last, so that it sees what is kept."""
