"""What response headers tell: a file's name, how to go on, and all that an answer without a body says."""

import json
import re
from collections.abc import Iterable, Mapping
from urllib.parse import unquote

ANSWER_HEADERS = "x-tool-bridge-answer-headers"
"""Header with the telling headers of an answer in whose body they have no place, as one line of JSON."""

MAX_TOLD_BYTES = 4096
"""Maximum size of the headers that an answer tells, as the JSON that `ANSWER_HEADERS` carries."""

DROPPED = "x-tool-bridge-dropped"
"""Key with the names of telling headers that had no room."""

_TELLING = (
    *("location", "operation-location", "azure-asyncoperation", "content-location", "retry-after", "link"),
    *("content-range", "total-count", "total-pages", "page-count", "next-page"),
)
"""Headers that are told beside a body, the most telling first; then come those of `_PAGING`, then `etag`."""

_PAGING_RANK = len(_TELLING)
_LAST_RANK = _PAGING_RANK + 1
_RANKS = {**{name: rank for rank, name in enumerate(_TELLING)}, "etag": _LAST_RANK}
_PAGING = re.compile(
    r"x-(?:[a-z0-9]+-)*(?:totals?|totalpages|pages?|pagination|cursor|continuation|continuationtoken|next)"
    r"(?:-[a-z0-9]+)*"
)
_PASSED_ON = frozenset(
    (
        *("location", "content-location", "link", "etag", "last-modified", "retry-after", "allow"),
        *("content-range", "accept-ranges", "content-disposition"),
    )
)
_MAX_HEADERS = 30
_MAX_NAME_CHARS = 64
_MAX_NOTE_CHARS = 300
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
    return _fitting(sorted(names, key=_rank), headers)


def telling_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """What headers beside a body tell of how to go on: the next page, the total, the job, the version.

    Names are in lower case, values without characters that are not printable. A value is never cut, for half
    a link is a wrong one: what has no room in `MAX_TOLD_BYTES` is left out, and `DROPPED` names it.
    """
    names: list[str] = []
    for name in headers:  # most answers have none, and this is asked of every one
        if name in _RANKS or (name[:2] == "x-" and _is_of_paging(name)):
            names.append(name)
    return _fitting(sorted(names, key=_rank), headers) if names else {}


def headers_line(told: Mapping[str, str]) -> str:
    """Told headers as one line of JSON in ASCII, which may be the value of a header itself."""
    return json.dumps(told, separators=(",", ":"))


def _rank(name: str) -> int:
    """The place of a header among those that are told."""
    return _RANKS.get(name, _PAGING_RANK if _is_of_paging(name) else _LAST_RANK)


def _is_of_paging(name: str) -> bool:
    return len(name) <= _MAX_NAME_CHARS and _PAGING.fullmatch(name) is not None


def _fitting(names: Iterable[str], headers: Mapping[str, str]) -> dict[str, str]:
    """As many of the headers as have room, in this order, and the names of the others under `DROPPED`."""
    told: dict[str, str] = {}
    dropped: list[str] = []
    room = MAX_TOLD_BYTES - len(headers_line({DROPPED: "x" * _MAX_NOTE_CHARS}))
    for name in names:
        value = "".join(filter(str.isprintable, headers[name]))
        size = len(headers_line({name: value}))
        if size > room or len(told) == _MAX_HEADERS or len(name) > _MAX_NAME_CHARS:
            dropped.append("".join(filter(str.isascii, name)))
        else:
            told[name] = value
            room -= size
    return {**told, DROPPED: ", ".join(dropped)[:_MAX_NOTE_CHARS]} if dropped else told


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
