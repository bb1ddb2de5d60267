"""Colours of the tokens read well on each other, in both themes and with every accent that users choose."""

import re
from collections.abc import Mapping

import pytest

from tests.house.source import text_of

TOKENS = "static/styles/tokens.css"

TEXT = 4.5
"""WCAG 1.4.3: ratio of text to its ground."""
CONTROL = 3.0
"""WCAG 1.4.11: ratio of the edge of a field to what is around it."""

GROUNDS = ("page", "surface", "sunken", "note-back")
READ_ON = {
    **dict.fromkeys(("text", "soft", "accent", "accent-strong"), GROUNDS),
    "on-accent": ("accent", "accent-strong"),
    "on-warn": ("warn",),
    "good": ("page", "surface", "sunken", "good-back"),
    "warn": ("page", "surface", "sunken", "warn-back"),
    "bad": ("page", "surface", "sunken", "bad-back"),
    "patch": ("patch-back",),
    "keyword": ("sunken",),
}
_COLOUR = re.compile(r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);")
_RULE = re.compile(r"^([^\s{}][^{}]*?) \{(.*?)^\}", re.MULTILINE | re.DOTALL)


def _themes_of(rule: str) -> tuple[dict[str, str], dict[str, str]]:
    found = _COLOUR.findall(rule)
    return {name: light for name, light, _ in found}, {name: dark for name, _, dark in found}


def _read_palettes() -> dict[str, dict[str, str]]:
    """Each accent in each theme, as names to colours."""
    text = re.sub(r"/\*.*?\*/", "", text_of(TOKENS), flags=re.DOTALL)
    rules = [(selector, _themes_of(rule)) for selector, rule in _RULE.findall(text)]
    basis = next(themes for selector, themes in rules if selector == ":root")
    accents = {
        name[1]: themes
        for selector, themes in rules
        if (name := re.match(r'\[data-accent="(\w+)"\]', selector))
    }
    return {
        f"{accent} {theme}": {**basis[place], **themes[place]}
        for accent, themes in accents.items()
        for place, theme in enumerate(("light", "dark"))
    }


PALETTES = _read_palettes()


@pytest.mark.parametrize("name", PALETTES)
def test_every_accent_reads_well_in_both_themes(name: str) -> None:
    """Issue 43 point 7: one accent that users may change; none of them makes the page unreadable."""
    palette = PALETTES[name]
    ratios = {
        f"{ink} on {ground}": round(_contrast(palette[ink], palette[ground]), 2)
        for ink, grounds in READ_ON.items()
        for ground in grounds
    }
    assert {pair: ratio for pair, ratio in ratios.items() if ratio < TEXT} == {}
    assert _contrast(palette["line-strong"], palette["surface"]) >= CONTROL


def test_what_the_page_offers_is_what_was_computed() -> None:
    """An accent that the settings offer and no rule has would be the one before it."""
    offered = re.findall(
        r'^  \["(\w*)", t`\w+`\],$', text_of("static/settings/appearance_panel.js"), re.MULTILINE
    )
    accents = {name.split()[0] for name in PALETTES}
    assert accents - {"teal"} <= set(offered)
    applied = re.search(r"accent: \[(.*?)\]", text_of("static/appearance.js"))
    assert applied is not None
    assert set(re.findall(r'"(\w+)"', applied[1])) == accents - {"teal"}
    assert len(accents) == 5
    default: Mapping[str, str] = PALETTES["teal light"]
    assert default["accent"] in text_of(TOKENS).split("[data-accent", 1)[0], "the page's own"


def _contrast(ink: str, ground: str) -> float:
    lighter, darker = sorted((_luminance(ink), _luminance(ground)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
