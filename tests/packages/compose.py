"""Docker Compose, which reads our files here and starts nothing."""

import os
import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.house.source import ROOT, text_of
from tests.support.programs import needs

RUN_S = 60


@dataclass(frozen=True, slots=True)
class Resolved:
    """What `config` says of files: merged, with variables replaced and paths made absolute."""

    status: int
    complaint: str
    text: str

    @property
    def said(self) -> Any:
        """The file that Compose would carry out; the test fails if it would carry out none."""
        assert self.status == 0, self.complaint
        return yaml.safe_load(self.text)


def resolve(names: Sequence[str], values: Mapping[str, str], folder: Path) -> Resolved:
    """Have Compose read files of the repository, or of elsewhere, together; skips the test without Compose.

    It sees no variables but `values`, and no `.env` of whoever runs the test.
    """
    command, version = _find_compose()
    settings = folder / ".env"
    settings.touch()
    paths = [ROOT / name for name in names]
    if version.startswith("1."):
        paths = [_without_name(path, folder) for path in paths]
    words = [
        "--env-file",
        settings,
        "--project-directory",
        (ROOT / names[0]).parent,
        "--project-name",
        "tried",
    ]
    for path in paths:
        words += ["-f", path]
    ended = subprocess.run(
        [*command, *words, "config"],
        env={"PATH": os.environ["PATH"], "HOME": str(folder), **values},
        capture_output=True,
        text=True,
        check=False,
        timeout=RUN_S,
    )
    return Resolved(ended.returncode, ended.stderr, ended.stdout)


def required_values(names: Sequence[str]) -> dict[str, str]:
    """A value for each variable without which Compose is to refuse these files; it can be found again."""
    texts = "".join(text_of(name) for name in names)
    return {name: f"value-of-{name}" for name in re.findall(r"\$\{(\w+):\?", texts)}


@cache
def _find_compose() -> tuple[list[str], str]:
    """Its command, as `make/compose` prints it, and its version."""
    command = shlex.split(needs.find(needs.COMPOSE))
    asked = subprocess.run([*command, "version", "--short"], capture_output=True, text=True, check=True)
    return command, asked.stdout.strip().removeprefix("v")


def _without_name(path: Path, folder: Path) -> Path:
    """A copy for version 1, which refuses the one line that names the project."""
    copy = folder / str(path).replace(os.sep, "_")
    copy.write_text(
        re.sub(r"^name: .*\n", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE), encoding="utf-8"
    )
    return copy
