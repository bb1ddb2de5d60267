"""Which tests prove that a finding of `tests/findings.toml` is mended.

Such a test begins its docstring with the finding's id, or ids: `Finding W-42, O-1: why it must hold`. In
JavaScript the name of the test begins so.
"""

import re
import tomllib
from collections import defaultdict
from dataclasses import dataclass

from tests.features import ROOT, described_tests

PLACE = "tests/findings.toml"

ID = r"(?:W|O|I|S|F|house|P|R)-[HML]?\d+"
IDS = re.compile(rf"\s*Finding ({ID}(?:, {ID})*): ")

REPORTS = {
    "public-reports.md": ("W", r"### W(\d+) "),
    "openapi-fidelity.md": ("O", r"### (\d+)\. "),
    "open-webui-and-clients.md": ("I", r"(?:### |- )([HML]\d+) "),
    "security.md": ("S", r"(?:### |- \*\*)([HML]\d+) "),
    "page-commands-docs.md": ("F", r"\*\*F(\d+) "),
    "house.md": ("house", r"### (H\d+) "),
    "operation.md": ("P", r"(?:- )?\*\*([ML]\d+)\. "),
    "replicas-and-faults.md": ("R", r"### (\d+)\. "),
}
"""The reports in the order of the table: what their ids begin with there, and how they begin a finding."""


@dataclass(frozen=True, slots=True)
class Finding:
    id: str
    title: str
    later: str | None
    """The issue that has it."""
    out: str | None
    """Why it is not mended."""

    @property
    def place(self) -> tuple[int, int, int]:
        """Where its id stands: by report, then by severity where a report has that in its ids."""
        report, _, number = self.id.rpartition("-")
        severity = number.rstrip("0123456789")
        letters = [letter for letter, _ in REPORTS.values()]
        return letters.index(report), "HML".find(severity), int(number.removeprefix(severity))


def list_findings() -> list[Finding]:
    listed = tomllib.loads((ROOT / PLACE).read_text(encoding="utf-8"))
    return [
        Finding(id=key, title=entry["title"], later=entry.get("later"), out=entry.get("out"))
        for key, entry in listed.items()
    ]


def collect_proofs() -> dict[str, list[tuple[str, str]]]:
    """Collect the tests of each finding: its id to files and names."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for file, test, text in described_tests():
        if match := IDS.match(text):
            for finding in match[1].split(", "):
                found[finding].append((file, test))
    return found
