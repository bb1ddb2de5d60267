"""Times as the API tells them."""

from bridge.time_format import format_time


def test_times_are_told_in_utc() -> None:
    """S3-01: with `Z`, as browsers read them."""
    assert format_time(0.0) == "1970-01-01T00:00:00.000Z"
