"""`python -m make.package_page FOLDER`: build the page for a package into FOLDER. Standard library only.

Node and npm are those beside this Python, or on the path. esbuild is that of `node_modules`, or comes from
npm by the digests of `package-lock.json`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from make.clone_page import BUILDER, ROOT, install_esbuild


def main(page: Path) -> int:
    """Build; the status is 0 if the page is in the folder."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    if not (node := shutil.which("node", path=path)):
        print("There is no Node.", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as made:
        try:
            folder = ROOT
            if not (ROOT / "node_modules" / "esbuild").is_dir():
                folder = Path(made)
                install_esbuild(folder, path)
            subprocess.run([node, str(BUILDER), str(page.absolute())], cwd=folder, check=True)
        except (subprocess.CalledProcessError, OSError) as error:
            print(f"The page cannot be built: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
