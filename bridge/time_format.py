"""Times as the API tells them."""

from __future__ import annotations

from datetime import UTC, datetime


def format_time(seconds: float) -> str:
    """Format a time as ISO 8601 in UTC, with milliseconds and `Z`."""
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
