"""Runs of pytest over a few small tests: it names what they lacked, and in CI a skip fails."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.source import ROOT, files, text_of
from tests.promises import read_allowed

OWN = "tests/unit/support/test_promises.py"
SKIPS = """
import pytest

def test_promised():
    pytest.skip("needs Chromium; make test installs it or says how")

def test_allowed():
    pytest.skip("needs nginx: install it, or name it in NGINX")

@pytest.mark.skipif(True, reason="needs Node, which `make test` installs")
def test_marked():
    pass

@pytest.fixture
def server():
    pytest.skip("needs Redis; make test installs it or says how")

def test_by_its_fixture(server):
    pass

@pytest.mark.xfail
def test_expected_to_fail():
    assert False

def test_that_runs():
    pass
"""
ONLY_OWN = """
import pytest
from tests.real_documents.documents import HERE
from tests.real_documents.corpus import Corpus, missed_key

@pytest.fixture(scope="session")
def corpus(pytestconfig):
    return Corpus([HERE / "generated"], pytestconfig.stash[missed_key])
"""
NO_MODULE = "import pytest\npytest.skip('needs a thing', allow_module_level=True)\n"
DOCUMENTS = """
def test_few(corpus):
    assert [*corpus.find("mcpo-time.json", "figma.yaml")] != []

def test_none(corpus):
    corpus.find("petstore-v3.yaml", "open-webui-app.json")

def test_whole(corpus):
    corpus.find("mcpo-time.json", "gitea.json", whole=True)
"""
ONLY_OPEN_WEBUI = """
def test_what_is_nowhere(corpus):
    assert len(corpus.find("mcpo-time.json", "open-webui-app.json")) == 1
"""


def run_pytest(folder: Path, text: str, *options: str, ci: str = "") -> subprocess.CompletedProcess[str]:
    """Run the tests of a module with the rules of this repository; `ci`: what the variable says."""
    (folder / "test_sample.py").write_text(text, encoding="utf-8")
    (folder / "conftest.py").write_text(ONLY_OWN, encoding="utf-8")
    plugins = ("xdist", "no:cacheprovider", "tests.promises", "tests.real_documents.corpus")
    environ = {
        **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
        "PYTHONPATH": str(ROOT),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "CI": ci,
    }
    command = [sys.executable, "-m", "pytest", "-rA", *(f"-p{each}" for each in plugins), *options]
    return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)


def endings_of(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """How each test ended, by its name; skipped ones have only a place."""
    lines = done.stdout.partition("short test summary info")[2].splitlines()
    words = [line.split() for line in lines]
    return {each[1].rpartition("::")[2]: each[0] for each in words if len(each) > 1 and "::" in each[1]}


def test_in_ci_a_skip_is_a_failure_that_says_what_is_missing(tmp_path: Path) -> None:
    """Finding house-H3: a green run that has skipped the proof is taken for a proof."""
    done = run_pytest(tmp_path, SKIPS, ci="true")
    assert done.returncode == 1
    assert endings_of(done) == {
        "test_that_runs": "PASSED",
        "test_expected_to_fail": "XFAIL",
        "test_promised": "FAILED",
        "test_marked": "ERROR",
        "test_by_its_fixture": "ERROR",
    }
    told = "Skipped in CI, which tests/allowed_skips.toml does not allow: "
    assert f"{told}needs Chromium; make test installs it or says how" in done.stdout
    assert f"{told}needs Node, which `make test` installs" in done.stdout
    assert "1 skipped" in done.stdout


def test_elsewhere_a_skip_is_a_skip(tmp_path: Path) -> None:
    """A contributor without Redis can still work on the page."""
    done = run_pytest(tmp_path, SKIPS)
    assert done.returncode == 0
    assert "4 skipped" in done.stdout


@pytest.mark.parametrize(("ci", "status"), [("true", 2), ("", 5)])
def test_a_module_that_skips_itself_is_seen_too(tmp_path: Path, ci: str, status: int) -> None:
    """It has no test that could fail: collecting it does."""
    done = run_pytest(tmp_path, NO_MODULE, ci=ci)
    assert done.returncode == status
    assert ("does not allow: needs a thing" in done.stdout) == bool(ci)


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["alone", "workers"])
def test_the_last_line_names_the_real_documents_that_were_not_run(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    """Finding house-H3: a contributor's run was green without ever having compiled a real document."""
    done = run_pytest(tmp_path, DOCUMENTS, *options)
    assert done.returncode == 0, done.stdout
    *_, told, counted = done.stdout.splitlines()
    assert told == (
        "4 real documents not run: `make documents` brings 3 (petstore-v3.yaml, gitea.json, figma.yaml); "
        "no one publishes 1 (open-webui-app.json)"
    )
    assert "1 passed, 2 skipped" in counted


def test_in_ci_every_document_that_can_be_had_is_run(tmp_path: Path) -> None:
    """Finding house-H3: one that is missing fails, but for those that no one publishes."""
    done = run_pytest(tmp_path, DOCUMENTS + ONLY_OPEN_WEBUI, ci="true")
    assert endings_of(done) == {
        "test_few": "FAILED",
        "test_none": "FAILED",
        "test_whole": "FAILED",
        "test_what_is_nowhere": "PASSED",
    }
    assert "needs real documents: `make documents` brings 1 (figma.yaml)" in done.stdout


def test_every_skip_that_is_allowed_in_ci_is_one_that_tests_make() -> None:
    """An entry whose test is gone would allow the next skip in similar words."""
    tests = "".join(text_of(file) for file in files(".py", under=("tests/",)) if file != OWN)
    reasons = [words for allowed in read_allowed() for words in allowed["reasons"]]
    assert [words for words in reasons if words not in tests] == []
    assert len(set(reasons)) == len(reasons)
