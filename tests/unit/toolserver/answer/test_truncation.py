"""Where a text is cut, and what of it stays readable."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolserver.answer.truncation import beginning_of, cut_json


@pytest.mark.parametrize(
    ("size", "beginning"), [(0, ""), (1, "a"), (2, "a"), (3, "aé"), (6, "aé"), (7, "aé🐻")]
)
def test_a_text_is_never_cut_inside_a_character(size: int, beginning: str) -> None:
    """Half a character is a wrong one."""
    assert beginning_of("aé🐻", size) == beginning


@pytest.mark.parametrize(
    ("text", "json", "pointer", "items"),
    [
        ("[1, 2, 3", "[1, 2]", "", 2),
        ('[{"a":[1]},{"a":[2]},{"a"', '[{"a":[1]},{"a":[2]}]', "", 2),
        (
            '{"meta":{"n":2},"data":{"a/b":[10,20,30',
            '{"meta":{"n":2},"data":{"a/b":[10,20]}}',
            "/data/a~1b",
            2,
        ),
        ('{"\\ud83d":[NaN,1e999,1', '{"\\ufffd":["NaN","1e999"]}', "/\ufffd", 2),
        ('["a,]","b\\"[",{"x', '["a,]","b\\"["]', "", 2),
        ('[1,{"rows":["aaaaaaaa","bbbbbbbb","c', '[1,{"rows":["aaaaaaaa","bbbbbbbb"]}]', "/1/rows", 2),
    ],
)
def test_cut_json_is_closed_after_a_whole_item(text: str, json: str, pointer: str, items: int) -> None:
    """A model and its programs can read it as JSON; the pointer says where something is missing."""
    cut = cut_json(text)
    assert cut is not None
    assert (cut.text, cut.pointer, cut.items) == (json, pointer, items)
    assert text[: cut.end].endswith(",")


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1,"b":2,"c',
        '["one long text that is cut',
        "no JSON, at [all, of it",
        "]}[1,2",
        '{"a":[1,2],"b":"long te',
        "",
        "[none,1,",
    ],
)
def test_json_without_an_array_to_cut_is_left_to_be_text(text: str) -> None:
    """An object of which members are missing looks whole; nothing may look whole that is not."""
    assert cut_json(text) is None


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(),
        lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=40,
    ),
    st.floats(0, 1),
)
def test_whatever_is_cut_the_part_is_json_and_a_beginning(value: object, share: float) -> None:
    """Texts hold brackets, quotes and commas of their own."""
    text = orjson.dumps(value).decode()
    cut = cut_json(text[: int(len(text) * share)])
    if cut is not None:
        orjson.loads(cut.text)
        assert text.startswith(cut.text.rstrip("]}"))
        assert text[cut.end - 1] == ","
