"""Randomized histories of clients that send calls again, and mutants that the judge must find."""

import inspect
import sys
import types

import pytest

from bridge.calls import repeated_calls
from tests.faults.calls_sent_again import play

CHUNKS, CHUNK = 8, 500


@pytest.mark.parametrize(
    "first", [0, *(pytest.param(each * CHUNK, marks=pytest.mark.slow) for each in range(1, CHUNKS))]
)
def test_no_call_is_doubled_and_none_is_swallowed(first: int) -> None:
    """Ruling 39, in 4,000 histories; in most of them a stream breaks, in many the bridge is killed."""
    histories = [play(seed) for seed in range(first, first + CHUNK)]
    broken = [(history.seed, history.broken) for history in histories if history.broken]
    assert not broken, broken[:5]
    assert sum(history.repeated for history in histories) > CHUNK
    assert sum(history.joined for history in histories) > CHUNK / 2
    assert sum(history.joined_by_key for history in histories) > CHUNK / 5


MUTANTS = {
    "unheard is heard": (
        "        if not heard:\n            call.until",
        "        if False:\n            call.until",
    ),
    "heard is unheard": (
        "        if not heard:\n            call.until",
        "        if True:\n            call.until",
    ),
    "no wait for a twin whose stream is alive": ("await place.is_first.wait()", "await asyncio.sleep(0)"),
    "the newest instead of the oldest": ("line.unheard.pop(0)", "line.unheard.pop()"),
    "what was not sent is taken": ("or not call.outcome.was_sent", "or False"),
    "an ending is taken for ever": ("line.unheard.pop(0)", "line.unheard[0]"),
    "a connection that goes while the call runs is not noted": ("if place.is_gone:", "if False:"),
    "what a cancelled call may have done is forgotten": (
        "            self._leave_line(place, heard=False)\n            raise",
        "            place.call = None\n            self._leave_line(place, heard=False)\n            raise",
    ),
    "a key that runs is not known": ("call = user.keyed[name] = _Call(", "call = _Call("),
    "a key is forgotten by a killed bridge": (
        "await self._journal.find_keyed(user_id, caller, key_digest, within_s=KEY_S)",
        "None",
    ),
    "a key decides nothing": ("if identity.key_digest is not None:", "if False:"),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_bridge_that_breaks_the_rules_is_found(name: str) -> None:
    """A suite that cannot fail proves nothing."""
    replaced, by = MUTANTS[name]
    source = inspect.getsource(repeated_calls)
    assert source.count(replaced) == 1
    changed = types.ModuleType("bridge.calls.mutant")
    sys.modules[changed.__name__] = changed
    exec(compile(source.replace(replaced, by), changed.__name__, "exec"), vars(changed))
    assert any(play(seed, changed.RepeatedCalls).broken for seed in range(CHUNK))
