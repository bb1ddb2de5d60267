"""How data is stored, as the operator says it."""

import pytest

from bridge.settings.storage import StorageSettings, has_guessable_key


@pytest.mark.parametrize(
    ("keys", "is_warned"),
    [
        ((), False),
        (("password",), True),
        (("Zm9ydHktdHdvLXJhbmRvbS1ieXRlcy1vZi1hLWtleSE=",), False),
        (("Zm9ydHktdHdvLXJhbmRvbS1ieXRlcy1vZi1hLWtleSE=", "letmein2026"), True),
    ],
)
def test_a_key_that_can_be_found_by_trying_is_warned_of(keys: tuple[str, ...], is_warned: bool) -> None:
    """What an older key has encrypted is as open as what the newest has."""
    assert has_guessable_key(StorageSettings(encryption_keys=keys)) is is_warned
