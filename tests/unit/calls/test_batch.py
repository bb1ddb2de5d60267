"""Batches: outputs in call order, each exactly once; order where calls ask for it. On a virtual clock."""

import asyncio
import json
from collections.abc import Collection
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.calls.batch import MAX_BATCH_CALLS, BatchCall, BatchOutput, run_batch
from bridge.calls.batch_order import without_members
from bridge.calls.outcome import CallOutcome
from bridge.calls.request import CallContext, ToolCall
from bridge.calls.state_machine import CallState
from bridge.errors import BridgeError, ErrorCode, WireError
from bridge.settings.limits import Limits
from tests.support.examples import examples
from toolserver.answer.result import Answered, TextBody

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]

ANSWER = Answered(200, "application/json", {}, TextBody("{}"))


@dataclass
class FakeEngine:
    """Each tool is a number of seconds; `failing` fail, `refused` are refused, `broken` meet a bug."""

    own: frozenset[str] = frozenset()
    failing: frozenset[str] = frozenset()
    refused: frozenset[str] = frozenset()
    broken: frozenset[str] = frozenset()
    log: list[str] = field(default_factory=list[str])
    seen: dict[str, str] = field(default_factory=dict[str, str])
    running: set[str] = field(default_factory=set[str])
    noted: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    async def call_tool(self, call: ToolCall) -> CallOutcome:
        name = call.context.chat_id or ""
        self.seen[name] = call.arguments_text
        if name in self.broken:
            raise ZeroDivisionError
        if name in self.refused:
            raise BridgeError(ErrorCode.UNKNOWN_TOOL, "There is no such tool.")
        self.log.append(f"+{name}")
        self.running.add(name)
        latest_end = call.options.latest_end
        assert latest_end is not None
        try:
            async with asyncio.timeout_at(latest_end):
                await asyncio.sleep(float(call.tool_name))
        except TimeoutError:
            return _failed(ErrorCode.TIMEOUT, CallState.EXPIRED)
        finally:
            self.running.discard(name)
        self.log.append(f"-{name}")
        if name in self.failing:
            return _failed(ErrorCode.NETWORK, CallState.FAILED)
        return CallOutcome("call_1", CallState.SUCCEEDED, ANSWER, None)

    async def own_arguments(self, call: ToolCall, names: Collection[str]) -> Collection[str]:
        return self.own & frozenset(names)

    def note_refusal(self, call: ToolCall, error: WireError) -> None:
        self.noted.append((call.context.chat_id or "", error.code.value))


def _failed(code: ErrorCode, state: CallState) -> CallOutcome:
    return CallOutcome("call_1", state, None, WireError(code=code, message="No."))


def one(name: str, seconds: float = 1, **arguments: object) -> BatchCall:
    # The fake engine knows a call by its chat id.
    return BatchCall(name, ToolCall(CallContext("ann", name), str(seconds), json.dumps(arguments)))


def codes(outputs: list[BatchOutput]) -> dict[str, str | None]:
    """How each call ended: None for a success."""
    errors = [(each.id, each.outcome.error if each.outcome else each.refusal) for each in outputs]
    return {name: error.code.value if error else None for name, error in errors}


async def test_a_bug_that_one_call_meets_is_that_calls_alone(caplog: pytest.LogCaptureFixture) -> None:
    """The others have run, some may have changed something: their outputs must reach the caller."""
    engine = FakeEngine(broken=frozenset("b"))
    outputs = await run_batch(engine, [one("a", 3), one("b"), one("c", 1, depends_on="b")], Limits())
    assert codes(outputs) == {"a": None, "b": "internal", "c": "dependency_failed"}
    assert "ZeroDivisionError" in caplog.text


async def test_outputs_come_in_call_order_whatever_ends_first() -> None:
    """W-17: refused ones too; the fast call does not wait for the slow one (W-13)."""
    engine = FakeEngine(refused=frozenset("b"))
    outputs = await run_batch(engine, [one("a", 3), one("b"), one("c", 1)], Limits())
    assert [each.id for each in outputs] == ["a", "b", "c"]
    assert [round(each.seconds) for each in outputs] == [3, 0, 1]
    assert codes(outputs) == {"a": None, "b": "unknown_tool", "c": None}


async def test_the_end_of_a_batch_ends_only_what_has_not_ended() -> None:
    """S0-76, W-14, W-15: healthy results stay, and every call has its own ending."""
    limits = Limits(tool_batch_timeout_seconds=5, tool_timeout_seconds=2)
    calls = [one("fast"), one("slow", 60), one("behind", 1, depends_on="slow")]
    outputs = await run_batch(FakeEngine(), calls, limits)
    ends = codes(outputs)
    assert (ends["fast"], ends["slow"]) == (None, "timeout")
    assert ends["behind"] in ("timeout", "dependency_failed")  # both become known in the same moment
    assert [round(each.seconds) for each in outputs] == [1, 5, 5]


async def test_a_call_that_still_waits_at_the_end_of_the_batch_is_not_begun() -> None:
    """Nothing starts after the end; the error says what the call was waiting for."""
    engine = FakeEngine(failing=frozenset())
    limits = Limits(tool_batch_timeout_seconds=5, tool_timeout_seconds=5)
    slow = [one("a", 4), one("b", 4, sequential=True), one("c", 4, sequential=True)]
    outputs = await run_batch(engine, slow, limits)
    assert codes(outputs)["c"] == "timeout"
    assert "+c" not in engine.log or engine.log.count("-c") == 0


async def test_a_call_starts_when_those_it_depends_on_have_succeeded() -> None:
    """W-12: an honest graph of call ids; other calls run meanwhile."""
    engine = FakeEngine()
    calls = [
        one("last", 1, depends_on=["first", "second"]),
        one("first", 2),
        one("second", 1),
        one("free", 1),
    ]
    outputs = await run_batch(engine, calls, Limits())
    assert codes(outputs) == dict.fromkeys(["last", "first", "second", "free"])
    assert engine.log.index("+last") > engine.log.index("-first")
    assert engine.log.index("-free") < engine.log.index("-first")
    assert [round(each.seconds) for each in outputs] == [3, 2, 1, 1]


async def test_what_depends_on_a_failure_is_not_made() -> None:
    """Nothing is sent on a result that is not there; the error names the calls that failed."""
    engine = FakeEngine(failing=frozenset("a"))
    calls = [one("a"), one("b", 1, depends_on="a"), one("c", 1, depends_on=["b"]), one("d")]
    outputs = await run_batch(engine, calls, Limits())
    assert codes(outputs) == {"a": "network", "b": "dependency_failed", "c": "dependency_failed", "d": None}
    refusal = outputs[2].refusal
    assert refusal
    assert refusal.detail == {"depends_on": ["b"]}
    assert engine.log == ["+a", "+d", "-a", "-d"]
    assert sorted(engine.noted) == [("b", "dependency_failed"), ("c", "dependency_failed")]


@pytest.mark.parametrize("name", ["sequential", "no_batch"])
async def test_a_sequential_call_runs_alone_in_its_place(name: str) -> None:
    """S0-74, W-12: after all before it, before all after it, whether they succeeded or not."""
    engine = FakeEngine(failing=frozenset("a"))
    calls = [one("a", 2), one("b", 1), one("c", 1, **{name: True}), one("d", 1), one("e", 1, **{name: True})]
    await run_batch(engine, calls, Limits())
    assert engine.log == ["+a", "+b", "-b", "-a", "+c", "-c", "+d", "-d", "+e", "-e"]


async def test_ordering_arguments_are_taken_off_and_the_others_keep_their_digits() -> None:
    """The operation never sees them, and no number is written anew."""
    engine = FakeEngine()
    text = (
        '{ "depends_on": ["1"], "id": 9007199254740993, "x": 1.00, "_depends_on": null, "sequential":false }'
    )
    calls = [one("1"), BatchCall("2", ToolCall(CallContext("ann", "2"), "1", text))]
    assert codes(await run_batch(engine, calls, Limits())) == {"1": None, "2": None}
    assert engine.seen["2"] == '{"id": 9007199254740993, "x": 1.00}'


async def test_a_call_whose_arguments_were_encoded_twice_waits_for_those_it_names() -> None:
    """Finding W-8: else it began at once, and an API that takes any name were sent `depends_on`."""
    engine = FakeEngine()
    behind = one("b")
    encoded = json.dumps('{"depends_on": ["a"], "x": 1.00}')
    behind = replace(behind, call=replace(behind.call, arguments_text=encoded))
    await run_batch(engine, [one("a", 3), behind], Limits())
    assert (engine.log, engine.seen["b"]) == (["+a", "-a", "+b", "-b"], '{"x": 1.00}')


async def test_arguments_of_the_operation_itself_are_left_alone() -> None:
    """W-12: a task API has a `depends_on` of its own."""
    engine = FakeEngine(own=frozenset(["depends_on"]))
    calls = [one("a", 1, depends_on="nobody"), one("b", 1, depends_on=7, sequential=True)]
    assert codes(await run_batch(engine, calls, Limits())) == {"a": None, "b": None}
    assert json.loads(engine.seen["b"]) == {"depends_on": 7}


async def test_unknown_ids_circles_and_wrong_types_fail_those_calls_only() -> None:
    """Each is told what is wrong with it; the rest of the batch runs."""
    calls = [
        one("a", 1, depends_on="nobody"),
        one("b", 1, depends_on="c"),
        one("c", 1, depends_on=["b"]),
        one("d", 1, depends_on="d"),
        one("e", 1, depends_on=7),
        one("f", 1, sequential="yes"),
        one("g", 1, depends_on="b", sequential=True),
        one("h", 1),
    ]
    outputs = await run_batch(FakeEngine(), calls, Limits())
    wrong = dict.fromkeys("abcdef", "invalid_arguments")
    assert codes(outputs) == {**wrong, "g": "dependency_failed", "h": None}
    assert "'nobody'" in (outputs[0].refusal.message if outputs[0].refusal else "")


async def test_a_caller_who_goes_away_cancels_all_of_it() -> None:
    """Nothing runs on for nobody."""
    engine = FakeEngine()
    calls = [one("a", 60), one("b", 60), one("c", 60, depends_on="a")]
    running = asyncio.create_task(run_batch(engine, calls, Limits()))
    await asyncio.sleep(1)
    assert engine.running == {"a", "b"}
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert engine.running == set()


@pytest.mark.parametrize(
    "calls", [[], [one("a"), one("a")], [one(str(n)) for n in range(MAX_BATCH_CALLS + 1)]]
)
async def test_a_batch_that_makes_no_sense_is_refused_whole(calls: list[BatchCall]) -> None:
    """No call, one id twice, or too many."""
    with pytest.raises(BridgeError) as refused:
        await run_batch(FakeEngine(), calls, Limits())
    assert refused.value.error.code is ErrorCode.INVALID_REQUEST


names = st.sampled_from([str(number) for number in range(8)])
wanted = st.lists(
    st.tuples(st.lists(names, max_size=3), st.booleans(), st.integers(0, 3), st.booleans()),
    min_size=1,
    max_size=8,
)


@pytest.mark.wide
@examples(200)
@given(wanted)
async def test_every_call_gets_one_output_and_no_order_is_broken(
    shape: list[tuple[list[str], bool, int, bool]],
) -> None:
    """Whatever calls say about each other, nothing hangs and nothing starts too early."""
    failing = frozenset(str(number) for number, (_, _, _, fails) in enumerate(shape) if fails)
    engine = FakeEngine(failing=failing)
    calls = [
        one(str(number), seconds, depends_on=depends, sequential=alone)
        for number, (depends, alone, seconds, _) in enumerate(shape)
    ]
    loop = asyncio.get_running_loop()
    started = loop.time()
    outputs = await run_batch(engine, calls, Limits())
    assert loop.time() - started < 30
    assert [each.id for each in outputs] == [each.id for each in calls]
    assert "timeout" not in codes(outputs).values()
    ended = codes(outputs)
    for number, (depends, alone, _, _) in enumerate(shape):
        name = str(number)
        if f"+{name}" not in engine.log:
            continue
        begin = engine.log.index(f"+{name}")
        assert all(engine.log.index(f"-{other}") < begin and ended[other] is None for other in depends)
        if alone:
            assert engine.log[begin + 1] == f"-{name}"


@given(
    st.dictionaries(st.text(max_size=5), st.integers() | st.floats(allow_nan=False, allow_infinity=False)),
    st.sets(st.text(max_size=5)),
    st.sampled_from([None, 0, 2]),
)
async def test_members_are_taken_out_of_any_object(
    value: dict[str, float], extra: set[str], indent: int | None
) -> None:
    """However it is written."""
    names = extra | set(list(value)[:1])
    text = json.dumps(value, indent=indent)
    assert json.loads(without_members(text, names)) == {k: v for k, v in value.items() if k not in names}
