"""Writes the list of everything that a package brings along, as CycloneDX 1.6: `python -m make.sbom FILE`.

Python packages come from requirements.lock, with their digests, by cyclonedx-py; the scripts of the page that
are vendored (`static/vendor`) are added. Equal locks and files give equal bytes.
"""

import argparse
import hashlib
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.clients.environments import RELEASE

ROOT = Path(__file__).parents[1]
VENDORED = ROOT / "static" / "vendor"
SCRIPT = re.compile(r"(?P<name>[a-z0-9.-]+?)-(?P<version>\d+\.\d+\.\d+)(?:(?:\.esm)?(?:\.min)?\.js|\.svg)")
PACKAGES = {"socket.io": "socket.io-client", "lucide": "lucide-static"}
"""Name on npm, where the file has another."""
LICENCES = {"lucide": "ISC"}
"""Of those that are not under MIT."""


def main() -> None:
    """Write the list. What reads the lock must be installed: make/client_environments release."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", type=Path)
    target: Path = parser.parse_args().target
    target.parent.mkdir(parents=True, exist_ok=True)
    listed = list_components()
    target.write_text(json.dumps(listed, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def list_components() -> dict[str, Any]:
    """Return the document; raises CalledProcessError if the lock cannot be read."""
    command = ["requirements", "requirements.lock", "--pyproject", "pyproject.toml", "--short-PURLs"]
    told = subprocess.run(
        [str(RELEASE.interpreter.with_name("cyclonedx-py")), *command, "--output-reproducible"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    listed: dict[str, Any] = json.loads(told.stdout)
    listed["components"] = sorted([*listed["components"], *_vendored()], key=lambda each: each["bom-ref"])
    return listed


def _vendored() -> Iterator[dict[str, Any]]:
    for path in sorted([*VENDORED.glob("*.js"), *VENDORED.glob("*.svg")]):
        found = SCRIPT.fullmatch(path.name)
        if found is None:
            raise ValueError(f"{path.name}: neither name nor version can be told")
        name, version = PACKAGES.get(found["name"], found["name"]), found["version"]
        purl = f"pkg:npm/{name}@{version}"
        yield {
            "type": "library",
            "bom-ref": purl,
            "name": name,
            "version": version,
            "purl": purl,
            "scope": "required",
            "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}],
            "licenses": [{"license": {"id": LICENCES.get(found["name"], "MIT")}}],
        }


if __name__ == "__main__":
    main()
