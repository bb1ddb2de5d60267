"""Where pages, extension, samples and plugins are: beside the package in a clone, within it in a wheel."""

import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from bridge.bundled import INSTALLED, bundled_folder, lacks_built_page, load_bundled


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """A package of a name that no other has, with samples beside it, on the path of modules."""
    package = tmp_path / f"bridge_{tmp_path.name}"
    package.mkdir()
    (package / "__init__.py").write_text("")
    _write_samples(tmp_path, "a clone")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield package
    for name in [name for name in sys.modules if name.startswith((package.name, "bundled_samples"))]:
        del sys.modules[name]


def _write_samples(folder: Path, place: str) -> None:
    samples = folder / "bundled_samples"
    samples.mkdir(parents=True)
    (samples / "place.py").write_text(f"PLACE = {place!r}\n")
    (samples / "shop.py").write_text("from .place import PLACE\n")


def test_a_clone_has_them_beside_the_package(package: Path) -> None:
    """Finding house-H4: nothing of a clone moves; only what a wheel leaves in `site-packages` does."""
    assert bundled_folder("static", package) == package.parent / "static"
    assert load_bundled("bundled_samples.shop:PLACE", package) == "a clone"
    assert not lacks_built_page(package)


def test_a_wheel_has_them_within_the_package_whatever_lies_beside_it(package: Path) -> None:
    """Finding house-H4: other packages leave folders of the same names there."""
    _write_samples(package / INSTALLED, "a wheel")
    assert bundled_folder("extension", package) == package / INSTALLED / "extension"
    assert load_bundled("bundled_samples.shop:PLACE", package) == "a wheel"


def test_an_installation_without_a_built_page_is_known(package: Path) -> None:
    """Finding house-H4: its page loads more slowly, and its operator is to hear why."""
    (package / INSTALLED / "static").mkdir(parents=True)
    assert lacks_built_page(package)
    (package / INSTALLED / "built_page").mkdir()
    assert not lacks_built_page(package)
