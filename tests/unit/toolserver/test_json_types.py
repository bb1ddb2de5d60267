"""Tolerant readers and the writer of compact JSON."""

import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.documents.interpreters import INTERPRETERS, python_that_reads
from toolserver.json_types import (
    MAX_NESTING,
    JsonObject,
    JsonValue,
    NestedTooDeeply,
    array_at,
    dump_json,
    load_first,
    load_json,
    object_at,
    scalar_text_at,
    text_at,
    trim_bytes,
)


def test_readers_take_a_wrong_type_for_nothing() -> None:
    """Foreign documents hold anything anywhere, and one wrong value must not stop the rest."""
    holder: JsonObject = {"o": {"a": 1}, "a": [1], "t": "x", "n": 1.5, "i": 3, "b": True}
    assert [object_at(holder, key) for key in ("o", "a", "none")] == [{"a": 1}, {}, {}]
    assert [array_at(holder, key) for key in ("a", "o", "none")] == [[1], [], []]
    assert [text_at(holder, key) for key in ("t", "n", "none")] == ["x", "", ""]
    assert [scalar_text_at(holder, key) for key in ("t", "n", "i", "b", "none")] == ["x", "1.5", "3", "", ""]


@pytest.mark.parametrize("number", [2**63, 2**64, -(2**70), 10**400])
def test_integers_of_any_size_are_written_as_their_digits(number: int) -> None:
    """A default or bound of more than 64 bits is legal JSON, and orjson refuses it."""
    assert dump_json({"a": [number, "é"]}) == f'{{"a":[{number},"é"]}}'.encode()


@given(
    st.recursive(
        st.none() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_what_is_written_reads_back_equal(value: JsonValue) -> None:
    """Schemas and plans cross two processes and a browser as this text."""
    assert json.loads(dump_json(value)) == value


def test_trimmed_bytes_are_equal_and_hold_only_themselves() -> None:
    """Thousands of small ones are kept of a large document."""
    written = [dump_json({"name": f"number {number}"}) for number in range(100)]
    tracemalloc.start()
    try:
        kept = [trim_bytes(text) for text in written]
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert kept == written
    assert held < sum(map(len, written)) + 100 * len(written)


def nested(levels: int) -> tuple[str, str]:
    return "[" * levels + "]" * levels, '{"a":' * levels + "1" + "}" * levels


def load_bytes(text: str) -> JsonValue:
    return load_json(text.encode())


def load_from_start(text: str) -> JsonValue:
    return load_first(text, 0)[0]


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_every_python_reads_the_same_nesting(interpreter: int) -> None:
    """Finding house-H7: 3.11 refused what 3.13 took, so that a call was answered otherwise by each."""
    with python_that_reads(interpreter):
        for text in nested(MAX_NESTING):
            assert load_json(text) == load_json(text.encode()) == load_first(f"x{text}y", 1)[0]
        for text in (*nested(MAX_NESTING + 1), *nested(5_000), *nested(100_000)):
            for read in (load_json, load_bytes, load_from_start):
                with pytest.raises(NestedTooDeeply, match="more than 254 levels"):
                    read(text)


def test_brackets_beside_each_other_and_in_texts_are_no_nesting() -> None:
    """Only their number is looked at first."""
    read = load_json("[" + "[]," * 10_000 + '"' + "[{" * 10_000 + '"]')
    assert isinstance(read, list)
    assert len(read) == 10_001


def test_what_begins_at_a_place_is_read_to_its_end() -> None:
    """What follows may be anything."""
    assert load_first('CALL {"a": [1]} and more', 5) == ({"a": [1]}, 15)
    with pytest.raises(ValueError, match="Expecting value"):
        load_first("CALL x", 5)
