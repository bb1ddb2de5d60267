"""The formats of the log: one line per event, whatever bytes came from outside, and few lines of a kind.

Text in a log also comes from callers, pages and documents. It must not move the reader's cursor, look like a
line of its own, or fill the disk.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import time
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime

from bridge.tracing.tracer import current_context

WINDOW_S = 60.0
"""Minimum seconds between two lines of one kind."""

MAX_KINDS = 200
"""Maximum number of kinds that are distinguished; further ones share a line."""

MAX_MESSAGE_CHARS = 4000
"""Maximum characters of one line's message."""

FORMAT = "%(levelname)s %(name)s: %(message)s"

_INVISIBLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, line separators, direction changes, and lone surrogates."""


def escape_controls(text: str) -> str:
    r"""Return the text with every character of `_INVISIBLE` escaped, such as `\x1b`."""
    return _INVISIBLE.sub(_written_out, text)


def _written_out(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape", "backslashreplace").decode()


_request = ContextVar("request", default="")
_user = ContextVar("user", default="")
_call = ContextVar("call", default="")


def current_request() -> str:
    """Return the id under which replicas know the request that is being answered; empty: there is none."""
    return _request.get()


def naming_request(request_id: str) -> NamedRequest:
    """Run a block whose lines, and those of the tasks that it starts, name a request; empty: none."""
    return NamedRequest(request_id)


class NamedRequest:
    """The context in which lines name a request."""

    __slots__ = ("_before", "_request_id")

    def __init__(self, request_id: str) -> None:
        self._request_id = request_id

    def __enter__(self) -> None:
        """Begin."""
        self._before = _request.set(self._request_id)

    def __exit__(self, *_: object) -> None:
        """End."""
        _request.reset(self._before)


def name_user(user_id: str) -> None:
    """Have the lines of this task, and of the tasks that it starts, name a user; empty: nobody."""
    _user.set(user_id)


def current_user() -> str:
    """Return the id of the user whom the lines of this task name; empty: nobody."""
    return _user.get()


def name_call(call_id: str) -> None:
    """Have the lines of this task, and of the tasks that it starts, name a call; empty: none."""
    _call.set(call_id)


class LineFormatter(logging.Formatter):
    """Formats a record as one line, and indents its traceback, so that none of it passes for a record.

    What several replicas log is read together: a line ends with the replica, and the request that it passed
    on or was passed.
    """

    replica = ""
    """Id of the replica that this process is; empty: it is none."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: D102 - inherited
        record.message = escape_controls(record.message[:MAX_MESSAGE_CHARS])
        if self.replica:
            request = f", request {current_request()}" if current_request() else ""
            record.message += f" [replica {self.replica}{request}]"
        return super().formatMessage(record)

    def formatException(self, ei: logging._SysExcInfoType) -> str:  # noqa: D102  # pyright: ignore[reportPrivateUsage]
        lines = super().formatException(ei).split("\n")
        return "\n".join(f"  {escape_controls(line)}" for line in lines)


class JsonFormatter(LineFormatter):
    """Formats a record as an object of JSON on one line, for programs that collect logs.

    Members: `time` (UTC, ISO 8601 with milliseconds), `level`, `logger`, `message`; where they are known
    `replica`, `request`, `user`, `call`, `trace_id` and `span_id`, which are ids; `exception`, a traceback.
    """

    def format(self, record: logging.LogRecord) -> str:  # noqa: D102 - inherited
        trace = current_context()
        about = {
            "replica": self.replica,
            "request": _request.get(),
            "user": _user.get(),
            "call": _call.get(),
            "trace_id": "" if trace is None else trace.trace_hex,
            "span_id": "" if trace is None else trace.span_hex,
        }
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage()[:MAX_MESSAGE_CHARS],
            **{name: value for name, value in about.items() if value},
        }
        if record.exc_info:
            line["exception"] = logging.Formatter.formatException(self, record.exc_info)
        return json.dumps(line)


class OncePerMinute(logging.Filter):
    """Lets through one record of a kind per `WINDOW_S`; the next one says how many were left out.

    A kind is the text of a record before its arguments are filled in (after, with `by_arguments`), and the
    type of its exception. Arguments that come from outside would make every record a kind of its own.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, *, by_arguments: bool = False) -> None:
        super().__init__()
        self._clock = clock
        self._by_arguments = by_arguments
        self._seen: dict[tuple[str, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written."""
        now = self._clock()
        kind = self._kind_of(record)
        last, left_out = self._seen.get(kind, (now - WINDOW_S, 0))
        if now - last < WINDOW_S:
            self._seen[kind] = (last, left_out + 1)
            return False
        self._seen[kind] = (now, 0)
        if left_out:
            record.msg = f"{record.getMessage()} ({left_out} more of these since the last line.)"
            record.args = ()
        return True

    def _kind_of(self, record: logging.LogRecord) -> tuple[str, str]:
        failure = record.exc_info[1] if record.exc_info else None
        text = record.getMessage() if self._by_arguments else str(record.msg)
        kind = (text.partition("\n")[0], type(failure).__name__)
        return kind if kind in self._seen or len(self._seen) < MAX_KINDS else ("", "")


class ForeignOncePerMinute(OncePerMinute):
    """Limits what libraries log as `OncePerMinute` does; lets through everything that the bridge logs.

    What a library logs from inside a server is about one connection, and anybody may open any number of them.
    Unreadable requests and broken connections in aiohttp are logged without a traceback.
    """

    def filter(self, record: logging.LogRecord) -> bool:  # noqa: D102 - inherited
        if record.name.partition(".")[0] == "bridge":
            return True
        if not super().filter(record):
            return False
        failure = record.exc_info[1] if record.exc_info else None
        if isinstance(failure, OSError) or type(failure).__module__.startswith("aiohttp."):
            record.msg = f"{record.getMessage()}: {type(failure).__name__}: {failure}"
            record.args = ()
            record.exc_info = None
        return True


def name_replica(replica: str) -> None:
    """Have every line that the process logs in this format end with the replica that it is."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler.formatter, LineFormatter):
            handler.formatter.replica = replica


def log_as_json() -> None:
    """Have the process log lines of JSON from now on."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler.formatter, LineFormatter):
            handler.setFormatter(JsonFormatter())


def log_to_stderr(level: int = logging.INFO) -> None:
    """Make the process log to standard error in this format; for programs, once."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LineFormatter(FORMAT))
    handler.addFilter(ForeignOncePerMinute())
    logging.basicConfig(level=level, handlers=[handler])
