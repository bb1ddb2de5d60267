"""Breakers: a state machine on a clock that the test turns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.calls.admission import judge_host, judge_tool
from bridge.calls.limits.circuit_breaker import (
    MAX_BREAKERS,
    BreakerKey,
    Breakers,
    BreakerState,
    BreakerVerdict,
    Ending,
)
from bridge.calls.outcome import CallOutcome
from bridge.calls.state_machine import CallState
from bridge.errors import BridgeError, ErrorCode, WireError
from bridge.settings.limits import Limits
from toolserver.answer.result import Answered, TextBody

BOOM = BreakerKey("ann", "tool", "shop", "POST /boom")
FINE = BreakerKey("ann", "tool", "shop", "GET /fine")
HOST = BreakerKey("ann", "host", origin="http://api.example")
NO_CONNECTION = WireError(code=ErrorCode.NETWORK, message="No connection.")


class BreakerHarness:
    """Breakers and their clock."""

    def __init__(self, **limits: int) -> None:
        self.now = 1000.0
        self.limits = Limits(**limits)
        self.changed: list[str] = []
        self.breakers = Breakers(lambda: self.limits, lambda: self.now, on_change=self.changed.append)

    def call(
        self, key: BreakerKey = BOOM, verdict: BreakerVerdict = BreakerVerdict.FAILED, tool: str = "boom"
    ) -> bool:
        """Whether the call was let through."""
        if not self.passes(key):
            return False
        is_probe = self.breakers.enter_breaker(key)
        self.breakers.leave_breaker(key, Ending(verdict, tool, NO_CONNECTION), is_probe=is_probe)
        return True

    def passes(self, key: BreakerKey = BOOM) -> bool:
        try:
            self.breakers.check_breaker(key)
        except BridgeError:
            return False
        return True

    def state(self, key: BreakerKey = BOOM) -> BreakerState:
        found = [facts.state for facts in self.breakers.list_breakers(key.user_id) if facts.key == key]
        return found[0] if found else BreakerState.CLOSED


def test_five_failures_within_the_window_block_the_sixth_call_until_it_is_over() -> None:
    """S0-90, W-07: once per call, and 61 s later a call passes again."""
    harness = BreakerHarness()
    assert [harness.call() for _ in range(6)] == [True] * 5 + [False]
    harness.now += 59
    assert not harness.call()
    harness.now += 2
    assert harness.state() is BreakerState.HALF_OPEN
    assert harness.call(verdict=BreakerVerdict.WORKED)
    assert harness.state() is BreakerState.CLOSED
    assert [harness.call() for _ in range(5)] == [True] * 5


def test_failures_that_are_far_apart_never_open_it() -> None:
    """S0-90: the window slides."""
    harness = BreakerHarness()
    for _ in range(50):
        assert harness.call()
        harness.now += 16


def test_one_tool_never_blocks_another_nor_another_user() -> None:
    """S0-92, W-08: the key is user, server and tool."""
    harness = BreakerHarness()
    for _ in range(6):
        harness.call()
    assert harness.call(FINE)
    assert harness.call(BOOM._replace(user_id="bob"))
    assert not harness.call()


def test_what_is_not_closed_is_counted_by_what_it_watches() -> None:
    """For metrics: of all users, and without their names."""
    harness = BreakerHarness()
    for key in (BOOM, BOOM._replace(user_id="bob")):
        for _ in range(5):
            harness.call(key)
    harness.call(FINE)
    assert harness.breakers.count_states() == {("tool", BreakerState.OPEN): 2}
    harness.now += 61
    assert harness.breakers.count_states() == {("tool", BreakerState.HALF_OPEN): 2}


def test_one_bad_tool_never_closes_its_host() -> None:
    """W-08: however often it fails, the other tools of that host may be called."""
    harness = BreakerHarness()
    for _ in range(50):
        assert harness.call(HOST, tool="boom")


def test_a_host_that_answers_nobody_is_paused() -> None:
    """W-08: failures of several tools are one failure of their host; its first answer lets all pass again."""
    harness = BreakerHarness()
    for tool in ("a", "b", "a", "b", "a"):
        assert harness.call(HOST, tool=tool)
    with pytest.raises(BridgeError) as refused:
        harness.breakers.check_breaker(HOST)
    assert refused.value.error.detail["host"] == "http://api.example"
    assert refused.value.error.message.startswith("http://api.example is paused")
    harness.now += 61
    assert harness.call(HOST, BreakerVerdict.WORKED, "c")
    assert harness.state(HOST) is BreakerState.CLOSED


def test_a_host_is_reset_by_its_origin() -> None:
    """What closes the breakers of a server's tools leaves the host's, which other servers have too."""
    harness = BreakerHarness(breaker_max_failures=1)
    for tool in ("a", "b"):
        harness.call(HOST, tool=tool)
    assert harness.breakers.reset_breakers("ann", "shop") == 0
    assert harness.breakers.reset_breakers("ann", origin="http://api.example") == 1
    assert harness.passes(HOST)


def test_a_success_forgets_the_failures_before_it() -> None:
    """A tool that works now and then is not left alone for what it did before."""
    harness = BreakerHarness()
    for _ in range(20):
        assert [harness.call() for _ in range(4)] == [True] * 4
        assert harness.call(verdict=BreakerVerdict.WORKED)


def test_only_one_call_probes_and_its_failure_opens_it_again() -> None:
    """Half-open lets one call pass: an API that is coming back is not run over."""
    harness = BreakerHarness()
    for _ in range(5):
        harness.call()
    harness.now += 61
    assert harness.breakers.enter_breaker(BOOM)
    assert not harness.call()
    harness.breakers.leave_breaker(BOOM, Ending(BreakerVerdict.FAILED, "boom"), is_probe=True)
    assert harness.state() is BreakerState.OPEN
    harness.now += 61
    assert harness.call(verdict=BreakerVerdict.ALIVE)
    assert harness.state() is BreakerState.CLOSED


def test_a_probe_that_says_nothing_gives_its_place_to_the_next_call() -> None:
    """A cancelled probe must not block the tool for ever."""
    harness = BreakerHarness()
    for _ in range(5):
        harness.call()
    harness.now += 61
    harness.breakers.leave_breaker(BOOM, None, is_probe=harness.breakers.enter_breaker(BOOM))
    assert harness.state() is BreakerState.HALF_OPEN
    assert harness.call(verdict=BreakerVerdict.NOTHING)
    assert harness.call(verdict=BreakerVerdict.WORKED)


def test_the_refusal_says_which_tool_why_and_until_when() -> None:
    """A model that reads it can do something else, and its user can close the breaker."""
    harness = BreakerHarness()
    for _ in range(5):
        harness.call()
    harness.now += 20
    with pytest.raises(BridgeError) as refused:
        harness.breakers.check_breaker(BOOM)
    error = refused.value.error
    assert error.code is ErrorCode.BREAKER_OPEN
    assert (error.detail["tool"], error.detail["server"], error.detail["retry_after_s"]) == (
        "boom",
        "shop",
        40,
    )
    assert error.detail["last_error"]["message"] == "No connection."
    assert error.retryable
    assert "in 40 s" in error.message


@pytest.mark.parametrize("key", [BOOM, BreakerKey("ann", "request")])
def test_the_way_to_close_a_breaker_is_one_that_its_reader_may_take(key: BreakerKey) -> None:
    """Finding I-L3: whoever calls with a key may not reset a breaker; the page may, so it is named."""
    harness = BreakerHarness(breaker_max_failures=1)
    harness.call(key)
    with pytest.raises(BridgeError) as refused:
        harness.breakers.check_breaker(key)
    assert "on the bridge page under Settings" in refused.value.error.message
    assert "/api/" not in refused.value.error.message


def test_a_reset_of_requests_to_models_leaves_tools_and_hosts_alone() -> None:
    """A user who wants his chat back has not said that a host works again."""
    harness = BreakerHarness(breaker_max_failures=1)
    requests = BreakerKey("ann", "request")
    for key in (requests, BOOM, HOST):
        harness.call(key)
    assert harness.breakers.reset_breakers("ann", kind="request") == 1
    assert harness.passes(requests)
    assert {facts.key for facts in harness.breakers.list_breakers("ann")} == {BOOM, HOST}


def test_a_reset_closes_what_it_names() -> None:
    """One breaker, those of a server, or all of a user; nobody else's."""
    harness = BreakerHarness(breaker_max_failures=1)
    bobs = BOOM._replace(user_id="bob")
    for key in (BOOM, FINE, bobs):
        harness.call(key)
    assert harness.breakers.reset_breakers("ann", "shop", "POST /boom") == 1
    assert (harness.state(BOOM), harness.state(FINE)) == (BreakerState.CLOSED, BreakerState.OPEN)
    assert harness.breakers.reset_breakers("ann") == 1
    assert harness.state(bobs) is BreakerState.OPEN


def test_its_user_is_told_when_a_breaker_opens_and_closes() -> None:
    """The page shows it without asking again and again."""
    harness = BreakerHarness()
    for _ in range(4):
        harness.call()
    assert harness.changed == []
    harness.call()
    assert harness.changed == ["ann"]
    harness.now += 61
    harness.call(verdict=BreakerVerdict.WORKED)
    assert harness.changed == ["ann", "ann"]


def test_a_user_without_a_name_has_no_breakers() -> None:
    """S0-97: there is nobody whose failures they would be."""
    harness = BreakerHarness(breaker_max_failures=1)
    assert all(harness.call(BOOM._replace(user_id="")) for _ in range(10))


def test_limits_change_while_it_runs() -> None:
    """Fewer failures or a shorter window count from the next call on."""
    harness = BreakerHarness()
    harness.call()
    harness.limits = Limits(breaker_max_failures=2, breaker_window_seconds=5)
    harness.call()
    assert not harness.call()
    harness.now += 5
    assert harness.state() is BreakerState.HALF_OPEN


def test_memory_is_bounded() -> None:
    """A caller who invents names cannot fill the memory."""
    harness = BreakerHarness()
    for number in range(MAX_BREAKERS + 5):
        harness.call(BOOM._replace(operation_key=str(number)))
    assert len(harness.breakers.list_breakers("ann")) == MAX_BREAKERS


@pytest.mark.parametrize(
    ("code", "detail", "verdict"),
    [
        (ErrorCode.NETWORK, {}, BreakerVerdict.FAILED),
        (ErrorCode.TIMEOUT, {}, BreakerVerdict.FAILED),
        (ErrorCode.INTERNAL, {}, BreakerVerdict.FAILED),
        (ErrorCode.HTTP_STATUS, {"status": 503}, BreakerVerdict.FAILED),
        (ErrorCode.OUTCOME_UNKNOWN, {"reason": "timeout"}, BreakerVerdict.FAILED),
        (ErrorCode.HTTP_STATUS, {"status": 404}, BreakerVerdict.ALIVE),
        (ErrorCode.TOOL_FAILED, {}, BreakerVerdict.ALIVE),
        (ErrorCode.OUTCOME_UNKNOWN, {"reason": "cancelled"}, BreakerVerdict.NOTHING),
        (ErrorCode.NO_BROWSER, {}, BreakerVerdict.NOTHING),
        (ErrorCode.CANCELLED, {}, BreakerVerdict.NOTHING),
        (ErrorCode.QUEUE_FULL, {}, BreakerVerdict.NOTHING),
        (ErrorCode.INVALID_ARGUMENTS, {}, BreakerVerdict.NOTHING),
        (ErrorCode.CORS, {}, BreakerVerdict.NOTHING),
    ],
)
def test_only_the_apis_own_faults_count(
    code: ErrorCode, detail: dict[str, object], verdict: BreakerVerdict
) -> None:
    """S0-95, W-06, ruling 26: neither the caller's mistakes nor the user's decisions open a breaker."""
    error = WireError(code=code, message="No.", detail=detail)
    assert judge_tool(CallOutcome("call_1", CallState.FAILED, None, error)) is verdict


@pytest.mark.parametrize(
    ("error", "verdict"),
    [
        (None, BreakerVerdict.WORKED),
        (WireError(code=ErrorCode.HTTP_STATUS, message="", detail={"status": 500}), BreakerVerdict.WORKED),
        (WireError(code=ErrorCode.TOOL_FAILED, message=""), BreakerVerdict.WORKED),
        (NO_CONNECTION, BreakerVerdict.FAILED),
        (WireError(code=ErrorCode.TIMEOUT, message=""), BreakerVerdict.FAILED),
        (
            WireError(code=ErrorCode.OUTCOME_UNKNOWN, message="", detail={"reason": "network"}),
            BreakerVerdict.FAILED,
        ),
        (
            WireError(code=ErrorCode.OUTCOME_UNKNOWN, message="", detail={"reason": "no_browser"}),
            BreakerVerdict.NOTHING,
        ),
        (WireError(code=ErrorCode.CORS, message=""), BreakerVerdict.NOTHING),
    ],
)
def test_any_answer_shows_that_a_host_works(error: WireError | None, verdict: BreakerVerdict) -> None:
    """A status of 500 is one tool's fault."""
    state = CallState.FAILED if error else CallState.SUCCEEDED
    assert judge_host(CallOutcome("call_1", state, None, error)) is verdict


def test_an_answer_works() -> None:
    """W-06: what succeeded is told apart from what failed by its type, not by its shape."""
    answered = Answered(200, "application/json", {}, TextBody('{"error": "of the API"}'))
    assert judge_tool(CallOutcome("call_1", CallState.SUCCEEDED, answered, None)) is BreakerVerdict.WORKED


@given(st.lists(st.tuples(st.sampled_from(list(BreakerVerdict)), st.integers(0, 90))))
def test_it_lets_calls_pass_again_whatever_happened(history: list[tuple[BreakerVerdict, int]]) -> None:
    """No history leaves a tool blocked for longer than the window."""
    harness = BreakerHarness()
    for verdict, pause in history:
        harness.call(verdict=verdict)
        harness.now += pause
    harness.now += 60
    assert harness.call(verdict=BreakerVerdict.WORKED)
    assert harness.state() is BreakerState.CLOSED
