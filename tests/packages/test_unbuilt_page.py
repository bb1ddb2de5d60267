"""A wheel of a clone in which the page cannot be built: it says what it lacks, and no release is one."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import aiohttp
import pytest

from bridge.bundled import BUILD_PAGE, INSTALLED, UNBUILT_PAGE
from tests.support.tcp_servers import free_port
from tests.support.wheel import build_wheel, copy_checkout, unpack_wheel

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

START_S = 60


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One without `node_modules`."""
    return copy_checkout(tmp_path_factory.mktemp("clone"))


@pytest.fixture(scope="module")
def offline(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """The environment of a machine that reaches no index of npm."""
    cache = tmp_path_factory.mktemp("npm")
    nothing = f"http://127.0.0.1:{free_port()}/"
    given = {"npm_config_registry": nothing, "npm_config_cache": str(cache), "npm_config_fetch_retries": "0"}
    return {**os.environ, **given}


@pytest.fixture(scope="module")
def unbuilt(clone: Path, offline: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What such a machine installs."""
    folder = tmp_path_factory.mktemp("unbuilt")
    return unpack_wheel(folder, build_wheel(folder, clone, offline))


def test_a_release_without_a_built_page_is_not_built(
    clone: Path, offline: Mapping[str, str], tmp_path: Path
) -> None:
    """Finding house-H4: a release that loads slowly would be noticed by its users, and cannot be replaced."""
    with pytest.raises(subprocess.CalledProcessError):
        build_wheel(tmp_path, clone, {**offline, "PAGE_REQUIRED": "1"})
    assert list(tmp_path.glob("*.whl")) == []


def test_another_wheel_has_the_sources_and_the_doctor_says_so(unbuilt: Path, tmp_path: Path) -> None:
    """Finding house-H4: `pip install .` works without Node and npm, and says what that costs."""
    bundled = unbuilt / "bridge" / INSTALLED
    assert (bundled / "static" / "executor" / "tool_runner.js").is_file()
    assert not (bundled / "built_page").exists()
    told = subprocess.run(
        _command("doctor", "--data", str(tmp_path / "data"), "--json"),
        env=_environ(unbuilt),
        cwd=tmp_path,
        capture_output=True,
        timeout=START_S,
        check=False,
    )
    (page,) = [check for check in json.loads(told.stdout)["checks"] if check["name"] == "built_page"]
    assert (page["ok"], page["warning"]) == (True, True)
    assert (page["message"], page["advice"]) == (UNBUILT_PAGE, BUILD_PAGE)


@pytest.mark.asyncio
async def test_a_bridge_that_serves_sources_says_so_when_it_starts(unbuilt: Path, tmp_path: Path) -> None:
    """Finding house-H4: its page works, with samples, extension and plugins."""
    process = await asyncio.create_subprocess_exec(
        *_command("demo", "--data", "data", "--port", "0", "--approve", "all", "--json"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=tmp_path,
        env=_environ(unbuilt),
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(START_S):
            started = json.loads(await process.stdout.readline())
            paths = ("/", "/companion.zip", "/plugins/tool_bridge_pipe.py")
            assert [await _status(started["base_url"] + path) for path in paths] == [200, 200, 200]
    finally:
        process.terminate()
        _, log = await process.communicate()
    assert UNBUILT_PAGE in log.decode()


async def _status(url: str) -> int:
    async with aiohttp.ClientSession() as http, http.get(url) as answer:
        return answer.status


def _command(*words: str) -> list[str]:
    return [sys.executable, "-m", "bridge", *words]


def _environ(packages: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(packages)}
