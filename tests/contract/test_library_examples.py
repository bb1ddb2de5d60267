"""The examples of `toolserver` and of the page's request builder do what the how-to says."""

import json
import subprocess
import sys

import pytest

from tests.house.source import ROOT, text_of
from tests.support.documents.vectors import NODE

LIBRARY = "examples/documents/library.yaml"
ARGUMENTS = '{"genre": ["novel", "poetry"], "filter": {"author": "Woolf"}, "page": null}'
URL = "https://api.example.com/library/v1/books?genre=novel,poetry&filter%5Bauthor%5D=Woolf"


def test_a_file_becomes_openai_tools_and_one_request() -> None:
    """Finding house-H5: who wanted no losses in another program had to copy the compiler."""
    program = "examples/openai_tools.py"
    assert len(text_of(program).splitlines()) <= 30
    command = [sys.executable, program, LIBRARY, "searchBooks", ARGUMENTS]
    ended = subprocess.run(
        command,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    tools, request = json.JSONDecoder().raw_decode(ended.stdout)
    functions = {tool["function"]["name"]: tool["function"] for tool in tools}
    assert len(functions) == 13
    assert "genre" in functions["searchBooks"]["parameters"]["properties"]
    assert ended.stdout[request:].split("\n") == ["", f"GET {URL}", "accept: application/json", "", ""]


@pytest.mark.skipif(not NODE.exists(), reason="needs Node, which `make test` installs")
def test_the_pages_builder_runs_under_node() -> None:
    """The same request, by the page's half and nothing but files of `static/`."""
    plans = subprocess.run(
        [sys.executable, "-m", "bridge", "plan", LIBRARY],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    command = [NODE, "examples/build_request.mjs", "searchBooks", ARGUMENTS]
    ended = subprocess.run(
        command, cwd=ROOT, input=plans.stdout, capture_output=True, text=True, check=True, timeout=60
    )
    assert ended.stdout.splitlines() == [f"GET {URL}", "accept: application/json"]
