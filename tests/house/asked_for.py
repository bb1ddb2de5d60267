"""What was asked for, found and tried: `asked_for.toml`, and the reports it comes from where they are."""

import tomllib
from collections.abc import Iterable

from tests.house.source import ROOT, refuse, text_of

PLACE = "tests/house/asked_for.toml"
REPORTS = ROOT.parent / "shared"
"""Beside the repository, and not part of it."""


def ids_of(kind: str) -> list[str]:
    return tomllib.loads(text_of(PLACE))[kind].split()


def read_report(name: str) -> str:
    """A report's text; nothing where the reports are not."""
    return (REPORTS / name).read_text(encoding="utf-8") if REPORTS.is_dir() else ""


def refuse_unlisted(kind: str, ids: Iterable[str]) -> None:
    """Fail when the list lacks ids of the reports."""
    listed = set(ids_of(kind))
    refuse(f"{PLACE}: {kind} lack {each}" for each in ids if each not in listed)
