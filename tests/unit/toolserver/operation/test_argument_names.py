"""Names of arguments: legal, unique, changed only where needed."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolserver.operation.argument_names import COMPLETE_BODY, LEGAL, Target, bind_names, legal_name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("x-api-key", "x-api-key"),
        ("a.b_c", "a.b_c"),
        ("_id", "_id"),
        ("$top", "top"),
        ("page[size]", "page_size"),
        ("filter[created][gt]", "filter_created_gt"),
        ("Größe", "Gro_e"),
        ("名前", "argument"),
        ("", "argument"),
        ("__proto__", "proto"),
        ("x" * 70, "x" * 64),
    ],
)
def test_names_become_legal_for_every_provider(name: str, expected: str) -> None:
    """Some providers refuse a whole request for one key outside `[A-Za-z0-9_.-]{1,64}`."""
    assert legal_name(name) == expected


def test_names_that_need_no_change_are_taken_before_those_that_do() -> None:
    """Only clashing names change: the one written as it is sent is not at fault."""
    assert bind_names([("query", "page[size]"), ("query", "page_size")]) == {
        ("query", "page[size]"): "page_size__query",
        ("query", "page_size"): "page_size",
    }


def test_of_two_parameters_the_first_keeps_its_name() -> None:
    """Only the newcomer has to change."""
    assert list(bind_names([("path", "id"), ("query", "id"), ("header", "id")]).values()) == [
        "id",
        "id__query",
        "id__header",
    ]


def test_a_parameter_called_body_gives_way_to_the_body() -> None:
    """The whole body counts as a body property."""
    assert bind_names([("query", "body"), COMPLETE_BODY]) == {
        ("query", "body"): "body__query",
        COMPLETE_BODY: "body",
    }


def test_what_still_clashes_is_numbered_within_the_length() -> None:
    """A number added after cutting would make 65 characters."""
    long = "y" * 64
    targets: list[Target] = [("body_property", long + "1"), ("body_property", long + "2")]
    names = list(bind_names(targets).values())
    assert names == [long, "y" * 62 + "_2"]
    crowded: list[Target] = [
        ("body_property", "id"),
        ("body_property", "id__query"),
        ("query", "id"),
    ]
    assert list(bind_names(crowded).values())[2] == "id__query_2"
    more: list[Target] = [*crowded, ("body_property", "id__query_2")]
    assert list(bind_names(more).values())[2] == "id__query_3"


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["path", "query", "header", "body_property"]),
            st.sampled_from(["id", "id__query", "a b", "a_b", "$", "é", "id__query_2"])
            | st.text(max_size=80),
        ),
        max_size=12,
        unique=True,
    )
)
def test_names_are_always_legal_and_unique(targets: list[Target]) -> None:
    """Two arguments of one name are one argument for a model."""
    arguments = bind_names(targets)
    assert list(arguments) == targets
    names = list(arguments.values())
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(LEGAL, name) for name in names)
