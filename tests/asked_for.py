"""Ids of requirements, findings and attacks: those of `asked_for.toml`, and those of the reports."""

import tomllib

from tests.features import ROOT

PLACE = "tests/asked_for.toml"
REPORTS = ROOT.parent / "shared"
"""Beside the repository, and not part of it."""


def ids_of(kind: str) -> list[str]:
    return tomllib.loads((ROOT / PLACE).read_text(encoding="utf-8"))[kind].split()


def read_report(name: str) -> str:
    """A report's text; nothing where the reports are not."""
    return (REPORTS / name).read_text(encoding="utf-8") if REPORTS.is_dir() else ""
