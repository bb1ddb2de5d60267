"""Takes the icons that the page names out of Lucide's package, as one file: `python -m make.take_icons`.

The version stands below; a new one is taken by changing it, running this, and naming the new file in
`static/index.html` and `static/ui/icon.js`.
"""

import hashlib
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
VENDORED = ROOT / "static" / "vendor"
NAMES = ROOT / "static" / "types" / "icon_names.d.ts"
VERSION = "1.62.0"
PACKAGE = f"lucide-static@{VERSION}"
SHAPES = re.compile(r"<svg[^>]*>(?P<shapes>.*)</svg>", re.DOTALL)


def named_icons() -> list[str]:
    """Return the names that the page's type lists."""
    return re.findall(r'^  \| "([a-z0-9-]+)"', NAMES.read_text(encoding="utf-8"), re.MULTILINE)


def main() -> None:
    """Write the icons, the licence and their digests; npm asks the registry that it is set up for."""
    with tempfile.TemporaryDirectory() as folder:
        npm = Path(sys.executable).with_name("npm")
        subprocess.run([npm, "pack", PACKAGE, "--silent"], cwd=folder, check=True)
        [archive] = Path(folder).glob("*.tgz")
        with tarfile.open(archive) as package:
            symbols = [_symbol(name, _read(package, f"icons/{name}.svg")) for name in named_icons()]
            licence = _read(package, "LICENSE")
    text = f'<svg xmlns="http://www.w3.org/2000/svg">\n{"".join(symbols)}</svg>\n'
    _write(f"lucide-{VERSION}.svg", text)
    _write(f"lucide-{VERSION}.LICENSE", licence)


def _read(package: tarfile.TarFile, name: str) -> str:
    member = package.extractfile(f"package/{name}")
    if member is None:
        raise FileNotFoundError(name)
    return member.read().decode()


def _symbol(name: str, picture: str) -> str:
    found = SHAPES.search(picture)
    if found is None:
        raise ValueError(f"{name}: no picture")
    shapes = re.sub(r"\s*\n\s*", "", found["shapes"]).replace(" />", "/>")
    return f'<symbol id="{name}" viewBox="0 0 24 24">{shapes}</symbol>\n'


def _write(name: str, text: str) -> None:
    (VENDORED / name).write_text(text, encoding="utf-8")
    digests = VENDORED / "SHA256SUMS"
    others = [
        line for line in digests.read_text(encoding="utf-8").splitlines() if not line.endswith(f"  {name}")
    ]
    digest = hashlib.sha256(text.encode()).hexdigest()
    digests.write_text("\n".join([*others, f"{digest}  {name}"]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
