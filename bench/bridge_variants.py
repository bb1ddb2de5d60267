"""The bridge itself: dispatch to a page, and the tool route in front of it."""

from collections.abc import Sequence

from bench.peer_link import PeerLink
from bench.plain_variants import Variant


async def start_bridge(peer: PeerLink) -> Sequence[Variant]:
    """(c) dispatcher and gateway, (d) the HTTP tool route."""
    return []
