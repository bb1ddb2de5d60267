"""Which tests `--wing` runs."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.wings import WINGS, pytest_collection_modifyitems, wing_of_file

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


@pytest.mark.parametrize("wing", WINGS)
def test_the_option_leaves_out_the_tests_of_the_other_wing(wing: str) -> None:
    """Issue 40: as pytest asks before it runs what it has collected."""
    left_out = list[Any]()

    def leave_out(items: list[Any]) -> None:
        left_out.extend(each.nodeid for each in items)

    def find_option(_name: str) -> str:
        return wing

    hook = SimpleNamespace(pytest_deselected=leave_out)
    config: Any = SimpleNamespace(getoption=find_option, hook=hook)
    names = ["tests/unit/calls/test_engine.py", "tests/unit/models/agent/loop/test_subquery.py"]
    items: list[Any] = [SimpleNamespace(nodeid=name, path=ROOT / name) for name in names]
    pytest_collection_modifyitems(config, items)
    own = WINGS.index(wing)
    assert [each.nodeid for each in items] == [names[own]]
    assert left_out == [names[1 - own]]
