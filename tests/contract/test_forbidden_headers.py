"""The headers a browser refuses, known twice: when a document is read, and when a page builds a request."""

import re
from pathlib import Path

import pytest

from toolserver.operation.parameter import Sending

SCRIPT = Path(__file__).parents[2] / "static" / "request" / "forbidden_headers.js"


def forbidden_in_the_page() -> list[str]:
    text = SCRIPT.read_text(encoding="utf-8")
    listed = re.search(r"const FORBIDDEN = new Set\(\[(.*?)\]\)", text, re.DOTALL)
    assert listed is not None
    return re.findall(r'"([a-z0-9-]+)"', listed[1])


def header(name: str) -> Sending:
    return Sending(name, "header", required=False, style="simple", explode=False)


@pytest.mark.parametrize("name", forbidden_in_the_page())
def test_a_header_the_page_cannot_send_is_known_when_the_document_is_read(name: str) -> None:
    """The user is told at acceptance, not when a call fails."""
    assert header(name).unsendable is not None


def test_both_lists_name_the_same_headers() -> None:
    """One that only the reader refuses would be withheld although the page could send it."""
    names = {"x-api-key", "if-none-match", "idempotency-key", "traceparent", *forbidden_in_the_page()}
    refused = {name for name in names if header(name).unsendable is not None}
    assert refused == set(forbidden_in_the_page())
