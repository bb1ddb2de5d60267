"""What a log line may hold, and how many of a kind there are."""

import io
import json
import logging
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.log_lines import (
    FORMAT,
    MAX_KINDS,
    MAX_MESSAGE_CHARS,
    WINDOW_S,
    ForeignOncePerMinute,
    JsonFormatter,
    LineFormatter,
    OncePerMinute,
    name_call,
    name_user,
    naming_request,
)
from bridge.tracing.names import REQUEST
from bridge.tracing.tracer import within_span
from tests.support.traces.span_list import SpanList, tracer_into


class Clock:
    """Time that passes when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def log_into(stream: io.StringIO, name: str, *filters: logging.Filter) -> logging.Logger:
    """A logger of its own that writes as the program does."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(LineFormatter(FORMAT))
    for each in filters:
        handler.addFilter(each)
    log = logging.Logger(name)
    log.addHandler(handler)
    return log


@given(st.text(st.characters(), max_size=50))
def test_a_record_is_one_line_that_moves_no_cursor(text: str) -> None:
    """A path with ESC, CR and LF in it wrote over the lines before, and could pass for another record."""
    stream = io.StringIO()
    log_into(stream, "bridge.test").warning("A path: %s.", text)
    line = stream.getvalue()
    assert line.endswith(".\n")
    assert len(line.splitlines()) == 1
    assert all(character.isprintable() or character.isspace() or ord(character) > 0x9F for character in line)


def test_a_line_of_json_names_who_and_what_it_is_about() -> None:
    """A collector finds what happened to one call, or one user, without reading sentences."""
    stream = io.StringIO()
    log = log_into(stream, "bridge.test")
    formatter = JsonFormatter()
    formatter.replica = "411a"
    log.handlers[0].setFormatter(formatter)
    name_user("u1")
    name_call("c1")
    with naming_request("66a7"):
        log.warning("It said %s.", "one\ntwo \x1b[2J \ud800")
    name_user("")
    name_call("")
    log.error("Another.")
    first, second = map(json.loads, stream.getvalue().splitlines())
    assert datetime.fromisoformat(first.pop("time")).tzinfo is UTC
    assert first == {
        "level": "warning",
        "logger": "bridge.test",
        "message": "It said one\ntwo \x1b[2J \ud800.",
        "replica": "411a",
        "request": "66a7",
        "user": "u1",
        "call": "c1",
    }
    assert set(second) == {"time", "level", "logger", "message", "replica"}


def test_a_traceback_is_a_member_of_its_line() -> None:
    """Lines of its own would be records without a level."""
    stream = io.StringIO()
    log = log_into(stream, "bridge.test")
    log.handlers[0].setFormatter(JsonFormatter())
    try:
        raise RuntimeError("a bug")
    except RuntimeError:
        log.exception("It failed.")
    (line,) = stream.getvalue().splitlines()
    assert json.loads(line)["exception"].splitlines()[-1] == "RuntimeError: a bug"


def test_a_line_of_json_names_the_trace_of_the_work_it_is_about() -> None:
    """Whoever looks at a slow trace finds what was logged meanwhile, and the other way round."""
    stream = io.StringIO()
    log = log_into(stream, "bridge.test")
    log.handlers[0].setFormatter(JsonFormatter())
    span = tracer_into(SpanList()).start_span(REQUEST, "GET /a", None, {})
    with within_span(span):
        log.warning("One.")
    line = json.loads(stream.getvalue())
    assert (line["trace_id"], line["span_id"]) == (span.context.trace_hex, span.context.span_hex)


def test_a_line_of_a_replica_names_it_and_the_request_that_was_passed_on() -> None:
    """The lines of several replicas are read together, and one request leaves some in two of them."""
    stream = io.StringIO()
    log = log_into(stream, "bridge.test")
    formatter = log.handlers[0].formatter
    assert isinstance(formatter, LineFormatter)
    formatter.replica = "411a"
    with naming_request("66a7"):
        log.warning("One.")
        with naming_request(""):
            log.warning("Two.")
    log.warning("Three.")
    assert stream.getvalue().splitlines() == [
        "WARNING bridge.test: One. [replica 411a, request 66a7]",
        "WARNING bridge.test: Two. [replica 411a]",
        "WARNING bridge.test: Three. [replica 411a]",
    ]


@pytest.mark.parametrize(
    ("text", "shown"), [("a\r\x1b[31m\x00", r"a\r\x1b[31m\x00"), ("\u202e\x85\ud800", r"\u202e\x85\ud800")]
)
def test_control_characters_are_written_out(text: str, shown: str) -> None:
    """Whoever reads the log sees that they were there."""
    stream = io.StringIO()
    log_into(stream, "bridge.test").warning("%s", text)
    assert stream.getvalue() == f"WARNING bridge.test: {shown}\n"


def test_lines_of_a_traceback_are_indented_and_escaped() -> None:
    """The message of an exception may come from outside, line breaks included."""
    stream = io.StringIO()
    log = log_into(stream, "bridge.test")
    try:
        raise ValueError("x\nERROR bridge.test: forged\x1b[2J")
    except ValueError:
        log.exception("It failed.")
    first, *others = stream.getvalue().splitlines()
    assert first == "ERROR bridge.test: It failed."
    assert all(line.startswith("  ") for line in others)
    assert r"forged\x1b[2J" in others[-1]


def test_a_long_message_is_cut() -> None:
    """A megabyte of a client's own words is no log line."""
    stream = io.StringIO()
    log_into(stream, "bridge.test").warning("%s", "x" * 1_000_000)
    assert len(stream.getvalue()) < MAX_MESSAGE_CHARS + 100


def test_a_kind_of_line_comes_once_a_minute_and_says_how_many_were_left_out() -> None:
    """15 KB of bad frames were 10.9 MB of log."""
    stream, clock = io.StringIO(), Clock()
    log = log_into(stream, "bridge.test", OncePerMinute(clock))
    for number in range(1_000):
        log.warning("Frame %d is unreadable.", number)
        log.warning("Something else.")
    assert stream.getvalue().count("\n") == 2
    clock.now += WINDOW_S
    log.warning("Frame %d is unreadable.", 7)
    assert stream.getvalue().splitlines()[-1] == (
        "WARNING bridge.test: Frame 7 is unreadable. (999 more of these since the last line.)"
    )


def test_a_kind_can_be_told_apart_by_its_arguments() -> None:
    """Where they are the bridge's own words: a bug in one route must not hide that of another."""
    stream = io.StringIO()
    log = log_into(stream, "bridge.test", OncePerMinute(Clock(), by_arguments=True))
    for number in range(20):
        log.warning("%s failed.", f"GET /{number % 2}")
    assert stream.getvalue().count("\n") == 2


def test_kinds_that_nobody_foresaw_share_a_line_in_the_end() -> None:
    """A library that puts what came from outside into the text itself makes every line another kind."""
    stream = io.StringIO()
    log = log_into(stream, "bridge.test", OncePerMinute(Clock()))
    for number in range(10_000):
        log.warning(f"Session {number}")
    assert stream.getvalue().count("\n") == MAX_KINDS + 1


def test_libraries_log_once_a_minute_and_the_bridge_as_it_likes() -> None:
    """Asyncio wrote 69,885 lines in 25 s when there were no descriptors left."""
    stream = io.StringIO()
    limit = ForeignOncePerMinute(Clock())
    asyncio_log, own = log_into(stream, "asyncio", limit), log_into(stream, "bridge.http", limit)
    for number in range(100):
        asyncio_log.error("socket.accept() out of system resource\nsocket: %d", number)
        own.info("error_id=%d", number)
    lines = stream.getvalue().splitlines()
    assert sum("asyncio" in line for line in lines) == 1
    assert sum("error_id" in line for line in lines) == 100


def test_a_broken_connection_is_no_traceback_and_a_bug_in_a_library_is() -> None:
    """The first is what somebody sent; the second has to be found."""
    stream = io.StringIO()
    log = log_into(stream, "aiohttp.server", ForeignOncePerMinute(Clock()))
    for failure in (ConnectionResetError("gone"), KeyError("bug")):
        try:
            raise failure
        except (OSError, KeyError) as error:
            log.exception("Error handling request from %s", "127.0.0.1", exc_info=error)
    lines = stream.getvalue().splitlines()
    assert lines[0] == (
        "ERROR aiohttp.server: Error handling request from 127.0.0.1: ConnectionResetError: gone"
    )
    assert "Traceback" in lines[2]
