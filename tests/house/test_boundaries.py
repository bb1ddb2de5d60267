"""Who may catch everything, and who may import whom in the page (import-linter judges the Python rooms)."""

import ast
from graphlib import CycleError, TopologicalSorter

from tests.house.source import VENDORED, files, judge, scripts, tree_of

BROAD = frozenset({"Exception", "BaseException"})


def test_only_the_listed_boundaries_catch_every_exception() -> None:
    """Caught too early, a bug looks like an answer; cleaning up and raising again is always allowed."""
    judge(
        "broad_excepts",
        {
            file: f"line {handler.lineno} catches every exception"
            for file in files(".py", under=("bridge/", "toolserver/", "examples/"))
            for handler in ast.walk(tree_of(file))
            if isinstance(handler, ast.ExceptHandler) and is_broad(handler.type) and not raises_again(handler)
        },
    )


def test_only_the_socket_module_imports_socket_io() -> None:
    """One importer keeps the transport replaceable and the rest testable without it."""
    importers = {
        script.file
        for script in scripts()
        if not script.file.startswith("tests/") and any("socket.io" in target for target in script.imports)
    }
    assert importers <= {"static/bridge_socket.js"}


def test_page_modules_import_each_other_without_cycles() -> None:
    """In a cycle the order of evaluation decides what is defined."""
    graph = {script.file: set(script.imports) for script in scripts()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(f"import cycle: {' -> '.join(error.args[1])}") from None


def test_every_import_of_the_page_is_a_file_of_the_page() -> None:
    """There is no build step: a browser resolves what is written, and nothing comes from elsewhere."""
    known = {script.file for script in scripts()}
    stray = {
        f"{script.file} imports {target}"
        for script in scripts()
        if script.file.startswith("static/")
        for target in script.imports
        if target not in known and not target.startswith(VENDORED)
    }
    assert not stray


def is_broad(caught: ast.expr | None) -> bool:
    if isinstance(caught, ast.Tuple):
        return any(is_broad(part) for part in caught.elts)
    return caught is None or (isinstance(caught, ast.Name) and caught.id in BROAD)


def raises_again(handler: ast.ExceptHandler) -> bool:
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None
