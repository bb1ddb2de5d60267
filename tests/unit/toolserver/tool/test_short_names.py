"""Names within less room: short, apart, and found again from themselves alone."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.support.documents.openapi import document_with
from toolserver.tool.catalog import Catalog, Tool
from toolserver.tool.compile import compile_document
from toolserver.tool.naming import MAX_NAME_CHARS, OperationKey
from toolserver.tool.short_names import MIN_ROOM, ShortNames, short_name

CLAUDE_CODE = 46
FASTAPI = "read_items_for_project_api_v1_organizations__organizati_4ecd13ad"
FASTAPI_KEY = "GET /api/v1/organizations/{organization_id}/projects/{project_id}/items"
DELETE = "repos_actions_caches_of_one_owner_and_its_organization_delete"

long_names = st.from_regex(r"[a-zA-Z0-9_-]{33,64}", fullmatch=True)
rooms = st.integers(MIN_ROOM, MAX_NAME_CHARS)


def tools(*names: str) -> list[Tool]:
    document = document_with(
        {f"/p{index}": {"get": {"operationId": name}} for index, name in enumerate(names)}
    )
    compiled = compile_document(document, source_url=None)
    return [Tool(name, "s", operation) for name, operation in zip(names, compiled.operations, strict=True)]


@pytest.mark.parametrize(
    ("name", "key", "short"),
    [
        (FASTAPI, FASTAPI_KEY, "get_read_items_cb2fd8cd_by_project_id_items"),
        (DELETE, "DELETE /caches", "repos_actions_aa5e6dd8_its_organization_delete"),
        (
            "a-long-server-name__patch_organizations_by_id_projects_members",
            "PATCH /organizations/{id}/projects/members",
            "patch_a-long-s_b3e3d6fc_by_id_projects_members",
        ),
        (
            "2faVerify_something_long_enough_that_it_gets_cut_at_last_in_here",
            "POST /a",
            "2faVerify_03953e06_gets_cut_at_last_in_here",
        ),
        ("x" * 64, "GET /x", f"{'x' * 12}_7ce10097_{'x' * 24}"),
    ],
)
def test_a_short_name_keeps_the_method_and_the_end(name: str, key: str, short: str) -> None:
    """Finding W-18: names of one API share their beginning; method and end tell its operations apart."""
    assert short_name(name, key, CLAUDE_CODE) == short


@given(long_names, rooms)
def test_a_name_fits_its_room_and_is_its_own_if_it_fits_already(name: str, room: int) -> None:
    """Finding W-18: a name of 65 characters fails the whole request; one that was given stays."""
    short = short_name(name, "GET /x", room)
    assert re.fullmatch(r"[a-zA-Z0-9_-]+", short)
    assert len(short) <= room
    assert (short == name) is (len(name) <= room)


@given(st.lists(long_names, min_size=1, max_size=5, unique=True), rooms)
def test_each_short_name_is_found_again_whatever_its_room(names: list[str], room: int) -> None:
    """Finding W-18: nothing is stored, so a restarted bridge and any replica must know what is meant."""
    named = ShortNames((name, "GET /x", name) for name in names)
    for name in names:
        assume(len(name) > room)
        assert named.find_all(short_name(name, "GET /x", room)) == [name]


def test_the_same_tool_has_the_same_short_name_beside_whatever_others() -> None:
    """Finding W-18: a model calls what it read in an earlier turn."""
    alone, *_ = tools(DELETE)
    among = tools(DELETE, *(f"{DELETE[:-1]}{number}" for number in range(200)))
    shown = [Catalog(among).show_name(tool, CLAUDE_CODE) for tool in among]
    assert shown[0] == Catalog([alone]).show_name(alone, CLAUDE_CODE)
    assert len({*shown}) == len(among)


def test_a_caller_may_use_the_given_name_and_each_short_one() -> None:
    """Finding W-18: a conversation that moves to another client goes on with the names that stand in it."""
    tool, other = tools(DELETE, "list")
    catalog = Catalog([tool, other])
    for room in range(MIN_ROOM, MAX_NAME_CHARS + 1):
        assert catalog.find_called(catalog.show_name(tool, room)) is tool
    assert catalog.show_name(other, MIN_ROOM) == "list"
    assert catalog.find_called(short_name(DELETE, "", CLAUDE_CODE)[:-1]) is None


def test_a_name_that_was_given_means_its_tool_and_never_a_shortened_one() -> None:
    """The author of a document chooses its names: none may take the calls of another tool."""
    short = short_name(DELETE, "", CLAUDE_CODE)
    victim, rival = tools(DELETE, short)
    catalog = Catalog([victim, rival])
    assert catalog.find_called(short) is rival
    assert catalog.show_name(victim, CLAUDE_CODE) == DELETE
    assert catalog.show_name(victim, MIN_ROOM) != DELETE


def test_a_short_name_of_two_tools_means_neither() -> None:
    """Digests of 8 characters can be made to agree; then a call is refused rather than run as another."""
    named = ShortNames([(DELETE, "", "one"), (DELETE, "", "two")])
    assert named.find_all(short_name(DELETE, "", CLAUDE_CODE)) == ["one", "two"]


def test_a_renamed_tool_is_called_by_what_its_former_name_was_shortened_to() -> None:
    """Former names are called for good."""
    tool, *_ = tools("fresh")
    former: dict[str, OperationKey] = {DELETE: ("s", tool.operation.key)}
    catalog = Catalog([tool], former)
    found = catalog.find_called(short_name(DELETE, tool.operation.key, CLAUDE_CODE))
    assert found is not None
    assert found.name == "fresh"
