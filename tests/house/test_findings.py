"""What was found is mended and proven, or says which issue has it, or why it stays; each attack is a test."""

import itertools
import re
import tomllib
from collections.abc import Iterable, Iterator
from typing import Any

from tests import asked_for
from tests.asked_for import ids_of, read_report
from tests.features import all_tests
from tests.findings import PLACE, REPORTS, collect_proofs, list_findings
from tests.house.source import refuse, text_of

PROOFS = collect_proofs()

ATTACKS_PLACE = "tests/attacks.toml"
ATTACKS: dict[str, dict[str, Any]] = tomllib.loads(text_of(ATTACKS_PLACE))
ATTACK = re.compile(r"^\| (?:\*\*\w+\*\* )?(\d+b?) \| ", re.MULTILINE)
"""Number of a row in the report's table; the first one of a part has the part's name before it."""


def test_every_finding_has_a_test_or_says_why_not() -> None:
    """A mistake that was mended without a test comes back, and nobody is told."""
    refuse(
        f"{PLACE}: {finding.id} has no test ({finding.title})"
        for finding in list_findings()
        if not PROOFS.get(finding.id) and not finding.later and not finding.out
    )


def test_no_finding_is_put_off_that_is_proven() -> None:
    """`later` and `out` must go when the finding is mended."""
    refuse(
        f"{PLACE}: {finding.id} has tests, and `later` or `out`"
        for finding in list_findings()
        if PROOFS.get(finding.id) and (finding.later or finding.out)
    )


def test_tests_name_only_findings_that_there_are() -> None:
    """A mistyped id proves nothing, and its finding seems to lack a test."""
    known = {finding.id for finding in list_findings()}
    refuse(
        f"{file}: {test} names {unknown}, which {PLACE} does not have"
        for unknown, tests in PROOFS.items()
        if unknown not in known
        for file, test in tests
    )


def test_findings_stand_in_the_order_of_their_ids() -> None:
    """Two who mend a finding each look for it where the other one does."""
    refuse(
        f"{PLACE}: {later.id} belongs before {earlier.id}"
        for earlier, later in itertools.pairwise(list_findings())
        if earlier.place > later.place
    )


def test_no_finding_is_left_out() -> None:
    """What is missing from the table would be missed by nobody."""
    known = {finding.id for finding in list_findings()}
    refuse(f"{PLACE} lacks {finding}" for finding in ids_of("findings") if finding not in known)
    refuse_unlisted("findings", found_in_reports())


def refuse_unlisted(kind: str, ids: Iterable[str]) -> None:
    """Fail when the list lacks ids of the reports; where those are not, the list stands for them."""
    listed = set(ids_of(kind))
    refuse(f"{asked_for.PLACE}: {kind} lack {each}" for each in ids if each not in listed)


def found_in_reports() -> Iterator[str]:
    """The ids of all findings, where the reports are."""
    for report, (letter, heading) in REPORTS.items():
        numbers = re.findall(f"^{heading}", read_report(f"findings/{report}"), re.MULTILINE)
        yield from (f"{letter}-{number}" for number in numbers)


def test_every_attack_has_a_test_or_says_why_not() -> None:
    """What held once, and is not tried again, may hold no longer."""
    refuse(
        f"{ATTACKS_PLACE}: {row} has neither tests nor a finding nor `out`"
        for row, entry in ATTACKS.items()
        if not any(entry.get(key) for key in ("tests", "findings", "out"))
    )


def test_every_test_that_an_attack_names_exists() -> None:
    """A test that was renamed or removed plays nothing, and nobody would notice."""
    known = {f"{file}::{name}" for file, name in all_tests()}
    refuse(
        f"{ATTACKS_PLACE}: {row} names {test}, which there is not"
        for row, entry in ATTACKS.items()
        for test in entry.get("tests", [])
        if test not in known
    )


def test_every_finding_that_an_attack_names_is_proven_or_put_off() -> None:
    """The tests of a finding stand in their docstrings; one without any plays no attack."""
    answered = PROOFS.keys() | {each.id for each in list_findings() if each.later or each.out}
    refuse(
        f"{ATTACKS_PLACE}: {row} names {finding}, which has no test"
        for row, entry in ATTACKS.items()
        for finding in entry.get("findings", [])
        if finding not in answered
    )


def test_no_attack_is_left_out() -> None:
    """Those that are missing from the table would be the ones that nobody tries again."""
    rows = ids_of("attacks")
    assert list(ATTACKS)[: len(rows)] == rows
    _, _, tried = read_report("findings/security.md").partition("## Attacks tried")
    refuse_unlisted("attacks", ATTACK.findall(tried))
