"""What browsers are called in the list of devices."""

import pytest

from bridge.browsers.browser_names import browser_name

CHROME = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/150.0 Safari/537.36"


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (CHROME, "Chrome on Windows"),
        (CHROME + " Edg/150.0", "Edge on Windows"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/26.0 Safari/605.1.15", "Safari on macOS"),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0", "Firefox on Linux"),
        (
            "Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/150.0 Mobile Safari/537.36",
            "Chrome on Android",
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) CriOS/150.0 Safari/604.1",
            "Chrome on iPhone",
        ),
        ("Ann's trusted laptop, please confirm", "Browser"),
        ("", "Browser"),
    ],
)
def test_a_browser_is_called_by_words_of_ours(user_agent: str, name: str) -> None:
    """A person confirms by this name; text of the other side would say whatever helps it."""
    assert browser_name(user_agent) == name
