"""Limits of the connections to other replicas, by whichever way a request goes."""

CONNECT_S = 2.0
"""Seconds for a connection to another replica; in one network it takes a millisecond."""

IDLE_S = 15.0
"""Seconds for which an idle connection is kept: much less than the other side keeps it."""

PIECE_BYTES = 256 * 1024
"""Bytes of a response that are read ahead of a slow caller."""


class NoConnection(Exception):
    """There is no connection to the other replica; nothing was sent."""
