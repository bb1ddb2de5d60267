"""Protocols stand at the borders between packages; inside one, a name leads to the class itself."""

import ast
from collections.abc import Iterator
from functools import cache

from tests.house.source import files, judge, tree_of


def classes() -> Iterator[tuple[str, ast.ClassDef]]:
    for file in files(".py", under=("bridge/",)):
        for node in ast.walk(tree_of(file)):
            if isinstance(node, ast.ClassDef):
                yield file, node


def bases_of(node: ast.ClassDef) -> list[str]:
    return [ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in node.bases]


def is_protocol(node: ast.ClassDef) -> bool:
    return "Protocol" in bases_of(node)


def own_members(node: ast.ClassDef) -> Iterator[str]:
    """What a class has: methods, fields, and what its constructor sets."""
    for child in node.body:
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) and child.name != "__init__":
            yield child.name
        elif isinstance(child, ast.AnnAssign | ast.Assign):
            targets = child.targets if isinstance(child, ast.Assign) else [child.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))
        elif isinstance(child, ast.FunctionDef):
            for inner in ast.walk(child):
                if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
                    yield inner.attr


@cache
def members_by_class() -> dict[str, frozenset[str]]:
    """Members of each class, those of its bases included."""
    nodes = {node.name: node for _, node in classes()}

    def members_of(name: str) -> frozenset[str]:
        if (node := nodes.get(name)) is None:
            return frozenset()
        return frozenset(own_members(node)).union(*map(members_of, bases_of(node)))

    return {name: members_of(name) for name in nodes}


def room_of(file: str) -> str:
    return file.split("/")[1]


def test_no_protocol_describes_the_one_class_of_its_own_package() -> None:
    """Finding house-H12: who looks for what happens finds an interface, and has to search for the class."""
    members, found = members_by_class(), dict[str, str]()
    concrete = [(file, node.name) for file, node in classes() if not is_protocol(node)]
    for file, node in classes():
        wanted = members[node.name]
        if is_protocol(node) and wanted - {"__call__"}:
            made = [(where, name) for where, name in concrete if wanted <= members[name]]
            if [room_of(where) for where, _ in made] == [room_of(file)]:
                found[f"{file}::{node.name}"] = f"use {made[0][1]} itself ({made[0][0]})"
    judge("lone_protocols", found)
