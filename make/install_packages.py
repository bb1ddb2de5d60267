"""`PYTHON make/install_packages.py LOCK`: give the environment of this Python what a lock names, by digest.

uv does it, which is pinned by digest itself and lies with pip in the user's cache; where it cannot be had, or
fails, pip does. `--checkout FOLDER` installs a checkout besides, editable, by the build backend of the lock.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import os
import platform
import re
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

INSTALLERS = Path(__file__).parent / "installers.lock"
PIP = (sys.executable, "-m", "pip", "--no-input", "--disable-pip-version-check")
LOCKED = ("--require-hashes", "--no-deps")
# The build backend comes from the lock: nothing is downloaded to build.
CHECKOUT = ("--no-deps", "--no-build-isolation", "--no-index", "--editable")
LEVELS = ("global", "install", ":env:")
"""Sections of pip's settings, in the order in which one replaces the other."""

REASON_CHARS = 200


class NoUv(Exception):
    """uv cannot be had; the text says why."""


def main() -> int:
    """Install; the status is that of the last installer."""
    parser = argparse.ArgumentParser()
    parser.add_argument("lock", type=Path)
    parser.add_argument("--checkout", type=Path)
    asked = parser.parse_args()
    works: list[Sequence[str]] = [(*LOCKED, "-r", str(asked.lock))]
    if asked.checkout:
        works.append((*CHECKOUT, str(asked.checkout)))
    try:
        if _install_by_uv(find_installers(), works) == 0:
            return 0
        _say("uv cannot install this here; pip tries.")
    except (NoUv, OSError) as reason:
        _say(f"uv cannot be had ({reason}); pip installs, which takes about a minute.")
    _ensure_pip()
    return _run_all([(*PIP, "install", "--quiet", *work) for work in works], os.environ)


def installers_folder() -> Path:
    """Where the pinned uv and pip are, or will be: in the user's cache, for all checkouts."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    decisive = INSTALLERS.read_bytes() + f"{sysconfig.get_platform()} {platform.libc_ver()[0]}".encode()
    return cache / "tool-bridge-installers" / hashlib.sha256(decisive).hexdigest()[:16]


def find_installers() -> Path:
    """The folder of the pinned uv and pip, which the first call fetches.

    Raises:
        NoUv: there is none for this platform, no index has it, or its digest differs.
        OSError: the cache cannot be written.
    """
    folder = installers_folder()
    if folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as unfinished:
        fetched = Path(unfinished) / "fetched"
        _fetch_installers(fetched)
        if not folder.exists():  # another may have been quicker
            fetched.rename(folder)
    return folder


def uv_environ(settings: Mapping[str, str]) -> dict[str, str]:
    """What tells uv where packages come from, as `settings`, by pip's names, tell pip.

    By variables, as an address may hold a password, which other users must not see among the arguments.
    """
    proxy = settings.get("proxy")
    by_keyring = settings.get("keyring-provider") in ("import", "subprocess")
    given = {
        "UV_DEFAULT_INDEX": settings.get("index-url"),
        "UV_INDEX": " ".join(settings.get("extra-index-url", "").split()),
        "UV_FIND_LINKS": ",".join(settings.get("find-links", "").split()),
        "UV_INSECURE_HOST": " ".join(settings.get("trusted-host", "").split()),
        "UV_KEYRING_PROVIDER": "subprocess" if by_keyring else None,
        "UV_HTTP_TIMEOUT": settings.get("timeout", settings.get("default-timeout")),
        "SSL_CERT_FILE": settings.get("cert"),
        "SSL_CLIENT_CERT": settings.get("client-cert"),
        "HTTP_PROXY": proxy,
        "HTTPS_PROXY": proxy,
        # Pip looks at all indexes, too, and trusts whom the system trusts.
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_SYSTEM_CERTS": "true",
    }
    return {name: value for name, value in given.items() if value}


def settings_in(listed: str) -> dict[str, str]:
    """Settings of pip by the option's name, from what `pip config list` prints; the most special holds."""
    found = re.findall(r"^(global|install|:env:)\.\.?([a-z-]+)=(.+)$", listed, re.MULTILINE)
    return {
        name: str(ast.literal_eval(value)) for level in LEVELS for of, name, value in found if of == level
    }


def _fetch_installers(folder: Path) -> None:
    _ensure_pip()
    options = ("--quiet", "--retries=1", "--only-binary=:all:", *LOCKED, "--target", str(folder))
    command = [*PIP, "install", *options, "-r", str(INSTALLERS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        complaints = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["pip failed"]
        raise NoUv(complaints[-1].removeprefix("ERROR: ")[:REASON_CHARS])


def _ensure_pip() -> None:
    """Environments are made without pip: what it takes seconds to install, uv links."""
    if find_spec("pip") is None:
        subprocess.run([sys.executable, "-m", "ensurepip"], check=True, stdout=subprocess.DEVNULL)


def _install_by_uv(installers: Path, works: Sequence[Sequence[str]]) -> int:
    with_pip = {**os.environ, "PYTHONPATH": str(installers)}
    listed = subprocess.run(
        [*PIP, "config", "list"], env=with_pip, capture_output=True, text=True, check=True
    )
    options = ("--quiet", "--no-progress", "--python", sys.executable)
    uv = str(installers / "bin" / "uv")
    settings = settings_in(listed.stdout)
    if settings.get("no-index", "no").lower() in ("1", "true", "yes", "on", "y", "t"):
        options = (*options, "--no-index")  # it has no variable
    environ = os.environ | uv_environ(settings)
    return _run_all([(uv, "pip", "install", *options, *work) for work in works], environ)


def _run_all(commands: Sequence[Sequence[str]], environ: Mapping[str, str]) -> int:
    """The status of the first that fails; 0 if none does."""
    for command in commands:
        done = subprocess.run(command, env=environ, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False)
        if done.returncode:
            return done.returncode
    return 0


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
