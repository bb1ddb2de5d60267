"""What entries of the audit log say."""

from typing import Any

ORIGIN = frozenset({"replica", "epoch", "request"})
"""Facts of an entry's detail by which a replica says where it was written."""


def told_in(entry: dict[str, Any]) -> dict[str, Any]:
    """The detail of an entry, but for where it was written."""
    return {name: fact for name, fact in entry["detail"].items() if name not in ORIGIN}
