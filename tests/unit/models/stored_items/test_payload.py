"""What is packed is what is unpacked, to the last bit."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.models.stored_items.items import Unstorable, pack_value, unpack_value
from toolserver.json_types import JsonValue

TEXTS = st.text(st.characters(exclude_categories=[]))
"""With lone surrogates."""

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_every_value_comes_back_as_it_was(value: JsonValue) -> None:
    """`repr` also tells `-0.0` from `0`, and the order of keys."""
    assert repr(unpack_value(pack_value(value))) == repr(value)


def test_nan_comes_back_too() -> None:
    """It is unequal to itself, so that the property cannot say it."""
    value = unpack_value(pack_value([math.nan]))
    assert isinstance(value, list)
    assert isinstance(value[0], float)
    assert math.isnan(value[0])


def test_what_is_nested_too_deeply_is_refused() -> None:
    """Instead of an error that nobody expects."""
    value: JsonValue = None
    for _ in range(100_000):
        value = [value]
    with pytest.raises(Unstorable):
        pack_value(value)


@pytest.mark.parametrize("spoiled", [b"", b"\x00", b"\x00{", b"\x01{", b"\x01\xff", b"\x07{}"])
def test_bytes_that_nobody_packed_are_refused(spoiled: bytes) -> None:
    """A disk may lose anything."""
    with pytest.raises(Unstorable):
        unpack_value(spoiled)
