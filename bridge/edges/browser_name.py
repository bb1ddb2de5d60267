"""What to call a browser, from the `User-Agent` it sent: "Chrome on Windows"."""

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
"""Most of them claim to be those below as well, so the first that fits is meant."""

SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def browser_name(user_agent: str) -> str:
    """A name from a fixed list, whatever was sent: it is shown to a person who decides by it."""
    browser = next((name for mark, name in BROWSERS if mark in user_agent), "Browser")
    system = next((name for mark, name in SYSTEMS if mark in user_agent), None)
    return f"{browser} on {system}" if system else browser
