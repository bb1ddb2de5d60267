"""YAML 1.2 as documents mean it, and hostile YAML in bounded time."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolserver.errors import DocumentError
from toolserver.json_types import JsonValue
from toolserver.openapi.yaml_text import plain_scalar, read_yaml


def read(text: str, *, max_depth: int = 50, max_nodes: int = 10_000) -> JsonValue:
    return read_yaml(text, max_depth=max_depth, max_nodes=max_nodes)[0]


def code_of(text: str, *, max_depth: int = 50, max_nodes: int = 10_000) -> str:
    with pytest.raises(DocumentError) as failure:
        read(text, max_depth=max_depth, max_nodes=max_nodes)
    return failure.value.code


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2026-11-22", "2026-11-22"),
        ("on", "on"),
        ("yes", "yes"),
        ("No", "No"),
        ("12:30:00", "12:30:00"),
        ("1_000", "1_000"),
        ("True", True),
        ("false", False),
        ("~", None),
        ("Null", None),
        ("", None),
        ("1e9", 1e9),
        ("1e-08", 1e-08),
        (".5", 0.5),
        ("-3.", -3.0),
        ("+7", 7),
        ("010", 10),
        ("0o17", 15),
        ("0x1F", 31),
        ("0o9", "0o9"),
        ("1.2.3", "1.2.3"),
        ("-", "-"),
        (".inf", None),
        ("-.INF", None),
        (".nan", None),
        ("1e999", None),
        ("9" * 30, int("9" * 30)),
        ("9" * 5000, "9" * 5000),
        ("0x" + "f" * 3900, "0x" + "f" * 3900),
    ],
)
def test_plain_scalars_follow_the_core_schema_of_yaml_1_2(text: str, value: JsonValue) -> None:
    """PyYAML's own YAML 1.1 rules turn country code NO into false, dates into objects and 1e9 into text."""
    read_value = plain_scalar(text)
    assert (read_value, type(read_value)) == (value, type(value))


def test_quotes_and_tags_decide_the_type_of_a_scalar() -> None:
    """A quoted "1" in an enum is text, and an explicit tag is the author's last word."""
    text = "[\"1\", 'true', !!str 5, !!int '5', !!float 5.5, !own x, ! 5, |-\n 7\n]"
    assert read("- \"1\"\n- 'true'\n- !!str 5\n- !!int '5'\n- !!float 5.5\n- !own x\n- |-\n  7\n") == [
        "1",
        "true",
        "5",
        5,
        5.5,
        "x",
        "7",
    ]
    assert code_of(text) == "not_json_or_yaml"


def test_mapping_keys_are_the_text_they_were_written_as() -> None:
    """Status codes are integers to YAML, names to OpenAPI; `on`, `null`, 1.0 are keys like any other."""
    assert read("200: a\non: b\n1.10: c\nnull: d\n2026-01-01: e\n") == {
        "200": "a",
        "on": "b",
        "1.10": "c",
        "null": "d",
        "2026-01-01": "e",
    }


def test_a_key_that_stands_twice_is_reported_and_the_last_one_counts() -> None:
    """JSON readers keep the last one, too; but an operation lost that way must not be lost silently."""
    value, warnings = read_yaml("a: 1\nb: 2\na: 3\n", max_depth=9, max_nodes=99)
    assert value == {"a": 3, "b": 2}
    assert warnings == ["The key 'a' appears twice in one mapping (line 3, column 1); the last one counts."]


def test_doubled_keys_are_reported_up_to_a_limit() -> None:
    """Fifty are enough to see what is wrong, and a hostile text must not fill the memory with sentences.

    One more lets the document say that there are more.
    """
    assert len(read_yaml("a: 1\n" * 500, max_depth=9, max_nodes=9_999)[1]) == 51


def test_merge_keys_fill_in_what_a_mapping_does_not_say_itself() -> None:
    """Documents share headers this way; own keys win, and earlier sources win over later ones."""
    text = (
        "x: &x {a: 1, b: 1}\ny: &y {b: 2, c: 2}\nz:\n  b: 3\n  <<: [*x, *y]\nw:\n  <<: *x\n  '<<': quoted\n"
    )
    value = read(text)
    assert isinstance(value, dict)
    assert value["z"] == {"a": 1, "b": 3, "c": 2}
    assert value["w"] == {"a": 1, "b": 1, "<<": "quoted"}


def test_aliases_stand_for_what_was_anchored_scalars_and_keys_included() -> None:
    """Anchors may name any node, a mapping key among them."""
    assert read("a: &a hello\nb: *a\n&k key: 1\nc: {*k : 2}\nd: &d [1]\ne: *d\n") == {
        "a": "hello",
        "b": "hello",
        "key": 1,
        "c": {"key": 2},
        "d": [1],
        "e": [1],
    }


def test_an_anchor_may_be_given_again_and_then_means_the_new_node() -> None:
    """YAML 1.2 §6.9.2: a later anchor of the same name wins from there on."""
    assert read("[&a 1, *a, &a 2, *a]") == [1, 1, 2, 2]


def alias_bomb(levels: int) -> str:
    lines = ["l0: &l0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9)}]" for i in range(1, levels)]
    return "\n".join(lines)


def test_aliases_that_multiply_are_refused_without_being_expanded() -> None:
    """Nine levels of nine are 387 million values from 500 characters: counted, never built or walked."""
    assert code_of(alias_bomb(levels=30), max_nodes=5_000_000) == "yaml_alias_bomb"


def test_merge_keys_that_multiply_count_like_aliases() -> None:
    """Merging copies keys, so a long chain of merges is work of the same kind."""
    wide = "w: &w {" + ", ".join(f"k{i}: 1" for i in range(100)) + "}\n"
    merges = "".join(f"m{i}: {{<<: *w}}\n" for i in range(200))
    assert code_of(wide + merges) == "yaml_alias_bomb"


def test_a_few_aliases_are_no_bomb() -> None:
    """Real documents share responses by alias; the count must be exact, not a guess."""
    text = "a: &a [1, 2, 3]\nb: [*a, *a]\n"
    value, _ = read_yaml(text, max_depth=9, max_nodes=16)
    assert value == {"a": [1, 2, 3], "b": [[1, 2, 3], [1, 2, 3]]}
    assert code_of(text, max_nodes=15) == "yaml_alias_bomb"


@pytest.mark.parametrize("text", ["a: &a [*a]", "a: &a {b: {c: *a}}", "a: &a\n  <<: *a\n"])
def test_an_alias_to_the_node_it_stands_in_is_refused(text: str) -> None:
    """Such a value has no end, and everything after this reader walks values."""
    assert code_of(text) == "yaml_alias_bomb"


def test_depth_counts_what_aliases_add() -> None:
    """Ten levels reached by alias are as deep as ten levels written out."""
    text = "a: &a [[[[[1]]]]]\nb: [[*a]]\n"
    assert read(text, max_depth=8) is not None
    assert code_of(text, max_depth=7) == "too_deep"


def test_a_hundred_thousand_brackets_are_refused_at_the_limit() -> None:
    """A recursive composer would overflow the C stack here."""
    assert code_of("k: " + "[" * 100_000) == "too_deep"


def test_too_many_values_are_refused_without_blaming_aliases() -> None:
    """The code tells the author what to change."""
    assert code_of("- 1\n" * 20_000) == "too_large"


@pytest.mark.parametrize(
    "text",
    [
        "a: [1",
        "a: b: c",
        "\tx: 1",
        "? [1]\n: 2",
        "? {a: 1}\n: 2",
        "a: *nowhere",
        "<<: 5",
        "a: &a [1]\n*a : 2",
        "a: \x00",
    ],
)
def test_what_is_not_yaml_is_refused_with_one_code(text: str) -> None:
    """Scanner, parser, reader and structure fail in different places; the author needs one sentence."""
    assert code_of(text) == "not_json_or_yaml"


def test_a_syntax_error_names_line_and_column() -> None:
    """Without the place a 20,000-line document cannot be repaired."""
    with pytest.raises(DocumentError, match="line 3, column 2"):
        read("a: 1\nb: [1\nc: 2")


def test_only_the_first_document_of_a_stream_is_read() -> None:
    """What follows `---` is another document and may be anything."""
    assert read("a: 1\n---\n[broken") == {"a": 1}
    assert read("") is None


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(
        st.characters(
            codec="utf-8",
            exclude_categories=["Cc", "Cs", "Zl", "Zp"],
            exclude_characters="\ufeff\ufffe\uffff",
        )
    ),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="ascii", exclude_categories=["Cc"])), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(json_values)
def test_json_means_the_same_when_it_is_read_as_yaml(value: JsonValue) -> None:
    """YAML 1.2 contains JSON, so a document must not depend on its reader (line separators apart)."""
    assert read(json.dumps(value, ensure_ascii=False)) == value
