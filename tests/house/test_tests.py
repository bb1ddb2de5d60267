"""Rules for the tests themselves."""

import ast
from collections.abc import Iterator

from tests.house.source import FunctionNode, files, functions_of, judge, refuse, tree_of

PATCHING = frozenset({"unittest", "mock", "pytest_mock"})


def test_every_test_says_why_it_must_hold() -> None:
    """The name says what holds; only the docstring can say why a failure matters."""
    refuse(f"{file}::{name}" for file, name, node in all_tests() if not ast.get_docstring(node))


def test_unit_tests_patch_nothing() -> None:
    """A patched test is welded to the inside of what it tests; ports and values are enough."""
    patching = [
        f"{file}::{name}"
        for file, name, node in all_tests()
        if file.startswith("tests/unit/")
        and any(argument.arg == "monkeypatch" for argument in node.args.args)
    ]
    patching += [
        f"{file}: line {node.lineno}"
        for file in files(".py", under=("tests/",))
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Import | ast.ImportFrom) and imported_roots(node) & PATCHING
    ]
    refuse(patching)


def test_tests_pass_times_and_bounds_and_patch_none() -> None:
    """Finding house-H17: a patch changes every object of the process, and nothing once the constant moves."""
    why = "make it a parameter with the constant as its default, and pass that"
    judge("patched_constants", dict.fromkeys(patched_constants(), why))


def test_no_test_sleeps_on_the_real_clock() -> None:
    """A fixed sleep is too short on a busy machine and too long on every other; wait for the event."""
    refuse(
        f"{file}: line {node.lineno}"
        for file in files(".py", under=("tests/",))
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "time.sleep"
    )


def test_no_test_module_imports_another() -> None:
    """What two of them use is nobody's test: it stands in tests/support, or beside them without "test_"."""
    refuse(
        f"{file}: line {node.lineno}: {module}"
        for file in files(".py", under=("tests/",))
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for module in imported_modules(node)
        if module.startswith("tests.") and any(part.startswith("test_") for part in module.split("."))
    )


def all_tests() -> Iterator[tuple[str, str, FunctionNode]]:
    for file in files(".py", under=("tests/",)):
        for name, node in functions_of(file):
            if node.name.startswith("test_"):
                yield file, name, node


def patched_constants() -> Iterator[str]:
    """Dotted names of what tests set in modules, where they are written like constants."""
    for file in files(".py", under=("tests/",)):
        modules = {name: module for node in ast.walk(tree_of(file)) for name, module in names_of(node)}
        for node in ast.walk(tree_of(file)):
            if not (isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".setattr")):
                continue
            target = [
                each.value if isinstance(each, ast.Constant) else ast.unparse(each) for each in node.args
            ]
            dotted = ".".join(str(each) for each in target[:-1])
            first, _, rest = dotted.partition(".")
            if dotted.rpartition(".")[2].isupper():
                yield f"{modules.get(first, first)}.{rest}"


def names_of(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The names that a statement imports, with what they stand for."""
    if isinstance(node, ast.ImportFrom):
        yield from ((each.asname or each.name, f"{node.module}.{each.name}") for each in node.names)


def imported_roots(node: ast.Import | ast.ImportFrom) -> set[str]:
    return {module.split(".")[0] for module in imported_modules(node)}


def imported_modules(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """Dotted names; of `from a import b` also `a.b`, which may be one."""
    if isinstance(node, ast.ImportFrom):
        yield node.module or ""
    for alias in node.names:
        yield f"{node.module}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name
