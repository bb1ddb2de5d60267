"""The overview of the errors. When the same call may be made again depends on more than the code: by hand."""

import re
from collections.abc import Iterable

from bridge.errors import ErrorCode
from make.reference.parts import table

PAGE = "docs/reference/errors.md"
UNKNOWN = "?"
"""What stands for a code whose column nobody has filled in; a house rule refuses it."""

_ROW = re.compile(r"^\| \[`(\w+)`\]\(#\w+\) \| [^|]+ \| ([^|]+) \|", re.MULTILINE)


def overview(page: str) -> Iterable[str]:
    """The rows: the code and what is true of every error of it, and from the page, when it is retryable."""
    retryable = {found[1]: found[2] for found in _ROW.finditer(page)}
    rows = [
        (
            f"[`{code.value}`](#{code.value})",
            str(code.facts.http_status),
            retryable.get(code.value, UNKNOWN),
            code.facts.blame.value,
        )
        for code in _in_order(page)
    ]
    return table(("code", "status", "retryable", "blame"), rows, "|---|--:|---|---|")


def _in_order(page: str) -> list[ErrorCode]:
    """As the sections of the page come; what has none yet, last."""
    places = {found[1]: found.start() for found in re.finditer(r"^### `(\w+)`", page, re.MULTILINE)}
    return sorted(ErrorCode, key=lambda code: places.get(code.value, len(page)))
