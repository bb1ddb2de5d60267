"""New lines and commits, in a repository made for the test."""

import subprocess
from pathlib import Path

import pytest

from tests.house.words.since import Commit, has_history, new_commits, new_lines

WHO = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    ask_git(tmp_path, "init", "--quiet", "--initial-branch=main")
    (tmp_path / "old.md").write_text("one\ntwo\nthree\n")
    (tmp_path / "left.py").write_text("moved = 1\n")
    commit(tmp_path, "docs: begin")
    return tmp_path


def test_lines_are_new_whether_or_not_they_are_committed(folder: Path) -> None:
    """A rule that looks at commits alone speaks up one commit too late."""
    base = ask_git(folder, "rev-parse", "HEAD")
    (folder / "old.md").write_text("one\n2\nthree\nfour\n")
    commit(folder, "docs: count on")
    (folder / "old.md").write_text("one\n2\nthree\nfour\nfive\n")
    (folder / "added.md").write_text("a\nb")
    (folder / "picture.svg").write_text("<svg/>")
    assert new_lines(base, folder) == {"old.md": {2, 4, 5}, "added.md": {1, 2}}


def test_a_line_that_moves_is_not_new(folder: Path) -> None:
    """Moving a function is one thing, and rewriting its docstring another."""
    base = ask_git(folder, "rev-parse", "HEAD")
    (folder / "left.py").unlink()
    (folder / "right.py").write_text("if True:\n    moved = 1\n")
    commit(folder, "house: move")
    assert new_lines(base, folder) == {"right.py": {1}}


def test_commits_are_listed_without_merges(folder: Path) -> None:
    """Git writes the subject of a merge."""
    base = ask_git(folder, "rev-parse", "HEAD")
    ask_git(folder, "switch", "--quiet", "--create", "side")
    (folder / "side.md").write_text("side\n")
    commit(folder, "docs: add a side")
    added = ask_git(folder, "rev-parse", "--short=12", "HEAD")
    ask_git(folder, "switch", "--quiet", "main")
    ask_git(folder, *WHO, "merge", "--quiet", "--no-ff", "--message", "Merge side", "side")
    assert new_commits(base, folder) == [Commit(added, "docs: add a side")]


def test_a_checkout_without_the_commit_is_known(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A shallow clone and an unpacked archive are skipped, and no failure."""
    base = ask_git(folder, "rev-parse", "HEAD")
    assert has_history(base, folder)
    (folder / "old.md").write_text("other\n")
    commit(folder, "docs: change")
    clone = tmp_path_factory.mktemp("shallow") / "clone"
    ask_git(folder, "clone", "--quiet", "--depth=1", folder.as_uri(), str(clone))
    assert not has_history(base, clone)
    assert not has_history(base, tmp_path_factory.mktemp("archive"))


def commit(folder: Path, subject: str) -> None:
    ask_git(folder, "add", "--all")
    ask_git(folder, *WHO, "commit", "--quiet", "--message", subject)


def ask_git(folder: Path, *command: str) -> str:
    shown = subprocess.run(["git", *command], cwd=folder, capture_output=True, check=True, text=True)
    return shown.stdout.strip()
