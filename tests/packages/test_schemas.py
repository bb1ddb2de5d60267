"""The ready files of deploy/ against the schemas of those who read them, and systemd's own judgement."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.clients.environments import RELEASE
from tests.house.source import ROOT, files
from tests.support.programs import needs

pytestmark = pytest.mark.slow

COMPOSE = files("compose.yaml", "compose.open-webui.yaml", "compose.page.yaml", under=("deploy/",))
MANIFESTS = files("kubernetes.yaml", under=("deploy/",))
VERSIONS = ("1.31", "1.37")
"""The oldest Kubernetes that this is held to, and the newest whose schemas the lock has."""

MOST_EXPOSED = 2.0
"""systemd's measure of what a service may do: 0 nothing, 10 everything; above 5 it calls it exposed."""


@pytest.mark.parametrize("name", COMPOSE)
def test_a_compose_file_is_what_the_compose_specification_allows(name: str) -> None:
    """Docker refuses a file with an unknown key, on the machine of whoever copied it."""
    assert _said("check-jsonschema", "--builtin-schema", "vendor.compose-spec", name)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", MANIFESTS)
def test_a_manifest_is_what_kubernetes_takes(name: str, version: str) -> None:
    """Strictly: a misspelled field is otherwise dropped without a word."""
    assert "passed" in _said("kubernetes-validate", "--strict", "-k", version, name)


def test_systemd_finds_nothing_wrong_with_the_unit_and_little_that_it_may_do(tmp_path: Path) -> None:
    """A misspelled restriction is ignored, with a line in a journal that nobody reads."""
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("needs systemd-analyze")
    unit = tmp_path / "tool-bridge.service"
    text = (ROOT / "deploy" / "tool-bridge.service").read_text(encoding="utf-8")
    program = "/opt/tool-bridge/bin/tool-bridge"
    assert program in text
    unit.write_text(text.replace(program, "/bin/true"), encoding="utf-8")  # it is not installed here
    verified = subprocess.run([analyze, "verify", unit], capture_output=True, text=True, check=False)
    assert (verified.returncode, verified.stderr) == (0, "")
    judged = subprocess.run(
        [analyze, "security", "--offline=true", "--no-pager", unit],
        capture_output=True,
        text=True,
        check=True,
    )
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", judged.stdout)
    assert found is not None
    assert float(found[1]) <= MOST_EXPOSED


def _said(tool: str, *words: str) -> str:
    """What a tool of the lock says, which must find nothing; `make test-all` installs it."""
    needs.need_environment(RELEASE)
    command = [str(RELEASE.interpreter.with_name(tool)), *words]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr
