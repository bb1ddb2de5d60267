"""The package as somebody installs it: by pip, pipx or uv, into an empty place, from a wheel or an sdist.

Dependencies come from the index that this machine is configured with.
"""

import asyncio
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from playwright.async_api import expect

from bridge.bundled import INSTALLED
from tests.clients.environments import RELEASE
from tests.house.source import ROOT
from tests.support.chromium import Caller, expect_connection, running_chromium
from tests.support.programs import needs
from tests.support.wheel import build_both, build_wheel, copy_checkout

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

INSTALL_S, START_S = 540, 60
MOST_BYTES = 150_000_000
"""That an installation without extras takes, dependencies included."""

Installed = list[str]
"""What starts the program that was installed."""


@dataclass(frozen=True)
class WheelInVenv:
    """The wheel in a virtual environment that had nothing but pip."""

    program: Installed
    pip: list[str]
    site: Path
    added_bytes: int


@pytest.fixture(scope="module")
def by_pip(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> WheelInVenv:
    """Installed once: pip takes half a minute of a core for it."""
    venv = tmp_path_factory.mktemp("pip") / "venv"
    _run([sys.executable, "-m", "venv", str(venv)])
    pip = [str(venv / "bin" / "python"), "-m", "pip"]
    (site,) = (venv / "lib").glob("python*/site-packages")
    before = _bytes_of(site)
    _run([*pip, "install", "--quiet", str(wheel)])
    return WheelInVenv([str(venv / "bin" / "tool-bridge")], pip, site, _bytes_of(site) - before)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    return build_wheel(tmp_path_factory.mktemp("wheel"))


def build_by_pip(source: Path, into: Path, pip: list[str]) -> Path:
    """The wheel that pip makes of a source before it installs that, with what this needs and nothing else."""
    _run([*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", str(into), str(source)])
    (built,) = into.glob("*.whl")
    return built


def by_pipx(package: Path, to: Path) -> Installed:
    """As an application of its own."""
    places = {"PIPX_HOME": to / "pipx", "PIPX_BIN_DIR": to / "bin", "PIPX_MAN_DIR": to / "man"}
    command = [_tool("pipx"), "install", "--quiet", "--python", sys.executable, str(package)]
    _run(command, {name: str(place) for name, place in places.items()})
    return [str(to / "bin" / "tool-bridge")]


def by_uv(package: Path, to: Path) -> Installed:
    """As a tool of its own."""
    places = {"UV_TOOL_DIR": to / "tools", "UV_TOOL_BIN_DIR": to / "bin"}
    command = [_tool("uv"), "tool", "install", "--quiet", "--python", sys.executable, str(package)]
    _run(command, {**{name: str(place) for name, place in places.items()}, "UV_PYTHON_DOWNLOADS": "never"})
    return [str(to / "bin" / "tool-bridge")]


@pytest.mark.browser
@pytest.mark.asyncio
@pytest.mark.parametrize("install", [None, by_pipx, by_uv], ids=["by_pip", "by_pipx", "by_uv"])
async def test_the_demo_of_an_installed_wheel_answers_through_a_browser(
    install: Callable[[Path, Path], Installed] | None, wheel: Path, by_pip: WheelInVenv, tmp_path: Path
) -> None:
    """Whoever has only the package has the page, the samples, the migrations and every dependency."""
    program = by_pip.program if install is None else install(wheel, tmp_path / "place")
    async with demo_of(program, tmp_path) as printed, running_chromium() as chromium:
        page = await chromium.new_page()
        await page.goto(printed["page_url"])
        await expect_connection(page, "connected")
        async with aiohttp.ClientSession() as http:
            reply = await Caller(printed["base_url"], printed["key"], http).call(
                "getProduct", {"product_id": 1}
            )
            async with http.get(printed["base_url"] + "/companion.zip") as companion:
                packed = await companion.read()
            async with http.get(printed["base_url"] + "/plugins/tool_bridge_pipe.py") as plugin:
                pasted = await plugin.text()
        assert (reply.status, reply.json()["name"]) == (200, "Black tea")
        assert packed.startswith(b"PK")
        assert "class Pipe:" in pasted
        await expect(page.get_by_role("main")).not_to_contain_text("could not be loaded")


@pytest.mark.asyncio
async def test_an_installed_sdist_runs_and_is_a_module_too(by_pip: WheelInVenv, tmp_path: Path) -> None:
    """`python -m bridge` is the same program, and a machine without Node builds a wheel with the page."""
    (sdist,) = build_both(tmp_path / "dist").glob("*.tar.gz")
    program = by_uv(build_by_pip(sdist, tmp_path / "built", by_pip.pip), tmp_path / "place")
    module = [_python_of(program), "-m", "bridge"]
    for words in (["--version"], ["--help"], ["check", "--help"]):
        assert _printed([*program, *words], tmp_path) == _printed([*module, *words], tmp_path)
    async with demo_of(module, tmp_path) as printed, aiohttp.ClientSession() as http:
        async with http.get(printed["base_url"]) as page:
            assert (page.status, "modulepreload" in await page.text()) == (200, True)
        told = await asyncio.to_thread(_printed, [*program, "tools", "--data", "data", "--json"], tmp_path)
    assert "getProduct" in {tool["name"] for tool in json.loads(told)["tools"]}


@pytest.mark.asyncio
async def test_the_example_is_installed_beside_the_wheel(by_pip: WheelInVenv, tmp_path: Path) -> None:
    """Finding house-H6: by pip, with nothing of this repository in reach."""
    _run([*by_pip.pip, "install", "--quiet", str(ROOT / "examples" / "part")])
    async with demo_of(by_pip.program, tmp_path) as printed, aiohttp.ClientSession() as http:
        headers = {"Authorization": f"Bearer {printed['key']}"}
        async with http.get(printed["base_url"] + "/tool-counts", headers=headers) as counts:
            assert (counts.status, await counts.json()) == (200, {})
    _run([*by_pip.pip, "uninstall", "--quiet", "--yes", "tool-counts"])


def test_an_installation_without_extras_is_small_and_says_which_one_it_lacks(
    by_pip: WheelInVenv, tmp_path: Path
) -> None:
    """Finding house-H4: beside what an empty environment has."""
    assert by_pip.added_bytes < MOST_BYTES
    lacking = ("psycopg", "redis", "opentelemetry", "static")
    assert not [name for name in lacking if (by_pip.site / name).exists()]
    words = ("serve", "--data", str(tmp_path / "data"), "--database", "postgresql://ann@127.0.0.1:1/tools")
    ended = subprocess.run(
        [*by_pip.program, *words],
        env=_bare(tmp_path),
        capture_output=True,
        text=True,
        check=False,
        timeout=START_S,
    )
    assert (ended.returncode, ended.stderr) == (
        2,
        "tool-bridge: TOOL_BRIDGE_DATABASE_URL needs the extra `postgresql`: "
        "pip install 'direct-tool-bridge[postgresql]'\n",
    )


def test_pip_builds_the_page_of_a_clone_that_has_no_node(by_pip: WheelInVenv, tmp_path: Path) -> None:
    """Finding house-H4: it was installed as sources, which take a second longer over a slow line."""
    built = build_by_pip(copy_checkout(tmp_path / "clone"), tmp_path / "built", by_pip.pip)
    names = zipfile.ZipFile(built).namelist()
    assert f"bridge/{INSTALLED}/built_page/manifest.json" in names
    assert not [name for name in names if name.startswith(f"bridge/{INSTALLED}/static/")]


def test_both_packages_pass_the_check_of_an_index(tmp_path: Path) -> None:
    """An index refuses what it cannot read, after the version was announced."""
    found = [str(path) for path in build_both(tmp_path).iterdir()]
    _run([_tool("twine"), "check", "--strict", *found])


@asynccontextmanager
async def demo_of(program: Installed, folder: Path) -> AsyncGenerator[dict[str, Any]]:
    """What an installed demo prints once it is ready. It runs where no repository is, and is told of none."""
    words = ("demo", "--data", "data", "--port", "0", "--approve", "all", "--json")
    process = await asyncio.create_subprocess_exec(
        *program, *words, stdout=asyncio.subprocess.PIPE, cwd=folder, env=_bare(folder)
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(START_S):
            yield json.loads(await process.stdout.readline())
    finally:
        process.terminate()
        await process.wait()
    assert process.returncode == 0


def _bytes_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _python_of(program: Installed) -> str:
    """The interpreter beside a program, which may be reached by a link."""
    return str(Path(program[0]).resolve().with_name("python"))


def _bare(home: Path) -> dict[str, str]:
    """The environment of a user who has set nothing up."""
    return {"PATH": os.defpath, "HOME": str(home)}


def _printed(command: list[str], folder: Path) -> str:
    ended = subprocess.run(
        command, cwd=folder, env=_bare(folder), capture_output=True, text=True, check=True, timeout=START_S
    )
    return ended.stdout


def _tool(name: str) -> str:
    """A tool of the lock; `make test-all` installs it."""
    needs.need_environment(RELEASE)
    return str(RELEASE.interpreter.with_name(name))


def _run(command: list[str], environ: Mapping[str, str] | None = None) -> None:
    """Run what must end well; what it says is in the report of a test that fails."""
    given = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | dict(environ or {})
    ended = subprocess.run(
        command, env=given, check=False, timeout=INSTALL_S, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert ended.returncode == 0, ended.stdout.decode(errors="replace")
