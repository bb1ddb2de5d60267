"""Sizes, spaces, corners, shadows, durations and colours are chosen in `static/styles/tokens.css` alone."""

import re

import pytest

from tests.house.source import files, refuse, text_of

TOKENS = "static/styles/tokens.css"

_MEASURE = re.compile(r"(?<![\w-])\d*\.?\d+(?:px|r?em)\b")
_DURATION = re.compile(r"(?<![\w-])\d*\.?\d+m?s\b")
_COLOUR = re.compile(r"#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch|light-dark)\(")
_TAKEN = re.compile(
    r"^(?:font|font-size|(?:row-|column-)?gap|(?:margin|padding|scroll-margin|scroll-padding|inset-inline)(?:-\w+)*"
    r"|border(?:-\w+)*-radius|box-shadow)$"
)
_TIMED = re.compile(r"^(?:transition|animation)(?:-duration|-delay)?$")
_DECLARATION = re.compile(r"^\s*(-{0,2}[a-z-]+):\s*([^;]+);", re.MULTILINE)
_AWAY = "-999px"
"""Where the skip link waits."""


def test_the_tokens_have_the_scale_of_five_sizes() -> None:
    """Issue 43 point 7: type of 13, 14, 16, 20 and 28 px; motion of 150 ms, and none for who wants less."""
    text = text_of(TOKENS)
    sizes = re.findall(r"^  --text-[a-z]+: (\d+)px;", text, re.MULTILINE)
    assert sizes == ["13", "14", "16", "20", "28"]
    assert "  --motion: 150ms" in text
    assert re.search(r"prefers-reduced-motion: reduce\) \{\s*:root \{\s*--motion: 0s;", text)


def test_no_other_sheet_writes_a_raw_value() -> None:
    """A space of 11 px beside one of 12 is chance, not design; a theme or an accent changes one sheet."""
    refuse(
        f"{sheet}: {name}: {value}"
        for sheet in files(".css", under=("static/",))
        if sheet != TOKENS
        for name, value in _DECLARATION.findall(_without_comments(text_of(sheet)))
        if _is_raw(name, value)
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("font-size", "12.5px"),
        ("font", "600 10.5px / 1.6 var(--mono)"),
        ("padding-inline", "var(--space-8) 9px"),
        ("gap", "0.5rem"),
        ("border-radius", "3px"),
        ("box-shadow", "0 1px 6px #0003"),
        ("transition", "color 0.2s"),
        ("color", "light-dark(#fff, #000)"),
    ],
)
def test_what_is_raw_is_found(name: str, value: str) -> None:
    """The rule that sees nothing would pass for ever."""
    assert _is_raw(name, value)


def _is_raw(name: str, value: str) -> bool:
    if _COLOUR.search(value):
        return True
    if _TIMED.match(name):
        return _DURATION.search(value) is not None
    return _TAKEN.match(name) is not None and _MEASURE.search(value.replace(_AWAY, "")) is not None


def _without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
