"""`python -m tests.clients.environments NAME…`: makes environments of MCP clients, where they are not yet.

Each holds exactly what its lock names, in the user's cache, in a folder named by the digest of the lock: two
checkouts share them, and a changed lock makes a new one.
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
INSTALLER = HERE.parents[1] / "make" / "install_packages.py"
NODE_LOCK = HERE / "node" / "package-lock.json"
PROVIDER_LOCK = HERE.parent / "identity_provider" / "package-lock.json"


@dataclass(frozen=True, slots=True)
class ClientEnvironment:
    """Clients that agree on their dependencies; Python's, or Node's."""

    name: str
    lock: Path
    omit: str = ""
    """For Node: the kind of packages to leave out."""

    @property
    def is_node(self) -> bool:
        """Whether npm makes it."""
        return self.lock.suffix == ".json"

    @property
    def folder(self) -> Path:
        """Where it is, or will be."""
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        decisive = self.lock.read_bytes() + sys.version.encode() + sys.base_prefix.encode()
        digest = hashlib.sha256(decisive).hexdigest()[:16]
        return cache / "tool-bridge-clients" / f"{self.name}-{digest}"

    @property
    def is_made(self) -> bool:
        """Whether it was installed to its end."""
        return (self.folder / "installed").exists()

    @property
    def interpreter(self) -> Path:
        """What runs its programs: Python of its own, or this project's Node."""
        if self.is_node:
            return Path(sys.executable).with_name("node")
        return self.folder / ("Scripts" if os.name == "nt" else "bin") / "python"

    @property
    def node_modules(self) -> Path:
        """Of a Node environment: its packages."""
        return self.folder / "node_modules"

    def version_of(self, package: str) -> str:
        """The version of a package that it has.

        Raises:
            LookupError: the lock does not name it.
        """
        text = self.lock.read_text(encoding="utf-8")
        if self.is_node:
            return json.loads(text)["packages"][f"node_modules/{package}"]["version"]
        found = re.search(rf"^{re.escape(package)}==(\S+)", text, re.MULTILINE)
        if found is None:
            raise LookupError(f"{self.lock.name} does not name {package}")
        return found[1]

    def install(self) -> None:
        """Make it; several that try at a time wait for the first.

        Raises:
            OSError, CalledProcessError: it could not be made; what uv, pip or npm said is on standard error.
        """
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        with _only_one(self.folder.with_suffix(".lock")):
            if self.is_made:
                return
            print(f"Installing {self.lock.name}, once.", file=sys.stderr, flush=True)
            shutil.rmtree(self.folder, ignore_errors=True)
            self._install_packages()
            (self.folder / "installed").touch()

    def _install_packages(self) -> None:
        if self.is_node:
            self.folder.mkdir()
            for name in ("package.json", "package-lock.json"):
                shutil.copy(self.lock.with_name(name), self.folder)
            omit = (f"--omit={self.omit}",) if self.omit else ()
            quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
            _run(str(Path(sys.executable).with_name("npm")), "ci", *omit, *quiet, folder=self.folder)
            return
        venv.create(self.folder)
        _run(str(self.interpreter), str(INSTALLER), str(self.lock))


@dataclass(frozen=True, slots=True)
class GivenEnvironment:
    """A client that is too large to install for tests: whoever has it names its Python in a variable."""

    name: str
    """Of the variable."""
    version: str
    """With which the client was last run."""

    @property
    def is_made(self) -> bool:
        """Whether it was named."""
        return self.name in os.environ

    @property
    def interpreter(self) -> Path:
        """What runs its programs."""
        return Path(os.environ[self.name])

    def version_of(self, _package: str) -> str:
        """The version with which it was last run."""
        return self.version


MCP_2 = ClientEnvironment("mcp_2", HERE / "locks" / "mcp_2.lock")
MCP_1 = ClientEnvironment("mcp_1", HERE / "locks" / "mcp_1.lock")
AGENTS = ClientEnvironment("agents", HERE / "locks" / "agents.lock")
NODE = ClientEnvironment("node", NODE_LOCK, omit="dev")
NODE_TOOLS = ClientEnvironment("node_tools", NODE_LOCK)
RELEASE = ClientEnvironment("release", HERE.parent / "packages" / "locks" / "release.lock")
"""What judges, installs and lists packages; no client of MCP, but locked and made like one."""

GOOGLE_GENAI = ClientEnvironment("google_genai", HERE / "locks" / "google_genai.lock")
"""Whose types judge what Gemini is sent; a client of a provider of models."""

IDENTITY_PROVIDER = ClientEnvironment("identity_provider", PROVIDER_LOCK)
"""At which people log in, in tests of the login; Node's, too."""

OPEN_WEBUI = GivenEnvironment("OPEN_WEBUI_PYTHON", "0.12.4")
ENVIRONMENTS = {
    each.name: each
    for each in (MCP_2, MCP_1, AGENTS, NODE, NODE_TOOLS, RELEASE, GOOGLE_GENAI, IDENTITY_PROVIDER)
}


def main(names: Sequence[str]) -> int:
    """Make the named ones; the status is 1 if one of them cannot be had."""
    for name in names:
        environment = ENVIRONMENTS[name]
        try:
            if not environment.is_made:
                environment.install()
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"What {environment.lock.name} names cannot be installed: {error}", file=sys.stderr)
            return 1
    return 0


@contextmanager
def _only_one(lock: Path) -> Generator[None]:
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _run(*command: str, folder: Path | None = None) -> None:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    environ = {**os.environ, "PATH": path}
    subprocess.run(command, cwd=folder, env=environ, check=True, stdin=subprocess.DEVNULL, stdout=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
