"""`make setup` and its like: they install by uv where it can be had, by pip elsewhere, always by digest."""

import hashlib
import os
import shutil
import subprocess
import threading
import venv
import zipfile
from collections.abc import Generator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from make.install_packages import settings_in, uv_environ
from tests.support.programs import needs

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
WHEEL = "tiny-1.0-py3-none-any.whl"
METADATA = {
    "METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
    "WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "RECORD": "tiny.py,,\n"
    + "".join(f"tiny-1.0.dist-info/{name},,\n" for name in ("METADATA", "WHEEL", "RECORD")),
}


@pytest.fixture
def index(tmp_path: Path) -> Generator[str]:
    """The address of a package index that has one package, and no uv."""
    folder = tmp_path / "index" / "simple" / "tiny"
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / WHEEL, "w") as archive:
        archive.writestr("tiny.py", "")
        for name, text in METADATA.items():
            archive.writestr(f"tiny-1.0.dist-info/{name}", text)
    (folder / "index.html").write_text(f'<a href="{WHEEL}">{WHEEL}</a>')
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path / "index"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/simple/"
        server.shutdown()


@pytest.fixture
def environ(tmp_path: Path, index: str) -> dict[str, str]:
    """Variables by which pip uses this index only, against the settings of this machine."""
    settings = tmp_path / "pip.conf"
    settings.write_text(
        f"[global]\nindex-url = {index}\nextra-index-url =\nfind-links =\nconstraint =\nretries = 0\n"
    )
    outside = ("PIP_", "UV_", "PYTHON")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(outside)}
    return kept | {"PIP_CONFIG_FILE": str(settings), "UV_CACHE_DIR": str(tmp_path / "uv")}


@pytest.fixture(params=["uv", "pip"])
def installer(request: pytest.FixtureRequest, tmp_path: Path, environ: dict[str, str]) -> str:
    """Which installs: pip, where the cache has no uv and the index neither."""
    if request.param == "uv":
        needs.need_uv()
    else:
        environ["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    return str(request.param)


def install(tmp_path: Path, environ: dict[str, str], digest: str) -> tuple[int, str, bool]:
    """The status, what was said, and whether the package is there."""
    lock = tmp_path / "tiny.lock"
    lock.write_text(f"tiny==1.0 --hash=sha256:{digest}\n")
    venv.create(tmp_path / "made")
    command = [tmp_path / "made" / "bin" / "python", ROOT / "make" / "install_packages.py", lock]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, done.stderr, any((tmp_path / "made").rglob("tiny.py"))


def digest_in(tmp_path: Path) -> str:
    return hashlib.sha256((tmp_path / "index" / "simple" / "tiny" / WHEEL).read_bytes()).hexdigest()


def test_a_package_comes_from_the_index_that_pip_is_told(
    tmp_path: Path, environ: dict[str, str], installer: str
) -> None:
    """Issue 38: uv installs, or pip, which one line says; uv uses the mirror that pip is given."""
    status, said, installed = install(tmp_path, environ, digest_in(tmp_path))
    assert (status, installed) == (0, True), said
    assert ("pip installs" in said) == (installer == "pip")
    assert said.count("\n") == (1 if installer == "pip" else 0)


def test_a_package_with_another_digest_is_refused(
    tmp_path: Path, environ: dict[str, str], installer: str
) -> None:
    """A lock that a mirror could get around would pin nothing; a variable of uv must not switch that off."""
    environ["UV_NO_VERIFY_HASHES"] = "1"
    status, said, installed = install(tmp_path, environ, "0" * 64)
    assert status != 0
    assert not installed
    assert ("Hash mismatch for `tiny==1.0`" in said) == (installer == "uv")
    assert "DO NOT MATCH THE HASHES" in said


def test_uv_is_told_what_pip_is_told() -> None:
    """It reads no file of pip's, and behind a mirror or a proxy it would find nothing."""
    listed = (
        "global.index-url='https://mirror.example/simple'\n"
        "global.timeout='60'\n"
        "global.extra-index-url='\\nhttps://a.example/simple\\nhttps://b.example/simple'\n"
        "install.find-links='/wheels /more'\n"
        "download.find-links='/others'\n"
        ":env:.timeout='90'\n"
        "global.trusted-host='mirror.example'\n"
    )
    told = uv_environ(settings_in(listed))
    assert (
        told.items()
        >= {
            "UV_DEFAULT_INDEX": "https://mirror.example/simple",
            "UV_INDEX": "https://a.example/simple https://b.example/simple",
            "UV_FIND_LINKS": "/wheels,/more",
            "UV_HTTP_TIMEOUT": "90",
            "UV_INSECURE_HOST": "mirror.example",
        }.items()
    )


def test_a_second_setup_installs_nothing(tmp_path: Path) -> None:
    """Every command of make begins with it."""
    for name in ("Makefile", "pyproject.toml", "requirements.lock", "requirements-dev.lock"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "make", tmp_path / "make", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "make" / "install_packages.py").write_text(
        "import sys\nprint(sys.argv[1], file=open('runs', 'a'))\n"
    )
    for _ in range(2):
        subprocess.run(
            ["make", "--silent", "setup"], cwd=tmp_path, check=True, capture_output=True, timeout=60
        )
    assert (tmp_path / "runs").read_text() == "requirements-dev.lock\n"
