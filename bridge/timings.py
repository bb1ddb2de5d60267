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


USUAL_TIMINGS = Timings()
"""Those of every bridge outside of tests."""
