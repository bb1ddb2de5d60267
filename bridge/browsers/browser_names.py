"""What browsers are called where their users see them."""

from __future__ import annotations

BROWSERS = (
    ("Edg/", "Edge"),
    ("EdgA/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
"""Browser names in the order of matching: most user agents also claim to be those below."""

SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def browser_name(user_agent: str) -> str:
    """Return a name from a fixed list, whatever was sent: a person decides by it."""
    browser = next((name for mark, name in BROWSERS if mark in user_agent), "Browser")
    system = next((name for mark, name in SYSTEMS if mark in user_agent), None)
    return f"{browser} on {system}" if system else browser
