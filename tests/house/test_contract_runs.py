"""Rules for the contract tests that run once more, through two replicas."""

import ast
from collections.abc import Iterator

from tests.house.source import files, functions_of, refuse, tree_of
from tests.support.contract_runs import CONTRACTS, left_out

WALKS = {
    "tests/http/api/test_api_document.py": "test_every_operation_answers_as_the_document_says",
    "tests/http/test_every_program_route.py": "test_every_route_of_programs_and_files_answers",
    "tests/socket/test_every_event.py": "test_every_event_of_the_protocol_is_exchanged",
}
"""The tests that fail when they leave out a route of the bridge, or an event of its browser protocol."""

PROTOCOL = "bridge/browser_protocol.py"
EVENT = "bridge:"


def test_each_route_and_event_is_met_through_two_replicas_in_make_test() -> None:
    """A route that is forgotten is where passing on breaks; the walks themselves fail without one."""
    refuse(
        f"{file}: {name} is gone, or not marked `two_replicas`"
        for file, name in WALKS.items()
        if name not in _tests_of(file) or "two_replicas" not in _module_marks(file)
    )


def test_every_event_has_its_name_in_the_protocol() -> None:
    """The walk of events takes them from there, and one that is written out elsewhere would be in no walk."""
    refuse(
        f"{file}: line {node.lineno}: {node.value!r} belongs into {PROTOCOL}"
        for file in files(".py", under=("bridge/",))
        if file != PROTOCOL
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(EVENT)
        if " " not in node.value
    )


def test_what_is_left_out_exists_and_is_left_out_once() -> None:
    """A name that leads nowhere hides that its test runs, or that nobody knows any more what was meant."""
    known = {name for file in files(".py", under=CONTRACTS) for name in (file, *_named(file))}
    named = [test for tests in left_out().values() for test in tests]
    refuse(f"{test} is no test" for test in named if test not in known)
    refuse(f"{test} is named twice" for test in named if named.count(test) > 1)
    refuse(
        f"{test} is in a file that is left out"
        for test in named
        if test.partition("::")[0] in {*named} - {test}
    )


def _named(file: str) -> Iterator[str]:
    yield from (f"{file}::{name}" for name in _tests_of(file))


def _tests_of(file: str) -> set[str]:
    return {node.name for _, node in functions_of(file) if node.name.startswith("test_")}


def _module_marks(file: str) -> str:
    """What a module says of all its tests, as it is written."""
    assigned = (node for node in tree_of(file).body if isinstance(node, ast.Assign))
    return " ".join(
        ast.unparse(node.value) for node in assigned if ast.unparse(node.targets[0]) == "pytestmark"
    )
