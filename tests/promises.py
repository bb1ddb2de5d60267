"""In CI a test that is skipped fails: what a run promises, it brings.

`tests/allowed_skips.toml` has what it may do without, each with the reason.
"""

import os
import tomllib
from collections.abc import Generator
from functools import cache
from pathlib import Path
from typing import TypedDict, TypeVar, cast

import pytest

ALLOWED = Path(__file__).with_name("allowed_skips.toml")

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


class AllowedSkip(TypedDict):
    """Reasons for which tests may be skipped in CI, too."""

    because: str
    reasons: list[str]
    """Words of the reasons that the tests give."""


def runs_in_ci() -> bool:
    return bool(os.environ.get("CI"))


@cache
def read_allowed() -> list[AllowedSkip]:
    return cast("list[AllowedSkip]", tomllib.loads(ALLOWED.read_text(encoding="utf-8"))["allowed"])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    return _as_ci_sees_it((yield))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    return _as_ci_sees_it((yield))


def _as_ci_sees_it(report: Report) -> Report:
    """A skip as a failure, unless it is allowed; a test that was expected to fail is none."""
    if not runs_in_ci() or not report.skipped or hasattr(report, "wasxfail"):
        return report
    reason = _reason_of(report)
    if not any(words in reason for allowed in read_allowed() for words in allowed["reasons"]):
        report.outcome = "failed"
        report.longrepr = f"Skipped in CI, which tests/{ALLOWED.name} does not allow: {reason}"
    return report


def _reason_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    """What the test said when it was skipped."""
    told = report.longrepr
    text = told[2] if isinstance(told, tuple) else str(told)
    return text.removeprefix("Skipped: ")
