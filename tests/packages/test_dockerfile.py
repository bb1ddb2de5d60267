"""The image, without Docker: its steps in an empty folder, its command without rights."""

import asyncio
import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import aiohttp
import pytest

from bridge.bundled import INSTALLED
from tests.house.source import ROOT
from tests.packages.dockerfile import Stage, build, read_steps, run_environ
from tests.support.tcp_servers import free_port
from tests.support.traces.span_collector import span_collector
from tests.support.waiting import eventually

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

DOCKERFILE = ROOT / "deploy" / "Dockerfile"
NOBODY = 10001
HOST = "bridge.example"


@pytest.fixture(scope="module")
def image() -> Generator[Stage]:
    """The last stage, built in a folder that everybody may read and nobody but its owner may change.

    Not in pytest's own folder, which it closes to other users.
    """
    kept = ("PATH", "HOME", "SSL_CERT_FILE", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")
    indexes = {name: os.environ[name] for name in os.environ if name.startswith(("PIP_", "npm_config_"))}
    environ = {**{name: os.environ[name] for name in kept if name in os.environ}, **indexes}
    ignored = DOCKERFILE.with_name("Dockerfile.dockerignore").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="tool-bridge-image-") as folder:
        to = Path(folder)
        to.chmod(0o755)
        (to / "bases").mkdir()
        (to / "bases" / "python").symlink_to(_base_python())
        node = str(Path(sys.executable).parent)
        environ["PATH"] = os.pathsep.join([str(to / "bases"), node, environ["PATH"]])
        yield build(read_steps(DOCKERFILE.read_text(encoding="utf-8")), ROOT, ignored, to / "image", environ)


@pytest.mark.asyncio
async def test_the_image_serves_without_rights_and_with_a_root_that_cannot_be_written(
    image: Stage,
) -> None:
    """Command, health check and stop signal are those of the Dockerfile; only /data and /tmp are written."""
    port = free_port()
    with serving(image, port) as process:
        async with aiohttp.ClientSession() as http:
            await eventually(lambda: _is_ready(http, port, process), within_s=90, what="a ready bridge")
            async with http.get(f"http://127.0.0.1:{port}/", headers={"Host": HOST}) as page:
                assert (page.status, "modulepreload" in await page.text()) == (200, True)
        check = image.said["HEALTHCHECK"].command
        environ = _environ(image, port)
        assert await asyncio.to_thread(_status, check, environ) == 0
        process.send_signal(signal.Signals[image.said["STOPSIGNAL"].rest])
        assert await asyncio.to_thread(process.wait, 45) == 0, "it settles its calls and ends by itself"
    assert await asyncio.to_thread(_status, check, environ) != 0, "what does not answer is not healthy"
    kept = image.place("/data")
    assert {"bridge.sqlite3", "secret.key"} <= {path.name for path in kept.iterdir()}


@pytest.mark.asyncio
async def test_the_image_sends_traces_where_they_are_switched_on(image: Stage) -> None:
    """Nobody can install an extra into an image whose root is only read."""
    port = free_port()
    async with span_collector() as collector, aiohttp.ClientSession() as http:
        with serving(image, port, TOOL_BRIDGE_TRACES_ENDPOINT=collector.url) as process:
            await eventually(lambda: _is_ready(http, port, process), within_s=90, what="a ready bridge")
            async with http.get(f"http://127.0.0.1:{port}/api/me", headers={"Host": HOST}) as refused:
                assert refused.status == 401
            await eventually(lambda: collector.spans, within_s=30, what="a span")
    assert collector.named("GET /api/me").attributes["http.response.status_code"] == 401


def test_the_image_has_the_built_page_and_no_sources_of_this_checkout(image: Stage) -> None:
    """The page loads quickly; tests, history and whatever lies in the folder stay where they are."""
    (site,) = image.place("/opt/tool-bridge").glob("lib/python*/site-packages")
    assert (site / "bridge" / INSTALLED / "built_page" / "manifest.json").is_file()
    assert not (site / "tests").exists()
    assert {path.name for path in image.root.iterdir()} - {"tmp"} == {"opt", "data"}


@contextmanager
def serving(image: Stage, port: int, **more: str) -> Generator[subprocess.Popen[bytes]]:
    """The command of the image, as its user where this process may choose one; `more` in its environment."""
    data, temporary = image.place("/data"), image.place("/tmp")
    temporary.mkdir(exist_ok=True)
    command = [*image.said["ENTRYPOINT"].command, *image.said["CMD"].command]
    user = NOBODY if os.geteuid() == 0 else None
    if user is not None:
        for path in (data, temporary):
            os.chown(path, NOBODY, NOBODY)
    process = subprocess.Popen(
        [str(image.place("/opt/tool-bridge/bin") / command[0]), *command[1:]],
        env=_environ(image, port, **more),
        cwd=data,
        stdout=subprocess.DEVNULL,
        user=user,
        group=user,
        extra_groups=None if user is None else [],
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _status(command: list[str], environ: dict[str, str]) -> int:
    ended = subprocess.run(command, env=environ, cwd="/", check=False, timeout=60, capture_output=True)
    return ended.returncode


def _base_python() -> Path:
    """A Python for the base of the image; where this process is root, one that others may run, too."""
    found = [Path(sys.executable), Path("/usr/bin/python3")]
    ours = os.geteuid() != 0
    for path in found:
        home = path.resolve()
        if ours or all(folder.stat().st_mode & stat.S_IXOTH for folder in (home, *home.parents)):
            return path
    pytest.skip("as root it needs a Python that other users may run")


def _environ(image: Stage, port: int, **more: str) -> dict[str, str]:
    return run_environ(
        image,
        os.defpath,
        TMPDIR=str(image.place("/tmp")),
        TOOL_BRIDGE_PORT=str(port),
        TOOL_BRIDGE_PUBLIC_URL=f"https://{HOST}",
        **more,
    )


async def _is_ready(http: aiohttp.ClientSession, port: int, process: subprocess.Popen[bytes]) -> bool:
    assert process.poll() is None, "it has ended"
    try:
        async with http.get(f"http://127.0.0.1:{port}/readyz", headers={"Host": HOST}) as answer:
            return answer.status == 200
    except aiohttp.ClientConnectionError:
        return False
