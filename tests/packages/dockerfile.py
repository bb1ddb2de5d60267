"""A Dockerfile carried out without Docker: its steps in a folder, on this machine's Python and Node.

What is not shown by this: the bases themselves, and that no step needs anything else of this machine.
Absolute paths of the image are moved below a folder; owners are left to whoever runs the result.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

STEP_S = 600
MOVED = re.compile(r"(?<![\w./-])/(source|opt/tool-bridge|data)(?=[/:\s\"']|$)")
"""Places of the image that steps write to."""


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction."""

    word: str
    rest: str

    @property
    def options(self) -> Mapping[str, str]:
        """`--from=page` and the like."""
        return dict(re.findall(r"--(\w+)=(\S+)", self.rest))

    @property
    def words(self) -> list[str]:
        """What follows the options."""
        return [word for word in shlex.split(self.rest) if not word.startswith("--")]

    @property
    def command(self) -> list[str]:
        """The command of an instruction in the exec form."""
        return json.loads(self.rest[self.rest.index("[") :])


@dataclass
class Stage:
    """One stage: a root of its own, and what its last instructions say."""

    root: Path
    workdir: str = "/"
    environ: dict[str, str] = field(default_factory=dict[str, str])
    said: dict[str, Step] = field(default_factory=dict[str, Step])

    def place(self, path: str) -> Path:
        """Where a path of the image is."""
        return self.root / (PurePosixPath(self.workdir) / path).relative_to("/")

    def moved(self, text: str) -> str:
        """A text with the paths of the image moved."""
        return MOVED.sub(rf"{self.root}/\1", text)


def read_steps(text: str) -> list[Step]:
    """The instructions of a Dockerfile, lines joined, comments gone."""
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    joined = re.sub(r"\\\n\s*", " ", lines)
    return [Step(*line.split(maxsplit=1)) for line in joined.splitlines() if line.strip()]


def build(steps: Sequence[Step], context: Path, ignored: str, to: Path, environ: Mapping[str, str]) -> Stage:
    """Carry out every stage; return the last one. `environ`: what the bases bring."""
    stages: dict[str, Stage] = {}
    stage = Stage(to)
    for step in steps:
        if step.word == "FROM":
            _, _, name = step.rest.partition(" AS ")
            stage = stages[name or "last"] = Stage(to / (name or "last"))
            stage.root.mkdir(parents=True)
        elif step.word == "WORKDIR":
            stage.workdir = step.rest
            stage.place("").mkdir(parents=True, exist_ok=True)
        elif step.word == "ENV":
            stage.environ |= {name: value for name, _, value in (word.partition("=") for word in step.words)}
        elif step.word == "COPY":
            _copy(step, stage, stages, context, ignored)
        elif step.word == "RUN":
            _run(step, stage, environ)
        else:
            stage.said[step.word] = step
    return stage


def _copy(step: Step, stage: Stage, stages: Mapping[str, Stage], context: Path, ignored: str) -> None:
    *sources, target = step.words
    for source in sources:
        made_by = stages.get(step.options.get("from", ""))
        found = made_by.place(source) if made_by else context / source
        if not made_by:
            assert _is_sent(source.rstrip("/"), ignored), (
                f"the context has no {source}: .dockerignore leaves it out"
            )
        to = stage.place(target)
        if found.is_dir():
            shutil.copytree(found, to, symlinks=True, dirs_exist_ok=True, ignore=_left_out)
        else:
            (to if target.endswith("/") else to.parent).mkdir(parents=True, exist_ok=True)
            shutil.copy(found, to)
        if made_by:
            _relocate(to, made_by.root, stage.root)


def _relocate(folder: Path, before: Path, after: Path) -> None:
    """Correct the names of its own place in a virtual environment: in the image all stages have the same."""
    for path in _texts(folder):
        text = path.read_bytes()
        if bytes(before) in text:
            path.write_bytes(text.replace(bytes(before), bytes(after)))


def _texts(folder: Path) -> Iterator[Path]:
    for place in (folder / "bin", folder):
        yield from (path for path in place.glob("*") if path.is_file() and not path.is_symlink())


def _left_out(_folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name == "__pycache__"] if "site-packages" not in _folder else []


def _is_sent(path: str, ignored: str) -> bool:
    """Whether the context has a path: the last pattern of the list that fits decides."""
    sent = True
    for line in ignored.splitlines():
        pattern = line.removeprefix("!").rstrip("/")
        if line and not line.startswith("#") and (fnmatch(path, pattern) or path.startswith(f"{pattern}/")):
            sent = line.startswith("!")
    return sent


def _run(step: Step, stage: Stage, environ: Mapping[str, str]) -> None:
    given = {**environ, **stage.environ}
    ended = subprocess.run(
        ["sh", "-euc", stage.moved(step.rest)],
        cwd=stage.place(""),
        env=given,
        check=False,
        timeout=STEP_S,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert ended.returncode == 0, f"{step.rest}\n{ended.stdout.decode(errors='replace')}"


def run_environ(stage: Stage, tools: str, **more: str) -> dict[str, str]:
    """What the command of the image is given, with places moved."""
    moved = {name: stage.moved(value) for name, value in stage.environ.items()}
    return {**moved, "PATH": moved["PATH"].partition(":")[0] + os.pathsep + tools, **more}
