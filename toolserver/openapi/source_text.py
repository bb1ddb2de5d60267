"""The text of a document as UTF-8 bytes and, only where needed, as a string; and files as text.

Receives a string or bytes; gives both without byte order mark, CRLF line ends and what UTF-8 cannot encode.
Knows nothing of JSON and YAML. Decoding megabytes takes a tenth of the time of parsing them, and the fast
JSON reader takes bytes.
"""

import re

from toolserver.errors import DocumentError
from toolserver.openapi.foreign_formats import SNIFFED_CHARS, name_text

_START_BYTES = 1_000
_ENCODINGS = (
    (re.compile(rb"\xff\xfe\x00\x00|\x00\x00\xfe\xff", re.DOTALL), "utf-32"),
    (re.compile(rb"\x00\x00\x00[^\x00]", re.DOTALL), "utf-32-be"),
    (re.compile(rb"[^\x00]\x00\x00\x00", re.DOTALL), "utf-32-le"),
    (re.compile(rb"\xff\xfe|\xfe\xff", re.DOTALL), "utf-16"),
    (re.compile(rb"\x00[^\x00]", re.DOTALL), "utf-16-be"),
    (re.compile(rb"[^\x00]\x00", re.DOTALL), "utf-16-le"),
)
"""How a file begins that is not UTF-8, in the order of YAML 1.2.2 §5.2."""

_MARK = b"\xef\xbb\xbf"


class SourceText:
    """One text. Bytes that are not UTF-8 become U+FFFD, lone surrogates "?"."""

    def __init__(self, text: str | bytes, max_bytes: int) -> None:
        """Takes the text as it came.

        Raises:
            DocumentError: too_large, by its UTF-8 bytes.
        """
        if len(text) > max_bytes:
            raise _too_large(max_bytes)
        encoded = _encoded(text) if isinstance(text, str) else text
        if encoded.startswith(_MARK):
            encoded = encoded[len(_MARK) :]
        if b"\r" in encoded:  # searching for one byte is far quicker than for two
            encoded = encoded.replace(b"\r\n", b"\n")
        if len(encoded) > max_bytes:
            raise _too_large(max_bytes)
        self.encoded = encoded
        """UTF-8; may contain the invalid bytes of the input until `text` is used."""
        self._text: str | None = None

    @property
    def text(self) -> str:
        """The decoded text; decoding happens on first use and replaces invalid bytes in `encoded`, too."""
        if self._text is None:
            try:
                self._text = self.encoded.decode()
            except UnicodeDecodeError:
                self._text = self.encoded.decode("utf-8", "replace")
                self.encoded = self._text.encode()
        return self._text

    def first_sign(self) -> str:
        """The first character that is not white space; "" when there is none."""
        start = self.encoded[:_START_BYTES].lstrip()[:1]
        return start.decode() if start.isascii() and start else self.text.lstrip()[:1]


def decode_file(content: bytes) -> str:
    """The text of a file in UTF-8, UTF-16 or UTF-32, with or without a byte order mark.

    Raises:
        DocumentError: not_utf8; not_a_document for a format that is known, such as an archive.
    """
    encoding = next((name for start, name in _ENCODINGS if start.match(content)), "utf-8-sig")
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        if named := name_text(content[:SNIFFED_CHARS].decode("latin-1")):
            raise DocumentError("not_a_document", named) from None
        said = (
            f"byte 0x{content[error.start]:02X} at position {error.start} is not UTF-8; "
            "it may be Latin-1 or Windows-1252"
            if encoding == "utf-8-sig"
            else f"it begins as {encoding.upper()[:6]} and goes on as something else"
        )
        raise DocumentError("not_utf8", f"The text is not readable: {said}. Save it as UTF-8.") from None


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def _too_large(max_bytes: int) -> DocumentError:
    return DocumentError("too_large", f"The document is larger than {max_bytes:,} bytes.")
