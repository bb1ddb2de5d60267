"""Brings documents from where they are published; keeps none that differs from the manifest."""

import http.client
import os
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from tests.real_documents.documents import RealDocument

PATIENCE_S = 60
PACKAGE_PATIENCE_S = 600
"""The largest package has 45 MB."""


class NotBroughtError(Exception):
    """A document, or a package of some, could not be had; the text is the reason."""


def bring_missing(documents: Sequence[RealDocument], places: Sequence[Path], folder: Path) -> int:
    """Bring what is in none of the places into a folder, and say so; return how many could not be had."""
    missing = [each for each in documents if each.find_among(places) is None]
    failed = 0
    for document, reason in bring([each for each in missing if each.has_source], folder):
        if reason:
            failed += 1
            print(f"{document.file} could not be had: {reason}", file=sys.stderr, flush=True)
        else:
            print(f"{document.file}: {document.size:,} bytes, licence {document.licence}", flush=True)
    nowhere = [each.file for each in missing if not each.has_source]
    brought, here = len(missing) - len(nowhere) - failed, len(documents) - len(missing)
    print(f"Of {len(documents)} real documents {here} were here, {brought} were brought; {failed} failed.")
    if nowhere:
        print(f"No one publishes {', '.join(nowhere)}.")
    return failed


def bring(documents: Iterable[RealDocument], folder: Path) -> Iterator[tuple[RealDocument, str]]:
    """Bring documents into a folder; yield each with the reason why it could not be had, or with nothing.

    A file is there whole or not at all, so several may bring at a time.
    """
    by_package: dict[str, list[RealDocument]] = defaultdict(list)
    for document in documents:
        if document.package:
            by_package[document.package].append(document)
        else:
            yield document, _try_to_bring(document, folder)
    for package, wanted in by_package.items():
        try:
            members = _read_package(package, {document.member for document in wanted})
        except NotBroughtError as error:
            yield from ((document, str(error)) for document in wanted)
            continue
        for document in wanted:
            yield document, _try_to_keep(document, members.get(document.member), folder)


def _try_to_bring(document: RealDocument, folder: Path) -> str:
    try:
        return _try_to_keep(document, _download(document), folder)
    except NotBroughtError as error:
        return str(error)


def _download(document: RealDocument) -> bytes:
    """Read at most one byte more than the document has."""
    try:
        with urllib.request.urlopen(document.url, timeout=PATIENCE_S) as answer:
            return answer.read(document.size + 1)
    except (OSError, http.client.HTTPException) as error:  # urllib's errors and timeouts are OSErrors
        raise NotBroughtError(f"{document.url}: {error}") from error


def _read_package(package: str, members: set[str]) -> Mapping[str, bytes]:
    """Some files of a package, as far as it has them, by way of the registry that npm is set to."""
    with tempfile.TemporaryDirectory() as folder:
        _pack(package, folder)
        (packed,) = Path(folder).glob("*.tgz")
        found: dict[str, bytes] = {}
        with tarfile.open(packed) as archive:
            for entry in archive:
                _, _, path = entry.name.partition("/")  # below one folder, whose name is the author's
                if path in members and (file := archive.extractfile(entry)) is not None:
                    found[path] = file.read()
        return found


def _pack(package: str, folder: str) -> None:
    programs = Path(sys.executable).parent
    command = [programs / "npm", "pack", package, "--ignore-scripts", "--loglevel=error"]
    environ = {**os.environ, "PATH": os.pathsep.join((str(programs), os.environ.get("PATH", "")))}
    try:
        subprocess.run(
            command, cwd=folder, env=environ, check=True, capture_output=True, timeout=PACKAGE_PATIENCE_S
        )
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip()
        raise NotBroughtError(f"npm pack {package}: {said[:300]}") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotBroughtError(f"npm pack {package}: {error}") from error


def _try_to_keep(document: RealDocument, content: bytes | None, folder: Path) -> str:
    """Keep a document, unless something is wrong with it: then say what."""
    source = document.url or f"{document.member} of {document.package}"
    if content is None:
        return f"there is no {source}"
    if fault := document.find_fault(content):
        return f"{source}: {fault}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as beside:
            part = Path(beside, document.file)
            part.write_bytes(content)
            part.replace(folder / document.file)
    except OSError as error:
        return f"cannot be kept: {error}"
    return ""
