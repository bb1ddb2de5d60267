"""Times that no setting changes, but that a test of a whole bridge shortens."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """How long a bridge waits, in seconds."""

    keep_alive_s: float = 15.0
    """Silence after which a stream sends a comment or repeats the progress: proxies close a silent connection
    after a minute, and Claude Code ends a call that is silent for five."""
    silence_s: float = 15.0
    """After which a JSON response sends its 200 and headers, then white space every `space_s`."""
    space_s: float = 10.0
    told_after_s: float = 2.0
    """After which an MCP client that wants to hear of progress hears of it the first time."""
    task_after_s: float = 5.0
    """After which a call of an MCP client becomes a task; one whose user is asked becomes one at once."""
    ack_s: float = 10.0
    """That a page has to acknowledge a call, if nothing else is heard of it; it takes milliseconds.

    With `PAGE_RESUME_SECONDS` after that, a frozen page is known before the status of its calls is sent
    (`silence_s`). A call's arguments extend that time by as long as they take on a slow connection.
    """
    body_s: float = 120.0
    """For the body of a request to arrive: a slow sender must not hold a request open forever."""
    list_wait_s: float = 10.0
    """At most, for which a list of several servers waits for the slowest: more than slow documents of three
    other users keep it waiting (`bridge.documents.children.PATIENCE_S`)."""
    page_wait_s: float = 15.0
    """For which a resumed response waits for its user's page to reconnect. Chosen."""
    checked_s: float = 1.0
    """For which `/readyz` tells what a check has found."""
    long_read_s: float = 30.0
    """After which a document that is still being read counts as a failure: twice what the largest real one
    takes, half of what it may take."""
    key_s: float = 10.0
    """For which keys and paired browsers are cached; what another process revokes works that much longer."""
    away_s: float = 600.0
    """For which cached callers are trusted while the database does not answer."""
    patience_s: float = 2.0
    """For which a cached caller waits for the database."""
    redis_s: float = 1.0
    """For connecting to Redis, and for one answer; also for both together."""
    silent_s: float = 2.2
    """Without a heartbeat, after which a replica may be lost: two of them, and the time to hear of it."""
    query_wait_s: float = 15.0
    """Until a query of an answer has ended: its process has low priority, and waits on a busy machine."""
    query_read_s: float = 30.0
    """Until the answer has been read for it: one of 16 MiB takes a second where nothing else runs."""
    lease_s: float = 3.0
    """After a heartbeat was sent, for which a replica acts without looking again; others take it for dead a
    second later at the earliest."""
    counts_s: float = 5.0
    """Between two times at which a replica tells in Redis what it has counted."""


USUAL_TIMINGS = Timings()
"""Those of every bridge outside of tests."""
