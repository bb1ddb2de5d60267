"""`make docs`: builds the documentation as a site of static files, one folder for each version.

    python make/site/build.py                  what lies in the work tree, as version `next`
    python make/site/build.py --version 0.2.0  what the tag 0.2.0 or v0.2.0 has
    python make/site/build.py --links          nothing: it asks every address of others that pages link to

Below the folder of the site (`build/site` unless `--into` names another) are then the version's own folder;
`latest`, a copy of the highest version; `versions.js`, by which each page offers the versions that are there;
and an `index.html` that leads to `latest`. All links are relative: the folder can be put anywhere, and opened
from a disk.

The status is 1 when Sphinx has any warning, such as a link or an anchor that leads nowhere.
"""

import argparse
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
WORK_TREE = "next"
PARTS = ("*.md", "LICENSE", "docs/pictures/*")
"""What the site is made of, as patterns of git."""
WITHOUT = ":(exclude)changes/*"
"""Entries of the changelog before a release are pieces of a page."""
INDEX = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Direct Tool Bridge</title>
<meta http-equiv="refresh" content="0; url={folder}/index.html">
<p><a href="{folder}/index.html">Documentation of Direct Tool Bridge</a></p>
"""


def main(arguments: list[str]) -> int:
    """Build one version; what Sphinx warns of goes to standard error."""
    parser = argparse.ArgumentParser(description="Build the documentation as a site.")
    parser.add_argument("--version", default="", help="a tag, with or without its v; default: the work tree")
    parser.add_argument("--into", type=Path, default=ROOT / "build" / "site", help="folder of the site")
    parser.add_argument("--links", action="store_true", help="ask every address of others instead")
    wanted = parser.parse_args(arguments)
    version = wanted.version.removeprefix("v") or WORK_TREE
    site: Path = wanted.into
    with tempfile.TemporaryDirectory(prefix="site-") as scratch:
        sources = Path(scratch) / "sources"
        try:
            lay_out(sources, version)
        except LookupError as error:
            print(f"make docs: {error}", file=sys.stderr)
            return 2
        if wanted.links:
            return run_sphinx(sources, Path(scratch) / "links", version, builder="linkcheck")
        built = Path(scratch) / "site"
        status = run_sphinx(sources, built, version)
        if status == 0:
            add_pictures(sources, built)
            put_in_place(built, site / version)
    if status == 0:
        join_versions(site)
        print(f"{site / version / 'index.html'}")
    return status


def lay_out(sources: Path, version: str) -> None:
    """Put the pages of a version into a folder, as they lie in the repository, and all its names beside it.

    Raises:
        LookupError: there is no tag of this name.
    """
    sources.mkdir()
    names = sources.with_name("names")
    if version == WORK_TREE:
        list_files = ("ls-files", "--cached", "--others", "--exclude-standard", "-z")
        names.write_bytes(_git(*list_files))
        for name in _git(*list_files, *PARTS, WITHOUT).split(b"\0"):
            path = ROOT / name.decode()
            if name and path.is_file():
                target = sources / name.decode()
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
        return
    tags = set(_git("tag", "--list", version, f"v{version}").decode().split())
    if not tags:
        raise LookupError(f"there is no tag {version} or v{version}")
    tag = tags.pop()
    names.write_bytes(_git("ls-tree", "-r", "--name-only", "-z", tag))
    patterns = [f":(glob)**/{part}" if "/" not in part else f":(glob){part}" for part in PARTS]
    with tarfile.open(fileobj=io.BytesIO(_git("archive", tag, "--", *patterns, WITHOUT))) as archive:
        archive.extractall(sources, filter="data")


def run_sphinx(sources: Path, target: Path, version: str, builder: str = "html") -> int:
    """Build strictly: any warning is an error. Gives the status of Sphinx."""
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "--builder",
        builder,
        "--quiet",
        "--fail-on-warning",
        "--keep-going",
    ]
    folders = [
        "--conf-dir",
        Path(__file__).parent,
        "--doctree-dir",
        sources.with_name("trees"),
        sources,
        target,
    ]
    ours = {"SITE_VERSION": version, "SITE_FILES": str(sources.with_name("names"))}
    environ = {**os.environ, **ours, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([*command, "--jobs", "2", *folders], env=environ, check=False).returncode


def add_pictures(sources: Path, built: Path) -> None:
    """Copy the pictures that pages name in HTML, for light and for dark: Sphinx sees Markdown only."""
    for picture in sources.glob("docs/pictures/page-*"):
        target = built / picture.relative_to(sources)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(picture, target)


def put_in_place(built: Path, target: Path) -> None:
    """Make a whole site the one of its version."""
    shutil.copyfile(built / "README.html", built / "index.html")
    for unneeded in ("objects.inv", ".buildinfo"):
        (built / unneeded).unlink()
    shutil.rmtree(target, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(built, target)


def join_versions(site: Path) -> None:
    """Write what the versions have in common anew: their list, the copy of the highest one, the way in."""
    versions = sorted((path.parent.name for path in site.glob("*/README.html")), key=_rank, reverse=True)
    versions = [name for name in versions if name != "latest"]
    released = [name for name in versions if name != WORK_TREE]
    shutil.rmtree(site / "latest", ignore_errors=True)
    if released:
        shutil.copytree(site / released[0], site / "latest")
    listed = [{"name": name, "pages": list(_pages(site / name))} for name in versions]
    (site / "versions.js").write_text(f"globalThis.siteVersions = {json.dumps(listed)};\n", encoding="utf-8")
    way_in = INDEX.format(folder="latest" if released else WORK_TREE)
    (site / "index.html").write_text(way_in, encoding="utf-8")


def _pages(version: Path) -> Iterator[str]:
    for path in sorted(version.rglob("*.html")):
        yield path.relative_to(version).as_posix()


def _rank(version: str) -> tuple[list[int], bool]:
    """Higher for later versions; a pre-release comes before its release, and the work tree after all."""
    numbers = [int(number) for number in re.findall(r"\d+", version)]
    return ([sys.maxsize] if version == WORK_TREE else numbers[:3], not re.search(r"[a-z]", version))


def _git(*command: str) -> bytes:
    return subprocess.run(["git", *command], cwd=ROOT, check=True, capture_output=True).stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
