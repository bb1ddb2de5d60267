"""What the companion adds to the first view: the page is built with its modules, and with empty ones."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from bench.report import print_table

ROOT = Path(__file__).parents[2]
FIRST_VIEW = ("app.js", "executor_worker.js", "sections/tools_view.js")
"""What a browser loads before a user can do something."""
LATER = ("sections/companion_transport.js", "sections/server_view.js")
"""Loaded by the first call through the companion, and by a server's view."""
MODULES = ("companion/*.js", "executor/transport_choice.js", "ui/transport_labels.js", "ui/login_offer.js")
"""The companion's, below static/."""
AIM_BYTES = 3 * 1024
_EXPORTS = re.compile(r"^export (?:async )?(?:const|function\*?|class) (\w+)", re.MULTILINE)
_PASSED_ON = re.compile(r"^export \{ (.+) \} from", re.MULTILINE)


def measure_page_size(folder: Path) -> dict[str, object]:
    """Build both below `folder`; prints bytes in Brotli, without which no page of a wheel is served."""
    whole = _build(folder / "whole", is_whole=True)
    without = _build(folder / "without", is_whole=False)
    rows = [[name, whole[name], whole[name] - without.get(name, 0)] for name in (*FIRST_VIEW, *LATER)]
    print_table("Of the built page, bytes in Brotli", ["file", "all", "companion"], rows)
    added = sum(whole[name] - without[name] for name in FIRST_VIEW)
    met = "met" if added <= AIM_BYTES else "not met"
    print(f"The companion adds {added} bytes to the first view; the aim, {AIM_BYTES}, is {met}.")
    return {"added_bytes": added, "files": {name: [size, added_there] for name, size, added_there in rows}}


def _build(folder: Path, *, is_whole: bool) -> dict[str, int]:
    """Sizes of compressed files by name."""
    shutil.copytree(ROOT / "static", folder / "static")
    (folder / "make").mkdir()
    shutil.copy(ROOT / "make" / "build_page.mjs", folder / "make")
    (folder / "node_modules").symlink_to(ROOT / "node_modules")
    for module in [] if is_whole else _modules(folder / "static"):
        module.write_text(_empty(module.read_text(encoding="utf-8")), encoding="utf-8")
    built = folder / "built"
    command = ["node", str(folder / "make" / "build_page.mjs"), str(built)]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environ = {**os.environ, "PATH": path}
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, env=environ)
    names = {path: path.relative_to(built).as_posix().removesuffix(".br") for path in built.rglob("*.br")}
    return {name: path.stat().st_size for path, name in names.items()}


def _modules(static: Path) -> list[Path]:
    return [path for pattern in MODULES for path in static.glob(pattern)]


def _empty(source: str) -> str:
    """A module with the same exports, which are nothing."""
    names = _EXPORTS.findall(source)
    names += [name.strip() for listed in _PASSED_ON.findall(source) for name in listed.split(",")]
    return "".join(f"export const {name} = undefined;\n" for name in names)
