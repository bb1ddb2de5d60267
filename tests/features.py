"""`python -m tests.features`: writes the page of features from `tests/features.toml` and from the tests.

A test that proves a feature begins its docstring with the feature's id, or ids: `S0-57, S3-F1: why it must
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

ID = r"(?:S\d-F?|W-)\d+"
IDS = re.compile(rf"\s*({ID}(?:, {ID})*)( differs)?: ")
"""Ids at the beginning of a docstring; with `differs`, the test proves other words than were asked for."""
SCRIPT_TEST = re.compile(r"""\b(?:test|it)\(\s*(["'`])((?:(?!\1).)+)\1""")

SECTIONS = (
    ("S0-01", "Which tools a model is given"),
    ("S0-20", "Strict schemas"),
    ("S0-40", "Names that clash"),
    ("S0-50", "The rounds of a turn"),
    ("S0-70", "How calls run"),
    ("S0-90", "Breakers"),
    ("S0-100", "Web search"),
    ("S0-110", "From the bridge to the page and the API"),
    ("S0-130", "What is stored of a chat"),
    ("S0-150", "Streams"),
    ("S1-01", "Sub-queries"),
    ("S2-01", "Streams for Open WebUI"),
    ("S3-01", "Conversations"),
    ("S4-01", "Responses of providers, and old chats"),
    ("W-01", "Mistakes that are not repeated"),
)
"""The id that each section of the page begins with, and its heading."""

UNITS = ("tests/unit/", "tests/page/")
"""Where tests see the parts; all others see the bridge, its page or its commands as their users do."""

Proofs = dict[str, list[tuple[str, str]]]
"""Feature id to file and test."""


@dataclass(frozen=True, slots=True)
class Feature:
    id: str
    title: str
    issue: int
    later: str | None
    """Why it is not built yet."""
    out: str | None
    """Why it is not wanted."""
    inside: str | None
    """Why nobody can see it from outside, or only with an injected failure."""
    reworded: str | None
    """What was asked for instead, and why the product does otherwise."""

    @property
    def place(self) -> tuple[str, bool, int]:
        """Where its id stands among the others: `S3-18` before `S3-F1`, and that before `S4-01`."""
        document, _, number = self.id.partition("-")
        return document, number.startswith("F"), int(number.removeprefix("F"))


def features() -> list[Feature]:
    found = tomllib.loads((ROOT / "tests/features.toml").read_text(encoding="utf-8"))
    return [
        Feature(
            id=key,
            title=entry["title"],
            issue=entry["issue"],
            later=entry.get("later"),
            out=entry.get("out"),
            inside=entry.get("inside"),
            reworded=entry.get("reworded"),
        )
        for key, entry in found.items()
    ]


def proofs() -> Proofs:
    found: Proofs = defaultdict(list)
    for file, test, text in described_tests():
        if match := IDS.match(text):
            for feature in match[1].split(", "):
                found[feature].append((file, test))
    return found


def all_tests() -> Iterator[tuple[str, str]]:
    """Yield file and name of each test."""
    yield from ((file, name) for file, name, _ in described_tests())


def differing() -> set[str]:
    """The ids of features of which a test says that it proves other words than were asked for."""
    matches = [match for _, _, text in described_tests() if (match := IDS.match(text))]
    return {feature for match in matches if match[2] for feature in match[1].split(", ")}


def described_tests() -> Iterator[tuple[str, str, str]]:
    """Yield file and name of each test, and the text that begins with its ids."""
    for path in sorted((ROOT / "tests").rglob("*")):
        file = path.relative_to(ROOT).as_posix()
        if path.suffix == ".py" and path.name.startswith("test_"):
            yield from ((file, name, text) for name, text in _python_tests(path))
        elif path.name.endswith(".test.js"):
            matches = SCRIPT_TEST.finditer(path.read_text(encoding="utf-8"))
            yield from ((file, match[2], match[2]) for match in matches)


def _python_tests(path: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield node.name, ast.get_docstring(node) or ""


def page() -> str:
    """The page as it must be now."""
    known, tests = features(), proofs()
    lines = [
        "# Features",
        "",
        "Each requirement, and the tests that prove it: those that see the bridge from outside, or else",
        "those of its parts. To find all tests of a requirement, search for its id. Written by",
        "`python -m tests.features` from `tests/features.toml` and the docstrings of the tests. Where the",
        "product differs from what was asked for, the row says so; what nobody can see from outside has the",
        "reason.",
        "",
        _counted(known, tests),
    ]
    headings = dict(SECTIONS)
    for feature in known:
        if heading := headings.get(feature.id):
            lines += ["", f"## {heading}", "", "| id | what holds | tests |", "|---|---|---|"]
        lines.append(_row(feature, tests.get(feature.id, [])))
    return "\n".join([*lines, ""])


def _counted(known: list[Feature], tests: Proofs) -> str:
    proven = [feature for feature in known if tests.get(feature.id)]
    parts = sum(all(file.startswith(UNITS) for file, _ in tests[feature.id]) for feature in proven)
    later = sum(1 for feature in known if feature.later)
    out = sum(1 for feature in known if feature.out)
    return (
        f"Of {len(known)}, {len(proven)} are proven by tests ({parts} by tests of parts alone), "
        f"{later} come later and {out} are out of scope."
    )


def _row(feature: Feature, tests: list[tuple[str, str]]) -> str:
    title = f"{feature.title}. {feature.reworded}" if feature.reworded else feature.title
    proof = _proof(feature, tests)
    return f"| {feature.id} | {title} | {f'{proof}: {feature.inside}' if feature.inside else proof} |"


def _proof(feature: Feature, tests: list[tuple[str, str]]) -> str:
    """The files of its tests, or why there are none."""
    files = sorted({file for file, _ in tests})
    if files:
        from_outside = [file for file in files if not file.startswith(UNITS)]
        return ", ".join(f"`{file}`" for file in from_outside or files)
    if feature.out:
        return f"out of scope: {feature.out}"
    return f"later (issue {feature.issue}): {feature.later}" if feature.later else "no test"


if __name__ == "__main__":
    (ROOT / PAGE).write_text(page(), encoding="utf-8")
