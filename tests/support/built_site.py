"""The documentation as a site, built as `make docs` builds it."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def build_site(folder: Path, *arguments: str, repository: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Build a version into a folder; standard error has what Sphinx warned of."""
    subprocess.run([str(ROOT / "make" / "site" / "setup")], check=True)
    python = ROOT / "build" / "site-tools" / "bin" / "python"
    command = [str(python), str(repository / "make" / "site" / "build.py"), "--into", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)
