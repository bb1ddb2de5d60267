"""The logs of single requests to models, for those who made them: what was asked, when, and how it ended.

Lines tell names, counts, times and codes; neither what was said, nor arguments, nor results. A request's
lines are those of its own turn, which hands its log down; nothing is gathered from elsewhere. In memory only.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict, deque
from collections.abc import Callable

MAX_LINES = 1000
"""Of one request; the oldest go first."""

MAX_LINE_CHARS = 300
KEEP_S = 3600.0
USER_LOGS, ALL_LOGS = 20, 100
"""Logs that are kept of one user, and of all; the oldest go first."""

_log = logging.getLogger(__name__)


class RequestLog:
    """The log of one request. Its lines go to the program's own log, too, as `DEBUG`."""

    def __init__(self, user_id: str, request_id: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.user_id = user_id
        self.request_id = request_id
        self.started_at = clock()
        self.has_ended = False
        self._clock = clock
        self._lines: deque[str] = deque(maxlen=MAX_LINES)

    @property
    def lines(self) -> list[str]:
        """Oldest first, each with the milliseconds since the request began."""
        return list(self._lines)

    def add_line(self, text: str) -> None:
        """Add a line."""
        line = " ".join(text.split())[:MAX_LINE_CHARS]
        self._lines.append(f"{(self._clock() - self.started_at) * 1000:8.0f} ms  {line}")
        _log.debug("request %s: %s", self.request_id, line)

    def close_log(self) -> None:
        """Mark the log as complete."""
        self.has_ended = True


class RequestLogs:
    """The logs of the latest requests that have one."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._logs: OrderedDict[tuple[str, str], RequestLog] = OrderedDict()

    def begin_log(self, user_id: str, request_id: str) -> RequestLog:
        """A new log, which takes the place of the oldest ones."""
        self._forget_expired()
        mine = [key for key in self._logs if key[0] == user_id]
        for key in mine[: max(0, len(mine) - USER_LOGS + 1)]:
            del self._logs[key]
        while len(self._logs) >= ALL_LOGS:
            self._logs.popitem(last=False)
        log = self._logs[user_id, request_id] = RequestLog(user_id, request_id, self._clock)
        return log

    def find_log(self, user_id: str, request_id: str) -> RequestLog | None:
        """A user's log; None when there is none, or none any more."""
        self._forget_expired()
        return self._logs.get((user_id, request_id))

    def _forget_expired(self) -> None:
        old = [key for key, log in self._logs.items() if self._clock() - log.started_at > KEEP_S]
        for key in old:
            del self._logs[key]
