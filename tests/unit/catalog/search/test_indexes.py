"""Indexes that users share, and what they find for anything that is asked."""

import sqlite3
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.catalog.search.full_text import MAX_RANKED, MAX_SCORED, open_in_memory
from bridge.catalog.search.indexes import FusedIndex, OperationIndex, PlainIndex, SearchIndexes, make_index
from bridge.catalog.server_view import UserView
from tests.support.documents.compiled import document_text, operation
from tests.support.documents.tools import tools_named
from tests.support.stores.registries import RestartableRegistry
from toolserver.json_types import JsonObject
from toolserver.tool.compile import CompiledOperation

OPERATIONS = [
    tool.operation
    for tool in tools_named(
        "createInvoice", "listInvoices", "deleteCustomer", deleteCustomer={"description": "Forgets a buyer."}
    )
]
INDEX = FusedIndex(OPERATIONS)
PATHS: JsonObject = {
    "/pets": {"get": {"operationId": "listPets", "tags": ["Animals"]}},
    "/pets/old": operation("listPetsOfYore"),
    "/keepers": {"get": {"operationId": "listKeepers", "summary": "List the keepers of pets"}},
}


def found(query: str, index: OperationIndex = INDEX) -> list[str]:
    return [OPERATIONS[position].suggested_name for position in index.rank_operations(query)]


def closed_database() -> sqlite3.Connection:
    database = open_in_memory()
    database.close()
    return database


async def view_of_zoo() -> UserView:
    registry = RestartableRegistry().open()
    await registry.add_server("ann", document_text("Zoo", paths=PATHS), source_url=None)
    return await registry.view_of_user("ann")


class CountedIndexes:
    """Notes how many operations each index was made of."""

    def __init__(self) -> None:
        self.made: list[int] = []

    def make(self, operations: Sequence[CompiledOperation]) -> OperationIndex:
        self.made.append(len(operations))
        return PlainIndex(operations)


def test_other_forms_of_a_word_are_found_wherever_it_stands() -> None:
    """Models ask for "invoicing", and for words that only a description has."""
    assert found("who is forgotten when I am forgetting buyers?")[0] == "deleteCustomer"
    assert found("creating an invoice")[0] == "createInvoice"
    assert found("xylophone") == []


def test_without_words_everything_is_listed_in_order() -> None:
    """To ask what there is is fair, whatever SQLite can do."""
    names = ["createInvoice", "listInvoices", "deleteCustomer"]
    assert found("") == found("?!") == found("", PlainIndex(OPERATIONS)) == names


class WithoutFullText(sqlite3.Connection):
    """SQLite as it is built without the module FTS5: one of that name is not there."""

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        return super().execute(sql.replace("USING fts5", "USING fts5_of_another_build"), *values)


def test_without_full_text_the_words_are_ranked_as_before() -> None:
    """Some builds of SQLite have no FTS5, and a search must not fail there."""
    index = make_index(OPERATIONS, lambda: open_in_memory(WithoutFullText))
    assert isinstance(index, PlainIndex)
    for query in ("creating an invoice", "buyer", "xylophone", ""):
        assert found(query, index) == found(query, PlainIndex(OPERATIONS))
    assert found("invoice", index) == ["createInvoice", "listInvoices"]


def test_another_failure_of_the_database_is_not_taken_for_a_missing_module() -> None:
    """A search without half of its ranking must not hide a mistake."""
    with pytest.raises(sqlite3.ProgrammingError):
        make_index(OPERATIONS, closed_database)


def test_a_word_of_nearly_all_operations_is_found_without_scoring_them_all() -> None:
    """Scoring takes most of the time of a search: a microsecond an operation."""
    count = MAX_SCORED + 100
    names = [f"forget{number}" for number in range(count)]
    rare: JsonObject = {"description": "Remembers a zebra."}
    tools = tools_named(*names, forget7=rare)
    index = FusedIndex([tool.operation for tool in tools])
    # Full text alone knows that these are forms of one word.
    assert index.rank_operations("remembering the forgotten zebras, forgets")[0] == 7
    assert len(index.rank_operations("forgets")) >= MAX_RANKED


HOSTILE = [
    '"', "'", "invoice\0", "NEAR(invoice, 2)", "words : invoice", "invoice*", "^invoice", "-invoice", "a AND",
    "AND OR NOT", "(", '"" OR ""', "{words fields}: x", "\ud800", "ª º ² Ⅷ \u0301", "; DROP TABLE operation",
]  # fmt: skip


@pytest.mark.parametrize("query", HOSTILE)
def test_a_query_in_the_language_of_the_database_is_words(query: str) -> None:
    """What a model writes must neither fail nor mean more than its words."""
    assert set(found(query)) <= {each.suggested_name for each in OPERATIONS}


def test_a_query_of_any_length_is_answered() -> None:
    """SQLite has limits of its own."""
    assert found("invoice " * 12_500)[:2] == ["createInvoice", "listInvoices"]
    assert found("i" * 100_000) == []
    assert found(" OR ".join('"' for _ in range(50_000))) == []


@given(st.text(max_size=60))
def test_any_query_gives_the_same_answer_twice_without_doubles(query: str) -> None:
    """What a model has read a moment ago must still hold."""
    names = found(query)
    assert names == found(query, FusedIndex(OPERATIONS))
    assert len(names) == len(set(names))


@pytest.mark.asyncio
async def test_the_operation_of_exactly_that_name_comes_first() -> None:
    """`find_operations` says: to see the parameters of another one, search its name."""
    view = await view_of_zoo()
    for tool in view.catalog:
        assert SearchIndexes().find_tools(view, f" {tool.name} ")[0].name == tool.name


@pytest.mark.asyncio
async def test_a_search_can_be_narrowed_to_a_server_and_a_tag() -> None:
    """A model that knows where to look saves tokens."""
    view = await view_of_zoo()
    indexes = SearchIndexes()
    assert len(indexes.find_tools(view, "pets")) == 3
    assert [tool.name for tool in indexes.find_tools(view, "pets", tag="animals")] == ["listPets"]
    assert indexes.find_tools(view, "pets", server="elsewhere") == []


@pytest.mark.asyncio
async def test_users_of_the_same_operations_share_one_index() -> None:
    """A thousand users of a shared document must not cost a thousand indexes."""
    counted = CountedIndexes()
    indexes = SearchIndexes(make=counted.make)
    registry = RestartableRegistry().open()
    await registry.share_document("zoo", document_text("Zoo", paths=PATHS), source_url=None)
    for user in ("ann", "bob"):
        assert indexes.find_tools(await registry.view_of_user(user), "keepers")
    await registry.add_server("bob", document_text(), source_url=None)
    assert indexes.find_tools(await registry.view_of_user("bob"), "product")
    assert indexes.find_tools(await registry.view_of_user("ann"), "keepers")
    assert counted.made == [3, 5]


@pytest.mark.asyncio
async def test_the_index_used_longest_ago_gives_way_to_a_new_one() -> None:
    """Memory is bounded by operations, however many users bring their own documents."""
    counted = CountedIndexes()
    indexes = SearchIndexes(make=counted.make, kept_operations=4)
    registry = RestartableRegistry().open()
    await registry.add_server("ann", document_text("Zoo", paths=PATHS), source_url=None)
    await registry.add_server("bob", document_text(), source_url=None)
    for user in ("ann", "bob", "bob", "ann"):
        indexes.find_tools(await registry.view_of_user(user), "anything")
    assert counted.made == [3, 2, 3]
