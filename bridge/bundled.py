"""What the bridge brings besides its modules: the page, the companion extension, samples and plugins.

In a clone these are folders beside `bridge`. A wheel has them in `bridge/_bundled`: the names are common, and
other packages may leave folders of the same names beside `bridge`.
"""

from __future__ import annotations

import pkgutil
from pathlib import Path
from typing import Any, Literal

PACKAGE = Path(__file__).parent
INSTALLED = "_bundled"
"""Folder of a wheel's package; `make/page_hook.py` fills it."""

UNBUILT_PAGE = "This installation has no built page, so it serves the page's sources, which load more slowly."
BUILD_PAGE = "Install a released wheel, or install the clone again where npm can download esbuild."
"""Advice that goes with it."""

BundledName = Literal["built_page", "examples", "extension", "plugins", "static"]


def bundled_folder(name: BundledName, package: Path = PACKAGE) -> Path:
    """Return where a folder is, or would be: a wheel has either the built page or its sources, `static`."""
    installed = package / INSTALLED
    return (installed if installed.is_dir() else package.parent) / name


def load_bundled(name: str, package: Path = PACKAGE) -> Any:
    """Import `module:attribute` from samples or plugins, and return it; the caller states its type."""
    prefix = f"{package.name}.{INSTALLED}." if (package / INSTALLED).is_dir() else ""
    return pkgutil.resolve_name(prefix + name)


def lacks_built_page(package: Path = PACKAGE) -> bool:
    """Return whether this is an installation whose page could not be built; a clone is none."""
    return (package / INSTALLED).is_dir() and not bundled_folder("built_page", package).is_dir()
