"""What came, as UTF-8 and as a string."""

import pytest

from toolserver.errors import DocumentError
from toolserver.openapi.source_text import SourceText, decode_file


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
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"]
)
def test_a_file_may_have_any_encoding_of_unicode(encoding: str) -> None:
    """YAML 1.2 §5.2 lists them; Windows writes UTF-16 when it is asked for "Unicode"."""
    assert decode_file("openapi: é".encode(encoding)) == "openapi: é"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            "info: ol\u00e9".encode("latin-1"),
            "byte 0xE9 at position 8 is not UTF-8; it may be Latin-1 or Windows-1252",
        ),
        (b"\xff\xfea\x00\x00\xd8", "it begins as UTF-16 and goes on as something else"),
    ],
)
def test_a_file_in_another_encoding_is_refused_with_its_name(content: bytes, said: str) -> None:
    """Guessing would alter texts silently; saving it as UTF-8 is one click in an editor."""
    with pytest.raises(DocumentError) as refused:
        decode_file(content)
    assert refused.value.code == "not_utf8"
    assert refused.value.message == f"The text is not readable: {said}. Save it as UTF-8."


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
