"""The index of the decisions."""

import re
from collections.abc import Iterable
from pathlib import Path

from make.reference.parts import table

PAGE = "docs/adr/README.md"
_TITLE = re.compile(r"\A# (\d+)\. (.+)$", re.MULTILINE)
_STANDING = re.compile(r"^Date: (\S+) · Status: (.+)$", re.MULTILINE)


def index(folder: Path) -> Iterable[str]:
    """A row for each decision of a folder."""
    return table(
        ("", "decision", "date", "status"), map(_row, sorted(folder.glob("[0-9]*.md"))), "|--:|---|---|---|"
    )


def _row(path: Path) -> tuple[str, str, str, str]:
    text = path.read_text(encoding="utf-8")
    title = _TITLE.search(text)
    standing = _STANDING.search(text)
    if title is None or standing is None:
        raise ValueError(f"{path.name}: it begins with `# NUMBER. TITLE` and `Date: … · Status: …`")
    return title[1], f"[{title[2]}]({path.name})", standing[1], standing[2]
