"""What the house rules look at: the repository's files, their syntax trees and the list of exceptions."""

import ast
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import cast

import pytest

ROOT = Path(__file__).parents[2]
VENDORED = "static/vendor/"
SEES_SYNTAX = "--expose-internals"
"""Lets a script use the parser inside Node."""
MADE_BY_TOOLS = frozenset(
    [".git", ".venv", "node_modules", "__pycache__", ".pytest_cache", ".ruff_cache", ".hypothesis"]
)


@dataclass(frozen=True, slots=True)
class Span:
    """One function: where it is and how large its body is, in lines, docstring left out."""

    file: str
    name: str
    line: int
    lines: int

    @property
    def key(self) -> str:
        return f"{self.file}::{self.name}"


@dataclass(frozen=True, slots=True)
class Script:
    """One JavaScript module: its functions, and the modules it imports (repository paths, or bare names)."""

    file: str
    functions: tuple[Span, ...]
    imports: tuple[str, ...]
    classes: tuple[str, ...]
    """Classes that it exports."""
    public_names: tuple[str, ...]
    """Functions that it exports, and the methods of its exported classes."""


@cache
def repository_files() -> tuple[str, ...]:
    """Files that are in the repository or would be added to it, as sorted `/` paths."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listing = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
        names = listing.stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):  # an unpacked archive without git
        names = [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*")]
    return tuple(sorted(name for name in names if is_ours(name)))


def is_ours(name: str) -> bool:
    return bool(name) and not MADE_BY_TOOLS & set(name.split("/")) and (ROOT / name).is_file()


def files(*suffixes: str, under: tuple[str, ...] = ("",)) -> list[str]:
    """Repository files of these endings in these folders, without vendored ones."""
    return [
        name
        for name in repository_files()
        if name.endswith(suffixes) and name.startswith(under) and not name.startswith(VENDORED)
    ]


@cache
def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@cache
def tree_of(name: str) -> ast.Module:
    return ast.parse(text_of(name), filename=name)


FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


def functions_of(name: str) -> Iterator[tuple[str, FunctionNode]]:
    """Every function of a Python file with its dotted name inside the file."""
    return _functions(tree_of(name), "")


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, FunctionNode]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, FunctionNode | ast.ClassDef):
            name = f"{prefix}{child.name}"
            if isinstance(child, FunctionNode):
                yield name, child
            yield from _functions(child, f"{name}.")
        else:
            yield from _functions(child, prefix)


def span_of(file: str, name: str, node: FunctionNode) -> Span:
    body = node.body[1:] if ast.get_docstring(node) is not None and len(node.body) > 1 else node.body
    last = body[-1].end_lineno or node.lineno
    return Span(file, name, node.lineno, last - body[0].lineno + 1)


@cache
def scripts() -> tuple[Script, ...]:
    """The page's modules and their tests, as the parser inside Node sees them."""
    names = files(".js", ".mjs", ".cjs")
    if not names:
        return ()
    shape = cast("list[dict[str, object]]", run_node(SEES_SYNTAX, "tests/house/script_shape.cjs", *names))
    return tuple(_script(entry) for entry in shape)


def run_node(*arguments: str) -> object:
    """What a script for Node prints as JSON."""
    node = Path(sys.executable).with_name("node")
    shown = subprocess.run([str(node), *arguments], cwd=ROOT, capture_output=True, check=True, text=True)
    return json.loads(shown.stdout)


def _script(entry: dict[str, object]) -> Script:
    file = cast("str", entry["file"])
    spans = cast("list[tuple[str, int, int]]", entry["functions"])
    imports = cast("list[str]", entry["imports"])
    return Script(
        file,
        tuple(Span(file, name, line, lines) for name, line, lines in spans),
        tuple(_imported(file, specifier) for specifier in imports),
        tuple(cast("list[str]", entry["classes"])),
        tuple(cast("list[str]", entry["public_names"])),
    )


def _imported(file: str, specifier: str) -> str:
    if specifier.startswith("."):
        return os.path.normpath(f"{Path(file).parent.as_posix()}/{specifier}").replace(os.sep, "/")
    return f"static/{specifier.removeprefix('/static/')}" if specifier.startswith("/static/") else specifier


def reachable(start: str, graph: dict[str, set[str]]) -> set[str]:
    """Everything that a module imports, however many imports lie between; itself included."""
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting.extend(graph.get(name, ()))
    return seen


@cache
def exceptions(rule: str) -> frozenset[str]:
    """What is excused from a rule; see the head of exceptions.toml."""
    return frozenset(tomllib.loads(text_of("tests/house/exceptions.toml"))[rule])


def judge(rule: str, found: dict[str, str]) -> None:
    """Fail for each finding that is not excused and for each excuse that is not needed any more."""
    excused = exceptions(rule)
    problems = [f"{key}: {why}" for key, why in sorted(found.items()) if key not in excused]
    problems += [f"{key}: excused in {rule} without need; delete it there" for key in excused - found.keys()]
    refuse(problems)


def refuse(problems: Iterable[str]) -> None:
    """Fail with one line for each problem, whole, as it is to be acted upon."""
    lines = list(problems)
    if lines:
        pytest.fail("\n".join(lines), pytrace=False)
