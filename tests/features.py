"""`python -m tests.features`: writes the page of features from `tests/features.toml` and from the tests.

A test that proves a feature begins its docstring with the feature's id, or ids: `S0-57, S0-58: why it must
hold`. In JavaScript the name of the test begins so.
"""

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = "docs/reference/features.md"

IDS = re.compile(r"\s*((?:[SW]\d?-\d+)(?:, [SW]\d?-\d+)*): ")
SCRIPT_TEST = re.compile(r"""\b(?:test|it)\(\s*(["'`])((?:(?!\1).)+)\1""")

Proofs = dict[str, list[tuple[str, str]]]
"""Feature id to file and test."""


@dataclass(frozen=True, slots=True)
class Feature:
    id: str
    title: str
    issue: int
    later: str | None
    """Why it is not built yet."""


def features() -> list[Feature]:
    found = tomllib.loads((ROOT / "tests/features.toml").read_text(encoding="utf-8"))
    return [Feature(key, entry["title"], entry["issue"], entry.get("later")) for key, entry in found.items()]


def proofs() -> Proofs:
    found: Proofs = defaultdict(list)
    for path in sorted((ROOT / "tests").rglob("*")):
        file = path.relative_to(ROOT).as_posix()
        if path.suffix == ".py" and path.name.startswith("test_"):
            named = _python_tests(path)
        elif path.name.endswith(".test.js"):
            named = _script_tests(path)
        else:
            continue
        for name, ids in named:
            for feature in ids:
                found[feature].append((file, name))
    return found


def _python_tests(path: Path) -> Iterator[tuple[str, list[str]]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield node.name, ids_of(ast.get_docstring(node) or "")


def _script_tests(path: Path) -> Iterator[tuple[str, list[str]]]:
    for match in SCRIPT_TEST.finditer(path.read_text(encoding="utf-8")):
        yield match[2], ids_of(match[2])


def ids_of(text: str) -> list[str]:
    """The ids that a docstring begins with."""
    match = IDS.match(text)
    return match[1].split(", ") if match else []


def page() -> str:
    """The page as it must be now."""
    known, tests = features(), proofs()
    proven = sum(1 for feature in known if tests.get(feature.id))
    rows = [_row(feature, tests.get(feature.id, [])) for feature in known]
    return "\n".join(
        [
            "# Features of the model loop",
            "",
            "Each thing that was asked of the model loop, and the tests that prove it. Written by",
            "`python -m tests.features` from `tests/features.toml` and the docstrings of the tests; a house",
            "test keeps it current.",
            "",
            f"{proven} of {len(known)} are proven by tests.",
            "",
            "| id | what holds | status | tests |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


def _row(feature: Feature, tests: list[tuple[str, str]]) -> str:
    status = "proven" if tests else f"later: {feature.later}" if feature.later else "no test"
    named = ", ".join(f"`{file}`" for file in sorted({file for file, _ in tests}))
    return f"| {feature.id} | {feature.title} | {status} | {named} |"


if __name__ == "__main__":
    (ROOT / PAGE).write_text(page(), encoding="utf-8")
