"""`toolserver` as a package of its own: only what it needs, typed, and enough for its example."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest

from bridge import __version__
from tests.house.source import ROOT, files, refuse, text_of
from tests.support.documents.vectors import NODE
from tests.support.programs import needs

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


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment that has nothing but the package and its dependencies."""
    folder = tmp_path_factory.mktemp("toolserver")
    _run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)], ROOT / FOLDER)
    (wheel,) = folder.glob("*.whl")
    assert wheel.name == f"direct_tool_bridge_toolserver-{__version__}-py3-none-any.whl"
    _run([sys.executable, "-m", "venv", str(folder / "venv")], folder)
    _run([_python(folder), "-m", "pip", "install", "--quiet", str(wheel)], folder)
    return folder


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_example_runs_where_only_the_package_is(place: Path) -> None:
    """Its modules import nothing that the bridge happens to bring."""
    command = [_python(place), str(ROOT / "examples/openai_tools.py")]
    command += [str(ROOT / "examples/documents/library.yaml"), "getBook", '{"isbn": "9780000000019"}']
    printed = _run(command, place)
    assert printed.endswith(
        "GET https://api.example.com/library/v1/books/9780000000019\naccept: application/json\n\n"
    )
    refused = subprocess.run(
        [_python(place), "-c", "import bridge"], cwd=place, capture_output=True, check=False
    )
    assert refused.returncode == 1


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_users_file_is_clean_for_a_strict_type_checker(place: Path) -> None:
    """Each public name is typed, and none of what its types need comes from elsewhere."""
    needs.find(needs.PAGE_TOOLS)
    (place / "user.py").write_text(USER, encoding="utf-8")
    (place / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict", "include": ["user.py"]}')
    pyright = str(ROOT / "node_modules/pyright/index.js")
    said = _run([str(NODE), pyright, "--pythonpath", _python(place), "--project", str(place)], place)
    assert "0 errors, 0 warnings" in said


def _python(folder: Path) -> str:
    return str(folder / "venv" / "bin" / "python")


def _run(command: list[str], folder: Path) -> str:
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout
