"""Limits: names, ranges, where a value comes from, and changes while the bridge runs."""

import asyncio
from collections.abc import Callable

import pytest

from bridge.calls.limits.call_rules import SlotKey
from bridge.calls.limits.settings import LiveLimits
from bridge.errors import BridgeError, ErrorCode
from bridge.settings.limits import NAMES, Number
from tests.support.calls.memory_limits import MemoryLimitStore, controls, fail_on_warning

pytestmark = pytest.mark.asyncio


def live(
    kept: MemoryLimitStore | None = None, on_change: Callable[[], None] = lambda: None, **given: Number
) -> LiveLimits:
    return LiveLimits(kept or MemoryLimitStore(), given, warn=fail_on_warning, on_change=on_change)


async def test_every_limit_has_the_name_default_and_range_of_the_source_documents() -> None:
    """S0-70, S0-71, S0-72, S0-75, S0-76, S0-80, S0-90: what users of the source programs know."""
    facts = {fact.name: (fact.default, fact.minimum, fact.maximum) for fact in live().list_limits()}
    assert facts["MAX_PARALLEL_TOOLS_PER_REQUEST"] == (5, 1, 50)
    assert facts["MAX_PARALLEL_TOOLS_GLOBAL"] == (200, 1, 2000)
    assert live().now.tool_queue_size == 50
    assert facts["TOOL_TIMEOUT_SECONDS"] == (60, 1, 600)
    assert facts["TOOL_BATCH_TIMEOUT_SECONDS"][:2] == (120, 1)
    assert facts["TOOL_SHUTDOWN_TIMEOUT_SECONDS"][:2] == (10, 0)
    assert facts["PAGE_RESUME_SECONDS"] == (1.5, 0.5, 30)
    assert facts["BREAKER_MAX_FAILURES"] == (5, 1, 50)
    assert facts["BREAKER_WINDOW_SECONDS"] == (60, 5, 900)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("BREAKER_WINDOW_SECONDS", 4, "from 5 to 900"),
        ("MAX_PARALLEL_TOOLS_GLOBAL", 2001, "from 1 to 2000"),
        ("MAX_PARALLEL_TOOLS_PER_REQUEST", 2.5, "a whole number from 1 to 50"),
        ("MAX_PARALLEL_TOOLS_PER_REQUEST", True, "a whole number"),
        ("TOOL_TIMEOUT_SECONDS", "60", "a number from 1 to 600"),
        ("TOOL_TIMEOUT_SECONDS", float("nan"), "a number from 1 to 600"),
    ],
)
async def test_a_value_out_of_range_is_refused_with_the_range(name: str, value: object, told: str) -> None:
    """Whoever changes a limit learns at once what it may be; nothing of the change is made."""
    limits = live()
    with pytest.raises(BridgeError) as refused:
        await limits.change_limits({"BREAKER_MAX_FAILURES": 7, name: value})
    assert refused.value.error.code is ErrorCode.INVALID_REQUEST
    assert name in refused.value.error.message
    assert told in refused.value.error.message
    assert limits.now.breaker_max_failures == 5


async def test_an_unknown_name_is_refused_with_those_that_exist() -> None:
    """A misspelt limit would otherwise be believed to be in force."""
    with pytest.raises(BridgeError) as refused:
        await live().change_limits({"TOOL_TIMEOUT": 5})
    assert all(name in refused.value.error.message for name in NAMES)


async def test_a_change_is_in_force_at_once_and_after_a_restart() -> None:
    """What the operator sets in the page is kept; taking it back brings the default."""
    kept = MemoryLimitStore()
    heard: list[int] = []
    limits = live(kept, lambda: heard.append(limits.now.max_parallel_tools_global))
    await limits.change_limits({"MAX_PARALLEL_TOOLS_GLOBAL": 3})
    assert heard == [3]
    restarted = live(kept)
    await restarted.load_stored()
    assert restarted.now.max_parallel_tools_global == 3
    await restarted.change_limits({"MAX_PARALLEL_TOOLS_GLOBAL": None})
    assert restarted.now.max_parallel_tools_global == 200
    assert kept.values == {}


async def test_at_a_start_the_environment_wins_over_what_was_kept() -> None:
    """Whoever writes a value into a deployment means it; a change in the page lasts until the next start."""
    kept = MemoryLimitStore({"TOOL_TIMEOUT_SECONDS": 30})
    limits = live(kept, TOOL_TIMEOUT_SECONDS=20)
    await limits.load_stored()
    assert limits.now.tool_timeout_seconds == 20
    await limits.change_limits({"TOOL_TIMEOUT_SECONDS": 10})
    assert limits.now.tool_timeout_seconds == 10
    assert {fact.name: fact.source for fact in limits.list_limits()}["TOOL_TIMEOUT_SECONDS"] == "changed"
    assert kept.values == {"TOOL_TIMEOUT_SECONDS": 30}
    await limits.change_limits({"TOOL_TIMEOUT_SECONDS": None})
    assert limits.now.tool_timeout_seconds == 20


async def test_a_kept_value_that_is_no_longer_allowed_is_left_out() -> None:
    """A newer version may have another range; the bridge starts all the same."""
    warnings: list[str] = []
    kept = MemoryLimitStore({"BREAKER_MAX_FAILURES": 4000, "NO_SUCH": 1, "TOOL_TIMEOUT_SECONDS": 7})
    limits = LiveLimits(kept, {}, warn=warnings.append)
    await limits.load_stored()
    assert (limits.now.breaker_max_failures, limits.now.tool_timeout_seconds) == (5, 7)
    assert len(warnings) == 2


async def test_what_all_users_may_do_is_divided_among_replicas() -> None:
    """Rounded up, so that no replica comes to a stop; what a user may do is counted at the user's home."""
    limits = live(MAX_PARALLEL_TOOLS_GLOBAL=200, MAX_CONCURRENT_REQUESTS=2)
    limits.divide_among(3)
    assert (limits.now.max_parallel_tools_global, limits.now.max_concurrent_requests) == (67, 1)
    assert limits.now.max_parallel_tools_per_user == 128
    limits.divide_among(1)
    assert (limits.now.max_parallel_tools_global, limits.now.max_concurrent_requests) == (200, 2)


async def test_a_replica_that_sees_nobody_takes_all() -> None:
    """Redis has just lost its heartbeat, or has not got it yet."""
    limits = live()
    limits.divide_among(0)
    assert limits.now.max_parallel_tools_global == 200


async def test_who_reads_the_limits_reads_those_of_all_replicas() -> None:
    """The value that a person changes must not depend on how many replicas live."""
    limits = live()
    limits.divide_among(4)
    await limits.change_limits({"MAX_PARALLEL_TOOLS_GLOBAL": 100})
    facts = {fact.name: fact.value for fact in limits.list_limits()}
    assert (facts["MAX_PARALLEL_TOOLS_GLOBAL"], facts["MAX_CONCURRENT_REQUESTS"]) == (100, 200)
    assert limits.now.max_parallel_tools_global == 25


async def test_another_number_of_replicas_tells_the_queues_once() -> None:
    """Calls that wait may run when a replica is gone; each heartbeat sees the same number again."""
    told = list[int]()
    limits = live(on_change=lambda: told.append(limits.now.max_parallel_tools_global))
    for replicas in (2, 2, 1):
        limits.divide_among(replicas)
    assert told == [100, 200]


async def test_stored_limits_are_read_again_as_another_replica_left_them() -> None:
    """One that it took back is in force no longer; reading the same again tells nobody."""
    kept, told = MemoryLimitStore({"TOOL_TIMEOUT_SECONDS": 7, "BREAKER_MAX_FAILURES": 9}), list[float]()
    limits = live(kept, lambda: told.append(limits.now.tool_timeout_seconds))
    await limits.load_stored()
    kept.values = {"BREAKER_MAX_FAILURES": 9}
    for _ in range(2):
        await limits.load_stored()
    assert told == [7, 60]
    assert limits.now.breaker_max_failures == 9


async def test_a_stored_name_that_is_no_limit_any_more_is_told_until_it_is_undone() -> None:
    """Finding house-H2: some limits are constants now; what an operator chose is not silently gone."""
    warnings: list[str] = []
    kept = MemoryLimitStore({"TOOL_QUEUE_SIZE": 5, "TOOL_TIMEOUT_SECONDS": 7})
    limits = LiveLimits(kept, {}, warn=warnings.append)
    await limits.load_stored()
    assert (limits.now.tool_queue_size, limits.now.tool_timeout_seconds) == (50, 7)
    assert [warning.partition(". ")[0] for warning in warnings] == [
        "A stored limit is ignored until it is undone: There is no limit 'TOOL_QUEUE_SIZE'"
    ]
    await limits.change_limits({"TOOL_QUEUE_SIZE": None})
    assert kept.values == {"TOOL_TIMEOUT_SECONDS": 7}


async def test_a_limit_is_changed_by_its_name_or_its_variable() -> None:
    """Finding house-H2: the documentation has the variable; what is stored keeps its name."""
    kept = MemoryLimitStore()
    limits = live(kept)
    await limits.change_limits({"TOOL_BRIDGE_TOOL_TIMEOUT_SECONDS": 7, "BREAKER_MAX_FAILURES": 3})
    assert kept.values == {"TOOL_TIMEOUT_SECONDS": 7, "BREAKER_MAX_FAILURES": 3}
    variables = {fact.name: fact.variable for fact in limits.list_limits()}
    assert variables["TOOL_TIMEOUT_SECONDS"] == "TOOL_BRIDGE_TOOL_TIMEOUT_SECONDS"


async def test_what_protects_users_from_each_other_is_constant() -> None:
    """An operator who raises the limit of all users does not mean one user."""
    limits = live()
    for name in (
        "MAX_PARALLEL_TOOLS_PER_USER",
        "MAX_PARALLEL_TOOLS_PER_HOST",
        "MAX_CONCURRENT_REQUESTS_PER_USER",
    ):
        with pytest.raises(BridgeError, match="There is no limit"):
            await limits.change_limits({name: 2000})
    now = limits.now
    assert (now.max_parallel_tools_per_user, now.max_parallel_tools_per_host) == (128, 64)
    assert now.max_concurrent_requests_per_user == 128


async def test_a_call_that_waits_for_a_dead_replica_share_runs_when_it_is_gone() -> None:
    """The queue must look again by itself: no other call may ever end here."""
    shared = controls(max_parallel_tools_global=2)
    shared.limits.divide_among(2)
    first, second = (shared.queue.enter_queue(SlotKey("ann", None, "", "shop", key)) for key in "ab")
    assert shared.queue.grant_now(first)
    assert not shared.queue.grant_now(second)
    waiting = asyncio.ensure_future(shared.queue.wait_for_grant(second, 5))
    await asyncio.sleep(0)
    shared.limits.divide_among(1)
    await waiting
    for entry in (first, second):
        shared.queue.leave_queue(entry)
