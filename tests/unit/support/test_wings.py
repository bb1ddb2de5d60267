"""Which tests `--wing` runs."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.wings import WINGS, wing_of_file

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("file", "wing"),
    [
        ("tests/unit/models/agent/loop/test_subquery.py", "models"),
        ("tests/http/openai/test_turns.py", "models"),
        ("tests/http/api/test_providers.py", "models"),
        ("tests/storage/test_items.py", "models"),
        ("tests/unit/calls/test_engine.py", "tools"),
        ("tests/http/mcp/test_long_calls.py", "tools"),
        ("tests/unit/toolserver/test_public_names.py", "tools"),
    ],
)
def test_a_test_belongs_to_the_wing_that_it_knows(file: str, wing: str) -> None:
    """Issue 40: by its folder, or by what it imports."""
    assert wing_of_file(ROOT / file, file) == wing


def test_each_test_is_run_by_one_of_the_wings() -> None:
    """Issue 40: none is lost, and none runs twice."""
    found = {wing: _collect(f"--wing={wing}") for wing in WINGS}
    assert found["tools"]
    assert found["models"]
    assert sorted(found["tools"] + found["models"]) == _collect()


def _collect(*options: str) -> list[str]:
    """Names of the tests of two small folders, one of each wing."""
    folders = ("tests/unit/limits", "tests/unit/models/admission")
    command = (sys.executable, "-m", "pytest", "-q", "--collect-only", *options, *folders)
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    return sorted(line for line in ran.stdout.splitlines() if "::" in line)
