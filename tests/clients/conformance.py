"""The conformance suite: its command, and what it may say against us."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from tests.clients.environments import HERE, NODE_TOOLS
from tests.support.programs import needs

PACKAGE = "@modelcontextprotocol/conformance"

BASELINES: Mapping[str, Path] = {
    revision: HERE / "conformance" / f"{revision}.yml" for revision in ("2026-07-28", "2025-11-25")
}
"""For each revision of the protocol, a file of exceptions, each under a comment with its reason."""


@dataclass(frozen=True, slots=True)
class SuiteException:
    """One check of one scenario that the endpoint fails, and why it does."""

    scenario: str
    check: str
    reason: str


def exceptions_of(revision: str) -> Iterator[SuiteException]:
    """What a revision's file lists.

    Raises:
        ValueError: an exception names no single check.
    """
    reason = ""
    _title, _key, *lines = BASELINES[revision].read_text(encoding="utf-8").splitlines()
    for line in map(str.strip, lines):
        if line.startswith("# "):
            reason = line.removeprefix("# ")
        else:
            scenario, check = line.removeprefix("- ").split(":")
            yield SuiteException(scenario, check, reason)


def suite_version() -> str:
    """The release of the suite."""
    return NODE_TOOLS.version_of(PACKAGE)


def suite_command(revision: str, url: str, results: Path) -> tuple[str | Path, ...]:
    """Run what the revision requires of a server, and what else there is for it; `results`: a folder."""
    needs.need_environment(NODE_TOOLS)
    program = NODE_TOOLS.node_modules / PACKAGE / "dist" / "index.js"
    options = ("--requirements", revision, "--expected-failures", BASELINES[revision], "-o", results)
    return (NODE_TOOLS.interpreter, program, "server", "--url", url, *options)


def failures_in(results: Path) -> set[tuple[str, str]]:
    """The scenario and the check of each failure and warning that the suite has found."""
    return {
        (_scenario_of(file.parent.name), check["id"])
        for file in results.glob("*/checks.json")
        for check in json.loads(file.read_bytes())
        if check["status"] in {"FAILURE", "WARNING"}
    }


def _scenario_of(folder: str) -> str:
    """A folder is named `server-SCENARIO-TIME`."""
    found = re.fullmatch(r"server-(.+)-\d{4}-\d\d-\d\dT.*", folder)
    assert found, folder
    return found[1]


def scenarios_by_reason(revision: str) -> Mapping[str, list[str]]:
    """The scenarios with exceptions, by the reason."""
    grouped = groupby(exceptions_of(revision), key=lambda each: each.reason)
    return {reason: list(dict.fromkeys(each.scenario for each in some)) for reason, some in grouped}
