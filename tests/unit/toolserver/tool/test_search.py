"""Rankings of operations by words."""

from hypothesis import given
from hypothesis import strategies as st

from tests.support.documents.tools import tools_named
from toolserver.json_types import JsonObject
from toolserver.tool.search import (
    FEW_COMMON,
    MAX_QUERY_WORDS,
    WordIndex,
    fuse_rankings,
    singular_of,
    telling_words,
)
from toolserver.tool.searched_texts import SearchedTexts, WordsOfPieces, field_names, space_out, split_words

OPERATIONS = [
    tool.operation
    for tool in tools_named(
        "createInvoice",
        "listInvoices",
        "deleteCustomer",
        "get_thing",
        "listPets",
        createInvoice={"summary": "Bill a customer", "tags": ["Billing"]},
        listInvoices={"tags": ["Billing"]},
        get_thing={"description": "Also shows invoices of the thing."},
    )
]
INDEX = WordIndex(SearchedTexts(OPERATIONS))


def found(query: str) -> list[str]:
    ranked = INDEX.rank_operations(telling_words(query, FEW_COMMON))
    return [OPERATIONS[position].suggested_name for position in ranked]


def test_names_are_read_as_the_words_they_are_made_of() -> None:
    """A model asks in words, and APIs name things in camel case, snakes and paths."""
    assert [*map(singular_of, split_words("listHTTPUrls2 get_all-the/{petIds} Überweisung categories"))] == [
        "list", "http", "url", "2", "get", "all", "the", "pet", "id", "ü", "berweisung", "category",
    ]  # fmt: skip


@given(st.lists(st.text(), max_size=5))
def test_texts_that_are_read_at_once_are_taken_apart_as_each_alone(texts: list[str]) -> None:
    """A sign in one text must not end it: all behind it would be found for other operations."""
    spaced = space_out(texts)
    words = WordsOfPieces()
    words.add_pieces(piece for each in spaced for piece in each.split())
    assert [[word for piece in each.split() for word in words[piece].split()] for each in spaced] == [
        [*split_words(text)] for text in texts
    ]


def test_names_count_more_than_descriptions() -> None:
    """A description mentions much that an operation does not do."""
    assert found("invoice") == ["createInvoice", "listInvoices", "get_thing"]
    assert found("create an invoice")[0] == "createInvoice"


def test_rare_words_count_more_than_common_ones() -> None:
    """The word "list" is in every second name, "pets" in one."""
    assert found("list pets")[0] == "listPets"


def test_a_word_in_another_form_is_found() -> None:
    """Models ask for "invoicing" and "customers"."""
    assert found("invoicing")[0] == "createInvoice"
    assert found("customers")[0] == "deleteCustomer"
    assert "deleteCustomer" in found("cust")


def test_nothing_is_found_by_foreign_words() -> None:
    """An arbitrary list would be taken for an answer."""
    assert found("xylophone") == []


def test_words_of_questions_are_left_out_unless_there_are_no_others() -> None:
    """What stands in every question says nothing, but a question of nothing else must find something."""
    assert telling_words("What is the name of the pet that I have?") == ["name", "pet"]
    assert telling_words("show all") == ["show", "all"]


def test_a_long_query_is_read_in_part() -> None:
    """A model that sends a whole text must not hold up everybody."""
    assert (
        len(telling_words(" ".join(f"w{chr(97 + n % 26) * (n + 3)}" for n in range(100)))) == MAX_QUERY_WORDS
    )
    assert telling_words("x" * 100_000) == ["x" * 4_000]


def test_fields_of_the_answer_are_found_where_they_are_indexed() -> None:
    """People ask for what they want to know, which the answer names and the operation may not."""
    answers: JsonObject = {"200": {"description": "", "content": {"application/json": {"schema": {
        "type": "object", "properties": {"birthday": {"type": "string"}},
    }}}}}  # fmt: skip
    (person,) = [tool.operation for tool in tools_named("getPerson", getPerson={"responses": answers})]
    assert WordIndex(SearchedTexts([person])).rank_operations(["birthday"]) == []
    assert WordIndex(SearchedTexts([person]), with_answers=True).rank_operations(["birthday"]) == [0]


def test_the_shape_of_an_answer_gives_the_names_of_two_levels() -> None:
    """An inner `id` is in every answer, an outer one may be what was asked for."""
    assert field_names("[{id, owner: {id, name}, tags: []}]") == ("id owner tags", "name")
    assert field_names("[{pet: {id, owner: {…}}, tag: {id, a: …") == ("pet tag", "id owner a …")
    assert field_names("image/png") == ("", "")


def test_fused_rankings_prefer_what_both_found() -> None:
    """Each kind of ranking finds wrong ones of its own."""
    assert fuse_rankings([7, 1, 2], [9, 1, 3]) == [1, 7, 9, 2, 3]
    assert fuse_rankings([], []) == []


@given(st.text(max_size=60))
def test_any_query_gives_the_same_answer_twice_without_doubles(query: str) -> None:
    """What a model has read a moment ago must still hold."""
    names = found(query)
    again = WordIndex(SearchedTexts(OPERATIONS)).rank_operations(telling_words(query, FEW_COMMON))
    assert names == [OPERATIONS[position].suggested_name for position in again]
    assert len(names) == len(set(names))
