"""Assembles the plugins: each is one file, for pasting, made of modules of `source`.

    python -m plugins.open_webui.assemble FOLDER

writes both; a bridge offers them in *Connect*. The parts of a file are its modules, those first that others
import, without their imports of each other.
"""

import ast
import sys
from pathlib import Path

HERE = Path(__file__).parent
SOURCE = "plugins.open_webui.source"
PLUGINS = {"pipe": "tool_bridge_pipe.py", "subquery": "tool_bridge_subquery.py"}
"""File of each, by the module of `source` that has its class."""
LINE = 110


def assemble_plugin(main: str) -> str:
    """Return the text of a plugin.

    Raises:
        ValueError: two of its modules define the same name.
    """
    imports: dict[str, set[str]] = {}
    parts: list[str] = []
    modules: dict[str, ast.Module] = {}
    for name in _with_imported(main, []):
        text = (HERE / "source" / f"{name}.py").read_text(encoding="utf-8")
        tree = modules[name] = ast.parse(text)
        parts.append(f"# {'-' * 8} {_summary(tree, name, main)}\n\n{_body(text, tree, imports)}")
    check_names(modules)
    first = ast.get_docstring(
        ast.parse((HERE / "source" / f"{main}.py").read_text(encoding="utf-8")), clean=False
    )
    return "\n".join([f'"""{first}"""', "", *_written(imports), "", "\n\n\n".join(parts), ""])


def check_names(modules: dict[str, ast.Module]) -> None:
    """Refuse modules of which one would silently replace what another defines, once they are one file.

    Raises:
        ValueError: two define the same name; the message names all three.
    """
    owners: dict[str, str] = {}
    for module, tree in modules.items():
        for name in {name for statement in tree.body for name in _defined_by(statement)}:
            if (owner := owners.setdefault(name, module)) != module:
                raise ValueError(f"{module}.py defines {name}, which {owner}.py defines, too.")


def _defined_by(statement: ast.stmt) -> list[str]:
    """The names that a statement at the top of a module defines."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign() | ast.AnnAssign():
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            nodes = (node for target in targets for node in ast.walk(target))
            return [node.id for node in nodes if isinstance(node, ast.Name)]
        case _:
            return []


def _with_imported(name: str, found: list[str]) -> list[str]:
    """A module behind all that it imports."""
    tree = ast.parse((HERE / "source" / f"{name}.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(SOURCE):
            _with_imported((node.module or "").removeprefix(f"{SOURCE}."), found)
    if name not in found:
        found.append(name)
    return found


def _summary(tree: ast.Module, name: str, main: str) -> str:
    told = ast.get_docstring(tree) or ""
    return f"{main}.py" if name == main else f"{name}.py: {told.splitlines()[0]}"


def _body(text: str, tree: ast.Module, imports: dict[str, set[str]]) -> str:
    """A module without its docstring and imports, which are collected."""
    lines = text.splitlines()
    for node in tree.body[1:]:
        match node:
            case ast.Import():
                for alias in node.names:
                    imports.setdefault(alias.name, set())
            case ast.ImportFrom():
                if not (node.module or "").startswith(SOURCE):
                    imports.setdefault(node.module or "", set()).update(alias.name for alias in node.names)
            case _:
                start = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
                return "\n".join(lines[start - 1 :]).strip()
    return ""


def _written(imports: dict[str, set[str]]) -> list[str]:
    """Import statements as ruff sorts them."""
    ours = sorted(
        imports,
        key=lambda name: (name.partition(".")[0] not in sys.stdlib_module_names, bool(imports[name]), name),
    )
    lines: list[str] = []
    for name in ours:
        is_foreign = name.partition(".")[0] not in sys.stdlib_module_names
        if is_foreign and lines and "" not in lines:
            lines.append("")
        lines.append(
            f"from {name} import {', '.join(sorted(imports[name], key=_as_ruff))}"
            if imports[name]
            else f"import {name}"
        )
    return lines


def _as_ruff(name: str) -> tuple[int, str]:
    """Constants, then classes, then the rest."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def write_plugins(folder: Path) -> None:
    """Write the files of all plugins into a folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, file in PLUGINS.items():
        (folder / file).write_text(assemble_plugin(name), encoding="utf-8")


if __name__ == "__main__":
    write_plugins(Path(sys.argv[1]))
