"""What a page in any language keeps: its texts in one place, and no side of the screen taken for granted."""

import re

from tests.house.source import refuse, text_of

_SIDES = re.compile(r"(?<![-\w.])(?:[\w-]+-)?(?:left|right)\s*:|:\s*(?:left|right)\b")
_FOUR_SIDES = re.compile(
    r"\b(?:padding|margin):\s*[^\s;]+\s+(?P<right>[^\s;]+)\s+[^\s;]+\s+(?P<left>[^\s;]+);"
)


def test_the_style_sheet_names_no_left_and_no_right() -> None:
    """In a language that is read from the right, the page is its own mirror image."""
    lines = enumerate(text_of("static/style.css").splitlines(), 1)
    refuse(f"static/style.css:{number}: {line.strip()}" for number, line in lines if _names_a_side(line))


def _names_a_side(line: str) -> bool:
    four = _FOUR_SIDES.search(line)
    return bool(_SIDES.search(line)) or (four is not None and four["right"] != four["left"])
