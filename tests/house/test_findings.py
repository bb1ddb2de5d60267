"""What was found is mended and proven, or says which issue has it, or why it stays."""

import itertools
import re
from pathlib import Path

from tests.findings import PLACE, REPORTS, collect_proofs, list_findings
from tests.house.source import refuse

PROOFS = collect_proofs()


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


def test_no_finding_is_left_out(shared_findings: Path) -> None:
    """What is missing from the table would be missed by nobody."""
    known = {finding.id for finding in list_findings()}
    found = [
        f"{letter}-{number}"
        for report, (letter, heading) in REPORTS.items()
        for number in re.findall(
            f"^{heading}", (shared_findings / report).read_text(encoding="utf-8"), re.MULTILINE
        )
    ]
    assert found
    refuse(f"{PLACE} lacks {finding}" for finding in found if finding not in known)
