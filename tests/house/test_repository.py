"""What may be in the repository at all."""

import hashlib
import re

from tests.house.source import ROOT, VENDORED, judge, refuse, repository_files

MAX_BYTES = 1_000_000
# Written so that this file does not match itself.
MACHINE_PATHS = re.compile(
    r"(?<![\w.:/}])/(?:root|work|home/[a-z]\w*|Users/[A-Za-z]\w*|opt/(?:pypi|wheels))/"
)
REGISTRY_HOSTS = re.compile(
    r"(?:pypi|npmjs|yarnpkg|npmmirror|pythonhosted|unpkg|jsdelivr|artifactory)[.](?:org|com|net|io)\b",
    re.IGNORECASE,
)


def test_no_file_names_a_place_on_somebody_s_machine() -> None:
    """Such a path works on one machine and tells the rest about it."""
    refuse(matches(MACHINE_PATHS))


def test_no_file_names_a_package_registry() -> None:
    """Where packages come from is the setting of a machine; the locks pin them by digest."""
    refuse(matches(REGISTRY_HOSTS))


def test_no_file_is_larger_than_a_megabyte() -> None:
    """History keeps a large file for ever."""
    sizes = {name: (ROOT / name).stat().st_size for name in repository_files()}
    judge("large_files", {name: f"{size} bytes" for name, size in sizes.items() if size > MAX_BYTES})


def test_text_files_end_their_lines_with_a_bare_newline() -> None:
    """Mixed line endings make differences where there are none."""
    refuse(name for name in text_files() if b"\r\n" in (ROOT / name).read_bytes())


def test_vendored_files_are_what_their_list_of_digests_says() -> None:
    """Nobody edits a vendored file unseen, and none is added without its digest."""
    lines = [line.split(maxsplit=1) for line in read(f"{VENDORED}SHA256SUMS").splitlines()]
    listed = {name: digest for digest, name in lines}
    vendored = {
        name.removeprefix(VENDORED): hashlib.sha256((ROOT / name).read_bytes()).hexdigest()
        for name in repository_files()
        if name.startswith(VENDORED) and not name.endswith(("SHA256SUMS", ".d.ts", ".md"))
    }
    assert vendored == listed


def matches(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{name}:{number}: {line.strip()[:120]}"
        for name in text_files()
        for number, line in enumerate(read(name).splitlines(), start=1)
        if pattern.search(line)
    ]


def text_files() -> list[str]:
    return [name for name in repository_files() if b"\0" not in (ROOT / name).read_bytes()[:8000]]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")
