"""The text of a document as it came, as UTF-8 and, only where that is needed, as a string.

Receives a string or bytes; gives both without byte order mark, CRLF line ends and what UTF-8 cannot say.
Knows nothing of JSON and YAML. Decoding megabytes takes a tenth of the time that reading them does, and the
fast reader of JSON takes bytes.
"""

from toolserver.errors import DocumentError

_START_BYTES = 1_000
_MARK = b"\xef\xbb\xbf"


class SourceText:
    """One text. Bytes that are no UTF-8 count as U+FFFD, lone surrogates as "?"."""

    def __init__(self, given: str | bytes, max_bytes: int) -> None:
        """Takes what came.

        Raises:
            DocumentError: too_large, by its UTF-8 bytes.
        """
        if len(given) > max_bytes:
            raise _too_large(max_bytes)
        encoded = _encoded(given) if isinstance(given, str) else given
        if encoded.startswith(_MARK):
            encoded = encoded[len(_MARK) :]
        if b"\r" in encoded:  # looking for one byte is far quicker than for two
            encoded = encoded.replace(b"\r\n", b"\n")
        if len(encoded) > max_bytes:
            raise _too_large(max_bytes)
        self.encoded = encoded
        """UTF-8, unless `text` has not been asked for and what came was none."""
        self._text: str | None = None

    @property
    def text(self) -> str:
        """Decoded when first asked for; bytes that were no UTF-8 are replaced in `encoded`, too."""
        if self._text is None:
            try:
                self._text = self.encoded.decode()
            except UnicodeDecodeError:
                self._text = self.encoded.decode("utf-8", "replace")
                self.encoded = self._text.encode()
        return self._text

    def first_sign(self) -> str:
        """The first character that is no white space; "" when there is none."""
        start = self.encoded[:_START_BYTES].lstrip()[:1]
        return start.decode() if start.isascii() and start else self.text.lstrip()[:1]


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def _too_large(max_bytes: int) -> DocumentError:
    return DocumentError("too_large", f"The document is larger than {max_bytes:,} bytes.")
