"""Environments of other projects' servers: outside the repository and its lock, made when first asked for."""

import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class PeerPackage:
    """Another project's release."""

    name: str
    requirement: str
    """Its version is pinned, so that figures of two days compare; what it depends on is not."""
    beside: tuple[str, ...] = ()
    """Further requirements: an event loop, and bounds without which the release does not start."""

    @property
    def folder(self) -> Path:
        """Where its environment is, in the user's cache."""
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        return cache / "tool-bridge-bench" / f"{self.name}-{self.requirement.rpartition('==')[2]}"

    def program(self, name: str) -> Path:
        """A program of its environment."""
        return self.folder / ("Scripts" if os.name == "nt" else "bin") / name


_UVLOOP = "uvloop; sys_platform != 'win32'"

LITELLM = PeerPackage("litellm", "litellm[proxy]==1.106.2")
FASTMCP = PeerPackage("fastmcp", "fastmcp==4.0.11", (_UVLOOP,))
MCPO = PeerPackage("mcpo", "mcpo==0.0.20", ("mcp<2", "fastapi<0.130", _UVLOOP))


def prepare_environment(package: PeerPackage) -> bool:
    """Install the package where it is not yet; says so, and says why when it cannot be had."""
    done = package.folder / "installed"
    requirements = (package.requirement, *package.beside)
    if done.exists() and done.read_text(encoding="utf-8") == "\n".join(requirements):
        return True
    print(f"Installing {package.requirement} in {package.folder}", file=sys.stderr, flush=True)
    install = (package.program("python"), "-m", "pip", "install", "--quiet", *requirements)
    try:
        venv.create(package.folder, with_pip=True, clear=True)
        subprocess.run(install, check=True, stdin=subprocess.DEVNULL, stdout=sys.stderr)
    except (OSError, subprocess.CalledProcessError):
        print(f"{package.requirement} cannot be installed, and is left out.", file=sys.stderr)
        return False
    done.write_text("\n".join(requirements), encoding="utf-8")
    return True


def loopback_environ() -> dict[str, str]:
    """The variables of a peer's process: where proxies are honored, none leads beyond loopback."""
    nowhere = "http://127.0.0.1:9"
    return {
        **os.environ,
        **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), nowhere),
        **dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), nowhere),
        **dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost"),
        "PYTHONUNBUFFERED": "1",  # so that what a peer says stands in the order in which it said it
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
        "FASTMCP_CHECK_FOR_UPDATES": "off",
    }
