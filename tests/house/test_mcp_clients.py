"""The page of MCP clients says what the tests assert."""

from tests.clients.table import PAGE, page
from tests.house.source import text_of


def test_the_page_of_mcp_clients_is_current() -> None:
    """Who reads that a client has passed must be able to rely on it, for that version."""
    text = text_of(PAGE)
    assert text == page(text), f"{PAGE} is old: run python -m tests.clients.table"
