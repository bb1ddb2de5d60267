"""Where a bridge listens, and who can read what passes."""

import pytest

from bridge.settings.network import NetworkSettings, lacks_tls


@pytest.mark.parametrize(
    ("host", "public_url", "is_warned"),
    [
        ("127.0.0.1", None, False),
        ("127.0.0.2", None, False),
        ("localhost", None, False),
        ("::1", None, False),
        ("0.0.0.0", None, True),
        ("::", None, True),
        ("192.0.2.7", "http://bridge.example", True),
        ("bridge.example", None, True),
        ("0.0.0.0", "https://bridge.example", False),
    ],
)
def test_a_bridge_that_others_reach_without_tls_is_warned_of(
    host: str, public_url: str | None, is_warned: bool
) -> None:
    """A key that travels in the clear is a key that anybody on the way has."""
    assert lacks_tls(NetworkSettings(host=host, public_url=public_url)) is is_warned
