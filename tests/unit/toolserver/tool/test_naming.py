"""Names: legal, unique, stable."""

import re
from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.documents.openapi import document_with
from toolserver.json_types import JsonObject
from toolserver.operation.operation import read_operations
from toolserver.tool.naming import (
    RESERVED_NAMES,
    NameAssignment,
    OperationKey,
    method_path_name,
    sanitize_name,
    suggest_names,
)

LEGAL = re.compile(r"[a-zA-Z0-9_-]{1,64}")

anything = st.text(max_size=120) | st.from_regex(r"[a-zA-Z0-9_.-]{1,90}", fullmatch=True)
few_names = st.sampled_from(
    ["a", "b", "a_2", "s_a", "a.b", "a_b", "find_operations", "x" * 64, "x" * 80, "é"]
)


def names_for(*ids: str | None) -> list[str]:
    paths: JsonObject = {
        f"/p{index}": {"get": {} if operation_id is None else {"operationId": operation_id}}
        for index, operation_id in enumerate(ids)
    }
    return suggest_names(read_operations(document_with(paths)).operations)


def assign_names(
    entries: list[tuple[OperationKey, str]],
    *,
    stored: dict[OperationKey, str],
    taken: Collection[str] = (),
    prefix: str,
) -> dict[OperationKey, str]:
    return NameAssignment(stored=stored, taken=taken).assign_names(entries, prefix=prefix)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("getPet", "getPet"),
        ("_private-", "_private-"),
        ("pets.get/{id}", "pets_get_id"),
        (" list all ", "list_all"),
        ("größe", "gr_e"),
        ("x" * 64, "x" * 64),
        ("x" * 65, f"{'x' * 18}_9537c5fd_{'x' * 36}"),
        (
            "read_items_for_project_api_v1_organizations__organization_id__projects__project_id__items_get",
            "read_items_for_4ecd13ad_id__projects__project_id__items_get",
        ),
        (
            "a-long-server-name-here__patch_organizations_by_id_projects_members_of_those",
            "patch_a-long-server-nam_41dd5370_by_id_projects_members_of_those",
        ),
        ("创建", "tool_cde2cd07"),
        ("", "tool_e3b0c442"),
    ],
)
def test_a_name_keeps_what_is_legal_and_its_method_and_end_when_it_is_cut(text: str, name: str) -> None:
    """Finding W-18: OpenAI and others refuse a request for one tool outside ^[a-zA-Z0-9_-]{1,64}$.

    Names of one API share their beginning; method and end tell its operations apart.
    """
    assert sanitize_name(text) == name


@given(anything)
def test_every_text_becomes_a_legal_name_and_legal_names_stay(text: str) -> None:
    """A suffix added after cutting once made a peer's names 65 long."""
    name = sanitize_name(text)
    assert LEGAL.fullmatch(name)
    assert sanitize_name(name) == name


@given(
    st.text("abc._", min_size=60, max_size=64), st.lists(st.text("xyz", min_size=5, max_size=9), unique=True)
)
def test_long_texts_with_a_common_beginning_stay_apart(start: str, ends: list[str]) -> None:
    """Generated ids differ at their end, just where they are cut."""
    names = {sanitize_name(start + end) for end in ends}
    assert len(names) == len(ends)


@pytest.mark.parametrize(
    ("method", "path", "name"),
    [
        ("GET", "/pets/{id}", "get_pets_by_id"),
        ("POST", "/users/{userId}/pets/{pet-id}/toys.json", "post_users_by_userId_pets_by_pet_id_toys_json"),
        ("GET", "/", "get"),
        ("GET", "/{Bucket}#acl", "get_by_Bucket"),
        ("PUT", "/a/{}/b", "put_a_b"),
        ("GET", "/größe", "get_gr_e"),
    ],
)
def test_an_operation_without_an_id_is_named_by_method_and_path(method: str, path: str, name: str) -> None:
    """1,718 operations of a measured corpus have no id; most peers drop them."""
    assert method_path_name(method, path) == name


def test_suggestions_are_unique_and_exact_ids_keep_their_spelling() -> None:
    """The literal id is what documentation and prompts mention, so it goes before one that was rewritten."""
    assert names_for("get.pet", "get_pet", "a", "a", "a", "a_2", None, "  ", "创建") == [
        "get_pet_2",
        "get_pet",
        "a",
        "a_3",
        "a_4",
        "a_2",
        "get_p6",
        "get_p7",
        "get_p8",
    ]


def test_a_number_fits_into_a_name_of_full_length_and_leaves_its_end() -> None:
    """64 characters and "_2" are 66."""
    assert names_for("x" * 64, "x" * 64) == ["x" * 64, f"{'x' * 18}_7ce10097_{'x' * 34}_2"]


@given(st.lists(few_names | anything | st.none(), max_size=12))
def test_suggestions_are_legal_unique_and_repeatable(ids: list[str | None]) -> None:
    """The model calls by name: two tools of one name would be a coin toss."""
    names = names_for(*ids)
    assert all(LEGAL.fullmatch(name) for name in names)
    assert len(set(names)) == len(ids)
    assert names_for(*ids) == names


def key(server: str, operation: str) -> OperationKey:
    return (server, operation)


def test_the_first_holder_keeps_the_plain_name_and_a_newcomer_gets_its_server() -> None:
    """A second server must not rename the tools of the first in mid-chat."""
    first = {key("s1", "GET /a"): "list", key("s1", "GET /b"): "get"}
    entries = [(key("s2", "GET /a"), "list"), (key("s2", "GET /b"), "other"), (key("s2", "GET /c"), "other")]
    assert assign_names(entries, stored=first, prefix="shop") == {
        key("s2", "GET /a"): "shop__list",
        key("s2", "GET /b"): "other",
        key("s2", "GET /c"): "shop__other",
    }


def test_stored_names_never_change_even_when_the_document_or_the_rules_do() -> None:
    """A chat refers to a tool by the name it was shown."""
    stored = {key("s", "GET /a"): "ask_user", key("s", "GET /b"): "old"}
    entries = [(key("s", "GET /b"), "new"), (key("s", "GET /a"), "a")]
    assert assign_names(entries, stored=stored, taken={"old"}, prefix="s") == {
        key("s", "GET /b"): "old",
        key("s", "GET /a"): "ask_user",
    }


def test_a_name_stays_that_was_cut_at_its_end_when_it_was_given() -> None:
    """Finding W-18: names that were given stay; only new ones are cut in their middle."""
    whole = "read_items_for_project_api_v1_organizations__organization_id__projects__project_id__items_get"
    given = "read_items_for_project_api_v1_organizations__organizati_4ecd13ad"
    stored = {key("s", "GET /items"): given}
    entries = [(key("s", "GET /items"), sanitize_name(whole)), (key("s", "GET /more"), sanitize_name(whole))]
    assert assign_names(entries, stored=stored, prefix="s") == {
        key("s", "GET /items"): given,
        key("s", "GET /more"): "read_items_for_4ecd13ad_id__projects__project_id__items_get",
    }


def test_the_name_of_an_operation_that_is_gone_is_not_given_to_another() -> None:
    """An old message that names it would call something else."""
    stored = {key("s", "DELETE /all"): "clean"}
    assert assign_names([(key("s", "GET /x"), "clean")], stored=stored, prefix="s") == {
        key("s", "GET /x"): "s__clean"
    }


@pytest.mark.parametrize("name", sorted(RESERVED_NAMES))
def test_reserved_names_get_the_prefix_even_when_free(name: str) -> None:
    """Open WebUI gives some names a meaning of its own, and our own tools need theirs."""
    assert assign_names([(key("s", "GET /"), name)], stored={}, prefix="My Files!") == {
        key("s", "GET /"): f"My_Files__{name}"
    }


def test_numbers_follow_when_the_prefix_is_not_enough() -> None:
    """Two servers may have the same title."""
    entries = [(key("s", f"GET /{index}"), "list") for index in range(3)]
    assert list(assign_names(entries, stored={}, taken={"list", "shop__list"}, prefix="shop").values()) == [
        "shop__list_2",
        "shop__list_3",
        "shop__list_4",
    ]


@pytest.mark.parametrize(
    ("prefix", "name"),
    [("", "tool_e3b0c442__a"), ("x" * 40, "x" * 24 + "__a"), ("a" * 23 + "_b", "a" * 23 + "__a")],
)
def test_any_prefix_is_made_to_fit(prefix: str, name: str) -> None:
    """Titles of servers are free text."""
    assert list(assign_names([(key("s", ""), "a")], stored={}, taken={"a"}, prefix=prefix).values()) == [name]


def test_what_is_named_in_parts_is_named_as_in_one_piece() -> None:
    """Thousands of operations are named with pauses, in which the bridge answers others."""
    entries = [(key("s", f"GET /{index}"), "list") for index in range(4)]
    assignment = NameAssignment(stored={}, taken={"list"})
    parts = [
        assignment.assign_names(some, prefix="shop") for some in (entries[:1], entries[1:3], entries[3:])
    ]
    in_one_piece = assign_names(entries, stored={}, taken={"list"}, prefix="shop")
    assert {name: key for part in parts for name, key in part.items()} == in_one_piece


@given(
    st.lists(
        st.tuples(st.sampled_from(["s1", "s2", "s3"]), st.lists(few_names | anything, max_size=5)), max_size=6
    ),
    st.sampled_from(["s", "", "x" * 70]),
)
def test_servers_may_come_in_any_order_and_again_without_a_name_changing(
    history: list[tuple[str, list[str]]], prefix: str
) -> None:
    """Documents are added, replaced and grow; after each step names are legal, unique and the old ones."""
    stored: dict[OperationKey, str] = {}
    for server, suggestions in history:
        entries = [(key(server, f"GET /{index}"), name) for index, name in enumerate(suggestions)]
        before = dict(stored)
        stored.update(assign_names(entries, stored=stored, prefix=prefix))
        assert before.items() <= stored.items()
        assert len(set(stored.values())) == len(stored)
        assert all(LEGAL.fullmatch(name) and name not in RESERVED_NAMES for name in stored.values())


def test_a_stored_name_gives_way_to_a_tool_of_the_bridges_own() -> None:
    """A call of `find_operations` must never mean somebody's operation, whenever that one was named."""
    key = ("shop", "GET /find")
    assigned = assign_names([(key, "find_operations")], stored={key: "find_operations"}, prefix="shop")
    assert assigned == {key: "shop__find_operations"}
