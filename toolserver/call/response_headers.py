"""What response headers tell a caller: a file's name, and everything that an answer without a body says."""

import re
from collections.abc import Mapping
from urllib.parse import unquote

_PASSED_ON = frozenset(
    (
        *("location", "content-location", "link", "etag", "last-modified", "retry-after", "allow"),
        *("content-range", "accept-ranges", "content-disposition"),
    )
)
_MAX_HEADERS = 30
_MAX_VALUE_CHARS = 500
_MAX_FILENAME_CHARS = 200

_EXTENDED_NAME = re.compile(r";\s*filename\*\s*=\s*([\w-]+)'[^']*'([^;]+)", re.IGNORECASE)
_QUOTED_NAME = re.compile(r';\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"', re.IGNORECASE)
_PLAIN_NAME = re.compile(r";\s*filename\s*=\s*([^\s;\"]+)", re.IGNORECASE)


def select_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers that are all that an answer without a body says: location, version, size and the like.

    Names are in lower case. Type and length are included when the length is not zero, as for HEAD.
    """
    length = headers.get("content-length", "0").strip()
    size = {"content-type", "content-length"} if length.isdigit() and int(length) > 0 else set[str]()
    names = [name for name in headers if name in _PASSED_ON or name in size or name.startswith("x-")]
    return {name: headers[name][:_MAX_VALUE_CHARS] for name in names[:_MAX_HEADERS]}


def filename_of(headers: Mapping[str, str]) -> str:
    """The file name in `Content-Disposition` (RFC 6266), without folders; "" when there is none."""
    disposition = headers.get("content-disposition", "")
    name = ""
    if extended := _EXTENDED_NAME.search(disposition):
        name = _decoded(extended[2].strip(), extended[1])
    elif quoted := _QUOTED_NAME.search(disposition):
        name = re.sub(r"\\(.)", r"\1", quoted[1])
    elif plain := _PLAIN_NAME.search(disposition):
        name = plain[1]
    name = re.split(r"[/\\]", name)[-1]
    printable = "".join(character for character in name if character.isprintable()).strip(" .")
    return printable[:_MAX_FILENAME_CHARS]


def _decoded(text: str, charset: str) -> str:
    try:
        return unquote(text, charset, "replace")
    except LookupError:
        return unquote(text)
