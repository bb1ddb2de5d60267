"""No two classes on one walk of the architecture page share the name of a method.

Whoever follows a call by searching for `run` or `take` finds a dozen of each. On a walk, a name leads to one
class; only classes that implement the same port share its methods.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import combinations

import pytest

from tests.house.source import files, refuse, text_of, tree_of

PAGE = "docs/explanation/architecture.md"
SECTION = re.compile(r"^## (Walk .*?)$(.*?)(?=^## )", re.MULTILINE | re.DOTALL)
CLASS_NAME = re.compile(r"`([A-Z]\w*)(?:\.\w+)?`")

LEFT_OUT = frozenset({"property", "route", "api_route"})
"""Decorators of what no code calls by its name."""

WALKS = (
    "Walk 1: a tool call",
    "Walk 2: a document becomes tools",
    "Walk 3: a model request",
    "Walk 4: a conversation message",
)


@pytest.mark.parametrize("walk", WALKS)
def test_a_name_on_a_walk_leads_to_one_class(walk: str) -> None:
    """A search for a method's name must not end at a hall of doors."""
    methods = {name: _methods()[name] for name in _classes_of(walk)}
    assert len(methods) > 5, f"{walk} names hardly any class"
    refuse(
        f"{walk}: {first} and {second} both have `{name}`"
        for first, second in combinations(sorted(methods), 2)
        for name in sorted(methods[first] & methods[second])
        if not _is_of_one_port(name, methods[first], methods[second])
    )


def _classes_of(walk: str) -> Iterator[str]:
    text = dict(SECTION.findall(text_of(PAGE)))[walk]
    yield from (name for name in dict.fromkeys(CLASS_NAME.findall(text)) if name in _methods())


def _is_of_one_port(name: str, first: frozenset[str], second: frozenset[str]) -> bool:
    return any(name in port and port <= first and port <= second for port in _ports())


@cache
def _methods() -> dict[str, frozenset[str]]:
    """Public methods of each class of the bridge, without properties and handlers of routes.

    The table of routes leads to a handler; no code calls it by its name.
    """
    return {node.name: frozenset(_public(node)) for node in _class_nodes()}


@cache
def _ports() -> tuple[frozenset[str], ...]:
    """Methods of each Protocol."""
    return tuple(
        frozenset(_public(node))
        for node in _class_nodes()
        if any(isinstance(base, ast.Name) and base.id == "Protocol" for base in node.bases)
    )


@cache
def _class_nodes() -> tuple[ast.ClassDef, ...]:
    return tuple(
        node
        for file in files(".py", under=("bridge/", "toolserver/"))
        for node in tree_of(file).body
        if isinstance(node, ast.ClassDef)
    )


def _public(node: ast.ClassDef) -> Iterator[str]:
    functions = (each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))
    yield from (each.name for each in functions if not (each.name.startswith("_") or _is_left_out(each)))


def _is_left_out(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    marks = (mark.func if isinstance(mark, ast.Call) else mark for mark in function.decorator_list)
    return any(isinstance(mark, ast.Name) and mark.id in LEFT_OUT for mark in marks)
