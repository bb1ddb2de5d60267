"""Documents that vendors publish, listed in `manifest.toml`, and where those that were brought lie."""

import hashlib
import os
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

FOLDER = "REAL_DOCUMENTS"
"""Environment variable: a folder with documents, by their file names."""


@dataclass(frozen=True, slots=True)
class RealDocument:
    """One entry of the manifest."""

    file: str
    licence: str
    family: str
    """Its version of OpenAPI without the patch: `2.0`, `3.1`."""
    operations: int
    size: int
    """Bytes."""
    sha256: str
    url: str = ""
    package: str = ""
    """Of npm, with its version."""
    member: str = ""
    """Its path in the package."""
    generated: str = ""
    """What made it, where no one publishes it."""

    @property
    def name(self) -> str:
        return Path(self.file).stem

    @property
    def has_source(self) -> bool:
        """Whether it can be brought, or is part of the repository."""
        return not self.generated or (HERE / "generated" / self.file).exists()

    def find_fault(self, content: bytes) -> str:
        """Say how these bytes differ from the document; empty if they do not."""
        if len(content) != self.size:
            return f"it has {len(content):,} bytes instead of {self.size:,}"
        digest = hashlib.sha256(content).hexdigest()
        return "" if digest == self.sha256 else f"its SHA-256 is {digest} instead of {self.sha256}"

    def find_among(self, places: Sequence[Path]) -> Path | None:
        """Its file in the first of these folders that has it with the right bytes."""
        files = [file for place in places if (file := place / self.file).is_file()]
        return next((file for file in files if not self.find_fault(file.read_bytes())), None)


def read_manifest() -> list[RealDocument]:
    listed = tomllib.loads((HERE / "manifest.toml").read_text(encoding="utf-8"))
    return [RealDocument(**entry) for entry in listed["document"]]


def find_documents() -> dict[RealDocument, Path]:
    """Find those that this machine has, for programs; a test asks `corpus`, which tells what it lacks."""
    places = document_places()
    return {each: file for each in read_manifest() if (file := each.find_among(places)) is not None}


def cache_folder() -> Path:
    """Where `make documents` keeps what it brings."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "tool-bridge-documents"


def document_places() -> list[Path]:
    """The folders in which documents are looked for, the first one first."""
    named = os.environ.get(FOLDER)
    return [
        HERE / "generated",
        *([Path(named)] if named else []),
        ROOT.parent / "shared" / "specs" / "files",
        cache_folder(),
    ]
