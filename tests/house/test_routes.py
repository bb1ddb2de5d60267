"""Routes stand on their handlers, and nowhere else."""

import ast

from tests.house.source import files, refuse, tree_of

ROWS = frozenset({"Route", "ApiRoute"})
BUILDERS = frozenset({"bridge/http/declared_routes.py", "bridge/app/http_application.py"})
"""The decorators, and the composition, whose own two routes have no class."""


def test_only_decorators_build_rows_of_the_table() -> None:
    """Finding house-H11: a second way to add a route would repeat name and summary of its handler again."""
    refuse(
        f"{file}:{node.lineno}: declare this route with a decorator of bridge/http/declared_routes.py"
        for file in files(".py", under=("bridge/",))
        if file not in BUILDERS
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ROWS
    )
