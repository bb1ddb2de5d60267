"""Commands of an installation without extras: what wants a driver says so, and everything else works."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

START_S = 60
DRIVERS = "psycopg,redis,opentelemetry"
POSTGRESQL, REDIS = "postgresql://ann@127.0.0.1:1/tools", "redis://127.0.0.1:1"


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "tests.support.programs.without_packages", DRIVERS, *words]


def run(*words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    given = {**os.environ, **environ}
    return subprocess.run(
        command(*words), env=given, capture_output=True, text=True, timeout=START_S, check=False
    )


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["serve", "--database", POSTGRESQL], 2, "TOOL_BRIDGE_DATABASE_URL needs the extra `postgresql`"),
        (["users", "--database", POSTGRESQL], 1, "PostgreSQL needs the extra `postgresql`"),
        (["replicas", "--redis", REDIS], 1, "TOOL_BRIDGE_REDIS needs the extra `replicas`"),
    ],
)
def test_a_command_that_wants_a_missing_driver_says_how_to_install_it(
    words: list[str], status: int, said: str, tmp_path: Path
) -> None:
    """Finding house-H4: in one line, as every other refusal."""
    place = [] if words[0] == "replicas" else ["--data", str(tmp_path)]
    ended = run(*words, *place)
    assert (ended.returncode, ended.stderr.count("\n")) == (status, 1), ended.stderr
    assert f"tool-bridge: {said}: pip install 'direct-tool-bridge[" in ended.stderr


def test_the_doctor_says_what_a_start_would_lack(tmp_path: Path) -> None:
    """Finding house-H4: it asks no server that a bridge here could not ask."""
    environ = {"TOOL_BRIDGE_DATABASE_URL": POSTGRESQL, "TOOL_BRIDGE_REDIS": REDIS}
    ended = run("doctor", "--data", str(tmp_path), "--json", **environ)
    checks = {check["name"]: check for check in json.loads(ended.stdout)["checks"]}
    for name in ("database", "redis"):
        assert checks[name]["message"] == "Not checked, because its driver is not installed."
    assert not checks["settings"]["ok"]


@pytest.mark.slow
@pytest.mark.asyncio
async def test_the_demo_runs_without_any_extra(tmp_path: Path) -> None:
    """Finding house-H4: most bridges need none of these drivers, and an import of one would end the start."""
    words = ("demo", "--data", str(tmp_path), "--port", "0", "--approve", "all", "--json")
    process = await asyncio.create_subprocess_exec(*command(*words), stdout=asyncio.subprocess.PIPE)
    try:
        assert process.stdout is not None
        async with asyncio.timeout(START_S):
            assert json.loads(await process.stdout.readline())["models"] == ["demo"]
    finally:
        process.terminate()
        await process.wait()
    assert process.returncode == 0
