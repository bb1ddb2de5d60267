"""What came, as UTF-8 and as a string."""

import pytest

from toolserver.document.source_text import SourceText
from toolserver.errors import DocumentError


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("a\u00e9\r\nb\rc", "a\u00e9\nb\rc"),
        ("\ufeff{}", "{}"),
        ("\ud83d", "?"),
        (b"\xef\xbb\xbf\xc3\xa9\r\n", "\u00e9\n"),
        (b"\xff{}", "\ufffd{}"),
    ],
)
def test_both_forms_are_the_same_text(given: str | bytes, text: str) -> None:
    """Equal texts have equal digests, however they came."""
    source = SourceText(given, max_bytes=100)
    assert (source.text, source.encoded) == (text, text.encode())


@pytest.mark.parametrize(
    ("given", "sign"),
    [
        ("", ""),
        (" \n\t{", "{"),
        (" " * 2_000 + "[", "["),
        ("\u00e9", "\u00e9"),
        ("\u00a0{", "{"),
        (b"\xff", "\ufffd"),
    ],
)
def test_the_first_sign_is_found_behind_any_white_space(given: str | bytes, sign: str) -> None:
    """It decides between JSON and YAML."""
    assert SourceText(given, max_bytes=9_999).first_sign() == sign


def test_size_is_measured_in_utf_8() -> None:
    """The limit is one of memory, not of characters."""
    assert SourceText("\u00e9" * 50, max_bytes=100).encoded == b"\xc3\xa9" * 50
    for given in ("\u00e9" * 51, b"a" * 101):
        with pytest.raises(DocumentError) as refused:
            SourceText(given, max_bytes=100)
        assert refused.value.code == "too_large"
