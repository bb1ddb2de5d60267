"""Search over operations by words."""

from hypothesis import given
from hypothesis import strategies as st

from tests.support.documents.tools import tools_named
from toolserver.tool.search import ToolSearch, words_of

TOOLS = [
    *tools_named(
        "createInvoice",
        "listInvoices",
        "deleteCustomer",
        "get_thing",
        createInvoice={"summary": "Bill a customer", "tags": ["Billing"]},
        listInvoices={"tags": ["Billing"]},
        get_thing={"description": "Also shows invoices of the thing."},
    ),
    *tools_named("listPets", server="zoo"),
]
SEARCH = ToolSearch(TOOLS)


def found(query: str, *, server: str = "", tag: str = "") -> list[str]:
    return [tool.name for tool in SEARCH.find_tools(query, server=server, tag=tag)]


def test_names_are_read_as_the_words_they_are_made_of() -> None:
    """A model asks in words, and APIs name things in camel case, snakes and paths."""
    assert list(words_of("listHTTPUrls2 get_all-the/{petIds} Überweisung categories")) == [
        "list", "http", "url", "2", "get", "all", "the", "pet", "id", "ü", "berweisung", "category",
    ]  # fmt: skip


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


def test_a_search_can_be_narrowed_to_a_server_and_a_tag() -> None:
    """A model that knows where to look saves tokens."""
    assert found("list", server="zoo") == ["listPets"]
    assert found("invoice", tag="billing") == ["createInvoice", "listInvoices"]


def test_without_words_everything_is_listed_in_order() -> None:
    """To ask what there is is fair."""
    assert found("") == [tool.name for tool in TOOLS]
    assert found("", server="zoo") == ["listPets"]


def test_nothing_is_found_by_foreign_words() -> None:
    """An arbitrary list would be taken for an answer."""
    assert found("xylophone") == []


@given(st.text(max_size=60))
def test_any_query_gives_the_same_answer_twice_without_doubles(query: str) -> None:
    """What a model was told a moment ago must still hold."""
    names = found(query)
    assert names == [tool.name for tool in ToolSearch(TOOLS).find_tools(query)]
    assert len(names) == len(set(names))
