"""The tools of one user."""

import pytest

from tests.support.documents.openapi import document_with
from toolserver.tool.catalog import Catalog, Tool
from toolserver.tool.compile import compile_document


def tools(*names: str, server: str = "s") -> list[Tool]:
    document = document_with({f"/{name}": {"get": {"operationId": name}} for name in names})
    compiled = compile_document(document, source_url=None)
    return [Tool(operation.suggested_name, server, operation) for operation in compiled.operations]


def test_tools_are_found_by_their_exact_name_and_listed_in_order() -> None:
    """A call names a tool by what was advertised, letter by letter."""
    listed = [*tools("a", "b"), *tools("c", server="t")]
    catalog = Catalog(listed)
    assert list(catalog) == listed
    assert len(catalog) == 3
    assert catalog.by_name("b") is listed[1]
    assert catalog.by_name("B") is None


def test_the_tools_of_one_server_can_be_listed_alone() -> None:
    """Each server has a document of its own."""
    listed = [*tools("a"), *tools("b", server="t"), *tools("c")]
    catalog = Catalog(listed)
    assert catalog.servers == ("s", "t")
    assert catalog.of_server("s") == (listed[0], listed[2])
    assert catalog.of_server("none") == ()


def test_two_tools_of_one_name_are_refused() -> None:
    """One of them could never be called, and nobody would notice."""
    with pytest.raises(ValueError, match="same name"):
        Catalog([*tools("a"), *tools("a", server="t")])
