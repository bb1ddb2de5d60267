"""The hook of hatchling that puts the built page into wheels and sdists, as `built_page/`.

An sdist carries it, so that installing one needs no Node. A clone without `node_modules` gives a wheel
without a built page, which serves the sources: the page then loads more slowly, and that is all.
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


class PageHook(BuildHookInterface[Any]):
    """Builds the page by `make/build_page.mjs`, in a folder of its own: two builds may run at a time."""

    _work: tempfile.TemporaryDirectory[str] | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page, unless the install is editable: it serves the sources."""
        if version == "editable":
            return
        root = Path(self.root)
        page = root / PAGE
        if not page.is_dir():
            if not (root / "node_modules" / "esbuild").is_dir():
                self.app.display_warning("No node_modules (make/page_tools): the page is packaged unbuilt.")
                return
            page = self._build(root)
        build_data["force_include"][str(page)] = PAGE

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was built, which is in the package now."""
        if self._work is not None:
            self._work.cleanup()

    def _build(self, root: Path) -> Path:
        # At a fixed depth: source maps name sources by their way from here.
        (root / "build").mkdir(exist_ok=True)
        self._work = tempfile.TemporaryDirectory(dir=root / "build")
        page = Path(self._work.name) / PAGE
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        command = ["node", "make/build_page.mjs", str(page)]
        subprocess.run(command, cwd=root, check=True, env={**os.environ, "PATH": path})
        return page
