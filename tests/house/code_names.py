"""The names that the code has: what documentation calls a class, a function or a file is one of them."""

import ast
import re
from collections.abc import Iterator
from functools import cache

from tests.house.source import ROOT, files, text_of, tree_of

OURS = ("bridge/", "toolserver/")
SCRIPT_NAME = re.compile(
    r"^(?:export )?(?:async )?(?P<kind>class|function|const) (?P<name>\w+)"
    r"|^  (?:static )?(?:async )?(?:get )?\*?(?P<method>\w+)\(.*\{$",
    re.MULTILINE,
)


def is_in_code(name: str) -> bool:
    """A path, a class, function or constant of a module, or a member of a class as `Class.member`."""
    return (ROOT / name).exists() if "/" in name else name in (python_names() | script_names())


@cache
def python_names() -> frozenset[str]:
    names: set[str] = set()
    for file in files(".py", under=OURS):
        for node in tree_of(file).body:
            names.update(_defined(node))
            if isinstance(node, ast.ClassDef):
                names.update(f"{node.name}.{member}" for each in node.body for member in _defined(each))
    return frozenset(names)


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else []
    targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
    return [target.id for target in targets if isinstance(target, ast.Name)]


@cache
def script_names() -> frozenset[str]:
    return frozenset(name for file in files(".js", under=("static/",)) for name in _names_of(text_of(file)))


def _names_of(script: str) -> Iterator[str]:
    owner = ""
    for found in SCRIPT_NAME.finditer(script):
        if found["method"]:
            yield f"{owner}.{found['method']}"
            continue
        owner = found["name"] if found["kind"] == "class" else ""
        yield found["name"]
