"""The page of MCP clients says what the tests assert."""

from tests.clients.conformance import BASELINES, exceptions_of
from tests.clients.table import PAGE, page
from tests.house.source import text_of


def test_the_page_of_mcp_clients_is_current() -> None:
    """Who reads that a client has passed must be able to rely on it, for that version."""
    text = text_of(PAGE)
    assert text == page(text), f"{PAGE} is old: run python -m tests.clients.table"


def test_every_exception_of_the_conformance_suite_has_a_reason() -> None:
    """A check that fails for no reason that we can give is a fault."""
    exceptions = [each for revision in BASELINES for each in exceptions_of(revision)]
    assert len(exceptions) > 0
    assert [each for each in exceptions if not each.reason.endswith(".")] == []
