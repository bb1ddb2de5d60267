"""`make/audit_dependencies`: known vulnerabilities of what the lock files pin, of Python and of JavaScript.

Status 1 for one that is not accepted. Where the services cannot be asked (offline, or they are down), it says
so and ends with 0: a check that depends on somebody else's machine would be switched off.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from shutil import rmtree
from threading import Lock

from make.audit.advisories import (
    Advisory,
    Unreachable,
    Unreadable,
    advisories_of_npm,
    advisories_of_pip,
    judge,
    read_acceptances,
)

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
TOOLS = HERE / "tools.lock"
LOCKS = (
    "requirements.lock",
    "requirements-dev.lock",
    "make/audit/tools.lock",
    "make/installers.lock",
    "make/site/requirements.lock",
    "tests/packages/locks/release.lock",
)
NODE_LOCKS = ("package-lock.json", "tests/extension/lint/package-lock.json")
VENDORED = re.compile(r"^(?P<name>[a-z0-9.-]+?)-(?P<version>\d+\.\d+\.\d+)\.(?:(?:esm\.min\.)?js|svg)$")
NAMES_AT_NPM = {"socket.io": "socket.io-client", "lucide": "lucide-static"}
"""Packages whose files in static/vendor have another name."""

OSV_VARIABLE, NPM_VARIABLE = "TOOL_BRIDGE_OSV_URL", "TOOL_BRIDGE_NPM_REGISTRY"
"""Addresses of mirrors of the services; without them pip-audit and npm ask their own."""

_making_tools = Lock()

REASON_CHARS = 120
"""Of what a tool says when its service does not answer."""

PATIENCE_S = 90
"""For one of the services, in seconds; then it counts as not answering."""


def main() -> int:
    """Ask for all lock files at once, and print what was found."""
    audits = [
        *((lock, partial(audit_python, ROOT / lock)) for lock in LOCKS),
        *((lock, partial(audit_npm, (ROOT / lock).parent)) for lock in NODE_LOCKS),
        ("static/vendor", audit_vendored),
    ]
    with ThreadPoolExecutor(len(audits)) as pool:
        running = [(name, pool.submit(audit)) for name, audit in audits]
        found: list[Advisory] = []
        failed = False
        for name, future in running:
            try:
                found += future.result()
            except Unreachable as error:
                print(
                    f"audit of {name}: NOT DONE, the advisory service cannot be reached: {_shortened(error)}",
                    file=sys.stderr,
                )
            except Unreadable as error:
                print(f"audit of {name}: failed: {error}", file=sys.stderr)
                failed = True
    accepted = read_acceptances((HERE / "accepted.toml").read_text(encoding="utf-8"))
    wrong, known = judge(dict.fromkeys(found), accepted, datetime.now(UTC).date())
    for line in [*known, *wrong]:
        print(line, file=sys.stderr)
    return 1 if wrong or failed else 0


def _shortened(error: Unreachable) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= REASON_CHARS else f"{text[:REASON_CHARS]}…"


def audit_python(lock: Path) -> list[Advisory]:
    """Ask about the packages of a lock; every one is pinned, so that nothing is resolved."""
    options = [*("-s", "osv", "-f", "json", "--desc", "off", "--progress-spinner", "off", "--timeout", "10")]
    if url := os.environ.get(OSV_VARIABLE):
        options += ["--osv-url", url]
    with _making_tools:
        python = _tools()
    program = [str(python), "-m", "pip_audit", "--disable-pip", "--no-deps", "-r", str(lock), *options]
    return advisories_of_pip(*_run(program, ROOT))


def audit_vendored() -> list[Advisory]:
    """Ask about the libraries of the page, whose versions stand in the names of their files."""
    with tempfile.TemporaryDirectory() as folder:
        names = (VENDORED.match(path.name) for path in sorted((ROOT / "static/vendor").iterdir()))
        versions = {NAMES_AT_NPM.get(name["name"], name["name"]): name["version"] for name in names if name}
        packages = {f"node_modules/{name}": {"version": version} for name, version in versions.items()}
        root = {"name": "vendored", "version": "0.0.0", "dependencies": versions}
        lock = {
            "name": "vendored",
            "lockfileVersion": 3,
            "requires": True,
            "packages": {"": root, **packages},
        }
        (Path(folder) / "package.json").write_text(json.dumps(root), encoding="utf-8")
        (Path(folder) / "package-lock.json").write_text(json.dumps(lock), encoding="utf-8")
        return audit_npm(Path(folder))


def audit_npm(folder: Path) -> list[Advisory]:
    """Ask about the packages of the lock in a folder."""
    options = [
        "--package-lock-only",
        "--json",
        "--ignore-scripts",
        "--fetch-retries=0",
        "--fetch-timeout=15000",
    ]
    if url := os.environ.get(NPM_VARIABLE):
        options.append(f"--registry={url}")
    npm = Path(sys.executable).with_name("npm")
    return advisories_of_npm(*_run([str(npm), "audit", *options], folder))


def _run(program: Sequence[str], folder: Path) -> tuple[str, str]:
    """Return what a program says, whatever its status.

    Raises:
        Unreachable: it did not end in time.
    """
    environ = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    try:
        done = subprocess.run(
            program, cwd=folder, env=environ, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise Unreachable(f"no answer within {PATIENCE_S} s") from None
    return done.stdout, done.stderr


def _tools() -> Path:
    """Return the interpreter of the auditing tool's own environment, which is made once, in the user's cache.

    Raises:
        Unreachable: its packages cannot be had.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tool-bridge-audit"
    digest = hashlib.sha256(TOOLS.read_bytes() + sys.version.encode() + sys.base_prefix.encode()).hexdigest()
    made = cache / f"{digest[:16]}.path"  # says where it is; only one that is complete has it
    if made.exists() and (python := Path(made.read_text(encoding="utf-8"))).exists():
        return python
    folder = cache / f"{digest[:16]}-{os.getpid()}"
    venv.create(folder, clear=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    install = [str(python), str(ROOT / "make" / "install_packages.py"), str(TOOLS)]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    if done.returncode:
        rmtree(folder, ignore_errors=True)
        raise Unreachable(f"pip-audit cannot be installed: {done.stderr.strip()[-300:]}")
    unfinished = made.with_suffix(f".{os.getpid()}")
    unfinished.write_text(str(python), encoding="utf-8")
    unfinished.replace(made)
    return python


if __name__ == "__main__":
    sys.exit(main())
