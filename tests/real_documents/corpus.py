"""The real documents that are here, and what the end of a run says of the others."""

from collections.abc import Collection, Generator, Sequence
from pathlib import Path

import pytest
from xdist.workermanage import WorkerController

from tests.promises import runs_in_ci
from tests.real_documents.documents import RealDocument, document_places, read_manifest

MISSED = "missed real documents"
"""What a worker of xdist tells by this name: the files that its tests wanted and had not."""

missed_key = pytest.StashKey[set[str]]()


class Corpus:
    """The real documents; looks for each when the first test wants it."""

    def __init__(self, places: Sequence[Path], missed: set[str]) -> None:
        """`places`: the folders to look in; `missed`: where to note files that a test wanted in vain."""
        self._documents = {each.file: each for each in read_manifest()}
        self._places = places
        self._found: dict[str, Path | None] = {}
        self._missed = missed

    def find(self, *names: str, whole: bool = False) -> dict[RealDocument, Path]:
        """Find files by their names, all of them by default; skip the test if none is here.

        `whole`: also if one is missing. So it is in CI, of those that `make documents` brings.
        """
        wanted = [self._documents[name] for name in names] if names else [*self._documents.values()]
        found = {each: file for each in wanted if (file := self._find(each)) is not None}
        missing = [each for each in wanted if each not in found]
        self._missed.update(each.file for each in missing)
        if not found or (missing and whole) or (runs_in_ci() and any(each.has_source for each in missing)):
            pytest.skip(f"needs real documents: {describe(missing)}")
        return found

    def _find(self, document: RealDocument) -> Path | None:
        if document.file not in self._found:
            self._found[document.file] = document.find_among(self._places)
        return self._found[document.file]


def describe(missing: Collection[RealDocument]) -> str:
    """Say what brings those that are missing."""
    brought = [each.file for each in missing if each.has_source]
    nowhere = [each.file for each in missing if not each.has_source]
    parts = [f"`make documents` brings {len(brought)} ({', '.join(brought)})"] if brought else []
    parts += [f"no one publishes {len(nowhere)} ({', '.join(nowhere)})"] if nowhere else []
    return "; ".join(parts)


@pytest.fixture(scope="session")
def corpus(pytestconfig: pytest.Config) -> Corpus:
    """The real OpenAPI documents."""
    return Corpus(document_places(), pytestconfig.stash[missed_key])


def pytest_configure(config: pytest.Config) -> None:
    config.stash[missed_key] = set()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell xdist's controller, where this is one of its workers."""
    if (output := getattr(session.config, "workeroutput", None)) is not None:
        output[MISSED] = sorted(session.config.stash[missed_key])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: WorkerController) -> None:
    """Hear it; a worker that crashed has told nothing."""
    node.config.stash[missed_key].update(getattr(node, "workeroutput", {}).get(MISSED, ()))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> Generator[None]:
    """Say at the very end what was not run, so that a green run is not taken for more than it is."""
    yield
    missed = config.stash[missed_key]
    missing = [each for each in read_manifest() if each.file in missed]
    if missing:
        terminalreporter.write_line(
            f"{len(missing)} real documents not run: {describe(missing)}", yellow=True
        )
