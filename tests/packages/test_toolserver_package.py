"""`toolserver` as a package of its own: only what it needs, typed, and enough for its example."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest

from bridge import __version__
from tests.clients.environments import RELEASE
from tests.house.source import ROOT, files, refuse, text_of
from tests.support.documents.vectors import NODE
from tests.support.programs import needs
from tests.support.wheel import build_wheel

FOLDER = "packages/toolserver"
USER = """from toolserver import (
    ArgumentError,
    CompiledOperation,
    Document,
    DocumentError,
    DocumentLimits,
    DocumentTools,
    Request,
    RequestError,
    build_request,
    openai_tool,
    parse_document,
    read_arguments,
)


def call(text: str, name: str, arguments_text: str) -> Request | str:
    try:
        document: Document = parse_document(text, limits=DocumentLimits(max_bytes=1_000_000))
        tools = DocumentTools(document, source_url=None)
        operations = tools.compiled.operations
        found: list[CompiledOperation] = [each for each in operations if each.suggested_name == name]
        schema = tools.schema_of(found[0].key)
        print(openai_tool(found[0], schema)["function"])
        arguments = read_arguments(found[0], schema, arguments_text)
        request = build_request(found[0].plan_json, arguments, base_url="https://api.example")
        print(request.method, request.url, request.headers.items(), request.body)
        return request
    except (ArgumentError, DocumentError, RequestError) as error:
        return error.message
"""


def project(folder: str) -> dict[str, Any]:
    return tomllib.loads(text_of(f"{folder}/pyproject.toml".removeprefix("./")))["project"]


def names_of(requirements: list[str]) -> set[str]:
    return {re.split(r"[<>=\[; ]", each, maxsplit=1)[0] for each in requirements}


def imported() -> set[str]:
    """The distributions whose modules `toolserver` imports."""
    found: set[str] = set()
    for file in files(".py", under=("toolserver/",)):
        for node in ast.walk(ast.parse(text_of(file))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add((node.module or "").partition(".")[0])
    by_module = packages_distributions()
    others = found - sys.stdlib_module_names - {"toolserver"}
    return {name.lower() for module in others for name in by_module[module]}


def test_it_asks_for_what_it_imports_and_for_nothing_else() -> None:
    """Finding house-H5: who compiles documents needs no database, no web server and no socket library."""
    own = project(FOLDER)["dependencies"]
    assert {name.replace("_", "-") for name in imported()} == names_of(own)
    refuse(
        f"{FOLDER}: {each} is not what the bridge asks for"
        for each in {*own} - {*project(".")["dependencies"]}
    )


def test_it_has_the_licence_of_the_repository() -> None:
    """A file that only leads there would be empty for who unpacks the package."""
    assert text_of(f"{FOLDER}/LICENSE") == text_of("LICENSE")


def alone(folder: Path) -> Path:
    """The wheel of `toolserver`."""
    _run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)], ROOT / FOLDER)
    (wheel,) = folder.glob("*.whl")
    assert wheel.name == f"direct_tool_bridge_toolserver-{__version__}-py3-none-any.whl"
    return wheel


def install(wheel: Path, folder: Path) -> Path:
    """Into a virtual environment with nothing but the package and its dependencies; returns its Python.

    By uv, which takes a tenth of pip's time: `test_installed.py` installs by both.
    """
    needs.need_environment(RELEASE)
    uv = str(RELEASE.interpreter.with_name("uv"))
    _run(
        [uv, "venv", "--quiet", "--no-python-downloads", "--python", sys.executable, str(folder / "venv")],
        folder,
    )
    python = folder / "venv" / "bin" / "python"
    _run([uv, "pip", "install", "--quiet", "--python", str(python), str(wheel)], folder)
    return python


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_example_runs_where_only_the_package_is(tmp_path: Path) -> None:
    """Its modules import nothing that the bridge happens to bring."""
    python = str(install(alone(tmp_path), tmp_path))
    command = [python, str(ROOT / "examples/openai_tools.py")]
    command += [str(ROOT / "examples/documents/library.yaml"), "getBook", '{"isbn": "9780000000019"}']
    printed = _run(command, tmp_path)
    request = "GET https://api.example.com/library/v1/books/9780000000019\naccept: application/json\n\n"
    assert printed.endswith(request)
    refused = subprocess.run([python, "-c", "import bridge"], cwd=tmp_path, capture_output=True, check=False)
    assert refused.returncode == 1


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("build", [alone, build_wheel])
def test_a_users_file_is_clean_for_a_strict_type_checker(
    build: Callable[[Path], Path], tmp_path: Path
) -> None:
    """Each public name is typed, whichever of the two packages brings it."""
    needs.find(needs.PAGE_TOOLS)
    python = str(install(build(tmp_path), tmp_path))
    (tmp_path / "user.py").write_text(USER, encoding="utf-8")
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict", "include": ["user.py"]}')
    pyright = str(ROOT / "node_modules/pyright/index.js")
    said = _run([str(NODE), pyright, "--pythonpath", python, "--project", str(tmp_path)], tmp_path)
    assert "0 errors, 0 warnings" in said


def _run(command: list[str], folder: Path) -> str:
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=540)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout
